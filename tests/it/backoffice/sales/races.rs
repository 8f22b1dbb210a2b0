//! Of two concurrent requests for one effect, one wins.

use crate::documents::UUIDS;
use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_tests::{Company, World, books};

use super::super::did;
use super::super::shop::{NAIL, captured, invoiced, line, nails, sale, shop, stock};

/// Runs an action three times concurrently and returns how often it succeeded. The others must fail
/// with this code.
async fn thrice(company: &Company, action: &str, input: &Value, codigo: &str) -> usize {
    let outcomes = join_all((0..3).map(|_| company.run_by_name(action, input))).await;
    for error in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert_eq!(error.code().codigo(), codigo, "{action}: {error}");
    }
    outcomes.iter().filter(|outcome| outcome.is_ok()).count()
}

#[tokio::test]
async fn concurrent_steps_have_one_winner() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    for _ in 0..3 {
        let order = captured(&company, &nails("pedido")).await;
        let whole = json!({"venta": order, "renglones": [{"renglon": 1, "cantidad": 2}]});
        assert_eq!(thrice(&company, "order.fulfil", &whole, "estado_invalido").await, 1);
        let of = json!({"venta": order});
        assert_eq!(thrice(&company, "sale.invoicing-begin", &of, "estado_invalido").await, 1);
        assert_eq!(thrice(&company, "sale.invoicing-end", &of, "estado_invalido").await, 1);
        assert_eq!(thrice(&company, "sale.cancel", &of, "estado_invalido").await, 1);
        let (_, factura) = invoiced(&ana, &nails("pedido")).await;
        let of = json!({"factura": factura, "uuid": UUIDS[0]});
        assert_eq!(thrice(&company, "invoice.stamped", &of, "estado_invalido").await, 1);
        let cancel = json!({"factura": factura, "motivo": "02"});
        assert_eq!(thrice(&company, "invoice.cancel", &cancel, "estado_invalido").await, 1);
    }
    books::check(&world, &company).await;
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(0), json!(0))));
}

#[tokio::test]
async fn concurrent_delivery_and_cancellation_take_turns() {
    let world = World::new().await;
    let company = shop(&world).await;
    for _ in 0..6 {
        let order = captured(&company, &sale("pedido", &[line(NAIL, 4, "1.00"), line(NAIL, 1, "1.00")])).await;
        let (part, of) =
            (json!({"venta": order, "renglones": [{"renglon": 1, "cantidad": 1}]}), json!({"venta": order}));
        let (handed, cancelled, again) = tokio::join!(
            company.run_by_name("order.fulfil", &part),
            company.run_by_name("sale.cancel", &of),
            company.run_by_name("order.fulfil", &part)
        );
        did(cancelled);
        for outcome in [handed, again] {
            assert_eq!(outcome.err().map_or("estado_invalido", |error| error.code().codigo()), "estado_invalido");
        }
    }
    books::check(&world, &company).await;
    assert_eq!(stock(&company.admin().await, "A-1", "001").await, Some((json!(0), json!(0))));
}

#[tokio::test]
async fn concurrent_sales_of_the_same_goods_wait_for_each_other() {
    let world = World::new().await;
    let company = shop(&world).await;
    let lines = [line(NAIL, 1, "1.00"), line(super::super::shop::FOOD, 1, "1.00")];
    let backwards = [lines[1].clone(), lines[0].clone()];
    let bodies: Vec<Value> = (0..12)
        .map(|at| sale(["venta", "factura", "pedido"][at % 3], if at % 2 == 0 { &lines } else { &backwards }))
        .collect();
    let done =
        futures_util::future::join_all(bodies.iter().map(|body| company.run_by_name("sale.capture", body))).await;
    for outcome in done {
        did(outcome);
    }
    books::check(&world, &company).await;
    assert_eq!(stock(&company.admin().await, "A-1", "001").await, Some((json!(-8), json!(4))));
}
