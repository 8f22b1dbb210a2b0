//! The usage of companies and keys.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use super::Context;
use crate::domain::company::CompanyId;
use crate::store::StoreError;
use crate::usage::{self, Taking};

impl Context {
    /// Adds the usage of all keys and companies since the last merge to the store, and reads what
    /// other processes added. [`Context::work`] does so at its end. Usage that is not merged is
    /// lost with the process. After an error of the store, the usage is kept for the next merge.
    pub async fn merge_usage(&self) -> Result<(), StoreError> {
        self.merge(Taking::All).await
    }

    /// The same for the companies that other processes must know about now: their usage is large
    /// beside what their limits leave, or five seconds old. [`Context::work`] does so every 250 ms.
    pub async fn merge_due_usage(&self) -> Result<(), StoreError> {
        self.merge(Taking::Due).await
    }

    async fn merge(&self, taking: Taking) -> Result<(), StoreError> {
        self.shared.merging.merge(taking, &self.shared.ledger, self.store(), self.now()).await
    }

    /// The companies that sent this process the most requests in this minute and the one before,
    /// the busiest first, at most `max`; with each, how many requests it sent, admitted or refused.
    /// That count begins anew when a company that was idle is busy again.
    pub fn busiest_companies(&self, max: usize) -> Vec<(CompanyId, u64)> {
        self.shared.ledger.busiest(max, self.now())
    }

    /// Merges usage if background work is late. A panic is only logged: the request has its answer.
    pub(crate) async fn merge_usage_if_overdue(&self) {
        let merging = async {
            if self.shared.merging.is_overdue(self.now()) {
                self.merge_apart(Taking::All).await;
            }
        };
        if AssertUnwindSafe(merging).catch_unwind().await.is_err() {
            tracing::error!("a look whether usage is to be merged panicked");
        }
    }

    /// Lets other processes know of a request near its limit, if the store answers in time.
    pub(crate) async fn merge_urgent_usage(&self) {
        self.merge_apart(Taking::Due).await;
    }

    /// Merges usage for a request, which waits for it for some time. Errors are only logged,
    /// because the usage is kept. The merge goes on if the request is given up, since a cancelled
    /// one may count twice.
    async fn merge_apart(&self, taking: Taking) {
        let context = self.clone();
        let merging = tokio::spawn(async move { context.merge(taking).await });
        match tokio::time::timeout(usage::MERGE_PATIENCE, merging).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::warn!(%error, "usage could not be merged; it is tried again"),
            Ok(Err(panic)) => tracing::error!(%panic, "a merge of usage failed"),
            Err(late) => tracing::debug!(%late, "a merge of usage goes on without its request"),
        }
    }
}
