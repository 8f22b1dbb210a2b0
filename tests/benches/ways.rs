//! How fast the operations are that move many records: events read by `GET /eventos`, records
//! imported and exported over HTTP, a write beside its rehearsal, and sales of one line and of
//! many. The services are called in this process.
//!
//! `cargo bench -p svc-tests --bench ways`. Prints figures a second, medians of three rounds.
#![expect(clippy::cast_precision_loss, reason = "figures to be read")]

use std::time::Instant;

use http::Method;
use serde_json::{Value, json};
use svc_core::domain::scope::{Scope, Scopes};
use svc_core::operations::CreateKey;
use svc_tests::{Actor, Company, Resource, World, any_key, fresh_key, median};

const EVENTS: usize = 3_000;
const RECORDS: usize = 20_000;
const WRITES: usize = 500;
const ROUNDS: usize = 3;
/// The lines of a long sale, each of a product of its own, and how many are captured.
const LINES: usize = 500;
const SALES: usize = 20;

fn customer(n: usize) -> Value {
    json!({"clave": n, "nombre": format!("Cliente {n}"), "correo": format!("compras{n}@cliente.example"),
           "telefono": format!("55{n:08}"), "cp": "06700"})
}

/// One request after the other; returns requests a second.
async fn writes(actor: &Actor, rehearsed: bool) -> f64 {
    let began = Instant::now();
    for _ in 0..WRITES {
        let request = actor.request(Method::POST, "/clientes").header("content-type", "application/json");
        let request = if rehearsed {
            request.header("x-svc-ensayo", "true")
        } else {
            request.header("idempotency-key", fresh_key())
        };
        actor.send(request, r#"{"nombre":"Ana"}"#).await.ok(201);
    }
    WRITES as f64 / began.elapsed().as_secs_f64()
}

/// Sales of that many lines, which take goods, one after the other; returns sales a second.
async fn sales(company: &Company, lines: usize) -> f64 {
    let renglones: Vec<Value> =
        (1..=lines).map(|producto| json!({"producto": producto, "cantidad": 1, "precio_unitario": "10.00"})).collect();
    let sale = json!({"tipo": "venta", "cliente": 1, "renglones": renglones});
    let began = Instant::now();
    for _ in 0..SALES {
        company.run_by_name("sale.capture", &sale).await.expect("a sale");
    }
    SALES as f64 / began.elapsed().as_secs_f64()
}

#[tokio::main]
async fn main() {
    let world = World::new().await;
    let scopes = Scopes::all().and(Scope::Oficina);
    let mut figures = [const { Vec::new() }; 7];
    for _ in 0..ROUNDS {
        let company =
            world.company_with(svc_core::store::CompanyChange { licencias: Some(6), ..Default::default() }).await;
        let office = company.office_with(CreateKey { scopes: scopes.into(), ..any_key() }).await;
        let records: Vec<Value> = (1..=RECORDS).map(customer).collect();
        let began = Instant::now();
        office.import("clientes", &records).await.ok(200);
        figures[0].push(RECORDS as f64 / began.elapsed().as_secs_f64());
        let began = Instant::now();
        let exported = office.get("/export/clientes").await;
        assert_eq!(exported.body.split(|byte| *byte == b'\n').count(), RECORDS + 1);
        figures[1].push(RECORDS as f64 / began.elapsed().as_secs_f64());
        figures[2].push(writes(&office.actor, false).await);
        figures[3].push(writes(&office.actor, true).await);
        for _ in WRITES..EVENTS {
            office.actor.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
        }
        // PostgreSQL does so by itself within a minute; until then it takes a table for a small
        // one.
        sqlx::query("ANALYZE eventos").execute(world.pool()).await.expect("statistics");
        let began = Instant::now();
        assert_eq!(office.actor.walk("/eventos").await.len(), EVENTS);
        figures[4].push(EVENTS as f64 / began.elapsed().as_secs_f64());
        let products: Vec<Value> =
            (1..=LINES).map(|n| json!({"clave": n, "sku": format!("P-{n}"), "unidad": 1, "costo": "4.00"})).collect();
        company.load(Resource::Productos, &products).await;
        figures[5].push(sales(&company, 1).await);
        figures[6].push(sales(&company, LINES).await);
    }
    let names = [
        "records imported",
        "records exported",
        "customers created",
        "creations rehearsed",
        "events read",
        "sales of one line",
        "sales of 500 lines",
    ];
    for (name, figures) in names.into_iter().zip(figures) {
        println!("{name}: {:.0} a second", median(figures));
    }
}
