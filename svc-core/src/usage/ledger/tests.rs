use super::*;

const NOON: &str = "2026-10-12T18:00:30Z";

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn key(suffix: &str) -> KeyId {
    KeyId { company: CompanyId(1), suffix: suffix.into() }
}

fn request(key: &KeyId, now: DateTime<Utc>) -> AdmissionRequest<'_> {
    let period = Period::of(now);
    let known = KnownUse { period, minute: 0, month: 0 };
    AdmissionRequest { key, period, known, rate: 3, quota: 5, desfase: TimeDelta::zero(), in_flight: 2, enforced: true }
}

fn through(ledger: &Ledger, request: &AdmissionRequest<'_>) -> Result<Figures, Refusal> {
    let (figures, admitted) = ledger.admit(request);
    admitted?;
    let month = ledger.release(request.key.company, request.period.mes, true);
    Ok(Figures { month, ..figures })
}

#[test]
fn a_minute_is_each_keys_and_a_month_is_the_companys() {
    let ledger = Ledger::default();
    let (a, b) = (key("a"), key("b"));
    for used in 1..=3 {
        assert_eq!(through(&ledger, &request(&a, at(NOON))), Ok(Figures { minute: used, month: used }));
    }
    assert_eq!(through(&ledger, &request(&a, at(NOON))), Err(Refusal::Rate));
    assert_eq!(through(&ledger, &request(&b, at(NOON))), Ok(Figures { minute: 1, month: 4 }));
    // The next minute begins anew; the month goes on.
    let later = at("2026-10-12T18:01:00Z");
    assert_eq!(through(&ledger, &request(&a, later)), Ok(Figures { minute: 1, month: 5 }));
    assert_eq!(through(&ledger, &request(&a, later)), Err(Refusal::Quota));
    // A request refused for the month has passed the minute's limit and counts there.
    assert_eq!(ledger.peek(&request(&a, later)), Figures { minute: 2, month: 5 });
    let november = at("2026-11-01T06:00:00Z");
    assert_eq!(through(&ledger, &request(&a, november)), Ok(Figures { minute: 1, month: 1 }));
}

#[test]
fn what_does_not_cut_still_counts() {
    let ledger = Ledger::default();
    let a = key("a");
    let request = AdmissionRequest { enforced: false, ..request(&a, at(NOON)) };
    for used in 1..=9 {
        assert_eq!(through(&ledger, &request), Ok(Figures { minute: used, month: used }));
    }
}

#[test]
fn requests_under_way_are_reserved() {
    let ledger = Ledger::default();
    let a = key("a");
    let request = AdmissionRequest { rate: 100, ..request(&a, at(NOON)) };
    assert!(ledger.admit(&request).1.is_ok() && ledger.admit(&request).1.is_ok());
    assert_eq!(ledger.admit(&request), (Figures { minute: 3, month: 2 }, Err(Refusal::Busy)));
    // An operation that does not count releases its reservation.
    assert_eq!(ledger.release(a.company, request.period.mes, false), 1);
    let (figures, admitted) = ledger.admit(&request);
    assert_eq!((figures, admitted.is_ok()), (Figures { minute: 4, month: 2 }, true));
    let taken = ledger.take(Taking::All, at(NOON));
    assert_eq!(taken.months, [], "what is under way is not counted yet");
    assert_eq!(taken.minutes.len(), 1);
    // The limit includes reservations: no two requests get the last operation.
    let last = AdmissionRequest { quota: 2, in_flight: 9, ..request };
    assert_eq!(ledger.admit(&last).1, Err(Refusal::Quota));
}

#[test]
fn others_use_is_learnt_by_merging_and_from_the_key() {
    let ledger = Ledger::default();
    let a = key("a");
    let request = request(&a, at(NOON));
    through(&ledger, &request).unwrap();
    let taken = ledger.take(Taking::All, at(NOON));
    let mut total = taken.clone();
    total.minutes[0].usadas = 2;
    total.months[0].usadas = 4;
    ledger.merged(&taken, &total);
    assert_eq!(ledger.peek(&request), Figures { minute: 2, month: 4 });
    assert!(ledger.take(Taking::All, at(NOON)).is_empty());
    let known = KnownUse { minute: 3, ..request.known };
    assert_eq!(through(&ledger, &AdmissionRequest { known, ..request }), Err(Refusal::Rate));
    // Usage known for another period does not apply to this one.
    let later = at("2026-11-01T06:00:00Z");
    let late = AdmissionRequest { period: Period::of(later), known: KnownUse { month: 99, ..known }, ..request };
    assert_eq!(through(&ledger, &late), Ok(Figures { minute: 1, month: 1 }));
}

#[test]
fn a_failed_merge_is_made_up_for_and_an_old_month_is_kept_until_then() {
    let ledger = Ledger::default();
    let a = key("a");
    through(&ledger, &request(&a, at("2026-11-01T05:59:59Z"))).unwrap();
    let taken = ledger.take(Taking::All, at("2026-11-01T05:59:59Z"));
    ledger.put_back(&taken);
    let november = at("2026-11-01T06:00:00Z");
    through(&ledger, &request(&a, november)).unwrap();
    let again = ledger.take(Taking::All, november);
    let months: Vec<_> = again.months.iter().map(|month| (month.mes.to_string(), month.usadas)).collect();
    assert_eq!(months, [("2026-10-01".to_owned(), 1), ("2026-11-01".to_owned(), 1)]);
    assert_eq!(again.minutes.len(), 1, "of a minute that is over nothing is kept");
    ledger.merged(&again, &again);
    assert_eq!(ledger.peek(&request(&a, november)), Figures { minute: 1, month: 1 });
}

#[test]
fn it_forgets_who_has_gone() {
    let ledger = Ledger::default();
    for n in 0..100 {
        let key = KeyId { company: CompanyId(n), suffix: "a".into() };
        through(&ledger, &request(&key, at(NOON))).unwrap();
    }
    let taken = ledger.take(Taking::All, at(NOON));
    assert_eq!(ledger.held(), (100, 100));
    let later = at(NOON) + TimeDelta::minutes(2);
    ledger.take(Taking::All, later);
    assert_eq!(ledger.held(), (100, 0), "what is on its way to the store is not forgotten");
    ledger.merged(&taken, &taken);
    ledger.take(Taking::All, later + TimeDelta::minutes(1));
    assert_eq!(ledger.held(), (0, 0));
}

#[test]
fn a_clock_that_is_set_back_does_not_open_a_new_minute() {
    let ledger = Ledger::default();
    let a = key("a");
    for _ in 0..3 {
        through(&ledger, &request(&a, at(NOON))).unwrap();
    }
    let earlier = at(NOON) - TimeDelta::minutes(1);
    assert_eq!(through(&ledger, &request(&a, earlier)), Err(Refusal::Rate));
}

#[test]
fn a_clock_that_was_hours_ahead_leaves_one_full_minute() {
    let ledger = Ledger::default();
    let a = key("a");
    let ahead = at(NOON) + TimeDelta::hours(2);
    for _ in 0..3 {
        through(&ledger, &request(&a, ahead)).unwrap();
    }
    let taken = ledger.take(Taking::All, ahead);
    assert_eq!(through(&ledger, &request(&a, at(NOON))), Err(Refusal::Rate), "the count goes on");
    ledger.put_back(&taken);
    assert_eq!(ledger.peek(&request(&a, at(NOON))).minute, 3, "what was under way is not counted twice");
    let next = at(NOON) + TimeDelta::minutes(1);
    assert_eq!(through(&ledger, &request(&a, next)), Ok(Figures { minute: 1, month: 4 }));
}

#[test]
fn a_key_that_is_not_used_again_is_forgotten_after_its_minute() {
    let ledger = Ledger::default();
    let ahead = at("2026-11-01T07:00:00Z");
    through(&ledger, &request(&key("a"), ahead)).unwrap();
    let before = at("2026-11-01T05:00:00Z");
    let taken = ledger.take(Taking::All, before);
    assert_eq!(taken.minutes[0].minuto, before, "the minute ahead counts as the present");
    ledger.merged(&taken, &Usage::default());
    assert_eq!(ledger.held(), (1, 1));
    ledger.take(Taking::All, before + TimeDelta::minutes(2));
    assert_eq!(ledger.held(), (0, 0), "neither the key nor the month ahead is kept");
}

#[test]
fn what_is_far_from_its_limit_is_merged_after_seconds() {
    let ledger = Ledger::default();
    let (a, b) = (key("a"), KeyId { company: CompanyId(2), suffix: "b".into() });
    let far = |key| AdmissionRequest { rate: 150, quota: 5_000, ..request(key, at(NOON)) };
    through(&ledger, &far(&a)).unwrap();
    through(&ledger, &AdmissionRequest { rate: 10, ..far(&b) }).unwrap();
    let due = |later: i64| ledger.take(Taking::Due, at(NOON) + TimeDelta::seconds(later));
    let first = due(0);
    assert_eq!((first.minutes.len(), first.months.len()), (1, 1), "one in ten is near");
    assert_eq!(first.months[0].company, CompanyId(2));
    assert!(due(4).is_empty());
    assert_eq!(due(5).minutes[0].key, a);
    assert!(ledger.take(Taking::All, at(NOON)).is_empty());
    // What only reports is never near.
    for _ in 0..200 {
        through(&ledger, &AdmissionRequest { enforced: false, ..far(&a) }).unwrap();
    }
    assert!(due(6).is_empty() && !due(11).is_empty());
}

#[test]
fn a_request_near_its_limit_takes_its_place_behind_those_of_others() {
    let ledger = Ledger::default();
    let a = key("a");
    let near = AdmissionRequest { rate: 40, quota: 5_000, ..request(&a, at(NOON)) };
    let (figures, first) = ledger.admit(&near);
    let first = first.unwrap();
    assert!(!first.urgent && figures.minute == 1);
    let (figures, second) = ledger.admit(&near);
    let second = second.unwrap();
    assert!(second.urgent && figures.minute == 2, "two of forty are more than a share of the rest");
    let taken = ledger.take(Taking::Due, at(NOON));
    let mut total = taken.clone();
    total.minutes[0].usadas = 41;
    ledger.merged(&taken, &total);
    let place = |admitted, minute| ledger.place(&near, admitted, Figures { minute, month: 1 }).minute;
    assert_eq!((place(first, 1), place(second, 2)), (40, 41));
    assert_eq!(ledger.admit(&near).1, Err(Refusal::Rate));
}

#[test]
fn an_operation_near_the_quota_takes_its_place_behind_those_of_others() {
    let ledger = Ledger::default();
    let a = key("a");
    let near = AdmissionRequest { rate: 5_000, quota: 40, ..request(&a, at(NOON)) };
    let (figures, first) = ledger.admit(&near);
    let first = first.unwrap();
    assert!(!first.urgent && figures.month == 1, "it is merged once it has ended");
    ledger.release(a.company, near.period.mes, true);
    let (figures, second) = ledger.admit(&near);
    let second = second.unwrap();
    assert!(!second.urgent && figures.month == 2, "one of thirty-eight is less than a share");
    ledger.release(a.company, near.period.mes, true);
    let (figures, third) = ledger.admit(&near);
    let third = third.unwrap();
    assert!(third.urgent && figures.month == 3, "two of thirty-seven are more");
    let taken = ledger.take(Taking::Due, at(NOON));
    let mut total = taken.clone();
    total.months[0].usadas = 40;
    ledger.merged(&taken, &total);
    assert_eq!(ledger.place(&near, third, figures).month, 41);
    assert_eq!(ledger.admit(&near).1, Err(Refusal::Quota));
}

#[test]
fn the_busiest_companies_of_two_minutes_come_first_with_all_that_they_asked() {
    let ledger = Ledger::default();
    let ask = |company: i64, times: usize, now: DateTime<Utc>| {
        let key = KeyId { company: CompanyId(company), suffix: "a".into() };
        for _ in 0..times {
            // The fourth of a minute is refused, and counts all the same.
            let _ = through(&ledger, &request(&key, now));
        }
    };
    let busiest = |max: usize, now: DateTime<Utc>| -> Vec<(i64, u64)> {
        ledger.busiest(max, now).into_iter().map(|(company, asked)| (company.0, asked)).collect()
    };
    assert_eq!(busiest(9, at(NOON)), [], "nobody asked anything");
    for (company, times) in [(1, 2), (2, 6), (3, 4), (4, 4)] {
        ask(company, times, at(NOON));
    }
    assert_eq!(busiest(9, at(NOON)), [(2, 6), (3, 4), (4, 4), (1, 2)]);
    assert_eq!(busiest(2, at(NOON)), [(2, 6), (3, 4)]);
    // The minute before still counts, so that the list is not empty when a minute begins.
    let next = at("2026-10-12T18:01:00Z");
    ask(1, 5, next);
    assert_eq!(busiest(9, next), [(1, 7), (2, 6), (3, 4), (4, 4)]);
    // A request that was counted out of order changes no minute.
    ask(3, 1, at("2026-10-12T18:00:59Z"));
    assert_eq!(busiest(3, next), [(1, 7), (2, 6), (3, 5)]);
    let later = at("2026-10-12T18:02:00Z");
    assert_eq!(busiest(9, later), [(1, 7)], "only those of this minute and the one before");
    assert_eq!(busiest(9, at("2026-10-12T18:03:00Z")), []);
    // A company that was forgotten counts anew.
    ledger.merged(&ledger.take(Taking::All, later), &Usage::default());
    ledger.take(Taking::All, at("2026-10-12T18:09:00Z"));
    ask(2, 1, at("2026-10-12T18:09:00Z"));
    assert_eq!(busiest(9, at("2026-10-12T18:09:00Z")), [(2, 1)]);
}
