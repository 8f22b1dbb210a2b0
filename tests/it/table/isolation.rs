//! No list of one company ever shows a row of another, though both use the same claves.

use serde_json::{Value, json};
use svc_core::operation::registry::{Endpoint, OPERATIONS};
use svc_tests::{Actor, Company, Resource, World};

/// The clave of every record in both companies.
const CLAVE: i64 = 7;

#[tokio::test]
async fn no_list_shows_another_company_s_rows() {
    let world = World::new().await;
    let (ours, theirs) = (filled(&world, "AAA", 111).await, filled(&world, "BBB", 222).await);
    let (us, them) = (ours.admin().await, theirs.admin().await);
    // Deliveries have no mark; the tests of webhooks recognise them by their events.
    let marked = |endpoint: &&Endpoint| endpoint.pages().is_some() && !endpoint.spec.path.contains('{');
    for endpoint in OPERATIONS.iter().filter(marked) {
        let (own, other) = (rows(&us, endpoint).await, rows(&them, endpoint).await);
        assert!(own.contains("AAA") || own.contains("111"), "{}: our row is missing: {own}", endpoint.spec.path);
        assert!(!own.contains("BBB") && !own.contains("222"), "{}: {own}", endpoint.spec.path);
        assert!(!other.contains("AAA") && !other.contains("111"), "{}: {other}", endpoint.spec.path);
    }
}

#[tokio::test]
async fn a_reference_into_another_company_is_no_reference() {
    let world = World::new().await;
    filled(&world, "AAA", 111).await;
    let empty = world.company().await;
    for (resource, record) in records("BBB", 222) {
        let refers = ["producto", "cliente", "venta", "cxc", "compra", "proveedor", "etapa", "cuenta_bancaria"]
            .iter()
            .any(|field| record[*field] == json!(CLAVE));
        // The ledger's references are facts that outlive what they speak of.
        if refers && resource != Resource::MovimientosInventario {
            let outcome = empty.import(resource, &[record]).await;
            assert!(outcome.as_ref().is_err_and(|text| text.contains("no existe")), "{}: {outcome:?}", resource.name());
        }
    }
}

async fn rows(actor: &Actor, endpoint: &Endpoint) -> String {
    let selector = match endpoint.spec.path {
        "/ventas-renglones" => "?venta=7",
        "/compras-renglones" => "?compra=7",
        "/movimientos-inventario" => "?clave=7",
        _ => "",
    };
    let rows = actor.walk(&format!("{}{selector}", endpoint.spec.path)).await;
    assert_eq!(rows.iter().filter(|row| row["clave"] == json!(CLAVE)).count(), 1, "{}: {rows:?}", endpoint.spec.path);
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

/// A record of every resource; the mark or the number stands in each.
fn records(mark: &str, number: i64) -> Vec<(Resource, Value)> {
    let record = |resource: Resource| match resource {
        Resource::Sucursales
        | Resource::Vendedores
        | Resource::CuentasBancarias
        | Resource::Marcas
        | Resource::Categorias
        | Resource::EtapasOportunidad
        | Resource::MotivosPerdida
        | Resource::Proveedores
        | Resource::Clientes => json!({"nombre": mark}),
        Resource::Almacenes => json!({"codigo": mark, "nombre": mark, "sucursal": CLAVE}),
        Resource::Unidades => json!({"nombre": mark, "clave_sat": "H87"}),
        Resource::Productos => {
            json!({"sku": mark, "descripcion": mark, "marca": mark, "categoria": mark, "unidad": CLAVE})
        }
        Resource::Precios => json!({"producto": CLAVE, "lista": 1, "lista_nombre": mark, "precio": number}),
        Resource::Inventario => json!({"producto": CLAVE, "almacen": mark, "existencia": number}),
        Resource::MovimientosInventario => {
            json!({"tipo": "compra", "producto": CLAVE, "cantidad": number, "almacen": "7", "existencia_actual": number, "referencia": mark})
        }
        Resource::Ventas => {
            json!({"tipo": "venta", "cliente": CLAVE, "subtotal": number, "referencia": mark, "almacen": mark})
        }
        Resource::VentasRenglones => {
            json!({"venta": CLAVE, "renglon": 1, "producto": CLAVE, "cantidad": number, "descripcion": mark})
        }
        Resource::Facturas => json!({"venta": CLAVE, "cliente": CLAVE, "serie": mark}),
        Resource::Cxc => json!({"venta": CLAVE, "cliente": CLAVE, "folio": mark, "total": number}),
        Resource::CxcPagos => json!({"cxc": CLAVE, "importe": number, "referencia": mark, "cuenta_bancaria": CLAVE}),
        Resource::Cxp | Resource::Compras => json!({"proveedor": CLAVE, "folio": mark, "total": number}),
        Resource::ComprasRenglones => {
            json!({"compra": CLAVE, "renglon": 1, "producto": CLAVE, "cantidad": number, "descripcion": mark})
        }
        Resource::Oportunidades => json!({"etapa": CLAVE, "nombre": mark, "cliente": CLAVE}),
    };
    let marked = |resource: Resource| {
        let mut record = record(resource);
        record["clave"] = json!(CLAVE);
        (resource, record)
    };
    Resource::ALL.iter().copied().map(marked).collect()
}
