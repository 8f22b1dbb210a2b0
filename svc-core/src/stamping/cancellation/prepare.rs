//! Turns a leased cancellation into a request that can be sent.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{CancelRequest, Cancelled};
use crate::context::Step;
use crate::domain::cfdi::{Cancelacion, Certificate, Cfdi, StampedXml};
use crate::domain::money::Money;
use crate::domain::text::parse_uuid;
use crate::error::Error;
use crate::operation::Cx;
use crate::stamping::Stamper;
use crate::stamping::provider::StampingProvider;
use crate::store::{QueuedCancellation, SIGNING_KEY};

/// Reads the data of a leased cancellation.
pub(super) struct PrepareCancellation<'a> {
    pub(super) provider: &'a StampingProvider<'a>,
    pub(super) factura: i64,
    pub(super) token: Uuid,
}

/// A request that can be sent, with its stamper, and since when the authority has it.
pub(super) struct PreparedCancellation<'a> {
    pub(super) stamper: &'a dyn Stamper,
    pub(super) request: CancelRequest,
    pub(super) enviada: Option<DateTime<Utc>>,
}

impl<'a> Step for PrepareCancellation<'a> {
    type Output = Option<PreparedCancellation<'a>>;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<Option<PreparedCancellation<'a>>, Error> {
        let stamper = self.provider.of(cx.company)?;
        let Some(asked) = cx.tx.leased_cancellation(self.factura, self.token).await? else { return Ok(None) };
        let missing = |what| Error::internal(format!("the cancellation of {} has no {what}", self.factura));
        let uuid = asked.uuid.as_deref().and_then(parse_uuid).ok_or_else(|| missing("fiscal folio"))?;
        let motivo = asked.motivo.ok_or_else(|| missing("reason"))?;
        let document = document(cx, uuid, &asked);
        let sustitucion = asked.uuid_sustitucion.as_deref().and_then(parse_uuid);
        let zone = cx.company.zone();
        let now = cx.earlier_now().await?;
        let fecha = now.with_timezone(&zone).naive_local();
        let cancelacion = Cancelacion { rfc: &document.emisor, fecha, uuid, motivo, sustitucion };
        // If the authority has the request, only its status is queried.
        let xml = if asked.enviada.is_none() { signed(cx, &cancelacion).await? } else { None };
        let request = CancelRequest {
            id: String::new(),
            document,
            motivo,
            sustitucion,
            xml,
            asked: asked.creado,
            at: now,
            aceptacion: asked.aceptacion,
        };
        Ok(Some(PreparedCancellation { stamper, request, enviada: asked.enviada }))
    }
}

/// The document as it was stamped; if it was stamped elsewhere, as the books have it.
fn document(cx: &Cx<'_>, uuid: Uuid, asked: &QueuedCancellation) -> Cancelled {
    if let Some((xml, document)) = asked.xml.as_deref().and_then(|xml| Some((xml, Cfdi::read(xml).ok()?))) {
        let (sello, proveedor) = StampedXml::marks(xml).unzip();
        return Cancelled {
            uuid,
            emisor: document.emisor.rfc,
            receptor: document.receptor.rfc,
            nombre: document.receptor.nombre,
            total: Some(document.total.to_string()),
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
        total: asked.total.map(printed_total),
        sello: None,
        proveedor: None,
    }
}

/// A total as documents say it: a complement's is `0`.
fn printed_total(total: Money) -> String {
    if total == Money::default() { "0".to_owned() } else { total.to_string() }
}

/// The request, signed; `None` without a valid certificate. The key is open for no longer than this
/// takes.
async fn signed(cx: &mut Cx<'_>, request: &Cancelacion<'_>) -> Result<Option<String>, Error> {
    let certificate = cx.tx.signing_certificate().await?;
    let valid = certificate.filter(|one| one.is_valid(cx.company.rfc.as_deref(), cx.now));
    let Some(certificate) = valid else { return Ok(None) };
    let Some(kept) = cx.tx.signing_key(&certificate.numero, cx.now.get().date_naive()).await? else { return Ok(None) };
    let key = cx.open(SIGNING_KEY, &certificate.numero, &kept)?;
    let certificate = Certificate { numero: certificate.numero, der: certificate.der };
    request.sign(&certificate, &key, cx.random).map(Some).map_err(Error::internal)
}
