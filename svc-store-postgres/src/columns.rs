//! Columns as the domain's values.

use std::num::TryFromIntError;

use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::money::Money;
use svc_core::domain::quantity::Rate;
use svc_core::domain::time::Timestamp;

pub(crate) fn money(row: &PgRow, at: usize) -> Result<Money, sqlx::Error> {
    row.try_get(at).map(Money::new)
}

pub(crate) fn money_or_null(row: &PgRow, at: usize) -> Result<Option<Money>, sqlx::Error> {
    Ok(row.try_get::<Option<_>, _>(at)?.map(Money::new))
}

pub(crate) fn rate(row: &PgRow, at: usize) -> Result<Rate, sqlx::Error> {
    row.try_get(at).map(Rate::new)
}

pub(crate) fn instant(row: &PgRow, at: usize) -> Result<Timestamp, sqlx::Error> {
    row.try_get(at).map(Timestamp::new)
}

/// A small count, which the table keeps from being negative.
pub(crate) fn count(row: &PgRow, at: usize) -> Result<u32, sqlx::Error> {
    let count: i32 = row.try_get(at)?;
    count.try_into().map_err(|error: TryFromIntError| sqlx::Error::Decode(error.into()))
}

/// A word of a closed set. The column's constraint names the same set, so another word is a fault of the database.
pub(crate) fn word<W>(row: &PgRow, at: usize, of: fn(&str) -> Option<W>) -> Result<W, sqlx::Error> {
    word_or_null(row, at, of)?.ok_or_else(|| unexpected(at))
}

pub(crate) fn word_or_null<W>(row: &PgRow, at: usize, of: fn(&str) -> Option<W>) -> Result<Option<W>, sqlx::Error> {
    let text: Option<&str> = row.try_get(at)?;
    text.map(|text| of(text).ok_or_else(|| unexpected(at))).transpose()
}

fn unexpected(at: usize) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: at.to_string(), source: "a word outside its closed set".into() }
}
