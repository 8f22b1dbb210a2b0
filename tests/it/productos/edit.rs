//! `PUT /productos/{clave}`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::{Resource, World};

use super::create::shop;

#[tokio::test]
async fn an_edit_changes_what_it_sends_and_keeps_the_rest() {
    let (company, ana) = shop().await;
    ana.post("/productos", json!({"sku": "A", "descripcion": "Clavo", "unidad": 1, "categoria": 1, "costo": "5.00"}))
        .await
        .ok(201);
    company.world.clock.advance(TimeDelta::minutes(1));
    for (field, value, column) in [
        ("sku", json!("B"), "sku"),
        ("descripcion", json!("Pija"), "descripcion"),
        ("codigo_barras", json!("123"), "codigo_barras"),
        ("categoria", json!(null), "categoria"),
        ("costo", json!("7.5"), "costo"),
        ("clave_sat", json!("31161620"), "codigo_sat"),
        ("unidad", json!(2), "unidad"),
        ("objeto_impuesto", json!("01"), "objeto_impuesto"),
        ("iva_venta", json!("0"), "iva_venta"),
        ("iva_compra", json!("EX"), "iva_compra"),
    ] {
        let mut expected = stored(&company.world).await;
        let mut edit = json!({});
        edit[field] = value.clone();
        assert_eq!(ana.put("/productos/1", edit).await.ok(200), json!({"ok": true, "producto": 1}));
        let after = stored(&company.world).await;
        expected["modificado"] = json!("2026-10-12T18:01:00+00:00");
        expected["busqueda"] = after["busqueda"].clone();
        expected[column] = if column == "costo" { json!(7.5) } else { value };
        assert_eq!(after, expected, "{field}");
    }
    assert_eq!(stored(&company.world).await["busqueda"], "b pija");
    let kinds: Vec<u8> = company.world.sql("SELECT cuerpo FROM emitidos ORDER BY creado DESC, id DESC LIMIT 1").await;
    let notice: Value = serde_json::from_slice(&kinds).unwrap();
    assert_eq!(
        (&notice["tipo"], &notice["datos"]),
        (&json!("producto.actualizado"), &json!({"producto": 1, "sku": "B"}))
    );
}

#[tokio::test]
async fn clearing_gives_back_the_defaults_and_required_data_stay() {
    let (company, ana) = shop().await;
    let body = json!({"sku": "A", "descripcion": "Clavo", "unidad": 1, "costo": 5, "clave_sat": "31161620", "objeto_impuesto": "01",
                      "iva_venta": "0", "iva_compra": "0", "tipo": "B", "codigo_barras": "1"});
    ana.post("/productos", body).await.ok(201);
    let cleared = json!({"costo": null, "clave_sat": "", "objeto_impuesto": null, "iva_venta": null, "iva_compra": "", "tipo": null, "codigo_barras": ""});
    ana.put("/productos/1", cleared).await.ok(200);
    let row = stored(&company.world).await;
    for (column, value) in [
        ("costo", json!(0.0)),
        ("codigo_sat", json!("01010101")),
        ("objeto_impuesto", json!("02")),
        ("iva_venta", json!("16")),
        ("iva_compra", json!("16")),
        ("tipo", json!("normal")),
        ("codigo_barras", json!(null)),
    ] {
        assert_eq!(row[column], value, "{column}");
    }
    for field in ["sku", "descripcion", "unidad"] {
        for empty in [json!(null), json!("")] {
            ana.put("/productos/1", json!({field: empty})).await.fails(400, "dato_requerido");
        }
    }
}

#[tokio::test]
async fn an_edit_that_changes_nothing_leaves_no_trace() {
    let (company, ana) = shop().await;
    ana.post("/productos", json!({"sku": "A", "descripcion": "Clavo", "unidad": 1})).await.ok(201);
    company.world.clock.advance(TimeDelta::minutes(1));
    for edit in [json!({}), json!({"sku": "A", "costo": "0.00"}), json!({"categoria": null})] {
        ana.put("/productos/1", edit).await.ok(200);
    }
    assert_eq!(stored(&company.world).await["modificado"], "2026-10-12T18:00:00+00:00");
    assert_eq!(company.world.count("emitidos").await, 1);
}

#[tokio::test]
async fn only_changed_fields_are_validated() {
    let (company, ana) = shop().await;
    // As an older system stored it: an inactive unit, and the border rate far from any border.
    let record = json!({"sku": "A", "descripcion": "Viejo", "unidad": 50, "iva_venta": "8"});
    company.load(Resource::Productos, &[record, json!({"sku": "B"})]).await;
    ana.put("/productos/1", json!({"descripcion": "Nuevo"})).await.ok(200);
    ana.put("/productos/1", json!({"clave_sat": "31161620"})).await.fails(422, "impuesto_incompatible");
    ana.put("/productos/1", json!({"unidad": 51})).await.fails(422, "unidad_invalida");
    ana.put("/productos/1", json!({"sku": "B"})).await.fails(409, "sku_duplicado");
    company.load(Resource::Productos, &[json!({"sku": "C", "estatus": "inactivo"})]).await;
    ana.put("/productos/3", json!({"sku": "B"})).await.fails(409, "sku_duplicado");
    ana.put("/productos/1", json!({"sku": "C"})).await.ok(200);
    ana.put("/productos/3", json!({"sku": "C", "descripcion": "Tornillo"})).await.ok(200);
    ana.put("/productos/9", json!({})).await.fails(404, "no_encontrado");
    ana.put("/productos/x", json!({})).await.fails(400, "dato_invalido");
}

async fn stored(world: &World) -> Value {
    let row: String = world.sql("SELECT to_jsonb(p)::text FROM productos p").await;
    serde_json::from_str(&row).unwrap()
}

#[tokio::test]
async fn a_deleted_product_is_not_found() {
    let (company, ana) = shop().await;
    ana.post("/productos", json!({"sku": "A", "descripcion": "Clavo", "unidad": 1})).await.ok(201);
    company.run_by_name("product.delete", &json!({"clave": 1})).await.unwrap();
    let events = company.world.count("eventos_agrupados").await;
    for edit in [json!({"descripcion": "Pija"}), json!({})] {
        ana.put("/productos/1", edit).await.fails(404, "no_encontrado");
    }
    assert_eq!(company.world.count("eventos_agrupados").await, events);
    assert_eq!(stored(&company.world).await["descripcion"], "Clavo");
}
