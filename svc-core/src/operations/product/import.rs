//! The rules of imported products.

use crate::domain::sat;
use crate::domain::tax::{line_taxes, rates_of};
use crate::domain::words::{ProductKind, ProductStatus, ProductSubkind};
use crate::error::Code;
use crate::json::{Digits, Fault, Text};
use crate::operations::import::{ImportMoment, Rules, look_up_claves, own_folio, require, require_clave};
use crate::record::product::ProductImport;
use crate::record::product::{DEFAULT_SAT_KEY, DEFAULT_TAX_OBJECT, DEFAULT_VAT};
use crate::store::{Naming, Parents, StoreError, Tx};

impl Rules for ProductImport {
    const PARENT: Option<(&'static str, Parents)> = Some(("clave_padre", Parents::Products));

    fn parent(&self) -> Option<i64> {
        self.clave_padre.filter(|padre| *padre != 0)
    }

    fn clear_parent(&mut self) {
        self.clave_padre = None;
    }

    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.clave_padre.is_none_or(|padre| padre >= 0), "clave_padre", "no puede ser negativa")?;
        require(self.marca.is_some() || self.clave_marca.is_none(), "clave_marca", "va con marca")?;
        require(self.categoria.is_some() || self.clave_categoria.is_none(), "clave_categoria", "va con categoria")?;
        require(
            self.codigo_sat.as_deref().is_none_or(sat::product_service_exists),
            "codigo_sat",
            "no está en el catálogo del SAT",
        )?;
        require(
            self.iva_venta.as_deref().is_none_or(|key| sat::vat(key).is_some()),
            "iva_venta",
            "debe ser 16, 8, 0 o EX",
        )?;
        require(
            self.iva_compra.as_deref().is_none_or(|key| sat::vat(key).is_some()),
            "iva_compra",
            "debe ser 16, 8, 0 o EX",
        )?;
        let tax_object = self.objeto_impuesto.as_deref().is_none_or(sat::tax_object_exists);
        require(tax_object, "objeto_impuesto", "no está en el catálogo del SAT")?;
        let rates = line_taxes!(rates_of! { self; });
        rates.validate().map_err(|(field, text)| Fault::new(Code::DatoInvalido, field, text))
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        let brands = rows.iter_mut().filter_map(|row| Some((row.marca.as_mut()?, row.clave_marca)));
        look_up_claves(tx, Naming::Brand, "marca", brands).await?;
        let categories = rows.iter_mut().filter_map(|row| Some((row.categoria.as_mut()?, row.clave_categoria)));
        look_up_claves(tx, Naming::Category, "categoria", categories).await
    }

    fn normalize(&mut self, clave: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        own_folio(&mut self.folio, clave);
        self.estatus.get_or_insert(ProductStatus::Activo);
        self.tipo.get_or_insert(ProductKind::Normal);
        self.subtipo.get_or_insert(ProductSubkind::Terminado);
        self.kit.get_or_insert(false);
        // The list shows 0 for a product without a parent.
        self.clave_padre = self.parent();
        self.codigo_sat.get_or_insert_with(|| Digits::unchecked(DEFAULT_SAT_KEY));
        self.objeto_impuesto.get_or_insert_with(|| Digits::unchecked(DEFAULT_TAX_OBJECT));
        self.iva_venta.get_or_insert_with(|| Text::unchecked(DEFAULT_VAT));
        self.iva_compra.get_or_insert_with(|| Text::unchecked(DEFAULT_VAT));
        self.costo.get_or_insert_default();
        self.modificado.get_or_insert(at.now);
        Ok(())
    }
}
