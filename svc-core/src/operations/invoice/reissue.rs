//! Reissues documents that were rejected or whose outcome is unknown: they are made again from the
//! company's current data, with the same series and folio, and queued (contract §7).

use chrono::TimeDelta;
use schemars::JsonSchema;
use serde::Deserialize;

use super::outcome::{InvoiceRef, locked};
use crate::domain::cfdi::TipoDeComprobante;
use crate::domain::invoice::{ProposedTerms, validate_receiver};
use crate::domain::words::{InvoiceKind, InvoiceStatus};
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::operations::PaymentRef;
use crate::posting::issuer::validate_issuer;
use crate::posting::{complement, document, global, queued, receiver};
use crate::store::{RegisteredInvoice, Related, StampingRecord};

/// The authority refuses to stamp documents that were sealed longer ago.
const TAKEN: TimeDelta = TimeDelta::hours(72);

/// Makes the document of a rejected invoice or credit note again, after its data were corrected,
/// and queues it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReissueInvoice {
    /// The clave of the invoice.
    pub factura: i64,
    /// Also reissues a document that was sent with unknown outcome, and drops the sealed document.
    /// If that was stamped after all, there are two. False if left out.
    pub forzar: Option<bool>,
}

/// Makes the complement of a payment again, after its data were corrected, and queues it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReissuePayment {
    /// The clave of the payment.
    pub pago: i64,
    /// Also reissues a document that was sent with unknown outcome, and drops the sealed document.
    /// If that was stamped after all, there are two. False if left out.
    pub forzar: Option<bool>,
}

impl Operation for ReissueInvoice {
    const SPEC: Spec = Spec::new().named("invoice.restamp").each_time();
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let wrong = |text: &str| Error::field(Code::EstadoInvalido, "factura", text);
        let invoice = locked(cx, self.factura).await?;
        if !matches!(invoice.tipo, InvoiceKind::Factura | InvoiceKind::NotaCredito) {
            return Err(wrong("no es una factura; un pago se vuelve a timbrar con payment.restamp"));
        }
        validate_contents(cx, &invoice).await?;
        let record = requeue(cx, &invoice, self.forzar, wrong).await?;
        let terms = match record.venta.filter(|_| record.tipo == InvoiceKind::Factura) {
            Some(venta) => Some(terms(cx, self.factura, venta, record.cliente).await?),
            None => None,
        };
        validate_issuer(cx).await?;
        let document = document::of_record(cx, self.factura, record, terms.as_ref()).await?;
        queued::keep_fit(cx, self.factura, document).await?;
        document::keep_waiting(cx, self.factura).await?;
        Ok(InvoiceRef { factura: self.factura })
    }
}

/// Refuses a document that relies on something cancelled: the invoice that it replaces or credits.
/// Sales that a global invoice can no longer take leave it.
async fn validate_contents(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<(), Error> {
    if invoice.estatus != InvoiceStatus::Error {
        return Ok(());
    }
    let given_up = |text: &str| {
        let text = format_args!("{text}; se descarta con document.discard");
        Err(Error::field(Code::EstadoInvalido, "factura", text))
    };
    if let Some(replaced) = invoice.sustituye {
        let replaced = locked(cx, replaced).await?;
        if replaced.estatus != InvoiceStatus::Vigente || replaced.cancelacion_solicitada {
            return given_up("lo que sustituye ya no está vigente o se está cancelando");
        }
    }
    match (invoice.tipo, invoice.venta) {
        (InvoiceKind::NotaCredito, _) => {
            let gone = |related: &Related| related.estatus == InvoiceStatus::Cancelada;
            if cx.tx.related(invoice.clave).await?.iter().any(gone) {
                return given_up("la factura que acredita está cancelada");
            }
        }
        (InvoiceKind::Factura, None) => global::release_unfit(cx, invoice).await?,
        _ => {}
    }
    Ok(())
}

impl Operation for ReissuePayment {
    const SPEC: Spec = Spec::new().named("payment.restamp").each_time();
    type Output = PaymentRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PaymentRef, Error> {
        let pago = self.pago;
        let wrong = |text: &str| Error::field(Code::EstadoInvalido, "pago", text);
        let missing =
            || Error::field(Code::NoEncontrado, "pago", format_args!("el pago {pago} no existe en la empresa"));
        let payment = cx.tx.lock_payment(pago).await?.ok_or_else(missing)?;
        if payment.cancelado {
            return Err(wrong("está cancelado"));
        }
        let own = payment.factura.ok_or_else(|| wrong("no lleva complemento"))?;
        // A substitute is not the payment's complement before it is stamped.
        let factura = cx.tx.substitutions(own).await?.first().map_or(own, |(substitute, _)| *substitute);
        let complement = locked(cx, factura).await?;
        validate_contents(cx, &complement).await?;
        let record = requeue(cx, &complement, self.forzar, wrong).await?;
        validate_issuer(cx).await?;
        let payments = cx.tx.payments_to_stamp(factura).await?;
        let document = complement::of_payments(cx, record.cliente, queued::heading(record), payments).await?;
        queued::keep_fit(cx, factura, document).await?;
        Ok(PaymentRef { pago })
    }
}

/// Queues a locked record again: a rejected one, or with force one that is stuck.
async fn requeue(
    cx: &mut Cx<'_>,
    record: &RegisteredInvoice,
    forzar: Option<bool>,
    wrong: impl Fn(&str) -> Error,
) -> Result<StampingRecord, Error> {
    let forced = forzar == Some(true);
    match record.estatus {
        InvoiceStatus::Error => {}
        InvoiceStatus::EnEspera if forced => {
            let queued = cx.tx.lock_queued(record.clave).await?;
            let queued = queued.ok_or_else(|| wrong("no está en la cola de timbrado"))?;
            if queued.leased {
                return Err(wrong("se está timbrando en este momento; reintente"));
            }
            // A document that was never sealed was never sent.
            if queued.sealed.is_some_and(|sealed| cx.now.get() - sealed < TAKEN) {
                return Err(wrong("se envió hace menos de 72 horas y todavía puede saberse si se timbró"));
            }
            cx.tx.drop_sealed(record.clave).await?;
        }
        InvoiceStatus::EnEspera => return Err(wrong("espera su timbre; si nadie sabe qué fue de ella, con forzar")),
        InvoiceStatus::Vigente | InvoiceStatus::Cancelada => return Err(wrong("no está en error")),
    }
    cx.tx.requeue_stamping(record.clave, cx.now).await?;
    let gone = || Error::internal(format!("record {} is not queued", record.clave));
    cx.tx.stamping_record(record.clave, None).await?.ok_or_else(gone)
}

/// The terms of an invoiced sale, with a CFDI use that is valid today. Locks the sale after its
/// receivables.
async fn terms(cx: &mut Cx<'_>, factura: i64, venta: i64, cliente: Option<i64>) -> Result<ProposedTerms, Error> {
    cx.tx.lock_receivables(venta).await?;
    let missing = || Error::new(Code::DocumentoInvalido).message("falta la venta que se factura");
    let sale = cx.tx.lock_sale(venta).await?.ok_or_else(missing)?;
    if sale.cancelada {
        return Err(Error::field(
            Code::EstadoInvalido,
            "factura",
            "su venta está cancelada; se descarta con document.discard",
        ));
    }
    if let Some(correction) = cx.tx.correction(factura).await? {
        let receptor = receiver::of_customer(cx, Some(correction.cliente)).await?;
        let uso = correction.terms.uso_cfdi.as_deref();
        validate_receiver(TipoDeComprobante::I, &receptor, uso)?;
        return Ok(correction.terms);
    }
    let uso_cfdi = Some(used_for(cx, cliente, sale.uso_cfdi.as_deref()).await?);
    Ok(ProposedTerms { forma_pago_sat: sale.forma_pago_sat, metodo_pago_sat: sale.metodo_pago_sat, uso_cfdi })
}

/// The sale's CFDI use, or the customer's current one if the sale's no longer fits the customer's
/// regime.
async fn used_for(cx: &mut Cx<'_>, cliente: Option<i64>, of_sale: Option<&str>) -> Result<String, Error> {
    let receptor = receiver::of_customer(cx, cliente).await?;
    let validate = |uso: Option<&str>| validate_receiver(TipoDeComprobante::I, &receptor, uso);
    Ok(match validate(of_sale) {
        Err(Code::UsoCfdiIncompatible) if of_sale.is_some() && receptor.uso_cfdi.is_some() => validate(None)?,
        outcome => outcome?,
    })
}
