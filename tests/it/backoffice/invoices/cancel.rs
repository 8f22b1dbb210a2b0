//! `invoice.cancel`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::words::CancellationReason;
use svc_core::operations::CancelInvoice;
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{BASE_URL, World, books};

use super::super::costs::balance;
use super::super::shop::{
    FOOD, NAIL, captured, entries, found, invoiced, is_isolated, ledger, line, nails, only, refuses, sale, shop, stock,
};
use super::super::{did, emitted, events_since, ids, summary};
use super::{of, payment, stamped};
use crate::documents::UUIDS;

#[tokio::test]
async fn a_cancellation_undoes_everything_the_invoice_did() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (venta, factura) = stamped(&company, &ana).await;
    let written = entries(&company, venta).await;
    let before = ids(&world).await;
    world.clock.advance(TimeDelta::days(1));
    let input = of(factura, json!({"motivo": "03"}));
    assert_eq!(did(company.run_by_name("invoice.cancel", &input).await), json!({"factura": factura}));
    let invoice = only(&ana, "/facturas").await;
    for (field, value) in [
        ("estatus", json!("cancelada")),
        ("uuid", json!(UUIDS[0])),
        ("motivo_cancelacion", json!("03")),
        ("uuid_sustitucion", Value::Null),
        ("fecha_timbrado", json!("2026-10-12T18:00:00Z")),
        ("fecha_cancelacion", json!("2026-10-13T18:00:00Z")),
    ] {
        assert_eq!(invoice[field], value, "{field}");
    }
    let shown = found(&ana, "factura", venta).await;
    assert_eq!(
        pick(&shown, &["cancelada", "fecha_cancelacion", "saldo", "uuid"]),
        json!({"cancelada": true, "fecha_cancelacion": "2026-10-13T18:00:00Z", "saldo": "0.00", "uuid": UUIDS[0]})
    );
    let receivable = only(&ana, &format!("/cxc?venta={venta}")).await;
    assert_eq!([&receivable["estatus"], &receivable["saldo"]], [&json!("cancelado"), &json!("0.00")]);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(0), json!(0))));
    assert_eq!(
        ledger(&ana, venta).await,
        [
            "venta: 2 of A-1 for 80.00, then -2 in warehouse 1",
            "cancelacion_venta: 2 of A-1 for 80.00, then 0 in warehouse 1"
        ]
    );
    let movements = ana.walk(&format!("/movimientos-inventario?venta={venta}")).await;
    assert_eq!([&movements[0]["referencia"], &movements[1]["referencia"]], [&json!("F1"), &json!("F1")]);
    assert_eq!(written, ["factura F1: 105.01 +232.00 401.01 -200.00 209.01 -32.00 501.01 +80.00 115.01 -80.00"]);
    assert_eq!(
        entries(&company, venta).await[1],
        "Cancelación: factura F1: 105.01 -232.00 401.01 +200.00 209.01 +32.00 501.01 -80.00 115.01 +80.00"
    );
    let days = "SELECT string_agg(fecha::text, ' ' ORDER BY clave) FROM polizas";
    assert_eq!(world.sql::<String>(days).await, "2026-10-12 2026-10-13");
    assert_eq!(
        events_since(&world, &before).await.iter().map(summary).collect::<Vec<_>>(),
        [
            ("factura.cancelada".to_owned(), json!({"factura": factura, "venta": venta, "uuid": UUIDS[0]})),
            ("inventario.existencia_cambiada".to_owned(), json!({"existencia": 1, "producto": 1, "almacen": "001"})),
        ]
    );
    assert_eq!(
        events_since(&world, &before).await[0]["recurso"]["url"],
        format!("{BASE_URL}/facturas?clave={factura}")
    );
    let repeated = ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(200);
    assert_eq!(
        pick(&repeated, &["estatus", "factura", "uuid", "ya_solicitada"]),
        json!({"estatus": "cancelada", "factura": factura, "uuid": UUIDS[0], "ya_solicitada": true})
    );
    books::check(&world, &company).await;
}

#[tokio::test]
async fn stock_returns_to_where_it_left() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let mut lines = sale("pedido", &[line(NAIL, 2, "100.00"), line(FOOD, 3, "1.00"), line(NAIL, 5, "90.00")]);
    lines["almacen"] = json!("002");
    let (venta, factura) = invoiced(&ana, &lines).await;
    did(company.run_by_name("invoice.stamped", &of(factura, json!({"uuid": UUIDS[1]}))).await);
    assert_eq!(stock(&ana, "A-1", "002").await, Some((json!(-7), json!(0))));
    world.run("UPDATE almacenes SET estatus = 'inactivo' WHERE codigo = '002'").await;
    world.run("UPDATE productos SET costo = costo + 1").await;
    did(company.run_by_name("invoice.cancel", &of(factura, json!({"motivo": "03"}))).await);
    assert_eq!(
        ledger(&ana, venta).await,
        [
            "venta: 2 of A-1 for 80.00, then -2 in warehouse 2",
            "venta: 3 of C-2 for 4.50, then -3 in warehouse 2",
            "venta: 5 of A-1 for 200.00, then -7 in warehouse 2",
            "cancelacion_venta: 2 of A-1 for 80.00, then -5 in warehouse 2",
            "cancelacion_venta: 3 of C-2 for 4.50, then 0 in warehouse 2",
            "cancelacion_venta: 5 of A-1 for 200.00, then 0 in warehouse 2",
        ]
    );
    assert_eq!(stock(&ana, "A-1", "002").await, Some((json!(0), json!(0))));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_paid_invoice_is_cancelled_only_after_its_payment() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, factura) = stamped(&company, &ana).await;
    let pago = did(company.run_by_name("payment.apply", &payment(&json!(1), "0.01")).await)["pago"].clone();
    let has_payments = "factura: la cuenta por cobrar de su venta tiene pagos aplicados";
    refuses(
        &company,
        "invoice.cancel",
        &[
            (of(factura, json!({"motivo": "02"})), "estado_invalido", has_payments),
            (of(factura, json!({"motivo": "02", "requiere_aceptacion": true})), "estado_invalido", has_payments),
        ],
    )
    .await;
    did(company.run_by_name("payment.cancel", &json!({"pago": pago})).await);
    did(company.run_by_name("invoice.cancel", &of(factura, json!({"motivo": "02"}))).await);
    books::check(&world, &company).await;
    let late = company.run_by_name("payment.apply", &payment(&json!(1), "1.00")).await.unwrap_err();
    assert_eq!(late.code().codigo(), "cxc_cancelada");
}

#[tokio::test]
async fn reasons_have_their_rules() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, factura) = stamped(&company, &ana).await;
    let (_, waiting) = invoiced(&ana, &nails("pedido")).await;
    let (_, refused) = invoiced(&ana, &nails("pedido")).await;
    did(company.run_by_name("invoice.rejected", &of(refused, json!({"codigo": "X", "mensaje": "No"}))).await);
    let mut table = vec![
        (of(factura, json!({"motivo": "01"})), "dato_requerido", "uuid_sustitucion: "),
        (of(factura, json!({"motivo": "01", "uuid_sustitucion": null})), "dato_requerido", "uuid_sustitucion: "),
        (of(factura, json!({"motivo": "01", "uuid_sustitucion": "x"})), "dato_invalido", "uuid_sustitucion: "),
        (
            of(factura, json!({"motivo": "01", "uuid_sustitucion": UUIDS[0]})),
            "dato_invalido",
            "uuid_sustitucion: es el de",
        ),
        (
            of(factura, json!({"motivo": "01", "uuid_sustitucion": UUIDS[1]})),
            "dato_invalido",
            "uuid_sustitucion: no es de una factura vigente",
        ),
        (of(factura, json!({"motivo": "05"})), "dato_invalido", "motivo: "),
        (of(factura, json!({"motivo": 2})), "dato_invalido", "motivo: "),
        (of(factura, json!({})), "dato_requerido", "motivo: "),
        (of(factura, json!({"motivo": "02", "requiere_aceptacion": "no"})), "dato_invalido", "requiere_aceptacion: "),
        (of(waiting, json!({"motivo": "02"})), "estado_invalido", "factura: no está vigente"),
        (of(refused, json!({"motivo": "02"})), "estado_invalido", "factura: no está vigente"),
        (of(99, json!({"motivo": "02"})), "no_encontrado", "factura: "),
    ];
    for motivo in ["02", "03", "04"] {
        table.push((
            of(factura, json!({"motivo": motivo, "uuid_sustitucion": UUIDS[1]})),
            "dato_invalido",
            "uuid_sustitucion: ",
        ));
    }
    refuses(&company, "invoice.cancel", &table).await;
    is_isolated(&company, "invoice.cancel", of(factura, json!({"motivo": "02"}))).await;
    for motivo in ["02", "03", "04"] {
        let venta = captured(&company, &nails("factura")).await;
        let own = found(&ana, "factura", venta).await["factura"].as_i64().unwrap();
        did(company.run_by_name("invoice.stamped", &of(own, json!({"uuid": UUIDS[2]}))).await);
        did(company.run_by_name("invoice.cancel", &of(own, json!({"motivo": motivo}))).await);
        let shown = only(&ana, &format!("/facturas?clave={own}")).await;
        assert_eq!([&shown["motivo_cancelacion"], &shown["uuid_sustitucion"]], [&json!(motivo), &Value::Null]);
        refuses(
            &company,
            "invoice.cancel",
            &[(of(own, json!({"motivo": motivo})), "estado_invalido", "factura: no está")],
        )
        .await;
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_sale_with_another_invoice_stands() {
    use svc_tests::Resource;
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    company.load(Resource::Ventas, &[json!({"tipo": "factura", "cliente": 1, "total": 10})]).await;
    let invoices =
        [json!({"venta": 1, "uuid": UUIDS[0]}), json!({"venta": 1, "uuid": UUIDS[1]}), json!({"uuid": UUIDS[2]})];
    company.load(Resource::Facturas, &invoices).await;
    did(company.run_by_name("invoice.cancel", &of(2, json!({"motivo": "02"}))).await);
    assert_eq!(found(&ana, "factura", 1).await["cancelada"], false);
    did(company.run_by_name("invoice.cancel", &of(1, json!({"motivo": "02"}))).await);
    assert_eq!(found(&ana, "factura", 1).await["cancelada"], true);
    // An invoice without a sale emits no event.
    did(company.run_by_name("invoice.cancel", &of(3, json!({"motivo": "02"}))).await);
    let expected = [(2, UUIDS[1]), (1, UUIDS[0])]
        .map(|(factura, uuid)| ("factura.cancelada".to_owned(), json!({"factura": factura, "venta": 1, "uuid": uuid})));
    assert_eq!(emitted(&world).await, expected);
}

#[tokio::test]
async fn what_was_paid_of_an_imported_invoice_is_the_customers_once_it_is_cancelled() {
    use svc_tests::Resource;
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let sold = json!({"tipo": "factura", "cliente": 1, "subtotal": "100.00", "impuestos": "16.00", "total": "116.00",
                      "saldo": "16.00"});
    company.load(Resource::Ventas, &[sold]).await;
    company.load(Resource::Facturas, &[json!({"venta": 1, "uuid": UUIDS[0]})]).await;
    company
        .load(
            Resource::Cxc,
            &[json!({"venta": 1, "factura": 1, "total": "116.00", "saldo": "16.00",
                                           "metodo_pago_sat": "PUE"})],
        )
        .await;
    let paid = json!({"cxc": 1, "importe": "16.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                      "referencia": "A"});
    did(company.run_by_name("payment.apply", &paid).await);
    let cancel = of(1, json!({"motivo": "02"}));
    refuses(&company, "invoice.cancel", &[(cancel.clone(), "estado_invalido", "factura: la cuenta")]).await;
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    did(company.run_by_name("invoice.cancel", &cancel).await);
    assert_eq!(found(&ana, "factura", 1).await["cancelada"], true);
    assert_eq!([balance(&company, "105.01").await, balance(&company, "206.01").await], ["0.00", "-100.00"]);
    books::check_ledger(&company).await;
    let back =
        json!({"cliente": 1, "importe": "100.00", "cuenta_bancaria": 1, "fecha": "2026-10-12", "referencia": "B"});
    did(company.run_by_name("favour.refund", &back).await);
    assert_eq!(balance(&company, "206.01").await, "0.00");
    books::check_ledger(&company).await;
}

#[tokio::test]
async fn concurrent_payment_and_cancellation_have_one_winner() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    for _ in 0..6 {
        let (venta, factura) = stamped(&company, &ana).await;
        let cxc = only(&ana, &format!("/cxc?venta={venta}")).await["clave"].clone();
        let (pays, cancels) = (payment(&cxc, &format!("{venta}.00")), of(factura, json!({"motivo": "02"})));
        let (paid, cancelled) =
            tokio::join!(company.run_by_name("payment.apply", &pays), company.run_by_name("invoice.cancel", &cancels));
        match (paid, cancelled) {
            (Ok(_), Err(late)) => assert_eq!(late.code().codigo(), "estado_invalido", "{late}"),
            // Before the authority's final answer, or after it.
            (Err(late), Ok(_)) => {
                assert!(["cancelacion_en_curso", "cxc_cancelada"].contains(&late.code().codigo()), "{late}");
            }
            other => panic!("not one: {other:?}"),
        }
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_embedder_cancels_with_typed_inputs() {
    let company = shop(&World::new().await).await;
    let ana = company.admin().await;
    let (_, factura) = stamped(&company, &ana).await;
    let cancel =
        CancelInvoice { factura, motivo: CancellationReason::Wrong, uuid_sustitucion: None, requiere_aceptacion: None };
    assert_eq!(company.run(&cancel).await.unwrap().factura, factura);
    let asked = only(&ana, "/facturas").await;
    assert_eq!([&asked["estatus"], &asked["motivo_cancelacion"]], [&json!("vigente"), &json!("02")]);
    assert_eq!(company.world.stamp(&SandboxStamper).await.cancelados, 1);
    assert_eq!(only(&ana, "/facturas").await["estatus"], "cancelada");
}
