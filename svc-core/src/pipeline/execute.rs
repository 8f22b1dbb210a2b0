//! A write: idempotency claim, effect, events and stored response share one transaction.

use bytes::Bytes;
use http::StatusCode;

use super::authenticate::Caller;
use super::batch::Batch;
use super::idempotency::{Key, claimed};
use super::respond::Reply;
use crate::context::Context;
use crate::domain::clock::Clock;
use crate::error::{Code, Error};
use crate::json::Json;
use crate::operation::{Actor, Answer, AnyOperation, Cx, Head, Http, Repetition, path};
use crate::store::{StoreError, StoredAnswer, TransactionBody, Tx};

/// A validated write, ready to run.
pub(super) struct Write<'a> {
    pub(super) context: &'a Context,
    pub(super) caller: &'a Caller,
    /// The caller, as the operation sees it.
    pub(super) actor: &'a Actor,
    pub(super) work: Work,
    pub(super) http: Http,
    /// The path parameters, until they become fields of the input.
    pub(super) segments: Option<Vec<String>>,
    pub(super) query: &'a str,
    pub(super) input: Json,
    pub(super) key: Option<Key>,
    /// Whether it is undone at the end.
    pub(super) rehearsal: bool,
}

/// What a write does.
pub(super) enum Work {
    /// An operation of the API.
    Operation(&'static dyn AnyOperation),
    /// An action of the office, which answers 200 without links.
    Action(&'static dyn AnyOperation),
    /// Actions of the office, which the body names.
    Batch,
}

impl Work {
    async fn run(&self, context: &Context, cx: &mut Cx<'_>, input: &Json) -> Result<Answer, Error> {
        match self {
            Self::Operation(operation) => operation.run(cx, input).await,
            Self::Action(operation) => Ok(Answer { head: Head::of(StatusCode::OK), ..operation.run(cx, input).await? }),
            Self::Batch => Batch::read(context, input)?.run(cx).await,
        }
    }
}

impl Write<'_> {
    pub(super) async fn execute(mut self) -> Result<Reply, Error> {
        let (context, company) = (self.context, self.caller.company().id);
        context.transact(company, &mut self).await
    }
}

impl TransactionBody for Write<'_> {
    type Output = Reply;

    fn clock(&self) -> Option<&dyn Clock> {
        Some(self.context.clock())
    }

    fn is_rehearsal(&self) -> bool {
        self.rehearsal
    }

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<Reply, Error> {
        let suffix = self.caller.suffix();
        let mut unanswered = self.key.as_ref().map(|key| (claimed(suffix, &key.name), key.fingerprint));
        if let Some((key, fingerprint)) = unanswered
            && let Some(stored) = tx.claim(key).await.map_err(in_progress)?
        {
            if stored.fingerprint != fingerprint {
                return Err(Code::IdempotenciaConflicto.into());
            }
            match self.http.repetition {
                Repetition::Replayed => return Ok(Reply::replayed(stored.body)),
                Repetition::Answered => unanswered = None,
            }
        }
        refuse_query(self.query)?;
        if let Some(segments) = self.segments.take() {
            self.input.insert_first(path::read(self.http.path, &segments)?);
        }
        let mut cx = self.context.cx(tx, self.caller.company(), self.actor);
        let Answer { head, body, remembered } = self.work.run(self.context, &mut cx, &self.input).await?;
        let emitted = cx.into_emitted();
        if let Some((key, fingerprint)) = unanswered {
            tx.remember(key, StoredAnswer { fingerprint, body: success(&remembered) }).await?;
        }
        Ok(Reply::answered(head, success(&body), emitted))
    }
}

/// Every success begins with `ok`; the rest are the members of `object`.
pub(super) fn success(object: &[u8]) -> Bytes {
    let members = object.strip_prefix(b"{").unwrap_or_default();
    let joint: &[u8] = if members == b"}" { b"" } else { b"," };
    [br#"{"ok":true"#, joint, members].concat().into()
}

/// The first request with this key did not end within the lock timeout.
pub(super) fn in_progress(error: StoreError) -> Error {
    match error {
        StoreError::Busy(_) => Error::new(Code::IdempotenciaEnCurso).retry_after(1),
        other => other.into(),
    }
}

/// Writes and files have no filters.
pub(super) fn refuse_query(query: &str) -> Result<(), Error> {
    match crate::operation::query::parameters(query).first() {
        Some((name, _)) => {
            Err(Error::field(Code::FiltroNoPermitido, &crate::json::brief(name), "esta operación no lleva filtros"))
        }
        None => Ok(()),
    }
}
