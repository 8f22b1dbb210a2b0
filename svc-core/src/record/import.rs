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

/// A reference to another record by its code or name, a text of at most `MAX` characters. The column holds that record's
/// clave.
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

/// Declares a record of an import.
///
/// A caller writes a column for each field, and under `unstored` the fields that are accepted and not stored:
///
/// ```text
/// import! {
///     struct LineImport into "ventas_renglones" {
///         clave: Option<i64>,
///         cantidad: Quantity,
///     }
///     unstored { sku: Option<Text<100>>, }
/// }
/// ```
///
/// It makes the struct, its `Deserialize`, which refuses any other field, and its [`Import`]. One field must be
/// `clave: Option<i64>`. [`record!`](super::record) calls it for records that are listed too.
macro_rules! import {
    (
        $(#[$meta:meta])*
        struct $name:ident into $table:literal {
            $($(#[$note:meta])* $field:ident: $type:ty,)*
        }
        $(unstored { $($unstored:ident: $unstored_type:ty,)* })?
    ) => {
        $(#[$meta])*
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $($(#[$note])* pub(crate) $field: $type,)*
            $($(#[allow(dead_code, reason = "accepted because the list's items have it, and not stored")]
            pub(crate) $unstored: $unstored_type,)*)?
        }

        impl $crate::record::Import for $name {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn clave(&mut self) -> &mut Option<i64> {
                &mut self.clave
            }

            fn values<'v>(&'v self, row: &mut Vec<$crate::record::Value<'v>>) {
                $(row.push($crate::record::ToValue::to_value(&self.$field));)*
            }
        }
    };
}

pub(crate) use import;

/// What an edit changes of a record that can be imported.
pub(crate) trait Changes: DeserializeOwned + schemars::JsonSchema + Send + Sync + 'static {
    /// The record as it is imported.
    type Import: Import;

    /// Puts what was sent in its place; a cleared field is as one that an import leaves out.
    fn apply(&self, record: &mut Self::Import);
}

/// Declares what an edit may change of an import's record: each of its fields, all of which may be left out. [`record!`](super::record)
/// calls it for records with `edited as`.
macro_rules! changes {
    (struct $name:ident of $import:ident { $($(#[$note:meta])* $field:ident: $type:ty,)* }) => {
        #[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct $name {
            $($(#[$note])* pub(crate) $field: $crate::json::Sent<$type>,)*
        }

        impl $crate::record::Changes for $name {
            type Import = $import;

            fn apply(&self, record: &mut $import) {
                $(if let Some(value) = self.$field.get() {
                    record.$field.clone_from(value);
                })*
            }
        }
    };
}

pub(crate) use changes;
