//! SW sapien, over REST. It identifies a document by its bytes; it remembers a `customid` for 72
//! hours, which keeps a rebuilt document from becoming a second invoice.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;

use super::codes::{self, BEFORE};
use super::endpoint::{Endpoint, HttpStamperError, within};
use super::http::{bearer, inconclusive};
use super::sat::SatStatus;
use super::{CancelReceipt, CancelRequest, DocumentStatus, StampFailure, StampRequest, StampedXml, Stamper};

const AUTHENTICATE: &str = "/v2/security/authenticate";
const STAMP: &str = "/v4/cfdi33/stamp/v4";
const CANCEL: &str = "/cfdi33/cancel/xml";

const CUSTOM_ID: HeaderName = HeaderName::from_static("customid");

/// The `customid` was already used.
const USED: &str = "CFDI3307";

/// How SW authenticates this service.
enum Credentials {
    /// The account's permanent token.
    Token(HeaderValue),
    /// A user and its last token, which is valid for two hours.
    User { user: String, password: String, last: Mutex<Option<HeaderValue>> },
}

/// The provider SW sapien: `stamp` with a document sealed here, `cancel` with a request signed
/// here.
pub struct SwStamper {
    endpoint: Endpoint,
    credentials: Credentials,
    status: SatStatus,
}

impl SwStamper {
    /// The provider at `url` (`https://services.sw.com.mx`, for tests
    /// `https://services.test.sw.com.mx`), for `user` with `secret` as password, or with `secret`
    /// as the account's permanent token; cancellations are followed through `status`. A call that
    /// exceeds `timeout` is retried. The URL must be https, except for this machine's own
    /// addresses.
    pub fn new(
        url: &str,
        user: Option<&str>,
        secret: &str,
        status: SatStatus,
        timeout: Duration,
    ) -> Result<Self, HttpStamperError> {
        let token = bearer(secret)?;
        let credentials = match user {
            None => Credentials::Token(token),
            Some(user) => {
                Credentials::User { user: user.to_owned(), password: secret.to_owned(), last: Mutex::default() }
            }
        };
        Ok(Self { endpoint: Endpoint::new(url, timeout)?, credentials, status })
    }

    /// The last token, or a new one if `anew`.
    async fn token(&self, anew: bool) -> Result<HeaderValue, StampFailure> {
        let (user, password, last) = match &self.credentials {
            Credentials::Token(token) => return Ok(token.clone()),
            Credentials::User { user, password, last } => (user, password, last),
        };
        let mut last = last.lock().await;
        if let Some(token) = last.as_ref().filter(|_| !anew) {
            return Ok(token.clone());
        }
        let request = self.endpoint.request(Method::POST, AUTHENTICATE).header(CONTENT_TYPE, "application/json");
        let body = json!({"user": user, "password": password}).to_string();
        let answer = SwAnswer::of(&self.endpoint.send(request, body).await?)?;
        let token = answer.text("token").and_then(|token| bearer(token).ok());
        let token = token.filter(|_| answer.is_success()).ok_or_else(|| answer.refusal())?;
        *last = Some(token.clone());
        Ok(token)
    }

    /// Sends an XML as a file; retries once with a new token if the last one expired.
    async fn post(&self, path: &str, xml: &str, custom_id: Option<&str>) -> Result<SwAnswer, StampFailure> {
        let mut anew = false;
        loop {
            let (kind, body) = multipart(xml);
            let mut request = self.endpoint.request(Method::POST, path).header(CONTENT_TYPE, kind);
            request = request.header(ACCEPT, "application/json").header(AUTHORIZATION, self.token(anew).await?);
            if let Some(id) = custom_id {
                request = request.header(CUSTOM_ID, id);
            }
            let answer = self.endpoint.send(request, body).await?;
            let expired = answer.status() == StatusCode::UNAUTHORIZED;
            if expired && !anew && matches!(self.credentials, Credentials::User { .. }) {
                anew = true;
                continue;
            }
            return SwAnswer::of(&answer);
        }
    }

    async fn stamp_as(&self, request: &StampRequest, custom_id: &str) -> Result<StampedXml, StampFailure> {
        let answer = self.post(STAMP, &request.xml, Some(custom_id)).await?;
        if answer.is_success() {
            return answer.stamped(request);
        }
        match answer.code().0 {
            BEFORE => answer.stamped(request),
            USED => Err(StampFailure::Rejected { codigo: USED.to_owned(), mensaje: answer.first() }),
            _ => Err(answer.refusal()),
        }
    }
}

#[async_trait]
impl Stamper for SwStamper {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        within(self.deadline(), async {
            let used = match self.stamp_as(request, &request.id).await {
                Err(StampFailure::Rejected { codigo, mensaje: first }) if codigo == USED => first,
                other => return other,
            };
            if used.contains("tfd:TimbreFiscalDigital") {
                let fault = |_| {
                    let text = "the provider stamped another document under this invoice's id before";
                    StampFailure::Unknown(text.to_owned())
                };
                return StampedXml::with(&request.xml, &used).map_err(fault);
            }
            // A refused document has used up the id.
            self.stamp_as(request, &format!("{}-{:.16}", request.id, mark(&request.xml))).await.map_err(|failure| {
                match failure {
                    StampFailure::Rejected { codigo, .. } if codigo == USED => {
                        StampFailure::Unknown("the provider knows this document's id, and not its stamp".to_owned())
                    }
                    other => other,
                }
            })
        })
        .await
    }

    async fn earlier(&self, _request: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
        Err(StampFailure::Unknown("older than 72 hours: SW's portal tells whether it was stamped".to_owned()))
    }

    async fn cancel(&self, request: &CancelRequest) -> Result<CancelReceipt, StampFailure> {
        within(self.deadline(), async {
            let answer = self.post(CANCEL, request.signed()?, None).await?;
            let folio = request.document.uuid.to_string();
            let said = answer.body.data.get("uuid").and_then(Value::as_object);
            let said = said.and_then(|folios| {
                folios.iter().find(|(uuid, _)| uuid.eq_ignore_ascii_case(&folio)).and_then(|(_, code)| code.as_str())
            });
            let acuse = answer.text("acuse").map(unwrapped);
            match said {
                Some(code) => codes::cancellation(code, &answer.body.text(), acuse, request),
                None if answer.is_success() => Err(inconclusive(answer.status)),
                None => {
                    let (code, text) = answer.inner_code();
                    match codes::cancellation(code, text, None, request) {
                        // An answer without a folio confirms nothing.
                        Ok(_) => Err(inconclusive(answer.status)),
                        Err(failure) => Err(answer.unless_account(failure)),
                    }
                }
            }
        })
        .await
    }

    async fn status(&self, request: &CancelRequest) -> Result<DocumentStatus, StampFailure> {
        self.status.ask(request).await
    }

    fn deadline(&self) -> Duration {
        self.endpoint.timeout()
    }
}

impl fmt::Debug for SwStamper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SwStamper").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// The body of all answers.
#[derive(Deserialize)]
struct SwBody {
    status: String,
    #[serde(default)]
    message: Option<String>,
    #[serde(default, rename = "messageDetail")]
    detail: Option<String>,
    #[serde(default)]
    data: Value,
}

impl SwBody {
    fn text(&self) -> String {
        [&self.message, &self.detail].into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

struct SwAnswer {
    status: StatusCode,
    body: SwBody,
}

impl SwAnswer {
    fn of(answer: &Response<bytes::Bytes>) -> Result<Self, StampFailure> {
        let status = answer.status();
        let body: Option<SwBody> = serde_json::from_slice(answer.body()).ok();
        match body.filter(|_| !status.is_server_error() && status != StatusCode::TOO_MANY_REQUESTS) {
            Some(body) => Ok(Self { status, body }),
            None if matches!(status.as_u16(), 401 | 403) => {
                Err(StampFailure::Misconfigured(format!("the provider answered {status}")))
            }
            None => Err(inconclusive(status)),
        }
    }

    fn is_success(&self) -> bool {
        self.status.is_success() && self.body.status == "success"
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.body.data.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// The code at the head of the message, and the rest of it.
    fn code(&self) -> (&str, &str) {
        codes::at_head(self.body.message.as_deref().unwrap_or_default())
    }

    /// The code of a cancellation, which may be in the detail: `CACFDI33 - Problemas con el xml.`
    /// and `CA305 - Certificado Inválido.`
    fn inner_code(&self) -> (&str, &str) {
        let (code, text) = codes::at_head(self.body.detail.as_deref().unwrap_or_default());
        match code.strip_prefix("CA").unwrap_or(code) {
            inner if inner.len() == 3 && inner.bytes().all(|byte| byte.is_ascii_digit()) => (inner, text),
            _ => self.code(),
        }
    }

    /// The document's stamp in an answer: the whole XML, or the stamp alone.
    fn stamped(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        match (self.text("cfdi"), self.text("tfd")) {
            (Some(xml), _) => request.stamped(xml.to_owned()),
            (None, Some(stamp)) => StampedXml::with(&request.xml, stamp).map_err(super::unfit),
            (None, None) => Err(inconclusive(self.status)),
        }
    }

    /// The stamp of the document that first used the `customid`, if the answer has it.
    fn first(&self) -> String {
        self.text("tfd").or_else(|| self.text("cfdi")).unwrap_or_default().to_owned()
    }

    fn refusal(&self) -> StampFailure {
        let (code, text) = self.code();
        let text = match self.body.detail.as_deref().map(str::trim) {
            Some(detail) if !detail.is_empty() && detail != text => format!("{text} {detail}"),
            _ => text.to_owned(),
        };
        self.unless_account(codes::refusal(code, &text))
    }

    /// Turns any failure into one of the account if the credentials were refused.
    fn unless_account(&self, failure: StampFailure) -> StampFailure {
        if matches!(self.status.as_u16(), 401 | 403) {
            return StampFailure::Misconfigured(format!("the provider answered {}: {}", self.status, self.body.text()));
        }
        failure
    }
}

/// Decodes a receipt: an XML, sometimes in base64.
fn unwrapped(acuse: &str) -> String {
    let decoded = STANDARD.decode(acuse.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.unwrap_or_else(|| acuse.to_owned())
}

/// 32 hexadecimal digits derived from an XML.
fn mark(xml: &str) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(xml)[..16]);
    uuid::Uuid::from_bytes(bytes).simple().to_string()
}

/// A form with an XML as its only file: its content type and its bytes. The boundary cannot occur
/// in the XML.
fn multipart(xml: &str) -> (String, String) {
    let boundary = mark(xml);
    let body = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"xml\"; filename=\"xml\"\r\nContent-Type: text/xml\r\n\r\n\
         {xml}\r\n--{boundary}--\r\n"
    );
    (format!("multipart/form-data; boundary=\"{boundary}\""), body)
}

#[cfg(test)]
mod tests;
