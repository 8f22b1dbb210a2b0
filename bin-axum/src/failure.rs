use std::io;

use svc_core::operations::import::ImportError;
use svc_core::secrets::WrongKey;
use svc_core::settings::SettingError;
use svc_core::store::StoreError;
use svc_core::{ContextError, Error};
use svc_local_postgres::ClusterError;
use svc_store_postgres::{ForkError, OpenError};

/// Why a command failed; one line on stderr, and one for its [cause](Self::cause).
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Local(#[from] ClusterError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Fork(#[from] ForkError),
    #[error(transparent)]
    Context(#[from] ContextError),
    #[error(transparent)]
    Secrets(#[from] WrongKey),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Action(#[from] Error),
    #[error("{0}: {1}")]
    Io(String, #[source] io::Error),
    #[error("{0}")]
    Other(String),
}

impl Failure {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |error| Self::Io(what, error)
    }

    /// The internal part of an operation's error, which the wire hides but a terminal may show.
    pub(crate) fn cause(&self) -> Option<String> {
        match self {
            Self::Action(error) | Self::Import(ImportError::Failed(error)) => error.cause().map(ToString::to_string),
            _ => None,
        }
    }

    /// The database's own error, if it could not be used.
    pub(crate) fn of_database(&self) -> Option<String> {
        let of_store = |error: &StoreError| match error {
            StoreError::Unavailable(cause) => Some(cause.to_string()),
            _ => None,
        };
        match self {
            Self::Open(error @ OpenError::Database(_)) => Some(error.to_string()),
            Self::Store(error) => of_store(error),
            Self::Action(error) | Self::Import(ImportError::Failed(error)) => {
                of_store(error.cause()?.downcast_ref::<StoreError>()?)
            }
            _ => None,
        }
    }
}
