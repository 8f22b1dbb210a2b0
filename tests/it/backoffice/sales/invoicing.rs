//! `sale.invoicing-begin`, `sale.invoicing-end`

use chrono::TimeDelta;
use serde_json::json;
use svc_core::operations::{BeginInvoicing, EndInvoicing};
use svc_tests::{World, books};

use super::super::shop::{captured, found, is_isolated, nails, queued, refuses, shop};
use super::super::{did, ids};

#[tokio::test]
async fn the_api_waits_while_the_application_invoices() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    for tipo in ["pedido", "cotizacion"] {
        let venta = ana.post("/ventas", nails(tipo)).await.ok(201)["venta"].as_i64().unwrap();
        let path = format!("/ventas/{venta}/facturar");
        let silent = (ids(&world).await, found(&ana, tipo, venta).await);
        assert_eq!(
            did(company.run_by_name("sale.invoicing-begin", &json!({"venta": venta})).await),
            json!({"venta": venta})
        );
        assert_eq!((ids(&world).await, found(&ana, tipo, venta).await), silent, "no event is emitted");
        let before = books::fingerprint(&world).await;
        let busy = ana.post(&path, json!({})).await;
        busy.fails(503, "venta_en_proceso");
        assert_eq!(busy.header("retry-after"), Some("5"));
        assert_eq!(books::fingerprint(&world).await, before);
        assert_eq!(
            did(company.run_by_name("sale.invoicing-end", &json!({"venta": venta})).await),
            json!({"venta": venta})
        );
        ana.post(&path, json!({})).await.ok(202);
        let invoiced = [(json!({"venta": venta}), "estado_invalido", "venta: ")];
        refuses(&company, "sale.invoicing-begin", &invoiced).await;
        refuses(&company, "sale.invoicing-end", &invoiced).await;
    }
    assert_eq!(queued(&company).await, [1, 2]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_unfinished_invoicing_expires_after_ten_minutes() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let venta = ana.post("/ventas", nails("pedido")).await.ok(201)["venta"].as_i64().unwrap();
    let (path, of) = (format!("/ventas/{venta}/facturar"), json!({"venta": venta}));
    did(company.run_by_name("sale.invoicing-begin", &of).await);
    world.clock.advance(TimeDelta::minutes(10) - TimeDelta::seconds(1));
    ana.post(&path, json!({})).await.fails(503, "venta_en_proceso");
    refuses(&company, "sale.invoicing-begin", &[(of.clone(), "estado_invalido", "venta: ya se está facturando")]).await;
    refuses(&company, "sale.cancel", &[(of.clone(), "estado_invalido", "venta: se está facturando")]).await;
    world.clock.advance(TimeDelta::seconds(1));
    // It may begin again, and then blocks again.
    did(company.run_by_name("sale.invoicing-begin", &of).await);
    ana.post(&path, json!({})).await.fails(503, "venta_en_proceso");
    world.clock.advance(TimeDelta::minutes(10));
    ana.post(&path, json!({})).await.ok(202);
    refuses(&company, "sale.invoicing-end", &[(of, "estado_invalido", "venta: no se está facturando")]).await;
}

#[tokio::test]
async fn an_invoiced_sale_is_not_invoiced_again() {
    let company = shop(&World::new().await).await;
    let invoice = captured(&company, &nails("factura")).await;
    let sold = captured(&company, &nails("venta")).await;
    let cancelled = captured(&company, &nails("pedido")).await;
    did(company.run_by_name("sale.cancel", &json!({"venta": cancelled})).await);
    let of = |venta: i64| json!({"venta": venta});
    let table = [
        (of(invoice), "estado_invalido", "venta: "),
        (of(cancelled), "estado_invalido", "venta: está cancelada"),
        (of(99), "no_encontrado", "venta: "),
        (json!({}), "dato_requerido", "venta: "),
        (json!({"venta": 1.5}), "dato_invalido", "venta: "),
        (json!({"venta": 1, "factura": 1}), "campo_no_permitido", "factura: "),
    ];
    refuses(&company, "sale.invoicing-begin", &table).await;
    refuses(&company, "sale.invoicing-end", &table).await;
    refuses(&company, "sale.invoicing-end", &[(of(sold), "estado_invalido", "venta: no se está facturando")]).await;
    assert_eq!(company.run(&BeginInvoicing { venta: sold }).await.unwrap().venta, sold);
    is_isolated(&company, "sale.invoicing-begin", of(sold)).await;
    is_isolated(&company, "sale.invoicing-end", of(sold)).await;
    assert_eq!(company.run(&EndInvoicing { venta: sold }).await.unwrap().venta, sold);
}

#[tokio::test]
async fn a_second_writer_waits_for_the_first() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    for _ in 0..8 {
        let venta = ana.post("/ventas", nails("pedido")).await.ok(201)["venta"].as_i64().unwrap();
        let (path, of) = (format!("/ventas/{venta}/facturar"), json!({"venta": venta}));
        let (invoiced, begun) =
            tokio::join!(ana.post(&path, json!({})), company.run_by_name("sale.invoicing-begin", &of));
        match (invoiced.status, begun) {
            (202, Err(error)) => assert_eq!(error.code().codigo(), "estado_invalido", "{error}"),
            (503, Ok(_)) => invoiced.fails(503, "venta_en_proceso"),
            other => panic!("both or none: {other:?}"),
        }
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_locked_row_is_waited_for() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let venta = ana.post("/ventas", nails("pedido")).await.ok(201)["venta"].as_i64().unwrap();
    // Another transaction holds the row, as facturar does while it works.
    let mut other = world.pool().begin().await.unwrap();
    sqlx::query("UPDATE ventas SET comentarios = 'x' WHERE clave = $1").bind(venta).execute(&mut *other).await.unwrap();
    let of = json!({"venta": venta});
    let begins = company.run_by_name("sale.invoicing-begin", &of);
    tokio::pin!(begins);
    let early = tokio::time::timeout(std::time::Duration::from_millis(300), &mut begins).await;
    assert!(early.is_err(), "it does not wait");
    other.commit().await.unwrap();
    did(begins.await);
    world.run("UPDATE ventas SET facturando = NULL").await;
}
