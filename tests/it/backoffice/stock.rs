//! `stock.move`, `stock.reserve`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::lists::{pick, row};
use svc_tests::{Actor, Company, Resource, World};

use super::{did, emitted, refuses};

/// A company with warehouses 001, 002 and 003 (inactive); a nail that costs 2.50 (1), a service
/// (2), an inactive screw (3), and two products of one SKU (4, 5).
async fn store() -> (Company, Actor) {
    let company = World::new().await.company().await;
    let warehouses = [json!({"codigo": "002"}), json!({"codigo": "003", "estatus": "inactivo"})];
    company.load(Resource::Almacenes, &warehouses).await;
    let products = [
        json!({"sku": "CLAVO", "costo": "2.5"}),
        json!({"sku": "FLETE", "tipo": "virtual_con_precio"}),
        json!({"sku": "PIJA", "estatus": "inactivo"}),
        json!({"sku": "DOBLE"}),
        json!({"sku": "DOBLE", "estatus": "inactivo"}),
    ];
    company.load(Resource::Productos, &products).await;
    let ana = company.admin().await;
    (company, ana)
}

async fn stock(ana: &Actor) -> Vec<Value> {
    let records = ana.walk("/inventario").await;
    records.iter().map(|record| pick(record, &["sku", "almacen", "existencia", "apartado"])).collect()
}

fn of(almacen: &str, existencia: impl Into<Value>, apartado: impl Into<Value>) -> Value {
    json!({"sku": "CLAVO", "almacen": almacen, "existencia": existencia.into(), "apartado": apartado.into()})
}

fn changed(existencia: i64, producto: i64, almacen: &str) -> (String, Value) {
    let data = json!({"existencia": existencia, "producto": producto, "almacen": almacen});
    ("inventario.existencia_cambiada".to_owned(), data)
}

#[tokio::test]
async fn movements_add_remove_and_set_stock_and_are_recorded() {
    let (company, ana) = store().await;
    for (tipo, cantidad, after) in [
        ("saldo_inicial", json!(10), json!(10)),
        ("ajuste_entrada", json!(2.5), json!(12.5)),
        ("merma", json!(0.25), json!(12.25)),
        ("ajuste_salida", json!(20), json!(-7.75)),
        ("saldo_inicial", json!(0), json!(0)),
        ("devolucion", json!(4), json!(4)),
    ] {
        company.world.clock.advance(TimeDelta::minutes(1));
        let input = json!({"sku": "CLAVO", "almacen": "001", "tipo": tipo, "cantidad": cantidad, "referencia": tipo});
        let moved = did(company.run_by_name("stock.move", &input).await);
        assert_eq!(moved["existencia"], 1);
        let movement = &ana.walk(&format!("/movimientos-inventario?clave={}", moved["movimiento"])).await[0];
        assert_eq!(
            pick(movement, &["tipo", "cantidad", "existencia_actual", "referencia"]),
            json!({"tipo": tipo, "cantidad": cantidad, "existencia_actual": after, "referencia": tipo})
        );
        assert_eq!((&movement["almacen"], &movement["costo_unitario"]), (&json!("1"), &json!("2.50")));
        assert_eq!(stock(&ana).await, [of("001", after, 0)]);
    }
    assert_eq!(ana.walk("/inventario").await[0]["modificado"], "2026-10-12T18:06:00Z");
    assert_eq!(emitted(&company.world).await, [changed(1, 1, "001")], "all six, as long as nobody delivers");
}

#[tokio::test]
async fn a_movement_that_changes_nothing_emits_nothing() {
    let (company, ana) = store().await;
    let mut input = json!({"producto": 1, "almacen": "001", "tipo": "saldo_inicial", "cantidad": 5});
    did(company.run_by_name("stock.move", &input).await);
    company.world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(did(company.run_by_name("stock.move", &input).await), json!({"movimiento": 2, "existencia": 1}));
    input["tipo"] = json!("salida_embarque");
    assert_eq!(did(company.run_by_name("stock.move", &input).await), json!({"movimiento": 3, "existencia": 1}));
    assert_eq!(emitted(&company.world).await, [changed(1, 1, "001")]);
    assert_eq!(ana.walk("/inventario").await[0]["modificado"], "2026-10-12T18:00:00Z");
}

#[tokio::test]
async fn a_transfer_leaves_one_warehouse_and_enters_the_other() {
    let (company, ana) = store().await;
    let input = json!({"sku": "CLAVO", "almacen": "001", "tipo": "traspaso_salida", "cantidad": 3, "almacen_destino": "002",
                       "costo_unitario": "1.25", "referencia": "T-1"});
    let moved = did(company.run_by_name("stock.move", &input).await);
    assert_eq!(moved["movimiento"], 1);
    let mut found = stock(&ana).await;
    found.sort_by_key(|row| row["almacen"].to_string());
    assert_eq!(found, [of("001", -3, 0), of("002", 3, 0)]);
    let fields =
        ["tipo", "almacen", "almacen_destino", "existencia_anterior", "existencia_actual", "costo_unitario", "importe"];
    let movements = ana.walk("/movimientos-inventario?sku=CLAVO").await;
    assert_eq!(
        movements.iter().map(|movement| pick(movement, &fields)).collect::<Vec<_>>(),
        [
            row(&fields, json!(["traspaso_salida", "1", "2", 0, -3, "1.25", "3.75"])),
            row(&fields, json!(["traspaso_entrada", "2", null, 0, 3, "1.25", "3.75"])),
        ]
    );
    assert!(movements.iter().all(|movement| movement["referencia"] == "T-1"), "{movements:?}");
    assert_eq!(emitted(&company.world).await.len(), 2);
}

#[tokio::test]
async fn reservations_add_up_either_way() {
    let (company, ana) = store().await;
    for (cantidad, after) in [(json!(4), json!(4)), (json!(-1.5), json!(2.5)), (json!(-5), json!(-2.5))] {
        let input = json!({"producto": 1, "almacen": "001", "cantidad": cantidad});
        assert_eq!(did(company.run_by_name("stock.reserve", &input).await), json!({"existencia": 1}));
        assert_eq!(stock(&ana).await, [of("001", 0, after)]);
    }
    assert_eq!(emitted(&company.world).await, [changed(1, 1, "001")]);
    assert_eq!(company.world.count("movimientos_inventario").await, 0);
}

#[tokio::test]
async fn impossible_movements_are_refused() {
    let (company, ana) = store().await;
    let with = |fields: Value| {
        let mut input = json!({"almacen": "001", "tipo": "ajuste_entrada", "cantidad": 1});
        input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        input
    };
    refuses(
        &company,
        "stock.move",
        &[
            (with(json!({})), "dato_requerido", "producto: "),
            (with(json!({"producto": 1, "sku": "CLAVO"})), "dato_invalido", "sku: "),
            (with(json!({"producto": 99})), "producto_invalido", "producto: "),
            (with(json!({"sku": "NADA"})), "producto_invalido", "sku: "),
            (with(json!({"sku": "FLETE"})), "producto_invalido", "sku: "),
            (with(json!({"sku": "DOBLE"})), "sku_ambiguo", "sku: "),
            (with(json!({"producto": 1, "almacen": "009"})), "almacen_invalido", "almacen: "),
            (with(json!({"producto": 1, "almacen": "003"})), "almacen_invalido", "almacen: "),
            (with(json!({"producto": 1, "almacen": "1"})), "dato_invalido", "almacen: "),
            (with(json!({"producto": 1, "tipo": "robo"})), "dato_invalido", "tipo: "),
            (with(json!({"producto": 1, "tipo": "traspaso_entrada"})), "dato_invalido", "tipo: "),
            (with(json!({"producto": 1, "cantidad": 0})), "dato_invalido", "cantidad: "),
            (with(json!({"producto": 1, "cantidad": "1"})), "dato_invalido", "cantidad: "),
            (with(json!({"producto": 1, "almacen_destino": "002"})), "dato_invalido", "almacen_destino: "),
            (with(json!({"producto": 1, "tipo": "traspaso_salida"})), "dato_requerido", "almacen_destino: "),
            (
                with(json!({"producto": 1, "tipo": "traspaso_salida", "almacen_destino": "001"})),
                "dato_invalido",
                "almacen_destino: ",
            ),
            (
                with(json!({"producto": 1, "tipo": "traspaso_salida", "almacen_destino": "003"})),
                "almacen_invalido",
                "almacen_destino: ",
            ),
        ],
    )
    .await;
    let reserve = |cantidad: Value| json!({"producto": 1, "almacen": "001", "cantidad": cantidad});
    refuses(
        &company,
        "stock.reserve",
        &[
            (reserve(json!(0)), "dato_invalido", "cantidad: "),
            (reserve(Value::Null), "dato_requerido", "cantidad: "),
            (json!({"sku": "FLETE", "almacen": "001", "cantidad": 1}), "producto_invalido", "sku: "),
            (json!({"sku": "CLAVO", "almacen": "003", "cantidad": 1}), "almacen_invalido", "almacen: "),
        ],
    )
    .await;
    assert_eq!(stock(&ana).await, Vec::<Value>::new());
    // An inactive product may still have stock.
    did(company.run_by_name("stock.move", &with(json!({"sku": "PIJA"}))).await);
}

#[tokio::test]
async fn amounts_beyond_a_record_are_refused() {
    let (company, _) = store().await;
    let max = json!({"producto": 1, "almacen": "001", "tipo": "ajuste_entrada", "cantidad": 999_999_999_999_999_i64});
    did(company.run_by_name("stock.move", &max).await);
    // 18 digits: as much as a record holds.
    company.world.sql::<i64>("UPDATE inventario SET existencia = 999999999999999999 RETURNING clave").await;
    refuses(&company, "stock.move", &[(max, "dato_invalido", "cantidad: ")]).await;
}

#[tokio::test]
async fn concurrent_movements_all_count() {
    let (company, ana) = store().await;
    let there =
        json!({"producto": 1, "almacen": "001", "tipo": "traspaso_salida", "cantidad": 1, "almacen_destino": "002"});
    let back =
        json!({"producto": 1, "almacen": "002", "tipo": "traspaso_salida", "cantidad": 2, "almacen_destino": "001"});
    let moves = (0..10).map(|at| company.run_by_name("stock.move", if at % 2 == 0 { &there } else { &back }));
    for moved in futures_util::future::join_all(moves).await {
        did(moved);
    }
    let mut found = stock(&ana).await;
    found.sort_by_key(|row| row["almacen"].to_string());
    assert_eq!(found, [of("001", 5, 0), of("002", -5, 0)]);
    assert_eq!(ana.walk("/movimientos-inventario?sku=CLAVO").await.len(), 20);
}
