//! Writing the outcome of a cancellation, while its lease is valid.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::context::Step;
use crate::domain::words::{Held, InvoiceStatus};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::posting::cancelled;
use crate::stamping::pace::{FOLLOW_UP, pause};
use crate::stamping::{MAX_CODE, MAX_MESSAGE, StampFailure, plain};
use crate::store::CancellationPause;

/// The outcome of a cancellation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CancellationResult {
    /// The document is cancelled for good.
    Final,
    /// The receiver refused.
    Refused,
    /// The authority has it and has not answered yet; contains what prevented the question, if
    /// anything.
    Waits(Option<StampFailure>),
    /// The authority has no trace of it, so it is sent again.
    Lost,
    /// It could not be sent, or was not taken.
    Failed(StampFailure),
}

/// What was written of an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelOutcome {
    /// It is final, and what follows from it is written.
    Cancelled,
    /// The authority or the receiver refused; the document stays valid.
    Refused {
        /// The code of the authority or the provider, or one of the service's own.
        codigo: String,
        /// The explanation, in Spanish.
        mensaje: String,
    },
    /// It goes on, and the next pass asks again.
    Waiting,
    /// It was not sent, and is sent again.
    Postponed,
    /// It waits for a person.
    Held,
    /// Nothing: another outcome was written meanwhile.
    Lost,
}

/// Writes the outcome of a leased cancellation.
pub(super) struct FinishCancellation {
    pub(super) factura: i64,
    pub(super) token: Uuid,
    /// Attempts or questions before this one.
    pub(super) intentos: u32,
    pub(super) enviada: Option<DateTime<Utc>>,
    /// Whether the authority has it now.
    pub(super) sent: bool,
    pub(super) acuse: Option<String>,
    pub(super) result: CancellationResult,
}

impl Step for FinishCancellation {
    type Output = CancelOutcome;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<CancelOutcome, Error> {
        let Some(record) = cx.tx.lock_invoice(self.factura).await? else { return Ok(CancelOutcome::Lost) };
        if !cx.tx.lock_cancellation(self.factura, self.token).await? {
            return Ok(CancelOutcome::Lost);
        }
        if record.estatus != InvoiceStatus::Vigente {
            cx.tx.end_cancellation(self.factura).await?;
            return Ok(CancelOutcome::Lost);
        }
        if let Some(acuse) = &self.acuse {
            cx.tx.keep_acknowledgement(self.factura, acuse, cx.now).await?;
        }
        match &self.result {
            CancellationResult::Final => match cancelled::finish(cx, &record).await {
                // A payment came meanwhile: it has to be cancelled first.
                Err(error) if error.code() == Code::EstadoInvalido => {
                    tracing::warn!(factura = self.factura, %error, "the authority has cancelled what the books cannot cancel yet");
                    self.pause(cx, Some(&error.to_string()), None).await
                }
                done => done.map(|()| CancelOutcome::Cancelled),
            },
            CancellationResult::Refused => {
                cancelled::refused(cx, &record).await?;
                let mensaje = "El receptor rechazó la cancelación.".to_owned();
                Ok(CancelOutcome::Refused { codigo: "solicitud_rechazada".to_owned(), mensaje })
            }
            CancellationResult::Failed(StampFailure::Rejected { codigo, mensaje }) => {
                let (codigo, mensaje) = (plain(codigo, MAX_CODE), plain(mensaje, MAX_MESSAGE));
                cx.tx.end_cancellation(self.factura).await?;
                cx.tx.refuse_cancellation(self.factura, &codigo, &mensaje, cx.now).await?;
                Ok(CancelOutcome::Refused { codigo, mensaje })
            }
            CancellationResult::Waits(None) | CancellationResult::Lost => self.pause(cx, None, None).await,
            CancellationResult::Waits(Some(failure)) | CancellationResult::Failed(failure) => {
                let held = match failure {
                    StampFailure::Misconfigured(_) => Some(Held::Misconfigured),
                    StampFailure::Unknown(_) => Some(Held::Stuck),
                    StampFailure::Rejected { .. } | StampFailure::Unreachable(_) => None,
                };
                self.pause(cx, Some(&plain(&failure.to_string(), MAX_MESSAGE)), held).await
            }
        }
    }
}

impl FinishCancellation {
    async fn pause(&self, cx: &mut Cx<'_>, why: Option<&str>, detenido: Option<Held>) -> Result<CancelOutcome, Error> {
        let now = cx.now.get();
        let first = self.sent && self.enviada.is_none();
        let before = if first { 0 } else { self.intentos };
        let step = usize::try_from(before).map_or(FOLLOW_UP.len(), |before| before).min(FOLLOW_UP.len() - 1);
        let wait = if self.sent { FOLLOW_UP[step] } else { pause(self.intentos, cx.random) };
        let enviada =
            self.sent.then(|| self.enviada.unwrap_or(now)).filter(|_| self.result != CancellationResult::Lost);
        let intentos = before.saturating_add(1);
        let pause = CancellationPause { proximo: now + wait, enviada, intentos, ultimo_error: why, detenido };
        cx.tx.pause_cancellation(self.factura, &pause).await?;
        Ok(match (detenido, self.sent) {
            (Some(_), _) => CancelOutcome::Held,
            (None, true) => CancelOutcome::Waiting,
            (None, false) => CancelOutcome::Postponed,
        })
    }
}
