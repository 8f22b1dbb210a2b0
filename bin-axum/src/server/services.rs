//! What a server serves: the API, and beside it pages, the office and the tools for agents.

use std::convert::Infallible;
use std::pin::Pin;
use std::task;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use svc_core::mcp::Mcp;
use svc_core::pages::Pages;
use svc_core::settings::ApiSettings;
use svc_core::{Api, Context, Office};
use tower::Service;

/// The services of a server, each at its own paths; the API answers all others.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) api: Api,
    pages: Pages,
    office: Option<Office>,
    mcp: Option<Mcp>,
}

impl Services {
    /// Those that are switched on.
    pub(crate) fn of(context: &Context, settings: &ApiSettings) -> Self {
        let has_office = settings.serves_office();
        Self {
            api: Api::at_root(context),
            pages: Pages::new(context).office(has_office),
            office: has_office.then(|| Office::at_root(context)),
            mcp: settings.mcp(context),
        }
    }

    /// Fills a key into the pages, for readers on this machine.
    pub(crate) fn key_for_this_machine(mut self, key_id: &str, secret: &str) -> Self {
        self.pages = self.pages.key_for_this_machine(key_id, secret);
        self
    }

    /// Lets the reference send requests, through the development proxy.
    pub(super) fn reference_sends_requests(mut self, sends: bool) -> Self {
        self.pages = self.pages.sends_requests(sends);
        self
    }
}

impl Service<Request> for Services {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> task::Poll<Result<(), Infallible>> {
        task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let path = request.uri().path();
        if self.pages.has(path) {
            let answer = self.pages.call(request);
            return Box::pin(async move { Ok(answer.await?.map(Body::new)) });
        }
        if let Some(office) = self.office.as_mut().filter(|office| office.has(path)) {
            let answer = office.call(request);
            return Box::pin(async move { Ok(answer.await?.map(Body::new)) });
        }
        if let Some(mcp) = self.mcp.as_mut().filter(|mcp| mcp.has(path)) {
            let answer = mcp.call(request);
            return Box::pin(async move { Ok(answer.await?.map(Body::new)) });
        }
        let answer = self.api.call(request);
        Box::pin(async move { Ok(answer.await?.map(Body::new)) })
    }
}
