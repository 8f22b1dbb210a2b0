//! Concurrent creations.

use std::time::Duration;

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use svc_store_postgres::Settings;
use svc_tests::{Resource, World, with};

use crate::ventas::shop::{line, sale, shop, together};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_equal_concurrent_requests_are_one_order() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let body = sale("pedido", &[line(1, 3, "1.00"), line(2, 1, "2.00")]);
    let replies = together((0..20).map(|_| ana.write(Method::POST, "/ventas", "una", body.clone()))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    for reply in &replies {
        assert!([200, 201].contains(&reply.status), "{}", reply.json());
        assert_eq!(reply.body, replies[0].body);
    }
    assert_eq!(ana.walk("/ventas?tipo=pedido").await.len(), 1);
    assert_eq!(reserved(&ana.walk("/inventario").await), [(1, json!(3)), (2, json!(1))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn orders_of_the_same_products_in_any_order_reserve_all_of_them() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    // Overlapping sets of products in different orders; none has a stock record at first.
    for round in 0..5 {
        let orders = (0..20_usize).map(|at| {
            let mut lines: Vec<_> = (0..4).map(|step| line(1 + ((at + step) % 5) as i64, 1, "1.00")).collect();
            if at % 2 == 0 {
                lines.reverse();
            }
            ana.post("/ventas", sale("pedido", &lines))
        });
        for reply in together(orders).await {
            reply.ok(201);
        }
        let expected: Vec<_> = (1..=5).map(|producto| (producto, json!(16 * (round + 1)))).collect();
        assert_eq!(reserved(&ana.walk("/inventario").await), expected);
        world.clock.advance(TimeDelta::minutes(1));
    }
    let mut folios: Vec<_> =
        ana.walk("/ventas?tipo=pedido").await.iter().map(|order| order["folio"].as_i64()).collect();
    folios.sort_unstable();
    assert_eq!(folios, (1..=100).map(Some).collect::<Vec<_>>());
}

/// Products and their reserved quantities.
fn reserved(rows: &[Value]) -> Vec<(i64, Value)> {
    let mut rows: Vec<_> =
        rows.iter().map(|row| (row["producto"].as_i64().expect("a clave"), row["apartado"].clone())).collect();
    rows.sort_by_key(|(producto, _)| *producto);
    rows
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn long_orders_wait_for_one_another() {
    let patience = Duration::from_mins(2);
    let settings = with!(Settings::default(), acquire_timeout: patience);
    let world = World::on(settings, |builder| builder.deadline(patience)).await;
    let company = shop(&world).await;
    let products: Vec<_> = (1..=500).map(|at| json!({"clave": 1_000 + at, "sku": format!("L-{at}")})).collect();
    company.load(Resource::Productos, &products).await;
    let ana = company.admin().await;
    let mut lines: Vec<_> = (1..=500).map(|at| line(1_000 + at, 1, "1.00")).collect();
    ana.post("/ventas", sale("pedido", &lines)).await.ok(201);
    let orders = (0..20).map(|_| {
        lines.rotate_left(77);
        ana.post("/ventas", sale("pedido", &lines))
    });
    for reply in together(orders).await {
        reply.ok(201);
    }
    let rows = ana.walk("/inventario?almacen=001&limite=500").await;
    assert!(rows.iter().all(|row| row["apartado"] == 21));
    assert_eq!(rows.len(), 500);
}
