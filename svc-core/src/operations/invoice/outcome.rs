//! Recording the tax authority's answers, and cancellations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::substitution;
use crate::domain::cfdi::{Cfdi, StampedXml, TipoDeComprobante, UnfitStamp, holds};
use crate::domain::event::EventKind;
use crate::domain::text::{UUID, parse_uuid, printed_folio};
use crate::domain::time::Timestamp;
use crate::domain::words::{CancellationReason, InvoiceKind, InvoiceStatus};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Operation, Spec};
use crate::posting::{cancelled, global, queued, receiver, rest, stamped};
use crate::store::{Cancellation, RegisteredInvoice};

/// Records that an invoice or payment complement was stamped. Its record must be waiting, or
/// rejected and since corrected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceStamped {
    /// The clave in the registry.
    pub factura: i64,
    /// The stamped XML, which must belong to this record; it is stored.
    pub xml: Option<Text<MAX_XML>>,
    /// The fiscal folio, instead of the XML, only while the sandbox stamps.
    #[schemars(extend("pattern" = UUID))]
    pub uuid: Option<Text<36>>,
}

/// In characters.
const MAX_XML: usize = 4_000_000;

/// Records that an invoice or payment complement was rejected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceRejected {
    /// The clave in the registry.
    pub factura: i64,
    /// The authority's code.
    pub codigo: Text<50>,
    /// The authority's message.
    pub mensaje: Text<1000>,
}

/// Requests the cancellation of a stamped invoice. A stamping pass sends it to the authority and
/// follows it; `svc do` sends it at once. Nothing else changes until the authority's final answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelInvoice {
    /// The clave of the invoice.
    pub factura: i64,
    /// The SAT's reason.
    pub motivo: CancellationReason,
    /// The fiscal folio of the substitute; required by reason 01 and refused with any other.
    #[schemars(extend("pattern" = UUID))]
    pub uuid_sustitucion: Option<Text<36>>,
    /// For the sandbox: whether the receiver must accept. It then waits up to 72 hours for
    /// `invoice.cancel-accepted` or `invoice.cancel-rejected`. The authority decides this by
    /// itself.
    pub requiere_aceptacion: Option<bool>,
}

/// Records that the receiver, or the authority in their place, accepted a cancellation.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptCancellation {
    /// The clave of the invoice.
    pub factura: i64,
}

/// Records that the receiver refused a cancellation.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectCancellation {
    /// The clave of the invoice.
    pub factura: i64,
}

/// The invoice that was changed.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct InvoiceRef {
    /// The clave in the registry.
    pub factura: i64,
}

pub(super) fn wrong_state(text: &str) -> Error {
    Error::field(Code::EstadoInvalido, "factura", text)
}

/// Locks a record of the registry.
pub(super) async fn locked(cx: &mut Cx<'_>, factura: i64) -> Result<RegisteredInvoice, Error> {
    let missing =
        || Error::field(Code::NoEncontrado, "factura", format_args!("la factura {factura} no existe en la empresa"));
    cx.tx.lock_invoice(factura).await?.ok_or_else(missing)
}

/// Parses a fiscal folio into its stored form.
fn uuid(text: &str, field: &str) -> Result<Uuid, Error> {
    parse_uuid(text).ok_or_else(|| Error::field(Code::DatoInvalido, field, "no es un folio fiscal"))
}

impl Operation for InvoiceStamped {
    const SPEC: Spec = Spec::new().named("invoice.stamped").emits(&[EventKind::FacturaTimbrada]);
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let given = self.given(cx)?;
        let invoice = locked(cx, self.factura).await?;
        if !matches!(invoice.estatus, InvoiceStatus::EnEspera | InvoiceStatus::Error) {
            return Err(wrong_state("no espera timbre"));
        }
        validate_contents(cx, &invoice).await?;
        match given {
            Given::Folio(uuid) => stamped::accepted(cx, &invoice, uuid, cx.now, None).await?,
            Given::Document(found) => {
                let (stamped, document) = *found;
                validate_own(cx, &invoice, &stamped, &document).await?;
                let at = stamped.at().map_or(cx.now, Timestamp::new);
                stamped::accepted(cx, &invoice, stamped.timbre.uuid, at, Some(&stamped.xml)).await?;
            }
        }
        Ok(InvoiceRef { factura: invoice.clave })
    }
}

/// Refuses to record a document as stamped whose sales are no longer in it, or not yet.
async fn validate_contents(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<(), Error> {
    if let (InvoiceStatus::Error, Some(venta)) = (invoice.estatus, invoice.venta) {
        // A sale whose invoice was rejected may have been cancelled meanwhile; its invoice is
        // then no longer stamped.
        cx.tx.lock_receivables(venta).await?;
        if cx.tx.lock_sale(venta).await?.is_some_and(|sale| sale.cancelada) {
            return Err(wrong_state("su venta está cancelada"));
        }
    }
    if let (InvoiceKind::Factura, Some(venta)) = (invoice.tipo, invoice.venta)
        && let Some(note) = cx.tx.unstamped_ticket_note(venta).await?
    {
        let text = format!("su venta está en una factura global, de la que primero sale por la nota de crédito {note}");
        return Err(wrong_state(&text));
    }
    // A sale of a rejected global invoice may have been cancelled or returned meanwhile, too.
    if (invoice.estatus, invoice.tipo, invoice.venta) == (InvoiceStatus::Error, InvoiceKind::Factura, None)
        && global::has_lost_sales(cx, invoice.clave).await?
    {
        return Err(wrong_state("contiene ventas que ya no están en ella; se rehace con invoice.restamp"));
    }
    Ok(())
}

/// How the caller proves that the invoice was stamped.
enum Given {
    Folio(Uuid),
    Document(Box<(StampedXml, Cfdi)>),
}

impl InvoiceStamped {
    fn given(&self, cx: &Cx<'_>) -> Result<Given, Error> {
        let fault = |code, text: &str| Err(Error::field(code, "xml", text));
        match (self.xml.as_deref(), self.uuid.as_deref()) {
            (Some(_), Some(_)) => fault(Code::DatoInvalido, "va xml o uuid, no ambos"),
            (None, Some(text)) if cx.sandbox => Ok(Given::Folio(uuid(text, "uuid")?)),
            (None, Some(_)) => {
                fault(Code::DatoRequerido, "hace falta el documento timbrado; un uuid solo se admite con el sandbox")
            }
            (None, None) if cx.sandbox => fault(Code::DatoRequerido, "hace falta xml, o uuid con el sandbox"),
            (None, None) => fault(Code::DatoRequerido, "hace falta el documento timbrado"),
            (Some(xml), None) => match StampedXml::of_any(xml.to_owned()) {
                Ok(found) if holds(xml) => Ok(Given::Document(Box::new(found))),
                Ok(_) => fault(Code::DatoInvalido, "su sello no es el del documento"),
                Err(UnfitStamp::TooLarge) => fault(Code::DatoInvalido, "es mayor que cualquier CFDI"),
                Err(UnfitStamp::NotStamped) => fault(Code::DatoInvalido, "no trae un timbre completo"),
                Err(UnfitStamp::NoDocument | UnfitStamp::Other) => fault(Code::DatoInvalido, "no es un CFDI timbrado"),
            },
        }
    }
}

/// Refuses a stamped document that is not this record's. If a document was sealed here, it must be
/// that one; otherwise issuer, series, folio, receiver and amount must match.
async fn validate_own(
    cx: &mut Cx<'_>,
    invoice: &RegisteredInvoice,
    stamped: &StampedXml,
    document: &Cfdi,
) -> Result<(), Error> {
    let other =
        |text: &str| Err(Error::field(Code::DatoInvalido, "xml", format_args!("no es de este registro: {text}")));
    if let Some(sealed) = cx.tx.sealed_document(invoice.clave).await? {
        let own = StampedXml::read(stamped.xml.clone(), &sealed).is_ok();
        return if own { Ok(()) } else { other("ya se selló otro documento, que pudo timbrarse") };
    }
    let tipo = match invoice.tipo {
        InvoiceKind::Pago => TipoDeComprobante::P,
        InvoiceKind::NotaCredito => TipoDeComprobante::E,
        _ => TipoDeComprobante::I,
    };
    let [serie, folio] = [&document.serie, &document.folio].map(|part| part.as_deref().unwrap_or_default());
    let folio = printed_folio(serie, folio);
    if document.tipo_de_comprobante != tipo {
        return other("es de otro tipo");
    }
    if Some(document.emisor.rfc.as_str()) != cx.company.rfc.as_deref() {
        return other("lo emite otro RFC");
    }
    if invoice.folio.as_deref().is_some_and(|own| own != folio) {
        return other("tiene otra serie o folio");
    }
    let (receiver, matches) = match (tipo, invoice.venta) {
        (TipoDeComprobante::P, _) => {
            let payments = cx.tx.payments_to_stamp(invoice.clave).await?;
            let own: Vec<_> = payments.iter().map(|payment| payment.importe.get()).collect();
            let payments = document.complemento.iter().flat_map(|complement| &complement.pagos);
            let paid = payments.flat_map(|payments| &payments.pago);
            let paid: Vec<_> =
                paid.flat_map(|pago| &pago.docto_relacionado).map(|paid| paid.imp_pagado.get()).collect();
            (None, own == paid)
        }
        (TipoDeComprobante::E, _) => {
            let note = cx.tx.credit_note(invoice.clave).await?;
            (None, note.is_none_or(|note| note.amounts.total.get() == document.total.get()))
        }
        (_, Some(venta)) => match cx.tx.lock_sale(venta).await? {
            Some(sale) => {
                let corrected = cx.tx.correction(invoice.clave).await?;
                let total = corrected.map_or(sale.amounts.total, |corrected| corrected.amounts.total);
                let total = rest::invoiced_total(cx, venta, total).await?;
                let own = total.get() == document.total.get() && sale.moneda == document.moneda;
                (sale.cliente, own)
            }
            None => (None, true),
        },
        (_, None) => (None, true),
    };
    if !matches {
        return other("es de otro importe");
    }
    let receiver = receiver::receiver(cx, Some(invoice.clave), receiver).await?;
    if receiver.rfc.is_some_and(|rfc| rfc != document.receptor.rfc) {
        return other("lo recibe otro RFC");
    }
    Ok(())
}

impl Operation for InvoiceRejected {
    const SPEC: Spec = Spec::new().named("invoice.rejected").emits(&[EventKind::FacturaRechazada]);
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let invoice = locked(cx, self.factura).await?;
        if invoice.estatus != InvoiceStatus::EnEspera {
            return Err(wrong_state("no espera timbre"));
        }
        stamped::refused(cx, &invoice, &self.codigo, &self.mensaje).await?;
        Ok(InvoiceRef { factura: invoice.clave })
    }
}

impl CancelInvoice {
    /// The fiscal folio of the substitute, which reason 01 needs.
    fn substitution(&self) -> Result<Option<String>, Error> {
        match (self.motivo, self.uuid_sustitucion.as_deref()) {
            (CancellationReason::Replaced, None) => {
                Err(Error::field(Code::DatoRequerido, "uuid_sustitucion", "hace falta con el motivo 01"))
            }
            (CancellationReason::Replaced, Some(text)) => Ok(Some(uuid(text, "uuid_sustitucion")?.to_string())),
            (_, Some(_)) => Err(Error::field(Code::DatoInvalido, "uuid_sustitucion", "solo va con el motivo 01")),
            (_, None) => Ok(None),
        }
    }
}

impl Operation for CancelInvoice {
    const SPEC: Spec = Spec::new()
        .named("invoice.cancel")
        .each_time()
        .emits(&[EventKind::FacturaCancelada, EventKind::ExistenciaCambiada]);
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let substitution = self.substitution()?;
        let invoice = locked(cx, self.factura).await?;
        if !matches!(invoice.tipo, InvoiceKind::Factura | InvoiceKind::NotaCredito) {
            return Err(wrong_state("solo se cancelan facturas y notas de crédito; un pago, con payment.cancel"));
        }
        if invoice.estatus != InvoiceStatus::Vigente {
            return Err(wrong_state("no está vigente"));
        }
        if invoice.cancelacion_solicitada {
            return Err(wrong_state("su cancelación ya se solicitó"));
        }
        if let Some(uuid) = &substitution {
            if substitution == invoice.uuid {
                return Err(Error::field(Code::DatoInvalido, "uuid_sustitucion", "es el de la misma factura"));
            }
            substitution::validate(cx, &invoice, uuid).await?;
        }
        let waits = |(_, estatus): &(i64, InvoiceStatus)| *estatus == InvoiceStatus::EnEspera;
        if cx.tx.substitutions(invoice.clave).await?.iter().any(waits) {
            return Err(wrong_state("la factura que la sustituye espera timbre"));
        }
        // With reason 01 the authority decides: what a substitute replaces stays related.
        if invoice.venta.is_none() && substitution.is_none() && cx.tx.has_notes_about(invoice.clave).await? {
            return Err(wrong_state("tiene notas de crédito; se sustituye (invoice.substitute) y se cancela con 01"));
        }
        let cancellation = Cancellation { motivo: self.motivo.word(), uuid_sustitucion: substitution.as_deref() };
        cancelled::sale(cx, &invoice).await?;
        cancelled::note(cx, &invoice).await?;
        queued::request_cancellation(cx, &invoice, &cancellation, None, self.requiere_aceptacion == Some(true)).await?;
        Ok(InvoiceRef { factura: invoice.clave })
    }
}

impl Operation for AcceptCancellation {
    const SPEC: Spec = Spec::new()
        .named("invoice.cancel-accepted")
        .emits(&[EventKind::FacturaCancelada, EventKind::ExistenciaCambiada]);
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let invoice = requested(cx, self.factura).await?;
        cancelled::finish(cx, &invoice).await?;
        Ok(InvoiceRef { factura: invoice.clave })
    }
}

impl Operation for RejectCancellation {
    const SPEC: Spec = Spec::new().named("invoice.cancel-rejected").each_time();
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let invoice = requested(cx, self.factura).await?;
        cancelled::refused(cx, &invoice).await?;
        Ok(InvoiceRef { factura: invoice.clave })
    }
}

/// Locks an invoice whose cancellation awaits the receiver's answer.
async fn requested(cx: &mut Cx<'_>, factura: i64) -> Result<RegisteredInvoice, Error> {
    let invoice = locked(cx, factura).await?;
    if !invoice.cancelacion_solicitada {
        return Err(wrong_state("no se solicitó su cancelación"));
    }
    Ok(invoice)
}
