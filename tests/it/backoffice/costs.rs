//! Weighted average cost: what goods cost whichever way they come and go, and what stock is worth.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{Company, Resource, World, books};

use super::did;
use super::shop::{FOOD, NAIL, captured, line, refuses, sale, shop, stock, with};

/// What the product's movements cost, unit and all, and what is left of its stock and value.
async fn kardex(company: &Company, producto: i64) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT format('%s %s at %s: %s', tipo, trim_scale(cantidad), trim_scale(costo_unitario), trim_scale(importe))
         FROM movimientos_inventario WHERE empresa = $1 AND producto = $2
         UNION ALL
         SELECT format('%s worth %s', trim_scale(existencia), valor) FROM costos WHERE empresa = $1 AND producto = $2",
    )
    .bind(company.id.0)
    .bind(producto)
    .fetch_all(company.world.pool())
    .await
    .expect("movements")
}

async fn moved(company: &Company, tipo: &str, cantidad: f64, costo: Option<&str>) {
    let input =
        json!({"producto": NAIL, "almacen": "001", "tipo": tipo, "cantidad": cantidad, "costo_unitario": costo});
    did(company.run_by_name("stock.move", &input).await);
}

async fn bought(company: &Company, cantidad: i64, costo: &str) -> i64 {
    let order =
        json!({"proveedor": 1, "renglones": [{"producto": NAIL, "cantidad": cantidad, "costo_unitario": costo}]});
    let compra = did(company.run_by_name("purchase.capture", &order).await)["compra"].as_i64().expect("a clave");
    did(company.run_by_name("purchase.receive", &json!({"compra": compra})).await);
    compra
}

async fn opened(world: &World) -> Company {
    let company = shop(world).await;
    company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"})]).await;
    company
}

fn nails(tipo: &str, cantidad: i64) -> Value {
    sale(tipo, &[line(NAIL, cantidad, "100.00")])
}

/// The balance of an account.
pub(super) async fn balance(company: &Company, cuenta: &str) -> String {
    let said = did(company.run_by_name("ledger.balance", &json!({})).await);
    let rows = said["cuentas"].as_array().expect("accounts");
    let row = rows.iter().find(|row| row["cuenta"] == cuenta);
    row.map_or("none".to_owned(), |row| row["saldo"].as_str().expect("an amount").to_owned())
}

#[tokio::test]
async fn goods_return_at_the_cost_they_left_at_whatever_the_average_is_by_then() {
    let world = World::new().await;
    let company = opened(&world).await;
    bought(&company, 3, "10.00").await;
    let sold = captured(&company, &nails("venta", 2)).await;
    let cancelled = captured(&company, &nails("venta", 1)).await;
    bought(&company, 4, "20.00").await;
    let back = json!({"venta": sold, "renglones": [{"renglon": 1, "cantidad": 1}]});
    did(company.run_by_name("sale.return", &back).await);
    did(company.run_by_name("sale.cancel", &json!({"venta": cancelled})).await);
    did(company.run_by_name("stock.count", &json!({"producto": NAIL, "almacen": "001", "existencia": 7})).await);
    assert_eq!(
        kardex(&company, NAIL).await,
        [
            "compra 3 at 10: 30",
            "venta 2 at 10: 20",
            "venta 1 at 10: 10",
            "compra 4 at 20: 80",
            "devolucion 1 at 10: 10",
            "cancelacion_venta 1 at 10: 10",
            "ajuste_entrada 1 at 16.666667: 16.67",
            "7 worth 116.67",
        ]
    );
    assert_eq!(balance(&company, "115.01").await, "116.67");
    assert_eq!(balance(&company, "501.01").await, "10.00");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_is_sold_below_zero_is_settled_by_the_next_entry() {
    let world = World::new().await;
    let company = opened(&world).await;
    bought(&company, 2, "20.00").await;
    captured(&company, &nails("venta", 5)).await;
    assert_eq!(balance(&company, "115.01").await, "-60.00");
    bought(&company, 4, "30.00").await;
    // Three of them were sold at 20 before they came, and cost 30.
    assert_eq!(balance(&company, "115.01").await, "30.00");
    assert_eq!(balance(&company, "501.01").await, "130.00");
    let late = captured(&company, &nails("venta", 3)).await;
    did(company.run_by_name("stock.count", &json!({"producto": NAIL, "almacen": "001", "existencia": 1})).await);
    assert_eq!(
        kardex(&company, NAIL).await,
        [
            "compra 2 at 20: 40",
            "venta 5 at 20: 100",
            "compra 4 at 30: 120",
            "venta 3 at 30: 90",
            "ajuste_entrada 3 at 30: 90",
            "1 worth 30.00",
        ]
    );
    books::check(&world, &company).await;
    // A cancellation makes up for them too.
    did(company.run_by_name("stock.count", &json!({"producto": NAIL, "almacen": "001", "existencia": 0})).await);
    moved(&company, "merma", 2.0, None).await;
    did(company.run_by_name("sale.cancel", &json!({"venta": late})).await);
    assert_eq!(kardex(&company, NAIL).await.pop().expect("a value"), "1 worth 30.00");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_transfer_moves_no_value_even_below_zero() {
    let world = World::new().await;
    let company = opened(&world).await;
    bought(&company, 3, "10.01").await;
    let transfer = json!({"producto": NAIL, "almacen": "001", "almacen_destino": "002", "cantidad": 5});
    did(company.run_by_name("stock.transfer", &transfer).await);
    assert_eq!(kardex(&company, NAIL).await.pop().expect("a value"), "3 worth 30.03");
    assert_eq!(balance(&company, "115.01").await, "30.03");
    captured(&company, &nails("venta", 4)).await;
    did(company.run_by_name("stock.transfer", &with(&transfer, json!({"cantidad": 7}))).await);
    assert_eq!(kardex(&company, NAIL).await.pop().expect("a value"), "-1 worth -10.01");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_delivered_order_costs_what_left_and_gives_it_back() {
    let world = World::new().await;
    let company = opened(&world).await;
    bought(&company, 3, "10.00").await;
    let order = captured(&company, &nails("pedido", 3)).await;
    let hand = |cantidad: i64| json!({"venta": order, "renglones": [{"renglon": 1, "cantidad": cantidad}]});
    did(company.run_by_name("order.fulfil", &hand(1)).await);
    bought(&company, 2, "40.00").await;
    did(company.run_by_name("order.fulfil", &hand(1)).await);
    assert_eq!(balance(&company, "115.06").await, "35.00");
    books::check(&world, &company).await;
    let other = captured(&company, &nails("pedido", 1)).await;
    let all = json!({"venta": other, "renglones": [{"renglon": 1, "cantidad": 1}]});
    did(company.run_by_name("order.fulfil", &all).await);
    assert_eq!(balance(&company, "501.01").await, "25.00");
    for venta in [order, other] {
        did(company.run_by_name("sale.cancel", &json!({"venta": venta})).await);
        books::check(&world, &company).await;
    }
    assert_eq!(kardex(&company, NAIL).await.pop().expect("a value"), "5 worth 110.00");
    assert_eq!([balance(&company, "115.06").await, balance(&company, "501.01").await], ["0.00", "0.00"]);
}

#[tokio::test]
async fn goods_in_dollars_are_worth_pesos_of_their_order_and_the_bill_s_difference_is_an_adjustment() {
    let world = World::new().await;
    let company = opened(&world).await;
    let order = json!({"proveedor": 1, "moneda": "USD", "tipo_cambio": "17.5",
                       "renglones": [{"producto": NAIL, "cantidad": 3, "costo_unitario": "1.00", "iva": "0"}]});
    let compra = did(company.run_by_name("purchase.capture", &order).await)["compra"].clone();
    did(company.run_by_name("payable.capture", &json!({"compra": compra, "total": "3.00", "tipo_cambio": "20"})).await);
    did(company.run_by_name("purchase.receive", &json!({"compra": compra})).await);
    captured(&company, &nails("venta", 1)).await;
    assert_eq!(kardex(&company, NAIL).await, ["compra 3 at 17.5: 52.5", "venta 1 at 17.5: 17.5", "2 worth 35.00"]);
    assert_eq!(balance(&company, "501.08").await, "7.50");
    books::check(&world, &company).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_sales_purchases_and_transfers_keep_the_average_true() {
    let world = World::new().await;
    let company = opened(&world).await;
    for producto in [NAIL, FOOD] {
        let stocked = json!({"producto": producto, "almacen": "001", "tipo": "saldo_inicial", "cantidad": 10,
                             "costo_unitario": "3.333333"});
        did(company.run_by_name("stock.move", &stocked).await);
    }
    let lines = [line(NAIL, 1, "9.00"), line(FOOD, 2, "9.00")];
    let turned = [line(FOOD, 1, "9.00"), line(NAIL, 2, "9.00")];
    let north = with(&sale("venta", &turned), json!({"sucursal": 3, "almacen": "031"}));
    let transfer = json!({"producto": NAIL, "almacen": "031", "almacen_destino": "001", "cantidad": 1});
    let order = json!({"proveedor": 1, "renglones": [{"producto": FOOD, "cantidad": 1, "costo_unitario": "7.77"},
                                                     {"producto": NAIL, "cantidad": 2, "costo_unitario": "1.11"}]});
    let mut orders = Vec::new();
    for _ in 0..6 {
        orders.push(did(company.run_by_name("purchase.capture", &order).await)["compra"].clone());
    }
    let reserve = json!({"producto": NAIL, "almacen": "031", "cantidad": 1});
    let here = sale("venta", &lines);
    let rounds = orders.iter().map(|compra| {
        let receive = json!({"compra": compra});
        let (company, here, north, transfer, reserve) = (&company, &here, &north, &transfer, &reserve);
        async move {
            let done = tokio::join!(
                company.run_by_name("sale.capture", here),
                company.run_by_name("sale.capture", north),
                company.run_by_name("purchase.receive", &receive),
                company.run_by_name("stock.transfer", transfer),
                company.run_by_name("stock.reserve", reserve),
            );
            <[_; 5]>::from(done).map(did)
        }
    });
    join_all(rounds).await;
    let release = with(&reserve, json!({"cantidad": -6}));
    did(company.run_by_name("stock.reserve", &release).await);
    assert!(kardex(&company, NAIL).await.pop().expect("a value").starts_with("4 worth "));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_import_of_stock_is_worth_what_it_says_else_the_product_s_cost() {
    let world = World::new().await;
    let company = opened(&world).await;
    captured(&company, &nails("venta", 1)).await;
    let rows = [
        json!({"sku": "A-1", "almacen": "002", "existencia": 4, "costo_unitario": "10"}),
        json!({"sku": "C-2", "almacen": "001", "existencia": -2}),
        json!({"sku": "C-2", "almacen": "002", "existencia": 0}),
        json!({"sku": "C-2", "almacen": "030", "existencia": 6}),
    ];
    company.load(Resource::Inventario, &rows).await;
    // A nail was sold at 40 and cost 10.
    assert_eq!(kardex(&company, NAIL).await, ["venta 1 at 40: 40", "3 worth 30.00"]);
    assert_eq!(kardex(&company, FOOD).await, ["4 worth 6.00"]);
    assert_eq!(balance(&company, "304.01").await, "-46.00");
    assert_eq!(balance(&company, "501.01").await, "10.00");
    books::check(&world, &company).await;
    captured(&company, &sale("venta", &[line(FOOD, 1, "5.00")])).await;
    assert_eq!(kardex(&company, FOOD).await.pop().expect("a value"), "3 worth 4.50");
    let owed = json!({"sku": "S-3", "almacen": "002", "existencia": -3, "costo_unitario": "10"});
    company.load(Resource::Inventario, &[owed]).await;
    assert_eq!(kardex(&company, 3).await, ["-3 worth -30.00"]);
    assert_eq!(balance(&company, "304.01").await, "-16.00");
    books::check(&world, &company).await;
    let vast = json!({"sku": "S-3", "almacen": "001", "existencia": 999_999_999_999_999_i64,
                      "costo_unitario": "999999999999999999"});
    let said = company.import(Resource::Inventario, &[vast]).await.expect_err("too much");
    assert!(said.contains("costo_unitario"), "{said}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_day_s_stock_is_worth_what_the_ledger_says_of_it() {
    let world = World::new().await;
    let company = opened(&world).await;
    bought(&company, 3, "10.00").await;
    world.clock.advance(TimeDelta::days(1));
    company.load(Resource::Inventario, &[json!({"sku": "C-2", "almacen": "002", "existencia": 8})]).await;
    captured(&company, &nails("venta", 2)).await;
    world.clock.advance(TimeDelta::days(1));
    captured(&company, &nails("venta", 2)).await;
    let stock = async |input: Value| {
        let said = did(company.run_by_name("report.stock", &input).await);
        assert_eq!(said["valor"], said["saldo"], "{said}");
        said
    };
    let nail = |existencia: i64, costo: &str, valor: &str| {
        json!({"producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "existencia": existencia,
               "costo_unitario": costo, "valor": valor})
    };
    let food = json!({"producto": FOOD, "sku": "C-2", "descripcion": "Maíz", "existencia": 8,
                      "costo_unitario": "1.50", "valor": "12.00"});
    assert_eq!(
        stock(json!({})).await,
        json!({"al": "2026-10-14", "renglones": [food, nail(-1, "10.00", "-10.00")], "otros": 0,
               "valor_otros": "0.00", "valor": "2.00", "saldo": "2.00"})
    );
    let before = stock(json!({"al": "2026-10-13"})).await;
    assert_eq!(before["renglones"], json!([food, nail(1, "10.00", "10.00")]));
    let first = stock(json!({"al": "2026-10-12"})).await;
    assert_eq!(
        pick(&first, &["renglones", "valor"]),
        json!({"renglones": [nail(3, "10.00", "30.00")], "valor": "30.00"})
    );
    assert_eq!(stock(json!({"al": "2026-10-11"})).await["renglones"], json!([]));
    refuses(&company, "report.stock", &[(json!({"al": "ayer"}), "dato_invalido", "al: ")]).await;
    let (other, nothing) = (world.company().await, json!([]));
    assert_eq!(did(other.run_by_name("report.stock", &json!({})).await)["renglones"], nothing);
}

#[tokio::test]
async fn imported_balances_are_opened_so_that_no_payment_drives_an_account_negative() {
    let world = World::new().await;
    let company = opened(&world).await;
    let receivables = [
        json!({"cliente": 1, "total": "116.00", "saldo": "100.00"}),
        json!({"cliente": 1, "total": "10.00", "moneda": "USD", "tipo_cambio": "17.5"}),
        json!({"cliente": 1, "total": "50.00", "estatus": "pagado"}),
        json!({"cliente": 1, "total": "60.00", "estatus": "cancelado"}),
    ];
    company.load(Resource::Cxc, &receivables).await;
    let payables = [
        json!({"proveedor": 1, "total": "232.00", "pagado": "32.00"}),
        json!({"proveedor": 1, "total": "-20.00"}),
        json!({"proveedor": 1, "total": "30.00"}),
    ];
    company.load(Resource::Cxp, &payables).await;
    assert_eq!([balance(&company, "105.01").await, balance(&company, "201.01").await], ["275.00", "-210.00"]);
    assert_eq!(balance(&company, "304.01").await, "-65.00");
    let pay = json!({"cxc": 1, "importe": "100", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                     "referencia": "A"});
    did(company.run_by_name("payment.apply", &pay).await);
    let pay = json!({"cxp": 1, "importe": "200", "cuenta_bancaria": 1, "fecha": "2026-10-12", "referencia": "B"});
    did(company.run_by_name("payable.pay", &pay).await);
    assert_eq!([balance(&company, "105.01").await, balance(&company, "201.01").await], ["175.00", "-10.00"]);
    did(company.run_by_name("payable.edit", &json!({"clave": 3, "total": "35.00"})).await);
    assert_eq!(balance(&company, "201.01").await, "-15.00");
    did(company.run_by_name("payable.cancel", &json!({"cxp": 3})).await);
    did(company.run_by_name("payable.cancel", &json!({"cxp": 2})).await);
    assert_eq!([balance(&company, "105.01").await, balance(&company, "201.01").await], ["175.00", "0.00"]);
    assert_eq!(balance(&company, "304.01").await, "-75.00");
}

#[tokio::test]
async fn an_imported_sale_that_is_cancelled_is_owed_no_more_and_its_goods_come_from_the_opening() {
    let world = World::new().await;
    let company = opened(&world).await;
    company.load(Resource::Ventas, &[json!({"tipo": "venta", "cliente": 1, "total": 10, "saldo": 10})]).await;
    company.load(Resource::Cxc, &[json!({"venta": 1, "total": 10})]).await;
    let gone = json!({"tipo": "venta", "venta": 1, "sku": "A-1", "cantidad": 2, "almacen": "1", "costo_unitario": "7"});
    company.load(Resource::MovimientosInventario, &[gone]).await;
    assert_eq!(balance(&company, "105.01").await, "10.00");
    let venta = json!({"venta": 1});
    let (_, events) = company.rehearse_by_name("sale.cancel", &venta).await.expect("a rehearsal");
    assert_eq!(events, ["inventario.existencia_cambiada"]);
    assert_eq!(balance(&company, "105.01").await, "10.00");
    did(company.run_by_name("sale.cancel", &venta).await);
    assert_eq!([balance(&company, "105.01").await, balance(&company, "304.01").await], ["0.00", "-14.00"]);
    assert_eq!(kardex(&company, NAIL).await.pop().expect("a value"), "2 worth 14.00");
    let ana = company.admin().await;
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(2), json!(0))));
}
