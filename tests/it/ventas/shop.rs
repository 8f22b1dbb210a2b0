//! A company that sells, shared by the tests of orders, quotes and their invoices.

use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Company, Reply, Resource, World};

/// The customer who can be invoiced, also on credit.
pub(crate) const ANA: i64 = 1;
/// A customer of list 2 with few data.
pub(crate) const BEA: i64 = 2;

/// Goods with 16 % IVA, sold by the piece, that cost 40.
pub(crate) const NAIL: i64 = 1;
/// Goods with 8 %, 0 %, no IVA at all, and not subject to the tax.
pub(crate) const BORDER: i64 = 2;
pub(crate) const FOOD: i64 = 3;
pub(crate) const BOOK: i64 = 4;
pub(crate) const UNTAXED: i64 = 5;
/// A service and an expense: no warehouse holds them.
pub(crate) const SERVICE: i64 = 6;
pub(crate) const EXPENSE: i64 = 7;
/// Products that cannot be sold.
pub(crate) const INACTIVE: i64 = 8;
pub(crate) const DELETED: i64 = 9;
/// A product with nothing but a SKU, in no price list.
pub(crate) const BARE: i64 = 12;

/// A company with customers, products, warehouses `001` and `002` and the inactive `003`, prices of
/// the nail, a salesperson (its owner), a user who is none (2), and everything that invoicing
/// needs. It is in the southern border region.
pub(crate) async fn shop(world: &World) -> Company {
    let settings = CompanyChange { licencias: Some(6), cp: Some("30700".to_owned()), ..CompanyChange::default() };
    let company = world.company_with(settings).await;
    company.load_certificate().await;
    company.user("Contador", false).await;
    let fiscal = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03",
                        "limite_credito": "10000.00", "dias_credito": 15});
    let prices = [
        json!({"producto": NAIL, "lista": 1, "precio": "100.00"}),
        json!({"producto": NAIL, "lista": 2, "lista_nombre": "Mayoreo", "precio": "80.00"}),
    ];
    company.load(Resource::Productos, &products()).await;
    company.load(Resource::Precios, &prices).await;
    company.load(Resource::Clientes, &[fiscal, json!({"nombre": "Bea", "lista": 2})]).await;
    let warehouses = [json!({"codigo": "002"}), json!({"codigo": "003", "estatus": "inactivo"})];
    company.load(Resource::Almacenes, &warehouses).await;
    company
}

fn products() -> Vec<Value> {
    let taxed =
        |sku: &str, iva: &str| json!({"sku": sku, "descripcion": format!("De {sku}"), "unidad": 1, "iva_venta": iva});
    let mut nail = taxed("A-1", "16");
    nail["costo"] = json!("40.00");
    nail["codigo_sat"] = json!("31161620");
    let mut untaxed = taxed("E-5", "16");
    untaxed["objeto_impuesto"] = json!("01");
    let of = |sku: &str, field: &str, value: &str| json!({"sku": sku, "descripcion": sku, field: value});
    vec![
        nail,
        taxed("B-2", "8"),
        taxed("C-3", "0"),
        taxed("D-4", "EX"),
        untaxed,
        of("S-6", "tipo", "virtual_con_precio"),
        of("G-7", "tipo", "gasto"),
        of("H-8", "estatus", "inactivo"),
        of("I-9", "estatus", "eliminado"),
        of("DOBLE", "estatus", "activo"),
        of("DOBLE", "estatus", "inactivo"),
        json!({"sku": "SIN"}),
    ]
}

/// A line of `cantidad` of a product at a price.
pub(crate) fn line(producto: i64, cantidad: i64, precio: &str) -> Value {
    json!({"producto": producto, "cantidad": cantidad, "precio_unitario": precio})
}

/// An order or a quote of Ana's for these lines.
pub(crate) fn sale(tipo: &str, renglones: &[Value]) -> Value {
    json!({"tipo": tipo, "cliente": ANA, "renglones": renglones})
}

/// `body` with another field.
pub(crate) fn with(body: &Value, field: &str, value: Value) -> Value {
    let mut changed = body.clone();
    changed[field] = value;
    changed
}

/// Creates a sales document and returns its clave.
pub(crate) async fn made(actor: &Actor, body: &Value) -> i64 {
    actor.post("/ventas", body.clone()).await.ok(201)["venta"].as_i64().expect("a clave")
}

/// A complete order of two nails of Ana's: 232.00, paid at once by transfer.
pub(crate) fn ready() -> Value {
    let mut body = sale("pedido", &[line(NAIL, 2, "100.00")]);
    body["forma_pago_sat"] = json!("03");
    body["metodo_pago_sat"] = json!("PUE");
    body
}

/// The same on credit.
pub(crate) fn on_credit() -> Value {
    let mut body = sale("pedido", &[line(NAIL, 2, "100.00")]);
    body["condicion_pago"] = json!("credito");
    body["forma_pago_sat"] = json!("99");
    body["metodo_pago_sat"] = json!("PPD");
    body
}

/// Requests a sale's invoice.
pub(crate) async fn invoiced(actor: &Actor, venta: i64, body: Value) -> Reply {
    actor.post(&format!("/ventas/{venta}/facturar"), body).await
}

/// Requests it many times concurrently.
pub(crate) async fn together<F: Future<Output = Reply>>(requests: impl IntoIterator<Item = F>) -> Vec<Reply> {
    join_all(requests).await
}

/// Stock and reservation of a product in a warehouse.
pub(crate) async fn stock(actor: &Actor, sku: &str, almacen: &str) -> Option<(Value, Value)> {
    let rows = actor.walk(&format!("/inventario?sku={sku}&almacen={almacen}")).await;
    rows.first().map(|row| (row["existencia"].clone(), row["apartado"].clone()))
}

/// The notices of a type in the outbox, in their order: `datos` and the resource's address.
pub(crate) async fn notices(world: &World, tipo: &str) -> Vec<(Value, Value)> {
    let bodies: Vec<Vec<u8>> =
        sqlx::query_scalar("SELECT cuerpo FROM emitidos WHERE tipo = $1 ORDER BY recurso_clave, id")
            .bind(tipo)
            .fetch_all(world.pool())
            .await
            .expect("the notices");
    let read = |body: Vec<u8>| {
        let notice: Value = serde_json::from_slice(&body).expect("a notice");
        (notice["datos"].clone(), notice["recurso"]["url"].clone())
    };
    bodies.into_iter().map(read).collect()
}
