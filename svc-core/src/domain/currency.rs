//! The currency of documents, and its exchange rate.

use rust_decimal::RoundingStrategy;

use super::line;
use super::money::Money;
use super::quantity::Rate;
use super::sat;
use crate::error::{Code, Error};

/// The peso: the default currency of a document (ISO 4217).
pub(crate) const PESO: &str = "MXN";

/// The exchange rate of a document in `moneda`: 1 for pesos, required for any other currency. Its
/// errors are those of a body (400).
pub(crate) fn exchange_rate(moneda: &str, tipo_cambio: Option<Rate>) -> Result<Rate, Error> {
    let foreign = moneda != PESO;
    match tipo_cambio {
        // Another key in its place would need another rate, or none.
        None if sat::currency(moneda).is_none() => Err(unknown(moneda)),
        None if foreign => Err(Error::field(Code::DatoRequerido, "tipo_cambio", "hace falta si la moneda no es MXN")),
        Some(rate) if !foreign && rate != Rate::ONE => {
            Err(Error::field(Code::DatoInvalido, "tipo_cambio", "en MXN es 1"))
        }
        rate => Ok(rate.unwrap_or(Rate::ONE)),
    }
}

/// The exchange rate on the day of a payment or invoice of a document in `moneda`: `given`,
/// otherwise the document's own. Fails like a body (400).
pub(crate) fn rate_of_day(moneda: &str, given: Option<Rate>, document: Rate) -> Result<Rate, Error> {
    given.map_or(Ok(document), |given| exchange_rate(moneda, Some(given)))
}

/// An amount of a document in the currency of a bank account, at `rate` pesos for one unit of the
/// foreign one, rounded half-up to the account's decimals. `None` if neither is the peso, or if the
/// result is nothing or has more than 18 digits.
pub(crate) fn exchange(importe: Money, document: &str, account: &str, rate: Rate) -> Option<Money> {
    let exact = match (document == PESO, account == PESO) {
        (false, true) => importe.get().checked_mul(rate.get())?,
        (true, false) => importe.get().checked_div(rate.get())?,
        _ => return None,
    };
    let decimals = sat::currency(account)?.min(2).into();
    let rounded = exact.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero);
    line::amount(rounded).filter(|amount| *amount > Money::default())
}

/// Refuses a currency that is not in the SAT's catalogue `c_Moneda` (422).
pub(crate) fn validate(moneda: &str) -> Result<(), Error> {
    if sat::currency(moneda).is_some() { Ok(()) } else { Err(unknown(moneda)) }
}

/// Refuses a currency that a document of two decimals cannot be in (422).
pub(crate) fn validate_invoiced(moneda: &str) -> Result<(), Error> {
    match sat::currency(moneda) {
        None => Err(unknown(moneda)),
        Some(0 | 1) => {
            let text = format_args!("los importes llevan dos decimales, y {moneda} no los admite");
            Err(Error::field(Code::MonedaInvalida, "moneda", text))
        }
        Some(_) => Ok(()),
    }
}

/// The error of a key that is not in `c_Moneda`, whose keys are in capitals.
fn unknown(moneda: &str) -> Error {
    let capitals = moneda.to_ascii_uppercase();
    if sat::currency(&capitals).is_none() {
        return Code::MonedaInvalida.into();
    }
    Error::field(Code::MonedaInvalida, "moneda", format_args!("la clave va en mayúsculas: {capitals}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_exchanged_with_pesos_only() {
        let of = |importe: &str, document, account, rate: &str| {
            let rate = Rate::new(rate.parse().unwrap());
            exchange(Money::parse(importe).unwrap(), document, account, rate).map(|amount| amount.to_string())
        };
        assert_eq!(of("571.43", "USD", "MXN", "17.5").as_deref(), Some("10000.03"));
        assert_eq!(of("1160", "MXN", "USD", "17.5").as_deref(), Some("66.29"));
        assert_eq!(of("1160", "MXN", "JPY", "0.12").as_deref(), Some("9667.00"));
        for (importe, document, account) in [("1", "USD", "EUR"), ("1", "USD", "USD"), ("0.01", "MXN", "USD")] {
            assert_eq!(of(importe, document, account, "17.5"), None, "{document} {account}");
        }
    }

    #[test]
    fn pesos_are_pesos_and_others_have_a_rate() {
        let rate = |text: &str| Rate::new(text.parse().unwrap());
        for (moneda, tipo_cambio, expected) in [
            ("MXN", None, Ok(Rate::ONE)),
            ("MXN", Some(rate("1.0")), Ok(Rate::ONE)),
            ("MXN", Some(rate("1.1")), Err(Code::DatoInvalido)),
            ("USD", Some(rate("17.5")), Ok(rate("17.5"))),
            ("USD", None, Err(Code::DatoRequerido)),
        ] {
            assert_eq!(exchange_rate(moneda, tipo_cambio).map_err(|error| error.code()), expected, "{moneda}");
        }
        let day = |moneda, given: Option<&str>| {
            rate_of_day(moneda, given.map(rate), rate("17.5")).map_err(|error| error.code())
        };
        assert_eq!([day("USD", None), day("USD", Some("18"))], [Ok(rate("17.5")), Ok(rate("18"))]);
        assert_eq!([day("MXN", Some("1")), day("MXN", Some("2"))], [Ok(Rate::ONE), Err(Code::DatoInvalido)]);
        assert!(validate("USD").is_ok());
        assert_eq!(validate("ABC").unwrap_err().code(), Code::MonedaInvalida);
        assert!(validate_invoiced("USD").is_ok());
        let refused = |moneda| validate_invoiced(moneda).unwrap_err().mensaje().to_owned();
        assert_eq!(refused("JPY"), "moneda: los importes llevan dos decimales, y JPY no los admite");
        assert_eq!(refused("usd"), "moneda: la clave va en mayúsculas: USD");
        let unrated = |moneda| exchange_rate(moneda, None).map_err(|error| error.mensaje().to_owned());
        assert_eq!(unrated("mxn"), Err("moneda: la clave va en mayúsculas: MXN".to_owned()));
        assert_eq!(unrated("ABC"), Err(Code::MonedaInvalida.mensaje().to_owned()));
    }
}
