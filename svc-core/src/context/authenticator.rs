//! Sign-in of requests that bear no API key, by the host.

use std::future::Future;
use std::time::Duration;

use async_trait::async_trait;

use crate::domain::company::CompanyId;
use crate::domain::scope::KeyScopes;
use crate::error::{Code, Error};
use crate::store::StoreError;

/// The time limit of an authenticator for one request.
const LONGEST: Duration = Duration::from_secs(5);

/// The caller of a request without an API key, as an [`Authenticator`] identifies it. A company
/// that does not exist, or a user of another company, is refused like a wrong key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The company whose records the request sees.
    pub company: CompanyId,
    /// The clave of a user of the company.
    pub user: i64,
    /// What the request may do.
    pub scopes: KeyScopes,
}

impl Identity {
    /// A user of a company, with these scopes.
    pub fn new(company: CompanyId, user: i64, scopes: impl Into<KeyScopes>) -> Self {
        Self { company, user, scopes: scopes.into() }
    }
}

/// Identifies the caller of a request without the header `X-Svc-Key-Id`, for example by a JWT or a
/// session. [`ContextBuilder::authenticator`](super::ContextBuilder::authenticator) sets it, for
/// the API, the office and [`Context::authenticate`](super::Context::authenticate) alike.
///
/// All else is as with a key: the company's API, the user's access and the plan are checked first,
/// then the limits, then the scopes (contract §2). A user has the limits and the Idempotency-Keys
/// that a key has, whatever session the request belongs to. Terms of use are accepted with keys, so
/// a host must agree on them itself with the users whom it signs in.
pub trait Authenticator: Send + Sync + 'static {
    /// Identifies the caller of the request with that head; `None` if it has no credentials of this
    /// sort, or wrong ones: the answer is `llave_invalida`. An error of 400 to 499 is the answer;
    /// any other error, or an answer after more than 5 s, is `no_disponible`.
    ///
    /// It may call other services: no transaction is open, and the request is not counted yet.
    fn identify(&self, head: &http::request::Parts) -> impl Future<Output = Result<Option<Identity>, Error>> + Send;
}

/// An authenticator whose type is not known where it is called.
#[async_trait]
pub(crate) trait AnyAuthenticator: Send + Sync {
    /// [`Authenticator::identify`], within its time and with no error but those of a client.
    async fn identify(&self, head: &http::request::Parts) -> Result<Option<Identity>, Error>;
}

#[async_trait]
impl<A: Authenticator> AnyAuthenticator for A {
    async fn identify(&self, head: &http::request::Parts) -> Result<Option<Identity>, Error> {
        match tokio::time::timeout(LONGEST, Authenticator::identify(self, head)).await {
            Err(late) => Err(StoreError::Unavailable(late.into()).into()),
            Ok(Err(error)) if !error.status().is_client_error() => {
                Err(Error::new(Code::NoDisponible).retry_after(1).caused_by(error))
            }
            Ok(outcome) => outcome,
        }
    }
}
