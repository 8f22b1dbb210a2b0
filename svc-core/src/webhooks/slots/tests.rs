use bytes::Bytes;

use super::queue::{FAILURES_BEFORE_REST, PER_WEBHOOK};
use super::*;
use crate::domain::webhook::DeliveryOrigin;
use crate::webhooks::schedule::PROBE_AFTER;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_791_828_000 + seconds, 0).unwrap()
}

/// A webhook of company 1, at a host of its own.
fn key(webhook: i64) -> WebhookKey {
    (CompanyId(1), webhook)
}

fn claims_of(company: i64, webhook: i64, host: &str, count: usize, failures: u32) -> Vec<DeliveryLease> {
    let claim = |clave: usize| DeliveryLease {
        company: CompanyId(company),
        delivery: ClaimedDelivery {
            clave: clave as i64,
            webhook,
            url: format!("https://{host}/avisos?a=b"),
            secreto: Vec::new(),
            secreto_anterior: None,
            intentos_fallidos: failures,
            demora_ms: None,
            evento: Uuid::nil(),
            tipo: String::new(),
            cuerpo: Bytes::new(),
            intentos: 0,
            origen: DeliveryOrigin::Evento,
        },
        token: Uuid::nil(),
        since: at(0),
        latest: at(50),
    };
    (0..count).map(claim).collect()
}

fn claims(webhook: i64, count: usize, failures: u32) -> Vec<DeliveryLease> {
    claims_of(1, webhook, &format!("h{webhook}.example.com"), count, failures)
}

fn ended(delivered: bool, counts: bool, duration: i64) -> Ended {
    Ended { delivered, counts, duration, at: at(0) }
}

/// The slots of the deliveries that are sent now.
fn send(slots: &mut Slots) -> Vec<Slot> {
    let mut sent = Vec::new();
    while let Some(dispatch) = slots.dispatch(at(0), false) {
        let Dispatch::Send(_, slot) = dispatch else { panic!("handed back") };
        sent.push(slot);
    }
    sent
}

fn webhooks(slots: &[Slot]) -> Vec<i64> {
    slots.iter().map(|slot| slot.webhook.1).collect()
}

#[test]
fn webhooks_are_served_in_turn_within_their_limit() {
    let mut slots = Slots::default();
    for webhook in [1, 2, 3] {
        slots.add(claims(webhook, if webhook == 3 { 2 } else { 100 }, 0), 100);
    }
    let sent = send(&mut slots);
    assert_eq!(webhooks(&sent), [1, 2, 3, 1, 2, 3, 1, 2, 1, 2]);
    slots.finished(sent[0], ended(true, true, 10));
    assert_eq!(webhooks(&send(&mut slots)), [1]);
    let mut busy = slots.busy(CompanyId(1), at(0));
    busy.sort_unstable();
    assert_eq!(busy, [1, 2], "the third has room and nothing waits");
    assert!(slots.busy(CompanyId(2), at(0)).is_empty());
}

#[test]
fn companies_are_served_in_turn_whatever_their_backlogs() {
    let mut slots = Slots::default();
    for webhook in 1..=10 {
        slots.add(claims(webhook, 100, 0), 100);
    }
    assert_eq!(send(&mut slots).len(), 10 * PER_WEBHOOK, "one company alone may have as many as its webhooks take");

    let mut slots = Slots::default();
    for webhook in 1..=100 {
        slots.add(claims(webhook, 100, 0), 100);
    }
    slots.add(claims_of(2, 1, "other.example.com", 3, 0), 100);
    let companies: Vec<_> = send(&mut slots).iter().map(|slot| slot.webhook.0.0).collect();
    let runs: Vec<_> = companies.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
    assert_eq!(runs, [(1, RUN), (2, 1), (1, 100 - RUN)], "beyond the shared slots, first attempts only");
}

#[test]
fn turns_are_short_when_there_are_many_companies() {
    let mut slots = Slots::default();
    for company in 0..1_000 {
        slots.add(claims_of(company, 1, &format!("h{company}.example.com"), 10, 0), 100);
        slots.add(claims_of(company, 2, &format!("i{company}.example.com"), 10, 0), 100);
    }
    let companies: Vec<_> = send(&mut slots).iter().map(|slot| slot.webhook.0.0).collect();
    assert!(companies.chunk_by(|a, b| a == b).all(|run| run.len() <= 8), "{companies:?}");
    assert_eq!(companies.len(), MAX_ATTEMPTS);
}

#[test]
fn no_webhook_waits_for_the_attempts_of_others() {
    let mut slots = Slots::default();
    for webhook in 0..100 {
        slots.add(claims_of(3, webhook, &format!("h{webhook}.example.com"), 100, 0), 100);
    }
    assert_eq!(send(&mut slots).len(), 100, "each its own; beyond those there is no slot left");
    slots.add(claims_of(2, 7, "new.example.com", 2, 0), 100);
    assert!(matches!(slots.dispatch(at(0), true), Some(Dispatch::Send(_, slot)) if slot.webhook.1 == 7), "at once");
    assert!(slots.dispatch(at(0), true).is_none());
}

#[test]
fn a_host_has_its_share_and_so_have_those_that_fail() {
    let mut slots = Slots::default();
    for company in 0..1_000 {
        slots.add(claims_of(company, 1, "hooks.example.com", 5, 0), 100);
    }
    assert_eq!(send(&mut slots).len(), PER_HOST);
    for company in 1_000..2_000 {
        slots.add(claims_of(company, 1, "dead.example.com", 1, PROBE_AFTER), 100);
        slots.add(claims_of(company, 2, &format!("d{company}.example.com"), 1, PROBE_AFTER), 100);
    }
    assert_eq!(send(&mut slots).len(), DOUBTFUL);
    assert_eq!(slots.hosts["dead.example.com"].all(), DOUBTFUL_PER_HOST);
    slots.add(claims_of(5_000, 1, "healthy.example.com", 1, 0), 100);
    assert_eq!(send(&mut slots).len(), 1);
}

#[test]
fn a_failing_webhook_gets_one_attempt_at_a_time_until_one_arrives() {
    let mut slots = Slots::default();
    slots.add(claims(1, 40, 0), 100);
    let mut sent = send(&mut slots);
    assert_eq!(sent.len(), PER_WEBHOOK);
    for left in [1, 1, 0, 0, 0, 1] {
        slots.finished(sent.remove(0), ended(false, true, 10));
        let more = send(&mut slots);
        assert_eq!(more.len(), left);
        sent.extend(more);
    }
    slots.finished(sent.remove(0), ended(true, true, 10));
    sent.extend(send(&mut slots));
    assert_eq!(sent.len(), PER_WEBHOOK);
    for slot in std::mem::take(&mut sent) {
        slots.finished(slot, ended(false, false, 10));
    }
    assert_eq!(send(&mut slots).len(), PER_WEBHOOK, "failures of the service do not count against the webhook");

    let mut known = Slots::default();
    known.add(claims(1, 1, PROBE_AFTER), 100);
    let sent = send(&mut known);
    assert_eq!((sent.len(), known.busy(CompanyId(1), at(0))), (1, vec![1]));
    known.finished(sent[0], ended(false, true, 10));
    assert!(known.wants_more(key(1), at(0)), "more of it may be due");
}

#[test]
fn a_slow_receiver_gets_one_attempt_at_a_time_until_it_is_faster() {
    let mut slots = Slots::default();
    slots.add(claims(1, 40, 0), 100);
    let mut sent = send(&mut slots);
    for _ in 0..PER_WEBHOOK {
        slots.finished(sent.remove(0), ended(true, true, 7_000));
    }
    let sent = send(&mut slots);
    assert_eq!(sent.len(), 1);
    slots.finished(sent[0], ended(true, true, 20));
    let sent = send(&mut slots);
    assert_eq!(sent.len(), 1);
    slots.finished(sent[0], ended(true, true, 20));
    assert_eq!(send(&mut slots).len(), PER_WEBHOOK);
}

#[test]
fn a_webhook_that_keeps_failing_rests() {
    let mut slots = Slots::default();
    slots.add(claims(1, 100, 0), 100);
    slots.add(claims(2, 1, 0), 100);
    let (mut failures, mut sent) = (0, VecDeque::new());
    loop {
        match slots.dispatch(at(0), false) {
            Some(Dispatch::HandBack(_)) => break,
            Some(Dispatch::Send(_, slot)) if slot.webhook == key(1) => sent.push_back(slot),
            Some(Dispatch::Send(..)) => {}
            None => {
                slots.finished(sent.pop_front().unwrap(), ended(false, true, 10));
                failures += 1;
            }
        }
    }
    assert_eq!(failures, FAILURES_BEFORE_REST);
    let mut returned = 1;
    while let Some(Dispatch::HandBack(_)) = slots.dispatch(at(0), false) {
        returned += 1;
    }
    assert!(slots.is_empty() && slots.is_empty_of(CompanyId(1)));
    assert_eq!(returned, 80);
    assert_eq!(slots.busy(CompanyId(1), at(59)), [1]);
    assert!(!slots.wants_more(key(1), at(59)) && slots.wants_more(key(1), at(60)));
    assert!(slots.busy(CompanyId(1), at(60)).is_empty());
}

#[test]
fn a_claim_whose_lease_is_too_short_is_handed_back() {
    let mut slots = Slots::default();
    slots.add(claims(1, 2, 0), 100);
    slots.add(claims(2, 2, 0), 100);
    assert!(matches!(slots.dispatch(at(50), false), Some(Dispatch::Send(..))));
    assert!(matches!(slots.dispatch(at(51), false), Some(Dispatch::HandBack(_))));
    assert_eq!(slots.drain(Some(key(1))).len(), 1);
    assert!(!slots.is_empty_of(CompanyId(1)));
    assert_eq!(slots.drain(None).len(), 1);
    assert!(slots.is_empty() && slots.is_empty_of(CompanyId(1)) && slots.dispatch(at(0), false).is_none());
}

#[test]
fn a_company_may_claim_whatever_others_have_waiting() {
    let mut slots = Slots::default();
    assert_eq!(slots.room_for(CompanyId(1)), u32::MAX);
    slots.add(claims(1, WAITING + 10, 0), 100);
    assert_eq!(slots.room_for(CompanyId(1)), 0);
    assert_eq!(slots.room_for(CompanyId(2)), WAITING_OWN);
    slots.add(claims_of(2, 1, "other.example.com", 5, 0), 100);
    assert_eq!(slots.room_for(CompanyId(2)), 0, "its own wait");
    send(&mut slots);
    assert_eq!(slots.room_for(CompanyId(2)), 0, "four of five are under way");
}
