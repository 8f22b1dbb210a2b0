//! Serves the API's description to the authors of its clients: `/openapi.json`.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use serde_json::Value;
use svc_core::{Context, Language};

/// How long clients may cache the description: it changes with the server's version.
pub(super) const KEPT: &str = "public, max-age=300";

/// Describes the operations of `context` in the language that the query requests: those of the API,
/// and those of the office if it `has_office`.
pub(super) fn routes(context: &Context, has_office: bool) -> Router {
    let api = |context: &Context, language| context.registry().openapi(language, context.base_url());
    let office = |context: &Context, language| context.registry().office_openapi(language, context.base_url());
    let router = Router::new().route("/openapi.json", document(context, api));
    if has_office { router.route("/office/openapi.json", document(context, office)) } else { router }
}

/// A document of `context`, in the language that the query requests.
fn document(context: &Context, make: fn(&Context, Language) -> Value) -> MethodRouter {
    let context = context.clone();
    // Built on first use: most servers never need it, and it takes a moment.
    let documents: Arc<[OnceLock<Bytes>; 2]> = Arc::default();
    let give = move |RawQuery(query): RawQuery| {
        let (documents, context) = (Arc::clone(&documents), context.clone());
        async move {
            let Some(language) = language(query.as_deref()) else { return refuse() };
            let once = move || {
                let document = || Bytes::from(make(&context, language).to_string());
                documents[language as usize].get_or_init(document).clone()
            };
            match tokio::task::spawn_blocking(once).await {
                Ok(document) => json(document),
                Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            }
        }
    };
    get(give).fallback(refuse_method)
}

/// The language that a query requests, English by default.
fn language(query: Option<&str>) -> Option<Language> {
    match query.unwrap_or_default() {
        "" => Some(Language::English),
        query => Language::parse(query.strip_prefix("lang=")?),
    }
}

fn json(document: Bytes) -> Response {
    ([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, KEPT)], document).into_response()
}

fn refuse() -> Response {
    (StatusCode::BAD_REQUEST, "lang is en or es\n").into_response()
}

async fn refuse_method() -> Response {
    (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")]).into_response()
}
