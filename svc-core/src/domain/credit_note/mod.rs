//! What a credit note takes back of the lines of an invoice (contract §7, `credit-note.capture`).

use rust_decimal::Decimal;

use super::cfdi::{Line, NOTHING_OF_IEPS, OBJECT_OF_IEPS, TipoRelacion};
use super::invoice::branch_series;
use super::line;
use super::money::Money;
use super::quantity::Quantity;
use super::sale::{AmountFault, Amounts};
use super::tax::{LineRates, LocalSums, TaxRate};
use super::words::words;

/// `c_ClaveProdServ` of a discount, an advance, or anything else that is billed and is no goods.
pub(crate) const BILLING: &str = "84111506";
/// `c_FormaPago` 15: the debt is remitted.
pub(crate) const REMITTED: &str = "15";
/// `c_ClaveUnidad` of such a line: an activity.
pub(crate) const ACTIVITY: &str = "ACT";
/// `c_UsoCFDI` of what is taken off: "devoluciones, descuentos o bonificaciones".
pub(crate) const TAKEN_OFF: &str = "G02";

words! {
    /// Why a credit note is made (`c_TipoRelacion`).
    pub enum CreditReason {
        /// A discount, a bonus, or a price that is corrected after the fact.
        Discount = "01",
        /// Goods came back to stock.
        Return = "03",
    }
}

impl CreditReason {
    /// How its document relates to the invoice's.
    pub(crate) fn relation(self) -> TipoRelacion {
        match self {
            Self::Discount => TipoRelacion::NotaDeCredito,
            Self::Return => TipoRelacion::Devolucion,
        }
    }
}

/// The series of a branch's credit notes: `N` for the head office, `N` and its key for the others.
pub(crate) fn credit_series(sucursal: i64) -> String {
    branch_series('N', sucursal)
}

/// What is taken back of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakenBack {
    /// Units of the line, at its price and with their part of its discount.
    Units(Quantity),
    /// An amount of what the line charges, before taxes.
    Amount(Money),
}

/// What valid credit notes have credited on a line so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Credited {
    /// The units that count as returned.
    pub cantidad: Quantity,
    /// The credited amount before taxes.
    pub base: Money,
}

/// A line of a credit note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreditLine {
    /// The number of the invoice's line.
    pub renglon: i64,
    /// Units of the invoice's line that count as credited.
    pub acreditada: Quantity,
    /// The quantity of the note's own line: the returned units, or 1 for a discount.
    pub cantidad: Quantity,
    /// The price of one, before taxes: the invoice's, or for a discount the credited amount.
    pub precio_unitario: Money,
    /// The amounts of this line.
    pub amounts: Amounts,
}

/// Why nothing can be credited on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CreditFault {
    /// More units than remain.
    Units,
    /// More than remains of the line's amount.
    Amount,
    /// The credit comes to nothing.
    Nothing,
    /// An amount of more than 18 digits.
    TooLarge,
}

impl From<AmountFault> for CreditFault {
    fn from(_: AmountFault) -> Self {
        Self::TooLarge
    }
}

/// The line of a note that credits `taken` on `line`, beyond `before`, which was credited already.
///
/// Amounts and taxes are those of the line including this part, less those without it, so that the
/// parts of a fully returned line add up to it to the cent. Withholdings follow from this part
/// alone. Returned goods (`Return`) keep their price, quantity and discount. A discount is one unit
/// of its amount and gives back no IEPS per unit.
pub(crate) fn credit(
    line: &Line,
    before: &Credited,
    taken: TakenBack,
    reason: CreditReason,
) -> Result<CreditLine, CreditFault> {
    let left = line.amounts.subtotal.get() - line.amounts.descuento.get() - before.base.get();
    let (acreditada, subtotal, base) = match taken {
        TakenBack::Units(units) => {
            let after = Quantity::new(before.cantidad.get() + units.get());
            if after > line.cantidad {
                return Err(CreditFault::Units);
            }
            let (upto, behind) = (so_far(line, after)?, so_far(line, before.cantidad)?);
            (units, upto.0 - behind.0, (upto.0 - upto.1 - behind.0 + behind.1).min(left))
        }
        TakenBack::Amount(amount) if amount.get() > left => return Err(CreditFault::Amount),
        TakenBack::Amount(amount) => (Quantity::default(), amount.get(), amount.get()),
    };
    let base = base.max(Decimal::ZERO);
    if base.is_zero() && (reason == CreditReason::Discount || subtotal.is_zero()) {
        return Err(CreditFault::Nothing);
    }
    let (cantidad, precio_unitario, subtotal) = match reason {
        CreditReason::Return => (acreditada, line.precio_unitario, subtotal),
        CreditReason::Discount => (Quantity::new(Decimal::ONE), Money::new(base), base),
    };
    let amounts = amounts(line, before, subtotal, base, cantidad, reason)?;
    Ok(CreditLine { renglon: line.renglon, acreditada, cantidad, precio_unitario, amounts })
}

/// Amount and discount of the first `units` of a line.
fn so_far(line: &Line, units: Quantity) -> Result<(Decimal, Decimal), CreditFault> {
    let subtotal = line::subtotal(units, line.precio_unitario).ok_or(CreditFault::TooLarge)?;
    let descuento = line::share(line.amounts.descuento, Money::new(units.get()), Money::new(line.cantidad.get()));
    Ok((subtotal.get(), descuento.get()))
}

fn amounts(
    line: &Line,
    before: &Credited,
    subtotal: Decimal,
    base: Decimal,
    cantidad: Quantity,
    reason: CreditReason,
) -> Result<Amounts, CreditFault> {
    let rates = rates(line, reason);
    let units = match reason {
        CreditReason::Return => Quantity::new(before.cantidad.get() + cantidad.get()),
        CreditReason::Discount => before.cantidad,
    };
    let whole_base = line.amounts.subtotal.get() - line.amounts.descuento.get();
    // IEPS and IVA of the first units and part of the amount. Those of the whole line are as it has
    // them, since a price that includes them may round them otherwise.
    let taxes = |base: Decimal, units: Quantity| {
        if base == whole_base && units == line.cantidad {
            return Some((line.amounts.ieps.get(), line.amounts.iva.get()));
        }
        let ieps = line::ieps(base, units, rates.ieps())?.get();
        Some((ieps, line::vat(base + ieps, rates.iva_tasa)?.get()))
    };
    let all = || {
        let (ieps_behind, iva_behind) = taxes(before.base.get(), before.cantidad)?;
        let (ieps_upto, iva_upto) = taxes(before.base.get() + base, units)?;
        let ieps = (ieps_upto - ieps_behind).max(Decimal::ZERO);
        let iva = (iva_upto - iva_behind).max(Decimal::ZERO);
        let isr_retenido = line::withheld(base, rates.retencion_isr.map(TaxRate::get))?;
        let iva_retenido = line::withheld(base, rates.retencion_iva.map(TaxRate::get))?;
        let retenciones = line::amount(isr_retenido.get() + iva_retenido.get())?;
        let locales = local_taxes(line, before.base.get(), base)?;
        let amounts = Amounts {
            subtotal: line::amount(subtotal)?,
            descuento: line::amount(subtotal - base)?,
            iva: line::amount(iva)?,
            ieps: line::amount(ieps)?,
            retenciones,
            isr_retenido,
            ..Amounts::default()
        };
        amounts.with_local_sums(locales).ok()
    };
    all().ok_or(CreditFault::TooLarge)
}

/// The local taxes of `base` after `before`: what both come to, less that of `before` alone.
fn local_taxes(line: &Line, before: Decimal, base: Decimal) -> Option<LocalSums> {
    let Some(taxes) = &line.details.impuestos_locales else { return Some(LocalSums::default()) };
    let (upto, behind) = (taxes.sums(before + base)?, taxes.sums(before)?);
    let part = |of: fn(LocalSums) -> Money| line::amount(of(upto).get() - of(behind).get());
    Some(LocalSums { trasladados: part(|sums| sums.trasladados)?, retenidos: part(|sums| sums.retenidos)? })
}

/// The rates at which a line is credited: a discount gives back nothing that is charged per unit.
fn rates(line: &Line, reason: CreditReason) -> LineRates {
    match reason {
        CreditReason::Return => line.rates,
        CreditReason::Discount => LineRates { ieps_cuota: None, ..line.rates },
    }
}

impl CreditLine {
    /// The line of its document. Returned goods keep the invoice's description and keys; otherwise
    /// it is a discount on them, or the applied advance.
    pub(crate) fn of_document(&self, line: Line, relacion: TipoRelacion) -> Line {
        let reason = if relacion == TipoRelacion::Devolucion { CreditReason::Return } else { CreditReason::Discount };
        let rates = rates(&line, reason);
        // The key requires an IEPS, and the one per unit is not given back.
        let without_ieps = line.objeto_impuesto.as_deref() == Some(OBJECT_OF_IEPS) && rates.ieps().is_none();
        let objeto_impuesto =
            if without_ieps { Some(NOTHING_OF_IEPS.to_owned()) } else { line.objeto_impuesto.clone() };
        let own = Line {
            cantidad: self.cantidad,
            precio_unitario: self.precio_unitario,
            objeto_impuesto,
            rates,
            amounts: self.amounts,
            ..line
        };
        match relacion {
            TipoRelacion::Devolucion => own,
            TipoRelacion::Anticipo => billing("Aplicación de anticipo".to_owned(), own),
            _ => {
                let of = own.descripcion.as_deref().or(own.sku.as_deref()).unwrap_or_default();
                billing(format!("Bonificación: {of}"), own)
            }
        }
    }
}

impl CreditLine {
    /// The line of the document of an advance that is given back.
    pub(crate) fn of_refund(&self, line: Line) -> Line {
        let own =
            Line { cantidad: self.cantidad, precio_unitario: self.precio_unitario, amounts: self.amounts, ..line };
        billing("Devolución de anticipo".to_owned(), own)
    }
}

/// A line that bills no goods, with this description.
pub(crate) fn billing(descripcion: String, line: Line) -> Line {
    Line {
        sku: None,
        descripcion: Some(descripcion),
        unidad: None,
        unidad_sat: Some(ACTIVITY.to_owned()),
        codigo_sat: Some(BILLING.to_owned()),
        details: line.details.of_billing(),
        ..line
    }
}

#[cfg(test)]
mod tests;
