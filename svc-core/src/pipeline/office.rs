//! The requests of the office (contract §11): each names an action of the registry, or one of a few
//! routes beside them.

use std::sync::OnceLock;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::{StatusCode, Uri};
use percent_encoding::percent_decode_str;

use super::authenticate::Caller;
use super::batch;
use super::decode::{self, Body};
use super::execute::{Work, Write, refuse_query};
use super::limits::ResponseMeta;
use super::matched::{MatchedRoute, OfficeTarget, RouteTarget};
use super::ndjson::NDJSON;
use super::respond::{AnswerBody, Reply};
use super::route::Paths;
use super::{idempotency, import, in_time, serve_file};
use crate::context::Context;
use crate::error::{Code, Error};
use crate::json::Json;
use crate::operation::{Actor, BodyNeed, Handler, Http, Method, PREFIX};
use crate::operations::import::Resource;

/// The path of the office beside the API's `/api/v1`.
pub(crate) const OFFICE: &str = "/office/v1";

/// What the back office's own operations are called with.
const BACK_OFFICE: Actor = Actor::BackOffice;

impl OfficeTarget {
    fn of(context: &Context, path: &str) -> Option<Self> {
        let name = path.strip_prefix('/').unwrap_or(path);
        if let Some((way, resource)) = name.split_once('/') {
            let resource = Resource::parse(resource)?;
            return match way {
                "import" => Some(Self::Import(resource)),
                "export" => Some(Self::Export(resource)),
                _ => None,
            };
        }
        match name {
            "" => Some(Self::Actions),
            "batch" => Some(Self::Batch),
            _ => {
                let entry = context.registry().named(name)?;
                Some(Self::Action(entry.spec, entry.handler))
            }
        }
    }

    fn http(self) -> Http {
        match self {
            Self::Actions | Self::Export(_) => Http::office(Method::Get),
            Self::Action(spec, _) if spec.reads => Http::office(Method::Post).optional_idempotency(),
            Self::Action(..) | Self::Batch | Self::Import(_) => Http::office(Method::Post),
        }
    }

    /// Any action of a batch may change what keys may do.
    fn changes_access(self) -> bool {
        match self {
            Self::Action(spec, _) => spec.changes_access,
            Self::Batch => true,
            Self::Actions | Self::Import(_) | Self::Export(_) => false,
        }
    }
}

/// The office as a service: where it is mounted, and the list of its actions.
pub(crate) struct OfficeEntrance {
    paths: Paths,
    base_path: String,
    pub(super) actions: ActionList,
}

/// The answer to `GET /office/v1`, which is made when it is first asked for.
pub(crate) struct ActionList {
    made: OnceLock<Bytes>,
    make: fn(&Context) -> Bytes,
}

impl ActionList {
    fn get(&self, context: &Context) -> Bytes {
        self.made.get_or_init(|| (self.make)(context)).clone()
    }
}

impl OfficeEntrance {
    /// The office of `context` beside the API's base URL; `actions` makes the list of its actions.
    pub(crate) fn new(context: &Context, paths: Paths, actions: fn(&Context) -> Bytes) -> Self {
        let base_path = beside(context.base_path());
        Self { paths, base_path, actions: ActionList { made: OnceLock::new(), make: actions } }
    }

    /// Whether a path is the office's.
    pub(crate) fn has(&self, path: &str) -> bool {
        below_base(path, &self.base_path, Paths::Whole).is_some()
    }

    /// The route that a request names.
    pub(super) fn find(&self, context: &Context, head: &http::request::Parts) -> Result<MatchedRoute, Error> {
        let path = below_base(head.uri.path(), &self.base_path, self.paths).ok_or(Code::RutaNoExiste)?;
        let path = percent_decode_str(path).decode_utf8_lossy();
        let target = OfficeTarget::of(context, &path).ok_or(Code::RutaNoExiste)?;
        let http = target.http();
        if Method::of(&head.method) != Some(http.method) {
            return Err(Error::new(Code::MetodoNoPermitido).allow(http.method.name()));
        }
        let path = format!("{OFFICE}{}", path.trim_end_matches('/'));
        let name = format!("{} {path}", http.method.name()).into();
        let (target, changes_access) = (RouteTarget::Office(target), target.changes_access());
        Ok(MatchedRoute { target, http, changes_access, name, path, parameters: Vec::new() })
    }
}

/// The office's public path or URL: beside that of the API, or at its host where that does not end
/// in `/api/v1`.
pub(crate) fn beside(api: &str) -> String {
    let host = || {
        let url: Uri = api.parse().ok()?;
        Some(format!("{}://{}", url.scheme_str()?, url.authority()?))
    };
    let before = api.strip_suffix(PREFIX).map(str::to_owned).or_else(host).unwrap_or_default();
    format!("{before}{OFFICE}")
}

/// The path without the office's own.
fn below_base<'p>(path: &'p str, base_path: &str, paths: Paths) -> Option<&'p str> {
    let strip = |prefix: &str| path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    strip(base_path).or_else(|| strip(OFFICE)).or((paths == Paths::Any).then_some(path))
}

/// An admitted request of the office.
pub(super) struct OfficeRequest<'a, 'm> {
    pub(super) context: &'a Context,
    pub(super) caller: &'a Caller,
    pub(super) route: &'a MatchedRoute,
    pub(super) head: &'a http::request::Parts,
    pub(super) body: &'a mut Body,
    pub(super) meta: &'a mut ResponseMeta<'m>,
    pub(super) actions: &'a ActionList,
}

impl OfficeRequest<'_, '_> {
    pub(super) async fn serve(mut self, target: OfficeTarget) -> Result<Reply, Error> {
        let query = self.head.uri.query().unwrap_or_default();
        match target {
            OfficeTarget::Actions => {
                refuse_query(query)?;
                Ok(Reply::new(StatusCode::OK, self.actions.get(self.context)))
            }
            OfficeTarget::Import(resource) => {
                let Self { context, caller, route, head, body, meta, .. } = self;
                import::serve(context, caller, resource, &route.path, head, body, meta).await
            }
            OfficeTarget::Export(resource) => {
                refuse_query(query)?;
                self.export(resource).await
            }
            OfficeTarget::Batch => self.batch(query).await,
            OfficeTarget::Action(spec, Handler::Operation(operation)) => {
                let name = if spec.reads { Ok(None) } else { self.claimed_key() };
                let (input, name) = self.receive(name).await?;
                self.write(query, Work::Action(operation), input, name).await
            }
            OfficeTarget::Action(_, Handler::Download(download)) => {
                let (input, ()) = self.receive(Ok(())).await?;
                refuse_query(query)?;
                serve_file(self.context, self.caller, download, &input).await
            }
            OfficeTarget::Action(_, Handler::Open(_) | Handler::List(_)) => Err(Code::RutaNoExiste.into()),
        }
    }

    fn claimed_key(&mut self) -> Result<Option<String>, Error> {
        idempotency::of_write(&self.head.headers, self.meta, self.route.http.idempotency)
    }

    /// Reads the body, and gives it with `head_result` (see [`decode::receive`]).
    async fn receive<T>(&mut self, head_result: Result<T, Error>) -> Result<(Json, T), Error> {
        let settings = self.context.settings();
        let (body, head_result) =
            decode::receive(self.head, self.body, settings, BodyNeed::Required, head_result).await?;
        Ok((decode::json(body, BodyNeed::Required)?, head_result))
    }

    async fn batch(mut self, query: &str) -> Result<Reply, Error> {
        let name = self.claimed_key();
        let (body, name) =
            decode::receive(self.head, self.body, self.context.settings(), BodyNeed::Required, name).await?;
        let input = batch::json(body)?;
        self.write(query, Work::Batch, input, name).await
    }

    async fn write(self, query: &str, work: Work, input: Json, name: Option<String>) -> Result<Reply, Error> {
        let Self { context, caller, route, meta, .. } = self;
        let http = route.http;
        let key = name
            .map(|name| idempotency::Key { name, fingerprint: idempotency::fingerprint(&http, &route.path, &input) });
        let (rehearsal, actor) = (meta.rehearsal, &BACK_OFFICE);
        let write = Write { context, caller, actor, work, http, segments: None, query, input, key, rehearsal };
        let outcome = in_time(context, write.execute().boxed()).await;
        context.evict_keys(route.changes_access && !rehearsal, caller.company().id);
        outcome
    }

    /// Reads the first lines; the others, if there are any, are read while the answer is sent,
    /// which stays in flight until then.
    async fn export(self, resource: Resource) -> Result<Reply, Error> {
        let Self { context, caller, meta, .. } = self;
        let mut export = context.export_of_existing(caller.company().id, resource);
        let first = in_time(context, export.next().boxed()).await?;
        if export.is_over() {
            return Ok(Reply::download(NDJSON, first.unwrap_or_default()));
        }
        let slot = meta.admission.as_mut().and_then(|admission| admission.keep(context));
        Ok(Reply::streamed(NDJSON, AnswerBody::of_export(first.unwrap_or_default(), export, slot)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_office_lies_beside_the_api() {
        assert_eq!(beside("/erp/api/v1"), "/erp/office/v1");
        for api in ["https://a.mx/api/v1", "https://a.mx", "https://a.mx/other"] {
            assert_eq!(beside(api), format!("https://a.mx{OFFICE}"), "{api}");
        }
        assert_eq!((beside("/api/v1"), beside(""), beside("/other")), (OFFICE.into(), OFFICE.into(), OFFICE.into()));
        for (path, below) in [
            ("/office/v1", Some("")),
            ("/office/v1/", Some("/")),
            ("/erp/office/v1/customer.get", Some("/customer.get")),
            ("/office/v1/customer.get", Some("/customer.get")),
            ("/office/v1x", None),
            ("/api/v1/clientes", None),
            ("/customer.get", None),
        ] {
            assert_eq!(below_base(path, "/erp/office/v1", Paths::Whole), below, "{path}");
        }
        assert_eq!(below_base("/customer.get", OFFICE, Paths::Any), Some("/customer.get"));
    }
}
