//! Sign-in of a host's own routes with the API's keys.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use bytes::Bytes;
use http::{Request, Response};
use tower::{Layer, Service};

use super::authenticate::Caller;
use super::limits::{HeldSlot, ResponseMeta};
use super::respond::{self, AnswerBody};
use super::simulation;
use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::domain::scope::Scopes;
use crate::error::Error;
use crate::operation::{Actor, Operation};

/// The caller of a host's own route. While this value lives, the request counts as one that the
/// company has in progress.
pub struct Authenticated {
    caller: Caller,
    _slot: Option<HeldSlot>,
}

impl Authenticated {
    /// The company of the key.
    pub fn company(&self) -> CompanyId {
        self.caller.company().id
    }

    /// The key, its owner and its scopes.
    pub fn actor(&self) -> &Actor {
        &self.caller.actor
    }
}

impl fmt::Debug for Authenticated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticated").field("company", &self.company()).finish_non_exhaustive()
    }
}

impl Context {
    /// Authenticates a request to a host's own route as the API does its own: credentials, owner,
    /// plan, terms, limits and scopes, in this order (contract §2). It counts as a request of the
    /// key and as an operation of the company. [`Context::refusal`] makes the answer of an error;
    /// that of [`Context::sign_in`] has the headers of limits and scopes too.
    pub async fn authenticate(&self, head: &http::request::Parts, scopes: Scopes) -> Result<Authenticated, Error> {
        authenticate(self, head, scopes, &mut ResponseMeta::default()).await
    }

    /// Runs `operation` on behalf of whoever was authenticated, in their company, as
    /// [`Context::run`] does for the back office. Fails with `sin_permiso` if the operation has a
    /// route and the caller none of its scopes.
    pub async fn run_as<O: Operation>(&self, caller: &Authenticated, operation: &O) -> Result<O::Output, Error> {
        if let Some(http) = &O::SPEC.http {
            super::require(caller.caller.scopes(), http.scopes)?;
        }
        self.run_by(caller.company(), caller.actor(), operation).await
    }

    /// The API's answer to a request that failed with `error`, with a new request id.
    pub fn refusal(&self, error: Error) -> Response<Bytes> {
        let now = self.now();
        let meta = ResponseMeta::default();
        respond::response(Err(error), &self.request_id(now), now, &meta).map(AnswerBody::in_memory)
    }

    /// A layer for a host's own routes. A request without a key that has one of `scopes` gets the
    /// API's refusal; the handlers of all others find an `Arc<`[`Authenticated`]`>` among the
    /// request's extensions.
    pub fn sign_in(&self, scopes: Scopes) -> SignIn {
        SignIn { context: self.clone(), scopes }
    }
}

async fn authenticate<'a>(
    context: &'a Context,
    head: &http::request::Parts,
    scopes: Scopes,
    meta: &mut ResponseMeta<'a>,
) -> Result<Authenticated, Error> {
    let caller = super::admit(context, scopes, head, meta).await;
    simulation::wait(meta).await;
    context.merge_usage_if_overdue().await;
    let caller = caller?;
    let slot = meta.admission.as_mut().and_then(|admission| admission.keep(context));
    Ok(Authenticated { caller, _slot: slot })
}

/// See [`Context::sign_in`].
#[derive(Debug, Clone)]
pub struct SignIn {
    context: Context,
    scopes: Scopes,
}

/// The service of [`SignIn`].
#[derive(Debug, Clone)]
pub struct SignedIn<S> {
    sign_in: SignIn,
    inner: S,
}

impl<S> Layer<S> for SignIn {
    type Service = SignedIn<S>;

    fn layer(&self, inner: S) -> SignedIn<S> {
        SignedIn { sign_in: self.clone(), inner }
    }
}

impl<S, B, R> Service<Request<B>> for SignedIn<S>
where
    S: Service<Request<B>, Response = Response<R>, Error = Infallible, Future: Send> + Clone + Send + 'static,
    B: Send + 'static,
    R: From<Bytes>,
{
    type Response = Response<R>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut task::Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let next = self.inner.clone();
        // The service that was polled is the one that is ready.
        let mut inner = std::mem::replace(&mut self.inner, next);
        let SignIn { context, scopes } = self.sign_in.clone();
        Box::pin(async move {
            let (mut head, body) = request.into_parts();
            let received = context.now();
            let mut meta = ResponseMeta::default();
            match authenticate(&context, &head, scopes, &mut meta).await {
                Ok(authenticated) => {
                    let authenticated = Arc::new(authenticated);
                    head.extensions.insert(Arc::clone(&authenticated));
                    let answer = inner.call(Request::from_parts(head, body)).await;
                    drop(authenticated);
                    answer
                }
                Err(error) => {
                    let peticion = context.request_id(received);
                    let received = meta.time(received);
                    Ok(respond::response(Err(error), &peticion, received, &meta).map(|body| R::from(body.in_memory())))
                }
            }
        })
    }
}
