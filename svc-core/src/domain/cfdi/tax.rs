//! The taxes of a line, and their sums.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::source::Line;
use super::{CfdiFault, TipoFactor};
use crate::domain::line::VatRate;

/// `c_ObjetoImp`: no object of the tax.
const NO_OBJECT: &str = "01";
/// `c_ObjetoImp`: an object of the tax, which is broken down.
const OBJECT: &str = "02";
/// `c_ObjetoImp`: an object of the tax that does not give rise to it.
const NOTHING_DUE: &str = "04";
/// `c_ObjetoImp`: the IEPS is to be broken down, which no sale here knows.
const OBJECT_OF_IEPS: &str = "07";

/// The IVA of `c_TasaOCuota`, in the order in which a document lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Iva {
    Tasa16,
    Tasa8,
    Tasa0,
    Exento,
}

impl Iva {
    fn of(rate: VatRate) -> Option<Self> {
        let VatRate::Rate(rate) = rate else { return Some(Self::Exento) };
        [Self::Tasa16, Self::Tasa8, Self::Tasa0].into_iter().find(|iva| iva.rate() == Some(rate))
    }

    /// The rate; none if exempt.
    pub(super) fn rate(self) -> Option<Decimal> {
        match self {
            Self::Tasa16 => Some(Decimal::new(16, 2)),
            Self::Tasa8 => Some(Decimal::new(8, 2)),
            Self::Tasa0 => Some(Decimal::ZERO),
            Self::Exento => None,
        }
    }

    pub(super) fn factor(self) -> TipoFactor {
        if self == Self::Exento { TipoFactor::Exento } else { TipoFactor::Tasa }
    }
}

/// What is charged on what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Charge {
    pub(super) base: Decimal,
    pub(super) importe: Decimal,
}

/// A line before the tax: `c_ObjetoImp`, and its IVA where that is broken down.
pub(super) struct Treatment<'a> {
    pub(super) objeto: &'a str,
    pub(super) iva: Option<(Iva, Charge)>,
}

/// How a line's tax is written.
///
/// It is broken down where the line is an object of it (`02`), and where IVA was charged whatever the line says of itself:
/// the receiver paid it, and the total would not add up without. A line on which nothing is left to charge gives rise to no
/// tax, since no base may be zero.
pub(super) fn treat(line: &Line) -> Result<Treatment<'_>, CfdiFault> {
    let fault = |fault| CfdiFault::Line { renglon: line.renglon, fault };
    let base = line.subtotal.get() - line.descuento.get();
    if base < Decimal::ZERO {
        return Err(fault("el descuento es mayor que el importe"));
    }
    let charge = Charge { base, importe: line.iva.get() };
    let charged = charge.importe > Decimal::ZERO;
    let declared = line.objeto_impuesto.as_deref();
    let objeto = declared.unwrap_or(if line.iva_tasa.is_some() { OBJECT } else { NO_OBJECT });
    match objeto {
        _ if charged => {}
        OBJECT if base.is_zero() => return Ok(Treatment { objeto: NOTHING_DUE, iva: None }),
        OBJECT => {}
        OBJECT_OF_IEPS => return Err(fault("el objeto de impuesto 07 exige desglosar IEPS, que la venta no tiene")),
        _ => return Ok(Treatment { objeto, iva: None }),
    }
    let rate = line.iva_tasa.ok_or_else(|| fault("no tiene tasa de IVA"))?;
    let iva = Iva::of(rate).ok_or_else(|| fault("su tasa de IVA no está en el catálogo del SAT"))?;
    Ok(Treatment { objeto: OBJECT, iva: Some((iva, charge)) })
}

/// Charges added up, one for each kind of IVA, in the order of a document.
#[derive(Debug, Default)]
pub(super) struct Charges(BTreeMap<Iva, Charge>);

impl Charges {
    pub(super) fn add(&mut self, iva: Iva, charge: Charge) -> Result<(), CfdiFault> {
        let sum = self.0.entry(iva).or_default();
        sum.base = plus(sum.base, charge.base)?;
        sum.importe = plus(sum.importe, charge.importe)?;
        Ok(())
    }

    pub(super) fn get(&self, iva: Iva) -> Option<Charge> {
        self.0.get(&iva).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Iva, Charge)> {
        self.0.iter().map(|(iva, charge)| (*iva, *charge))
    }
}

/// `a + b`, as long as that can be written.
pub(super) fn plus(a: Decimal, b: Decimal) -> Result<Decimal, CfdiFault> {
    a.checked_add(b).ok_or(CfdiFault::TooLarge)
}

/// `a × b`, as long as that can be written.
pub(super) fn times(a: Decimal, b: Decimal) -> Result<Decimal, CfdiFault> {
    a.checked_mul(b).ok_or(CfdiFault::TooLarge)
}
