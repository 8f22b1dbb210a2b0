//! What delivers notices: the queue of events and deliveries, of all companies, and what a worker changes of a webhook.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{CompanyId, StoreError};
use crate::domain::time::Timestamp;
use crate::domain::webhook::{DeliveryOrigin, DeliveryStatus};
use crate::domain::webhook::{Judged, Next};
use crate::domain::words::DeliveryReason;

/// What a worker takes out of the queue, and on which terms.
#[derive(Debug, Clone)]
pub struct DeliveryClaim<'a> {
    /// At most so many deliveries.
    pub most: u32,
    /// At most so many of one webhook; one only if [`DeliveryClaim::probe_after`] attempts of it have failed in a row, and
    /// none while another of its deliveries is out.
    pub each: u32,
    /// After how many failures.
    pub probe_after: u32,
    /// None of these webhooks: the worker has enough of them.
    pub busy: &'a [(CompanyId, i64)],
    /// Those that were due then.
    pub now: DateTime<Utc>,
    /// What the worker shows when it writes what came of them.
    pub token: Uuid,
    /// Until when nobody else takes them.
    pub until: DateTime<Utc>,
}

/// A delivery that a worker took, with what it sends.
#[derive(Clone)]
pub struct ClaimedDelivery {
    /// Whose it is.
    pub company: CompanyId,
    /// Its clave.
    pub clave: i64,
    /// Its webhook.
    pub webhook: i64,
    /// Where to.
    pub url: String,
    /// The webhook's secret, sealed; none if the webhook was deleted in the meantime.
    pub secreto: Vec<u8>,
    /// The secret before it, sealed, if it signs too.
    pub secreto_anterior: Option<Vec<u8>>,
    /// Attempts of the webhook that failed in a row.
    pub intentos_fallidos: u32,
    /// The event.
    pub evento: Uuid,
    /// Its type.
    pub tipo: String,
    /// What is sent.
    pub cuerpo: Bytes,
    /// Attempts before.
    pub intentos: u32,
    /// Why it was made.
    pub origen: DeliveryOrigin,
}

impl std::fmt::Debug for ClaimedDelivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { company, clave, webhook, intentos, .. } = self;
        write!(f, "ClaimedDelivery({}/{clave} of webhook {webhook}, {intentos} attempts before)", company.0)
    }
}

/// What came of a claimed delivery.
#[derive(Debug, Clone, Copy)]
pub struct AttemptRecord {
    /// Whose it is.
    pub company: CompanyId,
    /// Its clave.
    pub clave: i64,
    /// Its webhook.
    pub webhook: i64,
    /// The token that it was claimed under.
    pub token: Uuid,
    /// The attempt; none if it was not tried, and is handed back.
    pub attempt: Option<Attempt>,
}

/// An attempt that was made.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// What came of it.
    pub judged: Judged,
    /// How long it took, in milliseconds.
    pub duracion_ms: i64,
    /// When it ended.
    pub at: DateTime<Utc>,
}

/// How a webhook stands after attempts were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookStanding {
    /// Deliveries that ended `fallida` in a row.
    pub fallos_consecutivos: u32,
    /// When the first attempt of that streak failed.
    pub racha_desde: Option<DateTime<Utc>>,
}

/// An attempt that was written: its lease stood.
#[derive(Debug, Clone, Copy)]
pub struct Recorded {
    /// Its place among those that were to be written.
    pub at: usize,
    /// How its webhook stands, if it changed.
    pub standing: Option<WebhookStanding>,
}

/// How many events got deliveries, and how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FannedOut {
    /// Events.
    pub events: u64,
    /// Deliveries.
    pub deliveries: u64,
}

/// An e-mail that a worker took.
#[derive(Debug, Clone)]
pub struct LeasedMail {
    /// Whose company it is about.
    pub company: CompanyId,
    /// Its clave.
    pub clave: i64,
    /// To whom.
    pub para: String,
    /// Subject.
    pub asunto: String,
    /// Text.
    pub texto: String,
    /// Attempts, this one included.
    pub intentos: u32,
}

/// The queues of a delivering worker, over all companies. Each method is one statement; many workers may be at it.
#[async_trait]
pub trait DeliveryStore: Send + Sync {
    /// Makes events of at most `most` groups that are due; their bodies get `now` as `creado`. Gives how many.
    async fn gather_groups(&self, now: Timestamp, most: u32) -> Result<u64, StoreError>;

    /// Makes the deliveries of at most `most` new events: for each webhook that is subscribed to its type, is active, and was when it
    /// was made.
    async fn fan_out(&self, now: Timestamp, most: u32) -> Result<FannedOut, StoreError>;

    /// Takes deliveries that are due, of the webhooks that have been waiting for longest.
    async fn claim_deliveries(&self, claim: &DeliveryClaim<'_>) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Writes what came of claimed deliveries, in the order in which it came, and how their webhooks stand after it. What
    /// is no longer leased under its token is left out.
    async fn record_attempts(
        &self,
        attempts: &[AttemptRecord],
        now: DateTime<Utc>,
    ) -> Result<Vec<Recorded>, StoreError>;

    /// Takes at most `most` e-mails that are due, until `until`, under `token`.
    async fn lease_mail(
        &self,
        most: u32,
        now: DateTime<Utc>,
        token: Uuid,
        until: DateTime<Utc>,
    ) -> Result<Vec<LeasedMail>, StoreError>;

    /// Ends the lease of an e-mail, if it still stands: it is tried again at `again`, or done with.
    async fn settle_mail(
        &self,
        company: CompanyId,
        clave: i64,
        token: Uuid,
        again: Option<DateTime<Utc>>,
    ) -> Result<(), StoreError>;

    /// Forgets at most `most` deliveries made before `expired`; gives how many.
    async fn forget_deliveries(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError>;

    /// Forgets at most `most` events made before `expired` that have no deliveries; gives how many.
    async fn forget_events(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError>;

    /// Forgets at most `most` webhooks deleted before `expired` that have no deliveries; gives how many.
    async fn forget_webhooks(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError>;
}

/// A webhook that may have to be disabled.
#[derive(Debug, Clone)]
pub struct FailingWebhook {
    /// Its URL.
    pub url: String,
    /// How it stands.
    pub standing: WebhookStanding,
    /// The e-mail address of who made it, if they have one.
    pub correo: Option<String>,
}

/// What a delivering worker changes of one company's webhooks, inside a transaction.
#[async_trait]
pub trait DeliveryTx {
    /// An active webhook, locked until the end.
    async fn lock_active_webhook(&mut self, clave: i64) -> Result<Option<FailingWebhook>, StoreError>;

    /// Disables a webhook.
    async fn disable_webhook(&mut self, clave: i64, motivo: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Discards the deliveries of a webhook that are pending, those that are out too; gives how many.
    async fn discard_deliveries(&mut self, webhook: i64) -> Result<u64, StoreError>;

    /// Writes an e-mail to be sent.
    async fn append_mail(&mut self, para: &str, asunto: &str, texto: &str, now: Timestamp) -> Result<(), StoreError>;
}

impl AttemptRecord {
    /// `entregas.estado` after it: one that was not tried stays pending.
    pub fn estado(&self) -> DeliveryStatus {
        self.attempt.map_or(DeliveryStatus::Pendiente, |attempt| attempt.estado())
    }

    /// When it is tried again, if at all: one that was not tried, at once.
    pub fn next_attempt(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self.attempt.map(|attempt| attempt.judged.next) {
            Some(Next::Retry(at)) => Some(at),
            Some(Next::Delivered | Next::Failed) => None,
            None => Some(now),
        }
    }
}

impl Attempt {
    /// `entregas.estado` after it.
    pub fn estado(&self) -> DeliveryStatus {
        match self.judged.next {
            Next::Delivered => DeliveryStatus::Entregada,
            Next::Retry(_) => DeliveryStatus::Pendiente,
            Next::Failed => DeliveryStatus::Fallida,
        }
    }

    /// `entregas.motivo` after it.
    pub fn motivo(&self) -> Option<&'static str> {
        self.judged.reason.map(DeliveryReason::word)
    }
}
