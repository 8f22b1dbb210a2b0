//! Structs of several columns ([`Columns`]) as parts of statements and rows.

use rust_decimal::Decimal;
use sqlx::postgres::PgRow;
use svc_core::domain::line_details::LineDetails;
use svc_core::domain::payable::PayableTaxes;
use svc_core::domain::tax::{Amounts, LineRates};
use svc_core::record::{Columns, Kind, Value};

use crate::row::FromRow;
use crate::sql::{Names, Sql, Written, is_same, slice};
use crate::value::NamedRow;

/// The text of a statement in which places stand for the columns of structs. For a struct with the
/// columns `iva` and `total`
///
/// - `{Amounts}` is `iva, total`,
/// - `{r.Amounts}` is `r.iva, r.total`,
/// - `{r.Amounts - iva}` is `r.total`,
/// - `{:Amounts}` is `:iva, :total`, which `sql!` binds to a row's `..amounts: Amounts`,
/// - `{:Amounts[]}` is `:iva::numeric[], :total::numeric[]`, which it binds to many rows',
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

/// Writes the columns that `place` stands for.
const fn push_columns<const ROOM: usize>(written: &mut Written<ROOM>, place: &[u8], parts: &[(&str, Names)]) {
    let is_array = place[place.len() - 1] == b']';
    let place = slice(place, 0, place.len() - if is_array { 2 } else { 0 });
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
        if is_same(column.as_bytes(), left_out) {
            continue;
        }
        if !is_first {
            written.push(b", ");
        }
        is_first = false;
        written.push(slice(place, 0, name));
        written.push(column.as_bytes());
        if is_array {
            written.push(array_type(kind).as_bytes());
        }
        if end < place.len() {
            written.push(slice(place, end, place.len()));
            written.push(b".");
            written.push(column.as_bytes());
        }
    }
}

/// The text with columns instead of places.
pub(crate) const fn expanded<const ROOM: usize>(text: &str, parts: &[(&str, Names)]) -> Written<ROOM> {
    let text = text.as_bytes();
    let mut written = Written::new();
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        if text[at] == b'{' {
            written.push(slice(text, copied, at));
            let place = at + 1;
            while text[at] != b'}' {
                at += 1;
            }
            copied = at + 1;
            push_columns(&mut written, slice(text, place, at), parts);
        }
        at += 1;
    }
    written.push(slice(text, copied, at));
    written
}

const fn columns_of(name: &[u8], parts: &[(&str, Names)]) -> Names {
    let mut at = 0;
    loop {
        let (part, columns) = parts[at];
        if is_same(part.as_bytes(), name) {
            return columns;
        }
        at += 1;
    }
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
    pub(crate) fn bind_parts<'v, T: Columns + 'v>(&mut self, parts: impl Iterator<Item = &'v T>) {
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

    /// Binds each column of the struct.
    pub(crate) fn bind_part<T: Columns>(&mut self, part: &T) {
        let mut values = Vec::new();
        part.values(&mut values);
        for (value, (_, kind)) in values.iter().zip(T::COLUMNS) {
            match kind {
                Kind::Integer => self.bind(&integer(value)),
                Kind::Decimal => self.bind(&decimal(value)),
                _ => self.bind(&text(value)),
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

impl FromRow for PayableTaxes {
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
            let written: Written<200> = expanded(text, PARTS);
            String::from_utf8(written.bytes[..written.length].to_vec()).unwrap()
        };
        assert_eq!(shown("SELECT x, {Ab}, {r.C} FROM r"), "SELECT x, a, b, r.c FROM r");
        assert_eq!(shown("SET {Ab = l}, x = {:C}"), "SET a = l.a, b = l.b, x = :c");
        assert_eq!(shown("({:Ab[]}, {:C[]})"), "(:a::bigint[], :b::text[], :c::numeric[])");
        assert_eq!(shown("SELECT {x.Ab - a}"), "SELECT x.b");
    }
}
