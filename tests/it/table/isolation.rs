//! No list of one company shows a row of another, although both use the same claves.

use serde_json::{Value, json};
use svc_tests::lists::claves;
use svc_tests::{Actor, Company, Resource, World};
use svc_tests::{Endpoint, endpoints};

use super::lists;
use crate::documents::UUIDS;

/// The clave of every record in both companies.
pub(crate) const CLAVE: i64 = 7;

#[tokio::test]
async fn no_list_shows_another_company_s_records() {
    let world = World::new().await;
    let (ours, theirs) = (filled(&world, "AAA", 111).await, filled(&world, "BBB", 222).await);
    let (us, them) = (ours.admin().await, theirs.admin().await);
    for endpoint in endpoints().filter(is_marked) {
        let (own, other) = (rows(&us, &endpoint).await, rows(&them, &endpoint).await);
        assert!(own.contains("AAA") || own.contains("111"), "{}: our row is missing: {own}", endpoint.http.path);
        assert!(!own.contains("BBB") && !own.contains("222"), "{}: {own}", endpoint.http.path);
        assert!(!other.contains("AAA") && !other.contains("111"), "{}: {other}", endpoint.http.path);
    }
}

/// Records of both companies have the same claves and differ only in the company.
#[tokio::test]
async fn no_filter_finds_another_company_s_records() {
    let world = World::new().await;
    let (ours, theirs) = (filled(&world, "AAA", 111).await, filled(&world, "BBB", 222).await);
    let (us, them) = (ours.admin().await, theirs.admin().await);
    for list in lists().filter(is_marked) {
        let path = list.http.path;
        let their_row = them.walk(&format!("{path}{}", selector(path))).await.pop().expect("a row");
        for filter in list.filters() {
            let Some(value) = value(path, filter.name, &their_row) else { continue };
            let selector = selector(path).trim_start_matches('?');
            // The selector occurs once.
            let selector = if selector.starts_with(&format!("{}=", filter.name)) { "" } else { selector };
            let target = format!("{path}?{}={value}&{selector}", filter.name);
            let found = them.walk(&target).await;
            assert!(found.iter().any(|row| row["clave"] == json!(CLAVE)), "{target} finds their own row: {found:?}");
            let found = us.walk(&target).await;
            // Our record is the same except for the mark.
            let ours = if value.contains("BBB") { &[][..] } else { &[CLAVE][..] };
            let of_clave: Vec<_> = claves(&found).into_iter().filter(|clave| *clave == CLAVE).collect();
            assert_eq!(of_clave, ours, "{target}");
            let found = Value::from(found).to_string();
            assert!(!found.contains("BBB") && !found.contains("222"), "{target}: {found}");
        }
    }
}

#[tokio::test]
async fn references_to_another_company_are_refused() {
    let world = World::new().await;
    filled(&world, "AAA", 111).await;
    let empty = world.company().await;
    for (resource, record) in records("BBB", 222) {
        let refers = ["producto", "cliente", "venta", "cxc", "compra", "proveedor", "etapa", "cuenta_bancaria"]
            .iter()
            .any(|field| record[*field] == json!(CLAVE));
        // The ledger's references are facts that outlive the records they name.
        if refers && resource != Resource::MovimientosInventario {
            let outcome = empty.import(resource, &[record]).await;
            assert!(outcome.as_ref().is_err_and(|text| text.contains("no existe")), "{}: {outcome:?}", resource.name());
        }
    }
}

/// Whether it is a list whose records have the mark. Deliveries and events have none; their own
/// tests recognize them.
fn is_marked(endpoint: &Endpoint) -> bool {
    let path = endpoint.http.path;
    endpoint.pages().is_some() && !path.contains('{') && path != "/eventos"
}

/// The selector of a list that is read for one document or product only.
fn selector(path: &str) -> &'static str {
    match path {
        "/ventas-renglones" => "?venta=7",
        "/compras-renglones" => "?compra=7",
        "/movimientos-inventario" => "?clave=7",
        _ => "",
    }
}

/// A filter's value that finds `row`, which has the mark `BBB`; none if the list's own tests check
/// the filter.
fn value(path: &str, filter: &str, row: &Value) -> Option<String> {
    let known = match (path, filter) {
        // It would need a second product.
        (_, "sku_padre") => return None,
        ("/ventas" | "/facturas", "fecha_hasta") => "2026-10-31&fecha_desde=2026-10-12",
        (_, "uso_cfdi") => "G03",
        (_, "buscar" | "sku") => "BBB",
        (_, "con_saldo" | "vencido") => "true",
        (_, name) if name.ends_with("_desde") => "2026-10-12",
        (_, name) if name.ends_with("_hasta") => "2026-10-31",
        _ => "",
    };
    let shown = match &row[filter] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let value = if known.is_empty() { shown } else { known.to_owned() };
    assert!(!value.is_empty(), "say here what {path} is asked for by {filter}: {row}");
    Some(value)
}

async fn rows(actor: &Actor, endpoint: &Endpoint) -> String {
    let rows = actor.walk(&format!("{}{}", endpoint.http.path, selector(endpoint.http.path))).await;
    assert_eq!(rows.iter().filter(|row| row["clave"] == json!(CLAVE)).count(), 1, "{}: {rows:?}", endpoint.http.path);
    Value::from(rows).to_string()
}

/// A company with one record in every list.
async fn filled(world: &World, mark: &str, number: i64) -> Company {
    let company = world.company().await;
    for (resource, record) in records(mark, number) {
        let outcome = company.import(resource, &[record]).await;
        assert_eq!(outcome, Ok(1), "{}", resource.name());
    }
    let admin = company.admin().await;
    for _ in 0..CLAVE {
        let webhook = json!({"url": format!("https://example.com/{mark}"), "eventos": ["cliente.creado"]});
        admin.post("/webhooks", webhook).await.ok(201);
    }
    company
}

/// A record of every resource; each contains the mark or the number.
pub(crate) fn records(mark: &str, number: i64) -> Vec<(Resource, Value)> {
    let record = |resource: Resource| match resource {
        Resource::Sucursales
        | Resource::Vendedores
        | Resource::CuentasBancarias
        | Resource::Marcas
        | Resource::Categorias
        | Resource::EtapasOportunidad
        | Resource::MotivosPerdida => json!({"nombre": mark}),
        Resource::Proveedores => json!({"nombre": mark, "rfc": "EKU9003173C9"}),
        Resource::Clientes => {
            json!({"nombre": mark, "rfc": "EKU9003173C9", "regimen": 601, "uso_cfdi": "G03", "correo": "a@x.mx",
                   "telefono": "5512345678", "movil": "5587654321", "proximo_contacto": "2026-10-12",
                   "id_platform_a": "A", "id_platform_b": "B", "id_platform_c": "C", "id_platform_d": "D",
                   "id_platform_e": "E"})
        }
        Resource::Almacenes => json!({"codigo": mark, "nombre": mark, "sucursal": CLAVE}),
        Resource::Unidades => json!({"nombre": mark, "clave_sat": "H87"}),
        Resource::Productos => {
            json!({"sku": mark, "descripcion": mark, "marca": mark, "categoria": mark, "unidad": CLAVE,
                   "codigo_sat": "31161620", "subtipo": "componente", "id_platform_b": "B"})
        }
        Resource::Precios => json!({"producto": CLAVE, "lista": 1, "lista_nombre": mark, "precio": number}),
        Resource::Inventario => json!({"producto": CLAVE, "almacen": mark, "existencia": number}),
        Resource::MovimientosInventario => {
            json!({"tipo": "compra", "producto": CLAVE, "cantidad": number, "almacen": "7", "existencia_actual": number, "referencia": mark, "venta": CLAVE})
        }
        Resource::Ventas => {
            json!({"tipo": "venta", "cliente": CLAVE, "subtotal": number, "referencia": mark, "almacen": mark, "folio": 5})
        }
        Resource::VentasRenglones => {
            json!({"venta": CLAVE, "renglon": 1, "producto": CLAVE, "cantidad": number, "descripcion": mark})
        }
        Resource::Facturas => json!({"venta": CLAVE, "cliente": CLAVE, "serie": mark, "uuid": UUIDS[0]}),
        Resource::Cxc => {
            json!({"venta": CLAVE, "cliente": CLAVE, "folio": mark, "total": number, "uuid": UUIDS[0],
                   "vencimiento": "2026-01-01"})
        }
        Resource::CxcPagos => json!({"cxc": CLAVE, "importe": number, "referencia": mark, "cuenta_bancaria": CLAVE}),
        Resource::Compras => json!({"proveedor": CLAVE, "folio": mark, "total": number}),
        Resource::Cxp => {
            json!({"proveedor": CLAVE, "folio": mark, "total": number, "uuid": UUIDS[0], "vencimiento": "2026-01-01"})
        }
        Resource::ComprasRenglones => {
            json!({"compra": CLAVE, "renglon": 1, "producto": CLAVE, "cantidad": number, "descripcion": mark})
        }
        Resource::Oportunidades => {
            json!({"etapa": CLAVE, "nombre": mark, "cliente": CLAVE, "vendedor": CLAVE, "cierre": "2026-10-12"})
        }
    };
    let marked = |resource: Resource| {
        let mut record = record(resource);
        record["clave"] = json!(CLAVE);
        (resource, record)
    };
    Resource::ALL.iter().copied().map(marked).collect()
}
