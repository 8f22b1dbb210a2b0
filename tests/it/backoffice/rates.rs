//! Payments and invoices at the exchange rate of their day.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::{Actor, World, books};

use super::ledger::{balance, dollars};
use super::shop::{NAIL, captured, entries, line, nails, only, sale, shop, with};
use super::{did, refuses};

/// The stamped document of a registry record.
async fn xml(ana: &Actor, factura: &Value) -> String {
    let reply = ana.get(&format!("/facturas/{factura}/xml")).await;
    assert_eq!(reply.status, 200, "{factura}");
    String::from_utf8(reply.body.to_vec()).expect("UTF-8")
}

#[tokio::test]
async fn a_payment_in_another_currency_has_the_rate_of_its_day() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let body = with(
        &nails("factura"),
        json!({"moneda": "USD", "tipo_cambio": "20", "metodo_pago_sat": "PPD", "forma_pago_sat": "99"}),
    );
    let venta = captured(&company, &body).await;
    let uuid = crate::documents::UUIDS[1];
    did(company.run_by_name("invoice.stamped", &json!({"factura": 1, "uuid": uuid})).await);
    let debt = only(&ana, &format!("/cxc?venta={venta}")).await;
    let cxc = &debt["clave"];
    did(company.run_by_name("payment.apply", &dollars(cxc, "116", Some("21"))).await);
    did(company.run_by_name("payment.apply", &dollars(cxc, "58", None)).await);
    did(company.run_by_name("payment.apply", &dollars(cxc, "58.00", Some("19.5"))).await);
    let lines = entries(&company, venta).await;
    assert_eq!(
        lines[1..],
        [
            "Pago 1 de la cuenta por cobrar 1: 102.01.0002 +2436.00 105.01 -2320.00 209.01 +320.00 208.01 -336.00 702.01 -100.00",
            "Pago 2 de la cuenta por cobrar 1: 102.01.0002 +1160.00 105.01 -1160.00 209.01 +160.00 208.01 -160.00",
            "Pago 3 de la cuenta por cobrar 1: 102.01.0002 +1131.00 105.01 -1160.00 209.01 +160.00 208.01 -156.00 701.01 +25.00",
        ]
    );
    let payments = ana.walk("/cxc-pagos").await;
    let rates: Vec<&Value> = payments.iter().map(|row| &row["tipo_cambio"]).collect();
    assert_eq!(rates, ["21.000000", "20.000000", "19.500000"]);
    assert_eq!(only(&ana, &format!("/cxc?venta={venta}&estatus=pagado")).await["tipo_cambio"], "20.000000");
    books::check(&world, &company).await;

    // The complement states the payment's rate; cancelling the payment undoes all of it.
    world.stamp(&SandboxStamper).await;
    let first = xml(&ana, &payments[0]["factura"]).await;
    for attribute in [
        "MonedaP=\"USD\"",
        "TipoCambioP=\"21.000000\"",
        "MonedaDR=\"USD\"",
        "EquivalenciaDR=\"1\"",
        "MontoTotalPagos=\"2436.00\"",
        "TotalTrasladosImpuestoIVA16=\"336.00\"",
    ] {
        assert!(first.contains(attribute), "{attribute}: {first}");
    }
    did(company.run_by_name("payment.cancel", &json!({"pago": 3})).await);
    assert!(
        !balance(&company, json!({})).await.iter().any(|row| row.starts_with("701.01") && !row.ends_with("= 0.00"))
    );
    books::check(&world, &company).await;
    let pesos = captured(&company, &nails("venta")).await;
    let pesos = only(&ana, &format!("/cxc?venta={pesos}")).await["clave"].clone();
    let pay = |rate: &str| json!({"cxc": pesos, "importe": "1", "forma_pago_sat": "01", "fecha": "2026-10-12", "tipo_cambio": rate});
    refuses(
        &company,
        "payment.apply",
        &[
            (pay("17.5"), "dato_invalido", "tipo_cambio: en MXN es 1"),
            (pay("0"), "dato_invalido", "tipo_cambio: "),
            (pay("-1"), "dato_invalido", "tipo_cambio: "),
            (pay("17.1234567"), "dato_invalido", "tipo_cambio: "),
        ],
    )
    .await;
    did(company.run_by_name("payment.apply", &pay("1.000000")).await);
}

#[tokio::test]
async fn a_deposit_at_several_rates_has_one_complement_payment_per_rate() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let body = |rate: &str| {
        with(
            &nails("factura"),
            json!({"moneda": "USD", "tipo_cambio": rate, "metodo_pago_sat": "PPD", "forma_pago_sat": "99"}),
        )
    };
    for (factura, rate) in [(1, "20"), (2, "18.5")] {
        captured(&company, &body(rate)).await;
        did(company
            .run_by_name("invoice.stamped", &json!({"factura": factura, "uuid": crate::documents::UUIDS[factura - 1]}))
            .await);
    }
    let parts = json!({"aplicaciones": [{"cxc": 1, "importe": "232"}, {"cxc": 2, "importe": "100.01"}], "cuenta_bancaria": 2,
                       "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "WIRE"});
    did(company.run_by_name("payment.apply", &parts).await);
    world.stamp(&SandboxStamper).await;
    let complement = ana.walk("/cxc-pagos").await[0]["factura"].clone();
    let xml = xml(&ana, &complement).await;
    // 232 × 20 + 100.01 × 18.5 = 4640 + 1850.185
    for part in ["TipoCambioP=\"20.000000\"", "TipoCambioP=\"18.500000\"", "Monto=\"232.00\"", "Monto=\"100.01\""] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    assert_eq!(xml.matches("<pago20:Pago ").count(), 2);
    let again = with(
        &parts,
        json!({"aplicaciones": [{"cxc": 2, "importe": "31.99"}], "referencia": "WIRE 2", "tipo_cambio": "19"}),
    );
    did(company.run_by_name("payment.apply", &again).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_order_is_invoiced_at_the_rate_of_its_day() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let order = with(&nails("pedido"), json!({"moneda": "USD", "tipo_cambio": "17.5"}));
    let first = captured(&company, &order).await;
    let invoice = |venta: i64, rate: Value| json!({"venta": venta, "tipo_cambio": rate});
    did(company.run_by_name("order.invoice", &invoice(first, json!("18.25"))).await);
    assert_eq!(
        entries(&company, first).await,
        ["factura F1: 105.01 +4234.00 401.01 -3650.00 209.01 -584.00 501.01 +80.00 115.01 -80.00"]
    );
    let debt = only(&ana, &format!("/cxc?venta={first}")).await;
    let sold = only(&ana, &format!("/ventas?tipo=factura&clave={first}")).await;
    assert_eq!([&debt["tipo_cambio"], &sold["tipo_cambio"]], ["18.250000", "18.250000"]);
    world.stamp(&SandboxStamper).await;
    let xml = xml(&ana, &json!(1)).await;
    assert!(xml.contains("TipoCambio=\"18.25"), "{xml}");

    // Delivered goods are owed at the order's rate until the invoice sets another.
    let second = captured(&company, &order).await;
    did(company
        .run_by_name("order.fulfil", &json!({"venta": second, "renglones": [{"renglon": 1, "cantidad": 2}]}))
        .await);
    did(company.run_by_name("order.invoice", &invoice(second, json!("18"))).await);
    assert_eq!(
        entries(&company, second).await,
        [
            "pedido 2: 105.01 +4060.00 401.01 -3500.00 209.01 -560.00 501.01 +80.00 115.01 -80.00",
            "Cancelación: pedido 2: 105.01 -4060.00 401.01 +3500.00 209.01 +560.00 501.01 -80.00 115.01 +80.00",
            "pedido 2: 105.01 +4176.00 401.01 -3600.00 209.01 -576.00 501.01 +80.00 115.01 -80.00",
        ]
    );
    assert_eq!(only(&ana, &format!("/cxc?venta={second}")).await["tipo_cambio"], "18.000000");
    did(company.run_by_name("invoice.stamped", &json!({"factura": 2, "uuid": crate::documents::UUIDS[1]})).await);
    did(company.run_by_name("invoice.cancel", &json!({"factura": 2, "motivo": "02"})).await);
    books::check(&world, &company).await;

    let third = captured(&company, &order).await;
    did(company
        .run_by_name("order.fulfil", &json!({"venta": third, "renglones": [{"renglon": 1, "cantidad": 2}]}))
        .await);
    let cxc = only(&ana, &format!("/cxc?venta={third}")).await["clave"].clone();
    did(company.run_by_name("payment.apply", &dollars(&cxc, "1", None)).await);
    let pesos = captured(&company, &nails("pedido")).await;
    let huge = captured(
        &company,
        &with(&sale("pedido", &[line(NAIL, 1, "99999999999")]), json!({"moneda": "USD", "tipo_cambio": "1"})),
    )
    .await;
    refuses(
        &company,
        "order.invoice",
        &[
            (invoice(third, json!("18")), "estado_invalido", "venta: tiene pagos"),
            (invoice(pesos, json!("18")), "dato_invalido", "tipo_cambio: en MXN es 1"),
            (invoice(huge, json!("999999999999")), "dato_invalido", "tipo_cambio: "),
            (invoice(third, json!("0")), "dato_invalido", "tipo_cambio: "),
        ],
    )
    .await;
    did(company.run_by_name("order.invoice", &invoice(third, json!("17.50"))).await);
    did(company.run_by_name("order.invoice", &invoice(pesos, json!(1))).await);
}
