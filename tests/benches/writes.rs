//! What writes cost in PostgreSQL: statements, their time, WAL and buffers, one write after the
//! other in many companies that already have records.
//!
//! `cargo bench -p svc-tests --bench writes`; with `SVC_TEST_DURABLE=1` in the environment
//! PostgreSQL loses no commit. Prints each write's sums, and its statements.
#![expect(clippy::cast_precision_loss, reason = "figures to be read")]

use serde_json::{Value, json};
use svc_core::domain::company::LimitMode;
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Resource, World};

const COMPANIES: usize = 50;
const RECORDS: i64 = 1_000;
/// Writes of a kind in each company.
const WRITES: usize = 10;

async fn ready(world: &World) -> Actor {
    let limits = CompanyChange { limites: Some(Some(LimitMode::Notice)), ..CompanyChange::default() };
    let company = world.company_with(limits).await;
    let list = |record: &dyn Fn(i64) -> Value| (1..=RECORDS).map(record).collect::<Vec<_>>();
    let records = [
        (
            Resource::Clientes,
            list(
                &|n| json!({"clave": n, "nombre": format!("Cliente {n}"), "correo": format!("c{n}@example.com"), "limite_credito": "5000.00"}),
            ),
        ),
        (
            Resource::Productos,
            list(
                &|n| json!({"clave": n, "sku": format!("P-{n}"), "descripcion": format!("Producto {n}"), "unidad": 1}),
            ),
        ),
        (Resource::Inventario, list(&|n| json!({"producto": n, "almacen": "001", "existencia": 1_000}))),
        (Resource::CuentasBancarias, vec![json!({"nombre": "Banco"})]),
    ];
    for (resource, records) in records {
        company.load(resource, &records).await;
    }
    let line = json!({"producto": 1, "cantidad": 1, "precio_unitario": "1000.00"});
    let owed = json!({"tipo": "venta", "cliente": 1, "renglones": [line], "condicion_pago": "credito",
                      "forma_pago_sat": "99", "metodo_pago_sat": "PPD"});
    company.run_by_name("sale.capture", &owed).await.expect("a ticket on credit");
    let actor = company.admin().await;
    // The claim of the key's Idempotency-Keys is prepared.
    actor.post("/clientes", json!({"nombre": "Luis"})).await.ok(201);
    actor
}

/// A statement: its text, and a write's calls, microseconds, bytes of WAL and buffers.
type Figures = (String, f64, f64, f64, f64);

async fn figures(world: &World, writes: usize) -> Vec<Figures> {
    let figures: Vec<(String, i64, f64, i64, i64)> = sqlx::query_as(
        "SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 70), calls, total_exec_time + total_plan_time, wal_bytes::bigint,
                shared_blks_hit + shared_blks_read
         FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
         WHERE d.datname = current_database() AND query NOT LIKE '%pg_stat_statements%' ORDER BY total_exec_time DESC",
    )
    .fetch_all(world.pool())
    .await
    .expect("the statements are counted");
    let each = |figure: i64| figure as f64 / writes as f64;
    figures
        .into_iter()
        .map(|(query, calls, ms, wal, buffers)| {
            (query, each(calls), ms * 1e3 / writes as f64, each(wal), each(buffers))
        })
        .collect()
}

#[tokio::main]
async fn main() {
    let world = World::new().await;
    assert!(world.can_count_statements().await, "statements are counted");
    let mut actors = Vec::new();
    for _ in 0..COMPANIES {
        actors.push(ready(&world).await);
    }
    world.run("ANALYZE").await;
    let line = json!({"producto": 1, "cantidad": 1, "precio_unitario": "10.00"});
    let payment = json!({"importe": "1.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "R"});
    let writes = [
        ("/clientes", json!({"nombre": "Materiales del Bajío", "correo": "compras@materiales.example"})),
        ("/productos", json!({"descripcion": "Tubo de cobre", "unidad": 1})),
        ("/ventas", json!({"tipo": "pedido", "cliente": 1, "renglones": [line]})),
        ("/cxc/1/pagos", payment),
    ];
    println!("| write | statements | µs in PostgreSQL | bytes of WAL | buffers |\n|---|---|---|---|---|");
    for (path, body) in writes {
        world.run("SELECT pg_stat_statements_reset()").await;
        for number in 0..WRITES {
            for actor in &actors {
                let mut body = body.clone();
                match path {
                    "/productos" => body["sku"] = format!("N-{number}").into(),
                    "/cxc/1/pagos" => body["referencia"] = format!("R-{number}").into(),
                    _ => {}
                }
                actor.post(path, body).await.ok(201);
            }
        }
        let figures = figures(&world, WRITES * actors.len()).await;
        let sum = |of: fn(&Figures) -> f64| figures.iter().map(of).sum::<f64>();
        println!(
            "| POST {path} | {:.1} | {:.0} | {:.0} | {:.0} |",
            sum(|it| it.1),
            sum(|it| it.2),
            sum(|it| it.3),
            sum(|it| it.4)
        );
        for (query, calls, time, wal, buffers) in &figures {
            if *calls >= 0.02 {
                println!("| · {query} | {calls:.2} | {time:.0} | {wal:.0} | {buffers:.0} |");
            }
        }
    }
}
