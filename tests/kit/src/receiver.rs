//! A receiver of notices on this machine.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use chrono::{DateTime, Utc};
use http::{HeaderMap, StatusCode};
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::webhooks::EVENT_ID;
use tokio::net::TcpListener;
use tokio::time::sleep;

/// The arrival times of each event, by its id.
pub type Arrived = Arc<Mutex<HashMap<String, Vec<DateTime<Utc>>>>>;

/// A receiver that answers 204.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// The address and port at which it listens.
    pub address: SocketAddr,
    /// The arrivals, if it keeps them.
    pub arrived: Arrived,
    answered: Arc<AtomicU64>,
    delay: Duration,
    keeps: bool,
}

impl Receiver {
    /// A receiver that answers at once and keeps the arrival times.
    pub async fn start(ip: impl Into<IpAddr>) -> Self {
        Self::run(ip.into(), Duration::ZERO, true).await
    }

    /// A receiver that answers after `delay` and only counts.
    pub async fn counting(ip: impl Into<IpAddr>, delay: Duration) -> Self {
        Self::run(ip.into(), delay, false).await
    }

    /// The number of answered notices.
    pub fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    async fn run(ip: IpAddr, delay: Duration, keeps: bool) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let receiver = Self { address, arrived: Arrived::default(), answered: Arc::default(), delay, keeps };
        let app = Router::new().fallback(receive).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.expect("it serves") });
        receiver
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap) -> StatusCode {
    if receiver.keeps {
        let id = headers.get(EVENT_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
        let mut arrived = receiver.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        arrived.entry(id.to_owned()).or_default().push(SystemClock.now());
    }
    if !receiver.delay.is_zero() {
        sleep(receiver.delay).await;
    }
    receiver.answered.fetch_add(1, Ordering::Relaxed);
    StatusCode::NO_CONTENT
}
