//! Copies of companies.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::AssertSqlSafe;
use svc_core::domain::company::CompanyId;
use svc_core::operations::MoveClock;
use svc_core::store::CompanyChange;
use svc_core::{Context, clean_up};
use svc_store_postgres::{ForkError, LEFT_OUT};
use svc_tests::{World, books};

use super::*;
use crate::books::played;
use crate::table::explain::filled;

/// The tables whose rows are copied. A new table is decided on here, or in [`LEFT_OUT`].
const COPIED: [&str; 53] = [
    "almacenes",
    "anticipos_ventas",
    "cancelaciones",
    "categorias",
    "clientes",
    "compras",
    "compras_renglones",
    "contadores",
    "costos",
    "costos_aperturas",
    "cuentas_bancarias",
    "cuentas_contables",
    "cxc",
    "cxc_pagos",
    "cxp",
    "cxp_pagos",
    "depositos",
    "devoluciones",
    "devoluciones_renglones",
    "etapas_oportunidad",
    "facturas",
    "facturas_acuses",
    "facturas_globales",
    "facturas_globales_ventas",
    "facturas_relaciones",
    "facturas_xml",
    "interacciones",
    "inventario",
    "listas_precios",
    "marcas",
    "motivos_perdida",
    "movimientos_inventario",
    "notas_credito",
    "notas_credito_renglones",
    "oportunidades",
    "polizas",
    "polizas_renglones",
    "precios",
    "productos",
    "proveedores",
    "reembolsos",
    "renglones_corregidos",
    "renglones_sustituidos",
    "saldos_a_favor",
    "sucursales",
    "sustituciones",
    "tareas",
    "timbrados",
    "unidades",
    "usuarios",
    "ventas",
    "ventas_previas",
    "ventas_renglones",
];

async fn fork(company: &Company, nombre: &str) -> Result<Company, ForkError> {
    let world = &company.world;
    let new = world.api.context().new_fork(nombre.to_owned()).expect("a name");
    let id = world.used_store().fork(company.id, &new).await?;
    Ok(Company { world: world.clone(), id, owner: company.owner })
}

/// The rows of a company in a table, without its number and with that done to them.
async fn rows(company: &Company, table: &str, changed: &str) -> Vec<String> {
    let statement =
        format!("SELECT ((to_jsonb(t) - 'empresa'){changed})::text FROM {table} t WHERE empresa = $1 ORDER BY 1");
    sqlx::query_scalar(AssertSqlSafe(statement))
        .bind(company.id.0)
        .fetch_all(company.world.pool())
        .await
        .unwrap_or_else(|error| panic!("{table}: {error}"))
}

async fn size(company: &Company, table: &str) -> i64 {
    rows(company, table, "").await.len() as i64
}

async fn tables(world: &World) -> BTreeSet<String> {
    let statement = "SELECT c.table_name::text FROM information_schema.columns c
                     JOIN information_schema.tables t USING (table_schema, table_name)
                     WHERE c.table_schema = 'public' AND c.column_name = 'empresa' AND t.table_type = 'BASE TABLE'";
    sqlx::query_scalar(statement).fetch_all(world.pool()).await.expect("the tables").into_iter().collect()
}

#[tokio::test]
async fn every_table_is_copied_or_left_out_on_purpose() {
    let world = World::new().await;
    let left_out = LEFT_OUT.iter().map(|(table, _)| *table).chain(["servicio"]);
    let decided: BTreeSet<String> = COPIED.into_iter().chain(left_out).map(str::to_owned).collect();
    assert_eq!(tables(&world).await, decided);
}

#[tokio::test]
async fn a_copy_has_every_record_and_goes_its_own_way() {
    let world = World::new().await;
    let company = played(&world, 1_500).await;
    company.edit(CompanyChange { correo: Some("ana@example.com".to_owned()), ..CompanyChange::default() }).await;
    let ana = company.admin().await;
    let hook = json!({"url": "https://hooks.example.com/svc", "eventos": ["venta.creada"]});
    ana.post("/webhooks", hook).await.ok(201);
    ana.post("/clientes", json!({"nombre": "Nueva"})).await.ok(201);
    let copy = fork(&company, "Copia").await.expect("a copy");

    for table in COPIED {
        let changed = match table {
            "usuarios" => " - 'correo'",
            "timbrados" | "cancelaciones" => " - '{proximo,detenido,token,arrendado}'::text[]",
            _ => "",
        };
        let (mut original, copied) = (rows(&company, table, changed).await, rows(&copy, table, changed).await);
        match table {
            "contadores" => {
                original.retain(|row| !LEFT_OUT.iter().any(|(left, _)| row.contains(&format!("\"{left}\""))));
            }
            "facturas_xml" => original.retain(|row| row.contains("\"timbrado\": true")),
            _ => {}
        }
        assert_eq!(copied, original, "{table}");
    }
    for (table, _) in LEFT_OUT.iter().filter(|(table, _)| *table != "empresas") {
        assert_eq!(size(&copy, table).await, 0, "{table}");
    }
    assert_eq!(world.sql::<i64>("SELECT count(*) FROM usuarios WHERE empresa = 3 AND correo IS NOT NULL").await, 0);
    for resource in Resource::ALL {
        assert_eq!(copy.export(*resource).await, company.export(*resource).await, "{}", resource.name());
    }
    books::check(&world, &company).await;
    books::check(&world, &copy).await;

    // What it is: a test company with the original's settings.
    let row = "SELECT jsonb_agg(to_jsonb(e) - '{empresa,nombre,creada,cursor_clave,prueba}'::text[])::text
               FROM empresas e WHERE empresa IN (1, 3)";
    let settings = world.json(row).await;
    assert_eq!(settings[0], settings[1]);
    let row = "SELECT jsonb_build_array(nombre, prueba, cursor_clave <> (SELECT cursor_clave FROM empresas WHERE empresa = 1))::text
               FROM empresas WHERE empresa = 3";
    assert_eq!(world.json(row).await, json!(["Copia", true, true]));

    // Nothing leaves it by itself, and its folios go on from the original's.
    let report = world.stamp_without_provider().await;
    assert_eq!(report, svc_core::stamping::StampReport::default(), "the original has no provider here");
    let receiver = crate::delivery::answering::<200>();
    world.deliver(&receiver).await;
    for post in receiver.posts() {
        let notice: Value = serde_json::from_slice(&post.body).expect("a notice");
        assert_eq!(notice["empresa"], 1, "{notice}");
    }
    copy.load_certificate().await;
    let eva = copy.admin().await;
    let order = json!({"tipo": "pedido", "cliente": 1, "metodo_pago_sat": "PPD", "forma_pago_sat": "99",
                       "renglones": [{"producto": 3, "cantidad": 1, "precio_unitario": "100"}]});
    let next = company.rehearse_by_name("sale.capture", &order).await.expect("a rehearsal").0;
    let made = eva.post("/ventas", order).await.ok(201);
    assert_eq!((&made["venta"], &made["folio"]), (&next["venta"], &next["folio"]), "{made} {next}");
    let venta = made["venta"].as_i64().unwrap();
    // Documents are not dated ahead of the database's clock, and the business may have been.
    world.clock.set_to_present(TimeDelta::zero());
    eva.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    world.stamp_without_provider().await;
    let invoice = one(&eva, &format!("/facturas?venta={venta}")).await;
    assert_eq!(invoice["estatus"], "vigente", "{invoice}");
    books::check(&world, &copy).await;
    books::check(&world, &company).await;
    // The original's key is none of the copy's.
    let mut stranger = ana.clone();
    stranger.key_id = ana.key_id.replacen("1_", "3_", 1);
    stranger.get("/clientes").await.fails(401, "llave_invalida");
}

#[tokio::test]
async fn documents_under_way_are_held_in_the_copy() {
    let world = World::new().await;
    let test = world.test_company().await;
    furnish(&test).await;
    let ana = test.admin().await;
    invoice(&ana, order(30)).await;
    let copy = fork(&test, "Copia").await.expect("a copy");
    assert_eq!(world.stamp_without_provider().await.timbrados, 1, "the original's");
    copy.load_certificate().await;
    let eva = copy.admin().await;
    assert_eq!(one(&eva, "/facturas?clave=1").await["estatus"], "en_espera");
    copy.run_by_name("invoice.restamp", &json!({"factura": 1, "forzar": true})).await.expect("it is queued");
    assert_eq!(world.stamp_without_provider().await.timbrados, 1);
    assert_eq!(one(&eva, "/facturas?clave=1").await["estatus"], "vigente");
    books::check(&world, &copy).await;
}

#[tokio::test]
async fn a_copy_keeps_the_time_and_can_be_copied() {
    let world = World::new().await;
    let test = world.test_company().await;
    forward(&test, TimeDelta::days(40)).await;
    let suspended = CompanyChange { plan: Some(svc_core::domain::company::Plan::None), ..CompanyChange::default() };
    test.edit(suspended).await;
    let copy = fork(&test, "Copia").await.expect("a copy");
    let second = fork(&copy, "Copia de la copia").await.expect("a copy");
    for company in [&test, &copy, &second] {
        assert_eq!(moved(company, MoveClock::Nowhere).await.unwrap(), now(&world) + TimeDelta::days(40));
        let ana = company.admin().await;
        ana.get("/clientes").await.fails(402, "plan_requerido");
        assert_eq!(size(company, "almacenes").await, 1);
    }
    forward(&copy, TimeDelta::days(1)).await;
    let times = [&test, &second].map(|company| moved(company, MoveClock::Nowhere));
    let times = futures_util::future::join_all(times).await;
    assert!(times.into_iter().all(|time| time.unwrap() == now(&world) + TimeDelta::days(40)), "each has its own");
}

#[tokio::test]
async fn one_copy_of_a_company_is_made_at_a_time() {
    let world = World::new().await;
    let (first, second) = (world.company().await, world.company().await);
    let mut other = world.pool().begin().await.expect("a transaction");
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('svc fork of 1', 0))";
    sqlx::query(lock).execute(&mut *other).await.expect("a copy that runs");
    let refused = fork(&first, "Copia").await.err().expect("a refusal");
    assert!(matches!(refused, ForkError::Running(1)), "{refused}");
    assert!(refused.to_string().contains("se está copiando"), "{refused}");
    assert_eq!(fork(&second, "Otra").await.expect("another company").id, CompanyId(3));
    drop(other);
    fork(&first, "Copia").await.expect("a copy");
    let company = Company { id: CompanyId(99), ..first.clone() };
    assert!(matches!(fork(&company, "Copia").await, Err(ForkError::NoCompany(99))));
    let context: &Context = world.api.context();
    assert!(context.new_fork("  ".to_owned()).is_err() && context.new_fork("a\0".to_owned()).is_err());
}

/// Whether nobody sees a company.
async fn is_hidden(company: &Company) -> bool {
    let run = company.run_by_name("customer.create", &json!({"nombre": "Ana"})).await;
    let listed = company.world.store.companies_after(CompanyId(0), 100).await.expect("the companies");
    let fails = run.is_err_and(|error| error.code().codigo() == "no_encontrado");
    fails && listed.iter().all(|listed| listed.empresa != company.id)
}

#[tokio::test]
async fn what_is_left_of_a_copy_that_was_cut_short_is_hidden_and_removed() {
    let world = World::new().await;
    let company = played(&world, 300).await;
    let cut = fork(&company, "Cortada").await.expect("a copy");
    world.run("UPDATE empresas SET incompleta = true WHERE empresa = 3").await;
    assert!(is_hidden(&cut).await);
    // Another process may still write it.
    world.run("INSERT INTO empresas SELECT (e).* FROM (SELECT jsonb_populate_record(x, '{\"empresa\": 40}') AS e FROM empresas x
               WHERE empresa = 3) y").await;
    let mut other = world.pool().begin().await.expect("a transaction");
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('svc fork into 40', 0))";
    sqlx::query(lock).execute(&mut *other).await.expect("a copy that runs");
    assert!(matches!(fork(&cut, "Copia").await, Err(ForkError::NoCompany(3))));
    let whole = fork(&company, "Entera").await.expect("a copy");
    for table in tables(&world).await {
        assert_eq!(size(&cut, &table).await, 0, "{table}");
    }
    assert_eq!(world.count("empresas WHERE empresa = 40").await, 1);
    assert_eq!(size(&whole, "ventas").await, size(&company, "ventas").await);
    drop(other);

    // Given up at any point: whatever is left is hidden, and the next copy removes it.
    for millis in [1, 5, 20, 50, 100, 200, 400] {
        let _ = tokio::time::timeout(Duration::from_millis(millis), fork(&company, "Cortada")).await;
    }
    let last = fork(&company, "Última").await;
    let last = match last {
        // The server may not have noticed yet that the last one is gone.
        Err(ForkError::Running(_)) => {
            tokio::time::sleep(Duration::from_secs(2)).await;
            fork(&company, "Última").await
        }
        other => other,
    }
    .expect("a copy");
    assert_eq!(size(&last, "ventas").await, size(&company, "ventas").await);
    assert_eq!(world.count("empresas WHERE incompleta").await, 0);
    no_orphans(&world).await;
}

async fn no_orphans(world: &World) {
    let orphans =
        "SELECT count(*) FROM contadores c WHERE NOT EXISTS (SELECT FROM empresas e WHERE e.empresa = c.empresa)";
    assert_eq!(world.sql::<i64>(orphans).await, 0);
}

#[tokio::test]
async fn the_clean_up_removes_an_interrupted_copy_but_none_under_way() {
    let world = World::new().await;
    let company = played(&world, 300).await;
    let [cut, under_way] = ["Cortada", "En curso"].map(|name| fork(&company, name));
    let (cut, under_way) = (cut.await.expect("a copy"), under_way.await.expect("a copy"));
    clean_up(world.api.context()).await.expect("a pass that removes what is old");
    world.run("UPDATE empresas SET incompleta = true WHERE empresa IN (3, 4)").await;
    let mut writing = world.pool().begin().await.expect("a transaction");
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('svc fork into 4', 0))";
    sqlx::query(lock).execute(&mut *writing).await.expect("a copy that runs");

    assert_eq!(clean_up(world.api.context()).await.expect("a pass"), 1);
    for table in tables(&world).await {
        assert_eq!(size(&cut, &table).await, 0, "{table}");
    }
    assert_eq!(size(&under_way, "ventas").await, size(&company, "ventas").await);
    assert_eq!(clean_up(world.api.context()).await.expect("a pass"), 0);
    drop(writing);
    assert_eq!(clean_up(world.api.context()).await.expect("a pass"), 1);
    assert_eq!(world.count("empresas").await, 2);
    no_orphans(&world).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_host_s_tables_are_copied_and_an_error_leaves_nothing() {
    let world = World::new().await;
    let company = world.company().await;
    world
        .run(
            "CREATE TABLE tienda_envios (empresa bigint, clave bigint, guia text CHECK (empresa < 3 OR guia <> 'A'),
               PRIMARY KEY (empresa, clave))",
        )
        .await;
    world.run("INSERT INTO tienda_envios VALUES (1, 1, 'B')").await;
    let copy = fork(&company, "Copia").await.expect("a copy");
    assert_eq!(rows(&copy, "tienda_envios", "").await, rows(&company, "tienda_envios", "").await);
    world.run("INSERT INTO tienda_envios VALUES (1, 2, 'A')").await;
    let failed = fork(&company, "Copia").await.err().expect("an error");
    assert!(failed.to_string().contains("tienda_envios"), "{failed}");
    assert_eq!((world.count("empresas WHERE empresa > 2").await, world.count("almacenes").await), (0, 2));
    assert_eq!(world.count("contadores WHERE empresa > 2").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_written_meanwhile_makes_no_part_of_a_copy() {
    let world = World::new().await;
    let test = world.test_company().await;
    furnish(&test).await;
    let ana = test.admin().await;
    let stop = AtomicBool::new(false);
    let sell = async {
        while !stop.load(Ordering::Relaxed) {
            invoice(&ana, order(30)).await;
        }
    };
    let copies = async {
        let mut copies = Vec::new();
        for n in 0..6 {
            tokio::time::sleep(Duration::from_millis(150)).await;
            copies.push(fork(&test, &format!("Copia {n}")).await.expect("a copy"));
        }
        stop.store(true, Ordering::Relaxed);
        copies
    };
    let ((), copies) = tokio::join!(sell, copies);
    let mut sizes = Vec::new();
    for copy in &copies {
        books::check(&world, copy).await;
        sizes.push(size(copy, "ventas").await);
    }
    assert!(sizes.is_sorted() && sizes.first() < sizes.last(), "{sizes:?}");
}

/// PostgreSQL expects no rows of a company that was not there when it analysed a table.
#[tokio::test]
async fn a_copy_leaves_statistics_of_its_tables() {
    let world = World::new().await;
    let company = world.company().await;
    world.run("ALTER TABLE clientes SET (autovacuum_enabled = false)").await;
    filled(&company, ROWS).await;
    world.run("ANALYZE clientes").await;
    let known = async || world.sql::<i64>("SELECT reltuples::bigint FROM pg_class WHERE relname = 'clientes'").await;
    let before = known().await;
    let copy = fork(&company, "Copia").await.expect("a copy");
    assert_eq!(known().await, before + size(&copy, "clientes").await);
}

/// Records in each large table of the big company; `SVC_TEST_ROWS` sets another number. The time
/// and the memory are printed.
const ROWS: i64 = 2_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_company_is_copied_within_bounded_memory() {
    let world = World::new().await;
    let company = world.company().await;
    let given = std::env::var("SVC_TEST_ROWS").ok().map(|rows| rows.parse().expect("a number"));
    filled(&company, given.unwrap_or(ROWS)).await;
    let (before, began) = (resident(), Instant::now());
    let (max_seen, is_over) = (AtomicU64::new(before), AtomicBool::new(false));
    let sampled = async {
        while !is_over.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            max_seen.fetch_max(resident(), Ordering::Relaxed);
        }
    };
    let copied = async {
        let copy = fork(&company, "Copia").await.expect("a copy");
        is_over.store(true, Ordering::Relaxed);
        copy
    };
    let (copy, ()) = tokio::join!(copied, sampled);
    let (seconds, grown) = (began.elapsed().as_secs_f64(), max_seen.load(Ordering::Relaxed) - before);
    let mut records = 0;
    for table in COPIED {
        let count = async |company: &Company| world.count(&format!("{table} WHERE empresa = {}", company.id.0)).await;
        let copied = count(&copy).await;
        assert!(copied == count(&company).await || ["contadores", "facturas_xml"].contains(&table), "{table}");
        records += copied;
    }
    println!("{records} records were copied in {seconds:.1} s; the process grew by {grown} KB at most");
    // Other tests of this process grow it too.
    assert!(given.is_none() || grown < 32 * 1024, "{grown} KB");
}

/// The memory of this process, in KB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or_default()
}
