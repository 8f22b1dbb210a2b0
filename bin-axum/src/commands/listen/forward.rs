//! Passes notices on to a developer's own program.

use std::time::Duration;

use axum::body::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use http_body_util::Full;

use crate::api_client::{HttpsClient, causes, https_client};
use crate::failure::Failure;

/// How long the program may take to answer: less than the 8 seconds that a receiver has.
const TIMEOUT: Duration = Duration::from_secs(7);

/// The program that notices are passed on to.
pub(super) struct Forward {
    client: HttpsClient,
    to: Uri,
}

impl Forward {
    pub(super) fn new(to: Uri) -> Result<Self, Failure> {
        if !matches!(to.scheme_str(), Some("http" | "https")) || to.host().is_none_or(str::is_empty) {
            return Err(Failure::Other(format!("--forward-to {to}: a URL begins with http:// or https://")));
        }
        Ok(Self { client: https_client()?, to })
    }

    /// Sends a notice with the headers that it came with; returns the status of the answer, or why
    /// there is none.
    pub(super) async fn send(&self, headers: &HeaderMap, body: Bytes) -> Result<StatusCode, String> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.to.clone();
        *request.headers_mut() = headers.clone();
        // These are of the connection on which it came.
        for name in [HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
            request.headers_mut().remove(name);
        }
        match tokio::time::timeout(TIMEOUT, self.client.request(request)).await {
            Ok(Ok(answer)) => Ok(answer.status()),
            Ok(Err(error)) => Err(causes(&error)),
            Err(_) => Err(format!("no answer within {} s", TIMEOUT.as_secs())),
        }
    }

    pub(super) fn to(&self) -> &Uri {
        &self.to
    }
}
