//! Orders that were imported with what had been paid of them.

use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{Company, Resource, World, books};

use super::super::costs::balance;
use super::super::did;
use super::super::ledger::dollars;
use super::super::shop::{NAIL, captured, found, nails, only, refuses, shop, stock, with};

/// An order for two nails, 116.00, with these fields; 5 nails are there, 2 of them reserved.
async fn order(company: &Company, fields: Value) {
    let order = json!({"tipo": "pedido", "cliente": 1, "subtotal": "100.00", "impuestos": "16.00", "total": "116.00",
                       "almacen": "001", "condicion_pago": "contado", "forma_pago_sat": "03", "metodo_pago_sat": "PUE",
                       "uso_cfdi": "G03"});
    company.load(Resource::Ventas, &[with(&order, fields)]).await;
    let line = json!({"venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 2,
                      "precio_unitario": "50.00", "iva_tasa": "0.160000", "iva": "16.00", "total": "116.00"});
    company.load(Resource::VentasRenglones, &[line]).await;
    let reserved = json!({"sku": "A-1", "almacen": "001", "existencia": 5, "apartado": 2});
    company.load(Resource::Inventario, &[reserved]).await;
}

async fn fulfil(company: &Company, cantidad: i64) {
    let delivered = json!({"venta": 1, "renglones": [{"renglon": 1, "cantidad": cantidad}]});
    did(company.run_by_name("order.fulfil", &delivered).await);
}

const AMOUNTS: [&str; 4] = ["estatus", "total", "pagado", "saldo"];

fn amounts(estatus: &str, total: &str, pagado: &str, saldo: &str) -> Value {
    json!({"estatus": estatus, "total": total, "pagado": pagado, "saldo": saldo})
}

async fn pay(company: &Company, cxc: i64, importe: &str) {
    let paid = json!({"cxc": cxc, "importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03",
                      "fecha": "2026-10-12", "referencia": format!("P-{cxc}")});
    did(company.run_by_name("payment.apply", &paid).await);
}

#[tokio::test]
async fn what_was_paid_of_an_order_is_not_owed_again() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    order(&company, json!({"saldo": "50.00"})).await;
    let factura = did(company.run_by_name("order.invoice", &json!({"venta": 1})).await)["factura"].clone();
    let cxc = only(&ana, "/cxc?venta=1").await;
    assert_eq!(pick(&cxc, &AMOUNTS), amounts("pendiente", "116.00", "66.00", "50.00"));
    assert_eq!(found(&ana, "factura", 1).await["saldo"], "50.00");
    // 66/116 of the IVA was collected before. The opening account has the 5 nails for 200.00, less
    // the 56.90 of the sale that were income of before.
    for (cuenta, saldo) in [("105.01", "50.00"), ("401.01", "-100.00"), ("209.01", "-6.90"), ("304.01", "-143.10")] {
        assert_eq!(balance(&company, cuenta).await, saldo, "{cuenta}");
    }
    books::check_ledger(&company).await;

    // A discarded invoice leaves the order as it was: 50.00 are still to be paid.
    let rejected = json!({"factura": factura, "codigo": "X", "mensaje": "No"});
    did(company.run_by_name("invoice.rejected", &rejected).await);
    did(company.run_by_name("document.discard", &json!({"factura": factura})).await);
    assert_eq!(only(&ana, "/cxc?venta=1&estatus=cancelado").await["saldo"], "0.00");
    books::check_ledger(&company).await;
    fulfil(&company, 2).await;
    let cxc = only(&ana, "/cxc?venta=1&estatus=pendiente").await;
    assert_eq!(pick(&cxc, &AMOUNTS), amounts("pendiente", "116.00", "66.00", "50.00"));
    did(company.run_by_name("order.invoice", &json!({"venta": 1})).await);
    pay(&company, cxc["clave"].as_i64().expect("a clave"), "50").await;
    let cxc = only(&ana, "/cxc?venta=1&estatus=pagado").await;
    assert_eq!(pick(&cxc, &AMOUNTS), amounts("pagado", "116.00", "116.00", "0.00"));
    assert_eq!(found(&ana, "factura", 1).await["saldo"], "0.00");
    books::check_ledger(&company).await;
}

#[tokio::test]
async fn an_imported_order_is_owed_at_the_rate_of_its_invoice() {
    let world = World::new().await;
    let company = shop(&world).await;
    let abroad = json!({"clave": 1, "tipo": "pedido", "cliente": 1, "subtotal": "100.00", "impuestos": "16.00",
                        "total": "116.00", "moneda": "USD", "tipo_cambio": "20", "surtido_estatus": "surtido",
                        "condicion_pago": "credito", "forma_pago_sat": "99", "metodo_pago_sat": "PPD",
                        "uso_cfdi": "G03"});
    company.load(Resource::Ventas, &[abroad]).await;
    let line = json!({"venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 2,
                      "cantidad_surtida": 2, "precio_unitario": "50.00", "iva_tasa": "0.160000", "iva": "16.00",
                      "total": "116.00"});
    company.load(Resource::VentasRenglones, &[line]).await;
    // 16/116 of it were paid before the books began.
    let owed = json!({"venta": 1, "tipo_venta": "pedido", "total": "116.00", "saldo": "100.00", "moneda": "USD",
                      "tipo_cambio": "20"});
    company.load(Resource::Cxc, &[owed]).await;
    assert_eq!(balance(&company, "105.01").await, "2000.00");
    did(company.run_by_name("order.invoice", &json!({"venta": 1, "tipo_cambio": "19"})).await);
    for (cuenta, saldo) in [("105.01", "1900.00"), ("209.01", "-262.07")] {
        assert_eq!(balance(&company, cuenta).await, saldo, "{cuenta}");
    }
    books::check_ledger(&company).await;
    did(company.run_by_name("payment.apply", &dollars(&json!(1), "100.00", Some("19"))).await);
    for (cuenta, saldo) in [("105.01", "0.00"), ("209.01", "0.00"), ("208.01", "-262.07")] {
        assert_eq!(balance(&company, cuenta).await, saldo, "{cuenta}");
    }
    books::check_ledger(&company).await;
}

#[tokio::test]
async fn an_order_that_was_paid_is_owed_nothing() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    order(&company, json!({"saldo": "0.00", "condicion_pago": "credito"})).await;
    // Nor does it need credit.
    did(company.run_by_name("customer.edit", &json!({"clave": 1, "limite_credito": "0"})).await);
    did(company.run_by_name("order.invoice", &json!({"venta": 1})).await);
    assert_eq!(
        pick(&only(&ana, "/cxc?venta=1&estatus=pagado").await, &AMOUNTS),
        amounts("pagado", "116.00", "116.00", "0.00")
    );
    books::check_ledger(&company).await;
}

#[tokio::test]
async fn an_order_keeps_its_imported_receivable() {
    for delivered_first in [false, true] {
        let world = World::new().await;
        let company = shop(&world).await;
        let ana = company.admin().await;
        order(&company, json!({"saldo": "100.00"})).await;
        company.load(Resource::Cxc, &[json!({"venta": 1, "total": "116.00", "saldo": "100.00", "folio": "P-7"})]).await;
        pay(&company, 1, "40").await;
        books::check_ledger(&company).await;
        if delivered_first {
            fulfil(&company, 2).await;
            assert_eq!(
                pick(&only(&ana, "/cxc?venta=1").await, &AMOUNTS),
                amounts("pendiente", "116.00", "56.00", "60.00")
            );
            books::check_ledger(&company).await;
        }
        did(company.run_by_name("order.invoice", &json!({"venta": 1})).await);
        let cxc = only(&ana, "/cxc?venta=1").await;
        assert_eq!(pick(&cxc, &AMOUNTS), amounts("pendiente", "116.00", "56.00", "60.00"));
        assert_eq!(pick(&cxc, &["folio", "tipo_venta"]), json!({"folio": "F1", "tipo_venta": "factura"}));
        books::check_ledger(&company).await;
        pay(&company, 1, "60").await;
        books::check_ledger(&company).await;
    }
}

#[tokio::test]
async fn a_receivable_that_is_not_the_orders_is_refused() {
    let world = World::new().await;
    for cxc in [
        json!({"total": "117.00"}),
        json!({"total": "58.00"}),
        json!({"total": "116.00", "moneda": "USD", "tipo_cambio": "17"}),
    ] {
        let company = shop(&world).await;
        order(&company, json!({})).await;
        company.load(Resource::Cxc, &[with(&json!({"venta": 1}), cxc)]).await;
        refuses(&company, "order.invoice", &[(json!({"venta": 1}), "estado_invalido", "venta: su cuenta")]).await;
        // It can be cancelled, and captured as it is.
        did(company.run_by_name("sale.cancel", &json!({"venta": 1})).await);
        books::check_ledger(&company).await;
    }
}

#[tokio::test]
async fn what_was_paid_of_an_order_pays_its_delivered_part_first() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    order(&company, json!({"saldo": "50.00"})).await;
    fulfil(&company, 1).await;
    let part = did(company.run_by_name("order.invoice", &json!({"venta": 1})).await)["venta"].as_i64().expect("a part");
    let cxc = only(&ana, &format!("/cxc?venta={part}&estatus=pagado")).await;
    assert_eq!(pick(&cxc, &AMOUNTS), amounts("pagado", "58.00", "58.00", "0.00"));
    let left = found(&ana, "pedido", 1).await;
    assert_eq!(pick(&left, &["total", "saldo"]), json!({"total": "58.00", "saldo": "50.00"}));
    books::check_ledger(&company).await;

    // A receivable is about the whole order.
    let company = shop(&world).await;
    order(&company, json!({})).await;
    company.load(Resource::Cxc, &[json!({"venta": 1, "total": "116.00"})]).await;
    fulfil(&company, 1).await;
    refuses(&company, "order.invoice", &[(json!({"venta": 1}), "estado_invalido", "venta: su cuenta")]).await;
    fulfil(&company, 1).await;
    did(company.run_by_name("order.invoice", &json!({"venta": 1})).await);
    books::check_ledger(&company).await;
}

#[tokio::test]
async fn an_order_releases_no_more_than_is_reserved() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    order(&company, json!({})).await;
    did(company.run_by_name("stock.reserve", &json!({"sku": "A-1", "almacen": "001", "cantidad": -2})).await);
    fulfil(&company, 1).await;
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(4), json!(0))));
    did(company.run_by_name("sale.cancel", &json!({"venta": 1})).await);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(5), json!(0))));
    // Somebody may still release what is not reserved.
    did(company.run_by_name("stock.reserve", &json!({"sku": "A-1", "almacen": "001", "cantidad": -2})).await);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(5), json!(-2))));
}

#[tokio::test]
async fn goods_of_a_deleted_warehouse_return_to_the_main_one_and_deleted_products_are_counted_out() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let entered = json!({"sku": "A-1", "almacen": "002", "tipo": "ajuste_entrada", "cantidad": 2});
    did(company.run_by_name("stock.move", &entered).await);
    let sold = captured(&company, &with(&nails("venta"), json!({"almacen": "002"}))).await;
    let clave = only(&ana, "/almacenes?codigo=002").await["clave"].clone();
    did(company.run_by_name("warehouse.edit", &json!({"clave": clave, "estatus": "eliminado"})).await);
    did(company.run_by_name("product.delete", &json!({"clave": NAIL})).await);
    // A new product has its SKU.
    company.load(Resource::Productos, &[json!({"sku": "A-1", "descripcion": "Otro clavo"})]).await;
    did(company.run_by_name("sale.cancel", &json!({"venta": sold})).await);
    let held = only(&ana, "/inventario?almacen=001").await;
    assert_eq!(pick(&held, &["existencia", "apartado"]), json!({"existencia": 2, "apartado": 0}));
    books::check_ledger(&company).await;
    did(company.run_by_name("stock.count", &json!({"producto": NAIL, "almacen": "001", "existencia": 0})).await);
    let held = only(&ana, "/inventario?almacen=001").await;
    assert_eq!(held["existencia"], 0);
    books::check_ledger(&company).await;
    let again = json!({"producto": NAIL, "almacen": "001", "existencia": 3});
    refuses(&company, "stock.count", &[(again, "producto_invalido", "producto: ")]).await;
}
