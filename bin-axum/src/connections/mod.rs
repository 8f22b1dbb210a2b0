//! The open connections of one address, each in a task of its own: their places, their deadlines
//! and their end.

mod client_stream;
mod connection;
mod exchange;
mod exchange_service;
mod host;
mod listener;
mod places;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use http::Response;
use hyper::body::Bytes;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep_until, timeout};

pub(crate) use self::client_stream::Deadlines;
use self::connection::{ConnectionSettings, Phase};
pub(crate) use self::listener::{accept, listen};
pub(crate) use self::places::{Meters, Room};
use self::places::{NoPlace, Places};

/// How long connections may take to end once they are cut.
const CUT_TIMEOUT: Duration = Duration::from_millis(500);

/// The purpose of an address's connections.
pub(crate) struct Service {
    pub(crate) app: axum::Router,
    pub(crate) deadlines: Deadlines,
    /// Whether a connection may carry more than one request.
    pub(crate) keep_alive: bool,
    /// The answer to a connection for which there is no place.
    pub(crate) refusal: Box<dyn Fn() -> Response<Bytes> + Send + Sync>,
    pub(crate) meters: Meters,
}

/// The open connections of an address.
pub(crate) struct Connections {
    settings: ConnectionSettings,
    refusal: Box<dyn Fn() -> Response<Bytes> + Send + Sync>,
    places: Arc<Places>,
    refusals: Arc<Semaphore>,
    phase: watch::Sender<Phase>,
}

impl Connections {
    pub(crate) fn new(service: Service, room: Room) -> Self {
        let Service { app, deadlines, keep_alive, refusal, meters } = service;
        let places = Places::new(room, meters);
        let (refusals, phase) = (Arc::new(Semaphore::new(room.refused)), watch::Sender::new(Phase::Open));
        Self { settings: ConnectionSettings { app, deadlines, keep_alive }, refusal, places, refusals, phase }
    }

    /// Answers the requests of a connection until it ends, or refuses it if all others are busy.
    /// Returns once it has a place or is refused.
    pub(crate) async fn answer(&self, stream: TcpStream) {
        loop {
            match self.places.take() {
                Ok(place) => {
                    let (settings, phase) = (self.settings.clone(), self.phase.subscribe());
                    tokio::spawn(connection::answer(stream, place, settings, phase));
                    return;
                }
                Err(NoPlace::Busy) => return self.refuse(stream),
                Err(NoPlace::Until(then)) => sleep_until(then).await,
            }
        }
    }

    fn refuse(&self, stream: TcpStream) {
        self.places.meters.refused.increment(1);
        let answer = (self.refusal)();
        match Arc::clone(&self.refusals).try_acquire_owned() {
            Ok(permit) => {
                tokio::spawn(async move {
                    connection::refuse(stream, answer).await;
                    drop(permit);
                });
            }
            Err(_) => connection::refuse_at_once(&stream, &answer),
        }
    }

    /// Lets every connection finish its current request, and waits for that.
    pub(crate) async fn drain(&self) {
        self.phase.send_replace(Phase::Draining);
        self.phase.closed().await;
    }

    /// Ends every connection with its current request, which releases its database connection.
    pub(crate) async fn cut(&self) {
        self.phase.send_replace(Phase::Cut);
        // Each ends at its next await point; a connection that computes is abandoned.
        let _ = timeout(CUT_TIMEOUT, self.phase.closed()).await;
    }
}
