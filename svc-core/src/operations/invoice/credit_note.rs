//! Credit notes of stamped invoices (contract §7).

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outcome::{locked, wrong_state};
use crate::domain::cfdi::Line;
use crate::domain::credit_note::{CreditFault, CreditLine, CreditReason, Credited, REMITTED, TakenBack, credit};
use crate::domain::event::EventKind;
use crate::domain::invoice::LockedSale;
use crate::domain::money::Money;
use crate::domain::payment::{PAYING_OFF, optional_amount_schema, validate_amount, validate_form};
use crate::domain::quantity::PositiveQuantity;
use crate::domain::sale::Amounts;
use crate::domain::sat;
use crate::domain::words::{InvoiceKind, InvoiceStatus, SaleKind};
use crate::error::{Code, Error};
use crate::json::{Digits, Many};
use crate::operation::{Cx, Operation, Spec};
use crate::operations::sale::IMPORTED_RETURNS;
use crate::posting::credit_note::{NewNote, make};
use crate::posting::issuer::validate_issuer;
use crate::posting::lines::fault;
use crate::posting::sale::MAX_LINES;
use crate::store::RegisteredInvoice;

/// Credits part of a stamped invoice, or takes goods of it back: a credit note, queued for
/// stamping.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureCreditNote {
    /// The clave of the invoice.
    pub factura: i64,
    /// The SAT's relation: 01, a discount or correction; 03, returned goods.
    pub tipo_relacion: CreditReason,
    /// The lines that are credited or returned.
    pub renglones: Many<CreditedLine, MAX_LINES>,
    /// Whether it reduces what is owed on the invoice. Any excess, or everything if this is left
    /// out, becomes a balance in the customer's favour, which `payment.apply` applies.
    pub aplicar: Option<bool>,
    /// The payment form of the refund (SAT catalogue). If left out: 17 (compensation) for a balance
    /// in the customer's favour, otherwise the invoice's own form, or 15 (remission) if that is not
    /// yet defined.
    pub forma_pago_sat: Option<Digits<2>>,
}

/// A line of a credit note.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditedLine {
    /// The number of the line in the sale.
    pub renglon: i64,
    /// The number of units; this or `importe`. Returned goods need it.
    pub cantidad: Option<PositiveQuantity>,
    /// The amount to credit, before taxes.
    #[serde(default)]
    #[schemars(schema_with = "optional_amount_schema")]
    pub importe: Option<Money>,
}

/// The credit note that was created.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CreditNoteCaptured {
    /// The clave of its record in the registry.
    pub factura: i64,
    /// The same clave, under the record's kind.
    pub nota_credito: i64,
    /// The total, taxes included.
    pub total: Money,
    /// The clave of the payment that reduces the receivable; null if it reduces none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pago: Option<i64>,
}

impl CreditedLine {
    /// The validated quantity or amount.
    fn taken(&self, at: usize, reason: CreditReason) -> Result<TakenBack, Error> {
        let invalid = |field, text| Err(fault(Code::DatoInvalido, at, field, text));
        match (self.cantidad, self.importe) {
            (Some(_), Some(_)) => invalid("importe", "va cantidad o importe, no ambos"),
            (None, None) => Err(fault(Code::DatoRequerido, at, "cantidad", "hace falta, o importe")),
            (Some(units), None) => Ok(TakenBack::Units(units.get())),
            (None, Some(_)) if reason == CreditReason::Return => {
                invalid("importe", "lo que se devuelve (03) se dice en cantidad")
            }
            (None, Some(amount)) => match validate_amount(amount) {
                Ok(amount) => Ok(TakenBack::Amount(amount)),
                Err(_) => invalid("importe", "debe ser mayor que cero y llevar a lo más dos decimales"),
            },
        }
    }
}

impl CaptureCreditNote {
    /// Validates what needs no data of the company.
    fn validate(&self) -> Result<Vec<TakenBack>, Error> {
        let distinct: BTreeSet<i64> = self.renglones.iter().map(|line| line.renglon).collect();
        if distinct.len() < self.renglones.len() {
            return Err(Error::field(Code::DatoInvalido, "renglones", "cada renglón va una sola vez"));
        }
        self.forma_pago_sat.as_deref().map_or(Ok(()), validate_form)?;
        self.renglones.iter().enumerate().map(|(at, line)| line.taken(at, self.tipo_relacion)).collect()
    }

    /// The `FormaPago` of the document.
    fn form<'a>(&'a self, sale: &'a LockedSale) -> &'a str {
        match (self.forma_pago_sat.as_deref(), sale.forma_pago_sat.as_deref()) {
            (Some(form), _) => form,
            (None, _) if self.aplicar != Some(true) => PAYING_OFF,
            (None, Some(form)) if form != sat::FORM_TO_BE_DEFINED => form,
            (None, _) => REMITTED,
        }
    }
}

impl Operation for CaptureCreditNote {
    const SPEC: Spec =
        Spec::new().named("credit-note.capture").emits(&[EventKind::PagoAplicado, EventKind::ExistenciaCambiada]);
    type Output = CreditNoteCaptured;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CreditNoteCaptured, Error> {
        let taken = self.validate()?;
        let invoice = locked(cx, self.factura).await?;
        let sale = credited_sale(cx, &invoice).await?;
        if !cx.tx.imported_returns(&[sale.clave]).await?.is_empty() {
            return Err(wrong_state(&format!("su venta {IMPORTED_RETURNS}")));
        }
        validate_issuer(cx).await?;
        let lines = self.lines(cx, sale.clave, &taken).await?;
        let too_large = |_| Error::field(Code::DatoInvalido, "renglones", "el total pasa de 18 dígitos");
        let amounts = Amounts::of_document(lines.iter().map(|line| &line.amounts)).map_err(too_large)?;
        let note = NewNote {
            factura: invoice.clave,
            sale: &sale,
            relacion: self.tipo_relacion.relation(),
            forma_pago_sat: self.form(&sale),
            anticipo: None,
            cuenta: None,
            lines,
            amounts,
        };
        let made = make(cx, note, self.aplicar == Some(true)).await?;
        let factura = made.factura;
        Ok(CreditNoteCaptured { factura, nota_credito: factura, total: amounts.total, pago: made.pago })
    }
}

impl CaptureCreditNote {
    /// The lines of the note, in the order of the sale.
    async fn lines(&self, cx: &mut Cx<'_>, venta: i64, taken: &[TakenBack]) -> Result<Vec<CreditLine>, Error> {
        let lines: HashMap<i64, Line> =
            cx.tx.lines_to_stamp(&[venta]).await?.into_iter().map(|(_, line)| (line.renglon, line)).collect();
        let credited: HashMap<i64, Credited> = cx.tx.credited(venta).await?.into_iter().collect();
        let mut found = Vec::with_capacity(taken.len());
        for (at, (asked, taken)) in self.renglones.iter().zip(taken).enumerate() {
            let refused = |field: &str, text: &str| fault(Code::DatoInvalido, at, field, text);
            let line = lines.get(&asked.renglon);
            let line = line.ok_or_else(|| refused("renglon", "la factura no tiene ese renglón"))?;
            let before = credited.get(&asked.renglon).copied().unwrap_or_default();
            let credit = credit(line, &before, *taken, self.tipo_relacion).map_err(|of| match of {
                CreditFault::Units => refused("cantidad", "es más de lo que queda del renglón sin acreditar"),
                CreditFault::Amount => refused("importe", "es más de lo que queda del renglón sin acreditar"),
                CreditFault::Nothing => refused("renglon", "no queda importe que acreditar"),
                CreditFault::TooLarge => refused("cantidad", "el importe pasa de 18 dígitos"),
            })?;
            found.push(credit);
        }
        found.sort_unstable_by_key(|line| line.renglon);
        Ok(found)
    }
}

/// Locks the sale of a stamped invoice that can be credited, after its receivables.
async fn credited_sale(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<LockedSale, Error> {
    if invoice.tipo != InvoiceKind::Factura {
        return Err(wrong_state("solo se acreditan facturas de ingreso"));
    }
    if invoice.estatus != InvoiceStatus::Vigente || invoice.uuid.is_none() {
        return Err(wrong_state("no está vigente"));
    }
    if invoice.cancelacion_solicitada {
        return Err(wrong_state("su cancelación ya se solicitó"));
    }
    let venta = invoice.venta.ok_or_else(|| wrong_state("no es de una sola venta"))?;
    cx.tx.lock_receivables(venta).await?;
    let own = |sale: &LockedSale| !sale.cancelada && sale.factura.as_ref().is_none_or(|own| own.clave == invoice.clave);
    let sale = cx.tx.lock_sale(venta).await?.filter(own);
    let sale = sale.ok_or_else(|| wrong_state("su venta está cancelada o tiene otra factura"))?;
    if !cx.tx.substitutions(invoice.clave).await?.is_empty() {
        return Err(wrong_state("tiene una factura que la sustituye, sin timbrar"));
    }
    if sale.tipo == SaleKind::Anticipo {
        return Err(wrong_state("es de un anticipo, que se aplica (advance.apply) o se cancela"));
    }
    Ok(sale)
}
