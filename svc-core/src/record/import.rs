//! The records of imports: structs with the wire's field names, whose fields become columns.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::{ToValue, Value};
use crate::json::Text;

/// A record of an import, read from one line.
pub(crate) trait Import: DeserializeOwned + Send + Sync + 'static {
    /// Its table.
    const TABLE: &'static str;
    /// Its columns, without the company's.
    const COLUMNS: &'static [&'static str];

    /// Its clave: `None` where the line gives none, until the import assigns one.
    fn clave(&mut self) -> &mut Option<i64>;

    /// Appends its values to `row`, in the order of [`Import::COLUMNS`].
    fn values<'v>(&'v self, row: &mut Vec<Value<'v>>);
}

/// A reference to another record by its code or name, a text of at most `MAX` characters. The
/// column holds that record's clave.
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

/// What an edit changes of a record that can be imported.
pub(crate) trait Changes: DeserializeOwned + schemars::JsonSchema + Send + Sync + 'static {
    /// The record as it is imported.
    type Import: Import;

    /// Puts what was sent in its place; a cleared field is as one that an import leaves out.
    fn apply(&self, record: &mut Self::Import);
}
