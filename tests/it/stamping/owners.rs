//! Owners get one e-mail when their certificate ends or when stamping waits for them.

use std::sync::atomic::Ordering;

use chrono::{DateTime, TimeDelta, Utc};
use svc_core::domain::clock::Clock as _;
use svc_core::mail::tell_owners;
use svc_core::operations::{DisableUser, MoveClock};
use svc_core::stamping::{SandboxStamper, StampFailure, StampRequest, StampedXml};
use svc_core::store::CompanyChange;
use svc_tests::mail::MailServer;
use svc_tests::{Company, World, certificate};

use super::{Shop, Stub, accept, nails};

const CERTIFICATE: &str = "30001000000500003416";

/// A shop whose owner has an address.
async fn shop(world: &World) -> Shop {
    let shop = Shop::new(world).await;
    with_address(&shop.company).await;
    shop
}

async fn with_address(company: &Company) {
    let correo = Some(format!("duena-{}@example.com", company.id.0));
    company.edit(CompanyChange { correo, ..CompanyChange::default() }).await;
}

/// Has the certificates of all companies end then.
async fn certificates_end(world: &World, at: DateTime<Utc>) {
    sqlx::query("UPDATE certificados SET hasta = $1").bind(at).execute(world.pool()).await.expect("they end");
}

/// Queues the e-mails for owners where a provider is set, and sends them; returns them as
/// `recipient: subject` with their texts.
async fn told(world: &World) -> Vec<(String, String)> {
    told_of(world, false).await
}

async fn told_of(world: &World, without_provider: bool) -> Vec<(String, String)> {
    let queued = tell_owners(world.office(), without_provider).await.expect("a search");
    let server = MailServer::default();
    assert_eq!(world.notify(&server).await.enviados, queued);
    let sent = server.sent.into_inner().expect("nobody panicked");
    sent.into_iter().map(|mail| (format!("{}: {}", mail.to, mail.subject), mail.text)).collect()
}

fn misconfigured(_: &StampRequest) -> Result<StampedXml, StampFailure> {
    Err(StampFailure::Misconfigured("402: el usuario no existe".to_owned()))
}

fn unknown(_: &StampRequest) -> Result<StampedXml, StampFailure> {
    Err(StampFailure::Unknown("nobody knows".to_owned()))
}

#[tokio::test]
async fn an_owner_gets_one_mail_about_a_certificate_that_ends_within_thirty_days() {
    let world = World::new().await;
    let (shop, other) = (shop(&world).await, Shop::new(&world).await);
    let now = world.clock.now();
    certificates_end(&world, now + TimeDelta::days(30)).await;
    assert!(told(&world).await.is_empty(), "thirty days are left");
    certificates_end(&world, now + TimeDelta::days(30) - TimeDelta::seconds(1)).await;
    let mails = told(&world).await;
    let nombre: String = world.sql("SELECT nombre FROM empresas ORDER BY empresa LIMIT 1").await;
    let [(subject, text)] = &mails[..] else { panic!("the owner of the other company has no address: {mails:?}") };
    assert_eq!(
        *subject,
        format!(
            "duena-{}@example.com: El certificado de sello digital de {nombre} vence el 2026-11-11",
            shop.company.id.0
        )
    );
    assert!(text.contains(CERTIFICATE) && text.contains("svc certificate load --company "), "{text}");
    assert!(told(&world).await.is_empty(), "told already");
    world.clock.advance(TimeDelta::days(60));
    assert!(told(&world).await.is_empty(), "of its end too");

    // An owner who gets an address later gets the e-mail then, about an end that is past.
    with_address(&other.company).await;
    let mails = told(&world).await;
    assert!(mails.len() == 1 && mails[0].0.contains(" venció el 2026-11-11"), "{mails:?}");

    // Another certificate is another matter; the one that it replaced is none any more.
    for shop in [&shop, &other] {
        shop.company.run(&certificate::load("renewed", "renewed")).await.expect("loaded");
    }
    assert!(told(&world).await.is_empty());
    certificates_end(&world, world.clock.now() + TimeDelta::days(3)).await;
    assert_eq!(told(&world).await.len(), 2);
    assert!(told(&world).await.is_empty());
}

#[tokio::test]
async fn concurrent_passes_send_one_mail() {
    let world = World::new().await;
    let shop = shop(&world).await;
    certificates_end(&world, world.clock.now() + TimeDelta::days(1)).await;
    let (one, other) = tokio::join!(tell_owners(world.office(), false), tell_owners(world.api.context(), false));
    assert_eq!(one.expect("a search") + other.expect("a search"), 1);
    assert_eq!(world.count("avisos").await, 1);
    drop(shop);
}

#[tokio::test]
async fn a_server_that_is_ahead_tells_nobody_too_early() {
    let world = World::new().await;
    let _shop = shop(&world).await;
    world.clock.set_to_present(TimeDelta::days(20));
    certificates_end(&world, world.clock.now() + TimeDelta::days(20)).await;
    assert!(told(&world).await.is_empty());
    world.clock.set_to_present(TimeDelta::zero());
    certificates_end(&world, world.clock.now() + TimeDelta::days(29)).await;
    assert_eq!(told(&world).await.len(), 1);
}

#[tokio::test]
async fn a_test_company_s_certificate_ends_by_its_own_clock() {
    let world = World::new().await;
    let (test, _real) = (Shop::of(world.test_company().await).await, shop(&world).await);
    with_address(&test.company).await;
    certificates_end(&world, world.clock.now() + TimeDelta::days(365)).await;
    assert!(told(&world).await.is_empty());
    let forward = MoveClock::Forward(TimeDelta::days(350));
    world.office().run(test.company.id, &forward).await.expect("moved");
    let mails = told(&world).await;
    assert!(mails.len() == 1 && mails[0].0.contains(": [PRUEBA] El certificado"), "{mails:?}");
    // What is queued by its clock is due by its clock.
    assert_eq!(world.count("avisos").await, 0);
    assert!(told(&world).await.is_empty());
}

#[tokio::test]
async fn the_first_active_user_gets_the_mail() {
    let world = World::new().await;
    let shop = shop(&world).await;
    certificates_end(&world, world.clock.now()).await;
    let second = svc_core::store::NewUser {
        nombre: "Beto".to_owned(),
        correo: Some("beto@example.com".to_owned()),
        vendedor: false,
    };
    world.office().run(shop.company.id, &svc_core::operations::CreateUser(second)).await.expect("a user");
    world.office().run(shop.company.id, &DisableUser { usuario: shop.company.owner }).await.expect("disabled");
    let change = CompanyChange { correo: Some("b@example.com".to_owned()), ..CompanyChange::default() };
    shop.company.edit(change).await;
    let mails = told(&world).await;
    assert!(mails.len() == 1 && mails[0].0.starts_with("b@example.com: "), "{mails:?}");
    // A key is theirs too, unless it says whose.
    shop.company.admin().await.get("/clientes").await.ok(200);
}

#[tokio::test]
async fn an_owner_gets_one_mail_when_the_provider_refuses_the_account() {
    let world = World::new().await;
    let shop = shop(&world).await;
    let (_, first) = shop.invoice(nails()).await;
    world.stamp(&Stub::new(misconfigured)).await;
    let mails = told(&world).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let (subject, text) = &mails[0];
    assert!(subject.contains("El timbrado de ") && subject.contains("rechaza la cuenta"), "{subject}");
    assert!(text.starts_with("1 comprobante de ") && text.contains("402: el usuario no existe"), "{text}");
    assert!(text.contains(&format!("registro: {first}\n")), "{text}");

    // Others that wait meanwhile are no news.
    world.clock.advance(TimeDelta::hours(2));
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(misconfigured)).await;
    world.clock.advance(TimeDelta::days(3));
    world.stamp(&Stub::new(misconfigured)).await;
    assert!(told(&world).await.is_empty());

    // Once they are stamped, the next that wait are, but for a day after the last e-mail.
    world.clock.advance(TimeDelta::days(1));
    world.stamp(&Stub::new(accept)).await;
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(misconfigured)).await;
    assert_eq!(told(&world).await.len(), 1);
    world.clock.advance(TimeDelta::hours(12));
    world.stamp(&Stub::new(accept)).await;
    assert_eq!(world.count("timbrados").await, 0);
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(misconfigured)).await;
    assert!(told(&world).await.is_empty(), "it was said half a day ago");
    world.clock.advance(TimeDelta::hours(13));
    assert_eq!(told(&world).await.len(), 1);
}

#[tokio::test]
async fn an_owner_gets_a_mail_about_documents_whose_fate_is_unknown() {
    let world = World::new().await;
    let (shop, _other) = (shop(&world).await, Shop::new(&world).await);
    let claves = [shop.invoice(nails()).await.1, shop.invoice(nails()).await.1];
    world.stamp(&Stub::new(unknown)).await;
    let mails = told(&world).await;
    let (subject, text) = &mails[0];
    assert!(subject.contains("No se sabe qué fue de 2 comprobantes de "), "{subject}");
    assert!(text.contains(&format!("registro: {}, {}\n", claves[0], claves[1])), "{text}");
    assert!(text.contains("invoice.restamp") && text.contains("forzar"), "{text}");
    assert!(told(&world).await.is_empty());
}

#[tokio::test]
async fn an_owner_gets_a_mail_when_no_provider_is_set() {
    let world = World::new().await;
    let (shop, test) = (shop(&world).await, Shop::of(world.test_company().await).await);
    with_address(&test.company).await;
    shop.invoice(nails()).await;
    test.invoice(nails()).await;
    assert!(told_of(&world, true).await.is_empty(), "another process may have one");
    world.clock.advance(TimeDelta::minutes(11));
    assert!(told(&world).await.is_empty(), "it has one here");
    let mails = told_of(&world, true).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].0.contains(": 1 comprobante de ") && mails[0].1.contains("SVC_STAMPER"), "{mails:?}");
    world.clock.advance(TimeDelta::days(2));
    assert!(told_of(&world, true).await.is_empty());
    world.stamp(&SandboxStamper).await;
    shop.invoice(nails()).await;
    world.clock.advance(TimeDelta::minutes(11));
    assert_eq!(told_of(&world, true).await.len(), 1, "others wait now");
}

#[tokio::test]
async fn an_e_mail_that_cannot_be_sent_is_not_queued_again() {
    let world = World::new().await;
    let _shop = shop(&world).await;
    certificates_end(&world, world.clock.now()).await;
    let server = MailServer::default();
    server.down.store(true, Ordering::Relaxed);
    assert_eq!(tell_owners(world.office(), false).await.expect("a search"), 1);
    assert_eq!(world.notify(&server).await.pospuestos, 1);
    assert_eq!(tell_owners(world.office(), false).await.expect("a search"), 0);
    assert_eq!(world.count("avisos").await, 1);
}
