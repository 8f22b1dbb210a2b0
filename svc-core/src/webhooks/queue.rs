//! What one pass has claimed and not yet sent: a lane a webhook, so that none holds up another. Pure.

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::schedule::PROBE_AFTER;
use crate::domain::company::CompanyId;
use crate::store::ClaimedDelivery;

/// How many attempts are out at once, in all and of one webhook.
pub(super) const AT_ONCE: usize = 64;
const OF_ONE: usize = 4;

/// Attempts of a webhook that fail in a row before a pass leaves it alone, to the next pass or for a while.
const PATIENCE: u32 = 20;
const REST: TimeDelta = TimeDelta::minutes(1);

/// A webhook of a company.
pub(super) type Key = (CompanyId, i64);

/// A claimed delivery, and the lease that it is under.
pub(super) struct Ticket {
    pub(super) delivery: ClaimedDelivery,
    pub(super) token: Uuid,
    /// It is not sent if that would last longer than this.
    pub(super) latest: DateTime<Utc>,
}

impl Ticket {
    pub(super) fn key(&self) -> Key {
        (self.delivery.company, self.delivery.webhook)
    }
}

/// What is to be done with a ticket.
pub(super) enum Take {
    /// To be sent.
    Send(Ticket),
    /// Its lease is almost over, or its webhook has failed for long enough: to be handed back.
    Return(Ticket),
}

/// What is claimed, in lanes.
#[derive(Default)]
pub(super) struct Queue {
    lanes: HashMap<Key, Lane>,
    /// Lanes in which something waits, each once, in turn.
    turns: VecDeque<Key>,
    out: usize,
}

#[derive(Default)]
struct Lane {
    waiting: VecDeque<Ticket>,
    out: usize,
    /// Attempts that failed in a row.
    failures: u32,
    /// Those of them in this pass, and until when it is left alone if they are too many.
    here: u32,
    rest: Option<DateTime<Utc>>,
    /// Whether more may be due than was claimed.
    more: bool,
}

impl Lane {
    fn is_spent(&self, now: DateTime<Utc>) -> bool {
        self.rest.is_some_and(|rest| now < rest)
    }

    fn has_room(&self) -> bool {
        self.out < if self.failures >= PROBE_AFTER { 1 } else { OF_ONE }
    }

    fn is_hungry(&self, now: DateTime<Utc>) -> bool {
        self.more && self.waiting.is_empty() && self.has_room() && !self.is_spent(now)
    }
}

impl Queue {
    /// Webhooks of which no more are to be claimed for now; when they have room, more are.
    pub(super) fn busy(&mut self, now: DateTime<Utc>) -> Vec<Key> {
        let busy = |lane: &Lane| !lane.waiting.is_empty() || !lane.has_room() || lane.is_spent(now);
        let mut keys = Vec::new();
        for (&key, lane) in &mut self.lanes {
            lane.more = busy(lane);
            if lane.more {
                keys.push(key);
            }
        }
        keys
    }

    /// Takes in what was claimed, when at most `each` of a healthy webhook were asked for.
    pub(super) fn fill(&mut self, tickets: Vec<Ticket>, each: u32) {
        let mut claimed: HashMap<Key, u32> = HashMap::new();
        for ticket in tickets {
            let key = ticket.key();
            let failures = ticket.delivery.intentos_fallidos;
            let lane = self.lanes.entry(key).or_insert_with(|| Lane { failures, ..Lane::default() });
            if lane.waiting.is_empty() {
                self.turns.push_back(key);
            }
            let count = claimed.entry(key).or_default();
            *count += 1;
            lane.more = *count >= each || failures >= PROBE_AFTER;
            lane.waiting.push_back(ticket);
        }
    }

    /// The next to be sent or handed back, lane by lane; none while there is no room.
    pub(super) fn take(&mut self, now: DateTime<Utc>) -> Option<Take> {
        for _ in 0..self.turns.len() {
            let key = self.turns.pop_front()?;
            let Some(lane) = self.lanes.get_mut(&key) else { continue };
            let Some(first) = lane.waiting.front() else { continue };
            let back = lane.is_spent(now) || first.latest < now;
            let send = !back && lane.has_room() && self.out < AT_ONCE;
            let ticket = if back || send { lane.waiting.pop_front() } else { None };
            if send {
                lane.out += 1;
                self.out += 1;
            }
            if !lane.waiting.is_empty() {
                self.turns.push_back(key);
            }
            if let Some(ticket) = ticket {
                return Some(if send { Take::Send(ticket) } else { Take::Return(ticket) });
            }
        }
        None
    }

    /// An attempt has come back. A failure that is ours says nothing of the webhook.
    pub(super) fn back(&mut self, key: Key, delivered: bool, counts: bool, now: DateTime<Utc>) {
        self.out -= 1;
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        lane.out -= 1;
        if delivered {
            (lane.failures, lane.here) = (0, 0);
            return;
        }
        lane.failures = lane.failures.saturating_add(u32::from(counts));
        lane.here += 1;
        if lane.here >= PATIENCE {
            (lane.here, lane.rest) = (0, Some(now + REST));
        }
    }

    /// Takes out what waits: of one webhook, or all of it.
    pub(super) fn drain(&mut self, of: Option<Key>) -> Vec<Ticket> {
        let lanes = self.lanes.iter_mut().filter(|(key, _)| of.is_none_or(|of| of == **key));
        let tickets = lanes.flat_map(|(_, lane)| lane.waiting.drain(..)).collect();
        self.turns.retain(|key| of.is_some_and(|of| of != *key));
        tickets
    }

    /// How many attempts are out.
    pub(super) fn out(&self) -> usize {
        self.out
    }

    /// Whether nothing waits to be sent.
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Whether more could be out, if it was claimed: of any webhook, and of one of which more may be due.
    pub(super) fn hunger(&self, now: DateTime<Utc>) -> (bool, bool) {
        let room = self.out < AT_ONCE;
        (room, room && self.lanes.values().any(|lane| lane.is_hungry(now)))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::domain::webhook::DeliveryOrigin;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_791_828_000 + seconds, 0).unwrap()
    }

    fn key(webhook: i64) -> Key {
        (CompanyId(1), webhook)
    }

    fn tickets(webhook: i64, count: usize, intentos_fallidos: u32) -> Vec<Ticket> {
        let ticket = |clave: usize| Ticket {
            delivery: ClaimedDelivery {
                company: CompanyId(1),
                clave: clave as i64,
                webhook,
                url: String::new(),
                secreto: Vec::new(),
                secreto_anterior: None,
                intentos_fallidos,
                evento: Uuid::nil(),
                tipo: String::new(),
                cuerpo: Bytes::new(),
                intentos: 0,
                origen: DeliveryOrigin::Evento,
            },
            token: Uuid::nil(),
            latest: at(50),
        };
        (0..count).map(ticket).collect()
    }

    /// The webhooks of what is to be sent now.
    fn sent(queue: &mut Queue) -> Vec<i64> {
        let mut sent = Vec::new();
        while let Some(take) = queue.take(at(0)) {
            let Take::Send(ticket) = take else { panic!("handed back") };
            sent.push(ticket.delivery.webhook);
        }
        sent
    }

    #[test]
    fn webhooks_take_turns_and_none_has_more_than_its_share() {
        let mut queue = Queue::default();
        for webhook in [1, 2, 3] {
            queue.fill(tickets(webhook, if webhook == 3 { 2 } else { 100 }, 0), 100);
        }
        assert_eq!(sent(&mut queue), [1, 2, 3, 1, 2, 3, 1, 2, 1, 2]);
        assert_eq!((queue.out(), queue.hunger(at(0))), (10, (true, false)));
        queue.back(key(1), true, true, at(0));
        assert_eq!(sent(&mut queue), [1]);
        let mut busy = queue.busy(at(0));
        busy.sort();
        assert_eq!(busy, [key(1), key(2)], "the third has room and nothing waits");
        let mut many = Queue::default();
        for webhook in 0..100 {
            many.fill(tickets(webhook, 1, 0), 100);
        }
        assert_eq!(sent(&mut many).len(), AT_ONCE);
        assert_eq!(many.hunger(at(0)), (false, false));
    }

    #[test]
    fn one_that_fails_gets_one_at_a_time_until_one_arrives() {
        let mut queue = Queue::default();
        queue.fill(tickets(1, 30, 0), 100);
        assert_eq!(sent(&mut queue).len(), OF_ONE);
        for left in [1, 1, 0, 0, 0, 1] {
            queue.back(key(1), false, true, at(0));
            assert_eq!(sent(&mut queue).len(), left);
        }
        queue.back(key(1), true, true, at(0));
        assert_eq!(sent(&mut queue).len(), OF_ONE);
        for _ in 0..OF_ONE {
            queue.back(key(1), false, false, at(0));
        }
        assert_eq!(sent(&mut queue).len(), OF_ONE, "our own failures are not its");

        let mut known = Queue::default();
        known.fill(tickets(1, 1, PROBE_AFTER), 100);
        assert_eq!(sent(&mut known).len(), 1);
        assert_eq!((known.busy(at(0)), known.hunger(at(0))), (vec![key(1)], (true, false)));
        known.back(key(1), false, true, at(0));
        assert_eq!(known.hunger(at(0)), (true, true), "more of it may be due");
    }

    #[test]
    fn one_that_fails_on_and_on_is_left_alone_for_a_while() {
        let mut queue = Queue::default();
        queue.fill(tickets(1, 100, 0), 100);
        queue.fill(tickets(2, 1, 0), 100);
        let mut failures = 0;
        loop {
            match queue.take(at(0)) {
                Some(Take::Return(_)) => break,
                Some(Take::Send(_)) => {}
                None => {
                    queue.back(key(1), false, true, at(0));
                    failures += 1;
                }
            }
        }
        assert_eq!(failures, PATIENCE);
        let mut returned = 1;
        while let Some(Take::Return(_)) = queue.take(at(0)) {
            returned += 1;
        }
        assert!(queue.is_empty());
        assert_eq!(returned, 80);
        assert_eq!(queue.busy(at(59)), [key(1)]);
        assert_eq!(queue.hunger(at(59)), (true, false));
        assert_eq!(queue.hunger(at(60)), (true, true));
        assert!(queue.busy(at(60)).is_empty());
    }

    #[test]
    fn what_its_lease_does_not_last_for_is_handed_back() {
        let mut queue = Queue::default();
        queue.fill(tickets(1, 2, 0), 100);
        queue.fill(tickets(2, 2, 0), 100);
        assert!(matches!(queue.take(at(50)), Some(Take::Send(_))));
        assert!(matches!(queue.take(at(51)), Some(Take::Return(_))));
        assert_eq!(queue.drain(Some(key(1))).len(), 1);
        assert_eq!(queue.drain(None).len(), 1);
        assert!(queue.is_empty() && queue.take(at(0)).is_none());
    }
}
