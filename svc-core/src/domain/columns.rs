//! Parts of records that stand in several tables and statements: structs whose fields are columns.

use crate::value::{Kind, Row, RowError, Value};

/// A struct whose fields are columns of the same names.
pub trait Columns: Sized {
    /// Name and kind of each column.
    const COLUMNS: &'static [(&'static str, Kind)];

    /// Appends the values of [`Columns::COLUMNS`].
    fn values<'v>(&'v self, row: &mut Vec<Value<'v>>);

    /// Reads the struct from a row of [`Columns::COLUMNS`].
    fn read<R: Row + ?Sized>(row: &R) -> Result<Self, RowError>;
}

/// Declares a struct with its [`Columns`]; all fields are public.
macro_rules! columns {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $crate::domain::columns::Columns for $name {
            const COLUMNS: &'static [(&'static str, $crate::value::Kind)] =
                &[$((stringify!($field), <$type as $crate::value::FromValue>::KIND)),*];

            fn values<'v>(&'v self, row: &mut Vec<$crate::value::Value<'v>>) {
                use $crate::value::ToValue as _;
                row.extend([$(self.$field.to_value()),*]);
            }

            fn read<R: $crate::value::Row + ?Sized>(
                row: &R,
            ) -> Result<Self, $crate::value::RowError> {
                let mut next = 0..;
                Ok(Self {
                    $($field: $crate::value::FromValue::read(row, next.next().unwrap_or_default())?,)*
                })
            }
        }
    };
}

pub(crate) use columns;
