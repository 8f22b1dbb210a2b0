//! `POST /productos`

use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::lists::pick;
use svc_tests::{Actor, Company, Resource, World};

#[tokio::test]
async fn a_product_is_created_with_the_defaults_and_an_event() {
    let (company, ana) = shop().await;
    let body = json!({"sku": " TOR-1 ", "descripcion": "Tornillo Ñandú", "unidad": 1});
    assert_eq!(ana.post("/productos", body).await.ok(201), json!({"ok": true, "producto": 1, "sku": "TOR-1"}));
    let stored = "SELECT to_jsonb(p)::text
                  FROM (SELECT estatus, tipo, subtipo, kit, codigo_sat, objeto_impuesto, iva_venta, iva_compra,
                               costo::text, folio
                        FROM productos) p";
    assert_eq!(
        company.world.json(stored).await,
        json!({
            "estatus": "activo", "tipo": "normal", "subtipo": "terminado", "kit": false, "codigo_sat": "01010101",
            "objeto_impuesto": "02", "iva_venta": "16", "iva_compra": "16", "costo": "0.000000", "folio": "1",
        })
    );
    let listed = ana.walk("/productos?buscar=nandu").await;
    assert_eq!(
        pick(&listed[0], &["sku", "tipo", "modificado"]),
        json!({"sku": "TOR-1", "tipo": "normal", "modificado": "2026-10-12T18:00:00Z"})
    );
    let notice: Vec<u8> = company.world.sql("SELECT cuerpo FROM emitidos").await;
    let notice: Value = serde_json::from_slice(&notice).unwrap();
    assert_eq!(notice["tipo"], "producto.creado");
    assert_eq!(notice["datos"], json!({"producto": 1, "sku": "TOR-1"}));
    assert_eq!(notice["recurso"]["url"], "https://erp.example.com/api/v1/productos?clave=1");
}

#[tokio::test]
async fn every_field_is_stored() {
    let (company, ana) = shop().await;
    let body = json!({"sku": "A", "descripcion": "B", "codigo_barras": "750100000001", "categoria": 1, "costo": 12.3456,
                      "clave_sat": "31161620", "unidad": 1, "objeto_impuesto": "01", "iva_venta": "EX", "iva_compra": "0", "tipo": "C"});
    ana.post("/productos", body).await.ok(201);
    let stored = "SELECT to_jsonb(p)::text
                  FROM (SELECT codigo_barras, categoria, costo::text, codigo_sat, unidad, objeto_impuesto, iva_venta,
                               iva_compra, tipo
                        FROM productos) p";
    assert_eq!(
        company.world.json(stored).await,
        json!({
            "codigo_barras": "750100000001", "categoria": 1, "costo": "12.345600", "codigo_sat": "31161620",
            "unidad": 1, "objeto_impuesto": "01", "iva_venta": "EX", "iva_compra": "0", "tipo": "virtual_sin_precio",
        })
    );
}

#[tokio::test]
async fn each_fault_has_its_code_and_nothing_is_stored() {
    let (company, ana) = shop().await;
    for (field, value, status, code) in [
        ("sku", json!(null), 400, "dato_requerido"),
        ("sku", json!("x".repeat(101)), 400, "dato_invalido"),
        ("sku", json!(7), 400, "dato_invalido"),
        ("descripcion", json!(""), 400, "dato_requerido"),
        ("descripcion", json!("ñ".repeat(501)), 400, "dato_invalido"),
        ("unidad", json!(null), 400, "dato_requerido"),
        ("unidad", json!(""), 400, "dato_requerido"),
        ("unidad", json!("1"), 400, "dato_invalido"),
        ("codigo_barras", json!("1".repeat(19)), 400, "dato_invalido"),
        ("categoria", json!(1.5), 400, "dato_invalido"),
        ("costo", json!(-1), 400, "dato_invalido"),
        ("costo", json!("1.1234567"), 400, "dato_invalido"),
        ("clave_sat", json!("3116162"), 400, "dato_invalido"),
        ("objeto_impuesto", json!("2"), 400, "dato_invalido"),
        ("tipo", json!("normal"), 400, "dato_invalido"),
        ("estatus", json!("activo"), 400, "campo_no_permitido"),
        ("clave_padre", json!(1), 400, "campo_no_permitido"),
        ("clave_sat", json!("99999999"), 422, "clave_sat_invalida"),
        ("objeto_impuesto", json!("09"), 422, "objeto_impuesto_invalido"),
        ("iva_venta", json!("17"), 422, "iva_invalido"),
        ("iva_compra", json!("ex"), 422, "iva_invalido"),
        ("iva_venta", json!("8"), 422, "impuesto_incompatible"),
        ("unidad", json!(99), 422, "unidad_invalida"),
        ("unidad", json!(50), 422, "unidad_invalida"),
        ("unidad", json!(51), 422, "unidad_invalida"),
        ("categoria", json!(99), 422, "categoria_invalida"),
    ] {
        let mut body = json!({"sku": "A", "descripcion": "B", "unidad": 1});
        body[field] = value.clone();
        let reply = ana.post("/productos", body).await;
        reply.fails(status, code);
        assert!(reply.mensaje().starts_with(field), "{field}: {value}: {}", reply.mensaje());
    }
    assert_eq!(company.world.count("productos").await, 0);
}

#[tokio::test]
async fn the_border_rate_needs_a_border_company_and_a_known_product() {
    let (company, ana) = shop().await;
    let body =
        |sku: &str, key: &str| json!({"sku": sku, "descripcion": "B", "unidad": 1, "iva_venta": "8", "clave_sat": key});
    ana.post("/productos", body("A", "31161620")).await.fails(422, "impuesto_incompatible");
    company.edit(CompanyChange { cp: Some("22000".to_owned()), ..CompanyChange::default() }).await;
    company.world.clock.advance(chrono::TimeDelta::seconds(5));
    ana.post("/productos", body("A", "31161620")).await.ok(201);
    ana.post("/productos", body("B", "01010101")).await.fails(422, "impuesto_incompatible");
}

#[tokio::test]
async fn a_sku_is_unique_among_active_products_even_under_concurrency() {
    let (company, ana) = shop().await;
    let records = [json!({"sku": "VIEJO", "estatus": "eliminado"}), json!({"sku": "USADO", "estatus": "activo"})];
    company.load(Resource::Productos, &records).await;
    let body = |sku: &str| json!({"sku": sku, "descripcion": "B", "unidad": 1});
    ana.post("/productos", body("VIEJO")).await.ok(201);
    ana.post("/productos", body("USADO")).await.fails(409, "sku_duplicado");
    for round in 0..5 {
        let sku = format!("NUEVO-{round}");
        let replies = join_all((0..10).map(|_| ana.post("/productos", body(&sku)))).await;
        assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
        replies.iter().filter(|reply| reply.status != 201).for_each(|reply| reply.fails(409, "sku_duplicado"));
    }
}

/// A company with a category, an inactive unit (50) and one without a key of the SAT's (51), and
/// its owner.
pub(super) async fn shop() -> (Company, Actor) {
    let company = World::new().await.company().await;
    let units = [
        json!({"clave": 50, "nombre": "Vieja", "clave_sat": "H87", "estatus": "inactivo"}),
        json!({"clave": 51, "nombre": "Sin clave"}),
    ];
    company.load(Resource::Unidades, &units).await;
    company.load(Resource::Categorias, &[json!({"nombre": "Todo"})]).await;
    let ana = company.admin().await;
    (company, ana)
}
