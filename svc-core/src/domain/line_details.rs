//! What a line of a sale says in its tax document besides goods, price and federal taxes.

use chrono::{DateTime, Datelike as _, Utc};
use serde::{Deserialize, Deserializer, Serialize, de};

use super::tax::LocalTaxes;
use crate::json::Text;
use crate::schema::field_schema;

/// The details of a line; a sale's line, its document's and those that are made from it have the
/// same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineDetails {
    /// The customs declaration under which the goods were imported.
    pub numero_pedimento: Option<String>,
    /// The property account of a real estate that is let.
    pub cuenta_predial: Option<String>,
    /// The local taxes of the line; `None` if it has none.
    pub impuestos_locales: Option<LocalTaxes>,
}

impl LineDetails {
    /// The details of a line that bills part of another without its goods: only its taxes.
    pub(crate) fn of_billing(self) -> Self {
        Self { impuestos_locales: self.impuestos_locales, ..Self::default() }
    }
}

/// The number of a customs declaration (`NumeroPedimento`): year, customs office, licence of the
/// agent and number, with two blanks between; read with any blanks or hyphens, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CustomsNumber(String);

field_schema!(CustomsNumber, "CustomsNumber", {
    "type": "string",
    "pattern": r"^[0-9]{2}[ -]*[0-9]{2}[ -]*[0-9]{4}[ -]*[0-9]{7}$",
}, leaves as { "type": "string", "pattern": "^[0-9]{2}  [0-9]{2}  [0-9]{4}  [0-9]{7}$" });

impl CustomsNumber {
    /// Reads a number in the form that documents have, or one that people write.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        if digits.len() != 15 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let parts = [&digits[..2], &digits[2..4], &digits[4..8], &digits[8..]];
        Some(Self(parts.join("  ")))
    }

    /// The number as documents have it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether its year is the present one or one of the ten before, which the authority accepts.
    pub(crate) fn is_current(&self, now: DateTime<Utc>) -> bool {
        let year = self.0[..2].parse::<i32>().unwrap_or_default();
        // In UTC a year begins before it does in Mexico.
        (now.year() - year).rem_euclid(100) <= 10
    }
}

impl<'de> Deserialize<'de> for CustomsNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::<40>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            de::Error::custom("debe ser un pedimento como \"21  47  3807  8003832\": 15 dígitos, con o sin espacios")
        })
    }
}

/// The number of a property account (`CuentaPredial`): 1 to 150 letters and digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PropertyAccount(String);

field_schema!(PropertyAccount, "PropertyAccount", { "type": "string", "pattern": "^[0-9a-zA-Z]{1,150}$" });

impl PropertyAccount {
    /// The number as documents have it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for PropertyAccount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::<150>::deserialize(deserializer)?;
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(Self(text.into_string()));
        }
        Err(de::Error::custom("admite sólo letras sin acento y dígitos"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_customs_number_is_read_as_people_write_it() {
        for text in ["21  47  3807  8003832", "21 47 3807 8003832", "214738078003832", "21-47-3807-8003832"] {
            assert_eq!(CustomsNumber::parse(text).unwrap().as_str(), "21  47  3807  8003832", "{text}");
        }
        for text in ["", "21 47 3807 800383", "21 47 3807 80038321", "2A 47 3807 8003832", "２1 47 3807 8003832"] {
            assert_eq!(CustomsNumber::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_customs_number_is_of_the_last_ten_years() {
        let now = "2026-11-24T12:00:00Z".parse().unwrap();
        for (year, current) in [("26", true), ("16", true), ("15", false), ("27", false), ("99", false)] {
            let number = CustomsNumber::parse(&format!("{year} 47 3807 8003832")).unwrap();
            assert_eq!(number.is_current(now), current, "{year}");
        }
    }
}
