//! A part of a host's own beside the API: parcels of sales, with their table, a list, two
//! operations, a file, an event, two scopes and an error, a rule for an operation of the API, counts kept
//! by a subscriber to events, and sign-in with JSON Web Tokens. Declared here once, they are in the
//! router, in `/openapi.json`, among the actions of the command line and the tools of agents, with
//! keys, limits, idempotency and rehearsals as all others.
//!
//! `cargo run -p svc-examples --example parcels -- serve` is `svc serve` with this part; it has
//! every other command of `svc` too. With `TOKEN_SECRET` it takes tokens in place of keys.

use std::process::ExitCode;

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use bin_axum::Host;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_core::domain::company::CompanyId;
use svc_core::domain::event::{EventKind, OwnEvent, OwnEventKind};
use svc_core::domain::money::Money;
use svc_core::domain::scope::{KeyScopes, OwnScope, Scopes};
use svc_core::domain::time::Timestamp;
use svc_core::json::Text;
use svc_core::operation::{Cx, Download, File, Hook, Http, Method, Operation, Spec};
use svc_core::operations::{CreateSale, SaleCreated};
use svc_core::record::filter::{choice, integer};
use svc_core::record::{List, ListSpec, PageSizes, record};
use svc_core::store::Reader;
use svc_core::subscribers::{ReceivedEvent, Subscriber};
use svc_core::{Authenticator, Code, ContextBuilder, Error, Identity, OwnCode};
use svc_store_postgres::{Migrator, OpenError, PostgresStore, own_reads, own_tables, store_error};

const READ: OwnScope = OwnScope::new("paqueteria:read");
const WRITE: OwnScope = OwnScope::new("paqueteria:write");

const TOO_GENEROUS: OwnCode = OwnCode::new(
    422,
    "descuento_excesivo",
    "el descuento pasa de la quinta parte",
    "the discount is more than a fifth",
);

const SENT_BEFORE: OwnCode =
    OwnCode::new(409, "venta_ya_enviada", "la venta ya salió en otro envío", "the sale has left in another parcel");

record! {
    /// A parcel, with columns of its sale: the list reads a view.
    pub struct Parcel in "paqueteria_lista" {
        /// Its number.
        clave: i64 { list },
        /// The sale that it contains.
        venta: i64 { list },
        /// Who bought.
        cliente: Option<i64> { list },
        /// What the sale came to.
        total: Money { list },
        /// The carrier's number.
        guia: String { list },
        /// `enviado` or `entregado`.
        estatus: String { list },
        /// When it left.
        creado: Timestamp { list },
        /// When it arrived.
        entregado: Option<Timestamp> { list },
    }
}

impl List for Parcel {
    const LIST: ListSpec = ListSpec::of::<Self>("/paqueteria/envios", Scopes::own(READ), PageSizes::Enforced)
        .filters(&[
            integer("clave"),
            integer("venta"),
            integer("cliente"),
            choice("estatus", &["enviado", "entregado"]),
        ])
        .says(["Parcels", "Envíos"], ["The parcels in which sales left.", "Los envíos en que salieron las ventas."]);
}

/// Sends a sale.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendParcel {
    /// The sale that leaves.
    pub venta: i64,
    /// The carrier's number.
    pub guia: Text<40>,
}

/// A sale left in a parcel.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ParcelSent {
    /// The parcel's number.
    pub envio: i64,
    /// The sale that left.
    pub venta: i64,
}

impl OwnEvent for ParcelSent {
    const KIND: OwnEventKind = OwnEventKind::new::<Self>("paqueteria.enviado", Scopes::own(READ), "paqueteria/envios")
        .says(["A sale left in a parcel.", "Una venta salió en un envío."]);

    fn clave(&self) -> i64 {
        self.envio
    }

    fn sample() -> Self {
        Self { envio: 1, venta: 1 }
    }
}

/// A parcel by its number.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ParcelRef {
    /// Its number.
    pub envio: i64,
}

impl Operation for SendParcel {
    const SPEC: Spec = Spec::new()
        .named("parcel.send")
        .http(Http::new(Method::Post, "/paqueteria/envios", Scopes::own(WRITE)))
        .errors(&[Code::ReferenciaInvalida, Code::Own(&SENT_BEFORE)])
        .emits_own(&[ParcelSent::KIND])
        .says(["Send a parcel", "Enviar"], ["A sale leaves in one parcel.", "Una venta sale en un solo envío."]);
    type Output = ParcelRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<ParcelRef, Error> {
        if cx.tx.lock_sale(self.venta).await?.is_none() {
            return Err(Error::field(Code::ReferenciaInvalida, "venta", "no existe"));
        }
        let now = cx.now.get();
        let mut own = own_tables(cx.tx)?;
        let clave = own.next("envios").await?;
        let done = sqlx::query(
            "INSERT INTO paqueteria_envios (empresa, clave, venta, guia, estatus, creado)
             VALUES ($1, $2, $3, $4, 'enviado', $5) ON CONFLICT (empresa, venta) DO NOTHING",
        )
        .bind(own.company())
        .bind(clave)
        .bind(self.venta)
        .bind(&*self.guia)
        .bind(now)
        .execute(own.executor())
        .await
        .map_err(store_error)?;
        if done.rows_affected() == 0 {
            return Err(Error::from(Code::Own(&SENT_BEFORE)));
        }
        cx.emit_own(&ParcelSent { envio: clave, venta: self.venta }).await?;
        Ok(ParcelRef { envio: clave })
    }
}

/// Records that a parcel arrived.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParcelArrived {
    /// Its number.
    pub clave: i64,
}

impl Operation for ParcelArrived {
    const SPEC: Spec = Spec::new()
        .named("parcel.arrived")
        .http(Http::new(Method::Put, "/paqueteria/envios/{clave}/entregado", Scopes::own(WRITE)).no_body())
        .errors(&[Code::NoEncontrado])
        .says(["Record an arrival", "Registrar la entrega"], ["It may be repeated.", "Puede repetirse."]);
    type Output = ParcelRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<ParcelRef, Error> {
        let now = cx.now.get();
        let mut own = own_tables(cx.tx)?;
        let done = sqlx::query(
            "UPDATE paqueteria_envios SET estatus = 'entregado', entregado = coalesce(entregado, $3)
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(own.company())
        .bind(self.clave)
        .bind(now)
        .execute(own.executor())
        .await
        .map_err(store_error)?;
        if done.rows_affected() == 0 { Err(Code::NoEncontrado.into()) } else { Ok(ParcelRef { envio: self.clave }) }
    }
}

/// What is stuck on a parcel.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParcelLabel {
    /// Its number.
    pub clave: i64,
}

impl Download for ParcelLabel {
    const SPEC: Spec = Spec::new()
        .named("parcel.label")
        .file("text/plain; charset=utf-8")
        .http(Http::new(Method::Get, "/paqueteria/envios/{clave}/etiqueta", Scopes::own(READ)))
        .errors(&[Code::NoEncontrado])
        .says(["Read a label", "Leer la etiqueta"], ["What is stuck on a parcel.", "Lo que se pega al envío."]);

    async fn read(&self, reader: &dyn Reader) -> Result<File, Error> {
        let own = own_reads(reader)?;
        let parcel: Option<(i64, String)> =
            sqlx::query_as("SELECT venta, guia FROM paqueteria_envios WHERE empresa = $1 AND clave = $2")
                .bind(own.company())
                .bind(self.clave)
                .fetch_optional(own.executor())
                .await
                .map_err(store_error)?;
        let (venta, guia) = parcel.ok_or(Code::NoEncontrado)?;
        let label = format!("Envío {}\nVenta {venta}\nGuía {guia}\n", self.clave);
        Ok(File::whole(label).named(format!("envío {}.txt", self.clave)))
    }
}

/// The house rule that no order of the API gets more than a fifth of discount.
pub struct LargeDiscounts;

impl Hook<CreateSale> for LargeDiscounts {
    const ERRORS: &'static [Code] = &[Code::Own(&TOO_GENEROUS)];

    async fn after(&self, _: &mut Cx<'_>, _: &CreateSale, made: &SaleCreated) -> Result<(), Error> {
        let is_large = made.descuento.get() * Decimal::from(5) > made.subtotal.get();
        if is_large { Err(Code::Own(&TOO_GENEROUS).into()) } else { Ok(()) }
    }
}

/// Counts sales and parcels for a screen of the host. Its place among the events and the counts are
/// committed together, so that each event counts once.
pub struct Dashboard;

impl Subscriber for Dashboard {
    const NAME: &'static str = "paqueteria.tablero";
    const KINDS: &'static [&'static str] = &[EventKind::VentaCreada.word(), ParcelSent::KIND.word()];

    async fn on(&self, cx: &mut Cx<'_>, event: &ReceivedEvent) -> Result<(), Error> {
        let is_parcel = event.tipo == ParcelSent::KIND.word();
        let mut own = own_tables(cx.tx)?;
        sqlx::query(
            "INSERT INTO paqueteria_tablero AS t (empresa, ventas, envios) VALUES ($1, $2, $3)
             ON CONFLICT (empresa) DO UPDATE
             SET ventas = t.ventas + excluded.ventas, envios = t.envios + excluded.envios",
        )
        .bind(own.company())
        .bind(i64::from(!is_parcel))
        .bind(i64::from(is_parcel))
        .execute(own.executor())
        .await
        .map_err(store_error)?;
        Ok(())
    }
}

/// What a token of the host's sign-in says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claims {
    /// The company.
    pub empresa: i64,
    /// A user of the company.
    pub usuario: i64,
    /// The scopes of the session.
    pub permisos: Vec<String>,
    /// When the token expires, in seconds since 1970.
    pub exp: u64,
}

/// Takes `Authorization: Bearer <JWT>` in place of an API key, signed with the secret of the host's
/// sign-in.
pub struct Tokens(DecodingKey);

impl Tokens {
    /// Tokens that are signed with `secret`, by HMAC-SHA256.
    pub fn signed_with(secret: &[u8]) -> Self {
        Self(DecodingKey::from_secret(secret))
    }
}

impl Authenticator for Tokens {
    async fn identify(&self, head: &Parts) -> Result<Option<Identity>, Error> {
        let value = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some(token) = value.and_then(|value| value.strip_prefix("Bearer ")) else { return Ok(None) };
        let Ok(token) = decode::<Claims>(token, &self.0, &Validation::new(Algorithm::HS256)) else { return Ok(None) };
        let Claims { empresa, usuario, permisos, .. } = token.claims;
        Ok(Some(Identity::new(CompanyId(empresa), usuario, KeyScopes::of_words(permisos))))
    }
}

/// The tables of this part.
pub fn migrations() -> Migrator {
    svc_store_postgres::migrations(&[
        ("0001_parcels", include_str!("migrations/0001_parcels.sql")),
        ("0002_dashboard", include_str!("migrations/0002_dashboard.sql")),
        ("0003_list", include_str!("migrations/0003_list.sql")),
    ])
}

/// Makes or changes the tables of this part, after those of the API.
pub async fn migrate(store: &PostgresStore) -> Result<u64, OpenError> {
    store.migrate_own("paqueteria", migrations()).await
}

/// Adds this part to a context.
pub fn with_parcels(context: ContextBuilder) -> ContextBuilder {
    context
        .titled("Paquetería")
        .event::<ParcelSent>()
        .list::<Parcel>()
        .operation::<SendParcel>()
        .operation::<ParcelArrived>()
        .download::<ParcelLabel>()
        .hook(LargeDiscounts)
        .subscriber(Dashboard)
}

/// Adds this part, and the sign-in with tokens if there is a secret.
pub fn with_sign_in(context: ContextBuilder) -> ContextBuilder {
    match std::env::var("TOKEN_SECRET") {
        Ok(secret) => with_parcels(context).authenticator(Tokens::signed_with(secret.as_bytes())),
        Err(_) => with_parcels(context),
    }
}

fn main() -> ExitCode {
    Host::named("paqueteria").part(with_sign_in).migrations("paqueteria", migrations).run()
}
