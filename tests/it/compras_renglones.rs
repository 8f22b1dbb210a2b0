//! `/compras-renglones`

use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{Company, Resource, World};

#[tokio::test]
async fn an_item_has_every_field_and_nulls_stay() {
    let company = buyer(&World::new().await).await;
    let complete = json!({
        "clave": 7, "compra": 1, "renglon": 3, "producto": 1, "sku": "TOR-1", "descripcion": "Tornillo de ¼\"",
        "cantidad": 12.5, "cantidad_recibida": 0.25, "unidad": "Caja", "costo_unitario": "8.1234",
        "descuento": "1.00", "subtotal": "101.54", "iva": "16.09", "total": "116.63",
    });
    let bare = json!({
        "clave": 8, "compra": 1, "renglon": 1, "producto": null, "sku": null, "descripcion": null, "cantidad": 2,
        "cantidad_recibida": 0, "unidad": null, "costo_unitario": "0.00", "descuento": "0.00", "subtotal": "0.00",
        "iva": "0.00", "total": "0.00",
    });
    let mut nulls = bare.clone();
    for (field, value) in nulls.as_object_mut().unwrap() {
        if !["compra", "renglon", "cantidad"].contains(&field.as_str()) {
            *value = Value::Null;
        }
    }
    nulls["renglon"] = json!(2);
    let mut third = bare.clone();
    third["clave"] = json!(9);
    third["renglon"] = json!(2);
    let records = [complete.clone(), json!({"compra": 1, "renglon": 1, "cantidad": 2}), nulls];
    assert_eq!(company.import(Resource::ComprasRenglones, &records).await, Ok(3));
    let reply = company.admin().await.get("/compras-renglones?compra=1").await;
    let page = reply.ok(200);
    assert_eq!(page, json!({"ok": true, "datos": [complete, bare, third], "siguiente": null, "hay_mas": false}));
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let bare = concat!(
        r#"{"clave":8,"compra":1,"renglon":1,"producto":null,"sku":null,"descripcion":null,"cantidad":2,"#,
        r#""cantidad_recibida":0,"unidad":null,"costo_unitario":"0.00","descuento":"0.00","subtotal":"0.00","#,
        r#""iva":"0.00","total":"0.00"}"#,
    );
    assert!(text.contains(bare), "{text}");
}

#[tokio::test]
async fn a_query_needs_one_document() {
    let company = buyer(&World::new().await).await;
    let line = |compra: i64, renglon: i64| json!({"compra": compra, "renglon": renglon, "cantidad": 1});
    let records = [line(2, 2), line(1, 1), line(2, 1), line(1, 2), line(2, 3)];
    company.load(Resource::ComprasRenglones, &records).await;
    let ana = company.admin().await;
    for (compra, expected) in [(1, &[2, 4][..]), (2, &[1, 3, 5]), (3, &[]), (0, &[]), (-1, &[])] {
        let found = ana.walk(&format!("/compras-renglones?compra={compra}&limite=2")).await;
        let found: Vec<_> = found.iter().map(|record| record["clave"].as_i64().unwrap()).collect();
        assert_eq!(found, expected, "{compra}");
    }
    for (query, codigo) in [("", "filtro_requerido"), ("limite=5", "filtro_requerido")] {
        ana.get(&format!("/compras-renglones?{query}")).await.fails(400, codigo);
    }
    let text = ana.get("/compras-renglones").await.mensaje();
    assert!(text.starts_with("compra: "), "{text}");
}

#[tokio::test]
async fn amounts_left_out_follow_from_quantity_and_cost() {
    let company = buyer(&World::new().await).await;
    let records = [
        json!({"compra": 1, "renglon": 1, "cantidad": 3, "costo_unitario": "33.335"}),
        json!({"compra": 1, "renglon": 2, "cantidad": 2, "costo_unitario": 50, "descuento": 20, "iva": "12.80"}),
        json!({"compra": 1, "renglon": 3, "cantidad": 2, "costo_unitario": 50, "subtotal": "90.00"}),
        json!({"compra": 1, "renglon": 4, "cantidad": 2, "costo_unitario": 50, "total": "1.00"}),
    ];
    company.load(Resource::ComprasRenglones, &records).await;
    let lines = company.admin().await.walk("/compras-renglones?compra=1").await;
    let amounts: Vec<_> = lines.iter().map(|line| pick(line, &["subtotal", "total"])).collect();
    let expected = [
        json!({"subtotal": "100.01", "total": "100.01"}),
        json!({"subtotal": "100.00", "total": "92.80"}),
        json!({"subtotal": "90.00", "total": "90.00"}),
        json!({"subtotal": "100.00", "total": "1.00"}),
    ];
    assert_eq!(amounts, expected);
}

#[tokio::test]
async fn a_product_is_named_by_clave_or_by_sku_and_shows_the_sku_it_has() {
    let company = buyer(&World::new().await).await;
    let line = |renglon: i64, product: Value| {
        let mut line = json!({"compra": 1, "renglon": renglon, "cantidad": 1});
        line.as_object_mut().unwrap().extend(product.as_object().unwrap().clone());
        line
    };
    let records = [
        line(1, json!({"producto": 1})),
        line(2, json!({"sku": "TOR-2"})),
        // The clave decides; the SKU beside it is accepted and not stored.
        line(3, json!({"producto": 1, "sku": "OTRO"})),
        line(4, json!({"producto": 3})),
    ];
    company.load(Resource::ComprasRenglones, &records).await;
    let ana = company.admin().await;
    let lines = ana.walk("/compras-renglones?compra=1").await;
    let products: Vec<_> = lines.iter().map(|line| pick(line, &["producto", "sku"])).collect();
    assert_eq!(
        products,
        [
            json!({"producto": 1, "sku": "TOR-1"}),
            json!({"producto": 2, "sku": "TOR-2"}),
            json!({"producto": 1, "sku": "TOR-1"}),
            json!({"producto": 3, "sku": null}),
        ]
    );
}

#[tokio::test]
async fn a_bad_line_is_named_with_its_field() {
    let company = buyer(&World::new().await).await;
    for (field, value) in [
        ("clave", json!(0)),
        ("compra", Value::Null),
        ("compra", json!(99)),
        ("compra", json!("OC-1")),
        ("renglon", Value::Null),
        ("renglon", json!(0)),
        ("renglon", json!(1)),
        ("producto", json!(99)),
        ("producto", json!("TOR-1")),
        ("sku", json!("NADIE")),
        ("sku", json!(7)),
        ("descripcion", json!("ñ".repeat(501))),
        ("cantidad", Value::Null),
        ("cantidad", json!(-1)),
        ("cantidad", json!("1")),
        ("cantidad_recibida", json!(-0.5)),
        ("unidad", json!(1)),
        ("costo_unitario", json!("-1")),
        ("descuento", json!("1.01")),
        ("subtotal", json!("x")),
        ("iva", json!("1.1234567")),
        ("total", json!(-1)),
        ("moneda", json!("MXN")),
    ] {
        let mut bad = json!({"compra": 1, "renglon": 2, "cantidad": 1, "costo_unitario": "1.00"});
        bad[field] = value.clone();
        let good = |renglon: i64| json!({"compra": 1, "renglon": renglon, "cantidad": 1, "sku": "TOR-1"});
        let error = company.import(Resource::ComprasRenglones, &[good(1), bad, good(3)]).await.unwrap_err();
        assert!(error.starts_with(&format!("línea 2: {field}: ")), "{field} {value}: {error}");
    }
    let vast = json!({"compra": 1, "renglon": 1, "cantidad": 1_000_000, "costo_unitario": "999999999999999999"});
    let error = company.import(Resource::ComprasRenglones, &[vast]).await.unwrap_err();
    assert!(error.starts_with("línea 1: subtotal: "), "{error}");
    assert_eq!(company.world.count("compras_renglones").await, 0);
}

#[tokio::test]
async fn listed_records_can_be_imported_into_another_company() {
    let world = World::new().await;
    let [one, other] = [buyer(&world).await, buyer(&world).await];
    let records = [
        json!({"compra": 2, "renglon": 1, "sku": "TOR-1", "cantidad": 1.5, "costo_unitario": "1.333333", "iva": 0.32}),
        json!({"compra": 2, "renglon": 2, "producto": 3, "cantidad": 0, "cantidad_recibida": 4, "unidad": "Pieza"}),
        json!({"compra": 2, "renglon": 3, "descripcion": "Flete", "cantidad": 1, "costo_unitario": "500"}),
    ];
    one.load(Resource::ComprasRenglones, &records).await;
    let shown = one.admin().await.walk("/compras-renglones?compra=2").await;
    assert_eq!(shown.len(), 3);
    other.load(Resource::ComprasRenglones, &shown).await;
    assert_eq!(other.admin().await.walk("/compras-renglones?compra=2").await, shown);
}

/// A company with three products and two purchase orders.
async fn buyer(world: &World) -> Company {
    let company = world.company().await;
    let products = [json!({"sku": "TOR-1"}), json!({"sku": "TOR-2"}), json!({})];
    company.load(Resource::Productos, &products).await;
    company.load(Resource::Proveedores, &[json!({"nombre": "Aceros"})]).await;
    company.load(Resource::Compras, &[json!({"proveedor": 1}), json!({"proveedor": 1})]).await;
    company
}
