//! The rules of a product's tax data.

use crate::domain::sat;
use crate::domain::tax::{LineRates, line_taxes, rates_of};
use crate::error::{Code, Error};
use crate::record::product::{DEFAULT_SAT_KEY, ProductData};

/// The IVA of the border regions, in percent: a fiscal stimulus.
const BORDER_VAT: &str = "8";

impl ProductData {
    /// Validates the tax data that differ from `before`; `cp` is the company's fiscal postal code.
    /// Unchanged fields are not validated, since older records may break today's rules. The store
    /// checks unit and category.
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

    /// The rates of its taxes other than IVA.
    fn other_rates(&self) -> LineRates {
        line_taxes!(rates_of! { self; })
    }

    /// The border rate needs a product in the SAT's catalogue and a company in a border region.
    fn validate_border_rate(&self, cp: Option<&str>) -> Result<(), Error> {
        let bordering = cp.is_some_and(sat::has_border_rate);
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
