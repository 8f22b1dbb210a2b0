//! Sealing stored secrets again under a new key.

use std::time::Duration;

use serde::Serialize;
use tokio::time::timeout;

use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::error::{Code, Error};
use crate::secrets::{Place, PlainSecrets, SecretsError, WrongKey};
use crate::store::{Resealed, SIGNING_KEY, SealedColumn, SealedSecret, StoreError};
use crate::webhooks::SECRET;

/// Companies per statement: few enough that a batch needs little memory and holds its locks
/// briefly. A company has at most twenty webhook secrets, and a key per certificate it ever loaded.
const BATCH: u32 = 100;

/// A prefix that no sealed value has.
const NO_PREFIX: &[u8] = &[u8::MAX];

/// Secrets of each kind that a key is tried on: enough that some open even if others were damaged.
const SAMPLE: u32 = 20;

/// How long reading them may take.
const SAMPLE_PATIENCE: Duration = Duration::from_secs(2);

/// After so many passes in a row without progress, because every remaining value was changed or
/// locked by others, the rest stays pending.
const MAX_IDLE: u32 = 5;

/// The outcome of [`Context::rotate_secrets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct SecretsRotated {
    /// Secrets that were sealed again.
    pub resellados: u64,
    /// Secrets that no configured key opens. Each is logged.
    pub pendientes: u64,
}

#[derive(Default)]
struct RotationPass {
    resealed: u64,
    /// Values that others changed or locked meanwhile.
    missed: u64,
    /// Values that no key opens.
    failed: u64,
}

impl Context {
    /// Seals every secret of Svc's own, of every company, under the current key: those under a
    /// former key ([`crate::secrets::Sealer::with_old`]), those of earlier versions that do not
    /// name their key, and, if `plain` accepts them, values stored before there was a key. Fails
    /// with `estado_invalido` if no key is set.
    ///
    /// Servers that have both keys may run meanwhile; a secret that is changed meanwhile keeps the
    /// change. Work is done in small batches and only on values not yet under the current key, so
    /// the call can be repeated after an error.
    pub async fn rotate_secrets(&self, plain: PlainSecrets) -> Result<SecretsRotated, Error> {
        let Some(prefix) = self.sealer().current_prefix() else {
            let text = "no hay llave con la que cifrar los secretos; configure SVC_SECRETS_KEY";
            return Err(Error::new(Code::EstadoInvalido).message(text));
        };
        let mut rotated = SecretsRotated::default();
        let mut idle = 0;
        // A server may move a secret to where a pass has already been, so passes repeat until one
        // finds nothing.
        loop {
            let first = rotated.resellados == 0 && idle == 0;
            let pass = self.rotation_pass(&prefix, plain, first).await?;
            rotated.resellados += pass.resealed;
            idle = if pass.resealed == 0 { idle + 1 } else { 0 };
            if (pass.resealed == 0 && pass.missed == 0) || idle == MAX_IDLE {
                rotated.pendientes = pass.failed + pass.missed;
                return Ok(rotated);
            }
        }
    }

    /// Refuses a key that opens none of the first stored secrets: a wrong key opens nothing. Call
    /// it before the context seals or opens anything; it sends one statement. A store that does not
    /// answer within two seconds refuses no key.
    pub async fn refuse_wrong_key(&self) -> Result<(), WrongKey> {
        if !self.sealer().has_key() {
            return Ok(());
        }
        let Ok(Ok(secrets)) = timeout(SAMPLE_PATIENCE, self.store().first_secrets(SAMPLE)).await else {
            return Ok(());
        };
        let mut first = None;
        for secret in &secrets {
            match self.sealer().open(place(secret), &secret.sealed) {
                Ok(_) => return Ok(()),
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.map_or(Ok(()), |error| Err(WrongKey(error)))
    }

    /// How many secrets of all companies do not open with the keys that are set, and why the first
    /// does not; none if all do.
    pub async fn closed_secrets(&self) -> Result<Option<(u64, SecretsError)>, StoreError> {
        let mut closed: Option<(u64, SecretsError)> = None;
        let mut after = CompanyId(0);
        loop {
            let batch = self.store().secrets_not_under(NO_PREFIX, after, BATCH).await?;
            for secret in &batch.secrets {
                if let Err(error) = self.sealer().open(place(secret), &secret.sealed) {
                    closed = Some(closed.map_or((1, error), |(count, first)| (count + 1, first)));
                }
            }
            match batch.last {
                Some(last) => after = last,
                None => return Ok(closed),
            }
        }
    }

    async fn rotation_pass(&self, prefix: &[u8], plain: PlainSecrets, log: bool) -> Result<RotationPass, Error> {
        let mut pass = RotationPass::default();
        let mut after = CompanyId(0);
        loop {
            let batch = self.store().secrets_not_under(prefix, after, BATCH).await?;
            let mut resealed = Vec::with_capacity(batch.secrets.len());
            for secret in batch.secrets {
                let place = place(&secret);
                match self.sealer().reseal(place, &secret.sealed, plain, self.random()) {
                    Ok(sealed) => resealed.push(Resealed { secret, sealed }),
                    Err(error) => {
                        pass.failed += 1;
                        if log {
                            tracing::warn!(empresa = place.company.0, column = place.column, record = place.record,
                                           %error, "a secret could not be sealed again");
                        }
                    }
                }
            }
            let replaced = match self.store().replace_secrets(&resealed).await {
                // The next pass finds those that were not replaced.
                Err(StoreError::Transient(_) | StoreError::Busy(_)) => 0,
                outcome => outcome?,
            };
            pass.resealed += replaced;
            pass.missed += (resealed.len() as u64).saturating_sub(replaced);
            match batch.last {
                Some(last) => after = last,
                None => return Ok(pass),
            }
        }
    }
}

/// The place that a secret is sealed for. A webhook's secret keeps it when it becomes the previous
/// one.
fn place(secret: &SealedSecret) -> Place<'_> {
    let column = match secret.column {
        SealedColumn::CertificateKey => SIGNING_KEY,
        SealedColumn::WebhookSecret | SealedColumn::PreviousWebhookSecret => SECRET,
    };
    Place { company: secret.company, column, record: &secret.record }
}
