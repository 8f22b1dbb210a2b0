//! Places for connections: their number, and who loses a place to a newcomer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metrics::{Counter, Gauge};
use tokio::sync::Notify;
use tokio::time::Instant;

/// How long a stranger keeps its place at least, whatever others come after it, so that the request
/// that it sends can be read.
pub(super) const STAY: Duration = Duration::from_millis(100);

/// The pause before the next attempt while as many connections are about to end as may be.
const ENDING: Duration = Duration::from_millis(1);

/// The limits on connections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Connections that are answered.
    pub(crate) clients: usize,
    /// Connections with an unfinished head: each has buffers of up to 24 KiB.
    pub(crate) heads: usize,
    /// Refused connections open at the same time, each for at most 3 s; further ones are answered
    /// and closed at once, even if they have not sent their request. Of connections that have lost
    /// their place, as many may be about to end.
    pub(crate) refused: usize,
}

pub(crate) struct Meters {
    pub(crate) open: Gauge,
    /// Connections that ended because a newcomer needed their place or their memory.
    pub(crate) displaced: Counter,
    /// Connections that got no place.
    pub(crate) refused: Counter,
}

impl Meters {
    /// Counts nothing.
    pub(crate) fn none() -> Self {
        Self { open: Gauge::noop(), displaced: Counter::noop(), refused: Counter::noop() }
    }
}

/// Places for a bounded number of connections.
///
/// A connection is busy while its request is answered, else it waits. It is a stranger until it has
/// sent an authenticated request, then a client. When all places are taken, the stranger that has
/// waited longest loses its place to the newcomer; if there is none, the client that has waited
/// longest does. While all strangers are newer than [`STAY`], clients give up places until the
/// strangers have a quarter of them; then the newcomer waits. The number of connections that have
/// sent a part of a request's head, which costs memory, is bounded too ([`Room::heads`]).
pub(super) struct Places {
    room: Room,
    state: Mutex<State>,
    pub(super) meters: Meters,
}

/// Connections in the order in which they began to wait.
type Queue = BTreeMap<u64, Waiting>;

#[derive(Clone)]
struct Waiting {
    displaced: Arc<Notify>,
    since: Instant,
    /// Its number among those with an unfinished head, if it has one.
    head: Option<u64>,
}

#[derive(Default)]
struct State {
    taken: usize,
    /// Connections that lost their place and have not ended yet.
    leaving: usize,
    last_number: u64,
    strangers: Queue,
    clients: Queue,
    /// The numbers of connections with an unfinished head, of strangers and clients.
    heads: BTreeMap<u64, Entry>,
}

/// A connection's entry in a queue.
#[derive(Clone, Copy)]
struct Entry {
    number: u64,
    known: bool,
}

impl State {
    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    fn queue(&mut self, known: bool) -> &mut Queue {
        if known { &mut self.clients } else { &mut self.strangers }
    }

    /// Takes a waiting connection out of its queue; `None` if it has lost its place.
    fn remove(&mut self, entry: Entry) -> Option<Waiting> {
        let waiting = self.queue(entry.known).remove(&entry.number)?;
        if let Some(head) = waiting.head {
            self.heads.remove(&head);
        }
        Some(waiting)
    }

    /// Who loses its place to a newcomer now.
    fn victim(&self, places: usize, now: Instant) -> Result<Entry, NoPlace> {
        let stranger = self.strangers.first_key_value();
        let client = self.clients.keys().next();
        match (stranger, client) {
            (Some((&number, waiting)), _) if waiting.since + STAY <= now => Ok(Entry { number, known: false }),
            (_, Some(&number)) if self.strangers.len() < (places / 4).max(1) => Ok(Entry { number, known: true }),
            (Some((_, waiting)), _) => Err(NoPlace::Until(waiting.since + STAY)),
            (None, _) => Err(NoPlace::Busy),
        }
    }
}

/// Why a newcomer has no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// All connections are busy.
    Busy,
    /// There may be one from this moment on.
    Until(Instant),
}

impl Places {
    pub(super) fn new(room: Room, meters: Meters) -> Arc<Self> {
        Arc::new(Self { room, state: Mutex::default(), meters })
    }

    /// A place for a new connection, which starts out waiting.
    pub(super) fn take(self: &Arc<Self>) -> Result<Place, NoPlace> {
        let mut state = self.state();
        if state.taken == self.room.clients {
            let now = Instant::now();
            let victim = state.victim(self.room.clients, now)?;
            if state.leaving == self.room.refused {
                return Err(NoPlace::Until(now + ENDING));
            }
            self.displace(&mut state, victim);
        }
        state.taken += 1;
        let place = Place {
            places: Arc::clone(self),
            number: AtomicU64::new(0),
            known: AtomicBool::new(false),
            busy: AtomicBool::new(true),
            displaced: Arc::default(),
        };
        place.enqueue(&mut state);
        self.meters.open.increment(1.0);
        Ok(place)
    }

    fn displace(&self, state: &mut State, victim: Entry) {
        if let Some(waiting) = state.remove(victim) {
            state.taken -= 1;
            state.leaving += 1;
            waiting.displaced.notify_one();
            self.meters.displaced.increment(1);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's place, which only that connection's task uses.
pub(super) struct Place {
    places: Arc<Places>,
    /// Its number in the queue, while it waits.
    number: AtomicU64,
    known: AtomicBool,
    busy: AtomicBool,
    displaced: Arc<Notify>,
}

impl Place {
    /// Returns once the place is lost, so that the connection must end.
    pub(super) async fn lost(&self) {
        self.displaced.notified().await;
    }

    /// Whether a request of this connection was authenticated.
    pub(super) fn is_known(&self) -> bool {
        self.known.load(Ordering::Relaxed)
    }

    /// A request was authenticated.
    pub(super) fn recognize(&self) {
        self.known.store(true, Ordering::Relaxed);
    }

    /// A part of a request's head has arrived.
    pub(super) fn head_began(&self) {
        let mut state = self.places.state();
        let (entry, head) = (self.entry(), state.next_number());
        let Some(waiting) = state.queue(entry.known).get_mut(&entry.number) else { return };
        waiting.head = Some(head);
        state.heads.insert(head, entry);
        if state.heads.len() > self.places.room.heads
            && let Some((_, &oldest)) = state.heads.first_key_value()
        {
            self.places.displace(&mut state, oldest);
        }
    }

    /// A request is about to be answered; `false` if the place is lost.
    pub(super) fn begin(&self) -> bool {
        let mut state = self.places.state();
        let here = self.busy.load(Ordering::Relaxed) || state.remove(self.entry()).is_some();
        self.busy.store(here, Ordering::Relaxed);
        here
    }

    /// The connection waits from now on, if it was busy.
    pub(super) fn wait(&self) {
        if self.busy.load(Ordering::Relaxed) {
            self.enqueue(&mut self.places.state());
        }
    }

    fn enqueue(&self, state: &mut State) {
        let number = state.next_number();
        self.number.store(number, Ordering::Relaxed);
        self.busy.store(false, Ordering::Relaxed);
        let waiting = Waiting { displaced: Arc::clone(&self.displaced), since: Instant::now(), head: None };
        state.queue(self.is_known()).insert(number, waiting);
    }

    fn entry(&self) -> Entry {
        Entry { number: self.number.load(Ordering::Relaxed), known: self.is_known() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.places.state();
        if *self.busy.get_mut() || state.remove(self.entry()).is_some() {
            state.taken -= 1;
        } else {
            state.leaving -= 1;
        }
        drop(state);
        self.places.meters.open.decrement(1.0);
    }
}
