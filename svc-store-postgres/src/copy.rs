//! Rows in PostgreSQL's COPY text format, the fastest way to insert them.

use std::fmt::{Display, Write as _};

use svc_core::record::Value;
use svc_core::store::StoreError;

use crate::error::store_error;
use crate::pool::Statements;

#[derive(Default)]
pub(crate) struct Copy {
    text: String,
}

impl Copy {
    /// Appends a value to the row.
    pub(crate) fn value(&mut self, value: impl Display) -> &mut Self {
        let start = self.text.len();
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{value}");
        if self.text[start..].contains(['\\', '\t', '\n', '\r']) {
            let escaped =
                self.text[start..].replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r");
            self.text.truncate(start);
            self.text.push_str(&escaped);
        }
        self.text.push('\t');
        self
    }

    /// Appends a value or null to the row.
    pub(crate) fn optional(&mut self, value: Option<impl Display>) -> &mut Self {
        if let Some(value) = value {
            return self.value(value);
        }
        self.text.push_str("\\N\t");
        self
    }

    /// Appends a value of a record to the row.
    pub(crate) fn column(&mut self, value: &Value<'_>) {
        match value {
            Value::Boolean(value) => self.value(value),
            Value::Integer(value) => self.value(value),
            Value::Decimal(value) => self.value(value),
            Value::Text(value) => self.value(value),
            Value::Date(value) => self.value(value),
            Value::Instant(value) => self.value(value.format("%Y-%m-%dT%H:%M:%S%.fZ")),
            Value::Uuid(value) => self.value(value),
            _ => self.optional(None::<&str>),
        };
    }

    pub(crate) fn end(&mut self) {
        // The last value's tab becomes the row's end.
        self.text.pop();
        self.text.push('\n');
    }

    /// Sends the rows; `statement` is `COPY table (columns) FROM STDIN`.
    pub(crate) async fn send(self, connection: Statements<'_>, statement: String) -> Result<(), StoreError> {
        connection.copy(&statement, self.text.as_bytes()).await.map_err(store_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_null_is_not_a_word() {
        let mut copy = Copy::default();
        copy.value(1).optional(Some("a\tb\\N\nñ")).optional(None::<&str>).value("").end();
        assert_eq!(copy.text, "1\ta\\tb\\\\N\\nñ\t\\N\t\n");
    }
}
