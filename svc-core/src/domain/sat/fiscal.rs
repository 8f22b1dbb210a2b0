//! Whether RFC, regime and CFDI use of a customer belong together.

use super::super::rfc::Rfc;
use super::{cfdi_use, regime};

/// The regime of a generic RFC, "sin obligaciones fiscales": the only one the SAT accepts on an
/// invoice to the general public or to a foreigner, and the default of a customer with such an RFC
/// (contract §4, `POST /clientes`).
pub(crate) const GENERIC_REGIME: i64 = 616;

/// The default CFDI use of a customer with a generic RFC, "sin efectos fiscales" (contract §4,
/// `POST /clientes`).
pub(crate) const GENERIC_USE: &str = "S01";

/// What is wrong with a fiscal identity. Each is a 422 of `POST` and `PUT /clientes`; the text is
/// Spanish, for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FiscalFault {
    /// The regime is not in `c_RegimenFiscal` (`regimen_invalido`).
    #[error("no está en el catálogo de regímenes del SAT")]
    RegimenInvalido,
    /// The RFC's person type cannot be in the regime, or the RFC is generic and the regime is not
    /// 616 (`regimen_incompatible`).
    #[error("no corresponde al tipo de persona del RFC (un RFC genérico solo admite el 616)")]
    RegimenIncompatible,
    /// The use is not in `c_UsoCFDI` (`uso_cfdi_invalido`).
    #[error("no está en el catálogo de usos de CFDI del SAT")]
    UsoInvalido,
    /// The regime or the RFC's person type does not admit the use (`uso_cfdi_incompatible`).
    #[error("no es compatible con el régimen o con el tipo de persona del RFC")]
    UsoIncompatible,
}

/// Validates a customer's fiscal identity as it would be stored, after the caller has applied
/// stored values and defaults ([`GENERIC_REGIME`], [`GENERIC_USE`]). Any of RFC, regime and CFDI
/// use may be absent. Returns the first fault.
///
/// Rules (spec and contract §4, `POST /clientes`; SAT catalogues `c_RegimenFiscal` and
/// `c_UsoCFDI`):
/// 1. A regime exists; then, a use exists. Existence comes first, whichever of the two is at fault.
/// 2. A regime admits the RFC's person type. A generic RFC takes 616 only (SAT, Anexo 20).
/// 3. A use admits the regime, if there is one, and the RFC's person type, if there is one. A
///    generic RFC counts as `fisica`, as its 13 characters say.
pub(crate) fn validate(rfc: Option<&Rfc>, regimen: Option<i64>, uso: Option<&str>) -> Result<(), FiscalFault> {
    let regime = regimen.map(|clave| regime(clave).ok_or(FiscalFault::RegimenInvalido)).transpose()?;
    let cfdi_use = uso.map(|clave| cfdi_use(clave).ok_or(FiscalFault::UsoInvalido)).transpose()?;

    if let (Some(rfc), Some(regime)) = (rfc, regime) {
        let foreign_to_generic = rfc.is_generic() && regime.clave != GENERIC_REGIME;
        if foreign_to_generic || !regime.allows(rfc.person()) {
            return Err(FiscalFault::RegimenIncompatible);
        }
    }
    if let Some(cfdi_use) = cfdi_use {
        let by_regime = regime.is_none_or(|regime| cfdi_use.allows_regime(regime.clave));
        let by_person = rfc.is_none_or(|rfc| cfdi_use.allows(rfc.person()));
        if !(by_regime && by_person) {
            return Err(FiscalFault::UsoIncompatible);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::FiscalFault::{RegimenIncompatible, RegimenInvalido, UsoIncompatible, UsoInvalido};
    use super::*;

    const MORAL: &str = "EKU9003173C9";
    const FISICA: &str = "COSC8001137NA";
    const GENERIC: &str = "XAXX010101000";
    const FOREIGN: &str = "XEXX010101000";

    fn rfc(text: &str) -> Option<Rfc> {
        (!text.is_empty()).then(|| Rfc::parse(text).unwrap())
    }

    #[test]
    fn validates_in_order() {
        // "" and 0 mean absent.
        for (text, regimen, uso, expected) in [
            ("", 0, "", Ok(())),
            (MORAL, 0, "", Ok(())),
            ("", 601, "", Ok(())),
            ("", 0, "G03", Ok(())),
            (MORAL, 601, "G03", Ok(())),
            (FISICA, 605, "D01", Ok(())),
            (FISICA, 605, "CN01", Ok(())),
            (FISICA, 626, "G01", Ok(())),
            (MORAL, 626, "G01", Ok(())),
            // Existence is checked before compatibility, and the regime first.
            ("", 609, "", Err(RegimenInvalido)),
            ("", 600, "X99", Err(RegimenInvalido)),
            ("", -601, "", Err(RegimenInvalido)),
            (GENERIC, 601, "P01", Err(UsoInvalido)),
            ("", 601, "g03", Err(UsoInvalido)),
            ("", 0, " G03", Err(UsoInvalido)),
            // The regime and the person type; the regime before the use.
            (MORAL, 612, "", Err(RegimenIncompatible)),
            (FISICA, 601, "", Err(RegimenIncompatible)),
            (MORAL, 605, "G03", Err(RegimenIncompatible)),
            // The use and the regime, with or without RFC.
            ("", 605, "G03", Err(UsoIncompatible)),
            (FISICA, 605, "G03", Err(UsoIncompatible)),
            (FISICA, 626, "D01", Err(UsoIncompatible)),
            (FISICA, 621, "D01", Err(UsoIncompatible)),
            // The use and the person type, without regime.
            (MORAL, 0, "D01", Err(UsoIncompatible)),
            (MORAL, 0, "CN01", Err(UsoIncompatible)),
            (FISICA, 0, "D01", Ok(())),
            // Generic RFCs.
            (GENERIC, 616, "S01", Ok(())),
            (FOREIGN, 616, "S01", Ok(())),
            (GENERIC, 616, "CP01", Ok(())),
            (GENERIC, 612, "", Err(RegimenIncompatible)),
            (FOREIGN, 610, "S01", Err(RegimenIncompatible)),
            (GENERIC, 616, "G03", Err(UsoIncompatible)),
            (GENERIC, 0, "D01", Ok(())),
        ] {
            let rfc = rfc(text);
            let result = validate(rfc.as_ref(), (regimen != 0).then_some(regimen), (!uso.is_empty()).then_some(uso));
            assert_eq!(result, expected, "{text} {regimen} {uso}");
        }
    }

    #[test]
    fn without_an_rfc_the_matrix_decides() {
        let mut lines = include_str!("../../../catalogos/regimen_uso.csv").lines();
        let uses: Vec<&str> = lines.next().unwrap().split(',').collect();
        let mut checked = 0;
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            for (uso, cell) in uses.iter().zip(&cells).skip(3) {
                let expected = if *cell == "1" { Ok(()) } else { Err(UsoIncompatible) };
                assert_eq!(validate(None, cells[0].parse().ok(), Some(uso)), expected, "{} {uso}", cells[0]);
                checked += 1;
            }
        }
        assert_eq!(checked, 19 * 24);
    }

    #[test]
    fn the_generic_defaults_pass() {
        for text in [GENERIC, FOREIGN] {
            assert_eq!(validate(rfc(text).as_ref(), Some(GENERIC_REGIME), Some(GENERIC_USE)), Ok(()));
        }
    }
}
