//! The records of the lists: for each one its fields, its columns, the record of its import, and its list.
//!
//! `record!` declares the struct, its JSON, its columns and how a row is read; `impl List` in the same file gives the path and
//! the filters. A store reads [`ListSpec::columns`] from [`ListSpec::table`]; it alone knows which of them are computed or
//! come from another table.
//!
//! # How to add a list
//! A file here with `record!` and `impl List`, a line in [`crate::registry`], a migration with the table and an index
//! for each filter. Where the rows do not come from one table as they are, an exception in the store's table of sources.

pub(crate) mod filter;
mod import;
mod list;
mod window;

pub mod bank_account;
pub mod branch;
pub mod brand;
pub mod category;
pub mod customer;
pub mod delivery;
pub mod invoice;
pub mod loss_reason;
pub mod movement;
pub mod opportunity;
pub mod payable;
pub mod payment;
pub mod price;
pub mod product;
pub mod purchase;
pub mod purchase_line;
pub mod receivable;
pub mod sale;
pub mod sale_line;
pub mod salesperson;
pub mod stage;
pub mod stock;
pub mod supplier;
pub mod unit;
pub mod warehouse;
pub mod webhook;

pub use crate::domain::value::{FromValue, Kind, Row, RowError, ToValue, Value};
pub use filter::{Compare, Filter, Takes};
pub(crate) use import::Reference;
pub(crate) use import::{Changes, Import, changes, import};
pub use list::{Condition, List, ListSpec, PageSizes, Query};
pub use window::LONGEST as LONGEST_WINDOW;

/// A record: a struct whose fields are columns.
pub trait Record: Sized {
    /// Its table.
    const TABLE: &'static str;
    /// Its columns, in the order in which [`Record::write`] takes them: the clave first. Derived fields have no column.
    const COLUMNS: &'static [&'static str];

    /// Reads the record from a row of [`Record::COLUMNS`]; fails when a column is missing or holds a value that its field
    /// cannot have.
    fn read<R: Row + ?Sized>(row: &R) -> Result<Self, RowError>;

    /// Writes the record of a row as JSON, as `Serialize` does but without reading it first; gives its clave, by which every list is
    /// ordered.
    fn write<R: Row + ?Sized>(row: &R, json: &mut Vec<u8>) -> Result<i64, RowError>;
}

/// Declares a record of a list, and the record of its import.
///
/// A caller writes a line for each field:
///
/// ```text
/// record! {
///     /// A line of a sale.
///     pub struct SaleLine in "ventas_renglones" {
///         /// Key.
///         clave: i64 => Option<i64>,
///         /// Quantity.
///         cantidad: Quantity => Quantity,
///         /// Quantity handed over.
///         cantidad_surtida: Quantity => Option<Quantity>,
///         /// Whether all of it was handed over.
///         completo: bool = cantidad == cantidad_surtida,
///     }
///     import SaleLineImport { con_existencia: Option<bool>, }
///     unstored { sku: Option<Text<100>>, }
/// }
/// ```
///
/// - `field: Type` is a field of the list's item, and a column of the same name.
/// - `= expression` computes the field from the ones above it: it has no column.
/// - `=> Given` is the field's type in an import; without it the import does not take the field.
/// - Under `import` stand columns that an import may fill and no list shows.
/// - `import Name edited as Changes { … }`: the back office edits what it imports; see [`changes!`].
/// - Under `unstored` stand fields that an import accepts, since the list's items have them, and does not store.
///
/// It makes `SaleLine` (`Serialize`, `JsonSchema`, [`Record`]) and, by [`import!`], `SaleLineImport`. Without the `import` part
/// it makes the record alone.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident in $table:literal {
            $($(#[$doc:meta])* $field:ident: $type:ty $(=> $given:ty)? $(= $derived:expr)?,)*
        }
        import $import:ident edited as $changes:ident {
            $($(#[$extra_meta:meta])* $extra:ident: $extra_type:ty,)*
        }
        $(unstored { $($unstored:ident: $unstored_type:ty,)* })?
    ) => {
        $crate::record::record! {
            $(#[$meta])*
            pub struct $name in $table {
                $($(#[$doc])* $field: $type $(=> $given)? $(= $derived)?,)*
            }
            import $import {
                $($(#[$extra_meta])* $extra: $extra_type,)*
            }
            $(unstored { $($unstored: $unstored_type,)* })?
        }

        $crate::record::changes! {
            struct $changes of $import {
                $($($field: $given,)?)*
                $($(#[$extra_meta])* $extra: $extra_type,)*
                $($($unstored: $unstored_type,)*)?
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident in $table:literal {
            $($(#[$doc:meta])* $field:ident: $type:ty $(=> $given:ty)? $(= $derived:expr)?,)*
        }
        $(#[$import_meta:meta])*
        import $import:ident {
            $($(#[$extra_meta:meta])* $extra:ident: $extra_type:ty,)*
        }
        $(unstored { $($unstored:ident: $unstored_type:ty,)* })?
    ) => {
        $crate::record::record! {
            $(#[$meta])*
            pub struct $name in $table {
                $($(#[$doc])* $field: $type $(= $derived)?,)*
            }
        }

        $crate::record::import! {
            $(#[$import_meta])*
            struct $import into $table {
                $($($field: $given,)?)*
                $($(#[$extra_meta])* $extra: $extra_type,)*
            }
            $(unstored { $($unstored: $unstored_type,)* })?
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident in $table:literal {
            $($(#[$doc:meta])* $field:ident: $type:ty $(= $derived:expr)?,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $crate::record::Record for $name {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = {
                const ALL: &[Option<&str>] = &[$($crate::record::record!(@column $field $($derived)?)),*];
                &$crate::record::present::<{ $crate::record::count(ALL) }>(ALL)
            };

            fn read<R: $crate::record::Row + ?Sized>(row: &R) -> Result<Self, $crate::record::RowError> {
                let mut next = 0..;
                $($crate::record::record!(@read row next read $field: $type $(= $derived)?);)*
                $($crate::record::record!(@derive $field: $type $(= $derived)?);)*
                Ok(Self { $($field),* })
            }

            fn write<R: $crate::record::Row + ?Sized>(
                row: &R,
                json: &mut Vec<u8>,
            ) -> Result<i64, $crate::record::RowError> {
                let mut next = 0..;
                $($crate::record::record!(@read row next show $field: $type $(= $derived)?);)*
                $($crate::record::record!(@derive $field: $type $(= $derived)?);)*
                let start = json.len();
                $($crate::record::record!(@write json $field: $type $(= $derived)?);)*
                json[start] = b'{';
                json.push(b'}');
                <i64 as $crate::record::FromValue>::show(row, 0)
            }
        }
    };
    (@column $field:ident) => { Some(stringify!($field)) };
    (@column $field:ident $derived:expr) => { None };
    (@read $row:ident $next:ident $how:ident $field:ident: $type:ty) => {
        let $field = <$type as $crate::record::FromValue>::$how($row, $next.next().unwrap_or_default())?;
    };
    (@read $row:ident $next:ident $how:ident $field:ident: $type:ty = $derived:expr) => {};
    (@write $json:ident $field:ident: $type:ty) => {
        $crate::record::member($json, concat!(",\"", stringify!($field), "\":"), |json| {
            <$type as $crate::record::FromValue>::write(&$field, json)
        })?
    };
    (@write $json:ident $field:ident: $type:ty = $derived:expr) => {
        $crate::record::member($json, concat!(",\"", stringify!($field), "\":"), |json| {
            serde_json::to_writer(json, &$field)
        })?
    };
    (@derive $field:ident: $type:ty) => {};
    (@derive $field:ident: $type:ty = $derived:expr) => { let $field: $type = $derived; };
}

pub(crate) use record;

/// Writes a member of an object; `name` is written as it is, with its comma, quotes and colon.
fn member(
    json: &mut Vec<u8>,
    name: &'static str,
    value: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> Result<(), RowError> {
    json.extend_from_slice(name.as_bytes());
    value(json).map_err(|cause| RowError { at: 0, cause: cause.into() })
}

/// How many columns there are: a derived field is `None`.
const fn count(all: &[Option<&str>]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < all.len() {
        count += all[at].is_some() as usize;
        at += 1;
    }
    count
}

/// The names of the columns, of which there are `N` ([`count`]).
const fn present<const N: usize>(all: &[Option<&'static str>]) -> [&'static str; N] {
    let (mut at, mut found, mut present) = (0, 0, [""; N]);
    while at < all.len() {
        if let Some(name) = all[at] {
            present[found] = name;
            found += 1;
        }
        at += 1;
    }
    present
}

#[cfg(test)]
mod tests {
    #![expect(unreachable_pub, reason = "records are public")]

    use proptest::prelude::*;
    use rust_decimal::Decimal;

    use super::*;
    use crate::domain::money::Money;
    use crate::domain::quantity::Quantity;

    record! {
        /// A record.
        pub struct Shelf in "estantes" {
            /// Key.
            clave: i64,
            /// Its length.
            largo: i64 = nombre.as_ref().map_or(0, |text| i64::try_from(text.len()).unwrap_or_default()),
            /// Its name.
            nombre: Option<String>,
        }
    }

    #[test]
    fn a_row_is_written_as_its_record_is() {
        assert_eq!(Shelf::COLUMNS, ["clave", "nombre"]);
        let write = |row: &[Value<'_>]| {
            let mut json = b"[".to_vec();
            Shelf::write(&row, &mut json).map(|clave| (clave, String::from_utf8(json).unwrap()))
        };
        let row = [Value::Integer(7), Value::Text("el \"alto\"\n".into())];
        let read = serde_json::to_string(&Shelf::read(&row.as_slice()).unwrap()).unwrap();
        assert_eq!(write(&row).unwrap(), (7, format!("[{read}")));
        assert_eq!(read, r#"{"clave":7,"largo":10,"nombre":"el \"alto\"\n"}"#);
        assert_eq!(write(&[Value::Integer(7), Value::Null]).unwrap().1, r#"[{"clave":7,"largo":0,"nombre":null}"#);
        for (row, at) in [(&[Value::Integer(7)][..], 1), (&[Value::Null, Value::Null], 0)] {
            assert_eq!(write(row).unwrap_err().at, at);
        }
    }

    fn written<T: FromValue>(value: Value<'_>) -> String {
        let mut json = Vec::new();
        T::write(&T::shown(value).unwrap(), &mut json).unwrap();
        String::from_utf8(json).unwrap()
    }

    proptest! {
        #[test]
        fn a_value_is_written_as_its_field_is(text in any::<String>(), units in any::<i64>(), scale in 0_u32..7) {
            prop_assert_eq!(written::<String>(text.to_value()), serde_json::to_string(&text).unwrap());
            let number = Decimal::new(units, scale);
            let (money, quantity) = (Money::new(number), Quantity::new(number));
            prop_assert_eq!(written::<Money>(money.to_value()), serde_json::to_string(&money).unwrap());
            prop_assert_eq!(written::<Option<Quantity>>(quantity.to_value()), serde_json::to_string(&quantity).unwrap());
        }
    }
}
