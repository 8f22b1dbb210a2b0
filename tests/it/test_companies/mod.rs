//! Test companies (contract §8): their clock, simulated answers, copies.

mod clock;
mod fork;
mod simulations;
mod year;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use svc_core::Error;
use svc_core::domain::clock::Clock as _;
use svc_core::operations::MoveClock;
use svc_core::operations::import::Resource;
use svc_tests::{Actor, Company, World};

/// Makes a company one that can invoice: with a customer, the general public, a product and a bank
/// account.
async fn furnish(company: &Company) {
    company.load_certificate().await;
    let customers = [
        json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03",
               "limite_credito": "10000000.00"}),
        json!({"nombre": "Público en general", "rfc": "XAXX010101000", "regimen": 616, "cp": "06700",
               "uso_cfdi": "S01"}),
    ];
    company.load(Resource::Clientes, &customers).await;
    company.load(Resource::Productos, &[json!({"sku": "A-1", "descripcion": "Clavo", "unidad": 1})]).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Pesos"})]).await;
}

/// Ten nails on credit: 1160.00.
fn order(dias_credito: i64) -> Value {
    json!({
        "tipo": "pedido", "cliente": 1, "condicion_pago": "credito", "dias_credito": dias_credito,
        "metodo_pago_sat": "PPD", "forma_pago_sat": "99",
        "renglones": [{"producto": 1, "cantidad": 10, "precio_unitario": "100"}],
    })
}

/// Orders and invoices; returns the sale and its invoice.
async fn invoice(actor: &Actor, order: Value) -> (i64, i64) {
    let venta = actor.post("/ventas", order).await.ok(201)["venta"].as_i64().expect("a sale");
    let requested = actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    (venta, requested["factura"].as_i64().expect("an invoice"))
}

/// The only record of a list.
async fn one(actor: &Actor, query: &str) -> Value {
    let found = actor.get(query).await.ok(200)["datos"].clone();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{query}: {found}");
    found[0].clone()
}

/// How many records a list shows.
async fn count(actor: &Actor, query: &str) -> usize {
    actor.get(query).await.ok(200)["datos"].as_array().expect("records").len()
}

/// Moves a company's clock, and waits until every server knows.
async fn forward(company: &Company, span: TimeDelta) -> DateTime<Utc> {
    let moved = moved(company, MoveClock::Forward(span)).await.expect("the clock moves");
    company.world.clock.advance(TimeDelta::seconds(5));
    moved
}

async fn moved(company: &Company, movement: MoveClock) -> Result<DateTime<Utc>, Error> {
    Ok(company.run(&movement).await?.ahora.get())
}

/// The service's time.
fn now(world: &World) -> DateTime<Utc> {
    world.clock.now()
}
