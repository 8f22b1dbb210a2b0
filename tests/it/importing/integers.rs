//! Integers that JSON readers keep exactly, and counters that never overflow.

use serde_json::{Value, json};
use svc_tests::imports::blames;
use svc_tests::{Resource, World};

use crate::table::isolation::{CLAVE, records};

/// The largest integer that an import accepts.
const MAX_INTEGER: i64 = 9_000_000_000_000_000;

/// The largest integer that every JSON reader keeps exactly: 2⁵³ − 1.
const EXACT: i64 = 9_007_199_254_740_991;

/// The record with `clave` in every place where it, or a reference in it, had the clave [`CLAVE`].
fn renumbered(record: &Value, clave: i64) -> Value {
    let fields = record.as_object().expect("a record").iter();
    fields
        .map(|(name, value)| (name.clone(), if *value == json!(CLAVE) { json!(clave) } else { value.clone() }))
        .collect()
}

#[tokio::test]
async fn after_the_largest_clave_records_are_still_made() {
    let world = World::new().await;
    let company = world.company().await;
    for (resource, record) in records("AAA", 111) {
        company.load(resource, &[renumbered(&record, MAX_INTEGER)]).await;
    }
    for (resource, mut record) in records("BBB", 222) {
        record.as_object_mut().expect("a record").remove("clave");
        // Fields that must be unique.
        for unique in ["rfc", "uuid"] {
            record.as_object_mut().expect("a record").remove(unique);
        }
        if record["renglon"].is_i64() {
            record["renglon"] = json!(2);
        }
        company.load(resource, &[renumbered(&record, MAX_INTEGER)]).await;
    }
    let ana = company.admin().await;
    let customer = ana.post("/clientes", json!({"nombre": "Eva"})).await.ok(201)["cliente"].clone();
    assert_eq!(customer, json!(MAX_INTEGER + 2));
    assert_eq!(
        ana.post("/leads", json!({"nombre": "Ana", "correo": "a@x.mx"})).await.ok(201)["prospecto"],
        json!(MAX_INTEGER + 3)
    );
    let product = json!({"sku": "Z", "descripcion": "Clavo", "unidad": 1});
    assert_eq!(ana.post("/productos", product).await.ok(201)["producto"], json!(MAX_INTEGER + 2));
    let order = json!({"tipo": "pedido", "cliente": customer,
                       "renglones": [{"producto": MAX_INTEGER + 2, "cantidad": 1, "precio_unitario": "10.00"}]});
    assert_eq!(ana.post("/ventas", order).await.ok(201)["venta"], json!(MAX_INTEGER + 2));
    assert_eq!(
        ana.get(&format!("/ventas?tipo=pedido&clave={}", MAX_INTEGER + 2)).await.ok(200)["datos"][0]["cliente"],
        customer
    );
    let last: i64 = world.sql("SELECT max(valor) FROM contadores").await;
    assert!((MAX_INTEGER..MAX_INTEGER + 100).contains(&last) && last < EXACT, "{last}");
}

#[tokio::test]
async fn a_larger_integer_is_refused_wherever_it_stands() {
    let world = World::new().await;
    let company = world.company().await;
    let mut refused = 0;
    for (resource, record) in records("AAA", 111) {
        for (field, value) in record.as_object().expect("a record") {
            if !value.is_i64() || matches!(field.as_str(), "importe" | "total" | "subtotal" | "precio") {
                continue;
            }
            for beyond in [MAX_INTEGER + 1, EXACT + 1, i64::MAX, -MAX_INTEGER - 1, i64::MIN] {
                let mut bad = record.clone();
                bad[field] = json!(beyond);
                let outcome = company.import(resource, &[bad]).await;
                let quantity = field.starts_with("existencia") || field == "cantidad";
                if !quantity {
                    blames(outcome, 1, &format!("{field}: debe ser un entero de -"));
                    refused += 1;
                }
            }
        }
        company.load(resource, &[record]).await;
    }
    assert!(refused > 150, "{refused}");
    assert_eq!(world.count("contadores WHERE valor > 1000").await, 0);
}

#[tokio::test]
async fn the_largest_folio_leaves_the_series_of_its_documents_alone() {
    let world = World::new().await;
    let company = world.company().await;
    company.load(Resource::Clientes, &[json!({"nombre": "Ana"})]).await;
    company.load(Resource::Productos, &[json!({"sku": "A"})]).await;
    let sale = |folio: i64| json!({"tipo": "pedido", "cliente": 1, "total": 1, "folio": folio});
    company.load(Resource::Ventas, &[sale(MAX_INTEGER), sale(7)]).await;
    blames(company.import(Resource::Ventas, &[sale(MAX_INTEGER + 1)]).await, 1, "folio: debe ser un entero de -");
    let invoice = json!({"serie": "A", "folio": i64::MAX.to_string()});
    company.load(Resource::Facturas, &[invoice]).await;
    let order = json!({"tipo": "pedido", "cliente": 1,
                       "renglones": [{"producto": 1, "cantidad": 1, "precio_unitario": "10.00"}]});
    let made = company.admin().await.post("/ventas", order).await.ok(201);
    assert_eq!((&made["venta"], &made["folio"]), (&json!(3), &json!(8)));
}

#[tokio::test]
async fn a_line_after_the_largest_has_the_next_number() {
    let world = World::new().await;
    let company = world.company().await;
    company.load(Resource::Ventas, &[json!({"tipo": "pedido", "total": 1})]).await;
    let line = |renglon: Value| json!({"venta": 1, "cantidad": 1, "renglon": renglon});
    company.load(Resource::VentasRenglones, &[line(json!(MAX_INTEGER)), line(Value::Null)]).await;
    let last: i64 = world.sql("SELECT max(renglon) FROM ventas_renglones").await;
    assert_eq!(last, MAX_INTEGER + 1);
}
