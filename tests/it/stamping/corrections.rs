//! `invoice.substitute` with `cambios`: the sale becomes what the substitute says.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused, uuid};
use super::{ANA, FOOD, NAIL, NAMED, Shop, line, nails};
use crate::backoffice::shop::entries;

async fn run(shop: &Shop, action: &str, input: Value) -> Value {
    shop.company.run_by_name(action, &input).await.unwrap_or_else(|error| panic!("{action} {input}: {error}"))
}

async fn substitute(shop: &Shop, factura: i64, cambios: Value) -> i64 {
    let input = json!({"factura": factura, "cambios": cambios});
    run(shop, "invoice.substitute", input).await["factura"].as_i64().unwrap()
}

async fn reject(shop: &Shop, factura: i64) {
    run(shop, "invoice.rejected", json!({"factura": factura, "codigo": "CFDI40145", "mensaje": "No"})).await;
}

/// Stamps the substitute and cancels what it replaces; returns its document.
async fn replaced(shop: &Shop, old: i64, new: i64) -> String {
    let world = shop.world();
    world.stamp(&SandboxStamper).await;
    books::check(world, &shop.company).await;
    let xml = document(shop, new).await;
    assert!(xml.contains("TipoRelacion=\"04\"") && xml.contains(&uuid(shop, old).await), "{xml}");
    let input = json!({"factura": old, "motivo": "01", "uuid_sustitucion": uuid(shop, new).await});
    run(shop, "invoice.cancel", input).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(old).await["estatus"], "cancelada");
    books::check(world, &shop.company).await;
    xml
}

async fn stamped(shop: &Shop, order: Value) -> (i64, i64) {
    let (venta, factura) = shop.invoice(order).await;
    shop.world().stamp(&SandboxStamper).await;
    (venta, factura)
}

async fn sale(shop: &Shop, venta: i64) -> Value {
    let sale = shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
    pick(&sale, &["cliente", "subtotal", "total", "saldo", "factura", "folio", "condicion_pago", "metodo_pago_sat"])
}

async fn debt(shop: &Shop, venta: i64) -> Value {
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await;
    pick(&cxc, &["cliente", "total", "saldo", "factura", "folio", "metodo_pago_sat"])
}

async fn existence(shop: &Shop, sku: &str) -> Value {
    shop.one(&format!("/inventario?sku={sku}")).await["existencia"].clone()
}

#[tokio::test]
async fn corrected_lines_change_stock_receivable_and_entries() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, old) = stamped(&shop, nails()).await;
    let before = (sale(&shop, venta).await, debt(&shop, venta).await, existence(&shop, "A-1").await);
    let lines = json!([line(NAIL, "4", "90"), line(FOOD, "1", "20")]);
    let new = substitute(&shop, old, json!({"renglones": lines})).await;
    assert_eq!((sale(&shop, venta).await, debt(&shop, venta).await, existence(&shop, "A-1").await), before);
    // What would contradict the correction is refused until it is stamped or discarded.
    let pay = json!({"importe": "10.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "X"});
    shop.actor.post("/cxc/1/pagos", pay).await.fails(422, "cancelacion_en_curso");
    let note = json!({"factura": old, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 1}]});
    refused(&shop, "credit-note.capture", note, "estado_invalido", "sustituye").await;
    let xml = replaced(&shop, old, new).await;
    assert!(xml.contains(" Total=\"437.60\""), "{xml}");
    assert_eq!(
        sale(&shop, venta).await,
        json!({"cliente": ANA, "subtotal": "380.00", "total": "437.60", "saldo": "437.60", "factura": new, "folio": 2,
               "condicion_pago": "contado", "metodo_pago_sat": "PPD"})
    );
    assert_eq!(
        debt(&shop, venta).await,
        json!({"cliente": ANA, "total": "437.60", "saldo": "437.60", "factura": new, "folio": "F2",
               "metodo_pago_sat": "PPD"})
    );
    assert_eq!((existence(&shop, "A-1").await, existence(&shop, "B-2").await), (json!(-4), json!(-1)));
    assert_eq!(
        entries(&shop.company, venta).await,
        [
            "factura F1: 105.01 +1160.00 401.01 -1000.00 209.01 -160.00",
            "Cancelación: factura F1: 105.01 -1160.00 401.01 +1000.00 209.01 +160.00",
            "factura F2: 105.01 +437.60 401.01 -360.00 401.04 -20.00 209.01 -57.60",
        ]
    );
    // The new invoice is credited, and cancelled, as any other.
    let note = json!({"factura": new, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 4}]});
    let note = run(&shop, "credit-note.capture", note).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    document(&shop, note).await;
    assert_eq!(existence(&shop, "A-1").await, json!(0));
    for factura in [note, new] {
        run(&shop, "invoice.cancel", json!({"factura": factura, "motivo": "02"})).await;
        world.stamp(&SandboxStamper).await;
    }
    assert_eq!((existence(&shop, "A-1").await, existence(&shop, "B-2").await), (json!(0), json!(0)));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn fewer_lines_and_other_prices_move_what_changes() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut body = nails();
    body["renglones"] = json!([line(NAIL, "10", "100"), line(FOOD, "2", "10"), line(NAIL, "1", "5")]);
    let (venta, first) = stamped(&shop, body).await;
    let moved = world.count("movimientos_inventario").await;
    let prices = json!([line(NAIL, "10", "80"), line(FOOD, "2", "11"), line(NAIL, "1", "5")]);
    let second = substitute(&shop, first, json!({"renglones": prices})).await;
    replaced(&shop, first, second).await;
    assert_eq!(world.count("movimientos_inventario").await, moved, "the goods are the same");
    let third = substitute(&shop, second, json!({"renglones": [line(FOOD, "1", "10")]})).await;
    replaced(&shop, second, third).await;
    assert_eq!(shop.actor.walk(&format!("/ventas-renglones?venta={venta}")).await.len(), 1);
    assert_eq!((existence(&shop, "A-1").await, existence(&shop, "B-2").await), (json!(0), json!(-1)));
    let four: Vec<Value> = (1..5).map(|price| line(NAIL, "1", &price.to_string())).collect();
    let fourth = substitute(&shop, third, json!({"renglones": four})).await;
    replaced(&shop, third, fourth).await;
    assert_eq!(sale(&shop, venta).await["total"], "11.60");
}

#[tokio::test]
async fn the_receiver_and_the_terms_are_corrected() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, old) = stamped(&shop, nails()).await;
    let cambios =
        json!({"cliente": NAMED, "metodo_pago_sat": "PUE", "forma_pago_sat": "03", "condicion_pago": "credito"});
    let new = substitute(&shop, old, cambios).await;
    let xml = replaced(&shop, old, new).await;
    for part in
        ["Rfc=\"XAXX010101000\"", "UsoCFDI=\"S01\"", "MetodoPago=\"PUE\"", "FormaPago=\"03\"", " Total=\"1160.00\""]
    {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    assert_eq!(
        pick(&sale(&shop, venta).await, &["cliente", "total", "condicion_pago", "metodo_pago_sat"]),
        json!({"cliente": NAMED, "total": "1160.00", "condicion_pago": "credito", "metodo_pago_sat": "PUE"})
    );
    assert_eq!(
        pick(&debt(&shop, venta).await, &["cliente", "saldo", "metodo_pago_sat"]),
        json!({"cliente": NAMED, "saldo": "1160.00", "metodo_pago_sat": "PUE"})
    );
    assert_eq!(shop.factura(new).await["cliente"], json!(NAMED));
    assert_eq!(
        entries(&shop.company, venta).await,
        [
            "factura F1: 105.01 +1160.00 401.01 -1000.00 209.01 -160.00",
            "Cancelación: factura F1: 105.01 -1160.00 401.01 +1000.00 209.01 +160.00",
            "factura F2: 105.01 +1160.00 401.01 -1000.00 209.01 -160.00",
        ]
    );
    // It is paid by the new customer, without complement.
    let pago = shop.pay(1, "1160.00", "SPEI 1").await;
    let paid = shop.one(&format!("/cxc-pagos?clave={pago}")).await;
    assert_eq!([&paid["cliente"], &paid["complemento"]], [&json!(NAMED), &json!("no_aplica")]);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_days_of_credit_come_and_go_with_the_term() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    run(&shop, "customer.edit", json!({"clave": NAMED, "dias_credito": 15})).await;
    let (venta, cash) = stamped(&shop, nails()).await;
    let terms = async |old: i64, cambios: Value| {
        let new = substitute(&shop, old, cambios).await;
        let xml = replaced(&shop, old, new).await;
        let condition = xml.split_once("CondicionesDePago=\"").and_then(|(_, rest)| rest.split_once('"'));
        let sale = shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
        (new, condition.map(|(text, _)| text.to_owned()), pick(&sale, &["condicion_pago", "dias_credito"]))
    };
    let credit =
        json!({"cliente": NAMED, "condicion_pago": "credito", "metodo_pago_sat": "PPD", "forma_pago_sat": "99"});
    let (on_credit, condition, stored) = terms(cash, credit).await;
    assert_eq!(condition.as_deref(), Some("Crédito a 15 días"));
    assert_eq!(stored, json!({"condicion_pago": "credito", "dias_credito": 15}));

    run(&shop, "customer.edit", json!({"clave": NAMED, "dias_credito": 40})).await;
    let (other, condition, stored) = terms(on_credit, json!({"metodo_pago_sat": "PUE", "forma_pago_sat": "03"})).await;
    assert_eq!(condition.as_deref(), Some("Crédito a 15 días"), "the term stays, so do its days");
    assert_eq!(stored, json!({"condicion_pago": "credito", "dias_credito": 15}));

    let (_, condition, stored) = terms(other, json!({"condicion_pago": "contado"})).await;
    assert_eq!(condition.as_deref(), Some("Contado"));
    assert_eq!(stored, json!({"condicion_pago": "contado", "dias_credito": null}));
}

#[tokio::test]
async fn a_rejected_correction_is_reissued_or_discarded_and_the_sale_stays() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut body = nails();
    (body["moneda"], body["tipo_cambio"]) = (json!("USD"), json!("17.123456"));
    let (venta, old) = stamped(&shop, body).await;
    let before = (sale(&shop, venta).await, debt(&shop, venta).await, existence(&shop, "A-1").await);
    let first = substitute(&shop, old, json!({"renglones": [line(NAIL, "3", "33.335")]})).await;
    reject(&shop, first).await;
    run(&shop, "document.discard", json!({"factura": first})).await;
    assert_eq!((sale(&shop, venta).await, debt(&shop, venta).await, existence(&shop, "A-1").await), before);
    books::check(&world, &shop.company).await;
    let second = substitute(&shop, old, json!({"renglones": [line(NAIL, "3", "33.335")]})).await;
    reject(&shop, second).await;
    run(&shop, "invoice.restamp", json!({"factura": second})).await;
    let xml = replaced(&shop, old, second).await;
    assert!(xml.contains(" Total=\"116.01\"") && xml.contains("Moneda=\"USD\""), "{xml}");
    assert_eq!(debt(&shop, venta).await["saldo"], "116.01");
}

#[tokio::test]
async fn impossible_corrections_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = stamped(&shop, nails()).await;
    for (cambios, code, text) in [
        (json!({"cliente": 99}), "cliente_invalido", ""),
        (json!({"uso_cfdi": "D01"}), "uso_cfdi_incompatible", ""),
        (json!({"forma_pago_sat": "03"}), "forma_pago_incompatible", ""),
        (json!({"metodo_pago_sat": "XXX"}), "dato_invalido", "metodo_pago_sat"),
        (json!({"renglones": []}), "dato_requerido", "renglones"),
        (json!({"renglones": [line(99, "1", "1")]}), "producto_invalido", ""),
        (json!({"renglones": [line(NAIL, "1", "0")]}), "documento_invalido", "renglón 1"),
        (json!({"folio": 1}), "campo_no_permitido", "folio"),
    ] {
        refused(&shop, "invoice.substitute", json!({"factura": factura, "cambios": cambios}), code, text).await;
    }
    let mut cash = nails();
    (cash["metodo_pago_sat"], cash["forma_pago_sat"]) = (json!("PUE"), json!("03"));
    let (_, factura) = stamped(&shop, cash).await;
    let pago = shop.pay(2, "1.00", "SPEI 1").await;
    let input = json!({"factura": factura, "cambios": {"uso_cfdi": "G01"}});
    refused(&shop, "invoice.substitute", input, "estado_invalido", &format!("pagos aplicados ({pago})")).await;
    books::check(&world, &shop.company).await;
}

/// An imported invoice of two nails, 232.00, without a receivable. `saldo` of it is still owed.
async fn imported(shop: &Shop, saldo: &str) {
    let sold = json!({"tipo": "factura", "serie": "V", "folio": 7, "cliente": ANA, "subtotal": "200.00",
                      "impuestos": "32.00", "total": "232.00", "saldo": saldo, "condicion_pago": "contado",
                      "metodo_pago_sat": "PUE", "forma_pago_sat": "03", "uso_cfdi": "G03"});
    shop.company.load(Resource::Ventas, &[sold]).await;
    let sold = json!({"venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 2,
                      "precio_unitario": "100.00", "iva_tasa": "0.160000", "iva": "32.00"});
    shop.company.load(Resource::VentasRenglones, &[sold]).await;
    let record = json!({"venta": 1, "cliente": ANA, "uuid": "6e1b6d30-3f0f-4b53-8cd2-2e0d0b8f6a01", "serie": "V",
                        "folio": "7"});
    shop.company.load(Resource::Facturas, &[record]).await;
}

#[tokio::test]
async fn an_imported_invoice_that_was_paid_stays_paid() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    imported(&shop, "0.00").await;
    let lines = |price: &str| json!({"factura": 1, "cambios": {"renglones": [line(NAIL, "1", price)]}});
    refused(&shop, "invoice.substitute", lines("199.00"), "estado_invalido", "se pagaron 232.00").await;
    refused(&shop, "invoice.substitute", lines("201.00"), "estado_invalido", "no tiene cuenta por cobrar").await;
    let new = run(&shop, "invoice.substitute", lines("200.00")).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let cancel = json!({"factura": 1, "motivo": "01", "uuid_sustitucion": uuid(&shop, new).await});
    run(&shop, "invoice.cancel", cancel).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(1).await["estatus"], "cancelada");
    let sale = sale(&shop, 1).await;
    assert_eq!([&sale["total"], &sale["saldo"], &sale["factura"]], [&json!("232.00"), &json!("0.00"), &json!(new)]);
    assert_eq!(shop.company.export(Resource::Cxc).await, Vec::<Value>::new());
    let owed = "SELECT to_jsonb(coalesce(sum(cargo - abono), 0)::text)::text FROM polizas_renglones
                WHERE coalesce(codigo, cuenta) LIKE '105%'";
    assert_eq!(world.json(owed).await, json!("0.000000"));
}

#[tokio::test]
async fn what_is_owed_of_an_imported_invoice_has_a_receivable_after_its_substitute() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    imported(&shop, "182.00").await;
    let lines = json!({"factura": 1, "cambios": {"renglones": [line(NAIL, "1", "100.00")]}});
    let new = run(&shop, "invoice.substitute", lines).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let cancel = json!({"factura": 1, "motivo": "01", "uuid_sustitucion": uuid(&shop, new).await});
    run(&shop, "invoice.cancel", cancel).await;
    world.stamp(&SandboxStamper).await;
    let owed = &shop.company.export(Resource::Cxc).await[0];
    assert_eq!([&owed["total"], &owed["pagado"], &owed["saldo"]], ["116.00", "50.00", "66.00"]);
    shop.pay(owed["clave"].as_i64().unwrap(), "66.00", "SPEI 1").await;
    assert_eq!(sale(&shop, 1).await["saldo"], "0.00");
    books::check_ledger(&shop.company).await;
}
