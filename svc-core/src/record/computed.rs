//! Columns that follow from other columns of their row. One function computes them for all writers.
//!
//! They are no GENERATED columns: the stored text must equal what [`crate::domain::text`] makes of
//! a filter's value, while `lower()` depends on the database's collation and `normalize()` on its
//! version of Unicode; and PostgreSQL parses and plans the expression of such a column for every
//! statement that writes the row.

use super::value::{Value, owned};
use crate::domain::text::{clean_phone, fold, normalize_email};

/// A text column that follows from others of its row.
#[derive(Debug)]
pub struct Computed {
    /// The column's name.
    pub column: &'static str,
    /// The text columns that it follows from.
    from: &'static [&'static str],
    /// Computes the value from theirs, in the same order.
    compute: fn(&[Option<&str>]) -> Option<String>,
}

/// The computed columns of a row of `table` that is written in `columns`.
pub fn computed(table: &str, columns: &[&str]) -> impl Iterator<Item = &'static Computed> {
    of_table(table).iter().filter(|computed| computed.from.iter().any(|name| columns.contains(name)))
}

fn of_table(table: &str) -> &'static [Computed] {
    match table {
        "clientes" => &[
            Computed { column: "correo_comparable", from: &["correo"], compute: |texts| texts[0].map(normalize_email) },
            Computed { column: "telefono_comparable", from: &["telefono"], compute: |texts| texts[0].map(clean_phone) },
            Computed { column: "movil_comparable", from: &["movil"], compute: |texts| texts[0].map(clean_phone) },
            Computed {
                column: "busqueda",
                from: &["nombre", "razon_social", "rfc"],
                compute: |texts| Some(search_text(texts)),
            },
        ],
        "productos" => {
            &[Computed { column: "busqueda", from: &["sku", "descripcion"], compute: |texts| Some(search_text(texts)) }]
        }
        "proveedores" => {
            &[Computed { column: "busqueda", from: &["nombre"], compute: |texts| Some(search_text(texts)) }]
        }
        _ => &[],
    }
}

impl Computed {
    /// The value in a row with `values` in `columns`. A writer of one source column must write all
    /// of them.
    pub fn value(&self, columns: &[&str], values: &[Value<'_>]) -> Value<'static> {
        let text = |name: &&str| match columns.iter().position(|column| column == name).map(|at| &values[at]) {
            Some(Value::Text(text)) => Some(&**text),
            _ => None,
        };
        owned((self.compute)(&self.from.iter().map(text).collect::<Vec<_>>()))
    }
}

/// The text that a search looks into (contract §3): `sku` and `descripcion` of a product, `nombre`
/// of a supplier, and names and RFC of a customer.
fn search_text(texts: &[Option<&str>]) -> String {
    fold(&texts.iter().copied().flatten().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value<'_> {
        Value::Text(text.into())
    }

    #[test]
    fn computed_columns_follow_from_their_row() {
        let value = |table, columns: &[&str], values: &[Value<'_>]| {
            computed(table, columns).next().unwrap().value(columns, values)
        };
        assert_eq!(
            value("clientes", &["clave", "correo"], &[Value::Integer(1), text(" Ñu@X.MX , b@x.mx ")]),
            text("ñu@x.mx,b@x.mx")
        );
        assert_eq!(value("clientes", &["correo"], &[Value::Null]), Value::Null);
        assert_eq!(value("clientes", &["telefono"], &[text("+52 (477) 123-4567")]), text("4771234567"));
        assert_eq!(value("clientes", &["movil"], &[text("12-34")]), text("1234"));
        assert_eq!(
            value("productos", &["descripcion", "sku"], &[text("Clavo de 2½"), text("S")]),
            text("s clavo de 21⁄2")
        );
        assert_eq!(value("productos", &["descripcion", "sku"], &[Value::Null, Value::Null]), text(""));
        assert_eq!(value("proveedores", &["nombre"], &[text("Aceros  Ñandú")]), text("aceros nandu"));
        assert_eq!(computed("productos", &["costo"]).count(), 0, "none is computed from what is written");
        assert_eq!(computed("ventas", &["serie"]).count(), 0);
    }
}
