//! The state of a connection with respect to its current request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::places::Place;

/// The state of a connection, which its service, its socket and its task share, with its place.
#[derive(Clone)]
pub(super) struct Exchange(Arc<Inner>);

struct Inner {
    step: AtomicU8,
    /// Whether the connection closes after its current answer.
    last: AtomicBool,
    place: Place,
}

/// Nothing of the next request has arrived.
const IDLE: u8 = 0;
/// A part of its head has arrived.
const HEAD: u8 = 1;
/// It is being answered.
const ANSWERING: u8 = 2;
/// The whole answer is ready to be written.
const WRITING: u8 = 3;

impl Exchange {
    pub(super) fn new(place: Place) -> Self {
        Self(Arc::new(Inner { step: AtomicU8::new(IDLE), last: AtomicBool::new(false), place }))
    }

    /// Whether a request of this connection was authenticated.
    pub(super) fn is_known(&self) -> bool {
        self.0.place.is_known()
    }

    /// Whether the connection waits for a request's head, or for the rest of one.
    pub(super) fn waits(&self) -> bool {
        self.0.step.load(Ordering::Relaxed) <= HEAD
    }

    /// Whether a connection that stays open has nothing to do.
    pub(super) fn is_idle(&self) -> bool {
        self.0.step.load(Ordering::Relaxed) == IDLE && !self.0.last.load(Ordering::Relaxed)
    }

    /// A part of a head has been read; returns whether it is the first.
    pub(super) fn head_began(&self) -> bool {
        let first = self.passes(IDLE, HEAD);
        if first {
            self.0.place.head_began();
        }
        first
    }

    /// A whole head has been read; `false` if the connection has lost its place and must not
    /// answer.
    pub(super) fn begin(&self) -> bool {
        self.0.step.store(ANSWERING, Ordering::Relaxed);
        self.0.place.begin()
    }

    /// An answer is there. From here on a stranger is waited for, however slowly it reads.
    pub(super) fn answered(&self, known: bool, last: bool) {
        if known {
            self.0.place.recognize();
        }
        if last {
            self.0.last.store(true, Ordering::Relaxed);
        }
        if !self.is_known() {
            self.0.place.wait();
        }
    }

    /// The whole answer is ready to be written.
    pub(super) fn ready(&self) {
        self.0.step.store(WRITING, Ordering::Relaxed);
    }

    /// Everything is written; returns whether this ends an exchange.
    pub(super) fn written(&self) -> bool {
        let ends = self.passes(WRITING, IDLE);
        if ends {
            self.0.place.wait();
        }
        ends
    }

    /// Returns once the connection has lost its place.
    pub(super) async fn displaced(&self) {
        self.0.place.lost().await;
    }

    fn passes(&self, from: u8, to: u8) -> bool {
        self.0.step.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}
