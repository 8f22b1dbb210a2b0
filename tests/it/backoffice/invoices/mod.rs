//! `invoice.stamped`, `invoice.rejected`, `invoice.cancel`, `invoice.cancel-accepted`,
//! `invoice.cancel-rejected`

mod cancel;
mod complement;
mod receiver;
mod stamped;

use serde_json::{Value, json};
use svc_tests::{Actor, Company};

use super::did;
use super::shop::{invoiced, nails};
use crate::documents::UUIDS;

/// An order of the API, invoiced and stamped with the first of [`UUIDS`]: returns sale and invoice.
async fn stamped(company: &Company, ana: &Actor) -> (i64, i64) {
    let (venta, factura) = invoiced(ana, &nails("pedido")).await;
    did(company.run_by_name("invoice.stamped", &json!({"factura": factura, "uuid": UUIDS[0]})).await);
    (venta, factura)
}

/// The invoice's clave with these fields.
fn of(factura: i64, fields: Value) -> Value {
    super::shop::with(&json!({"factura": factura}), fields)
}

/// A payment of this amount of a receivable.
fn payment(cxc: &Value, importe: &str) -> Value {
    json!({"cxc": cxc, "importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
           "referencia": format!("SPEI {importe}")})
}
