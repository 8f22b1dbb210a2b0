//! The taxes of a product or a line besides its IVA: the IEPS, and what the receiver withholds (contract §7).

use std::fmt;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::line::IepsRate;
use super::quantity::unsigned;
use super::rfc::{Person, Rfc};
use super::sat::{self, Factor, Levied};
use crate::schema::field_schema;

/// A part of an amount, or pesos for each unit: a string of six decimals on the wire ("0.080000").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaxRate(Decimal);

impl TaxRate {
    /// The rate `value`.
    pub fn new(value: Decimal) -> Self {
        Self(value)
    }

    /// The exact value.
    pub fn get(self) -> Decimal {
        self.0
    }
}

field_schema!(TaxRate, "TaxRate", { "type": ["string", "number"], "pattern": r"^\d{1,3}(\.\d{1,6})?$", "minimum": 0 });

impl fmt::Display for TaxRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.0)
    }
}

impl Serialize for TaxRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TaxRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        unsigned(deserializer, "una tasa como \"0.080000\", de hasta 3 enteros y 6 decimales", 3).map(Self)
    }
}

/// The rates as they are written of a product or a line; zero is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct WrittenRates {
    pub ieps_tasa: Option<TaxRate>,
    pub ieps_cuota: Option<TaxRate>,
    pub retencion_isr: Option<TaxRate>,
    pub retencion_iva: Option<TaxRate>,
}

/// The rates of the taxes besides the IVA; most lines have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OtherRates {
    /// By which the IEPS is reckoned.
    pub ieps: Option<IepsRate>,
    /// Rate of the ISR that the receiver withholds.
    pub retencion_isr: Option<Decimal>,
    /// Rate of the IVA that the receiver withholds.
    pub retencion_iva: Option<Decimal>,
}

impl WrittenRates {
    /// The field that is at fault, and why: the authority's catalogue (`c_TasaOCuota`) has no such rate, or both kinds of IEPS are
    /// given.
    pub(crate) fn validate(&self) -> Result<(), (&'static str, &'static str)> {
        const TEXT: &str = "no está en el catálogo del SAT";
        if some(self.ieps_tasa).is_some() && some(self.ieps_cuota).is_some() {
            return Err(("ieps_cuota", "no va junto con ieps_tasa"));
        }
        let known = |rate: Option<TaxRate>, impuesto, factor, levied| {
            some(rate).is_none_or(|rate| sat::tax_rate_exists(impuesto, factor, levied, rate))
        };
        for (field, fits) in [
            ("ieps_tasa", known(self.ieps_tasa, "003", Factor::Tasa, Levied::Charged)),
            ("ieps_cuota", known(self.ieps_cuota, "003", Factor::Cuota, Levied::Charged)),
            ("retencion_isr", known(self.retencion_isr, "001", Factor::Tasa, Levied::Withheld)),
            ("retencion_iva", known(self.retencion_iva, "002", Factor::Tasa, Levied::Withheld)),
        ] {
            if !fits {
                return Err((field, TEXT));
            }
        }
        Ok(())
    }

    /// The rates of a line that says these of a product that says `others`: each of its own that it gives, and one kind of IEPS
    /// stands for the other, too.
    pub(crate) fn or(self, others: Self) -> Self {
        let ieps = if self.ieps_tasa.or(self.ieps_cuota).is_some() { self } else { others };
        Self {
            ieps_tasa: ieps.ieps_tasa,
            ieps_cuota: ieps.ieps_cuota,
            retencion_isr: self.retencion_isr.or(others.retencion_isr),
            retencion_iva: self.retencion_iva.or(others.retencion_iva),
        }
    }

    /// The rates that apply to what has this `c_ObjetoImp`: IEPS is broken down of `02` and `07`, ISR withheld of `06` and `08` too,
    /// IVA of `02` only. Nothing is withheld by who does not (`withholds`).
    pub(crate) fn of_object(self, objeto: &str, withholds: bool) -> OtherRates {
        let tasa = some(self.ieps_tasa).map(IepsRate::Tasa);
        let ieps = tasa.or_else(|| some(self.ieps_cuota).map(IepsRate::Cuota));
        let [isr, iva] = [self.retencion_isr, self.retencion_iva].map(|rate| some(rate).filter(|_| withholds));
        OtherRates {
            ieps: ieps.filter(|_| matches!(objeto, "02" | "07")),
            retencion_isr: isr.filter(|_| matches!(objeto, "02" | "06" | "07" | "08")),
            retencion_iva: iva.filter(|_| objeto == "02"),
        }
    }
}

impl OtherRates {
    /// The rates as columns have them: `ieps_tasa`, `ieps_cuota`, `retencion_isr`, `retencion_iva`.
    pub fn columns(&self) -> [Option<Decimal>; 4] {
        let (tasa, cuota) = match self.ieps {
            Some(IepsRate::Tasa(rate)) => (Some(rate), None),
            Some(IepsRate::Cuota(pesos)) => (None, Some(pesos)),
            None => (None, None),
        };
        [tasa, cuota, self.retencion_isr, self.retencion_iva]
    }

    /// The inverse of [`Self::columns`].
    pub fn of_columns([tasa, cuota, retencion_isr, retencion_iva]: [Option<Decimal>; 4]) -> Self {
        let ieps = tasa.map(IepsRate::Tasa).or(cuota.map(IepsRate::Cuota));
        Self { ieps, retencion_isr, retencion_iva }
    }
}

/// Whether a receiver withholds taxes from an issuer: a company does from a natural person.
pub(crate) fn withholds(issuer: Option<&str>, receiver: Option<&str>) -> bool {
    let person = |rfc: Option<&str>| rfc.and_then(|rfc| Rfc::parse(rfc).ok()).map(|rfc| rfc.person());
    person(issuer) == Some(Person::Fisica) && person(receiver) == Some(Person::Moral)
}

fn some(rate: Option<TaxRate>) -> Option<Decimal> {
    rate.map(TaxRate::get).filter(|rate| !rate.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Option<TaxRate> {
        text.parse().ok().map(TaxRate)
    }

    #[test]
    fn rates_are_those_of_the_catalogue() {
        let of = |field: &str, text: &str| {
            let mut rates = WrittenRates::default();
            *match field {
                "ieps_tasa" => &mut rates.ieps_tasa,
                "ieps_cuota" => &mut rates.ieps_cuota,
                "retencion_isr" => &mut rates.retencion_isr,
                _ => &mut rates.retencion_iva,
            } = rate(text);
            rates.validate().err().map(|(field, _)| field.to_owned())
        };
        for (field, good, bad) in [
            ("ieps_tasa", &["0", "0.08", "0.265", "1.6", "0.53"][..], &["0.1", "1.61", "8"][..]),
            ("ieps_cuota", &["0", "0.000001", "72.1605"], &["72.160501"]),
            ("retencion_isr", &["0", "0.0125", "0.1", "0.35"], &["0.350001", "1"]),
            ("retencion_iva", &["0", "0.106667", "0.16"], &["0.160001"]),
        ] {
            for text in good {
                assert_eq!(of(field, text), None, "{field} {text}");
            }
            for text in bad {
                assert_eq!(of(field, text).as_deref(), Some(field), "{field} {text}");
            }
        }
        let both = WrittenRates { ieps_tasa: rate("0.08"), ieps_cuota: rate("1"), ..WrittenRates::default() };
        assert_eq!(both.validate().unwrap_err().0, "ieps_cuota");
        assert!(WrittenRates { ieps_tasa: rate("0"), ..both }.validate().is_ok());
    }

    #[test]
    fn a_line_overrides_its_product() {
        let product = WrittenRates {
            ieps_tasa: rate("0.08"),
            retencion_isr: rate("0.1"),
            retencion_iva: rate("0.106667"),
            ..WrittenRates::default()
        };
        let line = WrittenRates { ieps_cuota: rate("2"), retencion_isr: rate("0"), ..WrittenRates::default() };
        let rates = line.or(product).of_object("02", true);
        assert_eq!(rates.ieps, Some(IepsRate::Cuota(2.into())));
        assert_eq!((rates.retencion_isr, rates.retencion_iva.is_some()), (None, true));
        let none = WrittenRates { ieps_tasa: rate("0"), ..WrittenRates::default() };
        assert_eq!(none.or(product).of_object("02", false), OtherRates::default());
        assert_eq!(product.of_object("01", true), OtherRates::default());
        assert_eq!(product.of_object("06", true).columns(), [None, None, rate("0.1").map(TaxRate::get), None]);
        assert_eq!(OtherRates::of_columns(rates.columns()), rates);
    }

    #[test]
    fn companies_withhold_from_persons() {
        for (issuer, receiver, expected) in [
            (Some("CACX7605101P8"), Some("EKU9003173C9"), true),
            (Some("EKU9003173C9"), Some("EKU9003173C9"), false),
            (Some("CACX7605101P8"), Some("CACX7605101P8"), false),
            (Some("CACX7605101P8"), Some("XAXX010101000"), false),
            (Some("CACX7605101P8"), None, false),
            (None, Some("EKU9003173C9"), false),
        ] {
            assert_eq!(withholds(issuer, receiver), expected, "{issuer:?} {receiver:?}");
        }
    }
}
