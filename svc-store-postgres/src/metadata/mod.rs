//! A part that a host switches on: fields and numbers of applications' own for the API's records.
//!
//! An application keeps up to 50 texts of a record (`metadatos`) and the number that the record has
//! in the application (`id_externo`), under a name that it gives itself. It writes them with
//! `PUT /metadatos`, and finds records by them with `GET /metadatos`, with keys that have the
//! scopes `metadatos:write` and `metadatos:read`. The API's own lists and bodies stay as they are.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use svc_core::Context;
//! # use svc_store_postgres::{PostgresStore, metadata};
//! # async fn open(store: Arc<PostgresStore>) -> Result<Context, Box<dyn std::error::Error>> {
//! metadata::migrate(&store).await?;
//! let context = metadata::added_to(Context::builder(store, "https://erp.example.com/api/v1")).build()?;
//! # Ok(context)
//! # }
//! ```
//!
//! It uses what any host can use: an operation, a list, an event and a table of its own.

mod write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use svc_core::ContextBuilder;
use svc_core::domain::event::{OwnEvent, OwnEventKind};
use svc_core::domain::scope::{OwnScope, Scope, Scopes};
use svc_core::domain::time::Timestamp;
use svc_core::record::filter::{choice, exact, integer};
use svc_core::record::{FromValue, Kind, List, ListSpec, PageSizes, Value, record};

use crate::schema::{METADATA, OpenError, metadata_migrator};
use crate::store::PostgresStore;
pub use write::{ID_TAKEN, MAX_FIELDS, MetadataRef, TOO_MANY_FIELDS, WriteMetadata};

/// Reads the fields and numbers of all applications.
pub const READ: OwnScope = OwnScope::new("metadatos:read");

/// Writes them, of records that the key can read.
pub const WRITE: OwnScope = OwnScope::new("metadatos:write");

/// The resources whose records can have fields: the name, the scope that reads them, and the
/// statement that finds one.
pub(crate) const RESOURCES: [(&str, Scope, &str); 9] = [
    ("clientes", Scope::ClientesRead, "SELECT EXISTS (SELECT FROM clientes WHERE empresa = $1 AND clave = $2)"),
    ("productos", Scope::ProductosRead, "SELECT EXISTS (SELECT FROM productos WHERE empresa = $1 AND clave = $2)"),
    ("ventas", Scope::VentasRead, "SELECT EXISTS (SELECT FROM ventas WHERE empresa = $1 AND clave = $2)"),
    ("facturas", Scope::FacturasRead, "SELECT EXISTS (SELECT FROM facturas WHERE empresa = $1 AND clave = $2)"),
    ("cxc", Scope::CxcRead, "SELECT EXISTS (SELECT FROM cxc WHERE empresa = $1 AND clave = $2)"),
    (
        "proveedores",
        Scope::ProveedoresRead,
        "SELECT EXISTS (SELECT FROM proveedores WHERE empresa = $1 AND clave = $2)",
    ),
    ("compras", Scope::ComprasRead, "SELECT EXISTS (SELECT FROM compras WHERE empresa = $1 AND clave = $2)"),
    ("cxp", Scope::CxpRead, "SELECT EXISTS (SELECT FROM cxp WHERE empresa = $1 AND clave = $2)"),
    (
        "oportunidades",
        Scope::OportunidadesRead,
        "SELECT EXISTS (SELECT FROM oportunidades WHERE empresa = $1 AND clave = $2)",
    ),
];

const NAMES: [&str; RESOURCES.len()] = {
    let mut names = [""; RESOURCES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = RESOURCES[at].0;
        at += 1;
    }
    names
};

/// Makes or changes the table of this part, after those of the API.
pub async fn migrate(store: &PostgresStore) -> Result<u64, OpenError> {
    store.migrate_own(METADATA, metadata_migrator()).await
}

/// Adds this part to a context.
#[must_use]
pub fn added_to(context: ContextBuilder) -> ContextBuilder {
    context.event::<MetadataChanged>().list::<Metadata>().operation::<WriteMetadata>()
}

record! {
    /// What an application keeps of a record.
    pub struct Metadata in "metadatos" {
        /// Its own clave.
        clave: i64 { list },
        /// The name of the application.
        aplicacion: String { list },
        /// The list of the record: `clientes`, `ventas`.
        recurso: String { list },
        /// The clave of the record in that list.
        registro: i64 { list },
        /// The record's number in the application.
        id_externo: Option<String> { list },
        /// The application's fields: texts by their names.
        metadatos: Fields { list },
        /// When it was written first.
        creado: Timestamp { list },
        /// When it was changed last.
        modificado: Option<Timestamp> { list },
    }
}

impl List for Metadata {
    const LIST: ListSpec = ListSpec::of::<Self>("/metadatos", Scopes::own(READ), PageSizes::Enforced)
        .filters(&[
            integer("clave"),
            exact("aplicacion"),
            choice("recurso", &NAMES),
            integer("registro"),
            exact("id_externo"),
        ])
        .says(
            ["Fields of applications", "Campos de las aplicaciones"],
            [
                "What applications keep of records: their own fields, and the record's number with them. \
                 `recurso` and `registro` find what is kept of a record, `id_externo` the record of a number.",
                "Lo que las aplicaciones guardan de los registros: campos propios y el número del registro en \
                 ellas. `recurso` y `registro` encuentran lo que se guarda de un registro; `id_externo`, el \
                 registro de un número.",
            ],
        );
}

/// Texts by their names, as they are stored.
#[derive(Debug, Clone, Serialize)]
pub struct Fields(Box<RawValue>);

impl JsonSchema for Fields {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fields".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object", "additionalProperties": { "type": "string" } })
    }
}

impl FromValue for Fields {
    const KIND: Kind = Kind::Text;
    type Shown<'r> = Self;

    fn shown(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => RawValue::from_string(text.into_owned()).ok().map(Self),
            _ => None,
        }
    }

    fn of(shown: Self) -> Self {
        shown
    }
}

/// What an application keeps of a record changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MetadataChanged {
    /// The clave of the entry.
    pub metadato: i64,
    /// The name of the application.
    pub aplicacion: String,
    /// The list of the record.
    pub recurso: String,
    /// The clave of the record in that list.
    pub registro: i64,
    /// The record's number in the application.
    pub id_externo: Option<String>,
}

impl OwnEvent for MetadataChanged {
    const KIND: OwnEventKind = OwnEventKind::new::<Self>("metadatos.cambiados", Scopes::own(READ), "metadatos").says([
        "What an application keeps of a record changed: its fields, or the record's number with it.",
        "Cambió lo que una aplicación guarda de un registro: sus campos, o el número del registro en ella.",
    ]);

    fn clave(&self) -> i64 {
        self.metadato
    }

    fn sample() -> Self {
        Self {
            metadato: 1,
            aplicacion: "tienda".to_owned(),
            recurso: "clientes".to_owned(),
            registro: 7,
            id_externo: Some("C-0007".to_owned()),
        }
    }
}
