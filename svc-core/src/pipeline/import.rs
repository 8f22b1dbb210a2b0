//! An import: the body's lines are written while they come, in one transaction with the claim of
//! the Idempotency-Key and the stored answer.

use std::pin::pin;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use futures_util::future::{BoxFuture, Either, select};

use super::authenticate::Caller;
use super::decode::Body;
use super::execute::{in_progress, success};
use super::idempotency;
use super::limits::ResponseMeta;
use super::ndjson::{self, BodyLines};
use super::respond::Reply;
use crate::context::Context;
use crate::domain::company::Company;
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::operation::Idempotency;
use crate::operations::import::{Existing, ImportError, ImportRun, Resource};
use crate::store::{StoredAnswer, TransactionBody, Tx};

/// The parameter that says what becomes of lines whose clave is taken.
pub(crate) const EXISTING: &str = "existentes";
/// Its value: they are passed over.
pub(crate) const SKIP: &str = "omitir";

/// Runs an import. The request's usual time limit is not that of an import: each wait for the body
/// and each statement has its own.
pub(super) async fn serve(
    context: &Context,
    caller: &Caller,
    resource: Resource,
    path: &str,
    head: &http::request::Parts,
    body: &mut Body,
    meta: &mut ResponseMeta<'_>,
) -> Result<Reply, Error> {
    ndjson::check(&head.headers)?;
    let name = idempotency::of_write(&head.headers, meta, Idempotency::Required)?;
    let existing = existing(head.uri.query().unwrap_or_default())?;
    let (lines, receiving, fingerprint) = ndjson::lines(&format!("POST\n{path}\n{existing:?}\n"));
    let mut progress = |_| ();
    let now = Timestamp::new(context.now_in(caller.company()));
    let run = ImportRun::new(resource, existing, lines, &mut progress, now);
    let rehearsal = meta.rehearsal;
    let mut import =
        HttpImport { company: caller.company(), suffix: caller.suffix(), name, fingerprint, run, rehearsal };
    let patience = context.settings().body_timeout;
    let answered: BoxFuture<'_, _> = Box::pin(async {
        match context.transact(caller.company().id, &mut import).await? {
            ImportFound::Done(reply) => Ok(reply),
            // The fingerprint is known once the body has come; no transaction waits for it.
            ImportFound::Earlier(answer) => import.replay(answer).await,
        }
    });
    // The transaction is over if a line is wrong, whatever of the body is still to come.
    match select(answered, pin!(receiving.run(body, patience))).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(((), answered)) => answered.await,
    }
}

/// The query's only parameter.
fn existing(query: &str) -> Result<Existing, Error> {
    let mut existing = None;
    for (name, value) in crate::operation::query::parameters(query) {
        let refused = |code, text| Err(Error::field(code, &crate::json::brief(&name), text));
        match (name.as_str(), value.as_str()) {
            (EXISTING, "") => return refused(Code::FiltroVacio, "está vacío"),
            (EXISTING, SKIP) if existing.is_none() => existing = Some(Existing::Skipped),
            (EXISTING, _) => return refused(Code::FiltroInvalido, "solo puede ser omitir, una vez"),
            _ => return refused(Code::FiltroNoPermitido, "no es un filtro de esta operación"),
        }
    }
    Ok(existing.unwrap_or_default())
}

/// What the transaction found.
enum ImportFound {
    /// The import was made.
    Done(Reply),
    /// Its key has an answer.
    Earlier(StoredAnswer),
}

struct HttpImport<'a> {
    company: &'a Company,
    suffix: &'a str,
    /// The Idempotency-Key, unless it is a rehearsal.
    name: Option<String>,
    /// The request's fingerprint, once its body has come.
    fingerprint: Arc<OnceLock<[u8; 32]>>,
    run: ImportRun<'a, BodyLines>,
    rehearsal: bool,
}

impl HttpImport<'_> {
    /// Answers as before, if the body is the same.
    async fn replay(&mut self, answer: StoredAnswer) -> Result<Reply, Error> {
        self.run.pass_over().await.map_err(refusal)?;
        let same = self.fingerprint.get() == Some(&answer.fingerprint);
        if same { Ok(Reply::replayed(answer.body)) } else { Err(Code::IdempotenciaConflicto.into()) }
    }
}

impl TransactionBody for HttpImport<'_> {
    type Output = ImportFound;
    // The body comes once.
    const REPEATABLE: bool = false;

    fn is_rehearsal(&self) -> bool {
        self.rehearsal
    }

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<ImportFound, Error> {
        let key = self.name.as_ref().map(|name| idempotency::claimed(self.suffix, name));
        if let Some(key) = key
            && let Some(answer) = tx.claim(key).await.map_err(in_progress)?
        {
            return Ok(ImportFound::Earlier(answer));
        }
        let done = self.run.load_all(tx, self.company).await.map_err(refusal)?;
        let body = success(&Bytes::from(serde_json::to_vec(&done).map_err(Error::internal)?));
        if let Some(key) = key {
            let unknown = || Error::internal("an import ended before its body");
            let fingerprint = *self.fingerprint.get().ok_or_else(unknown)?;
            tx.remember(key, StoredAnswer { fingerprint, body: body.clone() }).await?;
        }
        Ok(ImportFound::Done(Reply::new(http::StatusCode::OK, body)))
    }
}

/// The answer to an import that was not made.
fn refusal(error: ImportError) -> Error {
    let (line, source) = match error {
        ImportError::Lines(lines) => return Error::new(Code::LineaInvalida).message(lines.to_string()),
        ImportError::Failed(error) => return error,
        ImportError::Read { line, source } => (line, source),
    };
    match source.downcast::<Error>() {
        Ok(error) if error.code() == Code::LineaInvalida => {
            let text = format!("línea {line}: {}", error.mensaje());
            error.message(text)
        }
        Ok(error) => error,
        Err(late) => Error::new(Code::JsonInvalido).message("el cuerpo no llegó a tiempo").caused_by(late),
    }
}
