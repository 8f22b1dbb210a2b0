//! Claves: kept when given, assigned when not.

use serde_json::{Value, json};
use svc_tests::imports::{blames, customers};
use svc_tests::{Company, Resource, World};

#[tokio::test]
async fn a_clave_is_kept_and_later_ones_go_past_it() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    company.load(Resource::Clientes, &[json!({"clave": 500, "nombre": "Ana"})]).await;
    assert_eq!(ana.post("/clientes", json!({"nombre": "Eva"})).await.ok(201)["cliente"], 501);
    company.load(Resource::Clientes, &[json!({"nombre": "Ana"})]).await;
    assert_eq!(names_by_clave(&company).await, json!([[500, "Ana"], [501, "Eva"], [502, "Ana"]]));
}

#[tokio::test]
async fn a_smaller_clave_does_not_turn_the_counter_back() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    for clave in [500, 3] {
        company.load(Resource::Clientes, &[json!({"clave": clave, "nombre": "Ana"})]).await;
    }
    assert_eq!(ana.post("/clientes", json!({"nombre": "Eva"})).await.ok(201)["cliente"], 501);
}

#[tokio::test]
async fn claves_are_assigned_in_the_order_of_the_lines() {
    let company = World::new().await.company().await;
    company.load(Resource::Clientes, &customers(1_100)).await;
    let out_of_order: i64 = company
        .world
        .sql("SELECT count(*) FROM clientes WHERE nombre <> 'Cliente ' || clave OR folio <> clave::text")
        .await;
    assert_eq!(out_of_order, 0);
}

#[tokio::test]
async fn assigned_claves_keep_clear_of_those_that_are_given() {
    let company = World::new().await.company().await;
    let records = [
        json!({"nombre": "Dos", "clave": 2}),
        json!({"nombre": "Sin"}),
        json!({"nombre": "Uno", "clave": 1}),
        json!({"nombre": "Sin"}),
    ];
    assert_eq!(company.import(Resource::Clientes, &records).await, Ok(4));
    let rows = names_by_clave(&company).await;
    assert_eq!(rows, json!([[1, "Uno"], [2, "Dos"], [3, "Sin"], [4, "Sin"]]));
}

#[tokio::test]
async fn a_clave_that_an_earlier_line_was_given_is_taken() {
    let company = World::new().await.company().await;
    let outcome =
        company.import(Resource::Clientes, &[json!({"nombre": "Sin"}), json!({"nombre": "Uno", "clave": 1})]).await;
    blames(outcome, 2, "clave: ");
}

#[tokio::test]
async fn each_resource_counts_for_itself() {
    let company = World::new().await.company().await;
    company.load(Resource::Marcas, &[json!({"clave": 70, "nombre": "Truper"})]).await;
    company.load(Resource::Categorias, &[json!({"clave": 80, "nombre": "Todo"})]).await;
    company.load(Resource::Clientes, &[json!({"clave": 90, "nombre": "Ana"})]).await;
    company.load(Resource::Productos, &[json!({"sku": "A"})]).await;
    let products = company.admin().await.walk("/productos").await;
    assert_eq!((&products[0]["clave"], &products[0]["folio"]), (&json!(1), &json!("1")));
}

#[tokio::test]
async fn null_and_empty_are_absent() {
    let company = World::new().await.company().await;
    let nulls = json!({
        "clave": null, "folio": null, "nombre": "Ana", "razon_social": null, "rfc": null, "correo": null,
        "telefono": null, "movil": null, "prospecto": null, "id_platform_a": null, "id_platform_b": null,
        "id_platform_c": null, "id_platform_d": null, "id_platform_e": null, "publico": null, "proximo_contacto": null,
        "modificado": null, "regimen": null, "uso_cfdi": null, "cp": null, "calle": null, "colonia": null,
        "pais": null, "vendedor": null, "limite_credito": null, "dias_credito": null, "lista": null,
        "plataforma": null,
    });
    let mut empties = nulls.clone();
    for (_, value) in empties.as_object_mut().unwrap().iter_mut().filter(|(_, value)| value.is_null()) {
        *value = json!("");
    }
    company.load(Resource::Clientes, &[nulls, empties, json!({"nombre": "Ana"})]).await;
    let rows =
        company.world.sql::<String>("SELECT jsonb_agg(to_jsonb(c) - '{clave,folio}'::text[])::text FROM clientes c");
    let rows: Vec<Value> = serde_json::from_str(&rows.await).unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0], rows[2]);
    assert_eq!(rows[1], rows[2]);
    assert_eq!((&rows[2]["pais"], &rows[2]["prospecto"]), (&json!(172), &json!(false)));
    assert_eq!((&rows[2]["dias_credito"], &rows[2]["limite_credito"]), (&json!(0), &json!(0.0)));
    assert_eq!(rows[2]["modificado"], "2026-10-12T18:00:00+00:00");
}

#[tokio::test]
async fn a_product_s_null_fields_are_absent() {
    let company = World::new().await.company().await;
    let nulls = json!({
        "clave": null, "sku": null, "folio": null, "descripcion": null, "estatus": null, "tipo": null, "subtipo": null,
        "kit": null, "clave_padre": null, "codigo_sat": null, "marca": null, "categoria": null, "id_platform_b": null,
        "modificado": null, "unidad": null, "iva_venta": null, "iva_compra": null, "objeto_impuesto": null,
        "costo": null, "codigo_barras": null,
    });
    company.load(Resource::Productos, &[nulls, json!({})]).await;
    let rows =
        company.world.sql::<String>("SELECT jsonb_agg(to_jsonb(p) - '{clave,folio}'::text[])::text FROM productos p");
    let rows: Vec<Value> = serde_json::from_str(&rows.await).unwrap();
    assert_eq!(rows[0], rows[1]);
    assert_eq!((&rows[1]["codigo_sat"], &rows[1]["objeto_impuesto"]), (&json!("01010101"), &json!("02")));
    assert_eq!((&rows[1]["iva_venta"], &rows[1]["iva_compra"]), (&json!("16"), &json!("16")));
    assert_eq!(rows[1]["costo"], json!(0.0));
}

async fn names_by_clave(company: &Company) -> Value {
    company.world.json("SELECT jsonb_agg(jsonb_build_array(clave, nombre) ORDER BY clave)::text FROM clientes").await
}
