use std::sync::atomic::Ordering;

use chrono::TimeDelta;
use svc_core::mail::NotifyReport;
use svc_tests::mail::MailServer;

use super::*;

async fn with_mail(count: i64) -> Company {
    let company = World::new().await.company().await;
    sqlx::query(
        "INSERT INTO avisos (empresa, clave, para, asunto, texto, creado, proximo)
         SELECT $1, n, 'ana@example.com', 'Asunto', 'Texto ' || n, $2, $2 FROM generate_series(1, $3) n",
    )
    .bind(company.id.0)
    .bind(company.world.clock.now())
    .bind(count)
    .execute(company.world.pool())
    .await
    .expect("e-mails");
    company
}

#[tokio::test]
async fn an_email_is_sent_once() {
    let company = with_mail(10).await;
    let (world, server) = (&company.world, MailServer::default());
    let (one, other) = tokio::join!(world.notify(&server), world.notify(&server));
    assert_eq!(one.enviados + other.enviados, 10);
    assert_eq!(world.notify(&server).await, NotifyReport::default());
    let sent = server.sent.into_inner().expect("nobody panicked");
    let mut texts: Vec<&str> = sent.iter().map(|notice| &*notice.text).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!((sent.len(), texts.len()), (10, 10));
    assert!(sent.iter().all(|notice| notice.to == "ana@example.com" && notice.subject == "Asunto"));
    assert_eq!(world.count("avisos").await, 0);
}

#[tokio::test]
async fn an_unsent_email_is_retried_and_given_up() {
    let company = with_mail(1).await;
    let (world, server) = (&company.world, MailServer::default());
    server.down.store(true, Ordering::Relaxed);
    for hours in [1, 2, 4, 8, 24, 48] {
        assert_eq!(world.notify(&server).await.pospuestos, 1);
        world.clock.advance(TimeDelta::hours(hours) - TimeDelta::seconds(1));
        assert_eq!(world.notify(&server).await, NotifyReport::default(), "{hours}");
        world.clock.advance(TimeDelta::seconds(1));
    }
    assert_eq!(world.notify(&server).await.abandonados, 1);
    assert_eq!(world.count("avisos").await, 0);
}
