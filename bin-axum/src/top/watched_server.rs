//! [`WatchedServer`]: asks a server's operators' address what is going on.

use std::error::Error;
use std::time::Duration;

use axum::body::Bytes;
use http::{Request, Uri};
use http_body_util::{BodyExt, Full, Limited};

use super::view::View;
use crate::api_client::{HttpsClient, https_client};
use crate::failure::Failure;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The longest accepted answer, in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

pub(crate) struct WatchedServer {
    client: HttpsClient,
    view: Uri,
}

impl WatchedServer {
    /// The server whose operators' address has this URL.
    pub(crate) fn new(url: &str) -> Result<Self, Failure> {
        let view = format!("{}/top.json", url.trim_end_matches('/'));
        let view: Option<Uri> = view.parse().ok();
        let is_web = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some();
        let wrong = || Failure::Other(format!("--url {url}: a URL like http://127.0.0.1:9090"));
        Ok(Self { view: view.filter(is_web).ok_or_else(wrong)?, client: https_client()? })
    }

    /// What is going on, or why that is not known.
    pub(crate) async fn view(&self) -> Result<View, String> {
        let late = |_| format!("no answer within {} s", TIMEOUT.as_secs());
        tokio::time::timeout(TIMEOUT, self.exchange()).await.map_err(late)?
    }

    async fn exchange(&self) -> Result<View, String> {
        let request = Request::get(&self.view).body(Full::<Bytes>::default()).map_err(|error| error.to_string())?;
        let answer = self.client.request(request).await.map_err(|error| root_cause(&error))?;
        if !answer.status().is_success() {
            return Err(format!("status {}", answer.status()));
        }
        let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await.map_err(|error| error.to_string())?;
        serde_json::from_slice(&body.to_bytes()).map_err(|error| format!("no view: {error}"))
    }
}

/// The innermost cause alone, since there is one line for it.
fn root_cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_url() {
        for (url, view) in [
            ("http://127.0.0.1:9090", "http://127.0.0.1:9090/top.json"),
            ("http://[::1]:9090/", "http://[::1]:9090/top.json"),
            ("https://erp.example.com/svc/", "https://erp.example.com/svc/top.json"),
        ] {
            assert_eq!(WatchedServer::new(url).unwrap().view, view);
        }
        for wrong in ["127.0.0.1:9090", "ftp://a", "http://", "", "/top"] {
            assert!(WatchedServer::new(wrong).is_err(), "{wrong}");
        }
    }
}
