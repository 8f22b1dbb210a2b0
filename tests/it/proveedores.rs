//! `/proveedores`

use serde_json::{Value, json};
use svc_tests::imports::refuses_fields_beside;
use svc_tests::lists::finds;
use svc_tests::{Actor, Resource, World};

#[tokio::test]
async fn an_item_has_every_field_and_nulls_stay() {
    let company = World::new().await.company().await;
    let complete = json!({
        "clave": 7, "folio": "P-70", "nombre": "Aceros Ñandú", "contacto": "Eva Ruiz", "rfc": "EKU9003173C9",
        "correo": "eva@example.com, ventas@example.com", "telefono": "+52 (55) 1234-5678", "estatus": "inactivo",
    });
    let bare = json!({
        "clave": 8, "folio": "8", "nombre": null, "contacto": null, "rfc": null, "correo": null, "telefono": null,
        "estatus": "activo",
    });
    let mut nulls = bare.clone();
    for (_, value) in nulls.as_object_mut().unwrap() {
        *value = Value::Null;
    }
    let mut third = bare.clone();
    third["clave"] = json!(9);
    third["folio"] = json!("9");
    assert_eq!(company.import(Resource::Proveedores, &[complete.clone(), json!({}), nulls]).await, Ok(3));
    let reply = company.admin().await.get("/proveedores").await;
    let page = reply.ok(200);
    assert_eq!(page, json!({"ok": true, "datos": [complete, bare, third], "siguiente": null, "hay_mas": false}));
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let fields = r#"{"clave":8,"folio":"8","nombre":null,"contacto":null,"rfc":null,"correo":null,"telefono":null,"#;
    assert!(text.contains(fields), "{text}");
}

#[tokio::test]
async fn exact_filters_find_the_whole_value_only() {
    let ana = seven_suppliers().await;
    finds(
        &ana,
        "/proveedores",
        &[
            ("", &[1, 2, 3, 5, 6, 7]),
            ("clave=2", &[2]),
            ("clave=-2", &[]),
            ("folio=A-1", &[1]),
            ("folio=a-1", &[]),
            ("folio=A-", &[]),
            ("folio=A-%25", &[]),
            ("folio=2", &[2]),
            ("rfc=EKU9003173C9", &[2, 3]),
            ("rfc=eku9003173c9", &[]),
            ("rfc=EKU", &[]),
            ("rfc=*", &[]),
            ("rfc=EKU9003173C9&clave=3", &[3]),
            ("rfc=EKU9003173C9&clave=1", &[]),
            ("folio=A-1&rfc=EKU9003173C9", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn deleted_suppliers_are_shown_only_when_asked_for() {
    let ana = seven_suppliers().await;
    finds(
        &ana,
        "/proveedores",
        &[
            ("estatus=activo", &[1, 2, 6, 7]),
            ("estatus=inactivo", &[3]),
            ("estatus=eliminado", &[4]),
            // 5 has an unknown status, which cannot be requested but is not deleted.
            ("clave=5", &[5]),
            ("clave=4", &[]),
            ("clave=4&estatus=eliminado", &[4]),
            ("nombre=aceros&estatus=eliminado", &[4]),
            ("rfc=EKU9003173C9&estatus=activo", &[2]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_name_is_searched_by_words_without_case_and_accents() {
    let ana = seven_suppliers().await;
    finds(
        &ana,
        "/proveedores",
        &[
            ("nombre=aceros", &[1, 2]),
            ("nombre=ACEROS", &[1, 2]),
            ("nombre=%C3%91AND%C3%9A", &[1]),
            ("nombre=nandu", &[1]),
            ("nombre=cero", &[1, 2]),
            ("nombre=norte+aceros", &[2]),
            ("nombre=aceros%20%20de+xx", &[1, 2]),
            ("nombre=aceros+nadie", &[]),
            // Only the name is searched, and no word spans two words of it.
            ("nombre=eva", &[]),
            ("nombre=EKU", &[]),
            ("nombre=acerosdel", &[]),
            ("nombre=100%25", &[6]),
            ("nombre=%25%25%25", &[]),
            ("nombre=___", &[]),
            ("nombre=a_b", &[7]),
            ("nombre=acer*", &[]),
            ("nombre=aceros&folio=A-1", &[1]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_bad_line_is_named_with_its_field() {
    let company = World::new().await.company().await;
    let table = [
        ("clave", json!(0)),
        ("clave", json!("1")),
        ("folio", json!(7)),
        ("nombre", json!("ñ".repeat(256))),
        ("contacto", json!("ñ".repeat(101))),
        ("rfc", json!("ABC010230AB1")),
        ("correo", json!(["a@x.mx"])),
        ("telefono", json!(5_512_345_678_i64)),
        ("estatus", json!("baja")),
        ("busqueda", json!("aceros")),
        ("modificado", json!("2026-01-01T00:00:00Z")),
    ];
    refuses_fields_beside(
        &company,
        Resource::Proveedores,
        &json!({"nombre": "Aceros"}),
        &json!({"nombre": "Aceros"}),
        &table,
    )
    .await;
    let twice = [json!({"clave": 5}), json!({"clave": 5})];
    let error = company.import(Resource::Proveedores, &twice).await.unwrap_err();
    assert!(error.starts_with("línea 2: clave: "), "{error}");
    assert_eq!(company.world.count("proveedores").await, 0);
}

#[tokio::test]
async fn listed_records_can_be_imported_into_another_company() {
    let world = World::new().await;
    let [one, other] = [world.company().await, world.company().await];
    one.load(Resource::Proveedores, &seven()).await;
    let ana = one.admin().await;
    let mut shown = ana.walk("/proveedores").await;
    shown.extend(ana.walk("/proveedores?estatus=eliminado").await);
    assert_eq!(shown.len(), 7);
    other.load(Resource::Proveedores, &shown).await;
    let eva = other.admin().await;
    for query in ["", "estatus=eliminado", "nombre=aceros"] {
        let query = format!("/proveedores?{query}");
        assert_eq!(eva.walk(&query).await, ana.walk(&query).await, "{query}");
    }
}

/// A user of a company with seven suppliers.
async fn seven_suppliers() -> Actor {
    let company = World::new().await.company().await;
    company.load(Resource::Proveedores, &seven()).await;
    company.admin().await
}

fn seven() -> [Value; 7] {
    [
        json!({"folio": "A-1", "nombre": "Aceros Ñandú", "contacto": "Eva"}),
        json!({"nombre": "Aceros del Norte", "rfc": "EKU9003173C9"}),
        json!({"nombre": "Pinturas", "rfc": "EKU9003173C9", "estatus": "inactivo"}),
        json!({"nombre": "Aceros viejos", "estatus": "eliminado"}),
        json!({"estatus": "desconocido"}),
        json!({"nombre": "100% algodón"}),
        json!({"nombre": "xa_by"}),
    ]
}
