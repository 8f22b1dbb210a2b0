//! Prints the demo's address, its key, and requests to paste.

use std::io::{IsTerminal as _, stdout};

use chrono::TimeDelta;
use serde_json::json;
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::mcp::Surface;

use super::access::Access;
use super::sample_sale::{ACCOUNT, COUNT, PRICE, SampleSale, TOTAL};
use crate::failure::Failure;
use crate::output;

/// Prints one JSON line on stdout for programs, unless that is a terminal, and the same for people
/// on stderr.
pub(super) fn print(base_url: &str, access: &Access, pay_day: &str, has_office: bool) -> Result<(), Failure> {
    let Access { key_id, api_key, sale, .. } = access;
    let curl = Curl { base_url, access };
    let mut steps = steps(&curl);
    if let Some(sale) = sale {
        steps.extend(sale_steps(&curl, sale, pay_day));
    }
    let curls: Vec<&str> = steps.iter().map(|(_, curl)| curl.as_str()).collect();
    // What follows says the same to a person.
    if !stdout().is_terminal() {
        output::print(&json!({ "base_url": base_url, "key_id": key_id, "api_key": api_key, "curl": curls }))?;
    }
    eprintln!("\nThe demo company is being served; Ctrl-C ends it.\n");
    eprintln!("  base URL  {base_url}\n  key id    {key_id}\n  key       {api_key}\n\nTo paste:\n");
    if has_office {
        let find = curl.office("customer.find", r#"{"texto":"mora"}"#);
        steps.push(("The office: customers found by what is known of them", find));
    }
    let simulated = format!("{} -H 'X-Svc-Simular: cupo_agotado'", curl.get("/clientes"));
    steps.push(("An error to try out: as if the month's operations were used up", simulated));
    for (what, curl) in &steps {
        eprintln!("# {what}\n{curl}\n");
    }
    let origin = base_url.trim_end_matches("/api/v1");
    eprintln!(
        "The documentation is at {origin}/docs, with this key filled in; with --try-it it shows the data and sends requests.\n"
    );
    eprintln!("Events are sent to webhooks: to see them, run svc listen in another terminal before you paste.\n");
    if let Some((company, _)) = svc_core::parse_key_id(key_id) {
        eprintln!("A month passes in another terminal: svc company clock --company {} --forward 31d\n", company.0);
    }
    Ok(())
}

/// The requests to paste.
struct Curl<'a> {
    base_url: &'a str,
    access: &'a Access,
}

impl Curl<'_> {
    fn get(&self, path: &str) -> String {
        let Self { base_url, access: Access { key_id, api_key, .. } } = self;
        format!("curl -s '{base_url}{path}' -H 'Authorization: Bearer {api_key}' -H 'X-Svc-Key-Id: {key_id}'")
    }

    /// A rehearsal of a POST, with the heads of its answer.
    fn rehearsal(&self, path: &str, body: &str) -> String {
        let head = self.get(path);
        format!("{head} -X POST -H 'Content-Type: application/json' -H 'X-Svc-Ensayo: true' -d '{body}'")
    }

    /// An action of the office that reads.
    fn office(&self, action: &str, input: &str) -> String {
        let office = Curl { base_url: &Surface::Office.url(self.base_url), access: self.access };
        format!("{} -H 'Content-Type: application/json' -d '{input}'", office.get(&format!("/{action}")))
    }

    fn post(&self, path: &str, key: &str, body: &str) -> String {
        let head = self.get(path);
        format!("{head} -X POST -H 'Content-Type: application/json' -H 'Idempotency-Key: {key}' -d '{body}'")
    }
}

fn steps(curl: &Curl<'_>) -> Vec<(&'static str, String)> {
    let since = SystemClock.now().date_naive() - TimeDelta::days(90);
    let get = |path: &str| curl.get(path);
    let post = |path: &str, key: &str, body: &str| curl.post(path, key, body);
    vec![
        ("The first 30 customers; for the next page add ?cursor= and the value of siguiente", get("/clientes")),
        (
            "Products that speak of galvanised screws, however they are spelled",
            get("/productos?buscar=TORNÍLLO%20galvanizado&limite=5"),
        ),
        (
            "Sales that are invoiced, by the date of the sale: at most 92 days at a time",
            get(&format!("/ventas?tipo=factura&fecha_desde={since}&limite=3")),
        ),
        (
            "Revenue of a month goes by the invoice's own date, which GET /facturas has (a sale keeps the date of its order): for the \
             amounts, /ventas?tipo=factura&clave= and the venta of each",
            get(&format!("/facturas?tipo=factura&estatus=vigente&fecha_desde={since}&limite=3")),
        ),
        ("What was sold in one of them", get("/ventas-renglones?venta=1")),
        ("How a product came to its stock (kardex)", get("/movimientos-inventario?sku=FER-TOR-0106&limite=5")),
        ("What is overdue", get("/cxc?vencido=true&limite=3")),
        ("Deals still open", get("/oportunidades?estatus=abierta&limite=3")),
        (
            "A customer, created once: run it twice, the second answer is the first one replayed",
            post(
                "/clientes",
                "demo-1",
                r#"{"nombre":"Comercial Peña","rfc":"XIA190128J61","regimen":601,"uso_cfdi":"G03","cp":"06700"}"#,
            ),
        ),
        ("That customer, by RFC", get("/clientes?rfc=XIA190128J61")),
        ("An error names the field", post("/clientes", "demo-2", r#"{"nombre":"X","cp":"123"}"#)),
        (
            "A call to a customer, logged",
            post(
                "/clientes/2/interacciones",
                "demo-4",
                r#"{"canal":"llamada","resultado":"contactado","nota":"Pide catálogo","cierre":"Enviado por correo"}"#,
            ),
        ),
        (
            "A product",
            post(
                "/productos",
                "demo-5",
                r#"{"sku":"DEMO-1","descripcion":"Cinta de aislar 19 mm x 18 m","unidad":1,"clave_sat":"31201502","costo":"21.50"}"#,
            ),
        ),
        (
            "A rehearsal: what the creation of a customer would answer; nothing is written",
            curl.rehearsal("/clientes", r#"{"nombre":"Ferretería Ensayo","cp":"06700"}"#),
        ),
        ("What has happened: events of the last 30 days; siguiente goes on from here", get("/eventos?limite=3")),
        (
            "A prospect for the CRM",
            post(
                "/leads",
                "demo-3",
                r#"{"nombre":"Ana Ruiz","telefono":"55 1234 5678","mensaje":"¿Tienen cable calibre 12?"}"#,
            ),
        ),
    ]
}

/// A sale from the order to its payment and its printed invoice, one request after the other.
fn sale_steps(curl: &Curl<'_>, sale: &SampleSale, pay_day: &str) -> Vec<(&'static str, String)> {
    let SampleSale { cliente, producto, venta, cxc, factura } = sale;
    let order = format!(
        r#"{{"tipo":"pedido","cliente":{cliente},"renglones":[{{"producto":{producto},"cantidad":{COUNT},"precio_unitario":"{PRICE}"}}],"metodo_pago_sat":"PPD","forma_pago_sat":"99"}}"#
    );
    let payment = format!(
        r#"{{"importe":"{TOTAL}","cuenta_bancaria":{ACCOUNT},"forma_pago_sat":"03","fecha":"{pay_day}","referencia":"DEMO-1"}}"#
    );
    let mut steps = vec![
        ("From here on one after the other. An order, to be paid later", curl.post("/ventas", "demo-6", &order)),
        ("Its invoice", curl.post(&format!("/ventas/{venta}/facturar"), "demo-7", "{}")),
        (
            "A second later it is stamped (by the sandbox): vigente, with a uuid",
            curl.get(&format!("/facturas?venta={venta}")),
        ),
        ("What is owed for it", curl.get(&format!("/cxc?venta={venta}"))),
        ("It is paid", curl.post(&format!("/cxc/{cxc}/pagos"), "demo-8", &payment)),
        ("The payment; a second later its complement is stamped", curl.get(&format!("/cxc-pagos?cxc={cxc}"))),
    ];
    if let Some(factura) = factura {
        let file = |kind: &str| format!("{} -o factura.{kind}", curl.get(&format!("/facturas/{factura}/{kind}")));
        steps.push(("The invoice itself: sealed with the company's key and stamped", file("xml")));
        steps.push(("The same on paper: open factura.pdf", file("pdf")));
    }
    steps
}
