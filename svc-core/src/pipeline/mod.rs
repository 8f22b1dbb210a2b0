//! The path of a request, top-down. The order of the steps is that of contract §2: it decides which
//! error is reported. The API's requests and the office's take it alike.

mod authenticate;
mod batch;
pub(crate) mod browser;
mod decode;
mod execute;
mod idempotency;
pub(crate) mod import;
mod limits;
mod matched;
pub(crate) mod ndjson;
pub(crate) mod office;
pub(crate) mod rehearsal;
pub(crate) mod respond;
pub(crate) mod route;
mod sign_in;
pub(crate) mod simulation;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{Response, StatusCode};

use authenticate::Caller;
pub(crate) use batch::BatchBody;
pub(crate) use decode::{Body, BoxError, boxed, discard_received};
use limits::ResponseMeta;
use matched::{MatchedRoute, RouteTarget};
use office::{OfficeEntrance, OfficeRequest};
pub(crate) use respond::AnswerBody;
use respond::Reply;
pub(crate) use route::Paths;
pub use sign_in::{Authenticated, SignIn, SignedIn};

use crate::context::Context;
use crate::domain::scope::{KeyScopes, Scopes};
use crate::error::{Code, Error};
use crate::json::Json;
use crate::observe::Watch;
use crate::operation::page::{ListRequest, PageLimits};
use crate::operation::query::exceeds_unannounced;
use crate::operation::{AnyDownload, Handler, Method, path};
use crate::store::StoreError;

/// A request's id and the moment at which it came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestMeta<'a> {
    pub(crate) peticion: &'a str,
    pub(crate) received: DateTime<Utc>,
}

/// The service that a request came to.
pub(crate) enum Entrance {
    Api(Paths),
    Office(OfficeEntrance),
}

impl Entrance {
    fn find(&self, context: &Context, head: &http::request::Parts) -> Result<MatchedRoute, Error> {
        match self {
            Self::Api(paths) => route::find(context, *paths, head),
            Self::Office(entrance) => entrance.find(context, head),
        }
    }
}

/// Answers a request, always; every response carries the request id.
pub(crate) async fn answer(
    context: &Context,
    entrance: &Entrance,
    RequestMeta { peticion, received }: RequestMeta<'_>,
    head: &http::request::Parts,
    body: &mut Body,
    watch: &mut Watch,
) -> Response<AnswerBody> {
    let mut meta = ResponseMeta::default();
    // A panic still gets a response with the id to report, and the connection survives.
    let outcome =
        AssertUnwindSafe(serve(context, entrance, peticion, head, body, &mut meta, watch)).catch_unwind().await;
    let outcome = outcome.unwrap_or_else(|_| Err(Error::internal("the request's handling panicked")));
    if let Err(error) = &outcome {
        watch.error(error.code());
    }
    simulation::wait(&meta).await;
    if let Some(admission) = &mut meta.admission {
        admission.release(outcome.as_ref().is_err_and(|error| error.status().is_server_error()));
        context.merge_usage_if_overdue().await;
    }
    respond::response(outcome, peticion, meta.time(received), &meta)
}

async fn serve<'a>(
    context: &'a Context,
    entrance: &Entrance,
    peticion: &str,
    head: &http::request::Parts,
    body: &mut Body,
    meta: &mut ResponseMeta<'a>,
    watch: &mut Watch,
) -> Result<Reply, Error> {
    let route = entrance.find(context, head)?;
    watch.operation(Arc::clone(&route.name));
    if let RouteTarget::Api(Handler::Open(run)) = route.target {
        return Ok(Reply::new(route.http.status, run(peticion)?));
    }
    let caller = admit(context, route.http.scopes, head, meta).await;
    // Recorded for refused requests too, so that logs name the company.
    if let Some(admission) = &meta.admission {
        watch.sender(admission.company().id, admission.suffix());
    }
    let caller = caller?;
    match (route.target, entrance) {
        (RouteTarget::Office(target), Entrance::Office(entrance)) => {
            let (route, caller, actions) = (&route, &caller, &entrance.actions);
            OfficeRequest { context, caller, route, head, body, meta, actions }.serve(target).await
        }
        (RouteTarget::Api(handler), _) => serve_api(context, &caller, handler, route, head, body, meta).await,
        (RouteTarget::Office(_), Entrance::Api(_)) => Err(Error::internal("the API has no route of the office")),
    }
}

/// Authenticates and counts a request, and checks its scope.
async fn admit<'a>(
    context: &'a Context,
    scopes: Scopes,
    head: &http::request::Parts,
    meta: &mut ResponseMeta<'a>,
) -> Result<Caller, Error> {
    browser::refuse(&head.headers, head.uri.query().unwrap_or_default())?;
    let caller = authenticate::caller(context, head, meta).await?;
    meta.admit(context).await?;
    require(caller.scopes(), scopes)?;
    Ok(caller)
}

/// Requires one of the scopes of an operation.
fn require(own: &KeyScopes, scopes: Scopes) -> Result<(), Error> {
    if own.meet(scopes) {
        return Ok(());
    }
    let lacking: Vec<_> = scopes.words().collect();
    let text = format!("{}: {}", Code::SinPermiso.mensaje(), lacking.join(" o "));
    Err(Error::new(Code::SinPermiso).message(text))
}

async fn serve_api(
    context: &Context,
    caller: &Caller,
    handler: Handler,
    route: MatchedRoute,
    head: &http::request::Parts,
    body: &mut Body,
    meta: &mut ResponseMeta<'_>,
) -> Result<Reply, Error> {
    let (http, query) = (route.http, head.uri.query().unwrap_or_default());
    match handler {
        Handler::List(list) => {
            let limits = PageLimits::of(list.spec().pages, context.limits(caller.company()));
            if exceeds_unannounced(query, limits) {
                meta.notices.announce(Code::LimiteInvalido, "pages of this list will hold at most 30 records");
            }
            let (company, path) = (caller.company(), route.parameters.as_slice());
            let (scopes, kinds) = (caller.scopes(), context.registry().kinds());
            let request = ListRequest { company, path, query, scopes, kinds, limits, now: context.now() };
            let page = in_time(context, list.page(context.store(), request)).await?;
            Ok(Reply::new(StatusCode::OK, page))
        }
        Handler::Download(download) => {
            execute::refuse_query(query)?;
            let input = Json::of_integers(path::read(http.path, &route.parameters)?);
            serve_file(context, caller, download, &input).await
        }
        Handler::Operation(operation) => {
            let (body, name) = if http.method == Method::Get {
                (Bytes::new(), None)
            } else {
                let name = idempotency::of_write(&head.headers, meta, http.idempotency);
                decode::receive(head, body, context.settings(), http.body, name).await?
            };
            let input = decode::json(body, http.body)?;
            let key = name.map(|name| idempotency::Key {
                name,
                fingerprint: idempotency::fingerprint(&http, &route.path, &input),
            });
            let (segments, rehearsal, actor) = (Some(route.parameters), meta.rehearsal, &caller.actor);
            let work = execute::Work::Operation(operation);
            let write = execute::Write { context, caller, actor, work, http, segments, query, input, key, rehearsal };
            let outcome = in_time(context, write.execute().boxed()).await;
            context.evict_keys(route.changes_access && !rehearsal, caller.company().id);
            outcome
        }
        Handler::Open(_) => Err(Error::internal("an open operation was answered before")),
    }
}

async fn serve_file(
    context: &Context,
    caller: &Caller,
    download: &dyn AnyDownload,
    input: &Json,
) -> Result<Reply, Error> {
    let company = caller.company().id;
    let reader = context.store().reader(company);
    let file = async {
        let file = download.read(reader.as_ref(), input).await?;
        let labels = file.labels(download.spec())?;
        Ok((labels, context.whole(company, file).await?))
    };
    let ((kind, name), bytes) = in_time(context, file.boxed()).await?;
    Ok(Reply::download(kind, bytes).named(name))
}

/// Runs work in the store until the request's deadline; then drops it, which rolls it back.
async fn in_time<T>(context: &Context, work: BoxFuture<'_, Result<T, Error>>) -> Result<T, Error> {
    let late = |late: tokio::time::error::Elapsed| Err(StoreError::Unavailable(late.into()).into());
    tokio::time::timeout(context.settings().deadline, work).await.unwrap_or_else(late)
}
