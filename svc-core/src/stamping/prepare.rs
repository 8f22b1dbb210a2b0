//! The document of a leased record: the one that was sent before, else the one that was validated,
//! else one from the company's present records.

use chrono::TimeDelta;
use uuid::Uuid;

use super::Stamper;
use super::provider::StampingProvider;
use crate::context::{AttachmentFault, Step};
use crate::domain::cfdi::{
    Certificate, Cfdi, CfdiFault, CfdiRelacionados, DocumentParts, SigningKey, TipoRelacion, seal_with,
};
use crate::domain::clock::CLOCK_TOLERANCE;
use crate::domain::text::parse_uuid;
use crate::domain::time::Timestamp;
use crate::domain::words::{InvoiceKind, InvoiceStatus};
use crate::error::Error;
use crate::operation::Cx;
use crate::posting::complement::{self, Folios};
use crate::posting::{document, queued};
use crate::store::{Related, SIGNING_KEY, StampingRecord};

/// The oldest date of a document that is sent for the first time. The authority accepts 72 hours;
/// one is left for the request and for clock skew.
const OLDEST: TimeDelta = TimeDelta::hours(71);

/// Makes the document of a leased record.
pub(super) struct PrepareStamping<'a, 'p> {
    pub(super) provider: &'a StampingProvider<'a>,
    pub(super) factura: i64,
    pub(super) token: Uuid,
    /// What the host adds, and the document that it saw.
    pub(super) parts: Option<&'p (Cfdi, DocumentParts)>,
}

/// A document that the host is to be asked about.
pub(super) struct AskedDocument {
    pub(super) tipo: InvoiceKind,
    pub(super) venta: Option<i64>,
    pub(super) cliente: Option<i64>,
    pub(super) document: Cfdi,
}

/// What to do with a leased record.
pub(super) enum PreparedStamping<'a> {
    /// Have this document stamped by its company's stamper.
    Document(ReadyDocument<'a>),
    /// Ask the host what it adds to this document.
    Ask(Box<AskedDocument>),
    /// No document can be made.
    Fault(CfdiFault),
    /// The host adds nothing that could be sealed.
    Unattached(AttachmentFault),
    /// This record has to be stamped first: the invoice that a complement pays, a document that it
    /// relates to, or the credit note that takes the ticket out of its global invoice.
    Waits(i64),
    /// Its lease has ended, or it was finished.
    Lost,
}

/// A sealed document that is stored.
pub(super) struct ReadyDocument<'a> {
    pub(super) xml: String,
    /// Whether it was stored before, hence may have been sent.
    pub(super) sent_before: bool,
    pub(super) stamper: &'a dyn Stamper,
}

impl<'a> Step for PrepareStamping<'a, '_> {
    type Output = PreparedStamping<'a>;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<PreparedStamping<'a>, Error> {
        let stamper = self.provider.of(cx.company)?;
        let Some(record) = cx.tx.stamping_record(self.factura, Some(self.token)).await? else {
            return Ok(PreparedStamping::Lost);
        };
        if let Some(xml) = cx.tx.sealed_document(self.factura).await? {
            return Ok(PreparedStamping::Document(ReadyDocument { xml, sent_before: true, stamper }));
        }
        let (fecha, now) = (record.fecha, Timestamp::new(cx.earlier_now().await?));
        let validated = cx.tx.validated_document(self.factura).await?;
        let validated = validated.map(|xml| Cfdi::read(&xml)).transpose().map_err(Error::internal)?;
        // A ticket leaves its global invoice before it has one of its own.
        if let (InvoiceKind::Factura, Some(venta)) = (record.tipo, record.venta)
            && let Some(note) = cx.tx.unstamped_ticket_note(venta).await?
        {
            return Ok(PreparedStamping::Waits(note));
        }
        let (tipo, venta, cliente) = (record.tipo, record.venta, record.cliente);
        let document = match record.tipo {
            InvoiceKind::Pago => payment(cx, self.factura, record, validated).await?,
            _ => invoice(cx, self.factura, record, validated).await?.map_err(PreparedStamping::Fault),
        };
        let certificate = cx.tx.signing_certificate().await?;
        let fecha = issued(fecha, certificate.as_ref().map(|found| found.desde), now);
        let certificate = certificate.map(|found| Certificate { numero: found.numero, der: found.der });
        let missing = PreparedStamping::Fault(CfdiFault::Issuer("un certificado de sello digital"));
        let whole = document.and_then(|document| match certificate {
            Some(certificate) => document.to_be_sealed(fecha.get(), &certificate).map_err(PreparedStamping::Fault),
            None => Err(missing),
        });
        let mut document = match whole {
            Ok(document) => document,
            Err(other) => return Ok(other),
        };
        document.cfdi_relacionados = match related(&cx.tx.related(self.factura).await?) {
            Ok(related) => related,
            Err(other) => return Ok(other),
        };
        let none = DocumentParts::default();
        let parts = match self.parts {
            _ if !self.provider.context.has_attachments() => &none,
            // Its date is that of the moment if it is old.
            Some((seen, parts)) if *seen == (Cfdi { fecha: seen.fecha, ..document.clone() }) => parts,
            _ => {
                return Ok(PreparedStamping::Ask(Box::new(AskedDocument { tipo, venta, cliente, document })));
            }
        };
        // Locks the lease, so that nobody else writes an outcome before the commit.
        if !cx.tx.lock_stamping(self.factura, self.token).await? {
            return Ok(PreparedStamping::Lost);
        }
        let xml = sealed(cx, &document, parts).await?;
        cx.tx.keep_sealed(self.factura, &xml, parts.addenda.as_deref(), cx.now).await?;
        Ok(PreparedStamping::Document(ReadyDocument { xml, sent_before: false, stamper }))
    }
}

/// The documents that a record's relates to, as it names them: it waits for those that have no
/// fiscal folio yet.
fn related<'a>(records: &[Related]) -> Result<Vec<CfdiRelacionados>, PreparedStamping<'a>> {
    let folio = |record: &Related| match record.uuid.as_deref().and_then(parse_uuid) {
        Some(uuid) => Ok(uuid),
        None if matches!(record.estatus, InvoiceStatus::EnEspera | InvoiceStatus::Error) => {
            Err(PreparedStamping::Waits(record.factura))
        }
        None => Err(PreparedStamping::Fault(CfdiFault::Missing("el folio fiscal del documento relacionado"))),
    };
    let kinds = records.chunk_by(|a, b| a.relacion == b.relacion);
    let one = |kind: &[Related]| {
        let relacion = kind.first().map_or(TipoRelacion::Sustitucion, |record| record.relacion);
        Ok(CfdiRelacionados::of(relacion, kind.iter().map(folio).collect::<Result<Vec<_>, _>>()?))
    };
    kinds.map(one).collect()
}

/// The document, sealed with the key of the certificate that it names. The key is open for no
/// longer than this takes.
async fn sealed(cx: &mut Cx<'_>, document: &Cfdi, parts: &DocumentParts) -> Result<String, Error> {
    let numero = &document.no_certificado;
    let missing = || Error::internal(format!("the key of certificate {numero} is not there"));
    let kept = cx.tx.signing_key(numero, cx.now.get().date_naive()).await?.ok_or_else(missing)?;
    let key = SigningKey::from_pkcs8(&cx.open(SIGNING_KEY, numero, &kept)?).map_err(Error::internal)?;
    Ok(seal_with(document, &parts.complements, &key).map_err(Error::internal)?.xml)
}

async fn invoice(
    cx: &mut Cx<'_>,
    factura: i64,
    record: StampingRecord,
    validated: Option<Cfdi>,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    match validated {
        Some(document) => Ok(Ok(document)),
        None => document::of_record(cx, factura, record, None).await,
    }
}

async fn payment<'a>(
    cx: &mut Cx<'_>,
    factura: i64,
    record: StampingRecord,
    validated: Option<Cfdi>,
) -> Result<Result<Cfdi, PreparedStamping<'a>>, Error> {
    let payments = cx.tx.payments_to_stamp(factura).await?;
    let folios = match complement::folios(&payments) {
        Folios::Waits(factura) => return Ok(Err(PreparedStamping::Waits(factura))),
        Folios::Missing => {
            return Ok(Err(PreparedStamping::Fault(CfdiFault::Missing("el folio fiscal de la factura que se paga"))));
        }
        Folios::Known(folios) => folios,
    };
    // A document that covers other payments than the valid ones is not used.
    match validated.and_then(|mut validated| validated.name_paid(&folios).then_some(validated)) {
        Some(validated) => Ok(Ok(validated)),
        None => Ok(complement::of_payments(cx, record.cliente, queued::heading(record), payments)
            .await?
            .map_err(PreparedStamping::Fault)),
    }
}

/// The date of issue of a document that was never sent: when its record was queued, or now if that
/// is longer ago than [`OLDEST`], before the certificate is valid (`desde`) or, because a clock was
/// wrong, in the future. The authority refuses all three.
fn issued(fecha: Timestamp, desde: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let age = now.get() - fecha.get();
    let too_early = age > OLDEST || desde.is_some_and(|desde| fecha < desde);
    if too_early || age < -CLOCK_TOLERANCE { now } else { fecha }
}
