//! The rates of taxes (`c_TasaOCuota`).

use rust_decimal::Decimal;

use super::tables::TAX_RATES;

/// `c_TipoFactor` of a tax that has a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factor {
    /// A part of the amount.
    Tasa,
    /// Pesos for each unit.
    Cuota,
}

/// What becomes of a tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Levied {
    /// The receiver pays it.
    Charged,
    /// The receiver withholds it.
    Withheld,
}

/// Rates of a tax in `c_TasaOCuota`, in millionths: those from `least` to `most`.
pub(super) struct TaxRates {
    pub(super) impuesto: &'static str,
    pub(super) factor: Factor,
    pub(super) least: u32,
    pub(super) most: u32,
    pub(super) charged: bool,
    pub(super) withheld: bool,
}

/// Whether `c_TasaOCuota` has this rate of a tax (`c_Impuesto`).
pub(crate) fn tax_rate_exists(impuesto: &str, factor: Factor, levied: Levied, rate: Decimal) -> bool {
    TAX_RATES.iter().any(|rates| {
        let applies = match levied {
            Levied::Charged => rates.charged,
            Levied::Withheld => rates.withheld,
        };
        let range = Decimal::new(rates.least.into(), 6)..=Decimal::new(rates.most.into(), 6);
        applies && rates.impuesto == impuesto && rates.factor == factor && range.contains(&rate)
    })
}
