//! What an import brings of a record: a struct of the same field names, whose fields become columns.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::{ToValue, Value};
use crate::json::Text;

/// A record as an import brings it.
pub(crate) trait Import: DeserializeOwned + Send + Sync + 'static {
    /// Its table.
    const TABLE: &'static str;
    /// Its columns, the company's number aside.
    const COLUMNS: &'static [&'static str];

    /// Its clave: the one that it brings, later the one that it gets.
    fn clave(&mut self) -> &mut Option<i64>;

    /// Adds its values, in the order of [`Import::COLUMNS`].
    fn values<'v>(&'v self, row: &mut Vec<Value<'v>>);
}

/// A record that is named by a text of at most `MAX` characters; its column holds the clave of the one that bears it.
#[derive(Debug, Clone)]
pub(crate) struct Reference<const MAX: usize> {
    /// The name.
    pub(crate) name: Text<MAX>,
    /// The clave, once it was looked up.
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

/// States what an import brings: its fields are the columns of `table`, those under `unstored` are none.
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
            $($(#[allow(dead_code, reason = "it is taken since a list's item has it, and follows from others")]
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
