//! The fields of a record that the API writes, as columns of its table.

use super::{Kind, Row, RowError, Value};
use crate::json::{Digits, Exact, Text, Within};

/// The fields of a record that the API writes. The store adds the [`computed`](super::computed)
/// columns.
pub trait Stored: Sized {
    /// The table that records of this type are rows of.
    const TABLE: &'static str;
    /// The columns, in the order of [`Stored::values`] and [`Stored::read`].
    const COLUMNS: &'static [&'static str];
    /// The kind of each column.
    const KINDS: &'static [Kind];

    /// Reads the record from a row of [`Stored::COLUMNS`].
    fn read<R: Row + ?Sized>(row: &R) -> Result<Self, RowError>;

    /// The values of [`Stored::COLUMNS`].
    fn values(&self) -> Vec<Value<'_>>;
}

/// Converts a body's value to its stored form.
pub(crate) fn of<W: Clone + Into<S>, S>(given: &W) -> S {
    given.clone().into()
}

impl<const MAX: usize> From<Text<MAX>> for String {
    fn from(text: Text<MAX>) -> Self {
        text.into_string()
    }
}

impl<const COUNT: usize> From<Exact<COUNT>> for String {
    fn from(key: Exact<COUNT>) -> Self {
        key.to_string()
    }
}

impl<const COUNT: usize> From<Digits<COUNT>> for String {
    fn from(digits: Digits<COUNT>) -> Self {
        digits.to_string()
    }
}

impl<const MIN: i64, const MAX: i64> From<Within<MIN, MAX>> for i64 {
    fn from(number: Within<MIN, MAX>) -> Self {
        number.get()
    }
}
