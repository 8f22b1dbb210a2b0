//! Guarantees that callers rely on: atomicity, separate companies, ascending claves, uniqueness,
//! locks, leases.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryStreamExt as _;
use futures_util::future::join;
use svc_core::domain::company::CompanyId;
use svc_core::domain::time::Timestamp;
use svc_core::record::customer::{Customer, CustomerData};
use svc_core::store::{
    Backlog, ClaimKey, Conflict, LeaseTerms, LeasedMail, NewCustomerRow, NewMail, Store, StoreError, StoredAnswer, Tx,
};
use uuid::Uuid;

use super::{company, context};

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

async fn insert_customer(tx: &mut dyn Tx, rfc: &str) -> Result<i64, StoreError> {
    let data = CustomerData { rfc: Some(rfc.to_owned()), ..CustomerData::default() };
    tx.insert_customer(&NewCustomerRow { data: &data, mensaje: None, creado: Timestamp::new(now()) }).await
}

/// Of two transactions of a company that insert one RFC, the second is refused once the first has
/// committed, and succeeds if it has not. Another company may have the same RFC.
pub async fn an_rfc_is_unique_in_its_company(store: Arc<dyn Store>) {
    const RFC: &str = "EKU9003173C9";
    let (one, other) = (company(&store).await, company(&store).await);
    for commits in [false, true] {
        let mut first = store.begin(one).await.expect("a transaction");
        assert_eq!(insert_customer(first.as_mut(), RFC).await.expect("inserted"), 1);
        let second = async {
            let mut tx = store.begin(one).await.expect("a transaction");
            insert_customer(tx.as_mut(), RFC).await
        };
        let end_of_first = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            if commits { first.commit().await } else { first.rollback().await }.expect("ended");
        };
        match join(second, end_of_first).await.0 {
            Ok(clave) => assert_eq!((clave, commits), (1, false)),
            Err(StoreError::Conflict(Conflict::Rfc(_))) => assert!(commits),
            Err(error) => panic!("{error}"),
        }
    }
    let mut tx = store.begin(other).await.expect("a transaction");
    assert_eq!(insert_customer(tx.as_mut(), RFC).await.expect("inserted"), 1);
}

/// A locked record is read by others and locked by one: another transaction waits for the lock, and
/// then sees what its holder wrote. Past the store's lock timeout it is [`StoreError::Busy`].
pub async fn a_locked_record_is_locked_once(store: Arc<dyn Store>) {
    let company = company(&store).await;
    let mut tx = store.begin(company).await.expect("a transaction");
    let clave = insert_customer(tx.as_mut(), "EKU9003173C9").await.expect("inserted");
    tx.commit().await.expect("committed");

    let mut holder = store.begin(company).await.expect("a transaction");
    let mut held = holder.customer(clave).await.expect("read").expect("the customer");
    held.nombre = Some("Ana".to_owned());
    holder.update_customer(clave, &held, Timestamp::new(now())).await.expect("written");
    let mut reader = store.begin(company).await.expect("a transaction");
    assert!(reader.buyer(clave).await.expect("readers do not wait").is_some());
    let waiting = async {
        let mut tx = store.begin(company).await.expect("a transaction");
        tx.customer(clave).await.expect("locked").expect("the customer").nombre
    };
    let end_of_holder = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        holder.commit().await.expect("committed");
    };
    assert_eq!(join(waiting, end_of_holder).await.0.as_deref(), Some("Ana"));

    let mut holder = store.begin(company).await.expect("a transaction");
    assert!(holder.customer(clave).await.expect("locked").is_some());
    let mut late = store.begin(company).await.expect("a transaction");
    let refused = late.customer(clave).await;
    assert!(matches!(refused, Err(StoreError::Busy(_))), "{refused:?}");
}

/// A reader sees its own company's records, and nothing of what is not committed.
pub async fn a_reader_sees_what_its_company_committed(store: Arc<dyn Store>) {
    let (one, other) = (company(&store).await, company(&store).await);
    let mut tx = store.begin(one).await.expect("a transaction");
    insert_customer(tx.as_mut(), "EKU9003173C9").await.expect("inserted");
    assert_eq!(customers(&store, one).await, 0);
    tx.commit().await.expect("committed");
    assert_eq!((customers(&store, one).await, customers(&store, other).await), (1, 0));
}

/// The number of customers that a reader of the company sees.
async fn customers(store: &Arc<dyn Store>, company: CompanyId) -> usize {
    context(store).list::<Customer>(company).stream().try_collect::<Vec<_>>().await.expect("the list").len()
}
