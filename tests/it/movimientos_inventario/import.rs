//! Importing movements of stock.

use serde_json::{Value, json};
use svc_tests::imports::blames;
use svc_tests::lists::pick;
use svc_tests::{Company, Resource, World};

use crate::inventario::catalogue;

const MOVEMENTS: Resource = Resource::MovimientosInventario;

#[tokio::test]
async fn omitted_fields_take_their_defaults() {
    let company = catalogue(World::new().await.company().await).await;
    let nulls = json!({
        "clave": null, "fecha": null, "tipo": "venta", "sentido": null, "producto": null, "sku": null, "cantidad": 2,
        "existencia_anterior": null, "existencia_actual": null, "almacen": "001", "almacen_destino": null,
        "venta": null, "compra": null, "costo_unitario": null, "importe": null, "referencia": null,
    });
    let records = [nulls, json!({"tipo": "venta", "cantidad": 2, "almacen": "001"})];
    company.load(MOVEMENTS, &records).await;
    let expected = |clave: i64| {
        json!({
            "clave": clave, "fecha": "2026-10-12T18:00:00Z", "tipo": "venta", "sentido": "salida", "producto": null,
            "sku": null, "cantidad": 2, "existencia_anterior": 0, "existencia_actual": -2, "almacen": "001",
            "almacen_destino": null, "venta": null, "compra": null, "costo_unitario": null, "importe": null,
            "referencia": null,
        })
    };
    for clave in [1, 2] {
        assert_eq!(one(&company, clave).await, expected(clave));
    }
}

#[tokio::test]
async fn the_amount_and_the_stock_afterwards_follow_unless_they_are_given() {
    let company = catalogue(World::new().await.company().await).await;
    let cases = [
        ("compra", json!({"costo_unitario": "10.005"}), "30.02", "13"),
        ("compra", json!({"costo_unitario": "10.005", "importe": "1.5", "existencia_actual": 50}), "1.50", "50"),
        ("merma", json!({"costo_unitario": 0}), "0.00", "7"),
        ("saldo_inicial", json!({"costo_unitario": "0.333333"}), "1.00", "3"),
        ("salida_embarque", json!({"importe": 7}), "7.00", "10"),
        ("otro", json!({"importe": "7"}), "7.00", "10"),
    ];
    let records: Vec<Value> = (cases.iter())
        .map(|(tipo, given, ..)| {
            let mut record =
                json!({"tipo": tipo, "sku": "TOR-1", "cantidad": 3, "existencia_anterior": 10, "almacen": "001"});
            record.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
            record
        })
        .collect();
    company.load(MOVEMENTS, &records).await;
    for (clave, (tipo, _, importe, after)) in (1..).zip(cases) {
        let record = one(&company, clave).await;
        assert_eq!(
            (record["importe"].as_str(), record["existencia_actual"].to_string()),
            (Some(importe), after.into()),
            "{tipo}"
        );
    }
}

#[tokio::test]
async fn a_product_is_named_by_clave_or_sku_and_need_not_be_there() {
    let company = catalogue(World::new().await.company().await).await;
    let cases = [
        (json!({"producto": 1}), json!({"producto": 1, "sku": "TOR-1"}), json!("TOR-1")),
        // The active product.
        (json!({"sku": "TOR-1"}), json!({"producto": 1, "sku": "TOR-1"}), json!("TOR-1")),
        (json!({"producto": 3, "sku": "ANTES"}), json!({"producto": 3, "sku": "TOR-1"}), json!("ANTES")),
        (json!({"producto": 5}), json!({"producto": 5, "sku": null}), Value::Null),
        (json!({"producto": 5, "sku": "ANTES"}), json!({"producto": 5, "sku": "ANTES"}), json!("ANTES")),
        (json!({"sku": "NADIE"}), json!({"producto": null, "sku": "NADIE"}), json!("NADIE")),
        (json!({"producto": 99}), json!({"producto": 99, "sku": null}), Value::Null),
        (json!({"producto": 99, "sku": "TOR-2"}), json!({"producto": 99, "sku": "TOR-2"}), json!("TOR-2")),
        (json!({}), json!({"producto": null, "sku": null}), Value::Null),
    ];
    let records: Vec<Value> = (cases.iter())
        .map(|(named, ..)| {
            let mut record = json!({"tipo": "venta", "cantidad": 1, "almacen": "001"});
            record.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
            record
        })
        .collect();
    company.load(MOVEMENTS, &records).await;
    let stored: String =
        company.world.sql("SELECT jsonb_agg(sku ORDER BY clave)::text FROM movimientos_inventario").await;
    let stored: Vec<Value> = serde_json::from_str(&stored).unwrap();
    for (clave, (named, shown, written)) in (1..).zip(&cases) {
        let record = one(&company, clave).await;
        assert_eq!(pick(&record, &["producto", "sku"]), *shown, "{named}");
        assert_eq!(stored[clave as usize - 1], *written, "{named}");
    }
}

#[tokio::test]
async fn texts_are_kept_as_they_are() {
    let company = World::new().await.company().await;
    let warehouses = ["1", "001", "B-2 vieja", "Ñ", "99999999999999999999"];
    let records: Vec<_> = (warehouses.iter())
        .map(|almacen| json!({"tipo": "Conteo", "cantidad": 1, "almacen": almacen, "almacen_destino": almacen}))
        .collect();
    company.load(MOVEMENTS, &records).await;
    for (clave, almacen) in (1..).zip(warehouses) {
        let record = one(&company, clave).await;
        let expected = json!({"almacen": almacen, "almacen_destino": almacen});
        assert_eq!(pick(&record, &["almacen", "almacen_destino"]), expected);
    }
    let kinds: String = company.world.sql("SELECT string_agg(DISTINCT tipo, ',') FROM movimientos_inventario").await;
    assert_eq!(kinds, "Conteo");
}

#[tokio::test]
async fn a_bad_record_is_named_by_line_and_field() {
    let company = catalogue(World::new().await.company().await).await;
    let good = json!({"tipo": "venta", "cantidad": 1, "almacen": "001"});
    company.load(MOVEMENTS, std::slice::from_ref(&good)).await;
    for (field, value, text) in [
        ("tipo", Value::Null, "tipo: es obligatorio"),
        ("tipo", json!("x".repeat(51)), "tipo: "),
        ("cantidad", Value::Null, "cantidad: es obligatorio"),
        ("cantidad", json!("1"), "cantidad: "),
        ("cantidad", json!(-1), "cantidad: no puede ser negativa"),
        ("cantidad", json!(0.000_000_1), "cantidad: "),
        ("almacen", Value::Null, "almacen: es obligatorio"),
        ("almacen", json!(1), "almacen: "),
        ("clave", json!(1), "clave: ya existe"),
        ("clave", json!(0), "clave: "),
        ("fecha", json!("2026-10-12"), "fecha: "),
        ("sentido", json!("sale"), "sentido: "),
        ("producto", json!("TOR-1"), "producto: "),
        ("sku", json!(7), "sku: "),
        ("existencia_anterior", json!("0"), "existencia_anterior: "),
        ("existencia_actual", json!(true), "existencia_actual: "),
        ("venta", json!("1"), "venta: "),
        ("compra", json!(1.5), "compra: "),
        ("costo_unitario", json!("-1"), "costo_unitario: "),
        ("importe", json!("1,000.00"), "importe: "),
        ("referencia", json!("ñ".repeat(101)), "referencia: "),
        ("folio", json!("1"), "folio: "),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        blames(company.import(MOVEMENTS, &[good.clone(), bad, good.clone()]).await, 2, text);
    }
    let dear = json!({
        "tipo": "venta", "cantidad": 1_000_000_000_000_i64, "almacen": "001", "costo_unitario": "1000000.00",
    });
    blames(company.import(MOVEMENTS, &[good, dear]).await, 2, "importe: es demasiado grande");
    assert_eq!(company.world.count("movimientos_inventario").await, 1);
}

#[tokio::test]
async fn listed_records_can_be_imported_and_move_no_stock() {
    let world = World::new().await;
    let [company, other] = [catalogue(world.company().await).await, catalogue(world.company().await).await];
    for company in [&company, &other] {
        company.load(Resource::Inventario, &[json!({"producto": 1, "almacen": "001", "existencia": 5})]).await;
    }
    let records = [
        json!({"tipo": "venta", "sku": "TOR-1", "cantidad": 2, "almacen": "1", "venta": 7, "costo_unitario": "1.5"}),
        json!({"tipo": "Conteo", "sku": "NADIE", "cantidad": 2, "almacen": "1", "venta": 7}),
        json!({"tipo": "traspaso_salida", "producto": 99, "cantidad": 0.5, "almacen": "001",
               "almacen_destino": "B01", "venta": 7, "referencia": "\\N\tñ"}),
    ];
    company.load(MOVEMENTS, &records).await;
    let shown = company.admin().await.walk("/movimientos-inventario?venta=7").await;
    assert_eq!((shown.len(), &shown[1]["tipo"]), (3, &json!("desconocido")));
    let bob = other.admin().await;
    assert!(bob.walk("/movimientos-inventario?venta=7").await.is_empty());
    other.load(MOVEMENTS, &shown).await;
    assert_eq!(bob.walk("/movimientos-inventario?venta=7").await, shown);
    assert_eq!(world.count("inventario WHERE existencia = 5").await, 2);
    assert_eq!(world.count("emitidos").await, 0);
}

/// The movement with this clave.
async fn one(company: &Company, clave: i64) -> Value {
    let records = company.admin().await.walk(&format!("/movimientos-inventario?clave={clave}")).await;
    assert_eq!(records.len(), 1, "{clave}");
    records[0].clone()
}
