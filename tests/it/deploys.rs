//! Two releases on one database: servers of one, the schema of the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Method;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_store_postgres::{OpenError, PostgresStore, Settings};
use svc_tests::{Actor, Company, Resource, World, endpoints, fresh_key, releases};

use crate::delivery::answering;
use crate::ventas::shop::{on_credit, shop};

/// Runs one operation of each kind, all workers and all lists.
pub(super) async fn round(company: &Company, ana: &Actor) {
    let made = |reply: Value, field: &str| reply[field].as_i64().expect("a clave");
    ana.post("/leads", json!({"nombre": "Bea", "correo": "bea@example.com"})).await.ok(201);
    let cliente =
        made(ana.post("/clientes", json!({"nombre": "Cid", "correo": "cid@example.com"})).await.ok(201), "cliente");
    ana.put(&format!("/clientes/{cliente}"), json!({"nombre": "Cid", "cp": "06700"})).await.ok(200);
    let call = json!({"canal": "llamada", "resultado": "contactado", "cierre": "vendido"});
    ana.post(&format!("/clientes/{cliente}/interacciones"), call).await.ok(201);
    let product = json!({"sku": fresh_key(), "descripcion": "Clavo", "unidad": 1});
    let producto = made(ana.post("/productos", product).await.ok(201), "producto");
    ana.put(&format!("/productos/{producto}"), json!({"descripcion": "Clavo largo"})).await.ok(200);
    let hook = json!({"url": "https://example.com/x", "eventos": ["venta.creada", "factura.timbrada"]});
    let webhook = made(ana.post("/webhooks", hook).await.ok(201), "clave");
    ana.put(&format!("/webhooks/{webhook}"), json!({"descripcion": "De prueba"})).await.ok(200);
    let venta = made(ana.post("/ventas", on_credit()).await.ok(201), "venta");
    ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    // It includes the complement of the previous round.
    assert!(company.world.stamp(&SandboxStamper).await.timbrados > 0);
    let owed = ana.get(&format!("/cxc?venta={venta}")).await.ok(200)["datos"][0].clone();
    let payment = json!({"importe": owed["total"], "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                         "referencia": fresh_key()});
    ana.post(&format!("/cxc/{}/pagos", owed["clave"]), payment).await.ok(201);
    let bare = |method, path: String| async move {
        let request = ana.request(method, &path).header("Idempotency-Key", fresh_key());
        ana.send(request, "").await
    };
    let own = format!("/webhooks/{webhook}");
    bare(Method::POST, format!("{own}/secreto")).await.ok(200);
    let entrega = made(bare(Method::POST, format!("{own}/probar")).await.ok(202), "entrega");
    assert!(company.world.deliver(&answering::<200>()).await.entregadas > 0);
    bare(Method::POST, format!("{own}/entregas/{entrega}/reenviar")).await.ok(202);
    for list in endpoints().filter(|endpoint| endpoint.pages().is_some()) {
        let selector = match list.http.path {
            "/ventas-renglones" => "?venta=1",
            "/compras-renglones" => "?compra=1",
            "/movimientos-inventario" => "?clave=1",
            _ => "",
        };
        ana.walk(&format!("{}{selector}", list.http.path.replace("{clave}", &webhook.to_string()))).await;
    }
    bare(Method::DELETE, own).await.ok(200);
}

#[tokio::test]
async fn a_server_works_on_the_schema_of_a_later_release() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Banco"})]).await;
    let ana = company.admin().await;
    round(&company, &ana).await;
    // While the server runs, with prepared statements on its connections.
    releases::migrate_to_a_later_one(&mut world.pool().acquire().await.expect("a connection")).await;
    round(&company, &ana).await;
    // A restart: the first step of `svc serve`, and the query of readiness.
    let started = PostgresStore::with_options(world.store.options().clone(), &Settings::default());
    assert_eq!(started.migrate().await.expect("nothing to do"), 0);
    started.probe().check().await.expect("it is ready");
    round(&company, &ana.at(&world.second_api())).await;
    let later = shop(&world).await;
    later.load(Resource::CuentasBancarias, &[json!({"nombre": "Banco"})]).await;
    round(&later, &later.admin().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_release_migrates_beside_a_long_reader_and_servers_of_this_one() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Banco"})]).await;
    let ana = company.admin().await;
    let stores = [(); 2].map(|()| {
        let options = world.store.options().clone();
        Arc::new(PostgresStore::with_options(options, &Settings::default()))
    });
    let mut reader = world.pool().begin().await.expect("a transaction");
    sqlx::query("SELECT count(*) FROM clientes").fetch_one(&mut *reader).await.expect("a count");
    let next = Arc::new(releases::next().await);
    let [one, other] = stores.clone().map(|store| {
        let next = Arc::clone(&next);
        tokio::spawn(async move { store.migrate_further(&next).await })
    });
    let mut longest = Duration::ZERO;
    for _ in 0..30 {
        let started = Instant::now();
        world.count("clientes").await;
        longest = longest.max(started.elapsed());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(!one.is_finished() && !other.is_finished(), "they wait for the reader");
    // A migration blocks other readers for a second, then lets them pass.
    assert!(longest < Duration::from_secs(3), "{longest:?}");
    reader.commit().await.expect("the reader ends");
    let done = one.await.expect("no panic").expect("migrated") + other.await.expect("no panic").expect("migrated");
    assert_eq!(done, next.iter().count() as u64);
    assert_eq!(stores[0].migrate_further(&next).await.expect("nothing to do"), 0);
    // Servers of this release keep working, old and new ones.
    round(&company, &ana).await;
    assert_eq!(stores[0].migrate().await.expect("nothing to do"), 0);
    stores[0].probe().check().await.expect("it is ready");
    round(&company, &ana.at(&world.second_api())).await;
}

#[tokio::test]
async fn a_server_is_not_ready_on_a_schema_that_is_behind() {
    let world = World::new().await;
    let last = "DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)";
    sqlx::raw_sql(last).execute(world.pool()).await.expect("an older schema");
    let store = PostgresStore::with_options(world.store.options().clone(), &Settings::default());
    assert!(matches!(store.probe().check().await, Err(OpenError::Outdated)));
}

#[tokio::test]
async fn a_server_is_not_ready_before_its_hosts_tables_are_there() {
    let world = World::new().await;
    let store = PostgresStore::with_options(world.store.options().clone(), &Settings::default());
    // No name of a host's migration is reserved.
    let files = [
        ("0005_parcels", "CREATE TABLE propios (empresa bigint, clave bigint, PRIMARY KEY (empresa, clave))"),
        ("0006_crm", "ALTER TABLE propios ADD guia text"),
    ];
    let first = |count: usize| svc_store_postgres::migrations(&files[..count]);
    let ready = async || store.probe().and_own("paqueteria", first(2)).expect("a name").check().await;
    assert!(matches!(ready().await, Err(OpenError::Outdated)));
    store.migrate_own("paqueteria", first(1)).await.expect("migrated");
    assert!(matches!(ready().await, Err(OpenError::Outdated)));
    assert_eq!(store.migrate_own("paqueteria", first(2)).await.expect("migrated"), 1);
    ready().await.expect("it is ready");
    assert_eq!(store.migrate_own("paqueteria", first(2)).await.expect("nothing to do"), 0);
    let long = "p".repeat(51);
    for name in ["Paquetería", "", &long, "metadatos"] {
        assert!(matches!(store.migrate_own(name, first(1)).await, Err(OpenError::HostName(_))), "{name}");
    }
    svc_store_postgres::metadata::migrate(&store).await.expect("its own name");
    let changed = svc_store_postgres::migrations(&[("0005_parcels", "CREATE TABLE otros (empresa bigint)")]);
    let refused = store.migrate_own("paqueteria", changed).await.expect_err("another file").to_string();
    assert!(refused.starts_with("the tables of paqueteria cannot be brought up to date: "), "{refused}");
}

#[tokio::test]
async fn a_hosts_migrations_without_numbers_of_their_own_are_refused_before_any_runs() {
    let world = World::new().await;
    let store = PostgresStore::with_options(world.store.options().clone(), &Settings::default());
    let [one, other] =
        ["CREATE TABLE uno (empresa bigint PRIMARY KEY)", "CREATE TABLE otro (empresa bigint PRIMARY KEY)"];
    for names in [["0001_uno", "0001_otro"], ["uno", "0001_otro"], ["0001_uno", "-1_otro"]] {
        let migrations = svc_store_postgres::migrations(&[(names[0], one), (names[1], other)]);
        let refused = store.migrate_own("paqueteria", migrations).await;
        assert!(matches!(refused, Err(OpenError::HostNumber(..))), "{names:?}: {refused:?}");
    }
    assert_eq!(world.count("pg_tables WHERE tablename IN ('uno', 'otro')").await, 0);
}
