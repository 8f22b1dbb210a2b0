//! `payment.apply`, `payment.cancel`, `deposit.capture`

mod apply;
mod cancel;

use serde_json::{Value, json};
use svc_tests::{Actor, Company, World};

use crate::cxc::pagos::owed;

/// A payment of one receivable.
fn one(cxc: i64, importe: &str, referencia: &str) -> Value {
    json!({"cxc": cxc, "importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
           "referencia": referencia})
}

/// A deposit that pays several receivables.
fn several(parts: &[(i64, &str)], referencia: &str) -> Value {
    let parts: Vec<_> = parts.iter().map(|(cxc, importe)| json!({"cxc": cxc, "importe": importe})).collect();
    json!({"aplicaciones": parts, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
           "referencia": referencia})
}

fn deposit(importe: &str, referencia: &str) -> Value {
    json!({"cuenta_bancaria": 1, "fecha": "2026-10-12", "importe": importe, "referencia": referencia})
}

fn changed(mut input: Value, field: &str, value: Value) -> Value {
    input[field] = value;
    input
}

/// A receivable's sums and status, and its sale's balance.
async fn debt(ana: &Actor, cxc: i64) -> Value {
    let row = ana.get(&format!("/cxc?clave={cxc}")).await.ok(200)["datos"][0].clone();
    let sale = format!("/ventas?clave={}&tipo={}", row["venta"], row["tipo_venta"].as_str().unwrap());
    let sale = ana.get(&sale).await.ok(200)["datos"][0].clone();
    json!({"saldo": row["saldo"], "pagado": row["pagado"], "parcialidades": row["parcialidades"],
           "estatus": row["estatus"], "saldo_venta": sale["saldo"]})
}

/// The complements, and the claves of the documents waiting to be stamped.
async fn complements(world: &World) -> (Value, Vec<i64>) {
    let complements = world
        .json(
            "SELECT coalesce(jsonb_agg(jsonb_build_object('estatus', estatus, 'serie', serie, 'folio', folio)
                                       ORDER BY clave), '[]')::text
             FROM facturas WHERE tipo = 'pago'",
        )
        .await;
    let queue = world.sql("SELECT coalesce(array_agg(factura ORDER BY factura), '{}') FROM timbrados").await;
    (complements, queue)
}

async fn shop() -> (Company, Actor) {
    let company = owed().await;
    let ana = company.admin().await;
    (company, ana)
}
