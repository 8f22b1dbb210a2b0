//! `purchase.capture`, `purchase.receive`, `purchase.close`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{Actor, Company, Resource, World};

use super::{did, emitted, refuses};

/// A company with supplier 1; warehouse 001 and another of branch 1, 002; a nail that costs 2.50
/// (1), a service bought without IVA (2), and an inactive screw (3).
async fn office() -> (Company, Actor) {
    let company = World::new().await.company().await;
    company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"})]).await;
    company.load(Resource::Sucursales, &[json!({"clave": 1, "nombre": "Norte"})]).await;
    company.load(Resource::Almacenes, &[json!({"codigo": "002", "sucursal": 1})]).await;
    let products = [
        json!({"sku": "CLAVO", "descripcion": "Clavo", "costo": "2.5", "unidad": 1}),
        json!({"sku": "FLETE", "descripcion": "Flete", "tipo": "virtual_con_precio", "iva_compra": "EX"}),
        json!({"sku": "PIJA", "estatus": "inactivo"}),
    ];
    company.load(Resource::Productos, &products).await;
    let ana = company.admin().await;
    (company, ana)
}

/// An order of ten nails at 3.00 less 2.00, and of freight for 50.00.
fn order() -> Value {
    json!({"proveedor": 1, "renglones": [
        {"sku": "CLAVO", "cantidad": 10, "costo_unitario": "3.00", "descuento": "2"},
        {"producto": 2, "cantidad": 1, "costo_unitario": 50, "descripcion": "Flete a Norte"},
    ]})
}

async fn purchase(ana: &Actor) -> Value {
    ana.walk("/compras?clave=1").await[0].clone()
}

#[tokio::test]
async fn an_order_has_the_sums_of_its_lines() {
    let (company, ana) = office().await;
    let mut input = order();
    for (field, value) in [
        ("folio", json!("OC-7")),
        ("fecha", json!("2026-10-10T10:00:00Z")),
        ("fecha_entrega", json!("2026-10-20")),
        ("sucursal", json!(1)),
        ("moneda", json!("USD")),
        ("tipo_cambio", json!("17.5")),
        ("comentarios", json!("Urge")),
    ] {
        input[field] = value;
    }
    assert_eq!(did(company.run_by_name("purchase.capture", &input).await), json!({"compra": 1}));
    assert_eq!(
        purchase(&ana).await,
        json!({
            "clave": 1, "folio": "OC-7", "estatus": "pendiente", "proveedor": 1, "fecha": "2026-10-10T10:00:00Z",
            "fecha_entrega": "2026-10-20", "sucursal": 1, "almacen": "002", "moneda": "USD", "tipo_cambio": "17.500000",
            "subtotal": "80.00", "descuento": "2.00", "impuestos": "4.48", "total": "82.48", "cxp": null,
            "comentarios": "Urge", "modificado": "2026-10-12T18:00:00Z",
        })
    );
    assert_eq!(
        ana.walk("/compras-renglones?compra=1").await,
        [
            json!({
                "clave": 1, "compra": 1, "renglon": 1, "producto": 1, "sku": "CLAVO", "descripcion": "Clavo", "cantidad": 10,
                "cantidad_recibida": 0, "unidad": "Pieza", "costo_unitario": "3.00", "descuento": "2.00",
                "subtotal": "30.00", "iva": "4.48", "total": "32.48",
            }),
            json!({
                "clave": 2, "compra": 1, "renglon": 2, "producto": 2, "sku": "FLETE", "descripcion": "Flete a Norte",
                "cantidad": 1, "cantidad_recibida": 0, "unidad": null, "costo_unitario": "50.00", "descuento": "0.00",
                "subtotal": "50.00", "iva": "0.00", "total": "50.00",
            }),
        ]
    );
    // Defaults: the product's cost, the head office and its warehouse, the present time, and the
    // given IVA.
    let least = json!({"proveedor": 1, "renglones": [{"sku": "CLAVO", "cantidad": 4, "iva": "0.80"}]});
    assert_eq!(did(company.run_by_name("purchase.capture", &least).await), json!({"compra": 2}));
    let made = &ana.walk("/compras?clave=2").await[0];
    assert_eq!(pick(made, &["folio", "almacen", "total"]), json!({"folio": "2", "almacen": "001", "total": "10.80"}));
    assert_eq!((&made["fecha"], &made["sucursal"]), (&json!("2026-10-12T18:00:00Z"), &json!(0)));
    assert_eq!(emitted(&company.world).await, []);
}

#[tokio::test]
async fn invalid_orders_are_refused() {
    let (company, ana) = office().await;
    let with = |field: &str, value: Value| {
        let mut input = order();
        input[field] = value;
        input
    };
    let line = |fields: Value| with("renglones", json!([{"sku": "CLAVO", "cantidad": 1}, fields]));
    refuses(
        &company,
        "purchase.capture",
        &[
            (with("proveedor", Value::Null), "dato_requerido", "proveedor: "),
            (with("proveedor", json!(9)), "referencia_invalida", "proveedor: "),
            (with("sucursal", json!(9)), "referencia_invalida", "sucursal: "),
            (with("almacen", json!("009")), "almacen_invalido", "almacen: "),
            (with("moneda", json!("USD")), "dato_requerido", "tipo_cambio: "),
            (with("tipo_cambio", json!(2)), "dato_invalido", "tipo_cambio: "),
            (with("renglones", json!([])), "dato_requerido", "renglones: "),
            (line(json!({"cantidad": 1})), "dato_requerido", "renglones[1].producto: "),
            (line(json!({"sku": "CLAVO", "producto": 1, "cantidad": 1})), "dato_invalido", "renglones[1].sku: "),
            (line(json!({"sku": "CLAVO", "cantidad": 0})), "dato_invalido", "renglones[1].cantidad: "),
            (line(json!({"sku": "NADA", "cantidad": 1})), "producto_invalido", "renglones[1].sku: "),
            (line(json!({"sku": "PIJA", "cantidad": 1})), "producto_invalido", "renglones[1].sku: "),
            (line(json!({"sku": "CLAVO", "cantidad": 1, "iva": "0.001"})), "dato_invalido", "renglones[1].iva: "),
            (
                line(json!({"sku": "CLAVO", "cantidad": 1, "descuento": "2.51"})),
                "dato_invalido",
                "renglones[1].descuento: ",
            ),
        ],
    )
    .await;
    let mut foreign = with("moneda", json!("ABC"));
    foreign["tipo_cambio"] = json!(2);
    refuses(&company, "purchase.capture", &[(foreign.clone(), "moneda_invalida", "moneda: ")]).await;
    foreign["moneda"] = json!("USD");
    foreign["renglones"] = json!([{"sku": "CLAVO", "cantidad": 1}]);
    refuses(&company, "purchase.capture", &[(foreign, "dato_requerido", "renglones[0].costo_unitario: ")]).await;
    assert_eq!(ana.walk("/compras").await, Vec::<Value>::new());
}

#[tokio::test]
async fn goods_arrive_in_parts_and_are_billed_when_complete() {
    let (company, ana) = office().await;
    did(company.run_by_name("purchase.capture", &order()).await);
    company.world.clock.advance(TimeDelta::minutes(1));
    let some = json!({"compra": 1, "renglones": [{"renglon": 1, "cantidad": 4}]});
    assert_eq!(did(company.run_by_name("purchase.receive", &some).await), json!({"compra": 1, "cxp": null}));
    let partial = purchase(&ana).await;
    assert_eq!((&partial["estatus"], &partial["modificado"]), (&json!("parcial"), &json!("2026-10-12T18:01:00Z")));
    let movement = &ana.walk("/movimientos-inventario?sku=CLAVO").await[0];
    for (field, value) in [
        ("tipo", json!("compra")),
        ("cantidad", json!(4)),
        ("existencia_actual", json!(4)),
        ("compra", json!(1)),
        // (30 − 2) / 10
        ("costo_unitario", json!("2.80")),
        ("importe", json!("11.20")),
    ] {
        assert_eq!(movement[field], value, "{field}");
    }
    let too_many = json!({"compra": 1, "renglones": [{"renglon": 1, "cantidad": 6.5}]});
    refuses(&company, "purchase.receive", &[(too_many, "estado_invalido", "renglones[0].cantidad: quedan 6 ")]).await;

    assert_eq!(
        did(company.run_by_name("purchase.receive", &json!({"compra": 1})).await),
        json!({"compra": 1, "cxp": 1})
    );
    let whole = purchase(&ana).await;
    assert_eq!((&whole["estatus"], &whole["cxp"]), (&json!("recibida"), &json!(1)));
    let bill = &ana.walk("/cxp").await[0];
    for (field, value) in [
        ("tipo", json!("compra")),
        ("compra", json!(1)),
        ("proveedor", json!(1)),
        ("fecha", json!("2026-10-12")),
        ("total", json!("82.48")),
        ("saldo", json!("82.48")),
    ] {
        assert_eq!(bill[field], value, "{field}");
    }
    assert_eq!(ana.walk("/inventario").await[0]["existencia"], 10);
    let lines = ana.walk("/compras-renglones?compra=1").await;
    let received: Vec<_> = lines.iter().map(|line| pick(line, &["renglon", "cantidad_recibida"])).collect();
    assert_eq!(
        received,
        [json!({"renglon": 1, "cantidad_recibida": 10}), json!({"renglon": 2, "cantidad_recibida": 1})]
    );
    let data = json!({"existencia": 1, "producto": 1, "almacen": "001"});
    assert_eq!(emitted(&company.world).await, [("inventario.existencia_cambiada".to_owned(), data)]);
    refuses(&company, "purchase.receive", &[(json!({"compra": 1}), "estado_invalido", "compra: ")]).await;
}

#[tokio::test]
async fn an_order_of_which_nothing_more_comes_is_closed() {
    let (company, ana) = office().await;
    let close = |compra: i64| json!({"compra": compra});
    let status = async |compra: i64| ana.walk(&format!("/compras?clave={compra}")).await[0]["estatus"].clone();
    for _ in 0..4 {
        did(company.run_by_name("purchase.capture", &order()).await);
    }
    // Nothing came: the order is cancelled, once its bill is.
    let bill =
        did(company.run_by_name("payable.capture", &json!({"compra": 1, "total": "82.48"})).await)["cxp"].clone();
    refuses(&company, "purchase.close", &[(close(1), "estado_invalido", "compra: tiene la cuenta por pagar 1")]).await;
    did(company.run_by_name("payable.cancel", &json!({"cxp": bill})).await);
    let closed = did(company.run_by_name("purchase.close", &close(1)).await);
    assert_eq!(closed, json!({"compra": 1, "estatus": "cancelada"}));
    // Part of it came: what its bill says beyond that, before or after it is closed, is an
    // adjustment.
    let four = |compra: i64| json!({"compra": compra, "renglones": [{"renglon": 1, "cantidad": 4}]});
    for compra in [2, 3] {
        did(company.run_by_name("purchase.receive", &four(compra)).await);
    }
    did(company.run_by_name("payable.capture", &json!({"compra": 2, "total": "15.00", "iva": "1.80"})).await);
    for compra in [2, 3] {
        let closed = did(company.run_by_name("purchase.close", &close(compra)).await);
        assert_eq!(closed, json!({"compra": compra, "estatus": "recibida"}));
    }
    did(company.run_by_name("payable.capture", &json!({"compra": 3, "total": "15.00", "iva": "1.80"})).await);
    let read = did(company.run_by_name("ledger.balance", &json!({})).await);
    let balance = |codigo: &str| {
        let rows = read["cuentas"].as_array().unwrap();
        rows.iter().find(|row| row["codigos"] == json!([codigo])).map_or("0.00".into(), |row| row["saldo"].clone())
    };
    // 13.20 billed for goods of 11.20, twice.
    assert_eq!([balance("115.01"), balance("501.08"), balance("201.01")], ["22.40", "4.00", "-30.00"]);
    assert_eq!([balance("115.05"), balance("205.02")], ["0.00", "0.00"], "nothing waits");
    for compra in [1, 2] {
        refuses(&company, "purchase.close", &[(close(compra), "estado_invalido", "compra: la compra está ")]).await;
        refuses(&company, "purchase.receive", &[(close(compra), "estado_invalido", "compra: ")]).await;
    }
    refuses(&company, "purchase.close", &[(close(9), "no_encontrado", "compra: ")]).await;
    // The warehouse of what never came may be gone.
    did(company.run_by_name("purchase.close", &close(4)).await);
    assert_eq!([status(1).await, status(2).await, status(4).await], ["cancelada", "recibida", "cancelada"]);
    svc_tests::books::check(&company.world, &company).await;
}

#[tokio::test]
async fn foreign_goods_cost_pesos_and_a_captured_bill_stays_the_only_one() {
    let (company, ana) = office().await;
    let input = json!({"proveedor": 1, "moneda": "USD", "tipo_cambio": "17.5", "renglones": [
        {"sku": "CLAVO", "cantidad": 3, "costo_unitario": "1"}]});
    did(company.run_by_name("purchase.capture", &input).await);
    did(company.run_by_name("payable.capture", &json!({"compra": 1, "total": "3.48"})).await);
    assert_eq!(
        did(company.run_by_name("purchase.receive", &json!({"compra": 1})).await),
        json!({"compra": 1, "cxp": 1})
    );
    assert_eq!(ana.walk("/movimientos-inventario?sku=CLAVO").await[0]["costo_unitario"], "17.50");
    assert_eq!(ana.walk("/cxp").await.len(), 1);
}

#[tokio::test]
async fn only_open_lines_can_be_received() {
    let (company, ana) = office().await;
    did(company.run_by_name("purchase.capture", &order()).await);
    company.load(Resource::Compras, &[json!({"proveedor": 1, "estatus": "cancelada"})]).await;
    let other = company.world.company().await;
    let lines = |lines: Value| json!({"compra": 1, "renglones": lines});
    refuses(
        &company,
        "purchase.receive",
        &[
            (json!({}), "dato_requerido", "compra: "),
            (json!({"compra": 9}), "no_encontrado", "compra: "),
            (json!({"compra": 2}), "estado_invalido", "compra: la compra está cancelada"),
            (lines(json!([])), "dato_requerido", "renglones: "),
            (lines(json!([{"renglon": 3, "cantidad": 1}])), "referencia_invalida", "renglones[0].renglon: "),
            (lines(json!([{"renglon": 1, "cantidad": 0}])), "dato_invalido", "renglones[0].cantidad: "),
            (
                lines(json!([{"renglon": 1, "cantidad": 1}, {"renglon": 1, "cantidad": 1}])),
                "dato_invalido",
                "renglones[1].renglon: ",
            ),
        ],
    )
    .await;
    refuses(&other, "purchase.receive", &[(json!({"compra": 1}), "no_encontrado", "compra: ")]).await;
    assert_eq!(purchase(&ana).await["estatus"], "pendiente");
}

#[tokio::test]
async fn concurrent_receptions_of_everything_have_one_winner() {
    let (company, ana) = office().await;
    did(company.run_by_name("purchase.capture", &order()).await);
    let input = json!({"compra": 1});
    let (one, two) =
        tokio::join!(company.run_by_name("purchase.receive", &input), company.run_by_name("purchase.receive", &input));
    let refused = one.err().xor(two.err()).expect("one of them is refused");
    assert_eq!(refused.code().codigo(), "estado_invalido");
    assert_eq!(ana.walk("/inventario").await[0]["existencia"], 10);
    assert_eq!(ana.walk("/cxp").await.len(), 1);
}
