//! The context of an operation: its resources, and the events that it emits.

use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::Registry;
use crate::domain::clock::Random;
use crate::domain::company::Company;
use crate::domain::event::{Event, EventKinds, KnownKind, NoticeContent, OwnEvent};
use crate::domain::scope::{KeyScopes, Scope};
use crate::domain::time::Timestamp;
use crate::domain::words::InvoiceOrigin;
use crate::error::Error;
use crate::secrets::{Place, Sealer};
use crate::store::{NewEvent, Tx};

/// Who calls an operation.
#[derive(Debug, Clone)]
pub enum Actor {
    /// A request with an API key, on behalf of the user who owns the key, or of a user whom the
    /// host signed in without one.
    Key {
        /// The key's identifier without the company's number: `<suffix>` of `<company>_<suffix>`;
        /// `~` and the clave of a user without a key.
        suffix: String,
        /// The clave of the user.
        owner: i64,
        /// What the request may do.
        scopes: KeyScopes,
    },
    /// The ERP itself: its screens, imports and background work.
    BackOffice,
}

impl Actor {
    /// The origin that is recorded for documents that this caller requests.
    pub(crate) fn invoice_origin(&self) -> InvoiceOrigin {
        match self {
            Self::Key { .. } => InvoiceOrigin::Api,
            Self::BackOffice => InvoiceOrigin::Aplicacion,
        }
    }
}

/// What an operation may touch: the transaction, the time, randomness and the caller.
pub struct Cx<'a> {
    /// The open transaction of `company`; only the caller of the operation commits it.
    pub tx: &'a mut dyn Tx,
    /// The company's time at which this attempt of the operation began, in whole seconds.
    pub now: Timestamp,
    /// The company, as the key's look-up or the transaction read it: up to five seconds ago.
    pub company: &'a Company,
    /// Who calls the operation.
    pub actor: &'a Actor,
    /// The only source of random bytes: tests replace it.
    pub random: &'a dyn Random,
    /// Seals secrets before they are stored.
    pub sealer: &'a Sealer,
    /// The API's public address, without a trailing slash: it prefixes the links in notices.
    pub base_url: &'a str,
    /// Whether webhooks may have development URLs: http, any port, local names (contract §6).
    pub development_destinations: bool,
    /// Whether the sandbox stamps the company's documents, so that none is a valid invoice.
    pub sandbox: bool,
    /// The operations of the context, with what its host added.
    pub(crate) registry: &'a Registry,
    /// The types of the events that it emitted, each once, in the order of their first event.
    pub(crate) emitted: Vec<&'static str>,
}

impl Actor {
    /// Whether the caller has `scope`; the back office has every scope.
    pub fn may(&self, scope: Scope) -> bool {
        match self {
            Self::Key { scopes, .. } => scopes.has(scope),
            Self::BackOffice => true,
        }
    }

    /// Whether the caller has the scope of that name, of Svc or of a host.
    pub fn may_word(&self, scope: &str) -> bool {
        match self {
            Self::Key { scopes, .. } => scopes.has_word(scope),
            Self::BackOffice => true,
        }
    }
}

impl Cx<'_> {
    /// The company's present by the process's clock or the store's, whichever is behind: for what
    /// cannot be taken back if it is done too early.
    pub(crate) async fn earlier_now(&mut self) -> Result<DateTime<Utc>, Error> {
        Ok(self.company.time(self.tx.now().await?).min(self.now.get()))
    }

    /// The present day at the company's postal code.
    pub fn today(&self) -> NaiveDate {
        self.now.get().with_timezone(&self.company.zone()).date_naive()
    }

    /// The present day at a branch, on which its documents, receivables and entries are dated.
    pub fn day_at(&self, sucursal: i64) -> NaiveDate {
        self.now.get().with_timezone(&self.company.zone_of(sucursal)).date_naive()
    }

    /// The latest day that a payment can have: see [`Company::latest_day`].
    pub(crate) fn latest_day(&self) -> NaiveDate {
        self.company.latest_day(self.now.get())
    }

    /// The service's time, which no company's clock moves: for keys, and for how long answers and
    /// logs are kept.
    pub fn service_now(&self) -> DateTime<Utc> {
        self.now.get() - self.company.desfase
    }

    /// Writes `event` to the outbox in this transaction.
    pub async fn emit(&mut self, event: &Event) -> Result<(), Error> {
        self.emit_all(std::slice::from_ref(event)).await
    }

    /// Writes `events` to the outbox in this transaction. Grouped events join their pending group
    /// (contract §6).
    pub async fn emit_all(&mut self, events: &[Event]) -> Result<(), Error> {
        let (grouped, single): (Vec<&Event>, Vec<&Event>) = events.iter().partition(|event| event.is_grouped());
        let row = |event: &&Event| self.event_row(&event.notice(), None, false);
        let grouped = grouped.iter().map(row).collect::<Result<Vec<_>, Error>>()?;
        let single = single.iter().map(row).collect::<Result<Vec<_>, Error>>()?;
        for event in events {
            self.note(event.tipo());
        }
        self.tx.append_events(single).await?;
        Ok(self.tx.group_events(grouped).await?)
    }

    /// Writes a host's event to the outbox in this transaction, as [`Cx::emit`] writes one of
    /// Svc's. Fails if the context does not know its kind: see
    /// [`ContextBuilder::event`](crate::ContextBuilder::event).
    pub async fn emit_own<E: OwnEvent>(&mut self, event: &E) -> Result<(), Error> {
        let kind = E::KIND;
        if !matches!(self.kinds().of(kind.word()), Some(KnownKind::Own(_))) {
            return Err(Error::internal(format!("the events {} were not declared with `event`", kind.word())));
        }
        let row = self.event_row(&NoticeContent::of_own(event)?, Some(kind.scope()), false)?;
        self.note(kind.word());
        if kind.is_grouped() {
            Ok(self.tx.group_events(vec![row]).await?)
        } else {
            Ok(self.tx.append_events(vec![row]).await?)
        }
    }

    /// The kinds of events that the context knows.
    pub(crate) fn kinds(&self) -> &EventKinds {
        self.registry.kinds()
    }

    /// Writes `event` to the outbox without fanning it out, and returns its id; the caller inserts
    /// the deliveries.
    pub(crate) async fn emit_privately(&mut self, event: &Event) -> Result<Uuid, Error> {
        let row = self.event_row(&event.notice(), None, true)?;
        let id = row.id;
        self.note(event.tipo());
        self.tx.append_events(vec![row]).await?;
        Ok(id)
    }

    /// The types of the events that were emitted, each once, in the order of their first event.
    pub(crate) fn into_emitted(self) -> Vec<&'static str> {
        self.emitted
    }

    fn note(&mut self, tipo: &'static str) {
        if !self.emitted.contains(&tipo) {
            self.emitted.push(tipo);
        }
    }

    fn event_row(
        &self,
        notice: &NoticeContent,
        permiso: Option<&'static str>,
        repartido: bool,
    ) -> Result<NewEvent, Error> {
        let id = uuid_v7(self.now.get(), self.random);
        let cuerpo = notice.body(id, self.now, self.company.id, self.base_url).map_err(Error::internal)?;
        let (recurso, clave) = notice.recurso;
        Ok(NewEvent { id, tipo: notice.tipo, permiso, recurso, clave, cuerpo, creado: self.now, repartido })
    }

    /// Seals a secret of the company. `column` is the column that will store it
    /// (`certificados.llave`) and `record` identifies its row; both are authenticated with the
    /// secret, and so is the company.
    ///
    /// What a host seals in its own tables stays under the key of that time:
    /// [`Context::rotate_secrets`](crate::Context::rotate_secrets) knows Svc's columns only. Keep
    /// the former keys, or write such values again with [`Cx::open`] and [`Cx::seal`]. In a copy
    /// of the company they do not open.
    pub fn seal(&self, column: &'static str, record: &str, secret: &[u8]) -> Result<Vec<u8>, Error> {
        let place = Place { company: self.company.id, column, record };
        self.sealer.seal(place, secret, self.random).map_err(Error::internal)
    }

    /// Opens what [`Cx::seal`] returned for the same `column` and `record`; anything else is an
    /// internal error.
    pub fn open(&self, column: &'static str, record: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let place = Place { company: self.company.id, column, record };
        self.sealer.open(place, sealed).map_err(Error::internal)
    }
}

impl fmt::Debug for Cx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx").field("now", &self.now).field("company", &self.company.id).finish_non_exhaustive()
    }
}

/// A UUID of version 7 (RFC 9562) of that time: it sorts by time, and its last 74 bits are random.
pub(crate) fn uuid_v7(at: DateTime<Utc>, random: &dyn Random) -> Uuid {
    let mut bytes = [0; 10];
    random.fill_id(&mut bytes);
    let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}
