//! Guarantees that callers rely on: atomicity, separate companies, ascending claves, unique keys,
//! leases.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join;
use svc_core::domain::company::CompanyId;
use svc_core::domain::time::Timestamp;
use svc_core::store::{Backlog, ClaimKey, LeaseTerms, LeasedMail, NewMail, Store, StoredAnswer};
use uuid::Uuid;

use super::company;

const MAIL: NewMail<'static> = NewMail { para: "ana@example.com", asunto: "Asunto", texto: "Texto", factura: None };

fn now() -> DateTime<Utc> {
    "2026-10-12T18:00:00Z".parse().expect("an instant")
}

/// Queues e-mails of a company in one transaction.
async fn queue_mail(store: &Arc<dyn Store>, company: CompanyId, count: usize) {
    let mut tx = store.begin(company).await.expect("a transaction");
    for _ in 0..count {
        tx.append_mail(&MAIL, Timestamp::new(now())).await.expect("queued");
    }
    tx.commit().await.expect("committed");
}

/// Leases e-mails of a company under that token.
async fn lease(store: &Arc<dyn Store>, company: CompanyId, token: u128, lasts: TimeDelta) -> Vec<LeasedMail> {
    let terms = LeaseTerms { max: 4, due: now(), now: now(), token: Uuid::from_u128(token), until: now() + lasts };
    let mut tx = store.begin(company).await.expect("a transaction");
    let leased = tx.lease_mail(terms).await.expect("leased");
    tx.commit().await.expect("committed");
    leased
}

/// Removes an e-mail under that token, if it still holds it.
async fn remove(store: &Arc<dyn Store>, company: CompanyId, clave: i64, token: u128) {
    let mut tx = store.begin(company).await.expect("a transaction");
    tx.finish_mail(clave, Uuid::from_u128(token), None).await.expect("finished");
    tx.commit().await.expect("committed");
}

fn claves(mails: &[LeasedMail]) -> BTreeSet<i64> {
    mails.iter().map(|mail| mail.clave).collect()
}

/// The companies with e-mails that are due.
async fn with_mail_due(store: &Arc<dyn Store>) -> Vec<CompanyId> {
    let due = store.due(Backlog::Mail, now()).await.expect("what is due");
    due.into_iter().map(|due| due.company).collect()
}

/// A transaction that is dropped or rolled back has written nothing, and the next one gets its
/// claves.
pub async fn a_transaction_is_written_whole_or_not_at_all(store: Arc<dyn Store>) {
    let company = company(&store).await;
    for drops in [true, false] {
        let mut tx = store.begin(company).await.expect("a transaction");
        tx.append_mail(&MAIL, Timestamp::new(now())).await.expect("queued");
        if drops {
            drop(tx);
        } else {
            tx.rollback().await.expect("rolled back");
        }
        assert!(with_mail_due(&store).await.is_empty());
    }
    queue_mail(&store, company, 1).await;
    assert_eq!(claves(&lease(&store, company, 1, TimeDelta::minutes(1)).await), BTreeSet::from([1]));
}

/// Claves count within a company and ascend. A company finds and leases only its own records.
pub async fn companies_do_not_see_each_other(store: Arc<dyn Store>) {
    let (one, other, idle) = (company(&store).await, company(&store).await, company(&store).await);
    queue_mail(&store, one, 2).await;
    queue_mail(&store, other, 1).await;
    assert_eq!(BTreeSet::from_iter(with_mail_due(&store).await), BTreeSet::from([one, other]));
    let hour = TimeDelta::hours(1);
    assert_eq!(claves(&lease(&store, idle, 1, hour).await), BTreeSet::new());
    assert_eq!(claves(&lease(&store, one, 2, hour).await), BTreeSet::from([1, 2]));
    assert_eq!(claves(&lease(&store, other, 3, hour).await), BTreeSet::from([1]));
}

/// Two workers never hold one record; an outcome is written only under the token that holds it; an
/// expired lease goes to the next worker.
pub async fn a_lease_has_one_holder(store: Arc<dyn Store>) {
    let company = company(&store).await;
    queue_mail(&store, company, 8).await;
    let hour = TimeDelta::hours(1);
    let (one, other) = join(lease(&store, company, 1, hour), lease(&store, company, 2, hour)).await;
    let (one, other) = (claves(&one), claves(&other));
    assert!(one.is_disjoint(&other), "{one:?} {other:?}");
    assert_eq!(one.len() + other.len(), 8);
    assert_eq!(lease(&store, company, 3, hour).await.len(), 0, "all are leased");

    queue_mail(&store, company, 1).await;
    let (ended, next) = (lease(&store, company, 4, TimeDelta::milliseconds(1)).await, 9);
    assert_eq!(claves(&ended), BTreeSet::from([next]));
    tokio::time::sleep(Duration::from_millis(50)).await;
    let later = LeaseTerms {
        max: 4,
        due: now() + TimeDelta::seconds(1),
        now: now(),
        token: Uuid::from_u128(5),
        until: now() + hour,
    };
    let mut tx = store.begin(company).await.expect("a transaction");
    assert_eq!(claves(&tx.lease_mail(later).await.expect("leased")), BTreeSet::from([next]));
    tx.commit().await.expect("committed");
    remove(&store, company, next, 4).await;
    for (clave, token) in one.iter().map(|clave| (*clave, 1)).chain(other.iter().map(|clave| (*clave, 2))) {
        remove(&store, company, clave, token).await;
    }
    let left = store.due(Backlog::Mail, now() + hour).await.expect("what is due");
    assert_eq!(left.len(), 1, "the token of a lease that has ended removes nothing");
    remove(&store, company, next, 5).await;
    assert!(store.due(Backlog::Mail, now() + hour).await.expect("what is due").is_empty());
}

/// Of two transactions that claim one Idempotency-Key, the second waits for the first and finds its
/// answer.
pub async fn an_idempotency_key_is_claimed_once(store: Arc<dyn Store>) {
    let company = company(&store).await;
    let key = ClaimKey { suffix: "key", name: "one", kept: TimeDelta::days(7) };
    let mut first = store.begin(company).await.expect("a transaction");
    assert!(first.claim(key).await.expect("claimed").is_none());
    let second = async {
        let mut tx = store.begin(company).await.expect("a transaction");
        tx.claim(key).await.expect("the first has ended")
    };
    let end_of_first = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let answer = StoredAnswer { fingerprint: [7; 32], body: br#"{"ok":true}"#.as_slice().into() };
        first.remember(key, answer).await.expect("remembered");
        first.commit().await.expect("committed");
    };
    let (found, ()) = join(second, end_of_first).await;
    let StoredAnswer { fingerprint, body } = found.expect("the first's answer");
    assert_eq!((fingerprint, &body[..]), ([7; 32], br#"{"ok":true}"#.as_slice()));
}
