//! Cancellations: asking the authority, and following what comes of it.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::America::Mexico_City;
use uuid::Uuid;

use super::lease::lease_time;
use super::pace::{FOLLOW_UP, pause};
use super::{MOST_CODE, MOST_MESSAGE, StampFailure, Stamper, plain};
use crate::context::Context;
use crate::domain::cfdi::{Cancelacion, Certificate, Cfdi, StampedXml};
use crate::domain::clock::random_bytes;
use crate::domain::company::CompanyId;
use crate::domain::sat;
use crate::domain::text::parse_uuid;
use crate::domain::words::{CancellationReason, Held, InvoiceStatus};
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::cancelled;
use crate::store::{
    AskedCancellation, CancellationPause, LeasedStamping, SIGNING_KEY, StampingLease, Tx, Work, transact,
};

/// How long a request that the authority received may leave no trace with it, before it is sent again.
const LOST_AFTER: TimeDelta = TimeDelta::days(4);

/// How soon after a request its refusal can be meant: before that the refusal is an earlier one's.
const NOT_YET: TimeDelta = TimeDelta::minutes(2);

/// A stamped document, by what the authority knows it by.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Cancelled {
    /// Its fiscal folio.
    pub uuid: Uuid,
    /// RFC of its issuer.
    pub emisor: String,
    /// RFC of its receiver, and their name.
    pub receptor: String,
    /// The receiver's name.
    pub nombre: String,
    /// Its total, as the document has it.
    pub total: String,
    /// The last eight characters of its signature; none if it was stamped elsewhere.
    pub sello: Option<String>,
    /// RFC of the provider that stamped it; none if it was stamped elsewhere.
    pub proveedor: Option<String>,
}

impl Cancelled {
    /// What is printed of the document for the authority to know it by: `?re=…&rr=…&tt=…&id=…&fe=…`.
    pub fn expression(&self) -> String {
        let rfc = |rfc: &str| rfc.replace('&', "&amp;");
        let seal = self.sello.as_deref().map(|last| format!("&fe={last}")).unwrap_or_default();
        let (emisor, receptor) = (rfc(&self.emisor), rfc(&self.receptor));
        format!("?re={emisor}&rr={receptor}&tt={}&id={}{seal}", self.total, self.uuid.to_string().to_uppercase())
    }
}

/// A cancellation that is asked for, or asked about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CancelRequest {
    /// The same in all attempts, and unique among all companies and installations: 1 to 100 visible ASCII characters.
    pub id: String,
    /// The document.
    pub document: Cancelled,
    /// Why.
    pub motivo: CancellationReason,
    /// What takes its place, with reason 01.
    pub sustitucion: Option<Uuid>,
    /// The request (`Cancelacion`), signed by the issuer; none while the company has no valid certificate.
    pub xml: Option<String>,
    /// When it was asked for.
    pub asked: DateTime<Utc>,
    /// When this attempt is made.
    pub at: DateTime<Utc>,
    /// Whether the request says that the receiver has to accept. The authority decides; the sandbox takes their word.
    pub aceptacion: bool,
}

impl CancelRequest {
    /// The signed request, which providers are sent.
    pub fn signed(&self) -> Result<&str, StampFailure> {
        let missing = || StampFailure::Misconfigured("the company has no valid certificate to sign with".to_owned());
        self.xml.as_deref().ok_or_else(missing)
    }
}

/// The authority has received a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CancelReceipt {
    /// Its receipt (acuse), an XML, where the provider gives it.
    pub acuse: Option<String>,
}

/// What the authority says of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentStatus {
    /// It is valid, and there is no word of a cancellation.
    Valid,
    /// It is valid until its receiver accepts, or 72 hours are over.
    Pending,
    /// It is valid: its receiver refused.
    Refused,
    /// It is cancelled, finally.
    Cancelled,
    /// The authority does not know it (yet).
    NotFound,
}

/// What came of a cancellation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is final.
    Final,
    /// The receiver refused.
    Refused,
    /// The authority has it, and no word yet; with what kept it from being asked.
    Waits(Option<StampFailure>),
    /// The authority has no trace of it: to be sent again.
    Lost,
    /// It could not be sent, or was not taken.
    Failed(StampFailure),
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelOutcome {
    /// It is final, and what follows from it is written.
    Cancelled,
    /// The authority or the receiver refused; the document stays valid.
    Refused {
        /// Code.
        codigo: String,
        /// What is wrong.
        mensaje: String,
    },
    /// It goes on, and the next pass asks again.
    Waiting,
    /// It was not sent, and is sent again.
    Postponed,
    /// It waits for a person.
    Held,
    /// Nothing: someone else's word came in.
    Lost,
}

/// Reads what a leased cancellation is about.
struct Prepare {
    factura: i64,
    token: Uuid,
}

/// A request that can be sent, and since when the authority has it.
struct Prepared {
    request: CancelRequest,
    enviada: Option<DateTime<Utc>>,
}

impl Operation for Prepare {
    const SPEC: Spec = Spec::new("Prepare the cancellation of a document");
    type Output = Option<Prepared>;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Option<Prepared>, Error> {
        let Some(asked) = cx.tx.asked_cancellation(self.factura, self.token).await? else { return Ok(None) };
        let missing = |what| Error::internal(format!("the cancellation of {} has no {what}", self.factura));
        let uuid = asked.uuid.as_deref().and_then(parse_uuid).ok_or_else(|| missing("fiscal folio"))?;
        let motivo = asked.motivo.ok_or_else(|| missing("reason"))?;
        let document = document(cx, uuid, &asked);
        let sustitucion = asked.uuid_sustitucion.as_deref().and_then(parse_uuid);
        let zone = cx.company.cp.as_deref().and_then(sat::time_zone).unwrap_or(Mexico_City);
        let fecha = cx.now.get().with_timezone(&zone).naive_local();
        let cancelacion = Cancelacion { rfc: &document.emisor, fecha, uuid, motivo, sustitucion };
        // What the authority has is only asked about.
        let xml = if asked.enviada.is_none() { signed(cx, &cancelacion).await? } else { None };
        let request = CancelRequest {
            id: String::new(),
            document,
            motivo,
            sustitucion,
            xml,
            asked: asked.creado,
            at: cx.now.get(),
            aceptacion: asked.aceptacion,
        };
        Ok(Some(Prepared { request, enviada: asked.enviada }))
    }
}

/// The document as it was stamped; of one that was stamped elsewhere, what the books know of it.
fn document(cx: &Cx<'_>, uuid: Uuid, asked: &AskedCancellation) -> Cancelled {
    if let Some((xml, document)) = asked.xml.as_deref().and_then(|xml| Some((xml, Cfdi::read(xml).ok()?))) {
        let (sello, proveedor) = StampedXml::marks(xml).unzip();
        return Cancelled {
            uuid,
            emisor: document.emisor.rfc,
            receptor: document.receptor.rfc,
            nombre: document.receptor.nombre,
            total: document.total.to_string(),
            sello,
            proveedor,
        };
    }
    let (receptor, nombre) = asked.receptor.clone().unwrap_or_default();
    Cancelled {
        uuid,
        emisor: cx.company.rfc.clone().unwrap_or_default(),
        receptor: receptor.unwrap_or_default(),
        nombre: nombre.unwrap_or_default().to_uppercase(),
        total: asked.total.map_or_else(|| "0".to_owned(), |total| total.to_string()),
        sello: None,
        proveedor: None,
    }
}

/// The request, signed; none without a valid certificate. The key is open for no longer than this takes.
async fn signed(cx: &mut Cx<'_>, request: &Cancelacion<'_>) -> Result<Option<String>, Error> {
    let certificate = cx.tx.signing_certificate().await?;
    let valid = certificate.filter(|one| one.is_valid(cx.company.rfc.as_deref(), cx.now));
    let Some(certificate) = valid else { return Ok(None) };
    let Some(kept) = cx.tx.signing_key(&certificate.numero).await? else { return Ok(None) };
    let key = cx.open(SIGNING_KEY, &certificate.numero, &kept)?;
    let certificate = Certificate { numero: certificate.numero, der: certificate.der };
    request.sign(&certificate, &key, cx.random).map(Some).map_err(Error::internal)
}

/// Sends a cancellation that the authority does not have yet, and asks what became of it; gives whether it has it now, and its
/// receipt.
async fn ask(stamper: &dyn Stamper, prepared: &Prepared) -> (bool, Option<String>, Verdict) {
    let Prepared { request, enviada } = prepared;
    let mut acuse = None;
    if enviada.is_none() {
        match stamper.cancel(request).await {
            Ok(receipt) => acuse = receipt.acuse,
            Err(failure) => return (false, None, Verdict::Failed(failure)),
        }
    }
    let since = enviada.unwrap_or(request.at);
    let verdict = match stamper.status(request).await {
        Ok(DocumentStatus::Cancelled) => Verdict::Final,
        Ok(DocumentStatus::Refused) if request.at - since >= NOT_YET => Verdict::Refused,
        Ok(DocumentStatus::Valid | DocumentStatus::NotFound) if request.at - since > LOST_AFTER => Verdict::Lost,
        Ok(_) => Verdict::Waits(None),
        Err(failure) => Verdict::Waits(Some(failure)),
    };
    (true, acuse, verdict)
}

/// Writes what came of a leased cancellation.
struct Settle {
    factura: i64,
    token: Uuid,
    /// Attempts or questions before this one.
    intentos: u32,
    enviada: Option<DateTime<Utc>>,
    /// Whether the authority has it now.
    sent: bool,
    acuse: Option<String>,
    verdict: Verdict,
}

impl Operation for Settle {
    const SPEC: Spec = Spec::new("Write what came of a cancellation");
    type Output = CancelOutcome;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CancelOutcome, Error> {
        let Some(record) = cx.tx.lock_invoice(self.factura).await? else { return Ok(CancelOutcome::Lost) };
        if !cx.tx.lock_cancellation(self.factura, self.token).await? {
            return Ok(CancelOutcome::Lost);
        }
        if record.estatus != InvoiceStatus::Vigente {
            cx.tx.end_cancellation(self.factura).await?;
            return Ok(CancelOutcome::Lost);
        }
        if let Some(acuse) = &self.acuse {
            cx.tx.keep_receipt(self.factura, acuse, cx.now).await?;
        }
        match &self.verdict {
            Verdict::Final => match cancelled::finish(cx, &record).await {
                // Paid meanwhile: the payment goes first.
                Err(error) if error.code() == Code::EstadoInvalido => {
                    tracing::warn!(factura = self.factura, %error, "the authority has cancelled what the books cannot cancel yet");
                    self.pause(cx, Some(&error.to_string()), None).await
                }
                done => done.map(|()| CancelOutcome::Cancelled),
            },
            Verdict::Refused => {
                cancelled::refused(cx, &record).await?;
                let mensaje = "El receptor rechazó la cancelación.".to_owned();
                Ok(CancelOutcome::Refused { codigo: "solicitud_rechazada".to_owned(), mensaje })
            }
            Verdict::Failed(StampFailure::Rejected { codigo, mensaje }) => {
                let (codigo, mensaje) = (plain(codigo, MOST_CODE), plain(mensaje, MOST_MESSAGE));
                cx.tx.end_cancellation(self.factura).await?;
                cx.tx.refuse_cancellation(self.factura, &codigo, &mensaje, cx.now).await?;
                Ok(CancelOutcome::Refused { codigo, mensaje })
            }
            Verdict::Waits(None) | Verdict::Lost => self.pause(cx, None, None).await,
            Verdict::Waits(Some(failure)) | Verdict::Failed(failure) => {
                let held = match failure {
                    StampFailure::Misconfigured(_) => Some(Held::Misconfigured),
                    StampFailure::Unknown(_) => Some(Held::Stuck),
                    StampFailure::Rejected { .. } | StampFailure::Unreachable(_) => None,
                };
                self.pause(cx, Some(&plain(&failure.to_string(), MOST_MESSAGE)), held).await
            }
        }
    }
}

impl Settle {
    async fn pause(&self, cx: &mut Cx<'_>, why: Option<&str>, detenido: Option<Held>) -> Result<CancelOutcome, Error> {
        let now = cx.now.get();
        let first = self.sent && self.enviada.is_none();
        let before = if first { 0 } else { self.intentos };
        let step = usize::try_from(before).map_or(FOLLOW_UP.len(), |before| before).min(FOLLOW_UP.len() - 1);
        let wait = if self.sent { FOLLOW_UP[step] } else { pause(self.intentos, cx.random) };
        let enviada = self.sent.then(|| self.enviada.unwrap_or(now)).filter(|_| self.verdict != Verdict::Lost);
        let intentos = before.saturating_add(1);
        let pause = CancellationPause { proximo: now + wait, enviada, intentos, ultimo_error: why, detenido };
        cx.tx.pause_cancellation(self.factura, &pause).await?;
        Ok(match (detenido, self.sent) {
            (Some(_), _) => CancelOutcome::Held,
            (None, true) => CancelOutcome::Waiting,
            (None, false) => CancelOutcome::Postponed,
        })
    }
}

/// Works on one leased cancellation. No transaction is open while the stamper works.
pub(super) async fn work(
    context: &Context,
    stamper: &dyn Stamper,
    company: CompanyId,
    installation: &str,
    token: Uuid,
    record: LeasedStamping,
) -> Result<CancelOutcome, Error> {
    let LeasedStamping { factura, intentos } = record;
    let Some(mut prepared) = context.run(company, &Prepare { factura, token }).await? else {
        return Ok(CancelOutcome::Lost);
    };
    prepared.request.id = format!("{installation}-{}-{factura}", company.0);
    let (sent, acuse, verdict) = ask(stamper, &prepared).await;
    if let Verdict::Failed(StampFailure::Misconfigured(why)) | Verdict::Waits(Some(StampFailure::Misconfigured(why))) =
        &verdict
    {
        tracing::error!(empresa = company.0, factura, why, "a cancellation waits for an operator");
    }
    let enviada = prepared.enviada;
    context.run(company, &Settle { factura, token, intentos, enviada, sent, acuse, verdict }).await
}

/// Leases cancellations.
pub(super) struct Lease {
    pub(super) lease: StampingLease,
    pub(super) unsent: bool,
}

impl Work for Lease {
    type Output = Vec<LeasedStamping>;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<Vec<LeasedStamping>, Error> {
        Ok(tx.lease_cancellations(&self.lease, self.unsent).await?)
    }
}

/// The most that [`cancel_asked`] takes up.
const AT_MOST: u32 = 100;

/// Sends the cancellations of one company that were asked for and never sent, and asks once what became of each; gives what was
/// written, by the clave of the record. For whoever has just asked, so that what is final at once is seen at once; [`super::stamp_due`]
/// sends and follows all others. Those under another worker's lease are left to it.
pub async fn cancel_asked(
    context: &Context,
    stamper: &dyn Stamper,
    company: CompanyId,
) -> Result<Vec<(i64, CancelOutcome)>, Error> {
    let now = context.now();
    let token = uuid::Builder::from_random_bytes(random_bytes(context.random())).into_uuid();
    let lease = StampingLease { max: AT_MOST, due: now, now, token, until: now + lease_time(stamper) };
    let mut work_of = Lease { lease, unsent: true };
    let leased = transact(context.store(), context.random(), company, &mut work_of).await?;
    if leased.is_empty() {
        return Ok(Vec::new());
    }
    let installation = context.store().installation().await?;
    let mut outcomes = Vec::with_capacity(leased.len());
    for record in leased {
        outcomes.push((record.factura, work(context, stamper, company, &installation, token, record).await?));
    }
    Ok(outcomes)
}
