//! Webhooks and the delivery of their notices (contract §6): the queues of events, deliveries and
//! e-mails of a company, and the disabling of failing webhooks.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{LeaseTerms, StoreError};
use crate::domain::time::Timestamp;
use crate::domain::webhook::{AttemptResult, DeliveryOrigin, DeliveryStatus, Next};
use crate::domain::words::DeliveryReason;
use crate::record::webhook::Webhook;

/// Up to how many pending deliveries are counted when a webhook is disabled.
pub const MAX_COUNTED: u32 = 10_000;

/// How many deliveries one transaction marks as discarded; a worker marks the rest.
pub const DISCARD_BATCH: u32 = 1_000;

/// What a company sets of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookData {
    /// The URL that notices are posted to.
    pub url: String,
    /// The names of the kinds of events that it is subscribed to. A server that does not know a
    /// kind delivers its events all the same.
    pub eventos: Vec<String>,
    /// What it is for.
    pub descripcion: Option<String>,
    /// Whether it receives notices.
    pub activo: bool,
}

/// A webhook to be stored.
pub struct NewWebhook<'a> {
    /// From [`WebhookTx::next_webhook`].
    pub clave: i64,
    /// What its company sets.
    pub data: &'a WebhookData,
    /// The secret that signs its notices, sealed.
    pub secreto: &'a [u8],
    /// The user who creates it.
    pub usuario: i64,
    /// Time of creation; earlier events are not fanned out to it, only sent again on request.
    pub creado: Timestamp,
}

/// A delivery to be stored, due at once.
#[derive(Debug)]
pub struct NewDelivery<'a> {
    /// Clave of the webhook.
    pub webhook: i64,
    /// Id of the event.
    pub evento: Uuid,
    /// Type of the event.
    pub tipo: &'a str,
    /// Why it is made.
    pub origen: DeliveryOrigin,
    /// Time of creation, from which on it is due.
    pub creado: Timestamp,
}

/// Deliveries of events that happened, to be stored, due at once.
#[derive(Debug)]
pub struct NewDeliveries<'a> {
    /// Clave of the webhook, which is locked.
    pub webhook: i64,
    /// Types of the events.
    pub tipos: &'a [String],
    /// The earliest time of the events.
    pub since: DateTime<Utc>,
    /// Why they are made.
    pub origen: DeliveryOrigin,
    /// Time of creation, from which on they are due.
    pub creado: Timestamp,
    /// With more events than this, none is delivered.
    pub max: u32,
}

/// A delivery whose event is sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierDelivery {
    /// Id of the event.
    pub evento: Uuid,
    /// Type of the event.
    pub tipo: String,
    /// A pending delivery is not repeated.
    pub estado: DeliveryStatus,
}

/// The terms on which a worker claims deliveries of a company.
#[derive(Debug, Clone)]
pub struct DeliveryClaim<'a> {
    /// The terms of the lease.
    pub lease: LeaseTerms,
    /// Maximum number for one webhook. A webhook with [`DeliveryClaim::probe_after`] consecutive
    /// failed attempts gets only one, and none while another of its deliveries is claimed.
    pub each: u32,
    /// Consecutive failed attempts after which a webhook gets one delivery at a time.
    pub probe_after: u32,
    /// Maximum number for a webhook whose receiver takes longer than [`DeliveryClaim::slow_after`].
    pub each_slow: u32,
    /// Milliseconds that a receiver may take to answer before it counts as slow.
    pub slow_after: i64,
    /// Webhooks to skip, since the worker has enough of their deliveries.
    pub busy: &'a [i64],
}

/// A claimed delivery, with what is sent.
#[derive(Clone)]
pub struct ClaimedDelivery {
    /// Clave of the delivery.
    pub clave: i64,
    /// Clave of the webhook.
    pub webhook: i64,
    /// The URL that it is posted to.
    pub url: String,
    /// The webhook's secret, sealed; empty if the webhook was deleted in the meantime.
    pub secreto: Vec<u8>,
    /// The previous secret, sealed, while it also signs.
    pub secreto_anterior: Option<Vec<u8>>,
    /// Consecutive failed attempts of the webhook.
    pub intentos_fallidos: u32,
    /// Milliseconds that the webhook's receiver takes to answer; `None` before the first attempt.
    pub demora_ms: Option<i64>,
    /// Id of the event.
    pub evento: Uuid,
    /// Type of the event.
    pub tipo: String,
    /// The body to send.
    pub cuerpo: Bytes,
    /// Attempts before this one.
    pub intentos: u32,
    /// Why it was made.
    pub origen: DeliveryOrigin,
}

impl std::fmt::Debug for ClaimedDelivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { clave, webhook, intentos, .. } = self;
        write!(f, "ClaimedDelivery({clave} of webhook {webhook}, {intentos} attempts before)")
    }
}

/// What became of a claimed delivery.
#[derive(Debug, Clone, Copy)]
pub struct AttemptRecord {
    /// Clave of the delivery.
    pub clave: i64,
    /// Clave of the webhook.
    pub webhook: i64,
    /// The token of the claim.
    pub token: Uuid,
    /// `None` if no attempt was made and the claim is released.
    pub attempt: Option<Attempt>,
}

impl AttemptRecord {
    /// `entregas.estado` after it: without an attempt a delivery stays pending.
    pub fn estado(&self) -> DeliveryStatus {
        self.attempt.map_or(DeliveryStatus::Pendiente, |attempt| attempt.estado())
    }

    /// The same by a clock that is ahead of the one that it was made by.
    #[must_use]
    pub fn ahead(mut self, desfase: TimeDelta) -> Self {
        if let Some(attempt) = &mut self.attempt {
            attempt.at += desfase;
            if let Next::Retry(at) = &mut attempt.result.next {
                *at += desfase;
            }
        }
        self
    }

    /// When it is tried again, if at all: without an attempt, at once.
    pub fn next_attempt(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self.attempt.map(|attempt| attempt.result.next) {
            Some(Next::Retry(at)) => Some(at),
            Some(Next::Delivered | Next::Failed) => None,
            None => Some(now),
        }
    }
}

/// An attempt that was made.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// The receiver's answer, and what follows from it.
    pub result: AttemptResult,
    /// How long it took, in milliseconds.
    pub duracion_ms: i64,
    /// When it ended; a store gets it by the company's clock.
    pub at: DateTime<Utc>,
}

impl Attempt {
    /// `entregas.estado` after it.
    pub fn estado(&self) -> DeliveryStatus {
        match self.result.next {
            Next::Delivered => DeliveryStatus::Entregada,
            Next::Retry(_) => DeliveryStatus::Pendiente,
            Next::Failed => DeliveryStatus::Fallida,
        }
    }

    /// `entregas.motivo` after it, of a failure.
    pub fn motivo(&self) -> Option<&'static str> {
        self.result.reason.map(DeliveryReason::word)
    }
}

/// A webhook's streak of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureStreak {
    /// Consecutive deliveries that ended as `fallida`.
    pub fallos_consecutivos: u32,
    /// When the first attempt of the streak failed.
    pub racha_desde: Option<DateTime<Utc>>,
}

/// An attempt that was recorded, because its claim was still valid.
#[derive(Debug, Clone, Copy)]
pub struct RecordedAttempt {
    /// Its index among the attempts passed in.
    pub at: usize,
    /// The webhook's streak, if it changed.
    pub streak: Option<FailureStreak>,
}

/// What a fan-out did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FannedOut {
    /// Events that were fanned out, to any number of webhooks or none.
    pub events: u64,
    /// Deliveries that were created, one for each event and webhook.
    pub deliveries: u64,
}

/// An e-mail to be sent.
#[derive(Debug, Clone, Copy)]
pub struct NewMail<'a> {
    /// The recipient's address, one.
    pub para: &'a str,
    /// Subject, in Spanish.
    pub asunto: &'a str,
    /// Plain text, in Spanish; lines are separated by line feeds.
    pub texto: &'a str,
    /// The document of the registry that goes with it.
    pub factura: Option<i64>,
}

/// A leased e-mail.
#[derive(Debug, Clone)]
pub struct LeasedMail {
    /// Clave of the e-mail.
    pub clave: i64,
    /// The recipient's address, one.
    pub para: String,
    /// Subject, in Spanish.
    pub asunto: String,
    /// Plain text, in Spanish; lines are separated by line feeds.
    pub texto: String,
    /// The document of the registry that goes with it.
    pub factura: Option<i64>,
    /// Attempts, this one included.
    pub intentos: u32,
}

/// A webhook that may have to be disabled.
#[derive(Debug, Clone)]
pub struct FailingWebhook {
    /// Named in the e-mail to its creator.
    pub url: String,
    /// Decides whether it is disabled.
    pub streak: FailureStreak,
    /// E-mail address of the user who created it, if they have one.
    pub correo: Option<String>,
}

/// Webhooks and their deliveries; a deleted webhook looks as if it did not exist. Many workers may
/// deliver a company's notices at once: each first locks the webhooks, and skips what another has
/// claimed.
#[async_trait]
pub trait WebhookTx {
    /// Allocates the clave of a new webhook; `None` if the company has `max` already. It holds a
    /// lock until the end, so that concurrent transactions cannot exceed `max`.
    async fn next_webhook(&mut self, max: u32) -> Result<Option<i64>, StoreError>;

    /// Inserts a webhook; returns it as stored.
    async fn insert_webhook(&mut self, row: &NewWebhook<'_>) -> Result<Webhook, StoreError>;

    /// A webhook, locked until the end.
    async fn webhook(&mut self, clave: i64) -> Result<Option<Webhook>, StoreError>;

    /// Updates what a company sets of a webhook; returns it as stored. A `reactivated` webhook
    /// receives events from `now` on, and its count of consecutive failures is reset.
    async fn update_webhook(
        &mut self,
        clave: i64,
        data: &WebhookData,
        reactivated: bool,
        now: Timestamp,
    ) -> Result<Webhook, StoreError>;

    /// Replaces a webhook's secret by `sealed`. The current one becomes the previous one, which
    /// also signs until `previous_until`; an older previous one is discarded. `false` if there is
    /// no such webhook.
    async fn rotate_webhook_secret(
        &mut self,
        clave: i64,
        sealed: &[u8],
        previous_until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Deletes a webhook: its secrets are erased and its pending deliveries discarded. `false` if
    /// there is no such webhook.
    async fn delete_webhook(&mut self, clave: i64, now: Timestamp) -> Result<bool, StoreError>;

    /// The delivery `entrega` of that webhook.
    async fn delivery(&mut self, webhook: i64, entrega: i64) -> Result<Option<EarlierDelivery>, StoreError>;

    /// Inserts a delivery; returns its clave, or `None` if its event is gone.
    async fn insert_delivery(&mut self, row: &NewDelivery<'_>) -> Result<Option<i64>, StoreError>;

    /// Inserts a delivery for each of the events, in the order of their claves; returns how many,
    /// or `None`, without any, if there are more events than `max`.
    async fn insert_deliveries(&mut self, rows: &NewDeliveries<'_>) -> Result<Option<u64>, StoreError>;

    /// Locks the company's webhooks until the end, and those of `deleted` that were deleted: before
    /// any other method below, except those of e-mails. Returns how far the company's clock is
    /// ahead, by which these methods take and write times.
    async fn lock_webhooks(&mut self, deleted: &[i64]) -> Result<TimeDelta, StoreError>;

    /// Converts at most `max` groups that are due into events, whose bodies get `now` as `creado`;
    /// returns how many.
    async fn gather_groups(&mut self, now: Timestamp, max: u32) -> Result<u64, StoreError>;

    /// Creates the deliveries of at most `max` new events, the oldest first: one for each webhook
    /// that was active and subscribed to the event's type when it occurred, and has not been
    /// deleted or disabled since.
    async fn fan_out(&mut self, now: Timestamp, max: u32) -> Result<FannedOut, StoreError>;

    /// Claims deliveries that are due, and stores when their webhooks have the next one.
    async fn claim_deliveries(&mut self, claim: &DeliveryClaim<'_>) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Records what became of claimed deliveries, in the order given, and updates the streaks of
    /// their webhooks. Deliveries that are no longer claimed under their token are skipped.
    async fn record_attempts(
        &mut self,
        attempts: &[AttemptRecord],
        now: DateTime<Utc>,
    ) -> Result<Vec<RecordedAttempt>, StoreError>;

    /// Stores when a webhook's next delivery is due.
    async fn schedule_webhook(&mut self, clave: i64) -> Result<(), StoreError>;

    /// An active webhook, locked until the end.
    async fn lock_active_webhook(&mut self, clave: i64) -> Result<Option<FailingWebhook>, StoreError>;

    /// Disables a webhook; its company sees the reason `motivo`. Its pending deliveries are
    /// discarded, as by [`WebhookTx::discard_deliveries`]; returns how many they are, counted up to
    /// [`MAX_COUNTED`].
    async fn disable_webhook(&mut self, clave: i64, motivo: &str, now: Timestamp) -> Result<u64, StoreError>;

    /// Marks at most `max` of the deliveries that are to be discarded, claimed ones included;
    /// returns how many.
    async fn discard_deliveries(&mut self, max: u32) -> Result<u64, StoreError>;

    /// Queues an e-mail.
    async fn append_mail(&mut self, mail: &NewMail<'_>, now: Timestamp) -> Result<(), StoreError>;

    /// Leases e-mails that are due.
    async fn lease_mail(&mut self, terms: LeaseTerms) -> Result<Vec<LeasedMail>, StoreError>;

    /// Ends the lease of an e-mail that is still leased under `token`: the e-mail is due again at
    /// `again`, or deleted.
    async fn finish_mail(&mut self, clave: i64, token: Uuid, again: Option<DateTime<Utc>>) -> Result<(), StoreError>;
}
