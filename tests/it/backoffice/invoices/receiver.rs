//! Cancellations that the receiver must accept: `invoice.cancel`, `invoice.cancel-accepted`,
//! `invoice.cancel-rejected`.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::operations::{AcceptCancellation, RejectCancellation};
use svc_tests::{World, books};

use super::super::shop::{found, invoiced, is_isolated, ledger, nails, only, refuses, shop};
use super::super::{did, events_since, ids, summary};
use super::{of, payment, stamped};
use crate::documents::UUIDS;

#[tokio::test]
async fn nothing_is_undone_before_the_receiver_accepts() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (venta, factura) = stamped(&company, &ana).await;
    let before = ids(&world).await;
    let asked = of(factura, json!({"motivo": "04", "requiere_aceptacion": true}));
    assert_eq!(did(company.run_by_name("invoice.cancel", &asked).await), json!({"factura": factura}));
    let invoice = only(&ana, "/facturas").await;
    assert_eq!([&invoice["estatus"], &invoice["fecha_cancelacion"]], [&json!("vigente"), &Value::Null]);
    assert_eq!(found(&ana, "factura", venta).await["cancelada"], false);
    assert_eq!((ids(&world).await, ledger(&ana, venta).await.len()), (before, 1));
    let repeated = ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(200);
    assert_eq!(repeated["estatus"], "vigente");
    books::check(&world, &company).await;
    refuses(&company, "invoice.cancel", &[(asked, "estado_invalido", "factura: su cancelación ya se solicitó")]).await;
    let at_once = of(factura, json!({"motivo": "02"}));
    refuses(&company, "invoice.cancel", &[(at_once, "estado_invalido", "factura: su cancelación ya se solicitó")])
        .await;
    is_isolated(&company, "invoice.cancel-accepted", of(factura, json!({}))).await;
    is_isolated(&company, "invoice.cancel-rejected", of(factura, json!({}))).await;

    // Nobody pays it meanwhile.
    let paid = payment(&json!(1), "5.00");
    refuses(&company, "payment.apply", &[(paid, "cancelacion_en_curso", "la cancelación de la factura")]).await;
    let before = ids(&world).await;
    world.clock.advance(TimeDelta::days(3));
    assert_eq!(
        did(company.run_by_name("invoice.cancel-accepted", &of(factura, json!({}))).await),
        json!({"factura": factura})
    );
    let invoice = only(&ana, "/facturas").await;
    for (field, value) in [
        ("estatus", json!("cancelada")),
        ("motivo_cancelacion", json!("04")),
        ("uuid_sustitucion", Value::Null),
        ("fecha_cancelacion", json!("2026-10-15T18:00:00Z")),
    ] {
        assert_eq!(invoice[field], value, "{field}");
    }
    assert_eq!(found(&ana, "factura", venta).await["cancelada"], true);
    let news: Vec<_> = events_since(&world, &before).await.iter().map(summary).collect();
    assert_eq!(news.len(), 2);
    assert_eq!(
        news[0],
        ("factura.cancelada".to_owned(), json!({"factura": factura, "venta": venta, "uuid": UUIDS[0]}))
    );
    books::check(&world, &company).await;
    for action in ["invoice.cancel-accepted", "invoice.cancel-rejected"] {
        let again = of(factura, json!({}));
        refuses(&company, action, &[(again, "estado_invalido", "factura: no se solicitó su cancelación")]).await;
    }
}

#[tokio::test]
async fn a_cancellation_that_the_receiver_refuses_changes_nothing() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (venta, factura) = stamped(&company, &ana).await;
    let (before, sold) = (only(&ana, "/facturas").await, found(&ana, "factura", venta).await);
    let silent = ids(&world).await;
    let asked = of(factura, json!({"motivo": "04", "requiere_aceptacion": true}));
    for _ in 0..2 {
        did(company.run_by_name("invoice.cancel", &asked).await);
        assert_eq!(
            did(company.run_by_name("invoice.cancel-rejected", &of(factura, json!({}))).await),
            json!({"factura": factura})
        );
        assert_eq!(
            (only(&ana, "/facturas").await, found(&ana, "factura", venta).await),
            (before.clone(), sold.clone())
        );
    }
    assert_eq!(ids(&world).await, silent, "no event is emitted");
    books::check(&world, &company).await;
    did(company.run_by_name("invoice.cancel", &of(factura, json!({"motivo": "03"}))).await);
    assert_eq!(only(&ana, "/facturas").await["motivo_cancelacion"], "03");
}

#[tokio::test]
async fn an_answer_needs_a_pending_cancellation() {
    let company = shop(&World::new().await).await;
    let ana = company.admin().await;
    let (_, factura) = stamped(&company, &ana).await;
    let (_, waiting) = invoiced(&ana, &nails("pedido")).await;
    for action in ["invoice.cancel-accepted", "invoice.cancel-rejected"] {
        refuses(
            &company,
            action,
            &[
                (of(factura, json!({})), "estado_invalido", "factura: no se solicitó su cancelación"),
                (of(waiting, json!({})), "estado_invalido", "factura: no se solicitó su cancelación"),
                (of(99, json!({})), "no_encontrado", "factura: "),
                (json!({}), "dato_requerido", "factura: "),
                (of(factura, json!({"motivo": "02"})), "campo_no_permitido", "motivo: "),
            ],
        )
        .await;
    }
    let asked = of(factura, json!({"motivo": "02", "requiere_aceptacion": true}));
    did(company.run_by_name("invoice.cancel", &asked).await);
    assert_eq!(company.run(&RejectCancellation { factura }).await.unwrap().factura, factura);
    did(company.run_by_name("invoice.cancel", &asked).await);
    assert_eq!(company.run(&AcceptCancellation { factura }).await.unwrap().factura, factura);
}
