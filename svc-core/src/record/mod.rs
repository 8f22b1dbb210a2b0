//! What a record is, stated once: its fields, its columns, what an import brings of it, and the list that shows it.
//!
//! [`record!`] makes of one statement the struct, its JSON, its columns and how it is read from a row; `impl List` beside it
//! says where it is listed and by what it is filtered. A store is asked for rows by [`ListSpec::table`] and
//! [`ListSpec::columns`]; what is a column of another table, or computed, is the store's to know.
//!
//! # How to add a list
//! A file here with `record!` and `impl List`, its line in [`crate::registry`], a migration with the table and an index
//! for each filter. Where the rows do not come from one table as they are, an exception in the store's table of sources.

pub(crate) mod filter;
mod import;
mod list;
mod window;

pub mod almacenes;
pub mod categorias;
pub mod clientes;
pub mod compras;
pub mod compras_renglones;
pub mod cuentas_bancarias;
pub mod cxc;
pub mod cxc_pagos;
pub mod cxp;
pub mod entregas;
pub mod etapas_oportunidad;
pub mod facturas;
pub mod inventario;
pub mod marcas;
pub mod motivos_perdida;
pub mod movimientos_inventario;
pub mod oportunidades;
pub mod precios;
pub mod productos;
pub mod proveedores;
pub mod sucursales;
pub mod unidades;
pub mod vendedores;
pub mod ventas;
pub mod ventas_renglones;
pub mod webhooks;

pub use crate::domain::value::{FromValue, Kind, Row, RowError, ToValue, Value};
pub use filter::{Compare, Filter, Takes};
pub(crate) use import::Reference;
pub(crate) use import::{Import, import};
pub use list::{Condition, List, ListSpec, Pages, Query};
pub use window::LONGEST as LONGEST_WINDOW;

/// A record: a struct whose fields are columns.
pub trait Record: Sized {
    /// Its table.
    const TABLE: &'static str;
    /// Its columns, in the order in which [`Record::read`] takes them. Fields that follow from others are none of them.
    const COLUMNS: &'static [&'static str];

    /// The record of a row of [`Record::COLUMNS`].
    fn read<R: Row + ?Sized>(row: &R) -> Result<Self, RowError>;

    /// Its clave, the order of every list.
    fn clave(&self) -> i64;
}

/// States a record: `field: Type` is a column of the field's name, `field: Type = expression` follows from other fields,
/// and `=> Given` is what an import takes for the field.
///
/// Fields of an import that no list shows stand under `import`; those that are taken, since a list's item has them, but
/// follow from others or only name a record, under `unstored`.
macro_rules! record {
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
                $($crate::record::record!(@read row next $field: $type $(= $derived)?);)*
                $($crate::record::record!(@derive $field: $type $(= $derived)?);)*
                Ok(Self { $($field),* })
            }

            fn clave(&self) -> i64 {
                self.clave
            }
        }
    };
    (@column $field:ident) => { Some(stringify!($field)) };
    (@column $field:ident $derived:expr) => { None };
    (@read $row:ident $next:ident $field:ident: $type:ty) => {
        let $field = <$type as $crate::record::FromValue>::read($row, $next.next().unwrap_or_default())?;
    };
    (@read $row:ident $next:ident $field:ident: $type:ty = $derived:expr) => {};
    (@derive $field:ident: $type:ty) => {};
    (@derive $field:ident: $type:ty = $derived:expr) => { let $field: $type = $derived; };
}

pub(crate) use record;

/// How many of these there are.
const fn count(all: &[Option<&str>]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < all.len() {
        count += all[at].is_some() as usize;
        at += 1;
    }
    count
}

/// Those that there are, which are `N`.
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
