//! What an operation is: the trait, its context, its specification, the router, pages and queries.
//!
//! An operation is one type. Its fields are its input, its [`Spec`] declares its route and its
//! errors, and [`Operation::run`] executes it. Over HTTP, the parameters of the path and the
//! members of the body fill the fields; on the command line and in Rust they are passed together. A
//! list is a record with a [`crate::record::List`]; a read that returns a file instead of JSON is a
//! [`Download`].
//!
//! # How a host adds one
//!
//! This is an operation of `examples/parcels`, where the list, a hook, a subscriber, the migrations and
//! the tests are too:
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use svc_core::domain::event::{OwnEvent, OwnEventKind};
//! use svc_core::domain::scope::{OwnScope, Scopes};
//! use svc_core::json::Text;
//! use svc_core::operation::{Cx, Http, Method, Operation, Spec};
//! use svc_core::{Code, Error, Language, OwnCode, Registry};
//! use svc_store_postgres::{own_tables, sqlx, store_error};
//!
//! const READ: OwnScope = OwnScope::new("paqueteria:read");
//! const WRITE: OwnScope = OwnScope::new("paqueteria:write");
//!
//! const SENT_BEFORE: OwnCode =
//!     OwnCode::new(409, "venta_ya_enviada", "la venta ya salió en otro envío", "the sale has left in another parcel");
//!
//! /// Sends a sale in a parcel.
//! #[derive(Debug, Clone, Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! pub struct SendParcel {
//!     /// The sale that leaves.
//!     pub venta: i64,
//!     /// The carrier's number.
//!     pub guia: Text<40>,
//! }
//!
//! /// A parcel by its number.
//! #[derive(Debug, Clone, Serialize, JsonSchema)]
//! pub struct ParcelRef {
//!     /// Its number.
//!     pub envio: i64,
//! }
//!
//! /// A sale left in a parcel.
//! #[derive(Debug, Clone, Serialize, JsonSchema)]
//! pub struct ParcelSent {
//!     /// The parcel's number.
//!     pub envio: i64,
//! }
//!
//! impl OwnEvent for ParcelSent {
//!     const KIND: OwnEventKind = OwnEventKind::new::<Self>("paqueteria.enviado", Scopes::own(READ), "paqueteria/envios");
//!
//!     fn clave(&self) -> i64 {
//!         self.envio
//!     }
//!
//!     fn sample() -> Self {
//!         Self { envio: 1 }
//!     }
//! }
//!
//! impl Operation for SendParcel {
//!     const SPEC: Spec = Spec::new()
//!         .named("parcel.send")
//!         .http(Http::new(Method::Post, "/paqueteria/envios", Scopes::own(WRITE)))
//!         .errors(&[Code::ReferenciaInvalida, Code::Own(&SENT_BEFORE)])
//!         .emits_own(&[ParcelSent::KIND])
//!         .says(["Send a parcel", "Enviar"], ["A sale leaves in one parcel.", "Una venta sale en un solo envío."]);
//!     type Output = ParcelRef;
//!
//!     async fn run(&self, cx: &mut Cx<'_>) -> Result<ParcelRef, Error> {
//!         if cx.tx.lock_sale(self.venta).await?.is_none() {
//!             return Err(Error::field(Code::ReferenciaInvalida, "venta", "no existe"));
//!         }
//!         let now = cx.now.get();
//!         let mut own = own_tables(cx.tx)?;
//!         let clave = own.next("envios").await?;
//!         let done = sqlx::query(
//!             "INSERT INTO paqueteria_envios (empresa, clave, venta, guia, estatus, creado)
//!              VALUES ($1, $2, $3, $4, 'enviado', $5) ON CONFLICT (empresa, venta) DO NOTHING",
//!         )
//!         .bind(own.company())
//!         .bind(clave)
//!         .bind(self.venta)
//!         .bind(&*self.guia)
//!         .bind(now)
//!         .execute(own.executor())
//!         .await
//!         .map_err(store_error)?;
//!         if done.rows_affected() == 0 {
//!             return Err(Error::from(Code::Own(&SENT_BEFORE)));
//!         }
//!         cx.emit_own(&ParcelSent { envio: clave }).await?;
//!         Ok(ParcelRef { envio: clave })
//!     }
//! }
//!
//! // `Context::builder(…)` takes the same two calls.
//! let registry = Registry::default().event::<ParcelSent>().operation::<SendParcel>();
//! let document = registry.openapi(Language::English, "https://erp.example.com/api/v1");
//! let send = &document["paths"]["/paqueteria/envios"]["post"];
//! assert_eq!(send["summary"], "Send a parcel");
//! assert_eq!(document["components"]["schemas"]["SendParcel"]["properties"]["guia"]["description"], "The carrier's number.");
//! ```
//!
//! - **The type.** Its fields are the input, named as on the wire; with `deny_unknown_fields` any other
//!   field is `campo_no_permitido`. [`Operation`] says which types a field may have. The answer is an
//!   object without a member `ok`. The comments of both types and of their fields are what the
//!   description of the API says of them.
//! - **The route.** [`Http::new`] takes a path whose first segment is none of Svc's. A segment in
//!   braces is an integer, and fills the field of that name. Without a route, [`Spec::named`] alone
//!   makes it an action of the command line, of the office and of
//!   [`Context::run_by_name`](crate::Context::run_by_name).
//! - **Scopes.** [`Scopes::own`](crate::domain::scope::Scopes::own) takes a scope of the host, of the
//!   form `area:action`; [`Scopes::only`](crate::domain::scope::Scopes::only) takes one of Svc's.
//! - **Errors.** [`Spec::errors`] declares those that the operation answers beyond the errors of its
//!   kind: codes of Svc, and each [`OwnCode`](crate::OwnCode) of the host. `Error::field` names the
//!   field at fault. Any other error of another crate is an `Error::internal`, which is a 500.
//! - **Tables.** The host makes its tables with migrations of its own
//!   (`svc_store_postgres::PostgresStore::migrate_own`); every key begins with `empresa`.
//!   `svc_store_postgres::own_tables` gives the connection of the operation's transaction, the company
//!   to name in every statement, and numbers of the host's own series. `store_error` says what a
//!   refused statement is answered as. Records of Svc are written by the methods of [`Cx::tx`], and a
//!   whole operation of Svc by its `run` with the same `cx`.
//! - **Files.** A [`Download`] answers a file: its specification has a content type
//!   ([`Spec::file`]), a route that is a GET, a name, or both. `svc_store_postgres::own_reads` reads
//!   the host's tables for it. [`ContextBuilder::download`](crate::ContextBuilder::download) adds it.
//! - **Events.** An [`OwnEvent`](crate::domain::event::OwnEvent) is declared with
//!   [`ContextBuilder::event`](crate::ContextBuilder::event) and [`Spec::emits_own`], and written with
//!   [`Cx::emit_own`] in the same transaction. Webhooks and [`Subscriber`]s get it.
//! - **Texts.** [`Spec::says`] gives summary and description in English and Spanish. Without it the
//!   description has the type's comment in both languages.
//! - **The context.** [`ContextBuilder::operation`](crate::ContextBuilder::operation) adds it. What
//!   could not be served is a [`RegistryError`] when the context is built. `svc-test-kit` finds answers
//!   and errors that the operation does not declare.
//!
//! What [`Operation::run`] must not do:
//!
//! - Have effects outside `cx`, such as a call of another service. It runs again after a collision of
//!   transactions, and a rehearsal undoes it. A [`Subscriber`] to the operation's event does what
//!   follows from it.
//! - Rest for ten seconds between two statements, as one does that waits for another service:
//!   PostgreSQL ends such a transaction.
//! - Go on after a statement that PostgreSQL refused: the transaction cannot be committed any more. Ask
//!   first, or write `ON CONFLICT DO NOTHING`.
//! - Write, if its specification says [`Spec::reads`].
//! - Ask the machine for the time or for randomness: [`Cx::now`], [`Cx::today`] and [`Cx::random`] are
//!   those of the company and of tests.
//!
//! How Svc's own operations are added is in CONTRIBUTING.md.

mod checks;
mod cx;
mod download;
mod entry;
mod errors;
mod hook;
pub mod page;
pub(crate) mod path;
pub(crate) mod query;
mod registered;
mod router;
mod spec;
mod subscriber;

use std::future::Future;

use http::StatusCode;

pub(crate) use cx::uuid_v7;
pub use cx::{Actor, Cx};
pub(crate) use download::FileBytes;
pub use download::{Download, File};
pub use entry::Entry;
pub(crate) use entry::{Answer, AnyDownload, AnyOperation, Handler, Input, Shape};
pub use hook::Hook;
pub(crate) use hook::Hooks;
pub use registered::{Registry, RegistryError};
pub use router::RouteError;
pub(crate) use router::{PREFIX, Router};
pub(crate) use spec::JSON;
pub use spec::{BodyNeed, Head, Http, Idempotency, Method, Repetition, Spec, SpecTexts};
pub(crate) use subscriber::RegisteredSubscriber;
pub use subscriber::{ReceivedEvent, Subscriber, SubscriberStart};

use crate::error::Error;

/// Something that is done in one transaction, together with its events and, over HTTP, its
/// Idempotency-Key and its stored answer. The type's fields are its input.
///
/// A field may have nearly any type of serde; the keys of a map are texts or integers. An optional
/// one is an `Option`: it is absent too if it is `null` or blank (contract §1).
/// [`Money`](crate::domain::money::Money), [`Quantity`](crate::domain::quantity::Quantity) and
/// [`Text`](crate::json::Text) take exact decimals and trimmed texts, and word their faults in
/// Spanish; a float takes a number as it is. In what is flattened, and in internally tagged and
/// untagged enums, a blank string is a text, and faults have serde's words. A body has at most 6
/// levels and 50,000 values.
pub trait Operation: Send + Sync + 'static {
    /// How it is reached and what it may answer.
    const SPEC: Spec;
    /// The answer, without the member `ok`.
    type Output: Send + Sync + 'static;

    /// Runs the operation. It may run again after a collision of transactions, so it must have no
    /// side effects outside `cx`. PostgreSQL ends a transaction that rests for ten seconds between
    /// two statements, as one does that calls another service.
    fn run(&self, cx: &mut Cx<'_>) -> impl Future<Output = Result<Self::Output, Error>> + Send;

    /// Status and headers of the answer over HTTP; links begin with `base_url`. By default, the
    /// status of the specification.
    fn head(output: &Self::Output, base_url: &str) -> Head {
        let _ = (output, base_url);
        Head::of(Self::SPEC.http.map_or(StatusCode::OK, |http| http.status))
    }

    /// The answer that repetitions with the same Idempotency-Key get, if it differs from the first:
    /// it leaves out secrets that are shown only once (contract §4, "Webhooks").
    fn remembered(output: Self::Output) -> Option<Self::Output> {
        let _ = output;
        None
    }
}
