//! Being told to stop.

use std::process::exit;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::cli::ProcessArgs;
use crate::failure::Failure;

/// What is kept of the time for the end: merging what was used, handing back the database's connections, sending the last
/// traces.
const RESERVE: Duration = Duration::from_secs(4);

/// How the server ends once it is told to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// How long it goes on serving, so that others learn that it is about to end.
    pub(crate) delay: Duration,
    /// How long it may take in all.
    pub(crate) deadline: Duration,
}

impl Plan {
    pub(crate) fn new(process: &ProcessArgs) -> Self {
        Self { delay: process.drain_delay(), deadline: process.shutdown_deadline() }
    }

    /// When what is under way is cut, if it was told to stop at `told`.
    pub(crate) fn cut(&self, told: Instant) -> Instant {
        told + self.deadline.saturating_sub(RESERVE)
    }
}

/// Whether the process was told to stop, for all who care.
#[derive(Debug, Clone)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Listens for SIGTERM and SIGINT from now on. The second of them ends the process at once.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let failed = || Failure::io("cannot listen for signals");
        let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
        let (tell, told) = watch::channel(false);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                if tell.send_replace(true) {
                    eprintln!("svc: told to stop once more: ending at once");
                    exit(1);
                }
            }
        });
        Ok(Self(told))
    }

    /// Whether it was told to stop.
    pub(crate) fn is_told(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is.
    pub(crate) async fn told(&mut self) {
        // Who tells lives as long as the process.
        let _ = self.0.wait_for(|told| *told).await;
    }
}
