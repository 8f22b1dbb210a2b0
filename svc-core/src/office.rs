//! [`Office`]: the back office over HTTP, as one `tower::Service`.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use http_body_util::combinators::UnsyncBoxBody;
use serde::Serialize;

use crate::context::Context;
use crate::error::Error;
use crate::openapi::{Language, NamedOperation};
use crate::pipeline::office::{self, OfficeEntrance};
use crate::pipeline::{self, BoxError, Entrance, Paths};
use crate::service::Front;

/// The body of an answer of the [`Office`]. It ends with an error if an export could not be read to
/// its end.
pub type OfficeBody = UnsyncBoxBody<Bytes, Error>;

/// The back office over HTTP (contract §11): every action of the registry at `POST /{action}`, with
/// import, export and batches, for keys with the scope `oficina`.
///
/// Like [`Api`](crate::Api) it is cheap to clone and never fails; beside what that spawns, it has a
/// thread for each import. Mount it at `/office/v1`, beside the API's `/api/v1`.
#[derive(Clone)]
pub struct Office(Arc<Front>);

impl Office {
    /// Builds the office over `context`, for a server that mounts it at a path and may strip that
    /// path.
    pub fn new(context: &Context) -> Self {
        Self::with(context, Paths::Any)
    }

    /// Builds the office for a server that passes every path unchanged: [`Office::has`] says which
    /// are its own.
    pub fn at_root(context: &Context) -> Self {
        Self::with(context, Paths::Whole)
    }

    fn with(context: &Context, paths: Paths) -> Self {
        let entrance = Entrance::Office(OfficeEntrance::new(context, paths, actions));
        Self(Arc::new(Front { context: context.clone(), entrance }))
    }

    /// The context that it was built over.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Whether a path is the office's: below `/office/v1`, beside the base URL's path too.
    pub fn has(&self, path: &str) -> bool {
        match &self.0.entrance {
            Entrance::Office(entrance) => entrance.has(path),
            Entrance::Api(_) => false,
        }
    }

    /// The paths below which it is mounted: `/office/v1`, and the one beside the base URL's path if
    /// that is another.
    pub fn mounts(&self) -> Vec<String> {
        let beside = office::beside(self.0.context.base_path());
        let own = Some(office::OFFICE.to_owned()).filter(|own| *own != beside);
        own.into_iter().chain([beside]).collect()
    }

    /// Answers a request whose body is already in memory, with an answer that is.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        let (head, body) = self.0.respond(head, pipeline::boxed(Full::new(body))).await.into_parts();
        match body.whole().await {
            Ok(body) => Response::from_parts(head, body),
            Err(error) => self.0.context.refusal(error),
        }
    }
}

/// The answer to `GET /office/v1`.
fn actions(context: &Context) -> Bytes {
    #[derive(Serialize)]
    struct Actions {
        ok: bool,
        acciones: Vec<NamedOperation>,
    }
    let acciones = context.registry().named_operations(Language::English).collect();
    // Texts and schemas cannot fail to serialise.
    serde_json::to_vec(&Actions { ok: true, acciones }).unwrap_or_default().into()
}

impl<B> tower::Service<Request<B>> for Office
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<OfficeBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let front = Arc::clone(&self.0);
        let (head, body) = request.into_parts();
        let body = pipeline::boxed(body);
        Box::pin(async move { Ok(front.respond(head, body).await.map(pipeline::AnswerBody::boxed)) })
    }
}

impl fmt::Debug for Office {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Office").field("context", &self.0.context).finish_non_exhaustive()
    }
}
