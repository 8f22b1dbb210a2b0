//! Columns as values, and values as parameters.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgRow, PgTypeInfo, PgValueRef};
use sqlx::{ColumnIndex as _, Decode, Postgres, QueryBuilder, Row as _, Type, TypeInfo as _};
use svc_core::record::{Kind, Row, RowError, Value};
use uuid::Uuid;

/// A row that is read by the places of its columns.
pub(crate) struct PostgresRow<'r>(pub(crate) &'r PgRow);

impl Row for PostgresRow<'_> {
    fn value(&self, at: usize, kind: Kind) -> Result<Value<'_>, RowError> {
        column_value(self.0, at, kind)
    }
}

fn column_value(row: &PgRow, at: usize, kind: Kind) -> Result<Value<'_>, RowError> {
    let value = match kind {
        Kind::Boolean => row.try_get::<Option<_>, _>(at).map(|value| value.map(Value::Boolean)),
        Kind::Integer => row.try_get::<Option<Integer>, _>(at).map(|value| value.map(|it| Value::Integer(it.0))),
        Kind::Decimal => row.try_get::<Option<_>, _>(at).map(|value| value.map(Value::Decimal)),
        Kind::Text => row.try_get::<Option<_>, _>(at).map(|value| value.map(|text| Value::Text(Cow::Borrowed(text)))),
        Kind::Texts => row.try_get::<Option<_>, _>(at).map(|value| value.map(Value::Texts)),
        Kind::Date => row.try_get::<Option<_>, _>(at).map(|value| value.map(Value::Date)),
        Kind::Instant => row.try_get::<Option<_>, _>(at).map(|value| value.map(Value::Instant)),
        Kind::Uuid => row.try_get::<Option<_>, _>(at).map(|value| value.map(Value::Uuid)),
        _ => return Err(RowError { at, cause: format!("no column holds {kind:?}").into() }),
    };
    value.map(|value| value.unwrap_or(Value::Null)).map_err(|cause| RowError { at, cause: cause.into() })
}

/// A row that is read by the names of its columns, which `name` gives for each place.
pub(crate) struct NamedRow<'r, F> {
    pub(crate) row: &'r PgRow,
    pub(crate) name: F,
}

impl<F: Fn(usize) -> &'static str> Row for NamedRow<'_, F> {
    fn value(&self, at: usize, kind: Kind) -> Result<Value<'_>, RowError> {
        let index = (self.name)(at).index(self.row).map_err(|cause| RowError { at, cause: cause.into() })?;
        column_value(self.row, index, kind)
    }
}

/// An integer of any width.
struct Integer(i64);

impl Type<Postgres> for Integer {
    fn type_info() -> PgTypeInfo {
        <i64 as Type<Postgres>>::type_info()
    }

    fn compatible(info: &PgTypeInfo) -> bool {
        matches!(info.name(), "INT8" | "INT4" | "INT2")
    }
}

impl<'r> Decode<'r, Postgres> for Integer {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        let bytes = value.as_bytes()?;
        // Binary format: big-endian, as wide as the column.
        Ok(Self(match *bytes {
            [a, b] => i16::from_be_bytes([a, b]).into(),
            [a, b, c, d] => i32::from_be_bytes([a, b, c, d]).into(),
            _ => i64::from_be_bytes(bytes.try_into()?),
        }))
    }
}

/// Binds a value; `kind` is the type of a null.
pub(crate) fn push(sql: &mut QueryBuilder<Postgres>, value: &Value<'_>, kind: Kind) {
    match value {
        Value::Boolean(value) => sql.push_bind(*value),
        Value::Integer(value) => sql.push_bind(*value),
        Value::Decimal(value) => sql.push_bind(*value),
        Value::Text(value) => sql.push_bind(&**value),
        Value::Texts(value) => sql.push_bind(value),
        Value::Date(value) => sql.push_bind(*value),
        Value::Instant(value) => sql.push_bind(*value),
        Value::Uuid(value) => sql.push_bind(*value),
        _ => push_null(sql, kind),
    };
}

fn push_null(sql: &mut QueryBuilder<Postgres>, kind: Kind) -> &mut QueryBuilder<Postgres> {
    match kind {
        Kind::Boolean => sql.push_bind(None::<bool>),
        Kind::Integer => sql.push_bind(None::<i64>),
        Kind::Decimal => sql.push_bind(None::<Decimal>),
        Kind::Texts => sql.push_bind(None::<Vec<String>>),
        Kind::Date => sql.push_bind(None::<NaiveDate>),
        Kind::Instant => sql.push_bind(None::<DateTime<Utc>>),
        Kind::Uuid => sql.push_bind(None::<Uuid>),
        _ => sql.push_bind(None::<&str>),
    }
}
