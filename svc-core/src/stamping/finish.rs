//! Writing the outcome of an attempt, while its lease is valid.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::pace::{HELD, WAIT, pause};
use super::{MAX_CODE, MAX_MESSAGE, StampFailure, StampedXml, plain};
use crate::context::{AttachmentFault, Step};
use crate::domain::cfdi::CfdiFault;
use crate::domain::time::Timestamp;
use crate::domain::words::{Held, InvoiceStatus};
use crate::error::Error;
use crate::operation::Cx;
use crate::posting::stamped;

/// The outcome of an attempt.
pub(super) enum StampingResult {
    Accepted(StampedXml),
    Refused {
        codigo: String,
        mensaje: String,
    },
    /// There is no result, for this reason.
    Unreachable(String),
    /// It waits for a person, for this reason.
    Held(Held, String),
    /// It was never stamped, and is too old: it takes a new date.
    Redate,
    /// No attempt was made: this invoice has to be stamped first.
    Waits(i64),
}

impl From<Result<StampedXml, StampFailure>> for StampingResult {
    fn from(answer: Result<StampedXml, StampFailure>) -> Self {
        match answer {
            Ok(stamped) => Self::Accepted(stamped),
            Err(StampFailure::Rejected { codigo, mensaje }) => {
                Self::Refused { codigo: plain(&codigo, MAX_CODE), mensaje: plain(&mensaje, MAX_MESSAGE) }
            }
            Err(StampFailure::Unreachable(why)) => Self::Unreachable(plain(&why, MAX_MESSAGE)),
            Err(StampFailure::Misconfigured(why)) => Self::Held(Held::Misconfigured, plain(&why, MAX_MESSAGE)),
            Err(StampFailure::Unknown(why)) => Self::Held(Held::Stuck, plain(&why, MAX_MESSAGE)),
        }
    }
}

impl From<CfdiFault> for StampingResult {
    fn from(fault: CfdiFault) -> Self {
        Self::Refused { codigo: fault.code().to_owned(), mensaje: plain(&fault.to_string(), MAX_MESSAGE) }
    }
}

impl From<AttachmentFault> for StampingResult {
    fn from(AttachmentFault(why): AttachmentFault) -> Self {
        Self::Refused { codigo: "complemento_invalido".to_owned(), mensaje: plain(&why, MAX_MESSAGE) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StampingOutcome {
    Stamped,
    Rejected,
    Postponed,
    Held,
    Waiting,
    /// Nothing: the lease had ended.
    Lost,
}

/// Writes the outcome of an attempt at a leased record.
pub(super) struct FinishStamping {
    pub(super) factura: i64,
    pub(super) token: Uuid,
    /// Attempts before this one.
    pub(super) intentos: u32,
    pub(super) result: StampingResult,
}

impl Step for FinishStamping {
    type Output = StampingOutcome;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<StampingOutcome, Error> {
        let Some(record) = cx.tx.lock_invoice(self.factura).await? else { return Ok(StampingOutcome::Lost) };
        let unstamped = match self.result {
            // Locked before the record's row in the queue, the order everywhere; it keeps its
            // status until the commit.
            StampingResult::Waits(invoice) => cx.tx.share_invoice(invoice).await?,
            _ => None,
        };
        if !cx.tx.lock_stamping(self.factura, self.token).await? {
            return Ok(StampingOutcome::Lost);
        }
        match &self.result {
            StampingResult::Accepted(document) => {
                let at = document.at().map_or(cx.now, Timestamp::new);
                stamped::accepted(cx, &record, document.timbre.uuid, at, Some(&document.xml)).await?;
                Ok(StampingOutcome::Stamped)
            }
            StampingResult::Refused { codigo, mensaje } => {
                stamped::refused(cx, &record, codigo, mensaje).await?;
                Ok(StampingOutcome::Rejected)
            }
            StampingResult::Unreachable(why) => {
                let proximo = cx.now.get() + pause(self.intentos, cx.random);
                cx.tx.postpone_stamping(self.factura, proximo, why, None).await?;
                Ok(StampingOutcome::Postponed)
            }
            StampingResult::Held(held, why) => {
                let wait = match held {
                    Held::Stuck | Held::Copy => HELD,
                    Held::Misconfigured => pause(self.intentos, cx.random),
                };
                cx.tx.postpone_stamping(self.factura, cx.now.get() + wait, why, Some(*held)).await?;
                Ok(StampingOutcome::Held)
            }
            StampingResult::Redate => {
                cx.tx.drop_sealed(self.factura).await?;
                let why = "never stamped, and older than 72 hours";
                cx.tx.postpone_stamping(self.factura, cx.now.get(), why, None).await?;
                Ok(StampingOutcome::Postponed)
            }
            StampingResult::Waits(_) => {
                cx.tx.release_stamping(self.factura, next_check(unstamped, cx.now)).await?;
                Ok(StampingOutcome::Waiting)
            }
        }
    }
}

/// When a complement is checked again; none, so at once, if its invoice was stamped in the
/// meantime.
fn next_check(invoice: Option<InvoiceStatus>, now: Timestamp) -> Option<DateTime<Utc>> {
    let waits = matches!(invoice, Some(InvoiceStatus::EnEspera | InvoiceStatus::Error));
    waits.then(|| now.get() + WAIT)
}
