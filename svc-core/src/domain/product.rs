//! A product's data and their rules, for the API and the back office alike.

use super::money::Money;
use serde::Deserialize;

use super::sat::{self, Border};
use super::tax::{LineRates, TaxRate, line_taxes, rates_of};
use super::words::{ProductKind, ProductStatus, ProductSubkind};
use super::writable::{Plain, writable};
use crate::error::{Code, Error};
use crate::json::{Exact, Text};
use crate::schema::field_schema;

/// The product or service key of a product that has none: "no existe en el catálogo" (contract §4).
pub(crate) const DEFAULT_SAT_KEY: &str = "01010101";
/// The tax object of a product that has none: subject to tax (contract §4).
pub(crate) const DEFAULT_TAX_OBJECT: &str = "02";
/// The IVA of a product that has none (contract §4).
pub(crate) const DEFAULT_VAT: &str = "16";
/// The IVA of the border regions, a fiscal stimulus.
const BORDER_VAT: &str = "8";

/// The status of a new product.
pub const FIRST_STATUS: ProductStatus = ProductStatus::Activo;
/// The subkind of a new product.
pub const FIRST_SUBKIND: ProductSubkind = ProductSubkind::Terminado;

writable! {
    /// What can be written of a product.
    data ProductData in "productos" {}
    /// Creates a product and emits `producto.creado` (spec, "POST /productos"). It makes no stock and no prices.
    create CreateProduct
    /// Edits a product in part and emits `producto.actualizado`, unless nothing changes (spec, "PUT /productos/{clave}").
    /// Prices and stock stay.
    edit EditProduct
    required {
        /// Stock keeping unit; unique among the active products of the company.
        sku: Text<100>,
        /// Description.
        descripcion: Text<500>,
        /// Unit, by its clave; active and with a key of the SAT's catalogue.
        unidad: i64,
    }
    optional {
        /// Barcode.
        codigo_barras: Text<18>,
        /// Category, by its clave.
        categoria: i64,
        /// Rate of its IEPS; of two kinds it has one at most. Zero is none, here and of all rates.
        ieps_tasa: TaxRate,
        /// IEPS of each unit, in pesos.
        ieps_cuota: TaxRate,
        /// Rate of the ISR that a company withholds when it buys it from a natural person.
        retencion_isr: TaxRate,
        /// Rate of the IVA that a company withholds when it buys it from a natural person.
        retencion_iva: TaxRate,
    }
    standard {
        /// Replacement cost of one unit, in pesos; 0 when left out or cleared.
        costo: Money = Money::default(),
        /// The SAT's product or service key; 01010101 when left out or cleared.
        clave_sat in "codigo_sat": Exact<8> = DEFAULT_SAT_KEY,
        /// The SAT's tax object key; 02 when left out or cleared.
        objeto_impuesto: Exact<2> = DEFAULT_TAX_OBJECT,
        /// IVA when it is sold: 16 (when left out or cleared), 8, 0 or EX.
        iva_venta: Text<255> = DEFAULT_VAT,
        /// IVA when it is bought: 16 (when left out or cleared), 8, 0 or EX.
        iva_compra: Text<255> = DEFAULT_VAT,
        /// A normal (when left out or cleared), B virtual with price, C virtual without price.
        tipo: KindCode = ProductKind::Normal,
    }
}

/// The codes that writes have for what a product is (spec, "Product").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum KindCode {
    /// Normal.
    A,
    /// Virtual with price.
    B,
    /// Virtual without price.
    C,
}

field_schema!(KindCode, "KindCode", { "type": "string", "enum": ["A", "B", "C"] });

impl Plain for KindCode {
    type Data = ProductKind;

    fn plain(&self) -> ProductKind {
        match self {
            Self::A => ProductKind::Normal,
            Self::B => ProductKind::VirtualConPrecio,
            Self::C => ProductKind::VirtualSinPrecio,
        }
    }
}

impl ProductData {
    /// Checks the tax data that differ from `before`; `cp` is the company's fiscal postal code. Unchanged fields are not
    /// checked, since older records may break today's rules. The store checks unit and category.
    pub(crate) fn validate(&self, before: &Self, cp: Option<&str>) -> Result<(), Error> {
        if self.clave_sat != before.clave_sat && !sat::product_service_exists(&self.clave_sat) {
            return Err(Code::ClaveSatInvalida.into());
        }
        if self.objeto_impuesto != before.objeto_impuesto && !sat::tax_object_exists(&self.objeto_impuesto) {
            return Err(Code::ObjetoImpuestoInvalido.into());
        }
        for (field, key, earlier) in
            [("iva_venta", &self.iva_venta, &before.iva_venta), ("iva_compra", &self.iva_compra, &before.iva_compra)]
        {
            if key != earlier && sat::vat(key).is_none() {
                return Err(Error::field(Code::IvaInvalido, field, "debe ser 16, 8, 0 o EX"));
            }
        }
        if self.other_rates() != before.other_rates() {
            self.other_rates()
                .validate()
                .map_err(|(field, text)| Error::field(Code::ImpuestoIncompatible, field, text))?;
        }
        let taxes = |data: &Self| (data.clave_sat.clone(), data.iva_venta.clone(), data.iva_compra.clone());
        if taxes(self) != taxes(before) {
            self.validate_border_rate(cp)?;
        }
        Ok(())
    }

    /// The rates of its taxes besides the IVA.
    fn other_rates(&self) -> LineRates {
        line_taxes!(rates_of! { self; })
    }

    /// The border rate of 8 % needs a product in the SAT's catalogue and a company in a border region.
    fn validate_border_rate(&self, cp: Option<&str>) -> Result<(), Error> {
        let bordering = cp.and_then(sat::postal_code).is_some_and(|border| border != Border::None);
        for (field, key) in [("iva_venta", &self.iva_venta), ("iva_compra", &self.iva_compra)] {
            if key != BORDER_VAT {
                continue;
            }
            if self.clave_sat == DEFAULT_SAT_KEY {
                return Err(Error::field(Code::ImpuestoIncompatible, field, "8 % no se aplica con clave_sat 01010101"));
            }
            if !bordering {
                return Err(Error::field(
                    Code::ImpuestoIncompatible,
                    field,
                    "8 % es sólo para empresas de la región fronteriza",
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tijuana, in the northern border region.
    const BORDER: Option<&str> = Some("22000");

    fn validate(change: impl FnOnce(&mut ProductData), cp: Option<&str>) -> Result<(), Code> {
        let before = ProductData::default();
        let mut data = before.clone();
        change(&mut data);
        data.validate(&before, cp).map_err(|error| error.code())
    }

    #[test]
    fn each_fault_has_its_code() {
        type Change = fn(&mut ProductData);
        let table: &[(Change, Option<&str>, Result<(), Code>)] = &[
            (|_| (), None, Ok(())),
            (|data| data.clave_sat = "31161620".into(), None, Ok(())),
            (|data| data.clave_sat = "99999999".into(), None, Err(Code::ClaveSatInvalida)),
            (|data| data.objeto_impuesto = "99".into(), None, Err(Code::ObjetoImpuestoInvalido)),
            (|data| data.iva_venta = "17".into(), None, Err(Code::IvaInvalido)),
            (|data| data.iva_compra = "ex".into(), None, Err(Code::IvaInvalido)),
            (|data| data.iva_venta = "EX".into(), None, Ok(())),
            (|data| data.iva_venta = "8".into(), BORDER, Err(Code::ImpuestoIncompatible)),
            (|data| (data.iva_venta, data.clave_sat) = ("8".into(), "31161620".into()), BORDER, Ok(())),
            (
                |data| (data.iva_venta, data.clave_sat) = ("8".into(), "31161620".into()),
                Some("44100"),
                Err(Code::ImpuestoIncompatible),
            ),
            (
                |data| (data.iva_compra, data.clave_sat) = ("8".into(), "31161620".into()),
                None,
                Err(Code::ImpuestoIncompatible),
            ),
        ];
        for (at, (change, cp, outcome)) in table.iter().enumerate() {
            assert_eq!(validate(change, *cp), *outcome, "row {at}");
        }
    }
}
