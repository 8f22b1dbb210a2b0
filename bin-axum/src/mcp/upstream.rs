//! The API at its address, for the tools of `svc mcp`.

use async_trait::async_trait;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{Request, Response};
use svc_core::mcp::{Surface, Upstream};

use crate::api_client::ApiClient;
use crate::failure::Failure;

/// A server elsewhere, under one key.
pub(super) struct Elsewhere(pub(super) ApiClient);

#[async_trait]
impl Upstream for Elsewhere {
    async fn send(&self, surface: Surface, mut request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let Self(client) = self;
        // An agent over HTTP may bring a key of its own.
        if !request.headers().contains_key(AUTHORIZATION) {
            client.sign(request.headers_mut());
        }
        let base_url = surface.url(client.base_url());
        client.exchange(&base_url, request).await.map_err(|error| Failure::from(error).to_string())
    }

    fn base_url(&self, surface: Surface) -> Option<String> {
        Some(surface.url(self.0.base_url()))
    }
}
