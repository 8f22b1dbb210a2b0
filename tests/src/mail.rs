//! A mail server of tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use svc_core::mail::{Notice, Notifier, NotifyFailure};

/// A mail server that may be down.
#[derive(Debug, Default)]
pub struct MailServer {
    /// Whether it refuses every e-mail.
    pub down: AtomicBool,
    /// The e-mails that it took.
    pub sent: Mutex<Vec<Notice>>,
}

#[async_trait]
impl Notifier for MailServer {
    async fn notify(&self, notice: &Notice) -> Result<(), NotifyFailure> {
        if self.down.load(Ordering::Relaxed) {
            return Err(NotifyFailure("no connection".to_owned()));
        }
        self.sent.lock().expect("nobody panicked").push(notice.clone());
        Ok(())
    }
}
