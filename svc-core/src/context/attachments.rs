//! What a host adds to tax documents: complements within their seal and an addenda outside it.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;

use super::Context;
use crate::domain::cfdi::{Cfdi, DocumentParts};
use crate::domain::company::CompanyId;
use crate::domain::words::InvoiceKind;

/// The upper limit of [`Attachments::deadline`].
const MAX_DEADLINE: Duration = Duration::from_mins(1);

/// A document that is about to be sealed, and what it is about.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct UnsealedDocument<'a> {
    /// The company that issues it.
    pub company: CompanyId,
    /// The clave of its record in the registry of invoices.
    pub factura: i64,
    /// The kind of record.
    pub tipo: InvoiceKind,
    /// The clave of the sale that it is about; a global invoice and a complement have none.
    pub venta: Option<i64>,
    /// The clave of the customer who receives it.
    pub cliente: Option<i64>,
    /// The document, complete but for its seal: receiver, lines, amounts, related documents.
    pub document: &'a Cfdi,
}

/// Why a host has no parts for a document, in Spanish, for the user. The document is rejected with
/// this text; the host is asked again when it is reissued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AttachmentFault(pub String);

/// What a host adds to tax documents: complements of the authority's that this service does not
/// write, and addendas of receivers. Given to [`super::ContextBuilder::attachments`].
///
/// The worker that stamps a document calls [`Self::attach`] after the document was validated and
/// before it is sealed, outside any transaction, so that an answer may take until
/// [`Self::deadline`]. It calls it once, unless the document is built anew: because it was rejected
/// and reissued, or changed meanwhile. An error, a late answer, a panic, and parts that would leave
/// the document malformed ([`DocumentParts::check`]) reject the document: `error_codigo` is
/// `complemento_invalido`, and `invoice.restamp`, `payment.restamp` or `document.discard` continue
/// from there.
///
/// ```
/// use async_trait::async_trait;
/// use svc_core::domain::cfdi::{ComplementNode, DocumentParts};
/// use svc_core::domain::words::InvoiceKind;
/// use svc_core::{AttachmentFault, Attachments, UnsealedDocument};
///
/// /// The receipts of a charity: the complement "Donatarias", and the donor's number for the donor.
/// struct Donations;
///
/// #[async_trait]
/// impl Attachments for Donations {
///     async fn attach(&self, about: &UnsealedDocument<'_>) -> Result<DocumentParts, AttachmentFault> {
///         if about.tipo != InvoiceKind::Factura {
///             return Ok(DocumentParts::default());
///         }
///         let Some(donor) = about.cliente else {
///             return Err(AttachmentFault("una donación es de alguien".to_owned()));
///         };
///         let complement = ComplementNode {
///             prefix: "donat".to_owned(),
///             namespace: "http://www.sat.gob.mx/donat".to_owned(),
///             schema: "http://www.sat.gob.mx/sitio_internet/cfd/donat/donat11.xsd".to_owned(),
///             xml: "<donat:Donatarias version=\"1.1\" noAutorizacion=\"325-SAT-09\" \
///                   fechaAutorizacion=\"2026-01-15\" leyenda=\"Comprobante de donativo\"/>"
///                 .to_owned(),
///             cadena: ["1.1", "325-SAT-09", "2026-01-15", "Comprobante de donativo"].map(str::to_owned).to_vec(),
///         };
///         Ok(DocumentParts { complements: vec![complement], addenda: Some(format!("<Donante clave=\"{donor}\"/>")) })
///     }
/// }
/// ```
#[async_trait]
pub trait Attachments: Send + Sync {
    /// The parts of a document; [`DocumentParts::default`] if it has none.
    async fn attach(&self, about: &UnsealedDocument<'_>) -> Result<DocumentParts, AttachmentFault>;

    /// How long an answer is awaited; a minute at most.
    fn deadline(&self) -> Duration {
        Duration::from_secs(10)
    }
}

impl Context {
    /// Whether a host is asked for parts of documents.
    pub(crate) fn has_attachments(&self) -> bool {
        self.shared.attachments.is_some()
    }

    /// The longest that [`Self::attach`] takes.
    pub(crate) fn attachment_deadline(&self) -> Duration {
        let deadline = self.shared.attachments.as_ref().map(|host| host.deadline());
        deadline.map_or(Duration::ZERO, |deadline| deadline.min(MAX_DEADLINE))
    }

    /// The parts that the host adds to a document, checked.
    pub(crate) async fn attach(&self, about: &UnsealedDocument<'_>) -> Result<DocumentParts, AttachmentFault> {
        let Some(host) = &self.shared.attachments else { return Ok(DocumentParts::default()) };
        let answer = AssertUnwindSafe(async { host.attach(about).await }).catch_unwind();
        let parts = match tokio::time::timeout(self.attachment_deadline(), answer).await {
            Ok(Ok(answer)) => answer?,
            Ok(Err(_)) => {
                return Err(AttachmentFault("el complemento no se pudo hacer por un error interno".to_owned()));
            }
            Err(_) => return Err(AttachmentFault("el complemento no estuvo listo a tiempo".to_owned())),
        };
        parts.check().map_err(|fault| AttachmentFault(fault.to_string()))?;
        Ok(parts)
    }
}

impl fmt::Debug for dyn Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachments").finish_non_exhaustive()
    }
}
