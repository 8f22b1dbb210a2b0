//! Concurrent invoices.

use chrono::TimeDelta;
use http::Method;
use serde_json::json;
use svc_store_postgres::Settings;
use svc_tests::{Resource, World, with};

use crate::ventas::shop::{BORDER, NAIL, invoiced, line, made, ready, shop, stock, together, with};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_concurrent_requests_get_the_same_invoice() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    for round in 1..=50 {
        let venta = made(&ana, &ready()).await;
        // With one Idempotency-Key for all, or one each.
        let key = |at: i64| if round % 2 == 0 { format!("ronda-{round}") } else { format!("ronda-{round}-{at}") };
        let path = format!("/ventas/{venta}/facturar");
        let invoice = async |at: i64| ana.write(Method::POST, &path, &key(at), json!({})).await;
        let replies = together((0..20).map(invoice)).await;
        let mut expected = json!({"ok": true, "factura": round, "venta": venta, "estatus": "timbrando", "serie": "F",
                                  "folio": round.to_string(), "uuid": null});
        for reply in &replies {
            expected["ya_solicitada"] = json!(reply.status == 200);
            assert!([200, 202].contains(&reply.status), "{}", reply.json());
            assert_eq!(reply.json(), expected, "round {round}");
        }
        assert_eq!(replies.iter().filter(|reply| reply.status == 202).count(), 1, "round {round}");
        world.clock.advance(TimeDelta::minutes(1));
    }
    for table in ["facturas", "cxc", "polizas", "timbrados", "movimientos_inventario"] {
        assert_eq!(world.count(table).await, 50, "{table}");
    }
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-100), json!(0))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_sales_of_the_same_goods_are_all_invoiced() {
    let world = World::new().await;
    let company = shop(&world).await;
    let held = [json!({"producto": NAIL, "almacen": "001", "existencia": 1_000})];
    company.load(Resource::Inventario, &held).await;
    let ana = company.admin().await;
    for round in 0..3 {
        let mut sales = Vec::new();
        for at in 0..20 {
            let mut lines = vec![line(NAIL, 1, "1.00"), line(BORDER, 2, "1.00"), line(3 + at % 2, 3, "1.00")];
            if at % 3 == 0 {
                lines.reverse();
            }
            sales.push(made(&ana, &with(&ready(), "renglones", json!(lines))).await);
        }
        let replies = together(sales.iter().map(|venta| invoiced(&ana, *venta, json!({})))).await;
        let mut folios: Vec<i64> = replies
            .iter()
            .map(|reply| reply.ok(202)["folio"].as_str().expect("a folio").parse().expect("a number"))
            .collect();
        folios.sort_unstable();
        assert_eq!(folios, (round * 20 + 1..=round * 20 + 20).collect::<Vec<_>>());
        world.clock.advance(TimeDelta::minutes(1));
    }
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(940), json!(0))));
    assert_eq!(stock(&ana, "B-2", "001").await, Some((json!(-120), json!(0))));
    // Every line of the ledger continues from the one before it.
    let broken = "SELECT count(*) FROM (SELECT existencia_anterior, lag(existencia_actual) OVER (PARTITION BY producto ORDER BY clave) AS before \
                  FROM movimientos_inventario) AS m WHERE existencia_anterior <> before";
    assert_eq!(world.sql::<i64>(broken).await, 0);
    assert_eq!(world.count("movimientos_inventario").await, 180);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn orders_and_invoices_of_the_same_goods_do_not_collide() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let body =
        |at: i64| with(&ready(), "renglones", json!([line(1 + at % 5, 1, "1.00"), line(1 + (at + 2) % 5, 1, "1.00")]));
    for _ in 0..5 {
        let mut sales = Vec::new();
        for at in 0..10 {
            sales.push(made(&ana, &body(at)).await);
        }
        let invoices = sales.iter().map(|venta| (*venta, true)).chain((0..10).map(|at| (at, false)));
        let replies = together(invoices.map(|(number, invoice)| {
            let ana = &ana;
            async move {
                if invoice { invoiced(ana, number, json!({})).await } else { ana.post("/ventas", body(number)).await }
            }
        }))
        .await;
        for reply in replies {
            assert!([201, 202].contains(&reply.status), "{}", reply.json());
        }
        world.clock.advance(TimeDelta::minutes(1));
    }
    let sums = "SELECT to_jsonb(s)::text
                FROM (SELECT round(sum(existencia)) AS existencia, round(sum(apartado)) AS apartado FROM inventario) s";
    assert_eq!(world.json(sums).await, json!({"existencia": -100, "apartado": 100}));
}

#[tokio::test]
async fn a_locked_sale_is_in_process() {
    let settings = with!(Settings::default(), lock_timeout: std::time::Duration::from_millis(200));
    let world = World::on(settings, |builder| builder).await;
    let ana = shop(&world).await.admin().await;
    let venta = made(&ana, &ready()).await;
    let mut keeper = world.pool().begin().await.expect("a transaction");
    sqlx::query("SELECT FROM ventas FOR UPDATE").execute(&mut *keeper).await.expect("a lock");
    let reply = invoiced(&ana, venta, json!({})).await;
    reply.fails(503, "venta_en_proceso");
    assert_eq!(reply.header("retry-after"), Some("5"));
    keeper.rollback().await.expect("a rollback");
    invoiced(&ana, venta, json!({})).await.ok(202);
}
