//! Goods that come back from a ticket or an invoice.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::capture::wrong_state;
use crate::domain::event::EventKind;
use crate::domain::invoice::LockedSale;
use crate::domain::money::Money;
use crate::domain::quantity::{PositiveQuantity, Quantity};
use crate::domain::words::{InvoiceStatus, SaleKind};
use crate::error::{Code, Error};
use crate::json::Many;
use crate::operation::{Cx, Operation, Spec};
use crate::posting::issuer::validate_issuer;
use crate::posting::sale::MAX_LINES;
use crate::posting::{returns, ticket};
use crate::store::RegisteredInvoice;

/// The reason why the lines of a sale that are left cannot be told.
pub(in crate::operations) const IMPORTED_RETURNS: &str =
    "tiene devoluciones o notas de crédito importadas, que no dicen de qué renglones son";

/// Takes goods back from a ticket (`venta`) or an invoice, into stock at the cost at which they
/// left. What was not paid is owed no more; what was paid goes back from a bank account, or stays
/// as a balance in the customer's favour. Where a document stands, the invoice or the ticket's line
/// in a stamped global invoice, a credit note (03) is queued for stamping.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReturnGoods {
    /// The clave of the ticket or of the invoiced sale.
    pub venta: i64,
    /// The lines that come back.
    pub renglones: Many<ReturnedGoods, MAX_LINES>,
    /// The clave of the bank account, in the sale's currency, that pays back what was paid; if left
    /// out it stays as a balance in the customer's favour.
    pub cuenta_bancaria: Option<i64>,
}

/// A line whose goods come back.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReturnedGoods {
    /// The number of the line in the sale.
    pub renglon: i64,
    /// The number of units: no more than were sold less those that came back before.
    pub cantidad: PositiveQuantity,
}

/// The goods that came back.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GoodsReturned {
    /// The sale's clave.
    pub venta: i64,
    /// What they were sold for, taxes included.
    pub total: Money,
    /// The part that was paid back from the bank account.
    pub reembolsado: Money,
    /// The part that stays as a balance in the customer's favour.
    pub saldo_a_favor: Money,
    /// The clave of the credit note in the registry; left out if no document stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factura: Option<i64>,
    /// The clave of the payment that lowers the receivable; left out if it lowers none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pago: Option<i64>,
}

impl Operation for ReturnGoods {
    const SPEC: Spec =
        Spec::new().named("sale.return").emits(&[EventKind::PagoAplicado, EventKind::ExistenciaCambiada]);
    type Output = GoodsReturned;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<GoodsReturned, Error> {
        let distinct: BTreeSet<i64> = self.renglones.iter().map(|line| line.renglon).collect();
        if distinct.len() < self.renglones.len() {
            return Err(Error::field(Code::DatoInvalido, "renglones", "cada renglón va una sola vez"));
        }
        let document = ticket::lock_document(cx, self.venta).await?;
        cx.tx.lock_receivables(self.venta).await?;
        let sale = super::capture::valid(cx, self.venta).await?;
        let about = match sale.tipo {
            SaleKind::Venta => ticket::global_of(cx, &sale, document).await?.map(|global| global.clave),
            SaleKind::Factura => Some(invoice_of(cx, &sale, document).await?),
            _ => return Err(wrong_state("no es una venta ni una factura")),
        };
        if !cx.tx.imported_returns(&[sale.clave]).await?.is_empty() {
            return Err(wrong_state(IMPORTED_RETURNS));
        }
        if about.is_some() {
            validate_issuer(cx).await?;
        }
        let asked: Vec<(i64, Quantity)> =
            self.renglones.iter().map(|line| (line.renglon, line.cantidad.get())).collect();
        let lines = returns::lines(cx, sale.clave, &asked).await?;
        let taken = returns::take_back(cx, &sale, about, lines, self.cuenta_bancaria).await?;
        Ok(GoodsReturned {
            venta: sale.clave,
            total: taken.total,
            reembolsado: taken.reembolsado,
            saldo_a_favor: taken.a_favor,
            factura: taken.factura,
            pago: taken.pago,
        })
    }
}

/// The stamped invoice of an invoiced sale, which may take a credit note now.
async fn invoice_of(cx: &mut Cx<'_>, sale: &LockedSale, document: Option<RegisteredInvoice>) -> Result<i64, Error> {
    let invoice = document.filter(|found| sale.factura.as_ref().is_some_and(|own| own.clave == found.clave));
    let invoice = invoice.ok_or_else(|| wrong_state("su factura no está en el registro"))?;
    if invoice.estatus != InvoiceStatus::Vigente || invoice.uuid.is_none() {
        return Err(wrong_state("su factura no está timbrada"));
    }
    if invoice.cancelacion_solicitada {
        return Err(wrong_state("la cancelación de su factura ya se solicitó"));
    }
    if !cx.tx.substitutions(invoice.clave).await?.is_empty() {
        return Err(wrong_state("su factura se está sustituyendo"));
    }
    Ok(invoice.clave)
}
