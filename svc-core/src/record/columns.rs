//! Structs of the domain that are stored as several columns in several tables: a line's tax rates,
//! amounts and details, and the taxes of purchases and payables.

use super::{FromValue, Kind, Row, RowError, ToValue, Value};
use crate::domain::line_details::LineDetails;
use crate::domain::payable::PayableTaxes;
use crate::domain::tax::{Amounts, LineRates, amounts, line_taxes};

/// A struct whose fields are columns with the same names.
pub trait Columns: Sized {
    /// The name and kind of each column.
    const COLUMNS: &'static [(&'static str, Kind)];

    /// Appends the values of [`Columns::COLUMNS`].
    fn values<'v>(&'v self, row: &mut Vec<Value<'v>>);

    /// Reads the struct from a row of [`Columns::COLUMNS`].
    fn read<R: Row + ?Sized>(row: &R) -> Result<Self, RowError>;
}

macro_rules! columns {
    ($name:ident: $($own:ident)*; $($(#[$doc:meta])* $field:ident $(: $impuesto:literal, $($mark:expr),*)?;)*) => {
        impl Columns for $name {
            const COLUMNS: &'static [(&'static str, Kind)] = {
                const fn kind<T: FromValue>(_: fn(&$name) -> &T) -> Kind {
                    T::KIND
                }
                &[
                    $((stringify!($own), kind(|it| &it.$own)),)*
                    $((stringify!($field), kind(|it| &it.$field)),)*
                ]
            };

            fn values<'v>(&'v self, row: &mut Vec<Value<'v>>) {
                row.extend([$(self.$own.to_value(),)* $(self.$field.to_value(),)*]);
            }

            fn read<R: Row + ?Sized>(row: &R) -> Result<Self, RowError> {
                let mut next = 0..;
                let mut at = || next.next().unwrap_or_default();
                Ok(Self {
                    $($own: FromValue::read(row, at())?,)*
                    $($field: FromValue::read(row, at())?,)*
                })
            }
        }
    };
}

amounts!(columns! { Amounts: ; });
line_taxes!(columns! { LineRates: iva_tasa; });
columns! { PayableTaxes: iva ieps retencion_isr retencion_iva; }
columns! { LineDetails: numero_pedimento cuenta_predial impuestos_locales; }
