//! Database errors as [`StoreError`]s.

use sqlx::error::{DatabaseError, ErrorKind};
use svc_core::store::{Conflict, StoreError};

/// What an error means when no constraint of ours is expected to have been violated, and when one is: constraints
/// are recognised by their names, and a foreign key's name ends in `<table>_<field>_fk`.
pub(crate) fn store_error(error: sqlx::Error) -> StoreError {
    if Scope::of(&error) > Scope::Statement {
        return StoreError::Unavailable(error.into());
    }
    match &error {
        sqlx::Error::Database(database) => match (database.code().as_deref(), conflict(database.as_ref())) {
            (_, Some(conflict)) => StoreError::Conflict(conflict),
            // serialization_failure, deadlock_detected
            (Some("40001" | "40P01"), _) => StoreError::Transient(error.into()),
            // lock_not_available
            (Some("55P03"), _) => StoreError::Busy(error.into()),
            _ => StoreError::Other(error.into()),
        },
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => StoreError::Unavailable(error.into()),
        _ => StoreError::Other(error.into()),
    }
}

/// What an error says something about. All but [`Scope::Statement`] are passing troubles of the database's, not of the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// The statement alone.
    #[default]
    Statement,
    /// The connection, which is not used again.
    Connection,
    /// The server, or the way to it: no connection to it is used again.
    Server,
}

impl Scope {
    /// By PostgreSQL's error codes (PostgreSQL documentation, appendix A).
    pub(crate) fn of(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(error) => match error.code().as_deref() {
                // statement timeout or cancellation; idle and transaction timeouts; out of disk, memory or connections; I/O errors
                Some("57014" | "25P03" | "25P04") => Self::Connection,
                Some(code) if code.starts_with("53") || code.starts_with("58") => Self::Connection,
                // read-only; connection exceptions; shutting down, crashing, starting up
                Some("25006") => Self::Server,
                Some(code) if code.starts_with("08") || code.starts_with("57P") => Self::Server,
                _ => Self::Statement,
            },
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => Self::Server,
            _ => Self::Statement,
        }
    }
}

fn conflict(error: &dyn DatabaseError) -> Option<Conflict> {
    let constraint = error.constraint()?;
    let field = || {
        let table = error.table().unwrap_or_default();
        let field = constraint.strip_prefix(table).unwrap_or(constraint).trim_start_matches('_');
        field.trim_end_matches("_fk").trim_end_matches("_check").trim_end_matches("_unico").to_owned()
    };
    match (error.kind(), constraint) {
        (ErrorKind::UniqueViolation, "clientes_rfc_unico") => Some(Conflict::Rfc),
        (ErrorKind::UniqueViolation, "productos_sku_unico") => Some(Conflict::Sku),
        (ErrorKind::UniqueViolation, "marcas_nombre_unico") => Some(Conflict::Name),
        (ErrorKind::UniqueViolation, name) if name.ends_with("_pkey") => Some(Conflict::Clave),
        (ErrorKind::ForeignKeyViolation, _) => Some(Conflict::Reference(field())),
        (ErrorKind::UniqueViolation, _) => Some(Conflict::Taken(field())),
        (ErrorKind::CheckViolation, _) => Some(Conflict::Value(field())),
        _ => None,
    }
}
