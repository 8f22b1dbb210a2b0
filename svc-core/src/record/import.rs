//! The records of imports: structs with the wire's field names, whose fields become columns.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::{List, ListSpec, Row, RowError, ToValue, Value};
use crate::json::Text;

/// How a store keeps the records of an import: the table, and the columns that the import fills.
/// The store adds the company and the [`computed`](super::computed) columns.
#[derive(Debug)]
pub struct ImportSpec {
    /// The table that lines become rows of.
    pub table: &'static str,
    /// The columns that a line fills, in the order of the values that a store is given.
    pub columns: &'static [&'static str],
}

/// A record of an import, read from one line.
pub(crate) trait Import: DeserializeOwned + Send + Sync + 'static {
    /// The item of the record's list.
    type Record: Exported;

    const SPEC: ImportSpec;

    /// The clave; `None` until the import assigns one, unless the line gives it.
    fn clave(&mut self) -> &mut Option<i64>;

    /// Appends the values of [`ImportSpec::columns`] to `row`.
    fn values<'v>(&'v self, row: &mut Vec<Value<'v>>);
}

/// A record with every field that an import takes.
pub(crate) trait Exported: List {
    /// The list of all these records, the hidden ones too, with these fields.
    const EXPORT: ListSpec;

    /// Writes a row as a line of an import, and returns the clave.
    fn export<R: Row + ?Sized>(row: &R, json: &mut Vec<u8>) -> Result<i64, RowError>;
}

/// A reference to another record by its code or name, of at most `MAX` characters. The column
/// stores that record's clave.
#[derive(Debug, Clone)]
pub(crate) struct Reference<const MAX: usize> {
    /// The code or name.
    pub(crate) name: Text<MAX>,
    /// The clave, once it has been looked up.
    pub(crate) clave: Option<i64>,
}

impl<'de, const MAX: usize> Deserialize<'de> for Reference<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { name: Text::deserialize(deserializer)?, clave: None })
    }
}

impl<const MAX: usize> ToValue for Reference<MAX> {
    fn to_value(&self) -> Value<'_> {
        self.clave.to_value()
    }
}

/// The fields that an edit changes of a record that can be imported.
pub(crate) trait Changes: DeserializeOwned + schemars::JsonSchema + Send + Sync + 'static {
    /// The record as it is imported.
    type Import: Import;

    /// Copies the fields that were sent. A cleared field becomes what a missing field is in an
    /// import.
    fn apply(&self, record: &mut Self::Import);
}
