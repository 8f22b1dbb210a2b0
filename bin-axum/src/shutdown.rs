//! Stop signals, and how long the process may take after one.

use std::process::exit;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::cli::ProcessArgs;
use crate::failure::Failure;

/// The part of the deadline that is reserved for the last steps, with their limits: cutting clients
/// (0.5 s), writing usage and the log (1.5 s), closing the database's connections (1 s), sending
/// the last traces (1 s).
const RESERVE: Duration = Duration::from_secs(4);

/// How long a server with an admin address goes on accepting unless told otherwise.
const DELAY: Duration = Duration::from_secs(3);

/// How long the server may take to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShutdownPlan {
    /// How long it goes on accepting, so that load balancers see from /ready that it is about to
    /// stop.
    pub(crate) delay: Duration,
    /// How long it may take in all, this delay included.
    pub(crate) deadline: Duration,
}

impl ShutdownPlan {
    /// An error if the delay leaves no time to finish requests.
    pub(crate) fn new(process: &ProcessArgs) -> Result<Self, Failure> {
        let deadline = process.shutdown_deadline();
        let longest = deadline.saturating_sub(RESERVE).saturating_sub(Duration::from_secs(1));
        // Load balancers see it from /ready, which only the admin address has.
        let usual = if process.admin_listen.is_some() { DELAY.min(longest) } else { Duration::ZERO };
        let delay = process.drain_delay().unwrap_or(usual);
        if delay > longest {
            return Err(Failure::Other(format!(
                "SVC_DRAIN_DELAY is at most {} s where SVC_SHUTDOWN_DEADLINE is {} s: the rest is for what is under way",
                longest.as_secs(),
                deadline.as_secs()
            )));
        }
        Ok(Self { delay, deadline })
    }

    /// When requests that are still in progress are cut, if the signal came at `signalled`.
    pub(crate) fn cut(&self, signalled: Instant) -> Instant {
        signalled + self.deadline.saturating_sub(RESERVE)
    }
}

/// Whether the process was signalled to stop. Clones share one signal.
#[derive(Debug, Clone)]
pub(crate) struct StopSignal(watch::Receiver<bool>);

impl StopSignal {
    /// Listens for SIGTERM and SIGINT from now on. The second of them ends the process at once.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let failed = || Failure::io("cannot listen for signals");
        let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                if sender.send_replace(true) {
                    eprintln!("svc: told to stop once more: ending at once");
                    exit(1);
                }
            }
        });
        Ok(Self(receiver))
    }

    /// Whether the signal has come.
    pub(crate) fn came(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn wait(&mut self) {
        // The sender lives as long as the process.
        let _ = self.0.wait_for(|came| *came).await;
    }
}
