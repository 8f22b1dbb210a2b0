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
    let (constraint, table) = match error.constraint() {
        Some(constraint) => (constraint, error.table().unwrap_or_default()),
        None if matches!(error.kind(), ErrorKind::Other | ErrorKind::NotNullViolation) => return None,
        None => of_worker(error.message())?,
    };
    let field = || {
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

/// The constraint and the table that a distributed engine's worker tells of: in the message only, by the names of a shard, which
/// end in its number. The constraint is the last name; the table is the first, if there are two.
fn of_worker(message: &str) -> Option<(&str, &str)> {
    let mut names = message.split('"').skip(1).step_by(2).map(|name| match name.rsplit_once('_') {
        Some((own, shard)) if shard.len() >= 6 && shard.bytes().all(|byte| byte.is_ascii_digit()) => own,
        _ => name,
    });
    let first = names.next()?;
    Some(names.last().map_or((first, ""), |last| (last, first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workers_message_names_the_constraint() {
        for (message, constraint, table) in [
            ("duplicate key value violates unique constraint \"clientes_rfc_unico_102104\"", "clientes_rfc_unico", ""),
            (
                "insert or update on table \"productos_102104\" violates foreign key constraint \"productos_unidad_fk_102104\"",
                "productos_unidad_fk",
                "productos",
            ),
            (
                "new row for relation \"precios_102199\" violates check constraint \"precios_precio_check\"",
                "precios_precio_check",
                "precios",
            ),
        ] {
            assert_eq!(of_worker(message), Some((constraint, table)), "{message}");
        }
        assert_eq!(of_worker("nothing is named"), None);
    }
}
