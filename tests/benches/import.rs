//! How fast records are imported, each into a company that has none: customers, products, sales and
//! their lines, receivables, payables and stock with their openings and without, from memory.
//!
//! `cargo bench -p svc-tests --bench import`. Prints records a second, medians of three imports,
//! each into a company of its own.
#![expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "figures to be read")]

use std::time::Instant;

use serde_json::{Value, json};
use svc_core::operations::import::Resource;
use svc_tests::{World, median};

const RECORDS: usize = 100_000;
const ROUNDS: usize = 3;

/// The record with that number.
type Record = fn(usize) -> Value;

fn customer(n: usize) -> Value {
    let letter = |n: usize| char::from(b'A' + (n % 26) as u8);
    let rfc = format!("CL{}{}010101{:03}", letter(n / 26_000), letter(n / 1_000), n % 1_000);
    json!({"clave": n, "nombre": format!("Cliente {n}"), "rfc": rfc, "correo": format!("compras{n}@cliente.example"),
           "telefono": format!("55{n:08}"), "cp": "06700", "regimen": 601, "uso_cfdi": "G03", "limite_credito": "10000.00"})
}

fn product(n: usize) -> Value {
    json!({"clave": n, "sku": format!("P-{n}"), "descripcion": format!("Codo de cobre de {n} mm"), "costo": "12.50"})
}

fn sale(n: usize) -> Value {
    json!({"clave": n, "tipo": "venta", "folio": n, "fecha": "2026-11-01T12:00:00Z", "cliente": n,
           "subtotal": "100.00", "impuestos": "16.00", "total": "116.00", "saldo": "0.00"})
}

fn line(n: usize) -> Value {
    json!({"venta": n, "producto": n, "cantidad": 2, "precio_unitario": "50.00"})
}

fn receivable(n: usize) -> Value {
    json!({"clave": n, "venta": n, "cliente": n, "total": "116.00", "pagado": "16.00"})
}

fn paid_receivable(n: usize) -> Value {
    json!({"clave": RECORDS + n, "cliente": n, "total": "116.00", "pagado": "116.00"})
}

fn payable(n: usize) -> Value {
    json!({"clave": n, "total": "116.00"})
}

fn paid_payable(n: usize) -> Value {
    json!({"clave": RECORDS + n, "total": "116.00", "pagado": "116.00"})
}

fn stock(n: usize) -> Value {
    json!({"clave": n, "producto": n, "almacen": "001", "existencia": 5, "costo_unitario": "9.50"})
}

fn no_stock(n: usize) -> Value {
    json!({"clave": RECORDS + n, "producto": n, "almacen": "002", "existencia": 0})
}

#[tokio::main]
async fn main() {
    let world = World::new().await;
    let kinds: [(Resource, &str, Record); 10] = [
        (Resource::Clientes, "", customer),
        (Resource::Productos, "", product),
        (Resource::Ventas, "", sale),
        (Resource::VentasRenglones, "", line),
        (Resource::Cxc, "owed", receivable),
        (Resource::Cxc, "paid", paid_receivable),
        (Resource::Cxp, "owed", payable),
        (Resource::Cxp, "paid", paid_payable),
        (Resource::Inventario, "with stock", stock),
        (Resource::Inventario, "without", no_stock),
    ];
    let records: Vec<Vec<_>> = kinds.iter().map(|(_, _, record)| (1..=RECORDS).map(record).collect()).collect();
    let mut rates = vec![Vec::new(); kinds.len()];
    for _ in 0..ROUNDS {
        let company = world.company().await;
        company.load(Resource::Almacenes, &[json!({"codigo": "002"})]).await;
        for (at, (resource, _, _)) in kinds.iter().enumerate() {
            let lines: Vec<_> = records[at].iter().map(|record| Ok(record.to_string().into_bytes())).collect();
            let began = Instant::now();
            company.import_lines(*resource, lines).await.expect("the records");
            rates[at].push(RECORDS as f64 / began.elapsed().as_secs_f64());
        }
    }
    for ((resource, kind, _), rates) in kinds.into_iter().zip(rates) {
        println!("{:<18}{kind:<12}{:>8.0}/s", resource.name(), median(rates));
    }
}
