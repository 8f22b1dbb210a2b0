//! The rates of taxes (`c_TasaOCuota`).

/// `c_TipoFactor` of a tax that has a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factor {
    /// A fraction of the amount.
    Tasa,
    /// Pesos per unit.
    Cuota,
}

/// Whether a tax is charged or withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Levied {
    /// The receiver pays it.
    Charged,
    /// The receiver withholds it.
    Withheld,
}

/// Rates of a tax in `c_TasaOCuota`, in millionths: those from `least` to `max`.
pub(super) struct TaxRates {
    pub(super) impuesto: &'static str,
    pub(super) factor: Factor,
    pub(super) least: u32,
    pub(super) max: u32,
    pub(super) charged: bool,
    pub(super) withheld: bool,
}
