//! Closing and reopening months.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::time::CalendarMonth;
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};

/// Closes a month and all before it: nothing can be dated in them any more (`periodo_cerrado`).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseMonths {
    /// The month, which has begun.
    pub mes: CalendarMonth,
}

/// Reopens a month and all after it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReopenMonths {
    /// The month, which is closed.
    pub mes: CalendarMonth,
}

/// The answer of [`CloseMonths`] and [`ReopenMonths`].
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MonthsClosed {
    /// The last closed month.
    pub cerrado: CalendarMonth,
}

impl Operation for CloseMonths {
    const SPEC: Spec = Spec::new().named("ledger.close").each_time();
    type Output = MonthsClosed;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<MonthsClosed, Error> {
        if self.mes.first() > cx.today() {
            return Err(Error::field(Code::DatoInvalido, "mes", "aún no empieza"));
        }
        let closed = cx.tx.lock_books().await?;
        let last = closed.map_or(self.mes.last(), |day| day.max(self.mes.last()));
        cx.tx.close_until(Some(last)).await?;
        Ok(MonthsClosed { cerrado: CalendarMonth::of(last) })
    }
}

impl Operation for ReopenMonths {
    const SPEC: Spec = Spec::new().named("ledger.reopen").each_time();
    type Output = MonthsClosed;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<MonthsClosed, Error> {
        let closed = cx.tx.lock_books().await?;
        if closed.is_none_or(|day| day < self.mes.first()) {
            return Err(Error::field(Code::EstadoInvalido, "mes", "no está cerrado"));
        }
        let last = self.mes.first().pred_opt().unwrap_or_default();
        cx.tx.close_until(Some(last)).await?;
        Ok(MonthsClosed { cerrado: CalendarMonth::of(last) })
    }
}
