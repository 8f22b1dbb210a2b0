//! `PUT /metadatos`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use svc_core::domain::scope::Scopes;
use svc_core::json::{Patch, Text};
use svc_core::operation::{Cx, Http, Method, Operation, Spec};
use svc_core::{Code, Error, OwnCode};

use super::{MetadataChanged, NAMES, RESOURCES, WRITE};
use crate::error::store_error;
use crate::host::{OwnTables, own_tables};

/// The largest number of fields that an application keeps of a record.
pub const MAX_FIELDS: usize = 50;

/// The longest name of a field, in characters.
const LONGEST_NAME: usize = 100;

/// The unique index of the numbers of records in applications.
const EXTERNAL_IDS: &str = "metadatos_externo";

/// The number is that of another record.
pub const ID_TAKEN: OwnCode = OwnCode::new(
    409,
    "id_externo_duplicado",
    "la aplicación ya nombra así a otro registro",
    "the application has given the number to another record",
);

/// There are more fields than an application keeps.
pub const TOO_MANY_FIELDS: OwnCode = OwnCode::new(
    422,
    "demasiados_metadatos",
    "un registro tiene a lo más 50 campos de una aplicación",
    "a record has at most 50 fields of an application",
);

/// Writes what an application keeps of a record. Fields that are not named stay as they are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteMetadata {
    /// The name of the application, which it chooses.
    pub aplicacion: Text<60>,
    /// The list of the record: `clientes`, `ventas`.
    pub recurso: Text<30>,
    /// The clave of the record in that list.
    pub registro: i64,
    /// The record's number in the application, of this record alone; null removes it.
    #[serde(default)]
    pub id_externo: Patch<Text<100>>,
    /// The application's fields: texts of at most 500 characters by their names. Null removes one.
    #[serde(default)]
    pub metadatos: BTreeMap<String, Option<Text<500>>>,
}

/// An entry by its clave.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MetadataRef {
    /// The clave of the entry.
    pub metadato: i64,
}

/// What is kept of a record, locked until the end.
struct Kept {
    clave: i64,
    id_externo: Option<String>,
    metadatos: BTreeMap<String, String>,
}

impl Operation for WriteMetadata {
    const SPEC: Spec = Spec::new()
        .named("metadata.write")
        .http(Http::new(Method::Put, "/metadatos", Scopes::own(WRITE)))
        .errors(&[
            Code::DatoInvalido,
            Code::ReferenciaInvalida,
            Code::SinPermiso,
            Code::Own(&ID_TAKEN),
            Code::Own(&TOO_MANY_FIELDS),
        ])
        .emits_own(&[<MetadataChanged as svc_core::domain::event::OwnEvent>::KIND])
        .says(
            ["Write fields of an application", "Escribir campos de una aplicación"],
            [
                "Keeps fields of an application's own for a record, and the record's number with it. The key \
                 needs the scope that reads the record, too.",
                "Guarda campos propios de una aplicación para un registro, y el número del registro en ella. La \
                 llave necesita también el permiso que lee el registro.",
            ],
        );
    type Output = MetadataRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<MetadataRef, Error> {
        self.validate_names()?;
        self.validate_record(cx).await?;
        let now = cx.now.get();
        let mut own = own_tables(cx.tx)?;
        let kept = self.lock(&mut own, now).await?;
        let changed = self.changed(&kept)?;
        if changed.id_externo != kept.id_externo || changed.metadatos != kept.metadatos {
            let fields = serde_json::to_string(&changed.metadatos).map_err(Error::internal)?;
            sqlx::query(
                "UPDATE metadatos
                 SET id_externo = $3, metadatos = $4, modificado = $5
                 WHERE empresa = $1 AND clave = $2",
            )
            .bind(own.company())
            .bind(changed.clave)
            .bind(&changed.id_externo)
            .bind(fields)
            .bind(now)
            .execute(own.executor())
            .await
            .map_err(refused)?;
            let event = MetadataChanged {
                metadato: changed.clave,
                aplicacion: self.aplicacion.to_string(),
                recurso: self.recurso.to_string(),
                registro: self.registro,
                id_externo: changed.id_externo,
            };
            cx.emit_own(&event).await?;
        }
        Ok(MetadataRef { metadato: kept.clave })
    }
}

/// The error of a write, whose only constraint that a client can break is that of the numbers.
fn refused(error: sqlx::Error) -> Error {
    let constraint = error.as_database_error().and_then(|error| error.constraint());
    if constraint == Some(EXTERNAL_IDS) { Code::Own(&ID_TAKEN).into() } else { store_error(error).into() }
}

impl WriteMetadata {
    fn validate_names(&self) -> Result<(), Error> {
        for name in self.metadatos.keys() {
            if name.trim().is_empty() || name.contains('\0') || name.chars().count() > LONGEST_NAME {
                let text = format!("cada nombre tiene de 1 a {LONGEST_NAME} caracteres");
                return Err(Error::field(Code::DatoInvalido, "metadatos", text));
            }
        }
        Ok(())
    }

    /// Refuses a resource that is not known or that the caller cannot read, and a record that the
    /// company does not have.
    async fn validate_record(&self, cx: &mut Cx<'_>) -> Result<(), Error> {
        let found = RESOURCES.iter().find(|(name, ..)| **name == *self.recurso);
        let (_, scope, finding) = found.ok_or_else(|| {
            Error::field(Code::DatoInvalido, "recurso", format_args!("debe ser uno de: {}", NAMES.join(", ")))
        })?;
        if !cx.actor.may(*scope) {
            return Err(Error::field(Code::SinPermiso, "recurso", format_args!("requiere el permiso {scope}")));
        }
        let mut own = own_tables(cx.tx)?;
        let exists: bool = sqlx::query_scalar(*finding)
            .bind(own.company())
            .bind(self.registro)
            .fetch_one(own.executor())
            .await
            .map_err(store_error)?;
        if exists { Ok(()) } else { Err(Error::field(Code::ReferenciaInvalida, "registro", "no existe")) }
    }

    /// What is kept of the record so far, which is locked. Of two who write a record for the first
    /// time the second finds what the first has made.
    async fn lock(&self, own: &mut OwnTables<'_>, now: chrono::DateTime<chrono::Utc>) -> Result<Kept, Error> {
        if let Some(kept) = self.read(own).await? {
            return Ok(kept);
        }
        let clave = own.next("metadatos").await?;
        sqlx::query(
            "INSERT INTO metadatos (empresa, clave, aplicacion, recurso, registro, metadatos, creado)
             VALUES ($1, $2, $3, $4, $5, '{}', $6)
             ON CONFLICT (empresa, aplicacion, recurso, registro) DO NOTHING",
        )
        .bind(own.company())
        .bind(clave)
        .bind(&*self.aplicacion)
        .bind(&*self.recurso)
        .bind(self.registro)
        .bind(now)
        .execute(own.executor())
        .await
        .map_err(store_error)?;
        self.read(own).await?.ok_or_else(|| Error::internal("what was written is not there"))
    }

    async fn read(&self, own: &mut OwnTables<'_>) -> Result<Option<Kept>, Error> {
        let row = sqlx::query(
            "SELECT clave, id_externo, metadatos
             FROM metadatos
             WHERE empresa = $1 AND aplicacion = $2 AND recurso = $3 AND registro = $4
             FOR NO KEY UPDATE",
        )
        .bind(own.company())
        .bind(&*self.aplicacion)
        .bind(&*self.recurso)
        .bind(self.registro)
        .fetch_optional(own.executor())
        .await
        .map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let fields: String = row.try_get("metadatos").map_err(store_error)?;
        Ok(Some(Kept {
            clave: row.try_get("clave").map_err(store_error)?,
            id_externo: row.try_get("id_externo").map_err(store_error)?,
            metadatos: serde_json::from_str(&fields).map_err(Error::internal)?,
        }))
    }

    /// What is to be kept.
    fn changed(&self, kept: &Kept) -> Result<Kept, Error> {
        let mut metadatos = kept.metadatos.clone();
        for (name, text) in &self.metadatos {
            match text {
                Some(text) => drop(metadatos.insert(name.clone(), text.to_string())),
                None => drop(metadatos.remove(name)),
            }
        }
        if metadatos.len() > MAX_FIELDS {
            return Err(Code::Own(&TOO_MANY_FIELDS).into());
        }
        let id_externo = match &self.id_externo {
            Patch::Keep => kept.id_externo.clone(),
            Patch::Clear => None,
            Patch::Set(id) => Some(id.to_string()),
        };
        Ok(Kept { clave: kept.clave, id_externo, metadatos })
    }
}
