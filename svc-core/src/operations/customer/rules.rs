//! The rules of a customer's data, for the API and the back office.

use crate::domain::rfc::Rfc;
use crate::domain::{sat, text};
use crate::error::{Code, Error};
use crate::record::customer::CustomerData;

impl CustomerData {
    /// Validates the fields that differ from `before` and puts them into their stored form.
    /// Unchanged fields are not validated, since older records may break today's rules.
    ///
    /// RFC, regime and CFDI use are validated together, as one identity. A generic RFC without
    /// regime or use gets the ERP's defaults (contract §4).
    pub(crate) fn normalize(&mut self, before: &Self) -> Result<(), Error> {
        if (&self.rfc, self.regimen, &self.uso_cfdi) != (&before.rfc, before.regimen, &before.uso_cfdi) {
            self.normalize_fiscal_identity(before)?;
        }
        if self.cp != before.cp && self.cp.as_deref().is_some_and(|cp| sat::postal_code(cp).is_none()) {
            return Err(Code::CpInvalido.into());
        }
        if self.pais != before.pais && sat::country(self.pais).is_none() {
            return Err(Code::PaisInvalido.into());
        }
        if (self.pais, &self.num_reg_id_trib) != (before.pais, &before.num_reg_id_trib)
            && let Some(id) = &self.num_reg_id_trib
            && !sat::tax_id_fits(self.pais, id)
        {
            let digits = sat::tax_id_digits(self.pais).unwrap_or_default();
            let text = format_args!("en ese país tiene {digits} dígitos, sin más");
            return Err(Error::field(Code::PaisInvalido, "num_reg_id_trib", text));
        }
        if self.correo != before.correo {
            self.correo =
                self.correo.take().map(|correo| text::tidy_emails(&correo)).filter(|correo| !correo.is_empty());
        }
        Ok(())
    }

    fn normalize_fiscal_identity(&mut self, before: &Self) -> Result<(), Error> {
        let parse = |rfc: &str| Rfc::parse(rfc).map_err(|fault| Error::field(Code::RfcInvalido, "rfc", fault));
        let rfc = self.rfc.as_deref().map(parse).transpose()?;
        if rfc.as_ref().is_some_and(Rfc::is_generic) {
            self.regimen.get_or_insert(sat::GENERIC_REGIME);
            self.uso_cfdi.get_or_insert_with(|| sat::GENERIC_USE.to_owned());
        }
        let outcome = sat::validate(rfc.as_ref(), self.regimen, self.uso_cfdi.as_deref());
        self.rfc = rfc.map(|rfc| rfc.as_str().to_owned());
        outcome.map_err(|fault| match fault {
            sat::FiscalFault::RegimenInvalido => Code::RegimenInvalido.into(),
            sat::FiscalFault::RegimenIncompatible => self.incompatible(before, Code::RegimenIncompatible, "regimen"),
            sat::FiscalFault::UsoInvalido => Code::UsoCfdiInvalido.into(),
            sat::FiscalFault::UsoIncompatible => self.incompatible(before, Code::UsoCfdiIncompatible, "uso_cfdi"),
        })
    }

    /// The error of a regime or use that does not go with the RFC. A new RFC usually means another
    /// taxpayer, so it names what else was left as it was.
    fn incompatible(&self, before: &Self, code: Code, field: &str) -> Error {
        let kept = [
            ("regimen", self.regimen == before.regimen),
            ("uso_cfdi", self.uso_cfdi == before.uso_cfdi),
            ("cp", self.cp == before.cp),
            ("nombre", self.nombre == before.nombre),
        ];
        let kept: Vec<&str> = kept.iter().filter(|(_, kept)| *kept).map(|(name, _)| *name).collect();
        if self.rfc == before.rfc || !kept.contains(&field) {
            return code.into();
        }
        let text = format_args!(
            "el que el cliente tiene no corresponde a ese RFC; envíe también los datos de su titular: {}",
            kept.join(", ")
        );
        Error::field(code, field, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalize(change: impl FnOnce(&mut CustomerData)) -> Result<CustomerData, Code> {
        let mut data = CustomerData { nombre: Some("Ana".into()), ..CustomerData::default() };
        let before = data.clone();
        change(&mut data);
        data.normalize(&before).map_err(|error| error.code()).map(|()| data)
    }

    #[test]
    fn a_generic_rfc_gets_the_defaults() {
        for generic in ["XAXX010101000", "xexx010101000"] {
            let data = normalize(|data| data.rfc = Some(generic.into())).unwrap();
            assert_eq!(data.rfc.unwrap(), generic.to_uppercase());
            assert_eq!((data.regimen, data.uso_cfdi.as_deref()), (Some(616), Some("S01")));
        }
    }

    #[test]
    fn each_fault_has_its_code() {
        type Change = fn(&mut CustomerData);
        let table: &[(Change, Code)] = &[
            (|data| data.rfc = Some("ABC991332AB1".into()), Code::RfcInvalido),
            (|data| data.regimen = Some(999), Code::RegimenInvalido),
            (|data| (data.rfc, data.regimen) = (Some("EKU9003173C9".into()), Some(605)), Code::RegimenIncompatible),
            (|data| data.uso_cfdi = Some("P01".into()), Code::UsoCfdiInvalido),
            (|data| (data.regimen, data.uso_cfdi) = (Some(616), Some("G03".into())), Code::UsoCfdiIncompatible),
            (
                |data| (data.rfc, data.uso_cfdi) = (Some("EKU9003173C9".into()), Some("D01".into())),
                Code::UsoCfdiIncompatible,
            ),
            (|data| data.cp = Some("00001".into()), Code::CpInvalido),
            (|data| data.pais = 0, Code::PaisInvalido),
            (|data| (data.pais, data.num_reg_id_trib) = (264, Some("12-3456789".into())), Code::PaisInvalido),
        ];
        for (change, code) in table {
            assert_eq!(normalize(change).unwrap_err(), *code);
        }
    }

    #[test]
    fn an_edit_does_not_validate_what_it_leaves_alone() {
        let old = CustomerData { rfc: Some("RARO".into()), cp: Some("00001".into()), ..CustomerData::default() };
        let mut edited = CustomerData { telefono: Some("5512345678".into()), ..old.clone() };
        edited.normalize(&old).unwrap();
        edited.regimen = Some(601);
        assert_eq!(edited.normalize(&old).unwrap_err().code(), Code::RfcInvalido);
    }
}
