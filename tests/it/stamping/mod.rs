//! The stamping worker: its requests, its leases and its effects.

mod advances;
mod advances_later;
mod advances_withheld;
mod attachments;
mod cancellations;
mod captured;
mod certificates;
mod complements;
mod corrected_reports;
mod corrections;
mod credit_notes;
mod details;
mod discarded;
mod documents;
mod global;
mod global_period;
mod invoices;
mod leases;
mod line_details;
mod mailed;
mod mixed_notes;
mod owners;
mod pace;
mod receivers;
mod refunds;
mod reissue;
mod returns;
mod returns_undone;
mod sandbox;
mod substituted_complements;
mod test_companies;
mod tickets;
mod tickets_undone;
mod unknown;
mod validated;

use std::sync::Mutex;

use async_trait::async_trait;
use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::stamping::{SandboxStamper, StampFailure, StampReport, StampRequest, StampedXml, Stamper};
use svc_tests::{Actor, Company, Resource, World};
use uuid::Uuid;

/// Customers: one with everything that an invoice needs, the general public, one without RFC but
/// with a name, and a foreign one.
const ANA: i64 = 1;
const PUBLIC: i64 = 2;
const NAMED: i64 = 3;
const ABROAD: i64 = 4;
/// Products by their IVA: 16 %, 0 %, exempt, not subject to tax, and 8 %.
const NAIL: i64 = 1;
const FOOD: i64 = 2;
const BOOK: i64 = 3;
const UNTAXED: i64 = 4;
const BORDER: i64 = 5;

/// A company that can invoice, and a user who may do everything.
struct Shop {
    company: Company,
    actor: Actor,
}

impl Shop {
    async fn new(world: &World) -> Self {
        Self::of(world.company().await).await
    }

    async fn of(company: Company) -> Self {
        company.load_certificate().await;
        let receiver = |nombre: &str, rfc: &str, regimen: i64, uso: &str| json!({"nombre": nombre, "rfc": rfc, "regimen": regimen, "cp": "06700", "uso_cfdi": uso});
        let customers = [
            receiver("Ana", "XIA190128J61", 601, "G03"),
            receiver("Público en general", "XAXX010101000", 616, "S01"),
            receiver("Juan Pérez", "XAXX010101000", 616, "S01"),
            receiver("Acme Inc.", "XEXX010101000", 616, "S01"),
        ];
        let product = |sku: &str, iva: &str| json!({"sku": sku, "descripcion": sku, "unidad": 1, "iva_venta": iva});
        let mut untaxed = product("D-4", "16");
        untaxed["objeto_impuesto"] = json!("01");
        let products = [product("A-1", "16"), product("B-2", "0"), product("C-3", "EX"), untaxed, product("E-5", "8")];
        company.load(Resource::Clientes, &customers).await;
        company.load(Resource::Productos, &products).await;
        company.load(Resource::CuentasBancarias, &[json!({"nombre": "Pesos"})]).await;
        let actor = company.admin().await;
        Self { company, actor }
    }

    fn world(&self) -> &World {
        &self.company.world
    }

    /// Orders and invoices this; returns the sale and its invoice.
    async fn invoice(&self, order: Value) -> (i64, i64) {
        let venta = self.actor.post("/ventas", order).await.ok(201)["venta"].as_i64().expect("a sale");
        let requested = self.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
        (venta, requested["factura"].as_i64().expect("an invoice"))
    }

    /// Pays this amount of a receivable today, by transfer; returns the payment.
    async fn pay(&self, cxc: i64, importe: &str, referencia: &str) -> i64 {
        let body = json!({"importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                          "referencia": referencia});
        self.actor.post(&format!("/cxc/{cxc}/pagos"), body).await.ok(201)["pago"].as_i64().expect("a payment")
    }

    /// The only record that a query finds.
    async fn one(&self, query: &str) -> Value {
        let found = self.actor.get(query).await.ok(200)["datos"].clone();
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{query}: {found}");
        found[0].clone()
    }

    async fn factura(&self, clave: i64) -> Value {
        self.one(&format!("/facturas?clave={clave}")).await
    }
}

/// A line of `cantidad` of a product at a price.
fn line(producto: i64, cantidad: &str, precio: &str) -> Value {
    let cantidad: Value = serde_json::from_str(cantidad).expect("a number");
    json!({"producto": producto, "cantidad": cantidad, "precio_unitario": precio})
}

/// An order of Ana's, to be paid in instalments.
fn order(renglones: &[Value]) -> Value {
    json!({"tipo": "pedido", "cliente": ANA, "renglones": renglones, "metodo_pago_sat": "PPD", "forma_pago_sat": "99"})
}

/// Ten nails: 1160.00.
fn nails() -> Value {
    order(&[line(NAIL, "10", "100")])
}

/// A provider that answers with `answer` and records its requests.
struct Stub<F> {
    requests: Mutex<Vec<StampRequest>>,
    answer: F,
}

impl<F: Fn(&StampRequest) -> Result<StampedXml, StampFailure> + Send + Sync> Stub<F> {
    fn new(answer: F) -> Self {
        Self { requests: Mutex::default(), answer }
    }

    fn ids(&self) -> Vec<String> {
        self.requests.lock().unwrap().iter().map(|request| own(&request.id).to_owned()).collect()
    }

    fn document(&self) -> Cfdi {
        let xml = self.requests.lock().unwrap().last().expect("a request").xml.clone();
        Cfdi::read(&xml).expect("a document")
    }

    /// The documents sent, in order.
    fn sent(&self) -> Vec<String> {
        self.requests.lock().unwrap().iter().map(|request| request.xml.clone()).collect()
    }
}

#[async_trait]
impl<F: Fn(&StampRequest) -> Result<StampedXml, StampFailure> + Send + Sync> Stamper for Stub<F> {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        self.requests.lock().unwrap().push(request.clone());
        (self.answer)(request)
    }
}

/// Stamps everything, with a UUID derived from the id.
fn accept(request: &StampRequest) -> Result<StampedXml, StampFailure> {
    SandboxStamper::sign(request, uuid(&request.id), "2026-10-12T18:00:05.25Z".parse().unwrap())
}

fn uuid(id: &str) -> Uuid {
    let digits: u128 = own(id).replace('-', "").parse().expect("an id of two numbers");
    Uuid::from_u128(0x5ad4_27b5_2b1e_4d3c_9f0a_0000_0000_0000 + digits)
}

/// A request's id without the installation's part at its beginning; an id without that part stays
/// as it is.
fn own(id: &str) -> &str {
    match id.split_once('-') {
        Some((installation, own)) if installation.len() == 15 => own,
        _ => id,
    }
}

fn unreachable(_: &StampRequest) -> Result<StampedXml, StampFailure> {
    Err(StampFailure::Unreachable("nobody\nthere".to_owned()))
}

fn report() -> StampReport {
    StampReport::default()
}
