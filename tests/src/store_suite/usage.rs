//! Merging the usage of keys and companies.

use std::sync::Arc;

use futures_util::future::join_all;
use svc_core::domain::company::CompanyId;
use svc_core::store::{KeyId, MinuteUse, MonthUse, Store, Usage};

use super::company;

/// Concurrent merges of the same keys in opposite orders, again and again, wait for each other and
/// do not collide.
pub async fn merges_do_not_collide(store: Arc<dyn Store>) {
    let mut minutes = Vec::new();
    for n in 0..40 {
        let key = KeyId { company: company(&store).await, suffix: format!("k{n}").into() };
        minutes.push(MinuteUse { key, minuto: "2026-10-12T18:00:00Z".parse().expect("an instant"), usadas: 1 });
    }
    let usage = Usage { minutes, months: Vec::new() };
    let mut reversed = usage.clone();
    reversed.minutes.reverse();
    let both = [usage, reversed];
    let merges = (0..10).map(|n| store.add_usage(&both[n % 2]));
    for total in join_all(merges).await {
        assert_eq!(total.expect("merged").minutes.len(), 40);
    }
    let total = store.add_usage(&both[0]).await.expect("merged");
    assert_eq!(total.minutes.iter().map(|minute| minute.usadas).collect::<Vec<_>>(), [11; 40]);
}

/// A past minute changes nothing, and the usage of a missing company is dropped.
pub async fn only_the_latest_minute_and_existing_companies_count(store: Arc<dyn Store>) {
    let company = company(&store).await;
    let gone = CompanyId(999_999);
    let minute = |text: &str, usadas| {
        let key = KeyId { company, suffix: "k".into() };
        MinuteUse { key, minuto: text.parse().expect("an instant"), usadas }
    };
    let month = |company, usadas| MonthUse { company, mes: "2026-10-01".parse().expect("a day"), usadas };
    for (added, total, of_the_month) in [
        (minute("2026-10-12T18:00:00Z", 3), minute("2026-10-12T18:00:00Z", 3), 1),
        (minute("2026-10-12T18:00:00Z", 2), minute("2026-10-12T18:00:00Z", 5), 2),
        (minute("2026-10-12T18:01:00Z", 1), minute("2026-10-12T18:01:00Z", 1), 3),
        (minute("2026-10-12T18:00:00Z", 9), minute("2026-10-12T18:01:00Z", 1), 4),
    ] {
        let usage = Usage { minutes: vec![added], months: vec![month(gone, 7), month(company, 1)] };
        let stored = store.add_usage(&usage).await.expect("merged");
        assert_eq!((stored.minutes, stored.months), (vec![total], vec![month(company, of_the_month)]));
    }
}
