//! Merges the usage that the API counted into the database: on a timer, and once more at the end.

use svc_core::Api;
use svc_core::store::StoreError;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The merging task of a server.
pub(crate) struct UsageTimer {
    /// Dropped to end the task.
    last_answer: oneshot::Sender<()>,
    merging: JoinHandle<Result<(), StoreError>>,
}

impl UsageTimer {
    pub(crate) fn start(api: Api) -> Self {
        let (last_answer, end) = oneshot::channel();
        let merging = tokio::spawn(async move { api.keep_usage_merged(async { end.await.unwrap_or_default() }).await });
        Self { last_answer, merging }
    }

    /// Merges what was counted since the last time. To be called when no request is in progress any more.
    pub(crate) async fn finish(self) {
        drop(self.last_answer);
        match self.merging.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "what was counted last is lost"),
            Err(error) => tracing::warn!(%error, "the usage timer ended early"),
        }
    }
}
