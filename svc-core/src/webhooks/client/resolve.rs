use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

/// Why a name has no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// There is no such name, or it has no address.
    #[error("the name has no address")]
    NotFound,
    /// The lookup failed: a failure of this service, unless other names can be resolved.
    #[error("names cannot be resolved: {0}")]
    Ours(String),
}

/// Finds the addresses of a name.
#[async_trait]
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of `name`, in the order to try them.
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError>;
}

/// How long a resolved name proves that names can be resolved.
const RECENT: Duration = Duration::from_mins(1);

/// The last two names that resolved; one of them always differs from the name in question.
#[derive(Debug, Default)]
pub(super) struct Resolved(Mutex<VecDeque<(String, Instant)>>);

impl Resolved {
    pub(super) fn note(&self, name: &str) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.retain(|(known, _)| known != name);
        names.push_front((name.to_owned(), Instant::now()));
        names.truncate(2);
    }

    /// Whether another name resolved lately, so that the failure lies with this name.
    pub(super) fn other_than(&self, name: &str) -> bool {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.iter().any(|(known, at)| known != name && at.elapsed() < RECENT)
    }
}

/// The machine's own resolver, with its name service and hosts file.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        match tokio::net::lookup_host((name, 0)).await {
            Ok(found) => Ok(found.map(|address| address.ip()).collect()),
            Err(error) => Err(understand(&error)),
        }
    }
}

/// Messages of the machine's resolver for a name that does not exist; its error has no code. All
/// others are failures of this service: no server answered, or none is configured.
const NOT_FOUND: [&str; 5] = [
    "Name or service not known",
    "No address associated with",
    "Name does not resolve",
    "Name has no usable address",
    "nodename nor servname provided",
];

fn understand(error: &io::Error) -> ResolveError {
    let text = error.to_string();
    if NOT_FOUND.iter().any(|said| text.contains(said)) { ResolveError::NotFound } else { ResolveError::Ours(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_resolver_are_classified() {
        let understood =
            |text: &str| understand(&io::Error::other(format!("failed to lookup address information: {text}")));
        for text in ["Name or service not known", "No address associated with hostname", "Name does not resolve"] {
            assert_eq!(understood(text), ResolveError::NotFound, "{text}");
        }
        for text in ["Temporary failure in name resolution", "Try again", "Too many open files", "System error"] {
            assert!(matches!(understood(text), ResolveError::Ours(_)), "{text}");
        }
    }

    #[tokio::test]
    async fn the_machine_knows_itself() {
        let found = SystemResolver.resolve("localhost").await.unwrap();
        assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback), "{found:?}");
    }
}
