//! The way of a request, top-down. The order of the steps is the order of contract §2: it decides which error is reported.

mod authenticate;
mod browser;
mod decode;
mod execute;
mod idempotency;
mod keys;
mod limits;
mod respond;
mod route;

use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};

pub(crate) use decode::{Body, boxed, drain};
pub(crate) use idempotency::REMEMBERED;
pub(crate) use keys::KeyCache;
pub(crate) use respond::panicked;
use respond::{Notices, Reply};

pub use authenticate::{TERMS_VERSION, parse_key_id};

use crate::error::{Code, Error};
use crate::observe::Watch;
use crate::operation::page::Regime;
use crate::operation::query::exceeds_unannounced;
use crate::operation::{Ask, Handler, KeyedHandler};
use crate::service::Inner;

/// Answers a request. Whatever happens, there is an answer, and it carries the request's id.
pub(crate) async fn answer(
    api: &Inner,
    peticion: &str,
    head: &http::request::Parts,
    body: &mut Body,
    watch: &mut Watch<'_>,
) -> Response<Bytes> {
    let mut notices = Notices::default();
    let outcome = serve(api, peticion, head, body, &mut notices, watch).await;
    if let Err(error) = &outcome {
        watch.error(error.code());
    }
    respond::response(outcome, peticion, &notices)
}

async fn serve(
    api: &Inner,
    peticion: &str,
    head: &http::request::Parts,
    body: &mut Body,
    notices: &mut Notices,
    watch: &mut Watch<'_>,
) -> Result<Reply, Error> {
    let route = route::find(api, head)?;
    watch.operation(Arc::clone(&route.name));
    let spec = route.endpoint.spec;
    let keyed = match route.endpoint.handler {
        Handler::Open(operation) => return Ok(Reply::new(spec.status, operation.run(peticion)?)),
        Handler::Keyed(keyed) => keyed,
    };
    let query = head.uri.query().unwrap_or_default();
    browser::refuse(&head.headers, query)?;
    let caller = authenticate::caller(api, &head.headers, notices).await?;
    watch.company(caller.company().id);
    if !spec.scopes.meet(caller.scopes()) {
        return Err(Code::SinPermiso.into());
    }
    match keyed {
        KeyedHandler::List(list) => {
            let regime = Regime::of(list.pages(), limits::mode(api, caller.company()));
            if exceeds_unannounced(query, regime) {
                notices.announce(Code::LimiteInvalido, "pages of this list will hold at most 30 records");
            }
            let (company, path) = (caller.company(), route.parameters.as_slice());
            let ask = Ask { company, path, query, regime, now: api.clock.now() };
            Ok(Reply::new(StatusCode::OK, list.page(api.store.as_ref(), ask).await?))
        }
        KeyedHandler::Write(operation) => {
            let body = decode::receive(head, body, api.max_body, spec.body).await?;
            let name = idempotency::name(&head.headers, spec.idempotency)?;
            let body = &decode::json(&body, spec.body)?;
            let key = name
                .map(|name| idempotency::Key { name, fingerprint: idempotency::fingerprint(spec, &route.path, body) });
            let write = execute::Write {
                api,
                caller: &caller,
                operation,
                spec,
                parameters: &route.parameters,
                query,
                body,
                key,
            };
            write.execute().await
        }
    }
}
