//! Brings what the API counted to the database, again and again, and once more at the end.

use svc_core::Api;
use svc_core::usage::DEFAULT_INTERVAL;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The timer of a server.
pub(crate) struct UsageTimer {
    api: Api,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl UsageTimer {
    pub(crate) fn start(api: Api) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { task: tokio::spawn(keep_merging(api.clone(), stopped)), api, stop }
    }

    /// Call it when nothing is answered any more: what was counted last is brought too.
    pub(crate) async fn finish(self) {
        self.stop.send_replace(true);
        if let Err(error) = self.task.await {
            tracing::warn!(%error, "the usage timer ended early");
        }
        merge(&self.api).await;
    }
}

async fn keep_merging(api: Api, mut stop: watch::Receiver<bool>) {
    while tokio::time::timeout(DEFAULT_INTERVAL, stop.wait_for(|stop| *stop)).await.is_err() {
        merge(&api).await;
    }
}

async fn merge(api: &Api) {
    if let Err(error) = api.merge_usage().await {
        tracing::warn!(%error, "usage could not be merged; it is tried again");
    }
}
