//! The API over HTTP, as its clients have it.

use std::fmt;
use std::time::Duration;

use axum::body::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use svc_core::domain::clock::{SystemRandom, random_bytes};

use crate::failure::Failure;

/// How long the API may take for an answer, and how long that may be.
const PATIENCE: Duration = Duration::from_secs(15);
const LONGEST: usize = 1024 * 1024;

/// What asks the API in the name of a key.
pub(super) struct Client {
    http: HttpClient<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base_url: String,
    host: String,
    key_id: HeaderValue,
    authorization: HeaderValue,
}

/// The API's refusal, in its words.
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) codigo: String,
    pub(super) mensaje: String,
}

/// Why the API did not do what it was asked.
pub(super) enum Trouble {
    /// It does not want to.
    Refused(Refusal),
    /// It could not be reached, or did not answer as it should.
    Failed(String),
}

impl Client {
    pub(super) fn new(base_url: &str, key_id: &str, secret: &str) -> Result<Self, Failure> {
        let base_url = base_url.trim_end_matches('/').to_owned();
        let uri: Option<Uri> = base_url.parse().ok();
        let host = uri.as_ref().filter(|uri| uri.scheme().is_some()).and_then(Uri::host);
        let host =
            host.ok_or_else(|| Failure::Other("SVC_BASE_URL is no URL like http://127.0.0.1:8080/api/v1".into()))?;
        let host = host.trim_matches(['[', ']']).to_owned();
        let no_header = |name: &str| Failure::Other(format!("{name} has characters that no header can hold"));
        let mut authorization =
            HeaderValue::from_str(&format!("Bearer {secret}")).map_err(|_| no_header("SVC_API_KEY"))?;
        authorization.set_sensitive(true);
        let key_id = HeaderValue::from_str(key_id).map_err(|_| no_header("SVC_KEY_ID"))?;
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(Failure::io("no certificate authorities are known (SSL_CERT_FILE may name some)"))?
            .https_or_http()
            .enable_http1()
            .build();
        let http = HttpClient::builder(TokioExecutor::new()).build(connector);
        Ok(Self { http, base_url, host, key_id, authorization })
    }

    /// The host's name or address.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Asks for `path`, below the API's address; gives the answer's body.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Trouble> {
        let what = format!("{method} {}{path}", self.base_url);
        let failed = |error: &dyn fmt::Display| Trouble::Failed(format!("{what}: {error}"));
        let request = self.request(method, path, body).map_err(|error| failed(&error))?;
        let exchange = async {
            let answer = self.http.request(request).await.map_err(|error| failed(&causes(&error)))?;
            let status = answer.status();
            let read = Limited::new(answer.into_body(), LONGEST).collect().await.map_err(|error| failed(&error))?;
            Ok((status, read.to_bytes()))
        };
        let late = |_| failed(&format_args!("no answer within {} s", PATIENCE.as_secs()));
        let (status, read) = tokio::time::timeout(PATIENCE, exchange).await.map_err(late)??;
        let answer: Option<Value> = serde_json::from_slice(&read).ok();
        let error = |field: &str| Some(answer.as_ref()?.get("error")?.get(field)?.as_str()?.to_owned());
        match (error("codigo"), error("mensaje"), answer) {
            (.., Some(answer)) if status.is_success() => Ok(answer),
            (Some(codigo), Some(mensaje), _) => {
                Err(Trouble::Refused(Refusal { status: status.as_u16(), codigo, mensaje }))
            }
            _ => Err(failed(&format_args!("{status}, which is no answer of the API"))),
        }
    }

    fn request(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Request<Full<Bytes>>, http::Error> {
        let key = u128::from_le_bytes(random_bytes(&SystemRandom));
        Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base_url))
            .header(AUTHORIZATION, &self.authorization)
            .header("X-Svc-Key-Id", &self.key_id)
            .header("Idempotency-Key", format!("listen-{key:032x}"))
            .header(CONTENT_TYPE, "application/json")
            .body(body.map(Value::to_string).unwrap_or_default().into())
    }
}

/// An error and what caused it: the client's own text says little.
fn causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        Self::Other(match trouble {
            Trouble::Refused(Refusal { status, codigo, mensaje }) => format!("the API: {status} {codigo}: {mensaje}"),
            Trouble::Failed(text) => text,
        })
    }
}
