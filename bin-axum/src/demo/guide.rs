//! What the demo tells: where it is, its key, and requests to paste.

use serde_json::json;
use svc_core::domain::clock::{Clock, SystemClock};

use super::Access;
use super::data::days_before;
use crate::commands::print as print_result;
use crate::failure::Failure;

/// One JSON line on stdout for programs, the same for people on stderr.
pub(super) fn print(base_url: &str, access: &Access) -> Result<(), Failure> {
    let Access { key_id, api_key } = access;
    let steps = steps(base_url, access);
    let curls: Vec<&str> = steps.iter().map(|(_, curl)| curl.as_str()).collect();
    print_result(&json!({ "base_url": base_url, "key_id": key_id, "api_key": api_key, "curl": curls }))?;
    eprintln!("\nThe demo company is being served; Ctrl-C ends it.\n");
    eprintln!("  base URL  {base_url}\n  key id    {key_id}\n  key       {api_key}\n\nTo paste:\n");
    for (what, curl) in &steps {
        eprintln!("# {what}\n{curl}\n");
    }
    Ok(())
}

fn steps(base_url: &str, access: &Access) -> Vec<(&'static str, String)> {
    let Access { key_id, api_key } = access;
    let since = days_before(SystemClock.now().date_naive(), 90);
    let get = |path: &str| {
        format!("curl -s '{base_url}{path}' -H 'Authorization: Bearer {api_key}' -H 'X-Svc-Key-Id: {key_id}'")
    };
    let write = |method: &str, path: &str, key: &str, body: &str| {
        format!("{} -X {method} -H 'Content-Type: application/json' -H 'Idempotency-Key: {key}' -d '{body}'", get(path))
    };
    vec![
        ("The first 30 customers; for the next page add ?cursor= and the value of siguiente", get("/clientes")),
        (
            "Products that speak of galvanised screws, however they are spelled",
            get("/productos?buscar=TORNÍLLO%20galvanizado&limite=5"),
        ),
        (
            "The latest quarter's invoices: at most 92 days at a time",
            get(&format!("/ventas?tipo=factura&fecha_desde={since}&limite=3")),
        ),
        ("What was sold in one of them", get("/ventas-renglones?venta=1")),
        ("How a product came to its stock (kardex)", get("/movimientos-inventario?sku=FER-TOR-0106&limite=5")),
        ("What is overdue", get("/cxc?vencido=true&limite=3")),
        ("Deals still open", get("/oportunidades?estatus=abierta&limite=3")),
        (
            "A customer, created once: run it twice, the second answer is the first one replayed",
            write(
                "POST",
                "/clientes",
                "demo-1",
                r#"{"nombre":"Comercial Peña","rfc":"EKU9003173C9","regimen":601,"uso_cfdi":"G03","cp":"06700"}"#,
            ),
        ),
        ("That customer, by RFC", get("/clientes?rfc=EKU9003173C9")),
        ("An error names the field", write("POST", "/clientes", "demo-2", r#"{"nombre":"X","cp":"123"}"#)),
        (
            "A call to a customer, logged",
            write(
                "POST",
                "/clientes/2/interacciones",
                "demo-4",
                r#"{"canal":"llamada","resultado":"contactado","nota":"Pide catálogo","cierre":"Enviado por correo"}"#,
            ),
        ),
        (
            "A product",
            write(
                "POST",
                "/productos",
                "demo-5",
                r#"{"sku":"DEMO-1","descripcion":"Cinta de aislar 19 mm x 18 m","unidad":1,"clave_sat":"31201502","costo":"21.50"}"#,
            ),
        ),
        (
            "A prospect for the CRM",
            write(
                "POST",
                "/leads",
                "demo-3",
                r#"{"nombre":"Ana Ruiz","telefono":"55 1234 5678","mensaje":"¿Tienen cable calibre 12?"}"#,
            ),
        ),
    ]
}
