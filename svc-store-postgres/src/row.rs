//! Reading rows into structs by the names of columns.

use sqlx::postgres::PgRow;
use sqlx::{ColumnIndex, Row as _};

use crate::parameter::FromColumn;

/// A value that is read from a row; see `from_row!`.
pub(crate) trait FromRow: Sized {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error>;
}

/// Reading a column as any [`FromColumn`].
pub(crate) trait ReadColumn {
    /// Reads a column by its name.
    fn read<'r, How, T: FromColumn<'r, How>>(&'r self, column: &str) -> Result<T, sqlx::Error>;

    /// Reads the only column.
    fn read_only<'r, How, T: FromColumn<'r, How>>(&'r self) -> Result<T, sqlx::Error>;
}

impl ReadColumn for PgRow {
    fn read<'r, How, T: FromColumn<'r, How>>(&'r self, column: &str) -> Result<T, sqlx::Error> {
        read_at(self, column)
    }

    fn read_only<'r, How, T: FromColumn<'r, How>>(&'r self) -> Result<T, sqlx::Error> {
        read_at(self, 0_usize)
    }
}

fn read_at<'r, How, T, I>(row: &'r PgRow, index: I) -> Result<T, sqlx::Error>
where
    T: FromColumn<'r, How>,
    I: ColumnIndex<PgRow> + std::fmt::Display,
{
    T::from_column(row.try_get(&index)?)
        .map_err(|source| sqlx::Error::ColumnDecode { index: index.to_string(), source })
}

/// Declares how a struct is read from a row.
///
/// ```text
/// from_row!(OpenPayable {
///     estatus, clave: "cxp", receptor: .., desfase: (seconds("desfase")), xml: (inflated("xml")?),
///     lines: (Vec::new()),
/// });
/// ```
///
/// A field is read from the column of its name, from a column of another name, with `..` as a
/// struct from the same row, or through a function; or it has a value that no column holds. A
/// struct of this crate is declared with it:
///
/// ```text
/// from_row! {
///     struct Line { producto: i64, cantidad: Quantity, total: Money = "importe" }
/// }
/// ```
macro_rules! from_row {
    (@field $row:ident, $field:ident) => {
        $crate::row::ReadColumn::read($row, stringify!($field))?
    };
    (@field $row:ident, $field:ident, ..) => {
        $crate::row::FromRow::from_row($row)?
    };
    (@field $row:ident, $field:ident, $column:literal) => {
        $crate::row::ReadColumn::read($row, $column)?
    };
    (@field $row:ident, $field:ident, ($($with:ident)::+ ($column:literal))) => {
        $($with)::+($crate::row::ReadColumn::read($row, $column)?)
    };
    (@field $row:ident, $field:ident, ($($with:ident)::+ ($column:literal)?)) => {
        $($with)::+($crate::row::ReadColumn::read($row, $column)?)?
    };
    (@field $row:ident, $field:ident, ($value:expr)) => {
        $value
    };
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident {
            $($(#[$note:meta])* $field:ident: $type:ty $(= $column:tt)?),* $(,)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$note])* $field: $type),* }

        $crate::row::from_row!($name { $($field $(: $column)?),* });
    };
    ($name:ident $(::$inner:ident)* { $($field:ident $(: $column:tt)?),* $(,)? }) => {
        impl $crate::row::FromRow for $name $(::$inner)* {
            fn from_row(row: &sqlx::postgres::PgRow) -> Result<Self, sqlx::Error> {
                Ok(Self { $($field: $crate::row::from_row!(@field row, $field $(, $column)?)),* })
            }
        }
    };
}

pub(crate) use from_row;
