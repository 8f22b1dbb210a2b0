//! A client of the API.

use std::fmt;
use std::time::Duration;

use axum::body::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use svc_core::domain::clock::{SystemRandom, random_bytes};

use crate::failure::Failure;

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The longest accepted response, in bytes.
const MAX_RESPONSE: usize = 16 * 1024 * 1024;

/// A client for http and https.
pub(crate) type HttpsClient = HttpClient<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// A client that trusts the machine's certificate authorities.
pub(crate) fn https_client() -> Result<HttpsClient, Failure> {
    let connector = HttpsConnectorBuilder::new()
        .with_native_roots()
        .map_err(Failure::io("no certificate authorities are known (SSL_CERT_FILE may name some)"))?
        .https_or_http()
        .enable_http1()
        .build();
    Ok(HttpClient::builder(TokioExecutor::new()).build(connector))
}

/// Sends requests with a key.
pub(crate) struct ApiClient {
    http: HttpsClient,
    base_url: String,
    host: String,
    key_id: HeaderValue,
    authorization: HeaderValue,
}

/// An error of the API's.
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) codigo: String,
    pub(crate) mensaje: String,
}

/// Why a request was not answered with success.
pub(crate) enum ApiError {
    /// The API refused it.
    Refused(Refusal),
    /// The API could not be reached, or its response is malformed.
    Failed(String),
}

impl ApiClient {
    pub(crate) fn new(base_url: &str, key_id: &str, secret: &str) -> Result<Self, Failure> {
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
        Ok(Self { http: https_client()?, base_url, host, key_id, authorization })
    }

    /// The API's host: a name or an address.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Sends a request to `path`, below the base URL, with a new Idempotency-Key; returns the
    /// response's body.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, ApiError> {
        let what = format!("{method} {}{path}", self.base_url);
        let request = Request::builder().method(method).uri(path).header("Idempotency-Key", random_key());
        let request = request.header(CONTENT_TYPE, "application/json");
        let mut request = request
            .body(body.map(Value::to_string).unwrap_or_default().into())
            .map_err(|error| ApiError::Failed(format!("{what}: {error}")))?;
        self.sign(request.headers_mut());
        let answer = self.exchange(&self.base_url, request).await?;
        let status = answer.status();
        let answer: Option<Value> = serde_json::from_slice(answer.body()).ok();
        let error = |field: &str| Some(answer.as_ref()?.get("error")?.get(field)?.as_str()?.to_owned());
        match (error("codigo"), error("mensaje"), answer) {
            (.., Some(answer)) if status.is_success() => Ok(answer),
            (Some(codigo), Some(mensaje), _) => {
                Err(ApiError::Refused(Refusal { status: status.as_u16(), codigo, mensaje }))
            }
            _ => Err(ApiError::Failed(format!("{what}: {status}, which is no answer of the API"))),
        }
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Adds the key's credentials.
    pub(crate) fn sign(&self, headers: &mut HeaderMap) {
        headers.insert(AUTHORIZATION, self.authorization.clone());
        headers.insert("X-Svc-Key-Id", self.key_id.clone());
    }

    /// The server's description of the API, if it gives one: `/openapi.json`, which needs no key.
    pub(crate) async fn description(&self) -> Option<Value> {
        let base: Uri = self.base_url.parse().ok()?;
        let root = format!("{}://{}", base.scheme_str()?, base.authority()?);
        let request = Request::get("/openapi.json").body(Bytes::new()).ok()?;
        let answer = self.exchange(&root, request).await.ok().filter(|answer| answer.status().is_success())?;
        serde_json::from_slice(answer.body()).ok()
    }

    /// Sends a request, whose path begins below `base_url`; returns the response with any status.
    pub(crate) async fn exchange(
        &self,
        base_url: &str,
        mut request: Request<Bytes>,
    ) -> Result<Response<Bytes>, ApiError> {
        let what = format!("{} {base_url}{}", request.method(), request.uri());
        let failed = |error: &dyn fmt::Display| ApiError::Failed(format!("{what}: {error}"));
        *request.uri_mut() = format!("{base_url}{}", request.uri()).parse().map_err(|error| failed(&error))?;
        let exchange = async {
            let answer = self.http.request(request.map(Full::new)).await.map_err(|error| failed(&causes(&error)))?;
            let (head, body) = answer.into_parts();
            let read = Limited::new(body, MAX_RESPONSE).collect().await.map_err(|error| failed(&error))?;
            Ok(Response::from_parts(head, read.to_bytes()))
        };
        let late = |_| failed(&format_args!("no answer within {} s", TIMEOUT.as_secs()));
        tokio::time::timeout(TIMEOUT, exchange).await.map_err(late)?
    }
}

/// An Idempotency-Key that was never used.
fn random_key() -> String {
    format!("svc-{:032x}", u128::from_le_bytes(random_bytes(&SystemRandom)))
}

/// An error with its causes, since the client's own text says little.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Other(match error {
            ApiError::Refused(Refusal { status, codigo, mensaje }) => format!("the API: {status} {codigo}: {mensaje}"),
            ApiError::Failed(text) => text,
        })
    }
}
