//! The company's monthly quota (contract §5; spec, "Limits").

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::clock::mexico_month;
use crate::error::Error;
use crate::json::Within;
use crate::operation::{Cx, Operation, Spec};

/// Counts operations of the AI connector against the monthly quota, which it shares with the API.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UseQuota {
    /// The number of operations.
    pub operaciones: Within<1, 1_000_000_000>,
}

/// The answer of [`UseQuota`].
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct QuotaUsed {
    /// The operations used so far this month.
    pub cupo_usado: i64,
}

impl Operation for UseQuota {
    const SPEC: Spec = Spec::new().named("quota.use");
    type Output = QuotaUsed;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<QuotaUsed, Error> {
        let mes = mexico_month(cx.now.get());
        Ok(QuotaUsed { cupo_usado: cx.tx.use_quota(mes, self.operaciones.get()).await? })
    }
}
