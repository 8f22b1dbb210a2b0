//! A company that sells, and queries of its records.

use serde_json::{Value, json};
use svc_tests::{Actor, Company, Resource, World, books};

use super::did;
pub(crate) use crate::ventas::shop::{line, stock};

/// Goods with 16 % IVA that cost 40, and goods without IVA that cost 1.50.
pub(crate) const NAIL: i64 = 1;
pub(crate) const FOOD: i64 = 2;
/// A service: no warehouse holds it.
pub(crate) const SERVICE: i64 = 3;

/// A company that may invoice, with customer 1, who has 15 days of credit, branch 3 with the
/// warehouses `030` and (the main one) `031`, warehouse `002` of the head office, and bank accounts
/// in pesos and dollars.
pub(crate) async fn shop(world: &World) -> Company {
    let company = world.company().await;
    company.load_certificate().await;
    let products = [
        json!({"sku": "A-1", "descripcion": "Clavo", "unidad": 1, "iva_venta": "16", "costo": "40.00"}),
        json!({"sku": "C-2", "descripcion": "Maíz", "unidad": 1, "iva_venta": "0", "costo": "1.50"}),
        json!({"sku": "S-3", "descripcion": "Flete", "unidad": 1, "iva_venta": "16", "tipo": "virtual_con_precio"}),
    ];
    let ana = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03",
                     "limite_credito": "100000.00", "dias_credito": 15});
    company.load(Resource::Productos, &products).await;
    company.load(Resource::Clientes, &[ana]).await;
    company.load(Resource::Sucursales, &[json!({"clave": 3, "nombre": "Norte"})]).await;
    let warehouses = [
        json!({"codigo": "002"}),
        json!({"codigo": "030", "sucursal": 3}),
        json!({"codigo": "031", "sucursal": 3, "principal": true}),
    ];
    company.load(Resource::Almacenes, &warehouses).await;
    let accounts = [json!({"nombre": "Pesos"}), json!({"nombre": "Dólares", "moneda": "USD"})];
    company.load(Resource::CuentasBancarias, &accounts).await;
    company
}

/// A document of customer 1 for these lines, paid at once by transfer.
pub(crate) fn sale(tipo: &str, renglones: &[Value]) -> Value {
    json!({"tipo": tipo, "cliente": 1, "renglones": renglones, "forma_pago_sat": "03", "metodo_pago_sat": "PUE"})
}

/// A document for two nails: 232.00.
pub(crate) fn nails(tipo: &str) -> Value {
    sale(tipo, &[line(NAIL, 2, "100.00")])
}

/// `body` with these fields changed.
pub(crate) fn with(body: &Value, mut changes: Value) -> Value {
    let mut result = body.clone();
    let fields = result.as_object_mut().expect("an object");
    fields.append(changes.as_object_mut().expect("an object"));
    result
}

/// Captures a document and returns its clave.
pub(crate) async fn captured(company: &Company, body: &Value) -> i64 {
    did(company.run_by_name("sale.capture", body).await)["venta"].as_i64().expect("a clave")
}

/// An order of the API, invoiced by it: returns sale and invoice.
pub(crate) async fn invoiced(ana: &Actor, body: &Value) -> (i64, i64) {
    let venta = ana.post("/ventas", body.clone()).await.ok(201)["venta"].as_i64().expect("a clave");
    let invoice = ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    (venta, invoice["factura"].as_i64().expect("a clave"))
}

/// The only record of a list.
pub(crate) async fn only(ana: &Actor, path: &str) -> Value {
    let records = ana.walk(path).await;
    assert_eq!(records.len(), 1, "{path}: {records:?}");
    records[0].clone()
}

/// A sale of this type, cancelled or not.
pub(crate) async fn found(ana: &Actor, tipo: &str, venta: i64) -> Value {
    let valid = ana.walk(&format!("/ventas?tipo={tipo}&clave={venta}")).await;
    match valid.first() {
        Some(sale) => sale.clone(),
        None => only(ana, &format!("/ventas?tipo={tipo}&clave={venta}&cancelada=true")).await,
    }
}

/// The ledger of a sale, a movement a line.
pub(crate) async fn ledger(ana: &Actor, venta: i64) -> Vec<String> {
    let shown = |row: &Value| {
        let text = |field: &str| row[field].as_str().map_or_else(|| row[field].to_string(), str::to_owned);
        let (quantity, left, cost) = (text("cantidad"), text("existencia_actual"), text("importe"));
        let (kind, sku, warehouse) = (text("tipo"), text("sku"), text("almacen"));
        format!("{kind}: {quantity} of {sku} for {cost}, then {left} in warehouse {warehouse}")
    };
    ana.walk(&format!("/movimientos-inventario?venta={venta}")).await.iter().map(shown).collect()
}

/// The accounting entries of a sale: each one's subject and its lines.
pub(crate) async fn entries(company: &Company, venta: i64) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT p.concepto || ':' || string_agg(format(' %s %s', r.cuenta,
                    CASE WHEN r.cargo > 0 THEN to_char(r.cargo, 'FM+999990.00') ELSE to_char(-r.abono, 'FM999990.00') END),
                '' ORDER BY r.renglon)
         FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
         WHERE p.empresa = $1 AND p.venta = $2 GROUP BY p.clave, p.concepto ORDER BY p.clave",
    )
    .bind(company.id.0)
    .bind(venta)
    .fetch_all(company.world.pool())
    .await
    .expect("the entries")
}

/// The records waiting to be stamped.
pub(crate) async fn queued(company: &Company) -> Vec<i64> {
    sqlx::query_scalar("SELECT factura FROM timbrados WHERE empresa = $1 ORDER BY factura")
        .bind(company.id.0)
        .fetch_all(company.world.pool())
        .await
        .expect("the queue")
}

/// Checks that each input is refused with its code and a text that begins with `said`, and changes
/// nothing.
pub(crate) async fn refuses(company: &Company, action: &str, table: &[(Value, &str, &str)]) {
    let before = books::fingerprint(&company.world).await;
    super::refuses(company, action, table).await;
    assert_eq!(books::fingerprint(&company.world).await, before, "{action}");
}

/// Checks that another company's record is not found, and nothing happens to it.
pub(crate) async fn is_isolated(company: &Company, action: &str, input: Value) {
    let other = company.world.company().await;
    refuses(&other, action, &[(input, "no_encontrado", "")]).await;
}
