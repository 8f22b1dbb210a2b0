//! A company that sells only what it has.

use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Company, Resource, World, books};

use super::did;
use super::shop::{NAIL, SERVICE, captured, line, refuses, sale, shop};

/// A shop with five nails, which refuses to sell a sixth.
async fn strict(world: &World) -> (Company, Actor) {
    let company = shop(world).await;
    company.edit(CompanyChange { vender_sin_existencia: Some(false), ..CompanyChange::default() }).await;
    let stocked = json!({"producto": NAIL, "almacen": "001", "tipo": "saldo_inicial", "cantidad": 5});
    did(company.run_by_name("stock.move", &stocked).await);
    let ana = company.admin().await;
    (company, ana)
}

fn of(tipo: &str, count: i64) -> Value {
    sale(tipo, &[line(NAIL, count, "100.00"), line(SERVICE, 1, "1.00")])
}

#[tokio::test]
async fn missing_stock_is_neither_invoiced_nor_captured_nor_delivered() {
    let world = World::new().await;
    let (company, ana) = strict(&world).await;
    let order = |count: i64| ana.post("/ventas", of("pedido", count));
    let invoice = |venta: Value| ana.post(format!("/ventas/{venta}/facturar").leak(), json!({}));
    // Orders may want more than there is; six are not sold.
    let six = order(6).await.ok(201)["venta"].clone();
    invoice(six.clone()).await.fails(422, "existencia_insuficiente");
    refuses(
        &company,
        "sale.capture",
        &[
            // The order has reserved all.
            (of("venta", 1), "existencia_insuficiente", "renglones: "),
            (of("factura", 1), "existencia_insuficiente", "renglones: "),
        ],
    )
    .await;
    let handed = |venta: &Value, count: i64| json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": count}]});
    refuses(&company, "order.fulfil", &[(handed(&six, 6), "existencia_insuficiente", "")]).await;
    did(company.run_by_name("order.fulfil", &handed(&six, 2)).await);
    did(company.run_by_name("sale.cancel", &json!({"venta": six})).await);

    let three = order(3).await.ok(201)["venta"].clone();
    let two = order(2).await.ok(201)["venta"].clone();
    let quote = ana.post("/ventas", of("cotizacion", 1)).await.ok(201)["venta"].clone();
    invoice(quote.clone()).await.fails(422, "existencia_insuficiente");
    invoice(three).await.ok(202);
    invoice(two).await.ok(202);
    invoice(quote).await.fails(422, "existencia_insuficiente");
    // An advance and a service need no stock.
    captured(&company, &of("anticipo", 9)).await;
    captured(&company, &sale("venta", &[line(SERVICE, 9, "1.00")])).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn stock_is_checked_before_credit_and_only_where_required() {
    let world = World::new().await;
    let (company, ana) = strict(&world).await;
    world.run("UPDATE clientes SET limite_credito = 0").await;
    let mut body = of("pedido", 6);
    body["condicion_pago"] = json!("credito");
    let venta = ana.post("/ventas", body).await.ok(201)["venta"].clone();
    let path = format!("/ventas/{venta}/facturar");
    ana.post(&path, json!({})).await.fails(422, "existencia_insuficiente");
    company.edit(CompanyChange { vender_sin_existencia: Some(true), ..CompanyChange::default() }).await;
    world.clock.advance(chrono::TimeDelta::seconds(10));
    ana.post(&path, json!({})).await.fails(422, "credito_insuficiente");
    captured(&company, &of("venta", 9)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_demands_for_the_last_stock_have_one_winner() {
    let world = World::new().await;
    let (company, _) = strict(&world).await;
    let body = of("venta", 3);
    let tried = (0..4).map(|_| company.run_by_name("sale.capture", &body));
    let done = futures_util::future::join_all(tried).await.into_iter().flatten().count();
    assert_eq!(done, 1);
}

async fn ordered(ana: &Actor, count: i64) -> Value {
    ana.post("/ventas", of("pedido", count)).await.ok(201)["venta"].clone()
}

async fn invoice(ana: &Actor, venta: &Value) -> svc_tests::Reply {
    ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await
}

#[tokio::test]
async fn earlier_orders_get_the_stock_that_is_too_little_for_all() {
    let world = World::new().await;
    let (company, ana) = strict(&world).await;
    let (three, four, two) = (ordered(&ana, 3).await, ordered(&ana, 4).await, ordered(&ana, 2).await);
    // Two remain for the second and the third, and the second comes first.
    let short = invoice(&ana, &four).await;
    short.fails(422, "existencia_insuficiente");
    let said = short.json()["error"]["mensaje"].to_string();
    assert!(said.contains("del producto A-1 hay 2 sin apartar en el almacén 001"), "{said}");
    invoice(&ana, &two).await.fails(422, "existencia_insuficiente");
    invoice(&ana, &three).await.ok(202);
    // A part of the second is delivered, and the rest still comes before the third.
    let handed = |venta: &Value, count: i64| json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": count}]});
    did(company.run_by_name("order.fulfil", &handed(&four, 1)).await);
    invoice(&ana, &two).await.fails(422, "existencia_insuficiente");
    refuses(&company, "order.fulfil", &[(handed(&two, 1), "existencia_insuficiente", "renglones: ")]).await;
    did(company.run_by_name("sale.cancel", &json!({"venta": ordered(&ana, 9).await})).await);
    did(company
        .run_by_name(
            "stock.move",
            &json!({"producto": NAIL, "almacen": "001", "tipo": "ajuste_entrada", "cantidad": 3}),
        )
        .await);
    invoice(&ana, &two).await.fails(422, "existencia_insuficiente");
    did(company.run_by_name("order.fulfil", &handed(&four, 3)).await);
    invoice(&ana, &two).await.fails(422, "existencia_insuficiente");
    did(company
        .run_by_name(
            "stock.move",
            &json!({"producto": NAIL, "almacen": "001", "tipo": "ajuste_entrada", "cantidad": 1}),
        )
        .await);
    invoice(&ana, &two).await.ok(202);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn other_reservations_come_first_and_other_warehouses_do_not_count() {
    let world = World::new().await;
    let (company, ana) = strict(&world).await;
    // Two lines of one product are added up.
    let twice = sale("pedido", &[line(NAIL, 2, "100.00"), line(NAIL, 3, "100.00")]);
    let twice = ana.post("/ventas", twice).await.ok(201)["venta"].clone();
    let mut elsewhere = of("pedido", 5);
    elsewhere["almacen"] = json!("002");
    ana.post("/ventas", elsewhere).await.ok(201);
    // A reservation by hand is nobody's order.
    let reserve = |cantidad: i64| json!({"producto": NAIL, "almacen": "001", "cantidad": cantidad});
    did(company.run_by_name("stock.reserve", &reserve(1)).await);
    invoice(&ana, &twice).await.fails(422, "existencia_insuficiente");
    did(company.run_by_name("stock.reserve", &reserve(-1)).await);
    // Quotes reserve nothing, so they come after every order, also after a later one.
    let quote = ana.post("/ventas", of("cotizacion", 1)).await.ok(201)["venta"].clone();
    invoice(&ana, &quote).await.fails(422, "existencia_insuficiente");
    let later = ordered(&ana, 5).await;
    invoice(&ana, &later).await.fails(422, "existencia_insuficiente");
    invoice(&ana, &twice).await.ok(202);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn imported_orders_count_as_far_as_the_imported_stock_says() {
    let world = World::new().await;
    let (company, ana) = strict(&world).await;
    let order = json!({"clave": 50, "tipo": "pedido", "cliente": 1, "fecha": "2026-09-01T00:00:00Z"});
    company.load(Resource::Ventas, &[order]).await;
    company.load(Resource::VentasRenglones, &[json!({"venta": 50, "producto": NAIL, "cantidad": 4})]).await;
    // Nothing is reserved for it.
    let two = ordered(&ana, 2).await;
    invoice(&ana, &two).await.ok(202);
    // Its reservation of three has been imported.
    world.run("UPDATE inventario SET apartado = 3").await;
    let one = ordered(&ana, 1).await;
    invoice(&ana, &one).await.fails(422, "existencia_insuficiente");
}

#[tokio::test]
async fn transfers_and_exits_for_use_take_what_is_free() {
    let world = World::new().await;
    let (company, ana) = strict(&world).await;
    ordered(&ana, 2).await;
    let transfer =
        |count: i64| json!({"producto": NAIL, "almacen": "001", "almacen_destino": "002", "cantidad": count});
    let exit = |tipo: &str, count: i64| json!({"producto": NAIL, "almacen": "001", "tipo": tipo, "cantidad": count});
    let said = "cantidad: hay 3 sin apartar en el almacén 001";
    refuses(&company, "stock.transfer", &[(transfer(4), "existencia_insuficiente", said)]).await;
    let mut by_hand = exit("traspaso_salida", 4);
    by_hand["almacen_destino"] = json!("002");
    refuses(
        &company,
        "stock.move",
        &[
            (by_hand, "existencia_insuficiente", said),
            (exit("venta", 4), "existencia_insuficiente", said),
            (exit("orden_servicio", 4), "existencia_insuficiente", said),
        ],
    )
    .await;
    did(company.run_by_name("stock.transfer", &transfer(3)).await);
    // What has happened to goods is recorded, whatever the books say.
    did(company.run_by_name("stock.move", &exit("merma", 4)).await);
    company.edit(CompanyChange { vender_sin_existencia: Some(true), ..CompanyChange::default() }).await;
    did(company.run_by_name("stock.transfer", &transfer(9)).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_invoices_of_orders_sell_what_there_is() {
    let world = World::new().await;
    let (_, ana) = strict(&world).await;
    let mut orders = Vec::new();
    for _ in 0..4 {
        orders.push(ordered(&ana, 2).await);
    }
    let replies = futures_util::future::join_all(orders.iter().map(|venta| invoice(&ana, venta))).await;
    let statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [202, 202, 422, 422]);
}
