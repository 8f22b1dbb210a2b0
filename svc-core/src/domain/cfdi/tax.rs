//! The taxes of a line, and their sums.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::currency::plus;
use super::local::LocalCharges;
use super::source::Line;
use super::{CfdiFault, Impuesto, TipoFactor};
use crate::domain::line::{IepsRate, VatRate, fits, is_charge, withheld};
use crate::domain::money::Money;
use crate::domain::tax::TaxRate;

/// `c_ObjetoImp`: not subject to tax.
pub(super) const NO_OBJECT: &str = "01";
/// `c_ObjetoImp`: subject to tax, which is broken down.
pub(super) const OBJECT: &str = "02";
/// `c_ObjetoImp`: subject to tax, but no tax is due.
const NOTHING_DUE: &str = "04";
/// `c_ObjetoImp`: IVA is not charged, IEPS is broken down.
pub(crate) const OBJECT_OF_IEPS: &str = "07";
/// `c_ObjetoImp`: IVA is not charged, IEPS is not broken down.
pub(crate) const NOTHING_OF_IEPS: &str = "08";
/// `c_ObjetoImp`: neither IVA nor IEPS is broken down, but ISR may be withheld.
const NOTHING_SHOWN: [&str; 2] = ["06", NOTHING_OF_IEPS];

/// A tax and its rate, for which a document has one sum; ordered as documents list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Levy {
    pub(super) impuesto: Impuesto,
    pub(super) factor: TipoFactor,
    rate: Option<Reverse<Decimal>>,
}

impl Levy {
    fn new(impuesto: Impuesto, factor: TipoFactor, rate: Decimal) -> Self {
        Self { impuesto, factor, rate: Some(Reverse(rate.normalize())) }
    }

    /// IVA at that rate, if `c_TasaOCuota` has it.
    pub(super) fn iva(rate: VatRate) -> Option<Self> {
        const RATES: [Decimal; 3] =
            [Decimal::from_parts(16, 0, 0, false, 2), Decimal::from_parts(8, 0, 0, false, 2), Decimal::ZERO];
        match rate {
            VatRate::Exempt => Some(Self { impuesto: Impuesto::Iva, factor: TipoFactor::Exento, rate: None }),
            VatRate::Rate(rate) => RATES.contains(&rate).then(|| Self::new(Impuesto::Iva, TipoFactor::Tasa, rate)),
        }
    }

    fn ieps(rate: IepsRate) -> Self {
        match rate {
            IepsRate::Tasa(rate) => Self::new(Impuesto::Ieps, TipoFactor::Tasa, rate),
            IepsRate::Cuota(pesos) => Self::new(Impuesto::Ieps, TipoFactor::Cuota, pesos),
        }
    }

    /// The rate, or pesos per unit; `None` if exempt.
    pub(super) fn rate(self) -> Option<Decimal> {
        self.rate.map(|Reverse(rate)| rate)
    }
}

/// A base and the amount charged on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Charge {
    pub(super) base: Decimal,
    pub(super) importe: Decimal,
}

/// Sums of charges, one per tax and rate, in the document's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Charges(BTreeMap<Levy, Charge>);

impl Charges {
    pub(super) fn add(&mut self, levy: Levy, charge: Charge) -> Result<(), CfdiFault> {
        let sum = self.0.entry(levy).or_default();
        sum.base = plus(sum.base, charge.base)?;
        sum.importe = plus(sum.importe, charge.importe)?;
        Ok(())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Levy, Charge)> {
        self.0.iter().map(|(levy, charge)| (*levy, *charge))
    }

    /// Moves cents between amounts and bases until each amount is what the authority computes from
    /// its base; sums of rounded lines may differ by cents. Returns the total change of the
    /// bases.
    pub(super) fn round(&mut self) -> Decimal {
        const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
        let mut moved = Decimal::ZERO;
        for (levy, charge) in &mut self.0 {
            let Some(rate) = levy.rate() else { continue };
            // A cent moves the difference by a cent and the rate of a cent, which is less than the
            // width of the limits, so that it never jumps over them. A number of units does not
            // change.
            let is_within = |charge: &Charge| {
                let importe = Money::new(charge.importe);
                match levy.factor {
                    TipoFactor::Tasa if rate >= Decimal::ONE => is_charge(importe, charge.base, rate),
                    _ => fits(importe, charge.base, rate),
                }
            };
            while !is_within(charge) {
                let cent = if charge.importe > charge.base * rate { CENT } else { -CENT };
                charge.importe -= cent;
                moved += cent;
                if levy.factor == TipoFactor::Tasa {
                    charge.base += cent;
                }
            }
        }
        moved
    }

    pub(super) fn get(&self, levy: Levy) -> Option<Charge> {
        self.0.get(&levy).copied()
    }

    /// The amount of each tax, over all rates.
    pub(super) fn by_tax(&self) -> Result<BTreeMap<Impuesto, Decimal>, CfdiFault> {
        let mut sums = BTreeMap::new();
        for (levy, charge) in self.iter() {
            let sum = sums.entry(levy.impuesto).or_default();
            *sum = plus(*sum, charge.importe)?;
        }
        Ok(sums)
    }

    /// The total; `None` if everything is exempt.
    pub(super) fn total(&self) -> Result<Option<Decimal>, CfdiFault> {
        let rated = self.iter().filter(|(levy, _)| levy.rate.is_some());
        rated
            .map(|(_, charge)| charge.importe)
            .try_fold(None, |sum: Option<Decimal>, importe| plus(sum.unwrap_or_default(), importe).map(Some))
    }
}

/// The taxes of a line, or of all lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Taxes {
    /// Charged to the receiver.
    pub(super) traslados: Charges,
    /// Withheld by the receiver.
    pub(super) retenciones: Charges,
    /// Local taxes, which no concept has.
    pub(super) locales: LocalCharges,
}

impl Taxes {
    pub(super) fn add(&mut self, others: &Self) -> Result<(), CfdiFault> {
        let pairs = [(&mut self.traslados, &others.traslados), (&mut self.retenciones, &others.retenciones)];
        for (sums, charges) in pairs {
            charges.iter().try_for_each(|(levy, charge)| sums.add(levy, charge))?;
        }
        self.locales.add(&others.locales)
    }

    /// Applies `change` to every charge, and drops those for which it returns `None`, and local
    /// taxes.
    pub(super) fn map(
        &self,
        change: impl Fn(Levy, Charge) -> Result<Option<Charge>, CfdiFault>,
    ) -> Result<Self, CfdiFault> {
        let changed = |charges: &Charges| {
            let kept = charges.iter().filter_map(|(levy, charge)| Some((levy, change(levy, charge).transpose()?)));
            kept.map(|(levy, charge)| Ok((levy, charge?))).collect::<Result<_, _>>().map(Charges)
        };
        let (traslados, retenciones) = (changed(&self.traslados)?, changed(&self.retenciones)?);
        Ok(Self { traslados, retenciones, locales: LocalCharges::default() })
    }

    /// Whether there is no tax that a concept can have; local taxes do not count.
    pub(super) fn is_empty(&self) -> bool {
        self.traslados.0.is_empty() && self.retenciones.0.is_empty()
    }

    /// `c_ObjetoImp` for a concept with these taxes broken down; `None` if there are none.
    pub(super) fn object(&self) -> Option<&'static str> {
        let charged = |impuesto| self.traslados.iter().any(|(levy, _)| levy.impuesto == impuesto);
        match () {
            () if charged(Impuesto::Iva) => Some(OBJECT),
            () if charged(Impuesto::Ieps) => Some(OBJECT_OF_IEPS),
            () if !self.is_empty() => Some(NOTHING_SHOWN[0]),
            () => None,
        }
    }
}

/// A line's tax treatment: `c_ObjetoImp`, and the taxes to break down.
pub(super) struct Treatment<'a> {
    pub(super) objeto: &'a str,
    pub(super) taxes: Taxes,
}

/// Decides how a line's taxes are written.
///
/// They are broken down if the line is subject to them (`02`, `07`), and if they were charged
/// regardless: the receiver paid them, and the total would not add up without them. A line without
/// a base has no tax, since no base may be zero.
pub(super) fn treat(line: &Line) -> Result<Treatment<'_>, CfdiFault> {
    let fault = |fault| CfdiFault::Line { renglon: line.renglon, fault };
    let base = line.amounts.subtotal.get() - line.amounts.descuento.get();
    if base < Decimal::ZERO {
        return Err(fault("el descuento es mayor que el importe"));
    }
    let (iva, ieps) = (line.amounts.iva.get(), line.amounts.ieps.get());
    let declared = line.objeto_impuesto.as_deref();
    let declared = declared.unwrap_or(if line.rates.iva_tasa.is_some() { OBJECT } else { NO_OBJECT });
    let mut taxes = Taxes { locales: LocalCharges::of_line(line)?, ..Taxes::default() };
    let broken_down = matches!(declared, OBJECT | OBJECT_OF_IEPS) || iva > Decimal::ZERO || ieps > Decimal::ZERO;
    if broken_down && base.is_zero() && iva.is_zero() && ieps.is_zero() {
        return Ok(Treatment { objeto: NOTHING_DUE, taxes });
    }
    if let Some(rate) = line.rates.ieps().filter(|_| broken_down) {
        let base = if matches!(rate, IepsRate::Cuota(_)) { line.cantidad.get() } else { base };
        taxes.traslados.add(Levy::ieps(rate), Charge { base, importe: ieps })?;
    }
    if iva > Decimal::ZERO || declared == OBJECT {
        let rate = line.rates.iva_tasa.ok_or_else(|| fault("no tiene tasa de IVA"))?;
        let levy = Levy::iva(rate).ok_or_else(|| fault("su tasa de IVA no está en el catálogo del SAT"))?;
        taxes.traslados.add(levy, Charge { base: plus(base, ieps)?, importe: iva })?;
    }
    let objeto = taxes.object().unwrap_or(declared);
    if objeto == OBJECT_OF_IEPS && taxes.is_empty() {
        return Err(fault("el objeto de impuesto 07 exige desglosar IEPS, que el renglón no tiene"));
    }
    withhold(line, objeto, base, &mut taxes)?;
    Ok(Treatment { objeto, taxes })
}

/// Adds the taxes that the receiver withholds of a line.
fn withhold(line: &Line, objeto: &str, base: Decimal, taxes: &mut Taxes) -> Result<(), CfdiFault> {
    let fault = |fault| CfdiFault::Line { renglon: line.renglon, fault };
    let of = |impuesto, rate: Option<TaxRate>| rate.map(|rate| Levy::new(impuesto, TipoFactor::Tasa, rate.get()));
    let isr = of(Impuesto::Isr, line.rates.retencion_isr);
    let iva = of(Impuesto::Iva, line.rates.retencion_iva);
    let admits_isr = objeto == OBJECT || objeto == OBJECT_OF_IEPS || NOTHING_SHOWN.contains(&objeto);
    if (isr.is_some() && !admits_isr) || (iva.is_some() && objeto != OBJECT) {
        return Err(fault("su objeto de impuesto no admite la retención"));
    }
    for levy in [isr, iva].into_iter().flatten() {
        let importe = withheld(base, levy.rate()).ok_or(CfdiFault::TooLarge)?;
        if base > Decimal::ZERO {
            taxes.retenciones.add(levy, Charge { base, importe: importe.get() })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_every_rate_are_rounded_to_what_the_authority_accepts() {
        for rate in ["0.03", "0.08", "0.16", "0.25", "0.265", "0.3", "0.53", "1", "1.6", "3"] {
            let rate: Decimal = rate.parse().unwrap();
            let levy = Levy { impuesto: Impuesto::Ieps, factor: TipoFactor::Tasa, rate: Some(Reverse(rate)) };
            // As much as a sum of 50 rounded lines may differ, in cents.
            for (base, difference) in (30_003..30_053).flat_map(|base| (-25..=25).map(move |cents| (base, cents))) {
                let base = Decimal::new(base, 2);
                let importe = (base * rate).round_dp(2) + Decimal::new(difference, 2);
                let mut charges = Charges(BTreeMap::from([(levy, Charge { base, importe })]));
                let moved = charges.round();
                let rounded = charges.get(levy).unwrap();
                assert!(is_charge(Money::new(rounded.importe), rounded.base, rate), "{rate} of {base}: {rounded:?}");
                assert_eq!(rounded.base - base, moved, "{rate} of {base}");
                assert_eq!(rounded.base + rounded.importe, base + importe, "{rate} of {base}: what was paid stays");
            }
        }
    }
}
