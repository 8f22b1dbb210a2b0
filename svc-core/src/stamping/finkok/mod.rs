//! Finkok, over SOAP 1.1.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::codes::{self, BEFORE};
use super::endpoint::{Endpoint, HttpStamperError, within};
use super::sat::{self, SatStatus};
use super::soap::{SoapAnswer, call, element};
use super::{CancelReceipt, CancelRequest, DocumentStatus, StampFailure, StampRequest, StampedXml, Stamper};

const STAMP: &str = "/servicios/soap/stamp";
const CANCEL: &str = "/servicios/soap/cancel";

/// The document was never stamped, or only seconds ago.
const NOT_STAMPED: &str = "603";

/// The delay between two queries about a document before "never stamped" is believed: longer than
/// the service takes to know of a stamp.
const DOUBT: Duration = Duration::from_secs(9);

/// The provider Finkok: `stamp` with a document sealed here, `cancel_signature` with a request
/// signed here.
pub struct FinkokStamper {
    endpoint: Endpoint,
    user: String,
    password: Zeroizing<String>,
    /// The authority's own service, if it is queried instead of Finkok.
    status: Option<SatStatus>,
    doubt: Duration,
}

impl FinkokStamper {
    /// The provider at `url` (`https://facturacion.finkok.com`, for tests
    /// `https://demo-facturacion.finkok.com`), for `user` with `password`. Cancellations are
    /// followed through `status`, or through Finkok. A call that exceeds `timeout` is retried. The
    /// URL must be https, except for this machine's own addresses.
    pub fn new(
        url: &str,
        user: &str,
        password: &str,
        status: Option<SatStatus>,
        timeout: Duration,
    ) -> Result<Self, HttpStamperError> {
        if user.trim().is_empty() {
            return Err(HttpStamperError::User);
        }
        if password.trim().is_empty() {
            return Err(HttpStamperError::Token);
        }
        let endpoint = Endpoint::new(url, timeout)?;
        let password = Zeroizing::new(password.to_owned());
        Ok(Self { endpoint, user: user.to_owned(), password, status, doubt: DOUBT })
    }

    /// Calls a method of the service at `path`, with the credentials after its own parameters.
    async fn call(&self, path: &str, method: &str, parameters: &str) -> Result<SoapAnswer, StampFailure> {
        let service = path.rsplit('/').next().unwrap_or_default();
        let body = format!(
            "<{method} xmlns=\"http://facturacion.finkok.com/{service}\">{parameters}{}{}</{method}>",
            element("username", &self.user),
            element("password", &self.password),
        );
        let answer = call(&self.endpoint, path, method, &body).await?;
        match answer.fault() {
            Some(fault) if names_credentials(fault) => Err(StampFailure::Misconfigured(fault.to_owned())),
            Some(fault) => Err(StampFailure::Unreachable(format!("the provider's fault: {fault}"))),
            None => Ok(answer),
        }
    }

    async fn stamped(&self, request: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
        let xml = element("xml", &STANDARD.encode(&request.xml));
        let answer = self.call(STAMP, "stamped", &xml).await?;
        if let Some(xml) = answer.raw("xml") {
            return request.read_stamped(xml.to_owned()).await.map(Some);
        }
        match incident(&answer) {
            Some((NOT_STAMPED, _)) => Ok(None),
            Some((code, text)) if code != BEFORE => Err(codes::refusal(code, text)),
            _ => Err(no_xml()),
        }
    }
}

#[async_trait]
impl Stamper for FinkokStamper {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        within(self.deadline(), async {
            let xml = element("xml", &STANDARD.encode(&request.xml));
            let answer = self.call(STAMP, "stamp", &xml).await?;
            if let Some(xml) = answer.raw("xml") {
                return request.read_stamped(xml.to_owned()).await;
            }
            match incident(&answer) {
                // Finkok has the XML some seconds after the stamp.
                Some((BEFORE, _)) => self.stamped(request).await?.ok_or_else(no_xml),
                Some((code, text)) => Err(codes::refusal(code, text)),
                None => Err(no_xml()),
            }
        })
        .await
    }

    async fn earlier(&self, request: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
        within(self.deadline(), async {
            if let Some(stamped) = self.stamped(request).await? {
                return Ok(Some(stamped));
            }
            tokio::time::sleep(self.doubt).await;
            self.stamped(request).await
        })
        .await
    }

    async fn cancel(&self, request: &CancelRequest) -> Result<CancelReceipt, StampFailure> {
        within(self.deadline(), async {
            let xml = element("xml", &STANDARD.encode(request.signed()?));
            let answer = self.call(CANCEL, "cancel_signature", &xml).await?;
            let acuse = answer.raw("Acuse").map(str::to_owned);
            let said = answer.get("EstatusCancelacion").unwrap_or_default();
            match (answer.get("EstatusUUID"), answer.get("CodEstatus")) {
                (Some(code), _) => codes::cancellation(code, said, acuse, request),
                // An error of the whole request has its code at the head or at the end: "300 -
                // Usuario…", "UUID: … 205".
                (None, Some(text)) => {
                    let (code, text) = codes::at_head(text);
                    match codes::cancellation(code, text, None, request) {
                        Ok(_) => Err(no_xml()),
                        failure => failure,
                    }
                }
                (None, None) => Err(no_xml()),
            }
        })
        .await
    }

    async fn status(&self, request: &CancelRequest) -> Result<DocumentStatus, StampFailure> {
        if let Some(service) = &self.status {
            return service.ask(request).await;
        }
        let document = &request.document;
        let parameters = [
            element("taxpayer_id", &document.emisor),
            element("rtaxpayer_id", &document.receptor),
            element("uuid", &document.uuid.to_string()),
            element("total", document.known_total()?),
        ];
        sat::status(&self.call(CANCEL, "get_sat_status", &parameters.concat()).await?)
    }

    /// Long enough for two queries about a document.
    fn deadline(&self) -> Duration {
        self.endpoint.timeout() + self.doubt
    }
}

impl fmt::Debug for FinkokStamper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinkokStamper").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// The code and the text of an error.
fn incident(answer: &SoapAnswer) -> Option<(&str, &str)> {
    let code = answer.get("CodigoError").or_else(|| answer.get("faultcode"))?;
    Some((code, answer.get("MensajeIncidencia").or_else(|| answer.get("CodEstatus")).unwrap_or(code)))
}

fn no_xml() -> StampFailure {
    StampFailure::Unreachable("the provider's answer has neither an XML nor a verdict".to_owned())
}

/// Whether a fault concerns the credentials.
fn names_credentials(fault: &str) -> bool {
    let fault = fault.to_lowercase();
    ["username", "password", "usuario", "contraseña", "autentic", "authentic"].iter().any(|word| fault.contains(word))
}

#[cfg(test)]
mod tests;
