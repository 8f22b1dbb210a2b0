//! The limits: requests a minute per key, operations a month, concurrent requests, checked in this
//! order (spec "Limits", contract §5).

use std::fmt::Write as _;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use crate::context::Context;
use crate::domain::company::{Company, CompanyId, LimitMode};
use crate::domain::quota::{Period, monthly_quota};
use crate::domain::scope::KeyScopes;
use crate::error::{Code, Error};
use crate::store::KeyRecord;
use crate::usage::{AdmissionRequest, Figures, Ledger, Refusal};

/// Data for the headers of every response, errors included.
#[derive(Default)]
pub(super) struct ResponseMeta<'a> {
    pub(super) notices: Notices,
    pub(super) admission: Option<Admission<'a>>,
    /// Whether a write was rehearsed.
    pub(super) rehearsal: bool,
    /// Whether the answer is simulated to be late.
    pub(super) is_late: bool,
}

/// Notice mode's announcements: the errors that enforced limits would return (contract §5).
#[derive(Debug, Default)]
pub(super) struct Notices(String);

/// The admission of an authenticated request: its limits, and its slot among the company's
/// concurrent requests.
///
/// Dropping it releases the slot; a request whose client disconnected still counts.
pub(super) struct Admission<'a> {
    ledger: &'a Ledger,
    key: Arc<KeyRecord>,
    pub(super) allowance: LimitUsage,
    admitted: bool,
}

/// The limits of a key and its company, and their usage.
#[derive(Debug, Clone, Copy)]
pub(super) struct LimitUsage {
    /// Requests a minute.
    pub(super) rate: u64,
    /// Operations a month.
    pub(super) quota: u64,
    /// The usage, this request included once it is admitted.
    pub(super) used: Figures,
    /// The minute and the month.
    pub(super) period: Period,
    /// When it was counted.
    pub(super) at: DateTime<Utc>,
    /// When it was, by the company's clock.
    pub(super) company_at: DateTime<Utc>,
}

impl ResponseMeta<'_> {
    /// This moment by the clock of the caller's company, once that is known.
    pub(super) fn time(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.admission.as_ref().map_or(now, |admission| admission.company().time(now))
    }

    /// Admits and counts an authenticated request, or refuses it.
    pub(super) async fn admit(&mut self, context: &Context) -> Result<(), Error> {
        match &mut self.admission {
            Some(admission) => admission.admit(context, &mut self.notices).await,
            None => Ok(()),
        }
    }
}

impl Notices {
    /// Announces that enforced limits would return `code`; `text` is ASCII.
    pub(super) fn announce(&mut self, code: Code, text: &str) {
        if !self.0.is_empty() {
            self.0.push_str(" | ");
        }
        let _ = write!(self.0, "{}; {text}", code.codigo());
    }

    /// What was announced; empty if nothing was.
    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

impl<'a> Admission<'a> {
    /// The key's identifier within the company.
    pub(super) fn suffix(&self) -> &str {
        &self.key.id.suffix
    }

    /// For a genuine key, before the request is counted.
    pub(super) fn new(context: &'a Context, key: Arc<KeyRecord>) -> Self {
        let at = context.now();
        let mut allowance = LimitUsage {
            rate: context.settings().rate_per_minute,
            quota: monthly_quota(key.company.licencias),
            used: Figures { minute: 0, month: 0 },
            period: Period::ahead(at, key.company.desfase),
            at,
            company_at: key.company.time(at),
        };
        allowance.used = context.ledger().peek(&admission(context, &key, &allowance));
        Self { ledger: context.ledger(), key, allowance, admitted: false }
    }

    /// Admits and counts the request, or refuses it.
    pub(super) async fn admit(&mut self, context: &Context, notices: &mut Notices) -> Result<(), Error> {
        let request = admission(context, &self.key, &self.allowance);
        let (used, admitted) = context.ledger().admit(&request);
        self.allowance.used = used;
        let admitted = admitted.map_err(|refusal| self.allowance.refused(refusal))?;
        self.admitted = true;
        if admitted.urgent {
            context.merge_urgent_usage().await;
            let used = context.ledger().place(&request, admitted, used);
            self.allowance.used = used;
            let rate = (used.minute > request.rate).then_some(Refusal::Rate);
            if let Some(refusal) = rate.or((used.month > request.quota).then_some(Refusal::Quota)) {
                self.release(true);
                return Err(self.allowance.refused(refusal));
            }
        }
        let LimitUsage { used, rate, quota, .. } = self.allowance;
        if used.minute > rate {
            notices.announce(
                Code::LimiteExcedido,
                "the key has made more requests in this minute than it will be allowed",
            );
        }
        if used.month > quota {
            notices.announce(Code::CupoAgotado, "the company has used more operations this month than its quota");
        }
        Ok(())
    }

    /// The refusal of that limit as if it were used up; nothing is counted.
    pub(super) fn simulated(&mut self, refusal: Refusal) -> Error {
        let LimitUsage { rate, quota, used, .. } = &mut self.allowance;
        match refusal {
            Refusal::Rate => used.minute = *rate,
            Refusal::Quota => used.month = *quota,
            Refusal::Busy => {}
        }
        self.allowance.refused(refusal)
    }

    pub(super) fn company(&self) -> &Company {
        &self.key.company
    }

    /// What the key may do.
    pub(super) fn scopes(&self) -> &KeyScopes {
        &self.key.scopes
    }

    /// Keeps the slot beyond the answer's head; `None` if there is none.
    pub(super) fn keep(&mut self, context: &Context) -> Option<HeldSlot> {
        let (company, mes) = (self.key.company.id, self.allowance.period.mes);
        std::mem::take(&mut self.admitted).then(|| HeldSlot { context: context.clone(), company, mes })
    }

    /// Releases the slot. The month does not count requests that failed with a server error (spec
    /// "Limits").
    pub(super) fn release(&mut self, failed: bool) {
        if std::mem::take(&mut self.admitted) {
            self.allowance.used.month = self.ledger.release(self.key.company.id, self.allowance.period.mes, !failed);
        }
    }
}

/// The slot of a request whose answer is still being sent; dropping it releases the slot.
pub(crate) struct HeldSlot {
    context: Context,
    company: CompanyId,
    mes: NaiveDate,
}

impl Drop for HeldSlot {
    fn drop(&mut self) {
        self.context.ledger().release(self.company, self.mes, true);
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        self.release(false);
    }
}

impl LimitUsage {
    fn refused(&self, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Rate => Error::new(Code::LimiteExcedido).retry_after(self.minute_left()),
            Refusal::Quota => Error::new(Code::CupoAgotado).retry_after(self.month_left()),
            Refusal::Busy => Error::new(Code::Ocupado).retry_after(1),
        }
    }

    /// Seconds until the minute ends.
    pub(super) fn minute_left(&self) -> u32 {
        self.period.minute_left(self.at)
    }

    /// Seconds until the month ends.
    pub(super) fn month_left(&self) -> u32 {
        self.period.month_left(self.company_at)
    }
}

fn admission<'k>(context: &Context, key: &'k KeyRecord, allowance: &LimitUsage) -> AdmissionRequest<'k> {
    AdmissionRequest {
        key: &key.id,
        period: allowance.period,
        known: key.used,
        rate: allowance.rate,
        quota: allowance.quota,
        desfase: key.company.desfase,
        in_flight: context.settings().in_flight,
        enforced: context.limits(&key.company) == LimitMode::Enforced,
    }
}
