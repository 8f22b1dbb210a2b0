//! `sale.cancel`

use crate::documents::UUIDS;
use serde_json::{Value, json};
use svc_core::operations::CancelSale;
use svc_tests::lists::pick;
use svc_tests::{World, books};

use super::super::shop::{
    FOOD, NAIL, captured, entries, found, invoiced, is_isolated, ledger, line, nails, only, refuses, sale, shop, stock,
};
use super::super::{did, events_since, ids, summary};

#[tokio::test]
async fn a_cancelled_order_frees_its_reservation_and_returns_delivered_goods() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let order =
        captured(&company, &sale("pedido", &[line(NAIL, 5, "1.00"), line(FOOD, 2, "1.00"), line(NAIL, 1, "2.00")]))
            .await;
    let quote = captured(&company, &nails("cotizacion")).await;
    let handed = json!({"venta": order, "renglones": [{"renglon": 1, "cantidad": 2}]});
    did(company.run_by_name("order.fulfil", &handed).await);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-2), json!(4))));
    let before = ids(&world).await;
    world.clock.advance(chrono::TimeDelta::minutes(1));
    assert_eq!(did(company.run_by_name("sale.cancel", &json!({"venta": order})).await), json!({"venta": order}));
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(0), json!(0))));
    assert_eq!(stock(&ana, "C-2", "001").await, Some((json!(0), json!(0))));
    assert_eq!(
        ledger(&ana, order).await,
        [
            "venta: 2 of A-1 for 80.00, then -2 in warehouse 1",
            "cancelacion_venta: 2 of A-1 for 80.00, then 0 in warehouse 1"
        ]
    );
    let shown = found(&ana, "pedido", order).await;
    assert_eq!(
        pick(&shown, &["cancelada", "fecha_cancelacion", "saldo", "modificado"]),
        json!({"cancelada": true, "fecha_cancelacion": "2026-10-12T18:01:00Z", "saldo": "0.00", "modificado": "2026-10-12T18:01:00Z"})
    );
    assert_eq!(
        entries(&company, order).await,
        [
            format!("Surtido del pedido {order}: 115.06 +80.00 115.01 -80.00"),
            format!("Cancelación: Surtido del pedido {order}: 115.06 -80.00 115.01 +80.00"),
        ]
    );
    // Each stock record has one event.
    let news: Vec<_> = events_since(&world, &before)
        .await
        .iter()
        .map(summary)
        .map(|(tipo, datos)| (tipo, datos["existencia"].clone()))
        .collect();
    let changed = "inventario.existencia_cambiada".to_owned();
    assert_eq!(news, [(changed.clone(), json!(1)), (changed, json!(2))]);

    let silent = ids(&world).await;
    did(company.run_by_name("sale.cancel", &json!({"venta": quote})).await);
    assert_eq!(ids(&world).await, silent, "a quote holds nothing");
    ana.post(&format!("/ventas/{order}/facturar"), json!({})).await.fails(422, "venta_no_api");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_cancelled_sale_is_not_owed_and_its_goods_return() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    for tipo in ["venta", "anticipo"] {
        let venta = captured(&company, &nails(tipo)).await;
        let written = entries(&company, venta).await;
        did(company.run_by_name("sale.cancel", &json!({"venta": venta})).await);
        let receivable = only(&ana, &format!("/cxc?venta={venta}")).await;
        assert_eq!([&receivable["estatus"], &receivable["saldo"]], [&json!("cancelado"), &json!("0.00")], "{tipo}");
        assert_eq!(found(&ana, tipo, venta).await["cancelada"], true);
        let after = entries(&company, venta).await;
        assert_eq!((after.len(), &after[0]), (2, &written[0]), "{tipo}");
        let swapped: String = written[0]
            .chars()
            .map(|sign| match sign {
                '+' => '-',
                '-' => '+',
                other => other,
            })
            .collect();
        assert_eq!(after[1], format!("Cancelación: {swapped}"), "{tipo}");
    }
    assert_eq!(
        ledger(&ana, 1).await,
        [
            "venta: 2 of A-1 for 80.00, then -2 in warehouse 1",
            "cancelacion_venta: 2 of A-1 for 80.00, then 0 in warehouse 1"
        ]
    );
    assert_eq!(ledger(&ana, 2).await.len(), 0);
    let other = captured(&company, &nails("venta")).await;
    assert_eq!(other, 3);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn inactive_products_and_warehouses_get_their_stock_back() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let order = captured(&company, &nails("pedido")).await;
    let sold = captured(&company, &nails("venta")).await;
    world.run("UPDATE almacenes SET estatus = 'inactivo' WHERE codigo = '001'").await;
    world.run("UPDATE productos SET estatus = 'eliminado', costo = 99").await;
    for venta in [order, sold] {
        did(company.run_by_name("sale.cancel", &json!({"venta": venta})).await);
    }
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(0), json!(0))));
    assert_eq!(
        ledger(&ana, sold).await[1],
        "cancelacion_venta: 2 of A-1 for 80.00, then 0 in warehouse 1",
        "at the cost at which it went"
    );
    books::check(&world, &company).await;
}

#[tokio::test]
async fn paid_or_invoiced_sales_cannot_be_cancelled() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let paid = captured(&company, &nails("venta")).await;
    let payment = json!({"cxc": 1, "importe": "0.01", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "S1"});
    let pago = did(company.run_by_name("payment.apply", &payment).await)["pago"].clone();
    let waiting = captured(&company, &nails("factura")).await;
    let (of_api, _) = invoiced(&ana, &nails("pedido")).await;
    let stamped = captured(&company, &nails("factura")).await;
    did(company.run_by_name("invoice.stamped", &json!({"factura": 3, "uuid": UUIDS[0]})).await);
    let begun = captured(&company, &nails("pedido")).await;
    did(company.run_by_name("sale.invoicing-begin", &json!({"venta": begun})).await);
    let of = |venta: i64| json!({"venta": venta});
    refuses(
        &company,
        "sale.cancel",
        &[
            (of(paid), "estado_invalido", "venta: su cuenta por cobrar tiene pagos aplicados"),
            (of(waiting), "estado_invalido", "venta: tiene factura"),
            (of(of_api), "estado_invalido", "venta: tiene factura"),
            (of(stamped), "estado_invalido", "venta: tiene factura"),
            (of(begun), "estado_invalido", "venta: se está facturando"),
            (of(99), "no_encontrado", "venta: "),
            (json!({}), "dato_requerido", "venta: "),
            (json!({"venta": "1"}), "dato_invalido", "venta: "),
            (json!({"venta": 1, "motivo": "02"}), "campo_no_permitido", "motivo: "),
        ],
    )
    .await;
    is_isolated(&company, "sale.cancel", of(begun)).await;

    // They are cancelled without payments, once refused or released.
    did(company.run_by_name("payment.cancel", &json!({"pago": pago})).await);
    did(company.run_by_name("invoice.rejected", &json!({"factura": 1, "codigo": "X", "mensaje": "No"})).await);
    did(company.run_by_name("invoice.rejected", &json!({"factura": 2, "codigo": "X", "mensaje": "No"})).await);
    did(company.run_by_name("sale.invoicing-end", &of(begun)).await);
    for venta in [paid, waiting, of_api, begun] {
        did(company.run_by_name("sale.cancel", &of(venta)).await);
        refuses(&company, "sale.cancel", &[(of(venta), "estado_invalido", "venta: está cancelada")]).await;
    }
    assert_eq!(ana.post(&format!("/ventas/{of_api}/facturar"), json!({})).await.ok(200)["estatus"], "error");
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(-2), json!(0))), "those of the stamped one are gone");
    // The refused invoice of a cancelled sale can no longer be stamped.
    for factura in [1, 2] {
        refuses(
            &company,
            "invoice.stamped",
            &[(json!({"factura": factura, "uuid": UUIDS[0]}), "estado_invalido", "factura: su venta")],
        )
        .await;
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_imported_sale_is_cancelled_with_its_imported_records() {
    use svc_tests::Resource;
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    company.load(Resource::Ventas, &[json!({"tipo": "venta", "cliente": 1, "total": 10, "saldo": 10})]).await;
    company.load(Resource::Cxc, &[json!({"venta": 1, "total": 10})]).await;
    let gone =
        |almacen: &str, sku: &str| json!({"tipo": "venta", "venta": 1, "sku": sku, "cantidad": 2, "almacen": almacen});
    let rows = [gone("1", "A-1"), gone("002", "A-1"), gone("1", "YA-NO"), gone("tienda", "A-1")];
    company.load(Resource::MovimientosInventario, &rows).await;
    did(company.run_by_name("sale.cancel", &json!({"venta": 1})).await);
    let receivable = only(&ana, "/cxc?venta=1").await;
    assert_eq!([&receivable["estatus"], &receivable["saldo"]], [&json!("cancelado"), &json!("0.00")]);
    // Goods without product or warehouse cannot come back.
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(2), json!(0))));
    assert_eq!(stock(&ana, "A-1", "002").await, Some((json!(2), json!(0))));
    assert_eq!(entries(&company, 1).await, Vec::<String>::new());
    assert_eq!(ana.walk("/inventario").await.len(), 2);
}

#[tokio::test]
async fn an_embedder_cancels_with_typed_inputs() {
    let company = shop(&World::new().await).await;
    let venta = captured(&company, &nails("venta")).await;
    assert_eq!(company.run(&CancelSale { venta }).await.unwrap().venta, venta);
    let error = company.run(&CancelSale { venta }).await.unwrap_err();
    assert_eq!(error.code().codigo(), "estado_invalido");
    assert_ne!(found(&company.admin().await, "venta", venta).await["fecha_cancelacion"], Value::Null);
}
