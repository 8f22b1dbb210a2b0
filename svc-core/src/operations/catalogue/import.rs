//! Units, brands, categories and prices.

use crate::domain::sat;
use crate::domain::words::{BrandStatus, Status};
use crate::json::Fault;
use crate::operations::import::{
    ImportMoment, Rules, UnknownSku, in_pesos, look_up_skus, require, require_clave, require_currency,
};
use crate::record::brand::BrandImport;
use crate::record::category::CategoryImport;
use crate::record::price::PriceImport;
use crate::record::unit::UnitImport;
use crate::store::{Parents, StoreError, Tx};

/// The parent of the root category.
const ROOT: i64 = -1;

impl Rules for UnitImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.clave_sat.as_deref().is_none_or(sat::unit_exists), "clave_sat", "no está en el catálogo del SAT")
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.estatus.get_or_insert(Status::Activo);
        Ok(())
    }
}

impl Rules for BrandImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.estatus.get_or_insert(BrandStatus::Activo);
        Ok(())
    }
}

impl Rules for CategoryImport {
    const PARENT: Option<(&'static str, Parents)> = Some(("padre", Parents::Categories));

    fn parent(&self) -> Option<i64> {
        self.padre.filter(|padre| *padre != ROOT)
    }

    fn clear_parent(&mut self) {
        self.padre = None;
    }

    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.padre.get_or_insert(ROOT);
        self.estatus.get_or_insert(Status::Activo);
        Ok(())
    }
}

impl Rules for PriceImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.producto.is_some() || self.sku.is_some(), "producto", "hace falta producto o sku")?;
        require(self.lista > 0, "lista", "debe ser un entero positivo")?;
        require_currency(self.moneda.as_deref())?;
        let span = self.vigencia_desde.zip(self.vigencia_hasta);
        require(span.is_none_or(|(from, until)| from <= until), "vigencia_hasta", "es anterior a vigencia_desde")
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<(), StoreError> {
        // The price list of an imported price is created if it does not exist (command line,
        // "Import").
        let lists: Vec<_> = rows.iter().map(|row| (row.lista, row.lista_nombre.as_deref())).collect();
        tx.make_price_lists(&lists, at.now).await?;
        look_up_skus(tx, rows.iter_mut().map(|row| (&mut row.producto, row.sku.as_deref())), UnknownSku::Refused).await
    }

    fn normalize(&mut self, _: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        in_pesos(&mut self.moneda);
        self.iva_incluido.get_or_insert(false);
        self.cantidad_minima.get_or_insert_default();
        self.modificado.get_or_insert(at.now);
        Ok(())
    }
}
