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

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use http::{Response, StatusCode};

pub(crate) use decode::{Body, boxed, drain};
pub(crate) use idempotency::REMEMBERED;
pub(crate) use keys::KeyCache;
use limits::Passage;
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
    watch: &mut Watch,
) -> Response<Bytes> {
    let mut aside = Aside::default();
    // A panic is a bug of ours; the client still gets an answer with the id to report, and the connection lives on.
    let outcome = AssertUnwindSafe(serve(api, peticion, head, body, &mut aside, watch)).catch_unwind().await;
    let outcome = outcome.unwrap_or_else(|_| Err(Error::internal("the request's handling panicked")));
    if let Err(error) = &outcome {
        watch.error(error.code());
    }
    if let Some(passage) = &mut aside.passage {
        passage.leave(outcome.as_ref().is_err_and(|error| error.status().is_server_error()));
        api.merge_usage_if_overdue(passage.allowance.at).await;
    }
    respond::response(outcome, peticion, &aside)
}

/// What a front end answers when it broke itself.
pub(crate) fn broken(peticion: &str) -> Response<Bytes> {
    respond::response(Err(Error::internal("the front end panicked")), peticion, &Aside::default())
}

/// What goes with the answer whatever it is.
#[derive(Default)]
struct Aside<'a> {
    notices: Notices,
    passage: Option<Passage<'a>>,
}

impl Aside<'_> {
    /// Lets an authenticated request in, or refuses it for what was used.
    fn enter(&mut self, api: &Inner) -> Result<(), Error> {
        self.passage.as_mut().map_or(Ok(()), |passage| passage.enter(api, &mut self.notices))
    }
}

async fn serve<'a>(
    api: &'a Inner,
    peticion: &str,
    head: &http::request::Parts,
    body: &mut Body,
    aside: &mut Aside<'a>,
    watch: &mut Watch,
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
    let caller = authenticate::caller(api, &head.headers, aside).await;
    // Whose key it is, even if it is refused.
    if let Some(passage) = &aside.passage {
        watch.company(passage.company());
    }
    let caller = caller?;
    aside.enter(api)?;
    if !spec.scopes.meet(caller.scopes()) {
        return Err(Code::SinPermiso.into());
    }
    match keyed {
        KeyedHandler::List(list) => {
            let regime = Regime::of(list.pages(), limits::mode(api, caller.company()));
            if exceeds_unannounced(query, regime) {
                aside.notices.announce(Code::LimiteInvalido, "pages of this list will hold at most 30 records");
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
