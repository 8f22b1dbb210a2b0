//! What answers the requests of tools.

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};

use crate::office::Office;
use crate::pipeline::office::beside;
use crate::service::Api;

/// One of the two services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// The API of the specification.
    Api,
    /// The back office (contract §11).
    Office,
}

impl Surface {
    /// Its public address, given that of the API.
    pub fn url(self, base_url: &str) -> String {
        match self {
            Self::Api => base_url.to_owned(),
            Self::Office => beside(base_url),
        }
    }
}

/// Answers the requests of tools: in this process, or by a client of a server elsewhere.
#[async_trait]
pub trait Upstream: Send + Sync {
    /// Answers a request whose path begins below the surface's own. It bears the credentials of the
    /// agent's own request, if that had any.
    ///
    /// # Errors
    /// A text for the agent, if there is no answer.
    async fn send(&self, surface: Surface, request: Request<Bytes>) -> Result<Response<Bytes>, String>;

    /// The public address of a surface, for links to its files; `None` if it is not known.
    fn base_url(&self, surface: Surface) -> Option<String> {
        let _ = surface;
        None
    }
}

/// The services of this process.
pub(super) struct Here {
    pub(super) api: Api,
    pub(super) office: Option<Office>,
    /// That of the API.
    pub(super) base_url: String,
}

#[async_trait]
impl Upstream for Here {
    async fn send(&self, surface: Surface, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        match (surface, &self.office) {
            (Surface::Api, _) => Ok(self.api.handle(request).await),
            (Surface::Office, Some(office)) => Ok(office.handle(request).await),
            (Surface::Office, None) => Err("this server does not serve the office".to_owned()),
        }
    }

    fn base_url(&self, surface: Surface) -> Option<String> {
        Some(surface.url(&self.base_url))
    }
}
