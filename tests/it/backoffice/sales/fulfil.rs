//! `order.fulfil`

use serde_json::{Value, json};
use svc_core::domain::quantity::{PositiveQuantity, Quantity};
use svc_core::json::Many;
use svc_core::operations::{FulfilOrder, HandedOver};
use svc_tests::lists::pick;
use svc_tests::{Company, Resource, World, books};

use super::super::shop::{
    FOOD, NAIL, SERVICE, captured, entries, found, is_isolated, ledger, line, nails, only, refuses, sale, shop, stock,
    with,
};
use super::super::{did, events_since, ids, summary};

/// The input: lines and quantities.
fn hands(venta: i64, lines: &[(i64, &str)]) -> Value {
    let line = |(renglon, cantidad): &(i64, &str)| format!("{{\"renglon\":{renglon},\"cantidad\":{cantidad}}}");
    let lines: Vec<String> = lines.iter().map(line).collect();
    serde_json::from_str(&format!("{{\"venta\":{venta},\"renglones\":[{}]}}", lines.join(","))).expect("JSON")
}

async fn fulfil(company: &Company, venta: i64, lines: &[(i64, &str)]) {
    assert_eq!(did(company.run_by_name("order.fulfil", &hands(venta, lines)).await), json!({"venta": venta}));
}

#[tokio::test]
async fn an_order_is_delivered_in_parts() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    // 3 × 100 + IVA = 348.00, 7 × 1.43 = 10.01, 1 × 50 + IVA = 58.00
    let lines = [line(NAIL, 3, "100.00"), line(FOOD, 7, "1.43"), line(SERVICE, 1, "50.00")];
    let order = captured(&company, &sale("pedido", &lines)).await;
    let before = ids(&world).await;

    world.clock.advance(chrono::TimeDelta::minutes(1));
    fulfil(&company, order, &[(1, "1"), (2, "2.5"), (1, "1")]).await;
    let shown = found(&ana, "pedido", order).await;
    // 348 × 2/3 + 10.01 × 2.5/7 = 232.00 + 3.575 → 3.58
    assert_eq!(
        pick(&shown, &["surtido_estatus", "monto_surtido", "saldo", "modificado"]),
        json!({"surtido_estatus": "parcial", "monto_surtido": "235.58", "saldo": "416.01", "modificado": "2026-10-12T18:01:00Z"})
    );
    let lines = ana.walk(&format!("/ventas-renglones?venta={order}")).await;
    let delivered: Vec<_> = lines.iter().map(|line| pick(line, &["renglon", "cantidad_surtida"])).collect();
    assert_eq!(
        delivered,
        [
            json!({"renglon": 1, "cantidad_surtida": 2}),
            json!({"renglon": 2, "cantidad_surtida": 2.5}),
            json!({"renglon": 3, "cantidad_surtida": 0}),
        ]
    );
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-2), json!(1))));
    assert_eq!(stock(&ana, "C-2", "001").await, Some((json!(-2.5), json!(4.5))));
    assert_eq!(
        ledger(&ana, order).await,
        ["venta: 2 of A-1 for 80.00, then -2 in warehouse 1", "venta: 2.5 of C-2 for 3.75, then -2.5 in warehouse 1"]
    );
    // Goods delivered before the invoice are not owed yet; they move to the account of delivered
    // goods.
    let handed = format!("Surtido del pedido {order}: 115.06 +83.75 115.01 -83.75");
    assert_eq!(entries(&company, order).await, [handed]);
    let news: Vec<_> = events_since(&world, &before).await.iter().map(summary).collect();
    let changed = |existencia, producto| {
        (
            "inventario.existencia_cambiada".to_owned(),
            json!({"existencia": existencia, "producto": producto, "almacen": "001"}),
        )
    };
    assert_eq!(news, [changed(1, 1), changed(2, 2)]);
    books::check(&world, &company).await;

    // A service is delivered without a warehouse.
    let silent = ids(&world).await;
    fulfil(&company, order, &[(3, "1")]).await;
    assert_eq!((ids(&world).await, ledger(&ana, order).await.len()), (silent, 2));
    fulfil(&company, order, &[(1, "1"), (2, "4.5")]).await;
    let shown = found(&ana, "pedido", order).await;
    assert_eq!([&shown["surtido_estatus"], &shown["monto_surtido"]], [&json!("surtido"), &json!("416.01")]);
    assert_eq!(stock(&ana, "C-2", "001").await, Some((json!(-7), json!(0))));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_api_does_not_invoice_a_partly_delivered_order() {
    let company = shop(&World::new().await).await;
    let ana = company.admin().await;
    let order = ana.post("/ventas", nails("pedido")).await.ok(201)["venta"].as_i64().unwrap();
    fulfil(&company, order, &[(1, "0.0001")]).await;
    ana.post(&format!("/ventas/{order}/facturar"), json!({})).await.fails(422, "pedido_con_surtido");
    fulfil(&company, order, &[(1, "1.9999")]).await;
    ana.post(&format!("/ventas/{order}/facturar"), json!({})).await.fails(422, "pedido_con_surtido");
    assert_eq!(found(&ana, "pedido", order).await["surtido_estatus"], "surtido");
    books::check(&company.world, &company).await;
}

#[tokio::test]
async fn impossible_deliveries_are_refused() {
    let world = World::new().await;
    let company = shop(&world).await;
    let order = captured(&company, &sale("pedido", &[line(NAIL, 3, "100.00"), line(FOOD, 1, "1.00")])).await;
    let others = [
        captured(&company, &nails("cotizacion")).await,
        captured(&company, &nails("venta")).await,
        captured(&company, &nails("factura")).await,
        captured(&company, &nails("anticipo")).await,
    ];
    let cancelled = captured(&company, &nails("pedido")).await;
    did(company.run_by_name("sale.cancel", &json!({"venta": cancelled})).await);
    fulfil(&company, order, &[(1, "2")]).await;
    let mut table = vec![
        (hands(order, &[(1, "1.000001")]), "dato_invalido", "renglones[0].cantidad: "),
        (hands(order, &[(2, "1"), (1, "1"), (1, "0.5")]), "dato_invalido", "renglones[2].cantidad: "),
        (hands(order, &[(3, "1")]), "dato_invalido", "renglones[0].renglon: "),
        (hands(order, &[(1, "0")]), "dato_invalido", "renglones[0].cantidad: "),
        (hands(order, &[(1, "-1")]), "dato_invalido", "renglones[0].cantidad: "),
        (json!({"venta": order, "renglones": []}), "dato_requerido", "renglones"),
        (json!({"venta": order}), "dato_requerido", "renglones: "),
        (json!({"renglones": [{"renglon": 1, "cantidad": 1}]}), "dato_requerido", "venta: "),
        (hands(99, &[(1, "1")]), "no_encontrado", "venta: "),
        (hands(cancelled, &[(1, "1")]), "estado_invalido", "venta: está cancelada"),
    ];
    table.extend(others.map(|venta| (hands(venta, &[(1, "1")]), "estado_invalido", "venta: solo se surten pedidos")));
    refuses(&company, "order.fulfil", &table).await;
    is_isolated(&company, "order.fulfil", hands(order, &[(1, "1")])).await;
    // Goods do not leave an inactive warehouse.
    world.run("UPDATE almacenes SET estatus = 'inactivo' WHERE codigo = '001'").await;
    refuses(&company, "order.fulfil", &[(hands(order, &[(1, "1")]), "almacen_invalido", "almacen: ")]).await;
}

#[tokio::test]
async fn an_embedder_delivers_with_typed_inputs() {
    let company = shop(&World::new().await).await;
    let order = captured(&company, &nails("pedido")).await;
    let one = PositiveQuantity::new(Quantity::new(1.into())).unwrap();
    let renglones = Many::new(vec![HandedOver { renglon: 1, cantidad: one }]).unwrap();
    let done = company.run(&FulfilOrder { venta: order, renglones }).await.unwrap();
    assert_eq!(done.venta, order);
    assert_eq!(stock(&company.admin().await, "A-1", "001").await, Some((json!(-1), json!(1))));
}

#[tokio::test]
async fn delivering_or_paying_a_delivered_order_fails_with_its_state() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let order = captured(&company, &nails("pedido")).await;
    let whole = json!({"venta": order, "renglones": [{"renglon": 1, "cantidad": 2}]});
    did(company.run_by_name("order.fulfil", &whole).await);
    let ticket = captured(&company, &nails("venta")).await;
    let of_ticket = json!({"venta": ticket, "renglones": [{"renglon": 1, "cantidad": 2}]});
    refuses(
        &company,
        "order.fulfil",
        &[
            (whole, "estado_invalido", "venta: el pedido ya está surtido"),
            (of_ticket, "estado_invalido", "venta: solo se surten pedidos, y es de tipo venta"),
        ],
    )
    .await;
    let cxc = only(&ana, &format!("/cxc?venta={order}")).await["clave"].clone();
    let payment = json!({"importe": "1.00", "fecha": "2026-10-12", "forma_pago_sat": "03", "cuenta_bancaria": 1, "referencia": "A"});
    let refused = ana.post(&format!("/cxc/{cxc}/pagos"), payment).await;
    refused.fails(422, "venta_sin_desglose");
    assert!(refused.mensaje().starts_with("la venta es un pedido surtido sin factura"), "{}", refused.mensaje());
}

#[tokio::test]
async fn what_was_delivered_of_an_order_is_invoiced_within_the_customers_credit() {
    let world = World::new().await;
    let company = shop(&world).await;
    let on_credit = json!({"condicion_pago": "credito", "metodo_pago_sat": "PPD", "forma_pago_sat": "99"});
    for _ in 0..2 {
        let order = with(&sale("pedido", &[line(NAIL, 10, "100.00")]), on_credit.clone());
        captured(&company, &order).await;
    }
    fulfil(&company, 1, &[(1, "9")]).await;
    fulfil(&company, 2, &[(1, "10")]).await;
    did(company.run_by_name("customer.edit", &json!({"clave": 1, "limite_credito": "0"})).await);
    let invoice = |venta: i64| json!({"venta": venta});
    refuses(&company, "order.invoice", &[(invoice(1), "credito_insuficiente", "")]).await;
    // The other is owed already.
    did(company.run_by_name("order.invoice", &invoice(2)).await);
    did(company.run_by_name("customer.edit", &json!({"clave": 1, "limite_credito": "5000"})).await);
    did(company.run_by_name("order.invoice", &invoice(1)).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_imported_orders_taxes_without_rates_stay_with_its_parts() {
    let world = World::new().await;
    let company = shop(&world).await;
    let order = json!({"tipo": "pedido", "cliente": 1, "subtotal": "100.00", "impuestos": "16.00", "total": "116.00",
                       "almacen": "001", "condicion_pago": "contado", "forma_pago_sat": "03", "metodo_pago_sat": "PUE",
                       "uso_cfdi": "G03"});
    company.load(Resource::Ventas, &[order]).await;
    let nails = json!({"venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 2,
                       "precio_unitario": "50.00", "iva": "16.00", "total": "116.00"});
    company.load(Resource::VentasRenglones, &[nails]).await;
    let reserved = json!({"sku": "A-1", "almacen": "001", "existencia": 5, "apartado": 2});
    company.load(Resource::Inventario, &[reserved]).await;
    fulfil(&company, 1, &[(1, "1")]).await;
    // As of the whole order: a document needs the rate.
    let said = company.run_by_name("order.invoice", &json!({"venta": 1})).await.expect_err("no rate");
    assert_eq!(said.code().codigo(), "documento_invalido", "{said}");
    assert!(said.mensaje().contains("tasa de IVA"), "{said}");
}

#[tokio::test]
async fn nothing_of_a_quote_that_becomes_an_order_is_delivered() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let quote = json!({"tipo": "cotizacion", "cliente": 1, "subtotal": "500.00", "impuestos": "80.00", "total": "580.00",
                       "almacen": "001"});
    company.load(Resource::Ventas, &[quote]).await;
    let nails = json!({"venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 5,
                       "cantidad_surtida": 5, "precio_unitario": "100.00", "iva_tasa": "0.160000", "iva": "80.00",
                       "total": "580.00"});
    company.load(Resource::VentasRenglones, &[nails]).await;
    did(company.run_by_name("quote.order", &json!({"venta": 1})).await);
    fulfil(&company, 1, &[(1, "2")]).await;
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-2), json!(3))));
    did(company.run_by_name("sale.cancel", &json!({"venta": 1})).await);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(0), json!(0))));
}

#[tokio::test]
async fn services_leave_no_warehouse() {
    let world = World::new().await;
    let company = shop(&world).await;
    let order = with(&sale("pedido", &[line(SERVICE, 1, "50.00")]), json!({"almacen": "002"}));
    captured(&company, &order).await;
    let warehouse = company.admin().await.walk("/almacenes?codigo=002").await[0]["clave"].clone();
    did(company.run_by_name("warehouse.edit", &json!({"clave": warehouse, "estatus": "inactivo"})).await);
    did(company.run_by_name("order.invoice", &json!({"venta": 1})).await);
    books::check(&world, &company).await;
}
