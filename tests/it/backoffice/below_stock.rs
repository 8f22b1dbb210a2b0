//! A company that sells only what it has.

use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Company, World, books};

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
