//! From quote to order to invoice; partial delivery; counting and moving stock; paying payables.

use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{World, books};

use super::did;
use super::shop::{
    FOOD, NAIL, SERVICE, captured, entries, found, is_isolated, ledger, line, nails, only, queued, refuses, sale, shop,
    stock,
};
use crate::ventas::shop::made;

fn hands(venta: i64, lines: &[(i64, f64)]) -> Value {
    let lines: Vec<Value> =
        lines.iter().map(|(renglon, cantidad)| json!({"renglon": renglon, "cantidad": cantidad})).collect();
    json!({"venta": venta, "renglones": lines})
}

#[tokio::test]
async fn a_quote_becomes_an_order_that_reserves() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    captured(&company, &nails("pedido")).await;
    let quote = captured(&company, &nails("cotizacion")).await;
    assert_eq!(did(company.run_by_name("quote.order", &json!({"venta": quote})).await), json!({"venta": quote}));
    let order = found(&ana, "pedido", quote).await;
    assert_eq!(
        pick(&order, &["folio", "serie", "surtido_estatus", "monto_surtido", "saldo"]),
        json!({"folio": 2, "serie": null, "surtido_estatus": "pendiente", "monto_surtido": "0.00", "saldo": "232.00"})
    );
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(0), json!(4))));
    // The address of its notice still finds it.
    assert_eq!(only(&ana, &format!("/ventas?clave={quote}&tipo=cotizacion")).await["tipo"], "pedido");
    let input = |venta: i64| json!({"venta": venta});
    let sold = captured(&company, &nails("venta")).await;
    let begun = captured(&company, &nails("cotizacion")).await;
    did(company.run_by_name("sale.invoicing-begin", &input(begun)).await);
    let gone = captured(&company, &nails("cotizacion")).await;
    did(company.run_by_name("sale.cancel", &input(gone)).await);
    refuses(
        &company,
        "quote.order",
        &[
            (input(quote), "estado_invalido", "venta: "),
            (input(sold), "estado_invalido", "venta: "),
            (input(begun), "estado_invalido", "venta: "),
            (input(gone), "estado_invalido", "venta: "),
            (input(99), "no_encontrado", "venta: "),
        ],
    )
    .await;
    is_isolated(&company, "quote.order", input(quote)).await;
    did(company.run_by_name("order.fulfil", &hands(quote, &[(1, 2.0)])).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_fulfilled_order_is_owed_and_then_invoiced() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let mut body = nails("pedido");
    body["condicion_pago"] = json!("credito");
    let order = captured(&company, &body).await;
    did(company.run_by_name("order.fulfil", &hands(order, &[(1, 1.0)])).await);
    assert_eq!(ana.walk(&format!("/cxc?venta={order}")).await.len(), 0, "half of it is not owed yet");
    did(company.run_by_name("order.fulfil", &hands(order, &[(1, 1.0)])).await);
    let debt = only(&ana, &format!("/cxc?venta={order}")).await;
    assert_eq!(
        pick(&debt, &["saldo", "tipo_venta", "vencimiento", "factura"]),
        json!({"saldo": "232.00", "tipo_venta": "pedido", "vencimiento": "2026-10-27", "factura": null})
    );
    assert_eq!(
        entries(&company, order).await,
        [
            "Surtido del pedido 1: 115.06 +40.00 115.01 -40.00",
            "pedido 1: 105.01 +232.00 401.01 -200.00 209.01 -32.00 501.01 +80.00 115.06 -40.00 115.01 -40.00",
        ]
    );
    let part = json!({"cxc": debt["clave"], "importe": "32.00", "forma_pago_sat": "01", "fecha": "2026-10-12"});
    did(company.run_by_name("payment.apply", &part).await);

    let invoiced = did(company.run_by_name("order.invoice", &json!({"venta": order})).await);
    assert_eq!(invoiced, json!({"factura": 1, "venta": order}));
    let sold = found(&ana, "factura", order).await;
    assert_eq!(
        pick(&sold, &["saldo", "surtido_estatus", "factura"]),
        json!({"saldo": "200.00", "surtido_estatus": null, "factura": 1})
    );
    let debt = only(&ana, &format!("/cxc?venta={order}")).await;
    assert_eq!(
        pick(&debt, &["saldo", "tipo_venta", "factura", "folio"]),
        json!({"saldo": "200.00", "tipo_venta": "factura", "factura": 1, "folio": "F1"})
    );
    assert_eq!(entries(&company, order).await.len(), 3, "it was owed before");
    assert_eq!(ledger(&ana, order).await.len(), 2, "the goods had left");
    assert_eq!(queued(&company).await, [1]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_delivered_part_is_invoiced_and_the_rest_stays_open() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let mut first = line(NAIL, 10, "100.00");
    first["descuento"] = json!("100.00");
    let order = captured(&company, &sale("pedido", &[first, line(FOOD, 2, "5.00"), line(SERVICE, 1, "50.00")])).await;
    did(company.run_by_name("order.fulfil", &hands(order, &[(1, 4.0), (2, 2.0)])).await);
    let invoiced = did(company.run_by_name("order.invoice", &json!({"venta": order})).await);
    assert_eq!(invoiced, json!({"factura": 1, "venta": 2}));

    let sold = found(&ana, "factura", 2).await;
    // 4 × 100 − 40 = 360.00 + 57.60, and 10.00 without IVA.
    assert_eq!(
        pick(&sold, &["subtotal", "descuento", "impuestos", "total", "saldo"]),
        json!({"subtotal": "410.00", "descuento": "40.00", "impuestos": "57.60", "total": "427.60", "saldo": "427.60"})
    );
    let lines = ana.walk("/ventas-renglones?venta=2").await;
    let shown: Vec<_> = lines.iter().map(|row| pick(row, &["renglon", "cantidad"])).collect();
    assert_eq!(shown, [json!({"renglon": 2, "cantidad": 2}), json!({"renglon": 1, "cantidad": 4})]);
    assert_eq!(
        entries(&company, 2).await,
        [
            "Surtido del pedido 1: 115.06 +163.00 115.01 -163.00",
            "factura F1: 105.01 +427.60 402.01 +40.00 401.01 -400.00 401.04 -10.00 209.01 -57.60 501.01 +163.00 115.06 -163.00",
        ]
    );

    let rest = found(&ana, "pedido", order).await;
    // 6 × 100 − 60 = 540.00 + 86.40, and the service: 50.00 + 8.00.
    assert_eq!(
        pick(&rest, &["subtotal", "descuento", "total", "surtido_estatus", "monto_surtido"]),
        json!({"subtotal": "650.00", "descuento": "60.00", "total": "684.40", "surtido_estatus": "pendiente", "monto_surtido": "0.00"})
    );
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-4), json!(6))));
    books::check(&world, &company).await;

    refuses(&company, "order.fulfil", &[(hands(order, &[(1, 6.5)]), "dato_invalido", "")]).await;
    did(company.run_by_name("order.fulfil", &hands(order, &[(1, 6.0), (3, 1.0)])).await);
    assert_eq!(
        did(company.run_by_name("order.invoice", &json!({"venta": order})).await),
        json!({"factura": 2, "venta": order})
    );
    assert_eq!(found(&ana, "factura", order).await["total"], "684.40");

    // A cancelled one returns its own goods.
    let uuid = crate::documents::UUIDS[0];
    did(company.run_by_name("invoice.stamped", &json!({"factura": 1, "uuid": uuid})).await);
    did(company.run_by_name("invoice.cancel", &json!({"factura": 1, "motivo": "02"})).await);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-6), json!(0))));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn orders_and_quotes_of_either_channel_are_invoiced_once() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let input = |venta: i64| json!({"venta": venta});
    let quote = captured(&company, &nails("cotizacion")).await;
    let order = made(&ana, &nails("pedido")).await;
    for venta in [quote, order] {
        did(company.run_by_name("order.invoice", &input(venta)).await);
    }
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-4), json!(0))));
    ana.post(&format!("/ventas/{order}/facturar"), json!({})).await.fails(422, "venta_ya_facturada");
    let deposit = captured(&company, &nails("anticipo")).await;
    let gone = captured(&company, &nails("pedido")).await;
    did(company.run_by_name("sale.cancel", &input(gone)).await);
    let mut bare = nails("pedido");
    bare.as_object_mut().expect("fields").remove("metodo_pago_sat");
    let bare = captured(&company, &bare).await;
    refuses(
        &company,
        "order.invoice",
        &[
            (input(quote), "venta_ya_facturada", ""),
            (input(deposit), "venta_no_facturable", ""),
            (input(gone), "venta_cancelada", ""),
            (input(bare), "venta_sin_metodo_pago", ""),
            (json!({"venta": bare, "metodo_pago_sat": "PPD"}), "forma_pago_incompatible", ""),
            (json!({"venta": bare, "forma_pago_sat": "02"}), "dato_ya_capturado", "forma_pago_sat: "),
            (input(99), "no_encontrado", "venta: "),
        ],
    )
    .await;
    did(company.run_by_name("order.invoice", &json!({"venta": bare, "metodo_pago_sat": "PUE"})).await);
    is_isolated(&company, "order.invoice", input(quote)).await;
    // A payment before the invoice has no complement.
    let mut later = nails("pedido");
    later["metodo_pago_sat"] = json!("PPD");
    later["forma_pago_sat"] = json!("99");
    let later = captured(&company, &later).await;
    did(company.run_by_name("order.fulfil", &hands(later, &[(1, 2.0)])).await);
    let cxc = only(&ana, &format!("/cxc?venta={later}")).await["clave"].clone();
    let part = json!({"cxc": cxc, "importe": "32.00", "forma_pago_sat": "01", "fecha": "2026-10-12"});
    let pago = did(company.run_by_name("payment.apply", &part).await)["pago"].clone();
    refuses(&company, "order.invoice", &[(input(later), "estado_invalido", "venta: ")]).await;
    did(company.run_by_name("payment.cancel", &json!({"pago": pago})).await);
    did(company.run_by_name("order.invoice", &input(later)).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn stock_is_counted_and_moved_in_one_action() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let count = |existencia: &str| {
        serde_json::from_str::<Value>(&format!(
            r#"{{"sku":"A-1","almacen":"001","existencia":{existencia},"referencia":"Inventario"}}"#
        ))
        .expect("JSON")
    };
    assert_eq!(
        did(company.run_by_name("stock.count", &count("12.5")).await),
        json!({"movimiento": 1, "existencia": 1})
    );
    assert_eq!(
        did(company.run_by_name("stock.count", &count("12.50")).await),
        json!({"movimiento": null, "existencia": 1})
    );
    assert_eq!(did(company.run_by_name("stock.count", &count("10")).await), json!({"movimiento": 2, "existencia": 1}));
    let moved = json!({"sku": "A-1", "almacen": "001", "almacen_destino": "002", "cantidad": 4, "referencia": "T-1"});
    assert_eq!(did(company.run_by_name("stock.transfer", &moved).await), json!({"movimiento": 3, "existencia": 1}));
    let rows = ana.walk("/movimientos-inventario?sku=A-1").await;
    let shown: Vec<_> = rows.iter().map(|row| pick(row, &["tipo", "cantidad", "existencia_actual"])).collect();
    assert_eq!(
        shown,
        [
            json!({"tipo": "ajuste_entrada", "cantidad": 12.5, "existencia_actual": 12.5}),
            json!({"tipo": "ajuste_salida", "cantidad": 2.5, "existencia_actual": 10}),
            json!({"tipo": "traspaso_salida", "cantidad": 4, "existencia_actual": 6}),
            json!({"tipo": "traspaso_entrada", "cantidad": 4, "existencia_actual": 4}),
        ]
    );
    assert_eq!(stock(&ana, "A-1", "002").await, Some((json!(4), json!(0))));
    refuses(
        &company,
        "stock.count",
        &[
            (count("-1"), "dato_invalido", "existencia: "),
            (json!({"almacen": "001", "existencia": 1}), "dato_requerido", "producto: "),
            (json!({"sku": "S-3", "almacen": "001", "existencia": 1}), "producto_invalido", "sku: "),
            (json!({"sku": "A-1", "almacen": "999", "existencia": 1}), "almacen_invalido", "almacen: "),
        ],
    )
    .await;
    let change = |field: &str, value: Value| {
        let mut input = moved.clone();
        input[field] = value;
        input
    };
    refuses(
        &company,
        "stock.transfer",
        &[
            (change("cantidad", json!(0)), "dato_invalido", "cantidad: "),
            (change("almacen_destino", json!("001")), "dato_invalido", "almacen_destino: "),
            (change("almacen_destino", json!(null)), "dato_requerido", "almacen_destino: "),
            (change("almacen_destino", json!("999")), "almacen_invalido", "almacen_destino: "),
        ],
    )
    .await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_payable_is_paid_from_the_bank_or_in_cash() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    did(company.run_by_name("payable.capture", &json!({"total": "116.00", "concepto": "Luz"})).await);
    did(company
        .run_by_name("payable.capture", &json!({"total": "100.00", "moneda": "USD", "tipo_cambio": "17.5"}))
        .await);
    did(company.run_by_name("payable.capture", &json!({"total": "-5.00"})).await);
    let pay = |cxp: i64, importe: &str, cuenta: Option<i64>, referencia: &str| json!({"cxp": cxp, "importe": importe, "cuenta_bancaria": cuenta, "fecha": "2026-10-12", "referencia": referencia});
    assert_eq!(
        did(company.run_by_name("payable.pay", &pay(1, "16.00", None, "R")).await),
        json!({"cxp": 1, "pago": 1})
    );
    refuses(
        &company,
        "payable.pay",
        &[
            (pay(1, "16.00", None, "R"), "pago_repetido", ""),
            (pay(1, "100.01", None, "R"), "importe_excede_saldo", ""),
            (pay(1, "0", None, "R"), "dato_invalido", "importe: "),
            (pay(1, "1.001", None, "R"), "dato_invalido", "importe: "),
            (pay(1, "1", Some(2), "R"), "moneda_distinta", "cuenta_bancaria: "),
            (pay(1, "1", Some(9), "R"), "cuenta_bancaria_invalida", ""),
            (pay(1, "1", None, ""), "dato_requerido", "referencia: "),
            (pay(3, "5.01", None, "R"), "importe_excede_saldo", ""),
            (pay(9, "1", None, "R"), "no_encontrado", "cxp: "),
        ],
    )
    .await;
    did(company.run_by_name("payable.pay", &pay(1, "100.00", Some(1), "SPEI")).await);
    did(company.run_by_name("payable.pay", &pay(2, "40.00", Some(2), "SPEI")).await);
    let paid = only(&ana, "/cxp?clave=1&estatus=pagado").await;
    assert_eq!([&paid["pagado"], &paid["saldo"]], [&json!("116.00"), &json!("0.00")]);
    let left = only(&ana, "/cxp?clave=2").await;
    assert_eq!(
        pick(&left, &["pagado", "saldo", "estatus"]),
        json!({"pagado": "40.00", "saldo": "60.00", "estatus": "pendiente"})
    );
    refuses(&company, "payable.pay", &[(pay(1, "1", None, "X"), "estado_invalido", "cxp: ")]).await;
    let entries: Vec<String> = sqlx::query_scalar(
        "SELECT format('%s: %s', p.concepto, string_agg(format('%s %s', r.cuenta, round(r.cargo - r.abono, 2)), ' ' ORDER BY r.renglon))
         FROM polizas p JOIN polizas_renglones r ON r.poliza = p.clave WHERE p.cxp_pago IS NOT NULL GROUP BY p.clave, p.concepto ORDER BY p.clave",
    )
    .fetch_all(world.pool())
    .await
    .expect("entries");
    assert_eq!(
        entries,
        [
            "Pago 1 de la cuenta por pagar 1: 201.01 16.00 101.01 -16.00",
            "Pago 2 de la cuenta por pagar 1: 201.01 100.00 102.01.0001 -100.00",
            "Pago 3 de la cuenta por pagar 2: 201.01 700.00 102.01.0002 -700.00",
        ]
    );
    is_isolated(&company, "payable.pay", pay(1, "1", None, "Y")).await;
    books::check(&world, &company).await;
}
