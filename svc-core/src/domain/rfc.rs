//! The RFC, Mexico's tax id: structure, person type and generic values.

use std::fmt;

use chrono::NaiveDate;

/// The form of an RFC in any case, for schemas. [`Rfc::parse`] also looks at the calendar.
pub(crate) const PATTERN: &str = r"^[A-Za-zÑñ&]{3,4}\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[A-Za-z0-9]{2}[0-9Aa]$";

/// The RFC of the general public.
pub(crate) const GENERIC_NATIONAL: &str = "XAXX010101000";
/// The RFC of any foreign customer.
pub(crate) const GENERIC_FOREIGN: &str = "XEXX010101000";

/// The type of a taxpayer: the columns `fisica` and `moral` of the SAT's catalogues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Person {
    /// A natural person: 13 characters.
    Fisica,
    /// A legal person: 12 characters.
    Moral,
}

/// Why a text is not an RFC; each variant is the 422 `rfc_invalido`. The text is Spanish, for the
/// client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RfcFault {
    /// Neither 12 nor 13 characters.
    #[error("debe tener 12 o 13 caracteres")]
    Length,
    /// The first three or four characters are not all A–Z, Ñ or &.
    #[error("debe empezar con 3 o 4 letras (A-Z, Ñ o &)")]
    Initials,
    /// The next six characters are not a date YYMMDD.
    #[error("no contiene una fecha válida (AAMMDD)")]
    Date,
    /// The last three characters are not two of A–Z and 0–9 and one of 0–9 and A.
    #[error("la homoclave no es válida")]
    Suffix,
}

/// A well-formed RFC, upper-cased and trimmed.
///
/// Well-formed (contract §4, `POST /clientes`): `[A-ZÑ&]{3,4}`, a real date YYMMDD,
/// `[A-Z0-9]{2}[0-9A]`. The check digit is not verified, because RFCs that the SAT itself has
/// issued break it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Rfc(String);

impl Rfc {
    /// Parses text in any case and with surrounding white space.
    pub(crate) fn parse(text: &str) -> Result<Self, RfcFault> {
        let text = upper_case(text.trim());
        let chars: Vec<char> = text.chars().collect();
        let (initials, rest) = match chars.len() {
            12 => chars.split_at(3),
            13 => chars.split_at(4),
            _ => return Err(RfcFault::Length),
        };
        let (date, suffix) = rest.split_at(6);
        if !initials.iter().all(|c| matches!(c, 'A'..='Z' | 'Ñ' | '&')) {
            return Err(RfcFault::Initials);
        }
        if !is_date(date) {
            return Err(RfcFault::Date);
        }
        if !matches!(suffix, ['A'..='Z' | '0'..='9', 'A'..='Z' | '0'..='9', '0'..='9' | 'A']) {
            return Err(RfcFault::Suffix);
        }
        Ok(Self(text))
    }

    /// The type of person, by the RFC's length. The generic ones are `Fisica`.
    pub(crate) fn person(&self) -> Person {
        // Characters, not bytes: Ñ is two bytes.
        if self.0.chars().count() == 12 { Person::Moral } else { Person::Fisica }
    }

    /// Whether it is `XAXX010101000` (general public) or `XEXX010101000` (foreigners), which
    /// several customers of a company may share.
    pub(crate) fn is_generic(&self) -> bool {
        self.0 == GENERIC_NATIONAL || self.0 == GENERIC_FOREIGN
    }

    /// Whether it is `XEXX010101000`, the RFC of every foreign customer.
    pub(crate) fn is_foreign(&self) -> bool {
        self.0 == GENERIC_FOREIGN
    }

    /// The RFC as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Rfc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// ASCII and Ñ only: Unicode's own upper-casing would map letters that no RFC has (ſ, ı) to letters
/// that it may have.
fn upper_case(text: &str) -> String {
    let upper: String = text.chars().map(|c| if c == 'ñ' { 'Ñ' } else { c.to_ascii_uppercase() }).collect();
    // Some systems send Ñ as N and a combining tilde: the same letter to the reader, so it must be
    // the same RFC.
    upper.replace("N\u{303}", "Ñ")
}

/// Whether six characters are a date YYMMDD in either century: 29 February of year 00 is one, for
/// 2000 was a leap year.
fn is_date(chars: &[char]) -> bool {
    let digits: Vec<u32> = chars.iter().filter_map(|c| c.to_digit(10)).collect();
    let [y1, y0, m1, m0, d1, d0] = digits[..] else { return false };
    let (year, month, day) = ((y1 * 10 + y0) as i32, m1 * 10 + m0, d1 * 10 + d0);
    [1900, 2000].into_iter().any(|century| NaiveDate::from_ymd_opt(century + year, month, day).is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn vectors() {
        for line in include_str!("../../catalogos/rfc_vectores.csv").lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let [rfc, kind, valid, ..] = cells[..] else { panic!("{line}") };
            assert_eq!(Rfc::parse(rfc).is_ok(), valid == "1", "{line}");
            let Ok(rfc) = Rfc::parse(rfc) else { continue };
            assert_eq!(rfc.is_generic(), kind.starts_with("generico"), "{line}");
            assert_eq!(rfc.person() == Person::Moral, kind == "moral", "{line}");
        }
    }

    #[test]
    fn parses() {
        use RfcFault::{Date, Initials, Length, Suffix};
        for (text, expected) in [
            ("EKU9003173C9", Ok("EKU9003173C9")),
            ("  cosc8001137na\t", Ok("COSC8001137NA")),
            ("ñuñ010101aa1", Ok("ÑUÑ010101AA1")),
            ("n\u{303}un\u{303}010101aa1", Ok("ÑUÑ010101AA1")),
            ("ÑÑÑÑ010101AA1", Ok("ÑÑÑÑ010101AA1")),
            ("H&E951128469", Ok("H&E951128469")),
            ("ABC000229AB1", Ok("ABC000229AB1")),
            ("ABC040229AB1", Ok("ABC040229AB1")),
            ("ABC010229AB1", Err(Date)),
            ("ABC010431AB1", Err(Date)),
            ("ABC010001AB1", Err(Date)),
            ("ABC010100AB1", Err(Date)),
            ("ABC01O101AB1", Err(Date)),
            ("ABC٠١0101AB1", Err(Date)),
            ("", Err(Length)),
            ("ABC010101AB", Err(Length)),
            ("ABCDE010101AB1", Err(Length)),
            ("EKU 9003173C9", Err(Initials)),
            ("EKU-900317-3C9", Err(Length)),
            ("AB1010101AB1", Err(Initials)),
            ("ÁBC010101AB1", Err(Initials)),
            ("ſBC010101AB1", Err(Initials)),
            ("ABC010101ÑB1", Err(Suffix)),
            ("ABC010101&B1", Err(Suffix)),
            ("ABC010101ABB", Err(Suffix)),
        ] {
            assert_eq!(Rfc::parse(text).as_ref().map(Rfc::as_str), expected.as_ref().copied(), "{text:?}");
        }
    }

    #[test]
    fn both_generic_ones_are_generic_and_fisica() {
        for text in ["xaxx010101000", "XEXX010101000"] {
            let rfc = Rfc::parse(text).unwrap();
            assert!(rfc.is_generic());
            assert_eq!((rfc.person(), rfc.to_string()), (Person::Fisica, text.to_ascii_uppercase()));
        }
        assert!(!Rfc::parse("XAXX010101001").unwrap().is_generic());
    }

    proptest! {
        #[test]
        fn any_text_is_refused_or_parses_to_itself(text in any::<String>(), near in "[A-ZÑ&a-zñ0-9\u{303} ]{10,15}") {
            for text in [text, near] {
                if let Ok(rfc) = Rfc::parse(&text) {
                    prop_assert_eq!(Rfc::parse(rfc.as_str()), Ok(rfc));
                }
            }
        }

        #[test]
        fn well_formed_ones_parse(
            initials in "[A-ZÑ&a-zñ]{3,4}", days in 0_i64..36_525, suffix in "[A-Za-z0-9]{2}[0-9Aa]", space in " {0,2}",
        ) {
            let date = NaiveDate::from_ymd_opt(1950, 1, 1).unwrap() + chrono::TimeDelta::days(days);
            let text = format!("{initials}{}{suffix}", date.format("%y%m%d"));
            let rfc = Rfc::parse(&format!("{space}{text}{space}")).unwrap();
            prop_assert_eq!(rfc.as_str(), text.to_uppercase());
            prop_assert_eq!(rfc.person() == Person::Moral, initials.chars().count() == 3);
            prop_assert_eq!(Rfc::parse(rfc.as_str()), Ok(rfc.clone()));
        }
    }
}
