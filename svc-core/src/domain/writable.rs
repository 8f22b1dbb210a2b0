//! Records that the API writes: the data that are stored, the body that creates a record, the body that edits it.

use super::money::Money;
use super::tax::TaxRate;
use super::value::{Kind, Row, RowError, Value};
use crate::json::{Digits, Exact, Text};

/// The type of a field of a body, with the type that is stored for it.
pub trait Plain {
    /// The stored type.
    type Data;

    /// The stored value.
    fn plain(&self) -> Self::Data;
}

macro_rules! plain {
    ($([$($generics:tt)*] $type:ty => $data:ty: $plain:expr;)*) => {$(
        impl<$($generics)*> Plain for $type {
            type Data = $data;

            fn plain(&self) -> $data {
                let plain: fn(&Self) -> $data = $plain;
                plain(self)
            }
        }
    )*};
}

plain! {
    [const N: usize] Text<N> => String: |text| text.to_string();
    [const N: usize] Exact<N> => String: |text| text.to_string();
    [const N: usize] Digits<N> => String: |text| text.to_string();
    [] i64 => i64: |number| *number;
    [] Money => Money: |amount| *amount;
    [] TaxRate => TaxRate: |rate| *rate;
}

/// The stored data of a record that the API writes, as columns of its table. The store adds the columns that are
/// [`computed`](super::computed).
pub trait Stored: Sized {
    /// Its table.
    const TABLE: &'static str;
    /// The columns of its data, in the order of [`Stored::values`] and in which [`Stored::read`] takes them.
    const COLUMNS: &'static [&'static str];
    /// The kind of value of each of [`Stored::COLUMNS`].
    const KINDS: &'static [Kind];

    /// Reads the data from a row of [`Stored::COLUMNS`].
    fn read<R: Row + ?Sized>(row: &R) -> Result<Self, RowError>;

    /// The values of [`Stored::COLUMNS`].
    fn values(&self) -> Vec<Value<'_>>;
}

/// Declares a record that the API writes.
///
/// A caller writes a line for each field, with its type in the bodies:
///
/// ```text
/// writable! {
///     /// The stored data of a product.
///     data ProductData in "productos" { folio: Option<String>, }
///     /// The body of POST.
///     create ProductCreate
///     /// The body of PUT.
///     edit ProductEdit
///     required { sku: Text<50>, }
///     optional { categoria: i64, }
///     standard { costo in "costo_reposicion": Money = Money::default(), }
/// }
/// ```
///
/// - Under `data` stand stored fields that no body has.
/// - `required`: a creation must give it, an edit may change it and never clears it.
/// - `optional`: may be absent; an edit clears it with `null` or `""`.
/// - `standard`: always has a value, the one after `=` when it is left out or cleared.
/// - `in` names the column where it differs from the field.
///
/// It makes the three structs, with [`Stored`] and `Default` for the data, `From<&ProductCreate>` and
/// `ProductData::edit(&ProductEdit)`; [`Plain`] maps a body's types to the stored ones. `ProductEdit` has `clave` besides.
macro_rules! writable {
    (
        $(#[$data_meta:meta])* data $data:ident in $table:literal { $($(#[$own_meta:meta])* $own:ident: $own_type:ty,)* }
        $(#[$create_meta:meta])* create $create:ident
        $(#[$edit_meta:meta])* edit $edit:ident
        required { $($(#[$r_doc:meta])* $r:ident: $r_type:ty,)* }
        optional { $($(#[$o_doc:meta])* $o:ident: $o_type:ty,)* }
        standard { $($(#[$s_doc:meta])* $s:ident $(in $s_column:literal)?: $s_type:ty = $s_value:expr,)* }
    ) => {
        $(#[$data_meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $data {
            $($(#[$r_doc])* pub $r: Option<<$r_type as $crate::domain::writable::Plain>::Data>,)*
            $($(#[$own_meta])* pub $own: $own_type,)*
            $($(#[$o_doc])* pub $o: Option<<$o_type as $crate::domain::writable::Plain>::Data>,)*
            $($(#[$s_doc])* pub $s: <$s_type as $crate::domain::writable::Plain>::Data,)*
        }

        $(#[$create_meta])*
        #[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $create {
            $($(#[$r_doc])* pub $r: $r_type,)*
            $($(#[$o_doc])* pub $o: Option<$o_type>,)*
            $($(#[$s_doc])* pub $s: Option<$s_type>,)*
        }

        $(#[$edit_meta])*
        #[derive(Debug, Clone, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $edit {
            /// The record, by its clave.
            pub clave: i64,
            $($(#[$r_doc])* #[serde(default)] pub $r: $crate::json::Sent<$r_type>,)*
            $($(#[$o_doc])* #[serde(default)] pub $o: $crate::json::Patch<$o_type>,)*
            $($(#[$s_doc])* #[serde(default)] pub $s: $crate::json::Patch<$s_type>,)*
        }

        impl Default for $data {
            fn default() -> Self {
                Self { $($r: None,)* $($own: Default::default(),)* $($o: None,)* $($s: $s_value.into(),)* }
            }
        }

        impl From<&$create> for $data {
            fn from(body: &$create) -> Self {
                use $crate::domain::writable::Plain as _;
                Self {
                    $($r: Some(body.$r.plain()),)*
                    $($own: Default::default(),)*
                    $($o: body.$o.as_ref().map(|value| value.plain()),)*
                    $($s: body.$s.as_ref().map_or_else(|| $s_value.into(), |value| value.plain()),)*
                }
            }
        }

        impl $data {
            /// Applies the body of an edit.
            pub(crate) fn edit(&mut self, body: &$edit) {
                use $crate::domain::writable::Plain as _;
                use $crate::json::Patch;
                $(if let Some(value) = body.$r.get() {
                    self.$r = Some(value.plain());
                })*
                $(match &body.$o {
                    Patch::Keep => {}
                    Patch::Clear => self.$o = None,
                    Patch::Set(value) => self.$o = Some(value.plain()),
                })*
                $(match &body.$s {
                    Patch::Keep => {}
                    Patch::Clear => self.$s = $s_value.into(),
                    Patch::Set(value) => self.$s = value.plain(),
                })*
            }
        }

        impl $crate::domain::writable::Stored for $data {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = &[
                $(stringify!($r),)* $(stringify!($own),)* $(stringify!($o),)*
                $($crate::domain::writable::writable!(@column $s $($s_column)?),)*
            ];
            const KINDS: &'static [$crate::domain::value::Kind] = {
                use $crate::domain::value::FromValue;
                use $crate::domain::writable::Plain;
                &[
                    $(<<$r_type as Plain>::Data as FromValue>::KIND,)* $(<$own_type as FromValue>::KIND,)*
                    $(<<$o_type as Plain>::Data as FromValue>::KIND,)* $(<<$s_type as Plain>::Data as FromValue>::KIND,)*
                ]
            };

            fn read<R: $crate::domain::value::Row + ?Sized>(row: &R) -> Result<Self, $crate::domain::value::RowError> {
                use $crate::domain::value::FromValue;
                let mut next = 0..;
                let mut at = || next.next().unwrap_or_default();
                Ok(Self {
                    $($r: FromValue::read(row, at())?,)*
                    $($own: FromValue::read(row, at())?,)*
                    $($o: FromValue::read(row, at())?,)*
                    $($s: FromValue::read(row, at())?,)*
                })
            }

            fn values(&self) -> Vec<$crate::domain::value::Value<'_>> {
                use $crate::domain::value::ToValue as _;
                vec![$(self.$r.to_value(),)* $(self.$own.to_value(),)* $(self.$o.to_value(),)* $(self.$s.to_value(),)*]
            }
        }
    };
    (@column $name:ident) => { stringify!($name) };
    (@column $name:ident $column:literal) => { $column };
}

pub(crate) use writable;
