//! Database errors as [`StoreError`]s.

use sqlx::error::{DatabaseError, ErrorKind};
use sqlx::postgres::PgDatabaseError;
use svc_core::store::{Conflict, StoreError};

/// What an error of the database means to an operation.
///
/// Constraints are recognised by their names: a foreign key's is `<table>_<field>_fk`, or what
/// PostgreSQL calls it, and its violation becomes 422 `referencia_invalida` of that field. Those of
/// a host's own unique constraints and checks are 500, so an operation validates before it writes.
pub fn store_error(error: sqlx::Error) -> StoreError {
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

/// How much an error affects. All but [`Scope::Statement`] are temporary faults of the database,
/// not of the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// Only the statement.
    #[default]
    Statement,
    /// The connection; it is not used again.
    Connection,
    /// The server or the network: none of its connections is used again.
    Server,
}

impl Scope {
    /// Error codes: PostgreSQL documentation, appendix A.
    pub(crate) fn of(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(error) => match error.code().as_deref() {
                // statement timeout or cancellation; idle and transaction timeouts; out of disk,
                // memory or connections; I/O errors
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
    let (constraint, table, kind) = if let Some(constraint) = error.constraint() {
        (constraint, error.table(), error.kind())
    } else {
        let (constraint, table) = of_worker(error.message())?;
        let kind = match error.kind() {
            ErrorKind::NotNullViolation => return None,
            ErrorKind::Other if is_without_code(error) => kind_of(constraint)?,
            kind => kind,
        };
        (constraint, table, kind)
    };
    let field = || {
        let ends = ["_fk", "_fkey", "_check", "_unico"];
        let name = ends.iter().fold(constraint, |name, end| name.strip_suffix(end).unwrap_or(name));
        let field = match table {
            // PostgreSQL's own name has all columns of the key.
            Some(table) => {
                let columns = name.strip_prefix(table).unwrap_or(name).trim_start_matches('_');
                columns.strip_prefix("empresa_").unwrap_or(columns)
            }
            // Only a violated unique constraint comes without its table; the last word is the
            // field.
            None => name.rsplit('_').next().unwrap_or(name),
        };
        field.to_owned()
    };
    match (kind, constraint) {
        (ErrorKind::UniqueViolation, "clientes_rfc_unico") => Some(Conflict::Rfc(None)),
        (ErrorKind::UniqueViolation, "productos_sku_unico") => Some(Conflict::Sku),
        (ErrorKind::UniqueViolation, "cxp_uuid_unico") => Some(Conflict::Uuid),
        (ErrorKind::UniqueViolation, "marcas_nombre_unico") => Some(Conflict::Name),
        (ErrorKind::UniqueViolation, "almacenes_principal_unico") => Some(Conflict::MainWarehouse),
        (ErrorKind::UniqueViolation, name) if name.ends_with("_pkey") => Some(Conflict::Clave),
        (ErrorKind::ForeignKeyViolation, _) => Some(Conflict::Reference(field())),
        (ErrorKind::UniqueViolation, _) => Some(Conflict::Taken(field())),
        (ErrorKind::CheckViolation, _) => Some(Conflict::Value(field())),
        _ => None,
    }
}

/// The constraint and the table in an error of a distributed engine's worker. They are only in the
/// message, as names of a shard, which end in its number. The constraint is the last name; the
/// table is the first, if there are two.
fn of_worker(message: &str) -> Option<(&str, Option<&str>)> {
    let mut names = message.split('"').skip(1).step_by(2).map(|name| match name.rsplit_once('_') {
        Some((own, shard)) if shard.len() >= 6 && shard.bytes().all(|byte| byte.is_ascii_digit()) => own,
        _ => name,
    });
    let first = names.next()?;
    Some(names.last().map_or((first, None), |last| (last, Some(first))))
}

/// Whether it may be a worker's error of a COPY: the engine repeats it as an internal error with
/// the same message and detail.
fn is_without_code(error: &dyn DatabaseError) -> bool {
    let detail = error.try_downcast_ref::<PgDatabaseError>().and_then(PgDatabaseError::detail);
    error.code().as_deref() == Some("XX000") && detail.is_some()
}

/// The kind of a constraint, by its name.
fn kind_of(constraint: &str) -> Option<ErrorKind> {
    match constraint.rsplit('_').next()? {
        "pkey" | "unico" => Some(ErrorKind::UniqueViolation),
        "fk" | "fkey" => Some(ErrorKind::ForeignKeyViolation),
        "check" => Some(ErrorKind::CheckViolation),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workers_message_names_the_constraint() {
        for (message, constraint, table, kind) in [
            (
                "duplicate key value violates unique constraint \"clientes_rfc_unico_102104\"",
                "clientes_rfc_unico",
                None,
                ErrorKind::UniqueViolation,
            ),
            (
                "insert or update on table \"productos_102104\" violates foreign key constraint \"productos_unidad_fk_102104\"",
                "productos_unidad_fk",
                Some("productos"),
                ErrorKind::ForeignKeyViolation,
            ),
            (
                "new row for relation \"precios_102199\" violates check constraint \"precios_precio_check\"",
                "precios_precio_check",
                Some("precios"),
                ErrorKind::CheckViolation,
            ),
        ] {
            assert_eq!(of_worker(message), Some((constraint, table)), "{message}");
            assert_eq!(kind_of(constraint), Some(kind), "{message}");
        }
        assert_eq!(of_worker("nothing is named"), None);
        assert_eq!(kind_of("productos"), None);
    }
}
