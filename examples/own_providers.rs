//! A stamping provider and a notifier of our own: one pass over the backlog of each.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example own_providers`

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use svc_core::Context;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::mail::{Notice, Notifier, NotifyFailure, notify_due};
use svc_core::stamping::{Budget, SandboxStamper, StampFailure, StampRequest, StampedXml, Stamper, stamp_due};
use svc_store_postgres::{PostgresStore, Settings};
use uuid::Uuid;

/// A stand-in for the provider's client. Like a real one, it remembers its stamps by the document's
/// bytes.
#[derive(Default)]
pub struct Provider(Mutex<HashMap<String, String>>);

enum Answer {
    Stamped(String),
    Wrong { code: u32, text: String },
    Overloaded,
}

impl Provider {
    async fn submit(&self, reference: &str, xml: &str) -> Answer {
        tokio::time::sleep(Duration::from_millis(1)).await;
        if !xml.contains("Sello=\"") {
            return Answer::Wrong { code: 302, text: "no está sellado".to_owned() };
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(number) = u128::try_from(known.len()) else { return Answer::Overloaded };
        if let Some(stamped) = known.get(xml) {
            return Answer::Stamped(stamped.clone());
        }
        // A real provider signs with its own key; the sandbox's key stands in for it.
        let request = StampRequest::new(reference.to_owned(), xml.to_owned());
        match SandboxStamper::sign(&request, Uuid::from_u128(number + 1), SystemClock.now()) {
            Ok(stamped) => Answer::Stamped(known.entry(xml.to_owned()).or_insert(stamped.xml).clone()),
            Err(_) => Answer::Overloaded,
        }
    }
}

/// The provider, as the stamping worker calls it.
#[derive(Default)]
pub struct OurStamper(Provider);

#[async_trait]
impl Stamper for OurStamper {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        // The XML is the same in all attempts at one document and must be sent unchanged: the
        // provider recognizes it by its bytes and repeats a lost answer instead of stamping twice.
        let answer = self.0.submit(&request.id, &request.xml);
        match tokio::time::timeout(self.deadline(), answer).await {
            // Only an answer with this very document counts.
            Ok(Answer::Stamped(xml)) => request.stamped(xml),
            // Final: only for faults of the document itself.
            Ok(Answer::Wrong { code, text }) => {
                Err(StampFailure::Rejected { codigo: format!("NUESTRO-{code}"), mensaje: text })
            }
            // Anything else is retried later, with backoff.
            Ok(Answer::Overloaded) => Err(StampFailure::Unreachable("overloaded".to_owned())),
            Err(late) => Err(StampFailure::Unreachable(late.to_string())),
        }
    }

    fn deadline(&self) -> Duration {
        Duration::from_secs(15)
    }
}

/// Notifies by chat; here, through a channel.
pub struct Chat(pub tokio::sync::mpsc::UnboundedSender<String>);

#[async_trait]
impl Notifier for Chat {
    async fn notify(&self, notice: &Notice) -> Result<(), NotifyFailure> {
        let line = format!("@{}: {}\n{}", notice.to, notice.subject, notice.text);
        self.0.send(line).map_err(|error| NotifyFailure(error.to_string()))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?;
    let context = Context::builder(Arc::new(store), "http://127.0.0.1:3000/api/v1").build()?;
    let (chat, mut said) = tokio::sync::mpsc::unbounded_channel();
    let stamped = stamp_due(&context, Some(&OurStamper::default()), Budget::unlimited()).await?;
    let notified = notify_due(&context, &Chat(chat), Budget::unlimited()).await?;
    while let Some(line) = said.recv().await {
        println!("{line}");
    }
    println!("{stamped:?} {notified:?}");
    Ok(())
}
