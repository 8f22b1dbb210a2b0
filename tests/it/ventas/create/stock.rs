//! The reservations of an order.

use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{Resource, World};

use crate::ventas::shop::{
    BORDER, EXPENSE, FOOD, NAIL, SERVICE, invoiced, line, made, notices, ready, sale, shop, stock, with,
};

#[tokio::test]
async fn an_order_reserves_each_product_s_sum_in_its_warehouse() {
    let world = World::new().await;
    let company = shop(&world).await;
    let held = [
        json!({"producto": NAIL, "almacen": "001", "existencia": 10, "apartado": 1.5, "modificado": "2020-01-01T00:00:00Z"}),
        json!({"producto": NAIL, "almacen": "002", "existencia": 5}),
    ];
    company.load(Resource::Inventario, &held).await;
    let ana = company.admin().await;
    let lines =
        [line(FOOD, 4, "1"), line(NAIL, 2, "1"), line(SERVICE, 9, "1"), line(NAIL, 3, "1"), line(EXPENSE, 1, "1")];
    made(&ana, &sale("pedido", &lines)).await;
    let rows = ana.walk("/inventario?almacen=001").await;
    let shown: Vec<_> =
        rows.iter().map(|row| pick(row, &["producto", "existencia", "apartado", "disponible"])).collect();
    assert_eq!(
        shown,
        [
            json!({"producto": NAIL, "existencia": 10, "apartado": 6.5, "disponible": 3.5}),
            json!({"producto": FOOD, "existencia": 0, "apartado": 4, "disponible": 0}),
        ]
    );
    assert_eq!(rows[0]["modificado"], "2026-10-12T18:00:00Z");
    assert_eq!(stock(&ana, "A-1", "002").await, Some((json!(5), json!(0))));
    let emitted = notices(&world, "inventario.existencia_cambiada").await;
    let data = |existencia: Value, producto: i64| {
        (
            json!({"existencia": existencia, "producto": producto, "almacen": "001"}),
            json!(format!("https://erp.example.com/api/v1/inventario?clave={existencia}")),
        )
    };
    assert_eq!(emitted, [data(rows[0]["clave"].clone(), NAIL), data(rows[1]["clave"].clone(), FOOD)]);
    assert_eq!(ana.walk("/movimientos-inventario?sku=A-1").await, Vec::<Value>::new(), "nothing moved");

    made(&ana, &with(&sale("pedido", &[line(NAIL, 7, "1")]), "almacen", json!("002"))).await;
    assert_eq!(stock(&ana, "A-1", "002").await, Some((json!(5), json!(7))), "more than there is");
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(10), json!(6.5))));
}

#[tokio::test]
async fn quotes_services_and_refused_orders_reserve_nothing() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    made(&ana, &sale("cotizacion", &[line(NAIL, 2, "1"), line(BORDER, 2, "1")])).await;
    made(&ana, &sale("pedido", &[line(SERVICE, 2, "1"), line(EXPENSE, 2, "1")])).await;
    let refused = with(&sale("pedido", &[line(NAIL, 2, "1")]), "uso_cfdi", json!("X99"));
    ana.post("/ventas", refused).await.fails(422, "uso_cfdi_invalido");
    assert_eq!(ana.walk("/inventario").await, Vec::<Value>::new());
    assert_eq!(notices(&world, "inventario.existencia_cambiada").await, []);
}

#[tokio::test]
async fn an_order_without_warehouse_uses_the_main_one() {
    let world = World::new().await;
    let company = world.company().await;
    company.load(Resource::Clientes, &[json!({"nombre": "Ana"})]).await;
    company.load(Resource::Productos, &[json!({"sku": "A-1"})]).await;
    let warehouses = [json!({"codigo": "002"}), json!({"codigo": "003", "sucursal": 0})];
    company.load(Resource::Almacenes, &warehouses).await;
    let ana = company.admin().await;
    let of = async |statement: &'static str| {
        world.run(statement).await;
        let reply = ana.post("/ventas", sale("pedido", &[line(1, 1, "1")])).await;
        match reply.json()["venta"].as_i64() {
            Some(venta) => {
                ana.get(&format!("/ventas?tipo=pedido&clave={venta}")).await.ok(200)["datos"][0]["almacen"].to_string()
            }
            None => reply.json()["error"]["codigo"].to_string(),
        }
    };
    assert_eq!(of("SELECT 1").await, "\"001\"");
    assert_eq!(of("UPDATE almacenes SET principal = false").await, "\"001\"", "the first where none is main");
    assert_eq!(of("UPDATE almacenes SET principal = true WHERE codigo = '002'").await, "\"002\"");
    assert_eq!(of("UPDATE almacenes SET estatus = 'inactivo' WHERE codigo = '002'").await, "\"001\"");
    assert_eq!(of("UPDATE almacenes SET estatus = 'eliminado'").await, "\"almacen_invalido\"");
}

#[tokio::test]
async fn reservations_are_released_after_a_product_becomes_a_service() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (ordered, cancelled) = (made(&ana, &ready()).await, made(&ana, &ready()).await);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(0), json!(4))));
    ana.put(&format!("/productos/{NAIL}"), json!({"tipo": "B"})).await.ok(200);
    invoiced(&ana, ordered, json!({})).await.ok(202);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-2), json!(2))));
    company.run_by_name("sale.cancel", &json!({"venta": cancelled})).await.unwrap();
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-2), json!(0))));

    // A product that had no stock record then gets none now.
    let service = made(&ana, &ready()).await;
    ana.put(&format!("/productos/{NAIL}"), json!({"tipo": "A"})).await.ok(200);
    invoiced(&ana, service, json!({})).await.ok(202);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-2), json!(0))));
    svc_tests::books::check(&world, &company).await;
}
