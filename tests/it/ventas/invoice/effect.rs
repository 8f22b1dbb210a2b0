//! The effects of an invoice.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::lists::{pick, row};
use svc_tests::{Actor, BASE_URL, Company, Resource, World};

use crate::ventas::shop::{
    ANA, BORDER, NAIL, SERVICE, invoiced, line, made, notices, on_credit, ready, sale, shop, stock, with,
};

/// A shop with ten nails, whose invoices are requested on the 13th in UTC, still the 12th in
/// Mexico.
async fn opened(world: &World) -> (Company, Actor) {
    let company = shop(world).await;
    let nails = json!({"producto": NAIL, "almacen": "001", "existencia": 10});
    company.load(Resource::Inventario, &[nails]).await;
    let ana = company.admin().await;
    (company, ana)
}

fn eleven_hours_later(world: &World) {
    world.clock.advance(TimeDelta::hours(11));
}

#[tokio::test]
async fn an_order_becomes_an_invoice_that_waits_to_be_stamped() {
    let world = World::new().await;
    let (_, ana) = opened(&world).await;
    let venta = made(&ana, &ready()).await;
    let order = ana.walk("/ventas?tipo=pedido").await.remove(0);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(10), json!(2))));
    eleven_hours_later(&world);

    let reply = invoiced(&ana, venta, json!({})).await;
    assert_eq!(
        reply.ok(202),
        json!({"ok": true, "factura": 1, "venta": venta, "estatus": "timbrando", "serie": "F", "folio": "1", "uuid": null,
               "ya_solicitada": false})
    );
    let location = format!("{BASE_URL}/facturas?clave=1");
    assert_eq!((reply.header("location"), reply.header("retry-after")), (Some(location.as_str()), Some("5")));
    assert_eq!(reply.header("idempotent-replayed"), None);

    let registered = json!({
        "clave": 1, "tipo": "factura", "estatus": "en_espera", "venta": venta, "cliente": ANA, "serie": "F", "folio": "1",
        "uuid": null, "fecha": "2026-10-13T05:00:00Z", "fecha_timbrado": null, "fecha_cancelacion": null,
        "motivo_cancelacion": null, "uuid_sustitucion": null, "error_codigo": null, "error_mensaje": null,
        "modificado": "2026-10-13T05:00:00Z",
    });
    assert_eq!(ana.walk("/facturas").await, [registered]);
    let mut invoice = order;
    for (field, value) in [
        ("tipo", json!("factura")),
        ("serie", json!("F")),
        ("folio", json!(1)),
        ("vencimiento", json!("2026-10-12")),
        ("uso_cfdi", json!("G03")),
        ("surtido_estatus", Value::Null),
        ("monto_surtido", Value::Null),
        ("factura", json!(1)),
        ("modificado", json!("2026-10-13T05:00:00Z")),
    ] {
        invoice[field] = value;
    }
    assert_eq!(ana.walk("/ventas?tipo=factura").await, [invoice]);
    assert_eq!(ana.walk("/ventas?tipo=pedido").await, Vec::<Value>::new());
    let queued = "SELECT to_jsonb(t)::text
                  FROM (SELECT factura, proximo, intentos, token, arrendado, creado FROM timbrados) t";
    assert_eq!(
        world.json(queued).await,
        json!({
            "factura": 1, "proximo": "2026-10-13T05:00:00+00:00", "intentos": 0, "token": null, "arrendado": null,
            "creado": "2026-10-13T05:00:00+00:00",
        })
    );
}

#[tokio::test]
async fn goods_leave_and_their_reservation_with_them() {
    let world = World::new().await;
    let (_, ana) = opened(&world).await;
    let lines = [line(NAIL, 2, "100"), line(SERVICE, 1, "50"), line(BORDER, 3, "1"), line(NAIL, 1, "90")];
    let body = with(&with(&sale("pedido", &lines), "forma_pago_sat", json!("03")), "metodo_pago_sat", json!("PUE"));
    let venta = made(&ana, &body).await;
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(10), json!(3))));
    eleven_hours_later(&world);
    invoiced(&ana, venta, json!({})).await.ok(202);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(7), json!(0))));
    assert_eq!(stock(&ana, "B-2", "001").await, Some((json!(-3), json!(0))), "stock may be sold that is not there");
    let movement = |clave: i64, producto: i64, sku: &str, amounts: [i64; 3], [cost, importe]: [&str; 2]| {
        let [cantidad, before, after] = amounts;
        json!({"clave": clave, "fecha": "2026-10-13T05:00:00Z", "tipo": "venta", "sentido": "salida",
               "producto": producto, "sku": sku, "cantidad": cantidad, "existencia_anterior": before,
               "existencia_actual": after, "almacen": "1", "almacen_destino": null, "venta": venta, "compra": null,
               "costo_unitario": cost, "importe": importe, "referencia": "F1"})
    };
    let expected = [
        movement(1, NAIL, "A-1", [2, 10, 8], ["40.00", "80.00"]),
        movement(2, BORDER, "B-2", [3, 0, -3], ["0.00", "0.00"]),
        movement(3, NAIL, "A-1", [1, 8, 7], ["40.00", "40.00"]),
    ];
    assert_eq!(ana.walk(&format!("/movimientos-inventario?venta={venta}")).await, expected);
    let emitted: Vec<_> = notices(&world, "inventario.existencia_cambiada")
        .await
        .into_iter()
        .map(|(data, _)| data["producto"].clone())
        .collect();
    assert_eq!(emitted, [NAIL, BORDER], "once for when they were reserved and when they left");
    assert_eq!(notices(&world, "venta.creada").await.len(), 1, "converting a sale makes no other");
    assert_eq!(world.count("emitidos").await, 3);
}

#[tokio::test]
async fn a_quote_frees_no_reservation() {
    let world = World::new().await;
    let (_, ana) = opened(&world).await;
    made(&ana, &with(&ready(), "almacen", json!("002"))).await;
    let quote = made(&ana, &with(&with(&ready(), "tipo", json!("cotizacion")), "almacen", json!("002"))).await;
    let answer = invoiced(&ana, quote, json!({})).await.ok(202);
    assert_eq!([&answer["serie"], &answer["folio"]], ["F", "1"]);
    assert_eq!(stock(&ana, "A-1", "002").await, Some((json!(-2), json!(2))), "the order's are still reserved");
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(10), json!(0))));
    assert_eq!(ana.walk("/ventas?tipo=cotizacion").await, Vec::<Value>::new());
    assert_eq!(ana.walk("/ventas?tipo=factura").await[0]["clave"], quote);
    assert_eq!(ana.walk(&format!("/movimientos-inventario?venta={quote}")).await[0]["almacen"], "2");
}

#[tokio::test]
async fn the_invoiced_amount_becomes_a_receivable() {
    let world = World::new().await;
    let (_, ana) = opened(&world).await;
    let credit = made(&ana, &on_credit()).await;
    let month = made(&ana, &with(&on_credit(), "dias_credito", json!(30))).await;
    let dollars = with(&with(&ready(), "moneda", json!("USD")), "tipo_cambio", json!("17.5"));
    let foreign = made(&ana, &dollars).await;
    eleven_hours_later(&world);
    for venta in [credit, month, foreign] {
        invoiced(&ana, venta, json!({})).await.ok(202);
    }
    let owed = json!({
        "clave": 1, "folio": "F1", "estatus": "pendiente", "cliente": ANA, "venta": credit, "tipo_venta": "factura",
        "factura": 1, "uuid": null, "metodo_pago_sat": "PPD", "fecha": "2026-10-12", "vencimiento": "2026-10-27",
        "moneda": "MXN", "tipo_cambio": "1.000000", "total": "232.00", "pagado": "0.00", "saldo": "232.00",
        "parcialidades": 0, "sucursal": 0, "modificado": "2026-10-13T05:00:00Z",
    });
    let rows = ana.walk("/cxc").await;
    assert_eq!(rows[0], owed);
    let fields = ["folio", "metodo_pago_sat", "vencimiento", "moneda", "tipo_cambio"];
    assert_eq!(pick(&rows[1], &fields), row(&fields, json!(["F2", "PPD", "2026-11-11", "MXN", "1.000000"])));
    assert_eq!(pick(&rows[2], &fields), row(&fields, json!(["F3", "PUE", "2026-10-12", "USD", "17.500000"])));
    let due: Vec<_> = ana.walk("/ventas?tipo=factura").await.iter().map(|sale| sale["vencimiento"].clone()).collect();
    assert_eq!(due, ["2026-10-27", "2026-11-11", "2026-10-12"]);

    let free = with(&ready(), "renglones", json!([with(&line(SERVICE, 1, "9"), "descuento", json!("9"))]));
    let free = made(&ana, &free).await;
    invoiced(&ana, free, json!({})).await.ok(202);
    let row = ana.walk(&format!("/cxc?venta={free}")).await.remove(0);
    assert_eq!(
        pick(&row, &["estatus", "total", "saldo"]),
        json!({"estatus": "pagado", "total": "0.00", "saldo": "0.00"})
    );
    let given = "SELECT string_agg(cuenta, ' ' ORDER BY cuenta) FROM polizas_renglones r JOIN polizas p ON p.clave = r.poliza WHERE venta = 4";
    assert_eq!(world.sql::<String>(given).await, "401.01 402.01", "nobody owes anything");
}

#[tokio::test]
async fn the_books_balance() {
    let world = World::new().await;
    let (_, ana) = opened(&world).await;
    let discounted = json!({"producto": NAIL, "cantidad": 2, "precio_unitario": "100", "descuento": "20"});
    let dollars = with(&with(&ready(), "moneda", json!("USD")), "tipo_cambio", json!("17.5"));
    for body in [with(&ready(), "renglones", json!([discounted])), dollars] {
        let venta = made(&ana, &body).await;
        eleven_hours_later(&world);
        invoiced(&ana, venta, json!({})).await.ok(202);
    }
    let entries = "SELECT jsonb_agg(p ORDER BY clave)::text
                   FROM (SELECT clave, fecha, concepto, venta, factura, pago FROM polizas WHERE venta IS NOT NULL) p";
    // The first entry is of the imported stock.
    assert_eq!(
        world.json(entries).await,
        json!([
            {"clave": 2, "fecha": "2026-10-12", "concepto": "factura F1", "venta": 1, "factura": 1, "pago": null},
            {"clave": 3, "fecha": "2026-10-13", "concepto": "factura F2", "venta": 2, "factura": 2, "pago": null},
        ])
    );
    // Debits are positive, credits negative.
    let lines = "SELECT string_agg(format('%s %s', cuenta, round(cargo - abono, 2)), ', ' ORDER BY poliza, renglon)
                 FROM polizas_renglones WHERE poliza > 1";
    assert_eq!(
        world.sql::<String>(lines).await,
        // 180.00 and its IVA; then 200.00 USD at 17.5. Two nails cost 80 pesos either way.
        "105.01 208.80, 402.01 20.00, 401.01 -200.00, 209.01 -28.80, 501.01 80.00, 115.01 -80.00, \
         105.01 4060.00, 401.01 -3500.00, 209.01 -560.00, 501.01 80.00, 115.01 -80.00"
    );
}

#[tokio::test]
async fn the_request_fills_what_the_sale_lacks() {
    let world = World::new().await;
    let (_, ana) = opened(&world).await;
    let bare = sale("pedido", &[line(NAIL, 1, "1")]);
    let full = with(&ready(), "uso_cfdi", json!("G01"));
    let supplied = json!({"forma_pago_sat": "03", "metodo_pago_sat": "PUE", "uso_cfdi": "G01", "sucursal": 0});
    for (body, request, expected) in [
        (&bare, supplied.clone(), ["03", "PUE", "G01"]),
        (&bare, json!({"forma_pago_sat": " 99 ", "metodo_pago_sat": "PPD"}), ["99", "PPD", "G03"]),
        // Repeating what the sale says is no conflict.
        (&full, supplied, ["03", "PUE", "G01"]),
        (
            &full,
            json!({"forma_pago_sat": null, "metodo_pago_sat": "", "uso_cfdi": " ", "sucursal": null}),
            ["03", "PUE", "G01"],
        ),
    ] {
        let fields = ["forma_pago_sat", "metodo_pago_sat", "uso_cfdi"];
        let venta = made(&ana, body).await;
        invoiced(&ana, venta, request.clone()).await.ok(202);
        let invoice = ana.get(&format!("/ventas?tipo=factura&clave={venta}")).await.ok(200)["datos"][0].clone();
        assert_eq!(pick(&invoice, &fields), row(&fields, json!(expected)), "{request}");
        let method = &ana.walk(&format!("/cxc?venta={venta}")).await[0]["metodo_pago_sat"];
        assert_eq!(method, expected[1]);
    }
}

#[tokio::test]
async fn folios_are_the_branch_s_without_gaps_and_go_on_after_imported_ones() {
    let world = World::new().await;
    let (company, ana) = opened(&world).await;
    company.load(Resource::Sucursales, &[json!({"clave": 3, "nombre": "Norte"})]).await;
    company.load(Resource::Ventas, &[json!({"tipo": "factura", "serie": "F", "folio": 40})]).await;
    company
        .load(
            Resource::Facturas,
            &[json!({"venta": 1, "serie": "F", "folio": "41"}), json!({"serie": "F3", "folio": "A9"})],
        )
        .await;
    let mut found = Vec::new();
    for _ in 0..3 {
        let refused = made(&ana, &with(&ready(), "forma_pago_sat", json!("99"))).await;
        invoiced(&ana, refused, json!({})).await.fails(422, "forma_pago_incompatible");
        let venta = made(&ana, &ready()).await;
        found.push(invoiced(&ana, venta, json!({})).await.ok(202)["folio"].clone());
    }
    assert_eq!(found, ["42", "43", "44"]);
    // Only captured sales belong to another branch.
    let venta = made(&ana, &ready()).await;
    world.run("UPDATE ventas SET sucursal = 3 WHERE clave = (SELECT max(clave) FROM ventas)").await;
    let answer = invoiced(&ana, venta, json!({"sucursal": 3})).await.ok(202);
    assert_eq!([&answer["serie"], &answer["folio"]], ["F3", "1"]);
    let row = ana.walk(&format!("/cxc?venta={venta}")).await.remove(0);
    assert_eq!((&row["folio"], &row["sucursal"]), (&json!("F3-1"), &json!(3)));
}
