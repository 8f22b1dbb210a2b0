//! Brings what the API counted to the database, again and again, and once more at the end.

use svc_core::Api;
use svc_core::store::StoreError;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The timer of a server.
pub(crate) struct UsageTimer {
    all_is_answered: oneshot::Sender<()>,
    merging: JoinHandle<Result<(), StoreError>>,
}

impl UsageTimer {
    pub(crate) fn start(api: Api) -> Self {
        let (all_is_answered, end) = oneshot::channel();
        let merging = tokio::spawn(async move { api.keep_usage_merged(async { end.await.unwrap_or_default() }).await });
        Self { all_is_answered, merging }
    }

    /// Call it when nothing is answered any more: what was counted last is brought too.
    pub(crate) async fn finish(self) {
        drop(self.all_is_answered);
        match self.merging.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "what was counted last is lost"),
            Err(error) => tracing::warn!(%error, "the usage timer ended early"),
        }
    }
}
