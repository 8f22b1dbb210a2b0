//! Structs of several columns ([`Columns`]) as parts of statements and rows.

use rust_decimal::Decimal;
use sqlx::postgres::PgRow;
use svc_core::domain::line_details::LineDetails;
use svc_core::domain::tax::{Amounts, LineRates};
use svc_core::record::{Columns, Kind, Value};

use crate::row::FromRow;
use crate::sql::{Names, Sql};
use crate::value::NamedRow;

/// The text of a statement in which places stand for the columns of structs. For a struct with the
/// columns `iva` and `total`
///
/// - `{Amounts}` is `iva, total`,
/// - `{r.Amounts}` is `r.iva, r.total`,
/// - `{r.Amounts - iva}` is `r.total`,
/// - `{:Amounts}` is `:iva::numeric[], :total::numeric[]`, which `sql!` binds to the rows'
///   `..amounts: Amounts`,
/// - `{Amounts = r}` is `iva = r.iva, total = r.total`.
macro_rules! columns_in {
    ($text:expr, $($part:ident),+ $(,)?) => {{
        const NAMED: &str = $text;
        const PARTS: &[(&str, $crate::sql::Names)] =
            &[$((stringify!($part), <$part as svc_core::record::Columns>::COLUMNS)),+];
        const LENGTH: usize = $crate::part::expanded::<0>(NAMED, PARTS).length;
        const BYTES: [u8; LENGTH] = $crate::part::expanded::<LENGTH>(NAMED, PARTS).bytes;
        const TEXT: &str = match ::core::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        };
        TEXT
    }};
}

pub(crate) use columns_in;

/// A text that is being written; its first `N` bytes are kept.
pub(crate) struct Written<const N: usize> {
    pub(crate) bytes: [u8; N],
    pub(crate) length: usize,
}

impl<const N: usize> Written<N> {
    const fn push(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            if self.length < N {
                self.bytes[self.length] = text[at];
            }
            self.length += 1;
            at += 1;
        }
    }

    /// Writes the columns that `place` stands for.
    const fn push_columns(&mut self, place: &[u8], parts: &[(&str, Names)]) {
        let (mut name, mut end, mut at) = (0, place.len(), 0);
        while at < place.len() {
            match place[at] {
                b':' | b'.' => name = at + 1,
                b' ' if end == place.len() => end = at,
                _ => {}
            }
            at += 1;
        }
        let columns = columns_of(slice(place, name, end), parts);
        let mut left_out: &[u8] = b"";
        if end < place.len() && place[end + 1] == b'-' {
            left_out = slice(place, end + 3, place.len());
            end = place.len();
        }
        let mut is_first = true;
        let mut at = 0;
        while at < columns.len() {
            let (column, kind) = columns[at];
            at += 1;
            if crate::sql::is_same(column.as_bytes(), left_out) {
                continue;
            }
            if !is_first {
                self.push(b", ");
            }
            is_first = false;
            self.push(slice(place, 0, name));
            self.push(column.as_bytes());
            if place[0] == b':' {
                self.push(array_type(kind).as_bytes());
            }
            if end < place.len() {
                self.push(slice(place, end, place.len()));
                self.push(b".");
                self.push(column.as_bytes());
            }
        }
    }
}

/// The text with columns instead of places.
pub(crate) const fn expanded<const N: usize>(text: &str, parts: &[(&str, Names)]) -> Written<N> {
    let text = text.as_bytes();
    let mut written = Written { bytes: [0; N], length: 0 };
    let mut at = 0;
    while at < text.len() {
        let mut end = at + 1;
        if text[at] == b'{' {
            while text[end] != b'}' {
                end += 1;
            }
            written.push_columns(slice(text, at + 1, end), parts);
            end += 1;
        } else {
            written.push(slice(text, at, end));
        }
        at = end;
    }
    written
}

const fn columns_of(name: &[u8], parts: &[(&str, Names)]) -> Names {
    let mut at = 0;
    loop {
        let (part, columns) = parts[at];
        if crate::sql::is_same(part.as_bytes(), name) {
            return columns;
        }
        at += 1;
    }
}

const fn slice(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.split_at(end).0.split_at(start).1
}

const fn array_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "::bigint[]",
        Kind::Decimal => "::numeric[]",
        Kind::Text => "::text[]",
        _ => panic!("no line has such a column"),
    }
}

impl Sql {
    /// Binds each column of these structs as an array.
    pub(crate) fn bind_part<'v, T: Columns + 'v>(&mut self, parts: impl Iterator<Item = &'v T>) {
        let mut values = Vec::new();
        parts.for_each(|part| part.values(&mut values));
        for (at, (_, kind)) in T::COLUMNS.iter().enumerate() {
            let column = values.iter().skip(at).step_by(T::COLUMNS.len());
            match kind {
                Kind::Integer => self.bind(&column.map(integer).collect::<Vec<_>>()),
                Kind::Decimal => self.bind(&column.map(decimal).collect::<Vec<_>>()),
                _ => self.bind(&column.map(text).collect::<Vec<_>>()),
            }
        }
    }
}

fn integer(value: &Value<'_>) -> Option<i64> {
    if let Value::Integer(value) = value { Some(*value) } else { None }
}

fn decimal(value: &Value<'_>) -> Option<Decimal> {
    if let Value::Decimal(value) = value { Some(*value) } else { None }
}

fn text<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    if let Value::Text(value) = value { Some(value) } else { None }
}

fn read_part<T: Columns>(row: &PgRow) -> Result<T, sqlx::Error> {
    T::read(&NamedRow { row, name: |at: usize| T::COLUMNS[at].0 }).map_err(|error| sqlx::Error::Decode(error.into()))
}

impl FromRow for Amounts {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        read_part(row)
    }
}

impl FromRow for LineDetails {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        read_part(row)
    }
}

impl FromRow for LineRates {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        read_part(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_for_the_structs_that_have_them() {
        const PARTS: &[(&str, Names)] =
            &[("Ab", &[("a", Kind::Integer), ("b", Kind::Text)]), ("C", &[("c", Kind::Decimal)])];
        let shown = |text| {
            let Written { bytes, length } = expanded::<200>(text, PARTS);
            String::from_utf8(bytes[..length].to_vec()).unwrap()
        };
        assert_eq!(shown("SELECT x, {Ab}, {r.C} FROM r"), "SELECT x, a, b, r.c FROM r");
        assert_eq!(shown("SET {Ab = l}, x = {:C}"), "SET a = l.a, b = l.b, x = :c::numeric[]");
        assert_eq!(shown("({:Ab})"), "(:a::bigint[], :b::text[])");
        assert_eq!(shown("SELECT {x.Ab - a}"), "SELECT x.b");
    }
}
