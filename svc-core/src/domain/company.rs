//! Companies: identity, plan, limits and the settings that rules depend on.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use rust_decimal::Decimal;
use serde::Serialize;

use super::sat;
use super::words::words;

/// A company's number: the first part of every key and of every API key's public identifier.
#[derive(Serialize, Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompanyId(pub i64);

impl FromStr for CompanyId {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

words! {
    /// A company's subscription, which decides whether the API answers it.
    pub enum Plan {
        /// The plan that includes the API.
        Pro = "pro",
        /// No current plan: requests are refused with 402 `plan_requerido`, in notice mode with
        /// 401.
        None = "none",
    }
}

words! {
    /// Whether limits are enforced or only reported (contract §5, "Notice mode").
    pub enum LimitMode {
        /// Requests over the limit are refused.
        Enforced = "enforced",
        /// Requests over the limit are counted and reported, not refused.
        Notice = "notice",
    }
}

impl std::str::FromStr for LimitMode {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::of(text).ok_or("must be enforced or notice")
    }
}

/// The company settings that operations depend on.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own, and none excludes another")]
pub struct Company {
    /// The value of the column `empresa`.
    pub id: CompanyId,
    /// Its name; tax documents leave out the legal form at its end.
    pub nombre: String,
    /// Its subscription; without [`Plan::Pro`] the API refuses every request.
    pub plan: Plan,
    /// Paid user licences, which decide the monthly quota.
    pub licencias: i32,
    /// Its own limit mode; `None` follows the service's.
    pub limites: Option<LimitMode>,
    /// Whether it has the API; without it the API answers 404 `api_no_habilitada`.
    pub api: bool,
    /// Whether it operates in a franchise scheme.
    pub franquicia: bool,
    /// Whether its plan includes invoicing.
    pub facturacion: bool,
    /// Minimum advance, in percent of the total, to invoice a cash sale.
    pub anticipo_minimo: Decimal,
    /// Whether it may sell more than its stock.
    pub vender_sin_existencia: bool,
    /// Whether its stamped documents go to the customer by e-mail.
    pub enviar_documentos: bool,
    /// Its RFC; without one no tax document can be made.
    pub rfc: Option<String>,
    /// Its tax regime (`c_RegimenFiscal`).
    pub regimen: Option<i64>,
    /// The postal code of its fiscal address, which also gives its time zone.
    pub cp: Option<String>,
    /// Whether it is a test company: only the sandbox stamps its documents. Set when it is created;
    /// nothing changes it.
    pub prueba: bool,
    /// How far its clock is ahead of the service's, in whole seconds: zero except of a test company
    /// whose clock was moved forward (contract §8).
    pub desfase: TimeDelta,
    /// The postal codes of its branches that have one, by the branches' claves.
    pub lugares: Vec<(i64, String)>,
    /// The key of its cursors' MAC: random, generated with the company.
    pub cursor_key: [u8; 32],
}

impl Company {
    /// A new company with the settings of one that chooses none.
    pub fn new(id: CompanyId, nombre: String, cursor_key: [u8; 32]) -> Self {
        Self {
            id,
            nombre,
            plan: Plan::Pro,
            licencias: 3,
            limites: None,
            api: true,
            franquicia: false,
            facturacion: true,
            anticipo_minimo: Decimal::ZERO,
            vender_sin_existencia: true,
            enviar_documentos: false,
            rfc: None,
            regimen: None,
            cp: None,
            prueba: false,
            desfase: TimeDelta::zero(),
            lugares: Vec::new(),
            cursor_key,
        }
    }

    /// The time zone of the company's postal code; Mexico City's if it has none.
    pub fn zone(&self) -> Tz {
        sat::zone_at(self.cp.as_deref())
    }

    /// The time zone of a branch: that of its postal code, else of the company's.
    pub fn zone_of(&self, sucursal: i64) -> Tz {
        let cp = self.lugares.iter().find(|(clave, _)| *clave == sucursal).map(|(_, cp)| cp.as_str());
        cp.and_then(sat::time_zone).unwrap_or_else(|| self.zone())
    }

    /// The present day in the company's easternmost place: no day of business is later.
    pub(crate) fn latest_day(&self, now: DateTime<Utc>) -> NaiveDate {
        let zones = self.lugares.iter().filter_map(|(_, cp)| sat::time_zone(cp)).chain([self.zone()]);
        zones.map(|zone| now.with_timezone(&zone).date_naive()).max().unwrap_or_default()
    }

    /// The company's time when the service's clock shows `now`.
    pub fn time(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now + self.desfase
    }
}

impl fmt::Debug for Company {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The cursor key is a secret, so the output omits it.
        f.debug_struct("Company").field("id", &self.id).field("nombre", &self.nombre).finish_non_exhaustive()
    }
}

/// The units of a new company, under the claves 1, 2, 3…: name, and key of the SAT's catalogue.
pub const FIRST_UNITS: [(&str, &str); 6] =
    [("Pieza", "H87"), ("Servicio", "E48"), ("Kilogramo", "KGM"), ("Litro", "LTR"), ("Metro", "MTR"), ("Caja", "XBX")];

/// The name of a company's head office.
pub const FIRST_BRANCH: &str = "Matriz";
/// Code and name of a new company's main warehouse.
pub const FIRST_WAREHOUSE: (&str, &str) = ("001", "Almacén principal");
/// The name of a new company's price list.
pub const FIRST_PRICE_LIST: &str = "Precio público";

/// The version of the terms of use that a key must have accepted (spec, "Versioning").
pub const TERMS_VERSION: &str = "2026-10";

/// Parses a key's public identifier, `<company>_<suffix>`, into company and suffix (spec,
/// "Authentication" 1).
pub fn parse_key_id(text: &str) -> Option<(CompanyId, &str)> {
    const LONGEST: usize = 64;
    let (company, suffix) = text.split_once('_')?;
    let digits = (1..=18).contains(&company.len()) && company.bytes().all(|byte| byte.is_ascii_digit());
    let word = (1..=LONGEST).contains(&suffix.len()) && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // A key has one spelling: "01_ab" is not "1_ab".
    let canonical = digits && word && !company.starts_with('0');
    canonical.then(|| company.parse().ok().map(|company| (CompanyId(company), suffix))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_id_has_one_spelling() {
        assert_eq!(parse_key_id("12_ab12CD"), Some((CompanyId(12), "ab12CD")));
        for text in [
            "",
            "_",
            "12_",
            "_ab",
            "12",
            "012_ab",
            "+1_ab",
            "-1_ab",
            "1_a b",
            "1_a_b",
            "1_\u{e9}",
            "9999999999999999999_ab",
        ] {
            assert_eq!(parse_key_id(text), None, "{text}");
        }
    }
}
