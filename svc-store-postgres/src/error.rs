//! Database errors as [`StoreError`]s.

use sqlx::error::{DatabaseError, ErrorKind};
use svc_core::store::{Conflict, StoreError};

/// What an error means when no constraint of ours is expected to have been violated, and when one is: constraints
/// are recognised by their names, and a foreign key's name ends in `<table>_<field>_fk`.
pub(crate) fn store_error(error: sqlx::Error) -> StoreError {
    match &error {
        sqlx::Error::Database(database) => match (database.code().as_deref(), conflict(database.as_ref())) {
            (_, Some(conflict)) => StoreError::Conflict(conflict),
            // serialization_failure, deadlock_detected
            (Some("40001" | "40P01"), _) => StoreError::Transient(error.into()),
            // lock_not_available
            (Some("55P03"), _) => StoreError::Busy(error.into()),
            // connection exceptions, too_many_connections, admin_shutdown, crash_shutdown, cannot_connect_now
            (Some("53300" | "57P01" | "57P02" | "57P03"), _) => StoreError::Unavailable(error.into()),
            (Some(code), _) if code.starts_with("08") => StoreError::Unavailable(error.into()),
            _ => StoreError::Other(error.into()),
        },
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => {
            StoreError::Unavailable(error.into())
        }
        _ => StoreError::Other(error.into()),
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
