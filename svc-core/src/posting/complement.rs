//! Payment complements: the document of payments of invoices that are paid later or in parts.
//!
//! A complement has one receiver: that of the invoices it is about, as their documents name it,
//! whatever the customer's data say since (contract §7).

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;
use uuid::Uuid;

use super::issuer::{issuer, validate_issuer};
use super::queued::{self, heading, keep, keep_fit, open};
use super::receiver::{receiver, receivers};
use crate::domain::cfdi::{
    AppliedNote, Cfdi, CfdiFault, Heading, Line, PaidInvoice, PaymentOfInvoices, ReceiptSource, ReceivedPayment,
    Receiver, SettledInvoice, build_receipts,
};
use crate::domain::money::Money;
use crate::domain::payment::{LockedReceivable, payment_series};
use crate::domain::words::{CancellationReason, InvoiceKind, InvoiceStatus};
use crate::error::Error;
use crate::operation::Cx;
use crate::store::{AppliedCredit, Cancellation, RegisteredInvoice, StampingPayment};

/// The fiscal folios of the invoices that a complement's payments pay.
pub(crate) enum Folios {
    /// In the order of the payments.
    Known(Vec<Uuid>),
    /// This invoice is not stamped yet.
    Waits(i64),
    /// One of the invoices will never be stamped.
    Missing,
}

/// The document of a complement's payments, without date, certificate and seal. An invoice that is
/// not stamped yet has a nil folio.
pub(crate) async fn of_payments(
    cx: &mut Cx<'_>,
    cliente: Option<i64>,
    encabezado: Heading,
    payments: Vec<StampingPayment>,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let Some(first) = payments.first() else {
        return Ok(Err(CfdiFault::Missing("el pago del complemento")));
    };
    let (cp, paid) = (first.cp.clone(), first.factura.map(|(paid, _)| paid));
    Ok(build_receipts(&ReceiptSource {
        emisor: issuer(cx, cp),
        receptor: receiver(cx, paid, cliente).await?,
        encabezado,
        pagos: receipts(cx, &payments).await?,
    }))
}

/// Validates a queued complement again and stores its document. Payments of invoices that have
/// another receiver by now move to a complement of their own.
pub(crate) async fn keep_again(cx: &mut Cx<'_>, factura: i64) -> Result<(), Error> {
    let Some(record) = cx.tx.stamping_record(factura, None).await? else { return Ok(()) };
    let (cliente, serie) = (record.cliente, record.serie.clone());
    let payments = cx.tx.payments_to_stamp(factura).await?;
    let paid = payments.iter().map(|payment| payment.factura.map(|(paid, _)| paid)).collect::<Vec<_>>();
    let receivers = receivers(cx, paid.iter().copied().flatten()).await?;
    let mut parts: Vec<(Option<&Receiver>, Vec<i64>)> = Vec::new();
    for (payment, paid) in payments.iter().zip(&paid) {
        let receiver = paid.and_then(|paid| receivers.get(&paid));
        match parts.iter_mut().find(|(other, _)| *other == receiver) {
            Some((_, pagos)) => pagos.push(payment.pago),
            None => parts.push((receiver, vec![payment.pago])),
        }
    }
    for (_, pagos) in parts.iter().skip(1) {
        let serie = serie.clone().unwrap_or_default();
        let origen = cx.actor.invoice_origin();
        let (other, heading) = open(cx, InvoiceKind::Pago, serie, None, cliente, origen).await?;
        cx.tx.move_payments(pagos, other).await?;
        keep_of_payments(cx, other, cliente, heading).await?;
    }
    keep_of_payments(cx, factura, cliente, heading(record)).await
}

/// Creates one payment complement per receiver of invoices that need one, in the series of the
/// branch of the receiver's first receivable. Returns the clave and heading of each receivable's
/// complement, with its customer.
pub(crate) async fn open_all<'d>(
    cx: &mut Cx<'_>,
    debts: impl Iterator<Item = &'d LockedReceivable> + Send,
) -> Result<Complements, Error> {
    let debts: Vec<_> = debts.filter(|debt| debt.needs_complement()).collect();
    let receivers = receivers(cx, debts.iter().filter_map(|debt| debt.factura)).await?;
    let origen = cx.actor.invoice_origin();
    let mut opened: Vec<(Option<i64>, Option<&Receiver>, i64, Heading)> = Vec::new();
    let mut by_receivable = BTreeMap::new();
    for debt in debts {
        let receiver = debt.factura.and_then(|factura| receivers.get(&factura));
        let known = opened.iter().find(|(cliente, other, ..)| *cliente == debt.cliente && *other == receiver);
        let factura = if let Some((_, _, factura, _)) = known {
            *factura
        } else {
            let serie = payment_series(debt.sucursal);
            let (factura, heading) = open(cx, InvoiceKind::Pago, serie, None, debt.cliente, origen).await?;
            opened.push((debt.cliente, receiver, factura, heading));
            factura
        };
        by_receivable.insert(debt.clave, factura);
    }
    let opened = opened.into_iter().map(|(cliente, _, factura, heading)| (factura, cliente, heading)).collect();
    Ok(Complements { by_receivable, opened })
}

/// The complements of one payment operation.
pub(crate) struct Complements {
    /// The clave in the registry of each receivable's complement.
    pub(crate) by_receivable: BTreeMap<i64, i64>,
    /// Each complement with its customer and heading.
    opened: Vec<(i64, Option<i64>, Heading)>,
}

impl Complements {
    /// Stores their documents, once their payments are written.
    pub(crate) async fn keep(self, cx: &mut Cx<'_>) -> Result<(), Error> {
        for (factura, cliente, heading) in self.opened {
            keep_of_payments(cx, factura, cliente, heading).await?;
        }
        Ok(())
    }
}

/// Validates a queued complement and stores its document. A payment is recorded even if its
/// document is invalid: then no document is stored, and the worker reports the fault.
pub(crate) async fn keep_of_payments(
    cx: &mut Cx<'_>,
    factura: i64,
    cliente: Option<i64>,
    encabezado: Heading,
) -> Result<(), Error> {
    let payments = cx.tx.payments_to_stamp(factura).await?;
    match of_payments(cx, cliente, encabezado, payments).await? {
        Ok(document) => keep(cx, factura, &document).await,
        Err(_) => Ok(cx.tx.keep_validated(factura, None).await?),
    }
}

/// Queues the substitute of a stamped complement, whose record is locked: the same payments, from
/// today's data, related to it as 04. Returns its clave.
pub(crate) async fn substitute(
    cx: &mut Cx<'_>,
    complement: &RegisteredInvoice,
    debt: &LockedReceivable,
) -> Result<i64, Error> {
    validate_issuer(cx).await?;
    let (serie, origen) = (payment_series(debt.sucursal), cx.actor.invoice_origin());
    let (factura, heading) = open(cx, InvoiceKind::Pago, serie, None, debt.cliente, origen).await?;
    cx.tx.relate_substitute(factura, complement.clave).await?;
    let payments = cx.tx.payments_to_stamp(factura).await?;
    let document = of_payments(cx, debt.cliente, heading, payments).await?;
    keep_fit(cx, factura, document).await?;
    Ok(factura)
}

/// Gives a stamped substitute the payments of the complement `replaced`, and requests that one's
/// cancellation (01).
pub(crate) async fn replace(cx: &mut Cx<'_>, factura: i64, uuid: &str, replaced: i64) -> Result<(), Error> {
    cx.tx.take_over_payments(replaced, factura).await?;
    cancel_replaced(cx, replaced, uuid).await.map(|_| ())
}

/// Requests the cancellation (01) of a complement that another, with this fiscal folio, replaces;
/// `false` if it is cancelled or its cancellation was requested before.
pub(crate) async fn cancel_replaced(cx: &mut Cx<'_>, replaced: i64, uuid: &str) -> Result<bool, Error> {
    let stands = |old: &RegisteredInvoice| old.estatus == InvoiceStatus::Vigente && !old.cancelacion_solicitada;
    let Some(old) = cx.tx.lock_invoice(replaced).await?.filter(stands) else { return Ok(false) };
    let motivo = CancellationReason::Replaced.word();
    let cancellation = Cancellation { motivo, uuid_sustitucion: Some(uuid) };
    queued::request_cancellation(cx, &old, &cancellation, None, false).await?;
    Ok(true)
}

/// The fiscal folios of the invoices that these payments pay.
pub(crate) fn folios(payments: &[StampingPayment]) -> Folios {
    let mut known = Vec::with_capacity(payments.len());
    for payment in payments {
        match (payment.uuid.as_deref().and_then(|uuid| Uuid::try_parse(uuid).ok()), payment.factura) {
            (Some(uuid), _) => known.push(uuid),
            // A rejected invoice may still be corrected and stamped.
            (None, Some((factura, InvoiceStatus::EnEspera | InvoiceStatus::Error))) => return Folios::Waits(factura),
            (None, _) => return Folios::Missing,
        }
    }
    Folios::Known(known)
}

/// The payments of the complement. Parts with different exchange rates are payments of their own.
async fn receipts(cx: &mut Cx<'_>, payments: &[StampingPayment]) -> Result<Vec<PaymentOfInvoices>, Error> {
    let mut invoices = paid_invoices(cx, payments).await?.into_iter();
    let together =
        payments.chunk_by(|a, b| (&a.moneda_pago, a.tipo_cambio_pago) == (&b.moneda_pago, b.tipo_cambio_pago));
    Ok(together.filter_map(|parts| Some(receipt(parts.first()?, parts, &mut invoices))).collect())
}

fn receipt(
    first: &StampingPayment,
    parts: &[StampingPayment],
    invoices: &mut impl Iterator<Item = PaidInvoice>,
) -> PaymentOfInvoices {
    let settled = |(part, factura): (&StampingPayment, PaidInvoice)| SettledInvoice {
        moneda: part.moneda.clone(),
        monto: part.monto,
        factura,
    };
    PaymentOfInvoices { pago: money_in(first, parts), facturas: parts.iter().zip(invoices).map(settled).collect() }
}

fn money_in(first: &StampingPayment, payments: &[StampingPayment]) -> ReceivedPayment {
    ReceivedPayment {
        fecha: first.fecha,
        forma_pago_sat: first.forma_pago_sat.clone(),
        moneda: first.moneda_pago.clone(),
        tipo_cambio: first.tipo_cambio_pago,
        monto: Money::new(payments.iter().map(|payment| payment.monto.get()).sum::<Decimal>()),
        referencia: first.referencia.clone(),
    }
}

/// The invoices that these payments pay, each with the lines of its sale and the credit notes that
/// lowered its balance before the payment, though they may be later than another payment of the
/// same document.
async fn paid_invoices(cx: &mut Cx<'_>, payments: &[StampingPayment]) -> Result<Vec<PaidInvoice>, Error> {
    let sales: Vec<i64> = payments.iter().filter_map(|payment| payment.venta).collect();
    let mut lines: HashMap<i64, Vec<Line>> = HashMap::new();
    for (venta, line) in cx.tx.lines_to_stamp(&sales).await? {
        lines.entry(venta).or_default().push(line);
    }
    // Nothing lowered what is owed in full.
    let lowered = |payment: &&StampingPayment| payment.saldo_anterior != payment.total;
    let lowered: Vec<i64> = payments.iter().filter(lowered).filter_map(|payment| payment.venta).collect();
    let credits = if lowered.is_empty() { Vec::new() } else { cx.tx.applied_credits(&lowered).await? };
    let of_sale = |payment: &StampingPayment| payment.venta.and_then(|venta| lines.get(&venta));
    let credited = |payment: &StampingPayment| {
        let before = |note: &&[AppliedCredit]| {
            note.first().is_some_and(|credit| Some(credit.venta) == payment.venta && credit.pago < payment.pago)
        };
        let line = |credit: &AppliedCredit| {
            let line = of_sale(payment)?.iter().find(|line| line.renglon == credit.line.renglon)?;
            Some(credit.line.of_document(line.clone(), credit.relacion))
        };
        let note = |credits: &[AppliedCredit]| {
            let AppliedCredit { importe, total, .. } = *credits.first()?;
            Some(AppliedNote { importe, total, renglones: credits.iter().filter_map(line).collect() })
        };
        credits.chunk_by(|a, b| a.pago == b.pago).filter(before).filter_map(note).collect()
    };
    let paid = |payment: &StampingPayment| PaidInvoice {
        uuid: payment.uuid.as_deref().and_then(|uuid| Uuid::try_parse(uuid).ok()).unwrap_or_default(),
        serie: payment.serie.clone(),
        folio: payment.folio.clone(),
        total: payment.total,
        parcialidad: payment.parcialidad,
        saldo_anterior: payment.saldo_anterior,
        importe: payment.importe,
        saldo_insoluto: payment.saldo_insoluto,
        renglones: of_sale(payment).cloned().unwrap_or_default(),
        notas: credited(payment),
    };
    Ok(payments.iter().map(paid).collect())
}
