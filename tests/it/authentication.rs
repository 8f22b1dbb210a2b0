//! Who may call, beyond the table tests: the life of a key, its owner and its company; notice mode;
//! secrets.

use std::fmt::Write as _;

use chrono::TimeDelta;
use http::{HeaderValue, Method, Request, header, request::Builder};
use serde_json::json;
use sqlx::AssertSqlSafe;
use svc_core::domain::clock::Clock;
use svc_core::domain::company::{LimitMode, Plan};
use svc_core::operations::{AcceptTerms, CreateKey, RevokeKey};
use svc_core::store::CompanyChange;
use svc_store_postgres::{PostgresStore, Settings};
use svc_tests::{Actor, Company, World, any_key, in_notice_mode};

const KEY_ID: &str = "X-Svc-Key-Id";
const AVISO: &str = "x-svc-aviso";

#[tokio::test]
async fn a_secret_is_stored_as_its_sha_256_and_nowhere_as_it_is() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    let digest: bool = sqlx::query_scalar("SELECT bool_and(secreto_sha256 = sha256($1)) FROM llaves")
        .bind(ana.api_key.as_bytes())
        .fetch_one(world.pool())
        .await
        .expect("a digest");
    assert!(digest);
    let tables: Vec<String> = sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
        .fetch_all(world.pool())
        .await
        .expect("the tables");
    assert!(tables.len() > 5, "{tables:?}");
    for table in tables {
        let find = "position($1 IN r::text) > 0 OR position(encode(convert_to($1, 'UTF8'), 'hex') IN r::text) > 0";
        let found: i64 = sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {table} r WHERE {find}")))
            .bind(&ana.api_key)
            .fetch_one(world.pool())
            .await
            .expect("a count");
        assert_eq!(found, 0, "{table}");
    }
}

#[tokio::test]
async fn a_key_works_until_the_instant_it_expires() {
    let world = World::new().await;
    let expires = Some(world.clock.now() + TimeDelta::hours(1));
    let ana = world.company().await.key(CreateKey { expires, ..any_key() }).await;
    world.clock.advance(TimeDelta::seconds(3599));
    ana.get("/clientes").await.ok(200);
    // A key is cached, but its expiry is checked at every request.
    world.clock.advance(TimeDelta::seconds(1));
    ana.get("/clientes").await.fails(401, "llave_invalida");
}

#[tokio::test]
async fn a_revoked_key_stops_working_within_five_seconds_at_every_server() {
    let world = World::new().await;
    let company = world.company().await;
    let (ana, bob) = (company.admin().await, company.admin().await);
    let elsewhere = ana.at(&world.second_api());
    for actor in [&ana, &bob, &elsewhere] {
        actor.get("/clientes").await.ok(200);
    }
    let revoked = company.run(&RevokeKey { suffix: suffix(&ana) }).await.expect("the key");
    assert_eq!(revoked.key_id, ana.key_id);
    world.clock.advance(TimeDelta::seconds(5));
    ana.get("/clientes").await.fails(401, "llave_invalida");
    elsewhere.post("/clientes", json!({"nombre": "Ana"})).await.fails(401, "llave_invalida");
    bob.get("/clientes").await.ok(200);
}

#[tokio::test]
async fn a_key_stops_working_with_its_owner() {
    let world = World::new().await;
    let company = world.company().await;
    let usuario = company.user("Ana", false).await;
    let (ana, other) = (company.key(CreateKey { usuario: Some(usuario), ..any_key() }).await, company.admin().await);
    ana.get("/clientes").await.ok(200);
    company.disable_user(usuario).await;
    world.clock.advance(TimeDelta::seconds(5));
    ana.get("/clientes").await.fails(401, "llave_sin_titular");
    other.get("/clientes").await.ok(200);
}

#[tokio::test]
async fn changes_of_the_company_take_effect_within_five_seconds() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    let (no_plan, no_api) = (plan(Plan::None), CompanyChange { api: Some(false), ..CompanyChange::default() });
    let api = CompanyChange { api: Some(true), ..CompanyChange::default() };
    for (worse, better, status, codigo) in
        [(no_plan, plan(Plan::Pro), 402, "plan_requerido"), (no_api, api, 404, "api_no_habilitada")]
    {
        ana.get("/clientes").await.ok(200);
        company.edit(worse).await;
        world.clock.advance(TimeDelta::seconds(5));
        ana.get("/clientes").await.fails(status, codigo);
        ana.post("/clientes", json!({"nombre": "Ana"})).await.fails(status, codigo);
        company.edit(better).await;
        world.clock.advance(TimeDelta::seconds(5));
    }
    ana.get("/clientes").await.ok(200);
}

#[tokio::test]
async fn a_key_works_once_it_has_accepted_the_current_terms() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.key(CreateKey { accept_terms: false, ..any_key() }).await;
    ana.get("/clientes").await.fails(403, "terminos_pendientes");
    sqlx::query("UPDATE llaves SET terminos = '2025-01'").execute(world.pool()).await.expect("older terms");
    world.clock.advance(TimeDelta::seconds(5));
    ana.get("/clientes").await.fails(403, "terminos_pendientes");
    company.run(&AcceptTerms { suffix: suffix(&ana) }).await.expect("the key");
    world.clock.advance(TimeDelta::seconds(5));
    ana.get("/clientes").await.ok(200);
    assert_eq!(world.sql::<String>("SELECT terminos FROM llaves").await, "2026-10");
}

#[tokio::test]
async fn a_malformed_key_id_is_no_key() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let (company, suffix) = ana.key_id.split_once('_').expect("two parts");
    for key_id in [
        String::new(),
        "_".to_owned(),
        company.to_owned(),
        suffix.to_owned(),
        format!("{company}_"),
        format!("_{suffix}"),
        format!("{company}-{suffix}"),
        format!("{company}_{suffix}_"),
        format!("{company}__{suffix}"),
        format!("0{company}_{suffix}"),
        format!("+{company}_{suffix}"),
        format!("-{company}_{suffix}"),
        format!("{company}.0_{suffix}"),
        format!("9223372036854775808_{suffix}"),
        format!("{company}_{}", "a".repeat(5_000)),
        format!("{company}_' OR ''='"),
        format!("{company}_ñ"),
    ] {
        let value = HeaderValue::from_bytes(key_id.as_bytes()).expect("a header's value");
        let request = bare().header(KEY_ID, value).header(header::AUTHORIZATION, format!("Bearer {}", ana.api_key));
        let reply = ana.send(request, "").await;
        assert_eq!((reply.status, reply.header(AVISO)), (401, None), "{key_id}: {}", reply.json());
        reply.fails(401, "llave_invalida");
    }
}

#[tokio::test]
async fn credentials_are_sent_once_and_as_bearer() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let secret = &ana.api_key;
    for schemes in [
        vec![secret.clone()],
        vec![format!("Basic {secret}")],
        vec![format!("Token {secret}")],
        vec![format!("Bearer{secret}")],
        vec![format!("Bearer={secret}")],
        vec!["Bearer".to_owned()],
        vec!["Bearer ".to_owned()],
        vec![format!("Bearer {secret}, Bearer {secret}")],
        vec![format!("Bearer {secret} {secret}")],
        vec![format!("Bearer {}", secret.to_uppercase())],
        vec![format!("Bearer {secret}"), format!("Bearer {secret}")],
        vec![format!("Bearer {secret}"), "Basic x".to_owned()],
    ] {
        let request = schemes.iter().fold(bare(), |request, value| request.header(header::AUTHORIZATION, value));
        let reply = ana.send(request.header(KEY_ID, &ana.key_id), "").await;
        assert_eq!(reply.status, 401, "{schemes:?}: {}", reply.json());
        reply.fails(401, "llave_invalida");
    }
    let twice = ana.request(Method::GET, "/clientes").header(KEY_ID, &ana.key_id);
    ana.send(twice, "").await.fails(401, "llave_invalida");
    let lower = bare().header(header::AUTHORIZATION, format!("bearer {secret}")).header(KEY_ID, &ana.key_id);
    ana.send(lower, "").await.ok(200);
}

#[tokio::test]
async fn in_notice_mode_a_key_outlives_its_owner_with_a_notice() {
    let world = World::new().await;
    let company = world.company_with(in_notice_mode()).await;
    let ana = company.admin().await;
    assert_eq!(ana.get("/clientes").await.header(AVISO), None);
    disable_owner(&company).await;
    let read = ana.get("/clientes").await;
    read.ok(200);
    assert_eq!(read.announced(), ["llave_sin_titular"]);
    let written = ana.post("/clientes", json!({"nombre": "Ana"})).await;
    written.ok(201);
    assert_eq!(written.announced(), ["llave_sin_titular"]);
    let refused = ana.get("/clientes?otro=1").await;
    refused.fails(400, "filtro_no_permitido");
    assert_eq!(refused.announced(), ["llave_sin_titular"]);
}

#[tokio::test]
async fn in_notice_mode_a_company_without_plan_is_401_with_a_notice() {
    let world = World::new().await;
    let company = world.company_with(CompanyChange { plan: Some(Plan::None), ..in_notice_mode() }).await;
    let ana = company.admin().await;
    let reply = ana.get("/clientes").await;
    reply.fails(401, "llave_invalida");
    assert_eq!(reply.announced(), ["plan_requerido"]);
    disable_owner(&company).await;
    let reply = ana.get("/clientes").await;
    reply.fails(401, "llave_invalida");
    assert_eq!(reply.announced(), ["llave_sin_titular", "plan_requerido"]);
}

#[tokio::test]
async fn several_notices_are_one_header() {
    let world = World::new().await;
    let company = world.company_with(in_notice_mode()).await;
    disable_owner(&company).await;
    let reply = company.admin().await.get("/clientes?limite=31").await;
    reply.ok(200);
    assert_eq!(reply.headers.get_all(AVISO).iter().count(), 1);
    assert_eq!(reply.announced(), ["llave_sin_titular", "limite_invalido"]);
}

#[tokio::test]
async fn notice_mode_softens_nothing_else() {
    let world = World::new().await;
    let company = world.company_with(in_notice_mode()).await;
    let mut wrong = company.admin().await;
    wrong.api_key.push('0');
    let pending = company.key(CreateKey { accept_terms: false, ..any_key() }).await;
    let scopeless = company.actor(&[]).await;
    let off = world.company_with(CompanyChange { api: Some(false), ..in_notice_mode() }).await.admin().await;
    for (actor, status, codigo) in [
        (wrong, 401, "llave_invalida"),
        (pending, 403, "terminos_pendientes"),
        (scopeless, 403, "sin_permiso"),
        (off, 404, "api_no_habilitada"),
    ] {
        let reply = actor.get("/clientes").await;
        reply.fails(status, codigo);
        assert_eq!(reply.header(AVISO), None, "{codigo}");
    }
}

#[tokio::test]
async fn a_company_has_its_own_limit_mode_or_the_services() {
    for (service, own, notice) in [
        (LimitMode::Enforced, None, false),
        (LimitMode::Enforced, Some(LimitMode::Notice), true),
        (LimitMode::Notice, None, true),
        (LimitMode::Notice, Some(LimitMode::Enforced), false),
    ] {
        let world = World::with(|builder| builder.limits(service)).await;
        let company = world.company_with(CompanyChange { limites: Some(own), ..CompanyChange::default() }).await;
        let ana = company.admin().await;
        disable_owner(&company).await;
        let orphan = ana.get("/clientes").await;
        assert_eq!((orphan.status, orphan.header(AVISO).is_some()), (if notice { 200 } else { 401 }, notice));
        company.edit(plan(Plan::None)).await;
        sqlx::query("UPDATE usuarios SET activo = true").execute(world.pool()).await.expect("the owner is back");
        world.clock.advance(TimeDelta::seconds(5));
        let planless = ana.get("/clientes").await;
        assert_eq!((planless.status, planless.header(AVISO).is_some()), (if notice { 401 } else { 402 }, notice));
    }
}

#[tokio::test]
async fn nothing_that_is_printed_for_debugging_holds_a_secret() {
    let world = World::new().await;
    let company = world.company().await;
    let created = company.run(&any_key()).await.expect("a key");
    let record = world.key(&created.key_id).await;
    let shown = format!("{} {created:?} {record:?} {:?}", world.debug_text(), record.company);
    assert!(shown.contains(&created.key_id), "{shown}");
    let (digest, cursor) = (record.secret_sha256, record.company.cursor_key);
    for secret in [created.api_key, hex(&digest), hex(&cursor), format!("{digest:?}"), format!("{cursor:?}")] {
        assert!(!shown.contains(&secret), "{secret} in {shown}");
    }
    let store = PostgresStore::open("postgres://svc:hunter2@localhost/svc", &Settings::default()).expect("a store");
    assert!(!format!("{store:?} {:#?}", Settings::default()).contains("hunter2"));
}

fn plan(plan: Plan) -> CompanyChange {
    CompanyChange { plan: Some(plan), ..CompanyChange::default() }
}

fn bare() -> Builder {
    Request::builder().uri("/clientes")
}

fn suffix(actor: &Actor) -> String {
    actor.key_id.split_once('_').expect("two parts").1.to_owned()
}

async fn disable_owner(company: &Company) {
    company.disable_user(company.owner).await;
    company.world.clock.advance(TimeDelta::seconds(5));
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
