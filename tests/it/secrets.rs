//! Rotating the key that seals secrets.

use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use svc_core::Code;
use svc_core::domain::clock::SystemRandom;
use svc_core::domain::company::CompanyId;
use svc_core::secrets::{Place, PlainSecrets, Sealer, SecretsError, SecretsKey, WrongKey};
use svc_core::store::SIGNING_KEY;
use svc_core::store::{Resealed, SealedColumn, SecretStore as _};
use svc_core::webhooks::{Outcome, Post, SECRET, Sender};
use svc_tests::{Actor, Company, World, fresh_key, notices, secrets_key};

use crate::webhooks::{bare, sound};

/// The key after [`secrets_key`].
fn next_key() -> SecretsKey {
    SecretsKey::new([8; 32])
}

/// Seals under the next key, and opens what the world sealed.
fn both() -> Sealer {
    Sealer::new(next_key()).with_old([secrets_key()])
}

async fn rotate(world: &World, sealer: Sealer, plain: PlainSecrets) -> Value {
    let rotated = world.with_secrets(sealer).rotate_secrets(plain).await.expect("a rotation");
    serde_json::to_value(rotated).expect("JSON")
}

fn done(resellados: u64, pendientes: u64) -> Value {
    json!({"resellados": resellados, "pendientes": pendientes})
}

/// Every sealed value in the database that is not erased, with its plain text.
async fn opened(world: &World, sealer: &Sealer) -> Vec<(String, Vec<u8>)> {
    let statement = "SELECT empresa, 'llave', numero, llave FROM certificados
                     UNION ALL SELECT empresa, 'secreto', clave::text, secreto FROM webhooks WHERE secreto <> ''
                     UNION ALL SELECT empresa, 'anterior', clave::text, secreto_anterior FROM webhooks
                               WHERE secreto_anterior IS NOT NULL
                     ORDER BY 1, 2, 3";
    let rows: Vec<(i64, String, String, Vec<u8>)> =
        sqlx::query_as(statement).fetch_all(world.pool()).await.expect("the secrets");
    let open = |(company, column, record, sealed): (i64, String, String, Vec<u8>)| {
        let place = Place {
            company: CompanyId(company),
            column: if column == "llave" { SIGNING_KEY } else { SECRET },
            record: &record,
        };
        let secret = sealer.open(place, &sealed).unwrap_or_else(|error| panic!("{place} {column}: {error}"));
        (format!("{place} {column}"), secret.to_vec())
    };
    rows.into_iter().map(open).collect()
}

/// A company with three sealed values, and a deleted webhook.
async fn company(world: &World) -> (Company, Actor) {
    let company = world.company().await;
    company.load_certificate().await;
    let ana = company.admin().await;
    for _ in 0..2 {
        ana.post("/webhooks", sound()).await.ok(201);
    }
    bare(&ana, Method::POST, "/webhooks/1/secreto").await.ok(200);
    bare(&ana, Method::DELETE, "/webhooks/2").await.ok(200);
    (company, ana)
}

struct Accepting;

#[async_trait::async_trait]
impl Sender for Accepting {
    async fn send(&self, _: Post) -> Outcome {
        Outcome::Answered { status: 200, retry_after: None }
    }
}

#[tokio::test]
async fn every_secret_of_every_company_is_sealed_under_the_new_key() {
    let world = World::new().await;
    let (one, ana) = company(&world).await;
    company(&world).await;
    let before = opened(&world, &Sealer::new(secrets_key())).await;
    assert_eq!(before.len(), 6);
    let modified = "SELECT string_agg(to_jsonb(w) ->> 'modificado', ' ' ORDER BY empresa, clave) FROM webhooks w";
    let times: String = world.sql(modified).await;

    assert_eq!(rotate(&world, both(), PlainSecrets::Refused).await, done(6, 0));
    // The former key is no longer needed, and nothing else has changed.
    assert_eq!(opened(&world, &Sealer::new(next_key())).await, before);
    assert_eq!(world.sql::<String>(modified).await, times);
    assert_eq!(world.count("webhooks WHERE eliminado IS NOT NULL AND secreto = ''").await, 2);
    assert_eq!(rotate(&world, both(), PlainSecrets::Refused).await, done(0, 0));
    assert_eq!(rotate(&world, Sealer::new(next_key()), PlainSecrets::Refused).await, done(0, 0));
    bare(&ana, Method::POST, "/webhooks/1/probar").await.ok(202);
    assert_eq!(world.with_secrets(next_key()).deliver(&Accepting).await.entregadas, 1);
    // And back again.
    let back = Sealer::new(secrets_key()).with_old([next_key()]);
    assert_eq!(rotate(&one.world, back, PlainSecrets::Refused).await, done(6, 0));
    assert_eq!(opened(&world, &Sealer::new(secrets_key())).await, before);
}

#[tokio::test]
async fn rotation_covers_more_companies_than_one_batch() {
    let world = World::new().await;
    let sealer = Sealer::new(secrets_key());
    for index in 0..205 {
        let company = world.company().await;
        // Most companies have no secrets, among them the last of a batch.
        if index % 50 == 3 {
            let owner = (company.id.0, company.owner);
            let now = svc_core::domain::clock::Clock::now(&*world.clock);
            notices::webhook(world.pool(), &sealer, owner, "https://a.example.com/", &["venta.creada"], now).await;
        }
    }
    assert_eq!(rotate(&world, both(), PlainSecrets::Refused).await, done(5, 0));
    assert_eq!(opened(&world, &Sealer::new(next_key())).await.len(), 5);
}

#[tokio::test]
async fn secrets_under_an_unknown_key_stay_and_are_counted() {
    let world = World::new().await;
    company(&world).await;
    let before = opened(&world, &Sealer::new(secrets_key())).await;
    assert_eq!(rotate(&world, Sealer::new(next_key()), PlainSecrets::Accepted).await, done(0, 3));
    // A value moved from elsewhere does not open, and does not block others.
    world.run("UPDATE webhooks SET secreto_anterior = (SELECT llave FROM certificados) WHERE clave = 1").await;
    assert_eq!(rotate(&world, both(), PlainSecrets::Refused).await, done(2, 1));
    world.run("UPDATE webhooks SET secreto_anterior = NULL, secreto_anterior_hasta = NULL").await;
    let left: Vec<_> = before.into_iter().filter(|(place, _)| !place.ends_with("anterior")).collect();
    assert_eq!(opened(&world, &Sealer::new(next_key())).await, left);

    let error = world.with_secrets(Sealer::default()).rotate_secrets(PlainSecrets::Accepted).await.unwrap_err();
    assert_eq!(error.code(), Code::EstadoInvalido);
    assert!(error.mensaje().contains("SVC_SECRETS_KEY"), "{error}");
}

#[tokio::test]
async fn a_key_is_wrong_if_it_opens_no_secret() {
    let world = World::new().await;
    let refused = async |sealer: Sealer| {
        let server = world.second_api_with(|builder| builder.secrets(sealer));
        server.context().refuse_wrong_key().await.err().map(|WrongKey(why)| why)
    };
    assert_eq!(refused(next_key().into()).await, None, "nothing is stored");
    company(&world).await;
    for (sealer, why) in [
        (Sealer::default(), None),
        (secrets_key().into(), None),
        (both(), None),
        (next_key().into(), Some(SecretsError::UnknownKey)),
    ] {
        assert_eq!(refused(sealer).await, why);
    }
    // One that opens is enough, of whatever kind.
    world.run("UPDATE certificados SET llave = '\\x00'").await;
    assert_eq!(refused(secrets_key().into()).await, None);
    world.run("UPDATE webhooks SET secreto = '\\x00'").await;
    assert_eq!(refused(secrets_key().into()).await, Some(SecretsError::Plain));
}

#[tokio::test]
async fn plain_text_is_sealed_only_where_it_is_accepted() {
    let world = World::with(|builder| builder.secrets(Sealer::default())).await;
    let company = world.company().await;
    let ana = company.admin().await;
    let secret = ana.post("/webhooks", sound()).await.ok(201)["secreto"].clone();
    let secret = secret.as_str().expect("a secret").as_bytes().to_vec();
    let plain: Vec<u8> = world.sql("SELECT secreto FROM webhooks").await;
    assert_eq!(plain, [b"\0", &secret[..]].concat());
    bare(&ana, Method::POST, "/webhooks/1/probar").await.ok(202);

    // Once there is a key, nothing is signed with a secret that anyone could have inserted.
    let report = world.with_secrets(next_key()).deliver(&Accepting).await;
    assert_eq!((report.entregadas, report.pospuestas + report.fallidas), (0, 1));
    assert_eq!(rotate(&world, both(), PlainSecrets::Refused).await, done(0, 1));
    assert_eq!(world.sql::<Vec<u8>>("SELECT secreto FROM webhooks").await, plain);

    assert_eq!(rotate(&world, both(), PlainSecrets::Accepted).await, done(1, 0));
    assert_eq!(opened(&world, &Sealer::new(next_key())).await[0].1, secret);
    bare(&ana, Method::POST, "/webhooks/1/probar").await.ok(202);
    assert_eq!(world.with_secrets(next_key()).deliver(&Accepting).await.entregadas, 1);
}

#[tokio::test]
async fn a_secret_that_was_changed_meanwhile_is_not_overwritten() {
    let world = World::new().await;
    let (one, ana) = company(&world).await;
    let store = world.used_store();
    let prefix = both().current_prefix().expect("a key");
    let batch = store.secrets_not_under(&prefix, CompanyId(0), 10).await.expect("a batch");
    assert_eq!((batch.secrets.len(), batch.last), (3, Some(one.id)));
    let newest = bare(&ana, Method::POST, "/webhooks/1/secreto").await.ok(200)["secreto"].clone();
    let reseal = |secret: &svc_core::store::SealedSecret| {
        let column = if secret.column == SealedColumn::CertificateKey { SIGNING_KEY } else { SECRET };
        let place = Place { company: secret.company, column, record: &secret.record };
        let sealed = both().reseal(place, &secret.sealed, PlainSecrets::Refused, &SystemRandom).expect("sealed");
        Resealed { secret: secret.clone(), sealed }
    };
    let resealed: Vec<_> = batch.secrets.iter().map(reseal).collect();
    assert_eq!(store.replace_secrets(&resealed).await.expect("replaced"), 1, "the certificate's key");
    assert_eq!(store.replace_secrets(&[]).await.expect("replaced"), 0);
    assert!(store.secrets_not_under(&prefix, one.id, 10).await.expect("a batch").last.is_none());
    assert_eq!(rotate(&world, both(), PlainSecrets::Refused).await, done(2, 0));
    let stored = opened(&world, &Sealer::new(next_key())).await;
    let secret = stored.iter().find(|(place, _)| place.ends_with(" secreto")).expect("a secret");
    assert_eq!(secret.1, newest.as_str().expect("text").as_bytes());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_may_change_during_a_rotation() {
    const WEBHOOKS: usize = 8;
    let world = World::new().await;
    let company = world.company().await;
    let old = company.admin().await;
    // A server that seals under the next key, beside one that still seals under the former.
    let new = old.at(&world.second_api_with(|builder| builder.secrets(both())));
    for _ in 0..WEBHOOKS {
        old.post("/webhooks", sound()).await.ok(201);
    }
    let change = |server: &Actor, clave: usize| {
        let server = server.clone();
        async move {
            let path = format!("/webhooks/{clave}/secreto");
            let mut last = Value::Null;
            for _ in 0..6 {
                last = server
                    .send(server.request(Method::POST, &path).header("Idempotency-Key", fresh_key()), "")
                    .await
                    .ok(200)["secreto"]
                    .clone();
            }
            last.as_str().expect("text").as_bytes().to_vec()
        }
    };
    let changes = (1..=WEBHOOKS).map(|clave| change(if clave % 2 == 0 { &old } else { &new }, clave));
    let rotations = async {
        for _ in 0..10 {
            rotate(&world, both(), PlainSecrets::Refused).await;
        }
    };
    let (secrets, ()) = tokio::join!(join_all(changes), rotations);
    assert_eq!(rotate(&world, both(), PlainSecrets::Refused).await["pendientes"], 0);
    let stored = opened(&world, &Sealer::new(next_key())).await;
    let current: Vec<_> =
        stored.iter().filter(|(place, _)| place.ends_with(" secreto")).map(|(_, secret)| secret).collect();
    assert_eq!(current, secrets.iter().collect::<Vec<_>>(), "the last secret that was shown is the one that signs");
    assert_eq!(stored.len(), 2 * WEBHOOKS);
}
