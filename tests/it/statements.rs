//! Every statement that the store can send names one company (see [`svc_tests::statements`]).

use std::path::Path;

use serde_json::json;
use sqlx::AssertSqlSafe;
use svc_core::domain::clock::Clock as _;
use svc_core::domain::quota::Period;
use svc_core::domain::scope::Scope;
use svc_core::secrets::{PlainSecrets, Sealer, SecretsKey};
use svc_core::store::{KeyId, MonthUse, Usage};
use svc_tests::statements::{Classification, Source, classify, source, watch};
use svc_tests::{Resource, World, secrets_key};

use crate::deploys;
use crate::eventos::order::{begun, event};
use crate::table::{every_filter, reader};
use crate::ventas::shop::{made, ready, shop};

/// Reads over several companies, without locks, each with a part that identifies it.
const READS: [&str; 28] = [
    // Due records, and webhooks that a server of the previous release left behind.
    "SELECT empresa, 'groups' AS cola, min(vence) AS desde",
    "SELECT empresa, 'stampings' AS cola, min(proximo) AS desde",
    "SELECT e.empresa, 'stampings' AS cola, CASE WHEN e.desfase = 0 THEN p.desde END AS desde",
    "SELECT d.empresa, 'mails' AS cola, min(d.desde) AS desde",
    // Records that wait for a person.
    "SELECT d.detenido, sum(d.documentos)::bigint AS documentos",
    // What waits for a provider, and what a restored database would send.
    "SELECT sum(d.documentos)::bigint FROM (",
    "WHERE NOT e.prueba AND t.detenido IS DISTINCT FROM $1",
    // E-mails that wait for a server, and whether a company sends documents by mail.
    "SELECT count(*) FROM avisos",
    "SELECT EXISTS (SELECT FROM empresas WHERE enviar_documentos)",
    // The installation's id for providers, which belongs to no company.
    "SELECT last_value FROM instalacion",
    "w.proximo IS NULL OR w.proximo > p.proximo_intento",
    // Keys of several companies, looked up together.
    "unnest($1::bigint[], $2::text[]) AS pedida",
    "unnest($1::bigint[], $2::bigint[]) AS pedida (empresa, usuario)",
    // The companies, and those with something too old.
    "SELECT empresa FROM empresas WHERE empresa > $1",
    "SELECT e.empresa, e.nombre, e.plan, e.licencias, e.limites, e.api, e.rfc, e.prueba, e.enviar_documentos,",
    "(SELECT min(i.creada) FROM idempotencia i WHERE i.empresa = e.empresa AND i.creada > '-infinity') < $2",
    "(SELECT d.creado FROM entregas d WHERE d.empresa = e.empresa ORDER BY d.clave LIMIT 1) < $2",
    "(SELECT n.id FROM eventos n WHERE n.empresa = e.empresa ORDER BY n.id LIMIT 1) < $2",
    "SELECT DISTINCT w.empresa FROM webhooks w",
    "(SELECT b.peticion FROM bitacora b WHERE b.empresa = e.empresa ORDER BY b.peticion LIMIT 1) < $2",
    "(SELECT b.peticion FROM bitacora b WHERE b.empresa = e.empresa ORDER BY b.peticion OFFSET $2 LIMIT 1) IS NOT NULL",
    "SELECT DISTINCT s.empresa FROM suscripciones_detenidas s",
    // Secrets on which a start tries its key.
    "(SELECT empresa, 'certificados.llave' AS columna, numero AS registro, llave AS sellado FROM certificados WHERE length(llave) > 0",
    // Companies with events for a host's subscribers.
    "CROSS JOIN empresas e JOIN contadores c ON c.empresa = e.empresa AND c.serie = 'eventos'",
    "AS s (lugar, suscriptor) ON s.suscriptor = d.suscriptor",
    // Owners who get an e-mail about a certificate, or about documents that wait.
    "SELECT p.empresa, $1 AS asunto FROM ( SELECT c.empresa, c.numero, c.orden FROM certificados c",
    "SELECT p.empresa, p.asunto FROM ( SELECT d.empresa, d.asunto, min(d.creado) AS desde",
    // Whose certificate ends soon, for operators.
    "SELECT c.empresa, c.numero, c.hasta FROM certificados c WHERE c.hasta < $1",
];

fn store() -> Source {
    source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../svc-store-postgres/src"))
}

fn on_one_line(statement: &str) -> String {
    statement.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parts of writes for several companies, which are sent only where tables are not distributed.
const UNDISTRIBUTED: [&str; 1] = ["FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::bigint[])"];

fn fault(statement: &str) -> Option<String> {
    let faults = match classify(statement) {
        Ok(Classification::OneCompany | Classification::NoTable) => return None,
        Ok(Classification::Read(_)) if READS.iter().any(|part| on_one_line(statement).contains(part)) => return None,
        // The catalogue belongs to no company.
        Ok(Classification::Read(tables)) if tables.iter().all(|table| table.starts_with("pg_")) => return None,
        Ok(Classification::Read(tables)) => vec![format!("reads {} of all companies", tables.join(", "))],
        Ok(Classification::Fault(_)) if UNDISTRIBUTED.iter().any(|part| on_one_line(statement).contains(part)) => {
            return None;
        }
        Ok(Classification::Fault(faults)) => faults,
        Err(error) => vec![error],
    };
    Some(format!("{}:\n{statement}\n", faults.join("; ")))
}

#[test]
fn whole_statements_name_one_company() {
    let statements = store().statements;
    println!("{} whole statements", statements.len());
    let faults: Vec<_> = statements.iter().filter_map(|statement| fault(statement)).collect();
    assert!(faults.is_empty(), "{} statements\n{}", faults.len(), faults.join("\n"));
}

/// What an `UPDATE` sets that no list shows, or that an import sets in records of its own.
const UNSEEN: [&str; 4] = ["facturando =", "sustituye =", "clave_padre = h.padre", "apertura ="];

/// The tables whose lists show `modificado`, except webhooks, whose deliveries are counted beside.
const DATED: [&str; 10] =
    ["clientes", "compras", "cxc", "cxp", "facturas", "inventario", "oportunidades", "precios", "productos", "ventas"];

/// Contract §3: whatever changes a field that an item shows changes its `modificado`.
#[test]
fn updates_of_dated_records_set_modificado() {
    let statements: Vec<String> = store().statements.iter().map(|statement| on_one_line(statement)).collect();
    let mut seen = std::collections::BTreeSet::new();
    for statement in &statements {
        for update in statement.split("UPDATE ").skip(1) {
            let table = update.split(' ').next().unwrap_or_default();
            let Some((_, set)) = update.split_once(" SET ").filter(|_| DATED.contains(&table)) else { continue };
            let set = set.split(" WHERE ").next().unwrap_or_default();
            seen.insert(table);
            let is_dated = set.contains("modificado =") || UNSEEN.iter().any(|part| set.starts_with(part));
            assert!(is_dated, "UPDATE {table} SET {set}");
        }
    }
    assert!(seen.len() > 7, "{seen:?}");
}

#[tokio::test]
async fn assembled_statements_name_one_company() {
    let world = World::new().await;
    let watch = watch();
    let company = shop(&world).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Banco"})]).await;
    let held = |clave| json!({"clave": clave, "producto": clave, "almacen": "001", "existencia": 1});
    company
        .load(Resource::Productos, &[901, 902].map(|clave| json!({"clave": clave, "sku": format!("S{clave}")})))
        .await;
    company.load(Resource::Inventario, &[901, 902].map(held)).await;
    let ana = reader(company.clone()).await;
    every_filter(&ana).await;
    company.actor(&[Scope::WebhooksWrite, Scope::VentasRead]).await.get("/eventos").await.ok(200);
    let mut tx = begun(&company).await;
    let events = [1, 2].map(|clave| event(&company, clave, chrono::TimeDelta::zero()));
    tx.append_events(events.into()).await.expect("two events");
    tx.commit().await.expect("a commit");
    deploys::round(&company, &ana).await;
    for order in [ready(), ready()] {
        made(&company.admin().await, &order).await;
    }
    ana.walk("/ventas?tipo=pedido&sku=A-1&limite=1").await;
    company.run_by_name("customer.find", &json!({"texto": "ana luz"})).await.expect("customers");
    for de in ["cxc", "cxp"] {
        company.run_by_name("report.aging", &json!({"de": de})).await.expect("a report");
    }
    let days = json!({"cliente": 1, "desde": "2026-10-01", "hasta": "2026-10-31"});
    company.run_by_name("report.statement", &days).await.expect("a report");
    for por in ["cliente", "vendedor"] {
        let days = json!({"desde": "2026-10-01", "hasta": "2026-10-31", "por": por});
        company.run_by_name("report.sales", &days).await.expect("a report");
    }
    assert!(company.export(Resource::Inventario).await.len() > 1);
    assert_eq!(company.export(Resource::CuentasBancarias).await.len(), 1);
    assert!(!company.export(Resource::Vendedores).await.is_empty());
    let rates = json!({"mes": "2026-09", "tipos_cambio": [{"moneda": "USD", "tipo_cambio": "18.5"}]});
    company.run_by_name("ledger.revalue", &rates).await.expect("a revaluation");
    let brands: Vec<_> = (1..=1_000).map(|clave| json!({"clave": clave, "nombre": format!("Marca {clave}")})).collect();
    company.import_new(Resource::Marcas, &brands).await.expect("an import");
    let keys = [company.id, world.company().await.id].map(|company| KeyId { company, suffix: "k".into() });
    assert!(world.any_store().keys(&keys, world.clock.now()).await.expect("the store answers").is_empty());
    let user = [KeyId::of_user(company.id, 1)];
    assert_eq!(world.any_store().keys(&user, world.clock.now()).await.expect("the store answers").len(), 1);
    let usage = |company| MonthUse { company, mes: Period::of(world.clock.now()).mes, usadas: 1 };
    let months = keys.iter().map(|key| usage(key.company)).collect();
    world.any_store().add_usage(&Usage { minutes: Vec::new(), months }).await.expect("the store adds");
    let next = Sealer::new(SecretsKey::new([8; 32])).with_old([secrets_key()]);
    world.with_secrets(next).rotate_secrets(PlainSecrets::Refused).await.expect("a rotation");
    assert!(world.any_store().first_secrets(1).await.expect("the store answers").len() < 3);
    assert_eq!(world.store.count(company.id, Resource::Marcas.exported()).await.expect("a count"), 1_000);
    let sent = watch.sent();
    println!("{} statements were sent", sent.len());
    let faults: Vec<_> = sent.iter().filter_map(|statement| fault(statement)).collect();
    let source = store();
    let mut unseen = source.unseen(&sent);
    if world.sql("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')").await {
        unseen.retain(|piece| !piece.concat().contains("de::bigint[]"));
    }
    assert!(faults.is_empty(), "{} statements\n{}", faults.len(), faults.join("\n"));
    assert!(unseen.is_empty(), "in no statement that was sent: {unseen:#?}");
    let mut mutable = Vec::new();
    for numbered in sent.iter().filter(|statement| statement.contains("INTO contadores")) {
        let found = not_immutable(&world, numbered).await;
        mutable.extend((!found.is_empty()).then(|| format!("{found:?}: {numbered}")));
    }
    assert!(mutable.is_empty(), "{}", mutable.join("\n"));
}

/// A distributed engine runs such a statement on a worker, and requires that it means the same
/// there.
#[tokio::test]
async fn conflict_updates_are_immutable() {
    let world = World::new().await;
    let statements = store().statements;
    let upserts = statements.iter().filter(|statement| statement.contains("DO UPDATE"));
    let mut mutable = Vec::new();
    let mut count = 0;
    for statement in upserts {
        count += 1;
        let found = not_immutable(&world, statement).await;
        if !found.is_empty() {
            mutable.push(format!("{found:?}: {statement}"));
        }
    }
    assert!(count > 5, "{count}");
    assert!(mutable.is_empty(), "{}", mutable.join("\n"));
    let insert = "INSERT INTO contadores AS c (empresa, serie, valor) VALUES ($1, 'x', 1) ON CONFLICT (empresa, serie) DO UPDATE SET valor = ";
    for (value, calls) in [
        ("extract(epoch FROM now())", vec!["now"]),
        ("c.valor + (random() * 9)::bigint", vec!["random"]),
        ("extract(epoch FROM current_timestamp)::bigint", vec!["SQLVALUEFUNCTION"]),
        ("greatest(c.valor, excluded.valor) + length(c.serie)", vec![]),
    ] {
        let found = not_immutable(&world, &format!("{insert}{value}")).await;
        assert!(calls.iter().all(|call| found.iter().any(|name| name == call)), "{value}: {found:?}");
        assert_eq!(found.is_empty(), calls.is_empty(), "{value}: {found:?}");
    }
}

/// The functions in a statement's DO UPDATE that the database does not consider immutable.
async fn not_immutable(world: &World, statement: &str) -> Vec<String> {
    let mut connection = world.pool().acquire().await.expect("a connection");
    let prepare = format!("DEALLOCATE ALL; PREPARE p AS {statement}");
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut *connection).await.expect("it is prepared");
    let types: Vec<String> =
        sqlx::query_scalar("SELECT unnest(parameter_types)::text FROM pg_prepared_statements WHERE name = 'p'")
            .persistent(false)
            .fetch_all(&mut *connection)
            .await
            .expect("its parameters");
    let function = format!(
        "DROP FUNCTION IF EXISTS pg_temp.f; CREATE FUNCTION pg_temp.f({}) RETURNS void BEGIN ATOMIC {statement}; END",
        types.join(", ")
    );
    sqlx::raw_sql(AssertSqlSafe(function)).execute(&mut *connection).await.expect("a function of it");
    let tree: String = sqlx::query_scalar("SELECT prosqlbody::text FROM pg_proc WHERE oid = 'pg_temp.f'::regproc")
        .persistent(false)
        .fetch_one(&mut *connection)
        .await
        .expect("its tree");
    let mut called: Vec<i64> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    for (at, _) in tree.match_indices("{ONCONFLICTEXPR") {
        let update = node(&tree[at..]);
        for mark in [":funcid ", ":opfuncid "] {
            let numbers = update.split(mark).skip(1).filter_map(|rest| rest.split([' ', '}']).next());
            called.extend(numbers.filter_map(|number| number.parse::<i64>().ok()));
        }
        let words = ["SQLVALUEFUNCTION", "COERCEVIAIO", "SUBLINK"];
        found.extend(words.iter().filter(|word| update.contains(*word)).map(|word| (*word).to_owned()));
    }
    let mutable: Vec<String> =
        sqlx::query_scalar("SELECT proname::text FROM pg_proc WHERE oid::bigint = ANY ($1) AND provolatile <> 'i'")
            .bind(called)
            .persistent(false)
            .fetch_all(&mut *connection)
            .await
            .expect("their volatility");
    found.extend(mutable);
    found
}

/// The node at the beginning of a tree, up to its closing brace.
fn node(tree: &str) -> &str {
    let mut depth = 0;
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &tree[..=at];
        }
    }
    tree
}

#[test]
fn lists_of_exceptions_only_shrink() {
    let source = store();
    let all: Vec<String> =
        source.statements.iter().map(String::as_str).chain(source.pieces()).map(on_one_line).collect();
    for part in READS {
        assert!(all.iter().any(|statement| statement.contains(part)), "no statement has {part:?} any more");
    }
}

#[test]
fn a_statement_that_loses_its_company_is_found() {
    const HELD: &str = "empresa = $1";
    let mut losses = 0;
    for statement in store().statements.iter().filter(|statement| classify(statement) == Ok(Classification::OneCompany))
    {
        for (at, _) in statement.match_indices(HELD) {
            let without = format!("{}true{}", &statement[..at], &statement[at + HELD.len()..]);
            // The name before the column.
            let without = without.replace(".true", ".empresa IS NOT NULL");
            assert_ne!(classify(&without), Ok(Classification::OneCompany), "{without}");
            losses += 1;
        }
    }
    assert!(losses > 100, "{losses}");
}

#[test]
fn strings_are_classified_as_statements() {
    let of = |sql| classify(sql).expect("a statement");
    for held in [
        "SELECT FROM t WHERE empresa = $1 FOR NO KEY UPDATE",
        "SELECT FROM t, s WHERE t.empresa = s.empresa AND s.empresa = $2",
        "SELECT FROM (SELECT * FROM t WHERE empresa = $1) d JOIN s ON (s.empresa, s.a) = (d.empresa, d.a)",
        "SELECT (SELECT a FROM s WHERE s.empresa = t.empresa) FROM t WHERE t.empresa = $1",
        "WITH c AS (DELETE FROM t WHERE empresa = $1 RETURNING *) INSERT INTO s (a, empresa) SELECT a, empresa FROM c",
        "INSERT INTO t (a, empresa) VALUES ($2, $1) ON CONFLICT (empresa, a) DO UPDATE SET a = excluded.a",
        "UPDATE t SET a = n.a FROM unnest($2::int[]) AS n (a) WHERE t.empresa = $1 AND t.a = n.a",
        "COPY t (empresa, a) FROM STDIN",
    ] {
        assert_eq!(of(held), Classification::OneCompany, "{held}");
    }
    for loose in [
        "SELECT FROM t",
        "SELECT FROM t WHERE empresa = ANY ($1)",
        "SELECT FROM t WHERE empresa = $1 OR a = 1",
        "SELECT FROM t, s WHERE t.empresa = $1 AND s.a = t.a",
        "SELECT FROM t WHERE empresa = $1 UNION ALL SELECT FROM s",
        "SELECT FROM t WHERE empresa = $1 AND EXISTS (SELECT FROM s WHERE s.a = t.a)",
    ] {
        assert!(matches!(of(loose), Classification::Read(_)), "{loose}");
    }
    for wrong in [
        "SELECT FROM t FOR SHARE",
        "SELECT (SELECT a FROM s WHERE s.empresa = t.empresa) FROM t WHERE t.empresa = $1 FOR SHARE",
        "SELECT FROM t WHERE empresa = $1 AND a IN (SELECT a FROM s FOR UPDATE SKIP LOCKED)",
        "WITH c AS (SELECT empresa FROM t FOR UPDATE) SELECT FROM s WHERE empresa = $1",
        "DELETE FROM t WHERE a = $1",
        "UPDATE t SET a = 1 FROM unnest($1::bigint[]) AS n (empresa) WHERE t.empresa = n.empresa",
        "INSERT INTO t (empresa, a) SELECT n.empresa, 1 FROM unnest($1::bigint[]) AS n (empresa)",
        "INSERT INTO t (a) VALUES ($1)",
        "INSERT INTO t (empresa) SELECT * FROM s WHERE s.empresa = $1",
        "DELETE FROM t USING s WHERE t.empresa = $1 AND s.empresa = $2",
        "COPY t (a, empresa) FROM STDIN",
        "TRUNCATE t",
    ] {
        assert!(matches!(of(wrong), Classification::Fault(_)), "{wrong}");
    }
    assert_eq!(of("SELECT nextval('s')"), Classification::NoTable);
}
