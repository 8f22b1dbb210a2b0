//! One attempt at a delivery: the notice is signed and sent, and its outcome becomes a result.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::FutureExt as _;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::timeout;
use zeroize::Zeroizing;

use super::schedule::validate;
use super::slots::DeliveryLease;
use super::{EVENT_ID, Outcome, Post, SECRET, SIGNATURE, Sender, signature};
use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::domain::event::EventId;
use crate::observe;
use crate::secrets::{Place, SecretsError};
use crate::store::{Attempt, AttemptRecord, ClaimedDelivery};

/// The header with the event's type.
pub(crate) const EVENT: HeaderName = HeaderName::from_static("x-svc-evento");
/// The header with the delivery's clave.
pub(crate) const DELIVERY: HeaderName = HeaderName::from_static("x-svc-entrega");
/// The header with the attempt's number, from 1 on.
pub(crate) const ATTEMPT: HeaderName = HeaderName::from_static("x-svc-intento");

/// The `User-Agent` of notices.
pub(crate) const AGENT: &str = "Svc-Webhooks/1.0";

/// How much longer than its deadline a sender may take. The lease lasts longer.
const GRACE: Duration = Duration::from_secs(1);

/// Makes one attempt at a claimed delivery; returns the result to be written.
pub(super) async fn attempt(context: &Context, sender: &dyn Sender, claim: DeliveryLease) -> AttemptRecord {
    let DeliveryLease { company, delivery, token, .. } = claim;
    let began = context.now();
    let sent = async {
        match post(context, company, &delivery, began) {
            Ok(post) => sender.send(post).await,
            // Retried like any failed attempt, so that an operator has time to restore the secrets
            // key.
            Err(error) => {
                tracing::error!(empresa = company.0, webhook = delivery.webhook, entrega = delivery.clave, %error,
                                "a notice cannot be made");
                Outcome::Ours(None)
            }
        }
    };
    let failed = |reason, text| {
        observe::background_failed("delivery", reason);
        let (empresa, webhook, entrega) = (company.0, delivery.webhook, delivery.clave);
        tracing::error!(empresa, webhook, entrega, "{text}; it is tried again later");
        Outcome::Ours(None)
    };
    let outcome = match timeout(sender.deadline().saturating_add(GRACE), AssertUnwindSafe(sent).catch_unwind()).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => failed("panic", "sending a notice panicked"),
        Err(_) => failed("late", "a sender took longer than its deadline"),
    };
    let at = context.now();
    let result = validate(&outcome, delivery.origen, delivery.intentos.saturating_add(1), at, context.random());
    let duracion_ms = (at - began).num_milliseconds().max(0);
    tracing::debug!(empresa = company.0, webhook = delivery.webhook, entrega = delivery.clave, ?outcome, duracion_ms);
    AttemptRecord {
        clave: delivery.clave,
        webhook: delivery.webhook,
        token,
        attempt: Some(Attempt { result, duracion_ms, at }),
    }
}

/// The result of a claim that is given up without an attempt.
pub(super) fn handed_back(claim: &DeliveryLease) -> AttemptRecord {
    let ClaimedDelivery { clave, webhook, .. } = claim.delivery;
    AttemptRecord { clave, webhook, token: claim.token, attempt: None }
}

/// Why a notice cannot be made.
#[derive(Debug, thiserror::Error)]
enum PostError {
    #[error(transparent)]
    Secret(#[from] SecretsError),
    #[error("the event's type fits no header")]
    Type,
}

fn post(
    context: &Context,
    company: CompanyId,
    delivery: &ClaimedDelivery,
    at: DateTime<Utc>,
) -> Result<Post, PostError> {
    let open = |sealed| open(context, company, delivery.webhook, sealed);
    let secret = open(&delivery.secreto)?;
    let previous = delivery.secreto_anterior.as_deref().map(open);
    let mut secrets: Vec<&[u8]> = vec![&secret];
    // The receiver accepts the notice by either signature.
    let previous = previous.and_then(|previous| {
        previous.inspect_err(|error| tracing::warn!(%error, "the previous secret of a webhook does not open")).ok()
    });
    secrets.extend(previous.as_ref().map(|previous| previous.as_slice()));
    let signed = signature(&secrets, at, &delivery.cuerpo);
    let headers = HeaderMap::from_iter([
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (USER_AGENT, HeaderValue::from_static(AGENT)),
        (SIGNATURE, HeaderValue::from_str(&signed).map_err(|_| PostError::Type)?),
        (EVENT, HeaderValue::from_str(&delivery.tipo).map_err(|_| PostError::Type)?),
        (EVENT_ID, HeaderValue::from_str(&EventId(delivery.evento).to_string()).map_err(|_| PostError::Type)?),
        (DELIVERY, HeaderValue::from(delivery.clave)),
        (ATTEMPT, HeaderValue::from(delivery.intentos.saturating_add(1))),
    ]);
    Ok(Post { url: delivery.url.clone(), headers, body: Bytes::clone(&delivery.cuerpo) })
}

fn open(
    context: &Context,
    company: CompanyId,
    webhook: i64,
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, SecretsError> {
    let place = Place { company, column: SECRET, record: &webhook.to_string() };
    context.sealer().open(place, sealed)
}
