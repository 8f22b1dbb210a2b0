//! The rules of imported branches, warehouses, stock and movements.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use crate::domain::accounting::{OpeningBalance, cost_entry, opening_entry};
use crate::domain::cost::ProductValue;
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Quantity};
use crate::domain::sat;
use crate::domain::stock::IncomingCost;
use crate::domain::stock::{StockMovement, cost_of};
use crate::domain::words::{MovementKind, Status, WarehouseStatus};
use crate::json::{Fault, Text};
use crate::operations::import::{
    HEAD_OFFICE, ImportMoment, Rules, UnknownSku, look_up_names, look_up_skus, require, require_cents, require_clave,
};
use crate::record::branch::BranchImport;
use crate::record::movement::MovementImport;
use crate::record::stock::StockImport;
use crate::record::warehouse::WarehouseImport;
use crate::store::{Conflict, Naming, OpenedStock, StockPlace, StoreError, Tx};

impl MovementImport {
    /// The stock before, given or zero.
    fn before(&self) -> Quantity {
        self.existencia_anterior.unwrap_or_default()
    }

    /// The stock afterwards, given or computed from the stock before and the kind of movement.
    fn after(&self) -> Quantity {
        let moved = |kind: MovementKind| kind.stock_after(self.before(), self.cantidad);
        self.existencia_actual.unwrap_or_else(|| MovementKind::parse(&self.tipo).map_or_else(|| self.before(), moved))
    }

    /// The total cost, given or quantity times unit cost.
    fn amount(&self) -> Option<Money> {
        self.importe.or_else(|| cost_of(self.cantidad, self.costo_unitario?))
    }
}

impl Rules for BranchImport {
    fn check(&self) -> Result<(), Fault> {
        require(self.clave.is_none_or(|clave| clave >= 0), "clave", "no puede ser negativa")?;
        require(self.cp.as_ref().is_none_or(|cp| sat::postal_code(cp).is_some()), "cp", "no está en el catálogo")
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.estatus.get_or_insert(Status::Activo);
        Ok(())
    }
}

impl Rules for WarehouseImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.sucursal.get_or_insert(HEAD_OFFICE);
        self.principal.get_or_insert(false);
        self.estatus.get_or_insert(WarehouseStatus::Activo);
        Ok(())
    }
}

impl Rules for StockImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.producto.is_some() || self.sku.is_some(), "producto", "hace falta producto o sku")?;
        let is_sided = |valor: Balance| match self.stock() {
            stock if stock.is_zero() => valor.get().is_zero(),
            stock => valor.get().is_zero() || valor.get().is_sign_negative() == stock.is_sign_negative(),
        };
        require(self.valor.is_none_or(is_sided), "valor", "lleva el signo de la existencia, y sin ella es cero")?;
        require_cents(self.valor, "valor")?;
        require(self.almacen.name.chars().count() == 3, "almacen", "debe tener 3 caracteres")
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        look_up_names(tx, Naming::Warehouse, "almacen", rows.iter_mut().map(|row| &mut row.almacen)).await?;
        look_up_skus(tx, rows.iter_mut().map(|row| (&mut row.producto, row.sku.as_deref())), UnknownSku::Refused).await
    }

    fn normalize(&mut self, _: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        for quantity in [&mut self.existencia, &mut self.apartado, &mut self.minimo] {
            quantity.get_or_insert_default();
        }
        self.modificado.get_or_insert(at.now);
        Ok(())
    }

    /// Values the stock against the opening account, an entry a batch.
    async fn follow_up(rows: &[Self], tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<(), StoreError> {
        let is_valued = |row: &&Self| row.place().is_some() && (!row.stock().is_zero() || row.valor.is_some());
        let stocked: Vec<&Self> = rows.iter().filter(is_valued).collect();
        let places: BTreeSet<StockPlace> = stocked.iter().filter_map(|row| row.place()).collect();
        if places.is_empty() {
            return Ok(());
        }
        let locked = tx.lock_goods(&Vec::from_iter(places), at.now).await?;
        let mut values: BTreeMap<i64, ProductValue> =
            locked.into_iter().map(|goods| (goods.value.producto, goods.value)).collect();
        let mut opened: BTreeMap<i64, OpenedStock> = BTreeMap::new();
        let (mut total, mut ajuste) = (Decimal::ZERO, Decimal::ZERO);
        for row in stocked {
            let producto = row.producto.unwrap_or_default();
            let value = values.get_mut(&producto).ok_or_else(|| Conflict::Reference("producto".to_owned()))?;
            let field = if row.valor.is_some() { "valor" } else { "costo_unitario" };
            let (valor, more) = row.open(value).ok_or_else(|| Conflict::Value(field.to_owned()))?;
            (total, ajuste) = (total + valor, ajuste + more);
            let sum = opened.entry(producto).or_insert(OpenedStock {
                producto,
                existencia: Quantity::default(),
                valor: Decimal::ZERO,
            });
            sum.existencia = Quantity::new(sum.existencia.get() + row.stock());
            sum.valor += valor + more;
        }
        let dia = at.today();
        let is_something = |opened: &OpenedStock| opened.existencia != Quantity::default() || !opened.valor.is_zero();
        let (values, opened): (Vec<_>, Vec<_>) =
            (values.into_values().collect(), opened.into_values().filter(is_something).collect());
        tx.open_stock(&values, &opened, dia).await?;
        for entry in [opening_entry(dia, OpeningBalance::Stock(total)), cost_entry(dia, ajuste)] {
            let too_much = |_| Conflict::Value("costo_unitario".to_owned());
            if let Some(entry) = entry.map_err(too_much)? {
                tx.insert_entry(&entry, at.now).await?;
            }
        }
        Ok(())
    }
}

impl StockImport {
    fn place(&self) -> Option<StockPlace> {
        Some(StockPlace { almacen: self.almacen.clave?, producto: self.producto? })
    }

    fn stock(&self) -> Decimal {
        self.existencia.unwrap_or_default().get()
    }

    /// Adds the stock to the product's; returns what it is worth, and how much more the value
    /// changed.
    fn open(&self, value: &mut ProductValue) -> Option<(Decimal, Decimal)> {
        if let Some(valor) = self.valor {
            value.open(self.stock(), valor.get(), self.costo_unitario)?;
            return Some((valor.get(), Decimal::ZERO));
        }
        // What leaves below zero leaves at the last known cost.
        if self.stock().is_sign_negative() && value.existencia.get() + self.stock() < Decimal::ZERO {
            value.ultimo = self.costo_unitario.or(value.ultimo);
        }
        let costo = self.costo_unitario.map_or(IncomingCost::Average, IncomingCost::Each);
        let cantidad = Quantity::new(self.stock().abs());
        let moved = value.moved(&StockMovement { tipo: MovementKind::Registro, cantidad, costo }, self.stock())?;
        let importe = moved.importe.get();
        Some((if self.stock().is_sign_negative() { -importe } else { importe }, moved.ajuste))
    }
}

impl Rules for MovementImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.cantidad >= Quantity::default(), "cantidad", "no puede ser negativa")?;
        require(self.amount().is_some() || self.costo_unitario.is_none(), "importe", "es demasiado grande")
    }

    /// A SKU that no product has is kept; a movement that names its product by clave gets the
    /// product's current SKU.
    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        look_up_skus(tx, rows.iter_mut().map(|row| (&mut row.producto, row.sku.as_deref())), UnknownSku::Kept).await?;
        let unwritten: Vec<i64> = rows.iter().filter(|row| row.sku.is_none()).filter_map(|row| row.producto).collect();
        let skus = tx.skus_of(&unwritten).await?;
        for row in rows.iter_mut().filter(|row| row.sku.is_none()) {
            row.sku = row.producto.and_then(|producto| skus.get(&producto)).map(Text::unchecked);
        }
        Ok(())
    }

    fn normalize(&mut self, _: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        self.fecha.get_or_insert(at.now);
        self.existencia_actual = Some(self.after());
        self.existencia_anterior = Some(self.before());
        self.importe = self.amount();
        Ok(())
    }
}
