//! A write: claim of the Idempotency-Key, effect, events and stored answer, in one transaction.

use super::Reply;
use super::authenticate::Caller;
use super::idempotency::{Key, REMEMBERED};
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::json::Json;
use crate::operation::{Actor, AnyWrite, Cx, Repetition, Spec};
use crate::service::Inner;
use crate::store::{Claim, StoreError, Tx, Work, transact};

/// A write that is ready to be done.
pub(super) struct Write<'a> {
    pub(super) api: &'a Inner,
    pub(super) caller: &'a Caller,
    pub(super) operation: &'static dyn AnyWrite,
    pub(super) spec: &'static Spec,
    pub(super) parameters: &'a [String],
    pub(super) query: &'a str,
    pub(super) body: &'a Json,
    pub(super) key: Option<Key>,
}

impl Write<'_> {
    pub(super) async fn execute(mut self) -> Result<Reply, Error> {
        let (api, company) = (self.api, self.caller.company().id);
        transact(api.store.as_ref(), company, &mut self).await
    }

    fn suffix(&self) -> &str {
        match &self.caller.actor {
            Actor::Key { suffix, .. } => suffix,
            Actor::BackOffice => "",
        }
    }
}

impl Work for Write<'_> {
    type Output = Reply;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<Reply, Error> {
        let now = self.api.clock.now();
        if let Some(key) = &self.key {
            let claim = tx.claim(self.suffix(), &key.name, &key.fingerprint, now, now - REMEMBERED).await;
            match claim.map_err(in_progress)? {
                Claim::New => {}
                Claim::Done { fingerprint, .. } if fingerprint != key.fingerprint => {
                    return Err(Code::IdempotenciaConflicto.into());
                }
                Claim::Done { body, .. } => match self.spec.repetition {
                    Repetition::Replayed => return Ok(Reply::replayed(body)),
                    Repetition::Answered => {}
                },
            }
        }
        refuse_query(self.query)?;
        let mut cx = Cx {
            tx,
            now: Timestamp::new(now),
            company: self.caller.company(),
            actor: &self.caller.actor,
            random: self.api.random.as_ref(),
            sealer: &self.api.sealer,
            base_url: &self.api.base_url,
            development_destinations: self.api.development_destinations,
        };
        let answer = self.operation.run(&mut cx, self.parameters, self.body).await?;
        if let Some(key) = &self.key {
            tx.remember(self.suffix(), &key.name, &answer.remembered).await?;
        }
        Ok(Reply::answered(answer))
    }
}

/// The first request with this key did not end while we waited.
fn in_progress(error: StoreError) -> Error {
    match error {
        StoreError::Busy(_) => Error::new(Code::IdempotenciaEnCurso).retry_after(1),
        other => other.into(),
    }
}

/// A write has no filters.
fn refuse_query(query: &str) -> Result<(), Error> {
    match crate::operation::query::parameters(query).first() {
        Some((name, _)) => {
            Err(Error::field(Code::FiltroNoPermitido, &crate::json::brief(name), "una escritura no lleva filtros"))
        }
        None => Ok(()),
    }
}
