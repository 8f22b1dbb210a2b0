//! Records: their fields and columns, who may write them with which widths, and their lists.
//!
//! # A record is declared once
//!
//! ```text
//! record! {
//!     /// A customer or prospect as a list shows it (spec, "Customer").
//!     pub struct Customer in "clientes" {
//!         clave: i64 { list, import: Option<i64> },
//!         correo: Option<String> { list, optional: Text<50>, import: Option<Text<255>> },
//!         pais: i64 { optional: i64 = DEFAULT_COUNTRY, import: Option<i64> },
//!         dias_credito: i64 { office: Within<0, 365> = 0, import: Option<i64> },
//!     }
//!     import CustomerImport;
//!     stored CustomerData;
//!     create CreateCustomer;
//!     edit EditCustomer;
//!     office CustomerTerms;
//! }
//! ```
//!
//! A field has the type of its column and one mark per struct that contains it:
//!
//! - `list`: the list's item contains it. `list: Type` gives it another type there;
//!   `list: Type = expression` computes it from the fields above it, without a column.
//! - `required: Type`: a creation must give it; an edit may change it, but not clear it.
//! - `optional: Type`: bodies may leave it out, and an edit clears it with `null` or "". Then it
//!   has the value `= value`, if the mark gives one.
//! - `office: Type`: only the back office edits it. It can be cleared if it is an `Option` or the
//!   mark has `= value`.
//! - `import: Type`: a line of an import may give it. `unstored: Type` is accepted because the
//!   list's items contain it, but not stored; `opening: Type` is a balance that an import posts, or
//!   the clave behind a name, and an export gives it; `computed: Type` is stored, but no line gives
//!   it.
//!
//! `name in "column"` names the column if it differs. The documentation of a field is its row in
//! `openapi/texts/fields.md` or `office.md`, unless the declaration has a comment of its own.
//!
//! Each name after the fields declares another struct: `import` implements `Import`, and the item
//! of the list then `Exported`: it is written with every field that an import takes. `changes`
//! (what the back office may edit by the rules of the import: no balance) implements `Changes`, and
//! `stored` implements [`Stored`]. `create`, `edit` and `office` are bodies: the stored record is
//! created from one (`From`) or changed by one (`edit`, `apply`). Rows are read by the index of a
//! column in these lists.
//!
//! A store reads [`ListSpec::columns`] from [`ListSpec::table`]; only the store knows which of them
//! it computes or takes from another table.
//!
//! # How a host adds a list
//!
//! This is the list of `examples/parcels`:
//!
//! ```
//! use svc_core::domain::scope::{OwnScope, Scopes};
//! use svc_core::domain::time::Timestamp;
//! use svc_core::record::filter::{choice, integer};
//! use svc_core::record::{List, ListSpec, PageSizes, record};
//! use svc_core::{Language, Registry};
//!
//! const READ: OwnScope = OwnScope::new("paqueteria:read");
//!
//! record! {
//!     /// A parcel.
//!     pub struct Parcel in "paqueteria_envios" {
//!         /// Its number.
//!         clave: i64 { list },
//!         /// The sale that it contains.
//!         venta: i64 { list },
//!         /// `enviado` or `entregado`.
//!         estatus: String { list },
//!         /// When it arrived.
//!         entregado: Option<Timestamp> { list },
//!     }
//! }
//!
//! impl List for Parcel {
//!     const LIST: ListSpec = ListSpec::of::<Self>("/paqueteria/envios", Scopes::own(READ), PageSizes::Enforced)
//!         .filters(&[integer("clave"), integer("venta"), choice("estatus", &["enviado", "entregado"])])
//!         .says(["Parcels", "Envíos"], ["The parcels in which sales left.", "Los envíos en que salieron las ventas."]);
//! }
//!
//! // `Context::builder(…)` takes the same call.
//! let registry = Registry::default().list::<Parcel>();
//! let document = registry.openapi(Language::English, "https://erp.example.com/api/v1");
//! assert_eq!(document["paths"]["/paqueteria/envios"]["get"]["summary"], "Parcels");
//! ```
//!
//! Its table is made by a migration of the host (`svc_store_postgres::PostgresStore::migrate_own`):
//!
//! ```sql
//! CREATE TABLE paqueteria_envios (
//!     empresa   bigint NOT NULL,
//!     clave     bigint NOT NULL,
//!     venta     bigint NOT NULL,
//!     estatus   text NOT NULL,
//!     entregado timestamptz,
//!     PRIMARY KEY (empresa, clave)
//! );
//! CREATE UNIQUE INDEX paqueteria_envios_venta ON paqueteria_envios (empresa, venta);
//! CREATE INDEX paqueteria_envios_estatus ON paqueteria_envios (empresa, estatus, clave);
//! ```
//!
//! - **The record.** Its first field is `clave`, an `i64` that is counted within the company: lists are
//!   sorted by it. The other fields are columns of the same names, with the mark `list`. Their comments
//!   are what the description of the API says of them. The macro names the crates `serde`, `serde_json`
//!   and `schemars`, so the host depends on them.
//! - **The table.** It has a column `empresa`, which is no field of the record: the list shows the rows
//!   of the key's company only. A list with columns of other tables reads a view that begins with
//!   `empresa` and joins by it.
//! - **The declaration.** [`ListSpec::of`] takes a path whose first segment is none of Svc's, the
//!   scopes and the page sizes. [`ListSpec::requires`] lets only queries with a filter pass,
//!   [`ListSpec::under`] makes a list below a record, and [`List::normalize`] validates a query as a
//!   whole.
//! - **Filters.** [`filter`] has their kinds; each compares a column. A filter has the index
//!   `(empresa, <column>, clave)`, because a page is found by it and sorted by the clave. A column with
//!   one record per value has a unique index `(empresa, <column>)`. No filter is called `cursor` or
//!   `limite`.
//! - **Texts.** [`ListSpec::says`] gives summary and description in English and Spanish. Without it the
//!   description has the record's comment in both languages.
//! - **The context.** [`ContextBuilder::list`](crate::ContextBuilder::list) adds it, and
//!   [`Context::list`](crate::Context::list) reads it from Rust. What could not be served is a
//!   [`RegistryError`](crate::RegistryError) when the context is built.
//!
//! How Svc's own lists are added is in CONTRIBUTING.md.

mod columns;
pub mod computed;
pub mod filter;
mod import;
mod list;
mod stored;
mod value;
mod window;

pub mod bank_account;
pub mod branch;
pub mod brand;
pub mod category;
pub mod customer;
pub mod delivery;
pub mod event;
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

pub use columns::Columns;
pub use filter::{Compare, Filter, Takes};
pub use import::ImportSpec;
pub(crate) use import::{Changes, Exported, Import, Reference};
pub use list::{Condition, List, ListParent, ListSpec, PageSizes, Query};
pub use stored::Stored;
pub use value::{FromValue, Kind, Row, RowError, ToValue, Value};
pub use window::LONGEST as LONGEST_WINDOW;

/// A record: a struct whose fields are columns.
pub trait Record: Sized {
    /// The table that records of this type are rows of.
    const TABLE: &'static str;
    /// The columns, in the order in which [`Record::write`] reads them: the clave first. Computed
    /// fields have none.
    const COLUMNS: &'static [&'static str];

    /// Reads the record from a row of [`Record::COLUMNS`]. Fails if a column is missing or its
    /// value does not fit the field.
    fn read<R: Row + ?Sized>(row: &R) -> Result<Self, RowError>;

    /// Writes a row as JSON, like `Serialize` but without building the record. Returns the clave,
    /// by which every list is ordered.
    fn write<R: Row + ?Sized>(row: &R, json: &mut Vec<u8>) -> Result<i64, RowError>;
}

pub use svc_core_macros::record;

/// Writes a member of an object. `name` includes the comma, the quotes and the colon.
#[doc(hidden)]
pub fn member(
    json: &mut Vec<u8>,
    name: &'static str,
    value: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> Result<(), RowError> {
    json.extend_from_slice(name.as_bytes());
    value(json).map_err(|cause| RowError { at: 0, cause: cause.into() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rust_decimal::Decimal;

    use super::*;
    use crate::domain::money::Money;
    use crate::domain::quantity::Quantity;

    record! {
        /// A record.
        pub struct Shelf in "estantes" {
            /// Key.
            clave: i64 { list },
            /// Its length.
            largo { list: i64 = nombre.as_ref().map_or(0, |text| i64::try_from(text.len()).unwrap_or_default()) },
            /// Its name.
            nombre: Option<String> { list },
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
