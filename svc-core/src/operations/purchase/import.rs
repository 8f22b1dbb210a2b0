//! The rules of imported suppliers, purchase orders with their lines, and accounts payable.

use rust_decimal::{Decimal, RoundingStrategy};

use crate::domain::accounting::{Bill, EntryError, OpenedPayable, OpeningBalance};
use crate::domain::money::Money;
use crate::domain::payable::PayableTaxes;
use crate::domain::quantity::{Balance, Quantity, Rate};
use crate::domain::time::Date;
use crate::domain::words::{PayableKind, PayableStatus, PurchaseStatus, SupplierStatus};
use crate::error::Code;
use crate::json::Fault;
use crate::operations::import::{
    HEAD_OFFICE, ImportMoment, Rules, UnknownSku, in_pesos, look_up_names, look_up_skus, lower_case, open_balances,
    own_folio, parsed_rfc, require, require_clave, require_currency, require_uuid,
};
use crate::record::payable::PayableImport;
use crate::record::purchase::PurchaseImport;
use crate::record::purchase_line::PurchaseLineImport;
use crate::record::supplier::SupplierImport;
use crate::store::{Naming, StoreError, Tx};

/// The supplier of payables that have none.
const NO_SUPPLIER: i64 = 0;

impl PurchaseLineImport {
    /// The subtotal before discount. If it is missing: quantity times cost, rounded half up to two
    /// decimals.
    fn subtotal(&self) -> Money {
        self.subtotal.unwrap_or_else(|| {
            let exact = self.cantidad.get().saturating_mul(self.costo_unitario.unwrap_or_default().get());
            Money::new(exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))
        })
    }

    /// The total. If it is missing: the subtotal less the discount, plus IVA and IEPS, less what is
    /// withheld.
    fn total(&self) -> Money {
        self.total.unwrap_or_else(|| {
            let discounted = self.subtotal().get().saturating_sub(self.descuento.unwrap_or_default().get());
            let amount = |amount: Option<Money>| amount.unwrap_or_default().get();
            let charged = discounted.saturating_add(amount(self.iva)).saturating_add(amount(self.ieps));
            let withheld = amount(self.retencion_isr).saturating_add(amount(self.retencion_iva));
            Money::new(charged.saturating_sub(withheld))
        })
    }
}

struct PayableAmounts {
    total: Balance,
    pagado: Balance,
    saldo: Balance,
}

impl PayableImport {
    fn taxes(&self) -> PayableTaxes {
        PayableTaxes {
            iva: self.iva.unwrap_or_default(),
            ieps: self.ieps.unwrap_or_default(),
            retencion_isr: self.retencion_isr.unwrap_or_default(),
            retencion_iva: self.retencion_iva.unwrap_or_default(),
        }
    }

    /// What is posted of it against the opening account. Refuses what has more than 18 digits in
    /// pesos, which fits no entry.
    fn opening(&self, amounts: &PayableAmounts) -> Result<OpenedPayable, Fault> {
        if self.estatus == Some(PayableStatus::Cancelado) {
            return Ok(OpenedPayable::default());
        }
        let &PayableAmounts { total, pagado, .. } = amounts;
        let tipo_cambio = self.tipo_cambio.unwrap_or(Rate::ONE);
        let bill = Bill { total, impuestos: self.taxes(), pagado, tipo_cambio };
        let too_large = |_: EntryError| Fault::new(Code::DatoInvalido, "saldo", "en pesos pasa de 18 dígitos");
        bill.opened().map_err(too_large)
    }

    fn branch(&self) -> i64 {
        self.sucursal.unwrap_or(HEAD_OFFICE)
    }

    /// The total, what has been paid and what remains. What is missing follows from the others;
    /// what no other says is zero, except that all of a paid payable is paid. A cancelled one may
    /// owe nothing, whatever was paid.
    fn amounts(&self) -> Result<PayableAmounts, Fault> {
        let zero = Balance::default();
        let derived = |field: &'static str, amount: Decimal| {
            require(is_storable(amount), field, "pasa de 18 enteros")?;
            Ok(Balance::new(amount))
        };
        let (total, pagado, saldo) = match (self.total, self.pagado, self.saldo) {
            (Some(total), Some(pagado), Some(saldo)) => {
                let is_void = self.estatus == Some(PayableStatus::Cancelado) && saldo == zero;
                let adds_up = pagado.get() + saldo.get() == total.get();
                require(adds_up || is_void, "saldo", "no es total − pagado")?;
                (total, pagado, saldo)
            }
            (Some(total), None, Some(saldo)) => (total, derived("pagado", total.get() - saldo.get())?, saldo),
            (None, pagado, Some(saldo)) => {
                let pagado = pagado.unwrap_or_default();
                (derived("total", pagado.get() + saldo.get())?, pagado, saldo)
            }
            (Some(total), None, None) if self.estatus == Some(PayableStatus::Pagado) => (total, total, zero),
            (total, pagado, None) => {
                let (total, pagado) = (total.unwrap_or_default(), pagado.unwrap_or_default());
                (total, pagado, derived("saldo", total.get() - pagado.get())?)
            }
        };
        let is_settled = self.estatus != Some(PayableStatus::Pagado) || saldo.get().is_zero();
        require(is_settled, "estatus", "pagado no lleva saldo")?;
        Ok(PayableAmounts { total, pagado, saldo })
    }
}

impl Rules for SupplierImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        parsed_rfc(self.rfc.as_deref())?;
        Ok(())
    }

    fn normalize(&mut self, clave: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        own_folio(&mut self.folio, clave);
        self.rfc = parsed_rfc(self.rfc.as_deref())?;
        self.estatus.get_or_insert(SupplierStatus::Activo);
        Ok(())
    }
}

impl Rules for PurchaseImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.cxp.is_none_or(|cxp| cxp > 0), "cxp", "debe ser un entero positivo")?;
        let (taxes, ieps) = (self.impuestos.unwrap_or_default(), self.ieps.unwrap_or_default());
        require(ieps <= taxes, "ieps", "es mayor que los impuestos, que lo incluyen")?;
        require(
            self.retencion_iva.unwrap_or_default().get() <= taxes.get() - ieps.get(),
            "retencion_iva",
            "es mayor que el IVA",
        )?;
        require_currency(self.moneda.as_deref())
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        look_up_names(tx, Naming::Warehouse, "almacen", rows.iter_mut().filter_map(|row| row.almacen.as_mut())).await
    }

    fn normalize(&mut self, clave: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        own_folio(&mut self.folio, clave);
        self.estatus.get_or_insert(PurchaseStatus::Pendiente);
        self.fecha.get_or_insert(at.now);
        self.sucursal.get_or_insert(HEAD_OFFICE);
        in_pesos(&mut self.moneda);
        self.tipo_cambio.get_or_insert(Rate::ONE);
        for amount in [
            &mut self.subtotal,
            &mut self.descuento,
            &mut self.impuestos,
            &mut self.total,
            &mut self.ieps,
            &mut self.retencion_isr,
            &mut self.retencion_iva,
        ] {
            amount.get_or_insert_default();
        }
        self.modificado.get_or_insert(at.now);
        Ok(())
    }
}

impl Rules for PurchaseLineImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.renglon > 0, "renglon", "debe ser un entero positivo")?;
        require(self.cantidad >= Quantity::default(), "cantidad", "no puede ser negativa")?;
        let received = self.cantidad_recibida.unwrap_or_default();
        require(received >= Quantity::default(), "cantidad_recibida", "no puede ser negativa")?;
        require(is_storable(self.subtotal().get()), "subtotal", "pasa de 18 enteros")?;
        require(
            self.total() >= Money::default(),
            "descuento",
            "con lo retenido es mayor que el subtotal con impuestos",
        )?;
        require(is_storable(self.total().get()), "total", "pasa de 18 enteros")
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        look_up_skus(tx, rows.iter_mut().map(|row| (&mut row.producto, row.sku.as_deref())), UnknownSku::Refused).await
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.subtotal = Some(self.subtotal());
        self.total = Some(self.total());
        self.cantidad_recibida.get_or_insert_default();
        for amount in [
            &mut self.costo_unitario,
            &mut self.descuento,
            &mut self.iva,
            &mut self.ieps,
            &mut self.retencion_isr,
            &mut self.retencion_iva,
        ] {
            amount.get_or_insert_default();
        }
        Ok(())
    }
}

impl Rules for PayableImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.compra.is_none_or(|compra| compra > 0), "compra", "debe ser un entero positivo")?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        require(self.operaciones.is_none_or(|count| count > 0), "operaciones", "debe ser un entero positivo")?;
        require_currency(self.moneda.as_deref())?;
        let amounts = self.amounts()?;
        self.taxes().validate(amounts.total)?;
        self.opening(&amounts).map(drop)
    }

    fn normalize(&mut self, clave: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        own_folio(&mut self.folio, clave);
        self.tipo.get_or_insert(PayableKind::Gasto);
        let amounts = self.amounts()?;
        let opened = self.opening(&amounts)?;
        let PayableAmounts { total, pagado, saldo } = amounts;
        (self.total, self.pagado, self.saldo) = (Some(total), Some(pagado), Some(saldo));
        let is_paid = saldo.get().is_zero() && !pagado.get().is_zero();
        self.estatus.get_or_insert(if is_paid { PayableStatus::Pagado } else { PayableStatus::Pendiente });
        self.proveedor.get_or_insert(NO_SUPPLIER);
        lower_case(&mut self.uuid);
        let sucursal = *self.sucursal.get_or_insert(HEAD_OFFICE);
        self.fecha.get_or_insert_with(|| Date(at.day_at(sucursal)));
        in_pesos(&mut self.moneda);
        self.tipo_cambio.get_or_insert(Rate::ONE);
        self.operaciones.get_or_insert(1);
        self.modificado.get_or_insert(at.now);
        for tax in [&mut self.iva, &mut self.ieps, &mut self.retencion_isr, &mut self.retencion_iva] {
            tax.get_or_insert_default();
        }
        self.apertura = Balance::new(opened.saldo);
        self.apertura_iva = Balance::new(opened.iva);
        self.apertura_retencion_isr = Balance::new(opened.retencion_isr);
        self.apertura_retencion_iva = Balance::new(opened.retencion_iva);
        Ok(())
    }

    /// Posts what is owed against the opening account, an entry for each day of a batch.
    async fn follow_up(rows: &[Self], tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<(), StoreError> {
        let balance = |row: &Self| {
            let opened = OpenedPayable {
                saldo: row.apertura.get(),
                iva: row.apertura_iva.get(),
                retencion_isr: row.apertura_retencion_isr.get(),
                retencion_iva: row.apertura_retencion_iva.get(),
            };
            (at.day_at(row.branch()), OpeningBalance::Payables(opened))
        };
        open_balances(tx, rows.iter().map(balance), at.now).await
    }
}

/// Whether the database's money columns can hold it: they have 18 digits before the decimal point.
fn is_storable(amount: Decimal) -> bool {
    amount.abs() < Decimal::from(10_u64.pow(18))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn amounts(fields: &str) -> (String, String, Result<(), String>) {
        let json = Json::parse_object(format!("{{\"compra\":1,\"renglon\":1,{fields}}}").as_bytes()).unwrap();
        let line: PurchaseLineImport = json.read().unwrap();
        let checked = line.check().map_err(|fault| fault.to_string());
        (line.subtotal().to_string(), line.total().to_string(), checked)
    }

    #[test]
    fn what_a_line_leaves_out_follows_from_the_rest() {
        for (fields, subtotal, total) in [
            (r#""cantidad":3"#, "0.00", "0.00"),
            (r#""cantidad":3,"costo_unitario":"10.00""#, "30.00", "30.00"),
            (r#""cantidad":1.5,"costo_unitario":0.33,"iva":"0.08""#, "0.50", "0.58"),
            (r#""cantidad":0.5,"costo_unitario":"0.01""#, "0.01", "0.01"),
            (r#""cantidad":0.49,"costo_unitario":"0.01""#, "0.00", "0.00"),
            (r#""cantidad":2,"costo_unitario":"50","descuento":"20","iva":"12.80""#, "100.00", "92.80"),
            (r#""cantidad":2,"costo_unitario":"50","descuento":"100""#, "100.00", "0.00"),
            (r#""cantidad":2,"costo_unitario":"50","subtotal":"90","iva":"1""#, "90.00", "91.00"),
            (r#""cantidad":2,"costo_unitario":"50","total":"7","descuento":"500""#, "100.00", "7.00"),
        ] {
            assert_eq!(amounts(fields), (subtotal.to_owned(), total.to_owned(), Ok(())), "{fields}");
        }
    }

    #[test]
    fn amounts_that_no_column_holds_are_refused() {
        for (fields, field) in [
            (r#""cantidad":123456789012345,"costo_unitario":"123456789012345678""#, "subtotal: "),
            (r#""cantidad":999999999999999.999999,"costo_unitario":"999999999999999999.999999""#, "subtotal: "),
            (r#""cantidad":10,"costo_unitario":"100000000000000000""#, "subtotal: "),
            (r#""cantidad":1,"costo_unitario":"999999999999999999","iva":"1""#, "total: "),
            (r#""cantidad":1,"costo_unitario":"1","descuento":"1.01""#, "descuento: "),
        ] {
            let refused = amounts(fields).2.unwrap_err();
            assert!(refused.starts_with(field), "{fields}: {refused}");
        }
    }
}
