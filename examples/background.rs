//! A process that does all background work and serves no requests: stamping, webhooks, clean-up,
//! and e-mails if `SVC_SMTP_URL` names a server for them. Any number of them may run, beside any
//! number of servers.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example background`

use std::sync::Arc;

use svc_core::mail::{Notifier, SmtpNotifier};
use svc_core::stamping::{SandboxStamper, Stamper};
use svc_core::webhooks::{HttpSender, Networks, Sender};
use svc_core::{Context, Providers};
use svc_store_postgres::{PostgresStore, Settings};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?;
    store.migrate().await?;
    let context = Context::builder(Arc::new(store), "http://127.0.0.1:3000/api/v1").build()?;
    let stamper: Arc<dyn Stamper> = Arc::new(SandboxStamper);
    let sender: Arc<dyn Sender> = Arc::new(HttpSender::new(Networks::default())?);
    let mut providers = Providers::default().stamper(stamper).sender(sender);
    if let Ok(url) = std::env::var("SVC_SMTP_URL") {
        let notifier: Arc<dyn Notifier> = Arc::new(SmtpNotifier::new(&url, None)?);
        providers = providers.notifier(notifier);
    }
    // At Ctrl-C nothing more is claimed, and attempts in progress are finished.
    let stop = async { tokio::signal::ctrl_c().await.unwrap_or_default() };
    context.work(providers, stop).await;
    Ok(())
}
