//! Companies with their users, API keys and signing certificates, and the monthly quota of
//! operations (contract §5).

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::certificate::SigningCertificate;
use crate::domain::company::{Company, CompanyId, LimitMode, Plan};
use crate::domain::quota::Period;
use crate::domain::scope::KeyScopes;
use crate::domain::time::Timestamp;

/// A key's public identifier, `<company>_<suffix>` on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyId {
    /// The number before `_`.
    pub company: CompanyId,
    /// The part after `_`, unique among the company's keys.
    pub suffix: Box<str>,
}

/// The first character of the suffix of a user who signed in without a key; no key's suffix begins
/// with it.
const USER: char = '~';

impl KeyId {
    /// The identifier that stands for a key of the user `usuario`, who has signed in without one:
    /// their limits are counted and their Idempotency-Keys are kept under it.
    pub fn of_user(company: CompanyId, usuario: i64) -> Self {
        Self { company, suffix: format!("{USER}{usuario}").into() }
    }

    /// The user that it stands for; `None` if it is a key's.
    pub fn user(&self) -> Option<i64> {
        self.suffix.strip_prefix(USER)?.parse().ok()
    }
}

/// What the store has counted in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownUse {
    /// The minute and the month that were counted.
    pub period: Period,
    /// Requests with the key in that minute.
    pub minute: u64,
    /// Operations of the company in that month.
    pub month: u64,
}

/// An API key as it is stored, with its company and owner; or a user who signed in without one
/// ([`KeyId::of_user`]), with no secret, scopes or terms.
#[derive(Clone)]
pub struct KeyRecord {
    /// What authenticates together with the secret.
    pub id: KeyId,
    /// Read with the key, so that authentication takes one statement.
    pub company: Company,
    /// SHA-256 of the secret; the secret itself is stored nowhere.
    pub secret_sha256: [u8; 32],
    /// The operations that the key may call.
    pub scopes: KeyScopes,
    /// `None`: it never expires.
    pub expires: Option<DateTime<Utc>>,
    /// Whether the key was revoked.
    pub revoked: bool,
    /// The version of the terms of use that was accepted last.
    pub terms: Option<String>,
    /// Clave of the user who created it.
    pub owner: i64,
    /// Whether the owner still has access to the company.
    pub owner_active: bool,
    /// Usage when the key was read.
    pub used: KnownUse,
}

impl fmt::Debug for KeyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRecord").field("id", &self.id).field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

/// The settings of a company that an edit changes; `None` leaves a setting unchanged.
#[derive(Debug, Clone, Default)]
pub struct CompanyChange {
    /// See [`Company::nombre`].
    pub nombre: Option<String>,
    /// See [`Company::plan`].
    pub plan: Option<Plan>,
    /// See [`Company::licencias`].
    pub licencias: Option<i32>,
    /// See [`Company::limites`]; `Some(None)` is the service's mode.
    pub limites: Option<Option<LimitMode>>,
    /// See [`Company::api`].
    pub api: Option<bool>,
    /// See [`Company::franquicia`].
    pub franquicia: Option<bool>,
    /// See [`Company::facturacion`].
    pub facturacion: Option<bool>,
    /// See [`Company::anticipo_minimo`].
    pub anticipo_minimo: Option<Decimal>,
    /// See [`Company::vender_sin_existencia`].
    pub vender_sin_existencia: Option<bool>,
    /// See [`Company::enviar_documentos`].
    pub enviar_documentos: Option<bool>,
    /// E-mail address of the owner, the company's first active user; an empty one
    /// removes it.
    pub correo: Option<String>,
    /// See [`Company::rfc`].
    pub rfc: Option<String>,
    /// See [`Company::regimen`].
    pub regimen: Option<i64>,
    /// See [`Company::cp`].
    pub cp: Option<String>,
    /// The changes of the letterhead.
    pub letterhead: LetterheadChange,
}

/// The changes that an edit makes to a company's letterhead; `None` leaves a field unchanged, an
/// empty text removes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LetterheadChange {
    /// The company's colour, `#rrggbb`.
    pub color: Option<String>,
    /// Its address; lines are separated by line feeds.
    pub direccion: Option<String>,
    /// Its telephone number: one line of up to 100 characters.
    pub telefono: Option<String>,
    /// The e-mail address for its customers.
    pub correo: Option<String>,
    /// Its website: one line of up to 100 characters.
    pub web: Option<String>,
}

impl CompanyChange {
    /// Applies the changes to `company`, which has neither the owner's address nor the letterhead.
    pub fn apply(self, company: &mut Company) {
        fn set<T>(field: &mut T, value: Option<T>) {
            if let Some(value) = value {
                *field = value;
            }
        }
        set(&mut company.nombre, self.nombre);
        set(&mut company.plan, self.plan);
        set(&mut company.licencias, self.licencias);
        set(&mut company.limites, self.limites);
        set(&mut company.api, self.api);
        set(&mut company.franquicia, self.franquicia);
        set(&mut company.facturacion, self.facturacion);
        set(&mut company.anticipo_minimo, self.anticipo_minimo);
        set(&mut company.vender_sin_existencia, self.vender_sin_existencia);
        set(&mut company.enviar_documentos, self.enviar_documentos);
        company.rfc = self.rfc.or(company.rfc.take());
        company.regimen = self.regimen.or(company.regimen);
        company.cp = self.cp.or(company.cp.take());
    }
}

/// How a company's clock is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMovement {
    /// Forward by this much.
    By(TimeDelta),
    /// To be this far ahead of the service's.
    To(TimeDelta),
}

/// The furthest that a company's clock may be ahead: a hundred years.
pub const MAX_AHEAD: TimeDelta = TimeDelta::days(36_525);

/// The data of a user.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// As lists show it.
    pub nombre: String,
    /// E-mail address for notices, e.g. that one of their webhooks was disabled.
    pub correo: Option<String>,
    /// Whether sales and contacts can be credited to the user.
    pub vendedor: bool,
}

/// An API key to be stored.
pub struct NewKey {
    /// See [`KeyId::suffix`].
    pub suffix: String,
    /// See [`KeyRecord::secret_sha256`].
    pub secret_sha256: [u8; 32],
    /// Clave of the owner.
    pub usuario: i64,
    /// The operations that the key may call.
    pub scopes: KeyScopes,
    /// `None`: it never expires.
    pub expires: Option<DateTime<Utc>>,
    /// The version of the terms of use that is accepted with it.
    pub terms: Option<&'static str>,
    /// Time of creation, by the service's clock.
    pub creada: DateTime<Utc>,
}

/// An API key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedKey {
    /// See [`KeyId::suffix`].
    pub suffix: String,
    /// Clave of the owner.
    pub usuario: i64,
    /// What the key may do.
    pub scopes: KeyScopes,
    /// When it expires; `None` means never.
    pub expires: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub revoked: Option<DateTime<Utc>>,
    /// The version of the terms of use that was accepted last.
    pub terms: Option<String>,
    /// Time of creation, by the service's clock.
    pub creada: DateTime<Utc>,
    /// The minute of its last request; `None` if it was never used.
    pub used: Option<DateTime<Utc>>,
}

impl ListedKey {
    /// A key as a store has read it: its suffix, owner and scopes; it neither expires nor is
    /// revoked, and was never used.
    pub fn new(suffix: String, usuario: i64, scopes: KeyScopes, creada: DateTime<Utc>) -> Self {
        Self { suffix, usuario, scopes, expires: None, revoked: None, terms: None, creada, used: None }
    }
}

/// A user as they are listed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListedUser {
    /// Clave in `usuarios`, ascending within the company.
    pub clave: i64,
    /// Name, address, and whether they sell.
    pub user: NewUser,
    /// Whether they have access.
    pub activo: bool,
    /// The minute of their last request, with any of their keys or signed in; `None` if they made
    /// none.
    pub used: Option<DateTime<Utc>>,
}

impl ListedUser {
    /// A user as a store has read them, who made no request.
    pub fn new(clave: i64, user: NewUser, activo: bool) -> Self {
        Self { clave, user, activo, used: None }
    }
}

/// A signing certificate as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCertificate {
    /// The SAT's number for it (`NoCertificado`).
    pub numero: String,
    /// The taxpayer it was issued to.
    pub rfc: String,
    /// The first instant it is valid.
    pub desde: Timestamp,
    /// The last instant it is valid.
    pub hasta: Timestamp,
    /// When it was loaded last.
    pub cargado: Timestamp,
    /// The last day on which it signed (UTC).
    pub usado: Option<NaiveDate>,
}

/// The column of a certificate's sealed private key, for [`crate::operation::Cx::seal`] and
/// [`crate::operation::Cx::open`]. The record is the certificate's number.
pub const SIGNING_KEY: &str = "certificados.llave";

/// The company, its users, API keys, signing certificates and monthly quota.
#[async_trait]
pub trait CompanyTx {
    /// The company's settings; `None` if it does not exist.
    async fn company(&mut self) -> Result<Option<Company>, StoreError>;

    /// Inserts the company and its first records: head office (branch 0), main warehouse `001`,
    /// units, price list 1.
    async fn insert_company(&mut self, company: &Company, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Updates the settings that `change` has. A postal code is also the head office's.
    async fn update_company(&mut self, change: &CompanyChange) -> Result<(), StoreError>;

    /// Stores the company's logo, a PNG, or removes it.
    async fn set_logo(&mut self, png: Option<&[u8]>) -> Result<(), StoreError>;

    /// Moves the clock of a test company; returns how far it is ahead then. `None`, without any
    /// change, if it is no test company, or if the clock would be moved backwards or beyond
    /// [`MAX_AHEAD`].
    async fn move_clock(&mut self, movement: ClockMovement) -> Result<Option<TimeDelta>, StoreError>;

    /// Inserts a user and returns their clave.
    async fn insert_user(&mut self, user: &NewUser) -> Result<i64, StoreError>;

    /// Disables a user; `false` if there is no such user.
    async fn disable_user(&mut self, usuario: i64) -> Result<bool, StoreError>;

    /// A user and whether they have access, locked until the end.
    async fn user(&mut self, usuario: i64) -> Result<Option<(NewUser, bool)>, StoreError>;

    /// Updates a user's data and access.
    async fn update_user(&mut self, usuario: i64, user: &NewUser, active: bool) -> Result<(), StoreError>;

    /// At most `max` users after the clave `after`, in the order of their claves.
    async fn users(&mut self, after: i64, max: u32) -> Result<Vec<ListedUser>, StoreError>;

    /// At most `max` keys after the suffix `after`, in the order of their suffixes, revoked ones
    /// too.
    async fn listed_keys(&mut self, after: &str, max: u32) -> Result<Vec<ListedKey>, StoreError>;

    /// Clave of the company's first active user, or of its first if none is active: its owner, and
    /// by default that of keys.
    async fn first_user(&mut self) -> Result<Option<i64>, StoreError>;

    /// Whether the user exists and is not disabled.
    async fn is_active_user(&mut self, usuario: i64) -> Result<bool, StoreError>;

    /// Whether the user is an active salesperson.
    async fn is_salesperson(&mut self, usuario: i64) -> Result<bool, StoreError>;

    /// Inserts an API key. An owner who does not exist is [`super::Conflict::Reference`].
    async fn insert_key(&mut self, key: &NewKey) -> Result<(), StoreError>;

    /// Stores which version of the terms was accepted for a key; `false` if there is no such key.
    async fn accept_terms(&mut self, suffix: &str, terms: &'static str) -> Result<bool, StoreError>;

    /// Revokes a key; `false` if there is no such key.
    async fn revoke_key(&mut self, suffix: &str, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// The certificate stored last, without its private key. It may be invalid or expired: see
    /// [`SigningCertificate::is_valid`].
    async fn signing_certificate(&mut self) -> Result<Option<SigningCertificate>, StoreError>;

    /// The certificates, the one stored last first.
    async fn listed_certificates(&mut self) -> Result<Vec<ListedCertificate>, StoreError>;

    /// The sealed private key of a certificate, which signs on that day;
    /// [`crate::operation::Cx::open`] opens it with the column [`SIGNING_KEY`].
    async fn signing_key(&mut self, numero: &str, dia: NaiveDate) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores a certificate and its sealed private key as the current one. It replaces one with the
    /// same number.
    async fn save_certificate(
        &mut self,
        certificate: &SigningCertificate,
        sealed_key: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Adds to the usage of the month that begins on `mes`, or of the present one if `mes` lies
    /// ahead of the store's clock; returns the month's total.
    async fn use_quota(&mut self, mes: NaiveDate, operaciones: i64) -> Result<i64, StoreError>;
}
