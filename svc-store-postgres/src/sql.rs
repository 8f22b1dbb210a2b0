//! `sql!`: a whole statement whose parameters have names.

use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgStatement};
use sqlx::{Execute, Postgres, SqlSafeStr as _, SqlStr};
use svc_core::record::Kind;

use crate::parameter::Parameter;

/// A statement with its arguments.
///
/// ```text
/// sql!(
///     "SELECT rfc, cp
///      FROM clientes
///      WHERE empresa = :empresa AND clave = :clave
///      FOR NO KEY UPDATE",
///     empresa: self.empresa,
///     clave,
/// )
/// ```
///
/// `clave` alone is short for `clave: clave`. A name may occur more than once in the text. A name
/// without an argument does not compile, and neither does an argument that the text does not name.
/// Many rows are bound as one array a column:
///
/// ```text
/// sql!(
///     "INSERT INTO precios (empresa, producto, precio)
///      SELECT :empresa, producto, precio
///      FROM unnest(:producto::bigint[], :precio::numeric[]) AS p (producto, precio)",
///     empresa: self.empresa;
///     for price in prices { producto, precio: price.amount }
/// )
/// ```
///
/// Here `producto` alone is short for `producto: price.producto`. Structs of several columns follow
/// after `;`: `..amounts: Amounts` binds the columns of `price.amounts`, in a text of
/// `columns_in!`. The fields of one row are bound likewise:
///
/// ```text
/// sql!(
///     "UPDATE cxp
///      SET folio = :folio, tipo = :tipo
///      WHERE empresa = :empresa AND clave = :cxp",
///     empresa: self.empresa,
///     cxp;
///     from payable { folio, tipo }
/// )
/// ```
macro_rules! sql {
    (
        $text:expr
        $(, $name:ident $(: $value:expr)?)* $(,)?
        $(; $(for $row:ident in $rows:tt {
            $($column:ident $(: $field:expr)?),* $(,)? $(; $(..$part:ident: $type:ident),* $(,)?)?
        })+)?
    ) => {{
        const TEXT: &str = $crate::sql::sql_text!($text $(, $name)* $($($(, $column)*)+)?; $($($($($type,)*)?)+)?);
        #[allow(unused_mut, reason = "a statement may have no parameters")]
        let mut sql = $crate::sql::Sql::new(TEXT);
        $(sql.bind($crate::sql::named!($name $(: $value)?));)*
        $($($(sql.bind(
            &$rows.iter().map(|$row| $crate::sql::named!($row.$column $(: $field)?)).collect::<Vec<_>>(),
        );)*)+)?
        $($($($(sql.bind_parts::<$type>($rows.iter().map(|$row| &$row.$part));)*)?)+)?
        sql
    }};
    (
        $text:expr
        $(, $name:ident $(: $value:expr)?)* $(,)?;
        from $row:ident {
            $($column:ident $(: $field:expr)?),* $(,)? $(; $(..$part:ident: $type:ident),* $(,)?)?
        } $(,)?
    ) => {{
        const TEXT: &str = $crate::sql::sql_text!($text $(, $name)* $(, $column)*; $($($type,)*)?);
        let mut sql = $crate::sql::Sql::new(TEXT);
        $(sql.bind($crate::sql::named!($name $(: $value)?));)*
        $(sql.bind($crate::sql::named!(@one $row.$column $(: $field)?));)*
        $($(sql.bind_part::<$type>(&$row.$part);)*)?
        sql
    }};
}

/// A reference to the value of a name.
macro_rules! named {
    ($name:ident) => {
        &$name
    };
    ($name:ident: $value:expr) => {
        &$value
    };
    ($row:ident.$column:ident) => {
        &$row.$column
    };
    (@one $row:ident.$column:ident) => {
        &$row.$column
    };
    (@one $row:ident.$column:ident: $field:expr) => {
        &$field
    };
    ($row:ident.$column:ident: $field:expr) => {
        $field
    };
}

/// The text with its names replaced by `$1`, `$2`, …, in the order of the names.
macro_rules! sql_text {
    ($text:expr $(, $name:ident)* $(; $($part:ident,)*)?) => {{
        const NAMED: &str = $text;
        const OWN: &[&str] = &[$(stringify!($name)),*];
        const PARTS: &[$crate::sql::Names] = &[$($(<$part as svc_core::record::Columns>::COLUMNS),*)?];
        const NAMES: &[&str] = &$crate::sql::with_parts::<{ OWN.len() + $crate::sql::count(PARTS) }>(OWN, PARTS);
        // A number is at most twice as long as its name with the colon.
        const NUMBERED: $crate::sql::Written<{ 2 * NAMED.len() }> = $crate::sql::numbered(NAMED, NAMES);
        const BYTES: [u8; NUMBERED.length] = NUMBERED.cut();
        const TEXT: &str = match ::core::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        };
        TEXT
    }};
}

pub(crate) use {named, sql, sql_text};

/// A statement with its arguments, as `sql!` makes it.
pub(crate) struct Sql {
    text: &'static str,
    arguments: Result<PgArguments, BoxDynError>,
    is_prepared: bool,
}

impl Sql {
    pub(crate) fn new(text: &'static str) -> Self {
        Self { text, arguments: Ok(PgArguments::default()), is_prepared: true }
    }

    /// Runs it without a prepared statement, so that no plan is kept.
    pub(crate) fn planned_each_time(self) -> Self {
        Self { is_prepared: false, ..self }
    }

    /// Binds the next parameter.
    pub(crate) fn bind<'q, How, T: Parameter<'q, How> + ?Sized>(&mut self, value: &'q T) {
        if let Ok(arguments) = &mut self.arguments
            && let Err(error) = sqlx::Arguments::add(arguments, value.column())
        {
            self.arguments = Err(error);
        }
    }
}

impl Execute<'_, Postgres> for Sql {
    fn sql(self) -> SqlStr {
        self.text.into_sql_str()
    }

    fn statement(&self) -> Option<&PgStatement> {
        None
    }

    fn take_arguments(&mut self) -> Result<Option<PgArguments>, BoxDynError> {
        std::mem::replace(&mut self.arguments, Ok(PgArguments::default())).map(Some)
    }

    fn persistent(&self) -> bool {
        self.is_prepared
    }
}

/// The columns of a struct.
pub(crate) type Names = &'static [(&'static str, Kind)];

/// The parameters of a statement: `own`, then the columns of `parts`.
pub(crate) const fn with_parts<const N: usize>(own: &[&'static str], parts: &[Names]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut to = 0;
    while to < own.len() {
        names[to] = own[to];
        to += 1;
    }
    let mut part = 0;
    while part < parts.len() {
        let mut at = 0;
        while at < parts[part].len() {
            names[to] = parts[part][at].0;
            to += 1;
            at += 1;
        }
        part += 1;
    }
    names
}

/// How many columns these structs have.
pub(crate) const fn count(parts: &[Names]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < parts.len() {
        count += parts[at].len();
        at += 1;
    }
    count
}

/// A text that is being written; without room it is only measured. The compiler interprets this for
/// every statement, so pieces are copied whole.
pub(crate) struct Written<const ROOM: usize> {
    pub(crate) bytes: [u8; ROOM],
    pub(crate) length: usize,
}

impl<const ROOM: usize> Written<ROOM> {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; ROOM], length: 0 }
    }

    pub(crate) const fn push(&mut self, text: &[u8]) {
        if ROOM > 0 {
            self.bytes.split_at_mut(self.length).1.split_at_mut(text.len()).0.copy_from_slice(text);
        }
        self.length += text.len();
    }

    /// What is written, in an array of its length.
    pub(crate) const fn cut<const LENGTH: usize>(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes.copy_from_slice(self.bytes.split_at(LENGTH).0);
        bytes
    }
}

/// The text with numbers instead of names.
pub(crate) const fn numbered<const ROOM: usize>(text: &str, names: &[&str]) -> Written<ROOM> {
    let text = text.as_bytes();
    let mut written = Written::new();
    let mut used = [false; 128];
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        match text[at] {
            quote @ (b'\'' | b'"') => {
                at += 1;
                while text[at] != quote {
                    at += 1;
                }
            }
            b':' if text[at + 1] == b':' => at += 1,
            b':' if text[at + 1].is_ascii_lowercase() || text[at + 1] == b'_' => {
                written.push(slice(text, copied, at));
                let name = at + 1;
                at = name;
                while at < text.len() && (text[at].is_ascii_alphanumeric() || text[at] == b'_') {
                    at += 1;
                }
                copied = at;
                let number = number_of(slice(text, name, at), names);
                used[number] = true;
                push_number(&mut written, number);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    written.push(slice(text, copied, at));
    let mut name = 0;
    while name < names.len() {
        if !used[name + 1] {
            is_not_in_the_text(names[name]);
        }
        name += 1;
    }
    written
}

const fn push_number<const ROOM: usize>(written: &mut Written<ROOM>, number: usize) {
    written.push(b"$");
    let mut unit = if number >= 100 {
        100
    } else if number >= 10 {
        10
    } else {
        1
    };
    while unit > 0 {
        written.push(&[b'0' + (number / unit % 10) as u8]);
        unit /= 10;
    }
}

pub(crate) const fn slice(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.split_at(end).0.split_at(start).1
}

/// The number of a parameter. A name without an argument fails to compile.
const fn number_of(name: &[u8], names: &[&str]) -> usize {
    let mut number = 0;
    while number < names.len() {
        if is_same(name, names[number].as_bytes()) {
            return number + 1;
        }
        number += 1;
    }
    has_no_argument(name)
}

/// Its own name says in the compiler's error what is wrong with `name`.
const fn has_no_argument(name: &[u8]) -> ! {
    match str::from_utf8(name) {
        Ok(name) => panic!("{}", name),
        Err(_) => unreachable!(),
    }
}

/// Likewise.
const fn is_not_in_the_text(name: &str) -> ! {
    panic!("{}", name)
}

pub(crate) const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_numbers_in_the_order_of_the_arguments() {
        assert_eq!(
            sql_text!("SELECT b::text, ':a' FROM t WHERE a = :a AND b = ANY (:b::bigint[]) AND :a > \":b\"", b, a),
            "SELECT b::text, ':a' FROM t WHERE a = $2 AND b = ANY ($1::bigint[]) AND $2 > \":b\""
        );
        assert_eq!(
            sql_text!(":a1 :a2 :a3 :a4 :a5 :a6 :a7 :a8 :a9 :b0 :b1", a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1),
            "$1 $2 $3 $4 $5 $6 $7 $8 $9 $10 $11"
        );
        assert_eq!(sql_text!("SELECT 1"), "SELECT 1");
    }

    #[test]
    fn rows_are_bound_as_one_array_a_column() {
        struct Price {
            producto: i64,
            nombre: String,
        }
        let prices = [Price { producto: 1, nombre: "uno".to_owned() }, Price { producto: 2, nombre: "dos".to_owned() }];
        let empresa = 7;
        let mut sql = sql!(
            "SELECT :empresa, * FROM unnest(:producto::bigint[], :largo::bigint[], :nombre::text[])",
            empresa;
            for price in prices { producto, largo: price.nombre.len() as i64, nombre }
        );
        let arguments = sql.take_arguments().expect("encoded").expect("arguments");
        assert_eq!(sqlx::Arguments::len(&arguments), 4);
        assert_eq!(sql.text, "SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[])");
    }
}
