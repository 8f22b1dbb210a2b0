//! Customs declarations, property accounts and local taxes of lines, from the request to every
//! document that is made of them.

use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::stamping::SandboxStamper;
use svc_tests::imports::imports_what_it_exports;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused};
use super::global::sold;
use super::global_period::global;
use super::returns::{back, cxc, returned};
use super::tickets::{in_global, invoiced, of_ana};
use super::{ANA, FOOD, NAIL, NAMED, PUBLIC, Shop, line, order};
use crate::backoffice::shop::entries;

/// `line` with another field.
fn with(line: &Value, field: &str, value: Value) -> Value {
    let mut line = line.clone();
    line[field] = value;
    line
}

fn tax(tipo: &str, nombre: &str, tasa: &str) -> Value {
    json!({"tipo": tipo, "nombre": nombre, "tasa": tasa})
}

/// A night of 1,000.00 with 3 % for the state: 1,190.00.
fn night() -> Value {
    with(&line(NAIL, "1", "1000"), "impuestos_locales", json!([tax("traslado", "ISH", "0.03")]))
}

/// Three works of 333.33 with two local taxes withheld by the client.
fn works() -> Value {
    let withheld = [tax("retencion", "5 al millar", "0.005"), tax("retencion", "ICIC", "0.002")];
    with(&line(NAIL, "3", "333.33"), "impuestos_locales", json!(withheld))
}

async fn stamped(shop: &Shop, lines: &[Value]) -> (i64, i64, String) {
    let (venta, factura) = shop.invoice(order(lines)).await;
    shop.world().stamp(&SandboxStamper).await;
    let xml = document(shop, factura).await;
    (venta, factura, xml)
}

async fn sale(shop: &Shop, venta: i64) -> Value {
    let sale = shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
    pick(&sale, &["subtotal", "impuestos", "retenciones", "total", "saldo"])
}

fn has(xml: &str, parts: &[&str]) {
    for part in parts {
        assert!(xml.contains(part), "{part}: {xml}");
    }
}

async fn run(shop: &Shop, action: &str, input: Value) -> Value {
    shop.company.run_by_name(action, &input).await.unwrap_or_else(|error| panic!("{action} {input}: {error}"))
}

#[tokio::test]
async fn an_invoice_says_customs_declaration_and_property_account() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let rented = with(&line(NAIL, "1", "100"), "cuenta_predial", json!("15956011002"));
    let imported = with(&line(FOOD, "2", "50"), "numero_pedimento", json!("21 47 3807 8003832"));
    let (venta, _, xml) = stamped(&shop, &[rented, imported]).await;
    has(
        &xml,
        &[
            "<cfdi:CuentaPredial Numero=\"15956011002\"/>",
            "<cfdi:InformacionAduanera NumeroPedimento=\"21  47  3807  8003832\"/>",
        ],
    );
    assert!(!xml.contains("implocal"), "{xml}");
    // The list keeps its fields; the whole sale says all that can be written.
    let listed = shop.actor.get(&format!("/ventas-renglones?venta={venta}")).await.ok(200);
    assert!(listed["datos"][0].get("cuenta_predial").is_none(), "{listed}");
    let whole = run(&shop, "sale.get", json!({"clave": venta})).await;
    assert_eq!(
        [&whole["renglones"][0]["cuenta_predial"], &whole["renglones"][1]["numero_pedimento"]],
        [&json!("15956011002"), &json!("21  47  3807  8003832")]
    );
    let pdf = shop.actor.get("/facturas/1/pdf").await;
    assert_eq!(pdf.status, 200);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_local_tax_is_in_total_debt_ledger_document_and_payments() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura, xml) = stamped(&shop, &[night(), works()]).await;
    // 1,000.00 and 999.99; IVA 160.00 and 160.00; ISH 30.00; 5.00 and 2.00 withheld.
    assert_eq!(
        sale(&shop, venta).await,
        json!({"subtotal": "1999.99", "impuestos": "350.00", "retenciones": "7.00", "total": "2342.99", "saldo": "2342.99"})
    );
    has(
        &xml,
        &[
            "xmlns:implocal=\"http://www.sat.gob.mx/implocal\"",
            "http://www.sat.gob.mx/implocal http://www.sat.gob.mx/sitio_internet/cfd/implocal/implocal.xsd",
            " Total=\"2342.99\"",
            "TotalImpuestosTrasladados=\"320.00\"",
            "<implocal:ImpuestosLocales version=\"1.0\" TotaldeRetenciones=\"7.00\" TotaldeTraslados=\"30.00\">",
            "<implocal:RetencionesLocales ImpLocRetenido=\"5 al millar\" TasadeRetencion=\"0.50\" Importe=\"5.00\"/>",
            "<implocal:RetencionesLocales ImpLocRetenido=\"ICIC\" TasadeRetencion=\"0.20\" Importe=\"2.00\"/>",
            "<implocal:TrasladosLocales ImpLocTrasladado=\"ISH\" TasadeTraslado=\"3.00\" Importe=\"30.00\"/>",
        ],
    );
    let booked = entries(&shop.company, venta).await;
    for entry in ["113.08", "213.05"] {
        assert!(booked.iter().any(|line| line.contains(entry)), "{entry}: {booked:?}");
    }
    // Two payments of all of it: their complements add up to the federal taxes.
    let cxc = cxc(&shop, venta).await;
    shop.pay(cxc, "1000.00", "SPEI 1").await;
    let last = shop.pay(cxc, "1342.99", "SPEI 2").await;
    world.stamp(&SandboxStamper).await;
    let mut charged = rust_decimal::Decimal::ZERO;
    for pago in [last - 1, last] {
        let complement = shop.one(&format!("/cxc-pagos?clave={pago}")).await["factura"].as_i64().unwrap();
        let xml = document(&shop, complement).await;
        assert!(!xml.contains("implocal"), "{xml}");
        let paid = Cfdi::read(&xml).unwrap().complemento.unwrap().pagos.unwrap();
        charged += paid.totales.impuesto_iva_16.unwrap().get();
    }
    assert_eq!(charged.to_string(), "320.00");
    assert_eq!(shop.factura(factura).await["estatus"], "vigente");
    assert_eq!(shop.one(&format!("/cxc?clave={cxc}")).await["saldo"], "0.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn parts_of_a_line_come_back_with_their_local_taxes_to_the_cent() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let nights = with(&line(NAIL, "3", "33.33"), "impuestos_locales", json!([tax("traslado", "ISH", "0.025")]));
    let imported = with(&nights, "numero_pedimento", json!("21  47  3807  8003832"));
    let (venta, factura, _) = stamped(&shop, &[imported]).await;
    let total = sale(&shop, venta).await["total"].clone();
    let mut credited = Vec::new();
    for (tipo, what) in
        [("01", json!({"renglon": 1, "importe": "10.00"})), ("03", json!({"renglon": 1, "cantidad": 1}))]
    {
        let input = json!({"factura": factura, "tipo_relacion": tipo, "renglones": [what], "aplicar": true});
        let note = run(&shop, "credit-note.capture", input).await;
        world.stamp(&SandboxStamper).await;
        let xml = document(&shop, note["factura"].as_i64().unwrap()).await;
        has(&xml, &["TipoDeComprobante=\"E\"", "ImpLocTrasladado=\"ISH\" TasadeTraslado=\"2.50\""]);
        assert_eq!(xml.contains("NumeroPedimento"), tipo == "03", "only goods have a declaration: {xml}");
        credited.push(note["total"].as_str().unwrap().to_owned());
    }
    assert_eq!((total, credited), (json!("118.49"), vec!["11.85".to_owned(), "39.49".to_owned()]));
    // The rest comes back with the sale.
    let done = returned(&shop, back(venta, 2)).await;
    world.stamp(&SandboxStamper).await;
    document(&shop, done["factura"].as_i64().unwrap()).await;
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["saldo"], "0.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_s_local_taxes_are_in_the_global_invoice_and_in_its_own() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let ticket = sold(&shop, PUBLIC, &[with(&night(), "cuenta_predial", json!("A1"))]).await;
    let other = sold(&shop, PUBLIC, &[night(), line(FOOD, "1", "10")]).await;
    let mut october = json!({"periodicidad": "01", "mes": 10, "año": 2026, "ventas": [ticket, other]});
    let (factura, _) = global(&shop, october.clone()).await;
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, factura).await;
    has(&xml, &[" Total=\"2390.00\"", "TotaldeTraslados=\"60.00\"", "Importe=\"60.00\"/>"]);
    assert!(!xml.contains("CuentaPredial"), "a ticket is one concept: {xml}");
    // A customer's ticket leaves the global invoice with its local taxes.
    let own = of_ana(&shop, json!({"renglones": [night()]})).await;
    october["ventas"] = json!([own]);
    let whole = in_global(&shop, &[own]).await;
    world.stamp(&SandboxStamper).await;
    document(&shop, whole).await;
    let invoice = invoiced(&shop, own).await;
    world.stamp(&SandboxStamper).await;
    let note = shop.actor.walk(&format!("/facturas?venta={own}&tipo=nota_credito")).await;
    for document_of in [note[0]["clave"].as_i64().unwrap(), invoice] {
        let xml = document(&shop, document_of).await;
        has(&xml, &[" Total=\"1190.00\"", "TotaldeTraslados=\"30.00\""]);
    }
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_substitute_corrects_details_and_a_divided_order_keeps_them() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, old, _) = stamped(&shop, &[night()]).await;
    let two = with(
        &with(&line(NAIL, "1", "1000"), "impuestos_locales", json!([tax("traslado", "ISH", "0.0350")])),
        "cuenta_predial",
        json!("77A"),
    );
    let input = json!({"factura": old, "cambios": {"renglones": [two]}});
    let new = run(&shop, "invoice.substitute", input).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, new).await;
    has(&xml, &["TasadeTraslado=\"3.50\" Importe=\"35.00\"", "Numero=\"77A\"", "TipoRelacion=\"04\""]);
    let uuid = shop.factura(new).await["uuid"].clone();
    run(&shop, "invoice.cancel", json!({"factura": old, "motivo": "01", "uuid_sustitucion": uuid})).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(sale(&shop, venta).await["total"], "1195.00");
    let whole = run(&shop, "sale.get", json!({"clave": venta})).await;
    assert_eq!(whole["renglones"][0]["impuestos_locales"], json!([tax("traslado", "ISH", "0.035000")]));
    books::check(&world, &shop.company).await;
    // What was delivered of an order is invoiced: 1 of 3.
    let nights = with(&line(NAIL, "3", "33.33"), "impuestos_locales", json!([tax("traslado", "ISH", "0.025")]));
    let nights = with(&nights, "numero_pedimento", json!("214738078003832"));
    let pedido = shop.actor.post("/ventas", order(&[nights])).await.ok(201)["venta"].clone();
    run(&shop, "order.fulfil", json!({"venta": pedido, "renglones": [{"renglon": 1, "cantidad": 1}]})).await;
    let part = run(&shop, "order.invoice", json!({"venta": pedido})).await;
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, part["factura"].as_i64().unwrap()).await;
    has(&xml, &["Importe=\"0.83\"/></implocal", "NumeroPedimento=\"21  47  3807  8003832\"", " Total=\"39.49\""]);
    let rest = run(&shop, "sale.get", json!({"clave": pedido})).await;
    assert_eq!(
        pick(&rest["renglones"][0], &["cantidad", "numero_pedimento"]),
        json!({"cantidad": 2, "numero_pedimento": "21  47  3807  8003832"})
    );
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn only_companies_withhold_local_taxes() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = sold(&shop, NAMED, &[works()]).await;
    let ticket = shop.one(&format!("/ventas?tipo=venta&clave={venta}")).await;
    assert_eq!(pick(&ticket, &["retenciones", "total"]), json!({"retenciones": "0.00", "total": "1159.99"}));
    let (venta, ..) = stamped(&shop, &[works()]).await;
    assert_eq!(sale(&shop, venta).await["retenciones"], "7.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn wrong_details_are_refused_with_their_place() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let plain = line(NAIL, "1", "100");
    let taxes = |taxes: Value| with(&plain, "impuestos_locales", taxes);
    let many: Vec<Value> = (0..6).map(|n| tax("traslado", &format!("T{n}"), "0.01")).collect();
    for (line, field, code) in [
        (with(&plain, "numero_pedimento", json!("21 47 3807 800383")), "numero_pedimento", "dato_invalido"),
        (with(&plain, "numero_pedimento", json!("15 47 3807 8003832")), "numero_pedimento", "dato_invalido"),
        (with(&plain, "numero_pedimento", json!(7)), "numero_pedimento", "dato_invalido"),
        (with(&plain, "cuenta_predial", json!("12-3")), "cuenta_predial", "dato_invalido"),
        (with(&plain, "cuenta_predial", json!("1".repeat(151))), "cuenta_predial", "dato_invalido"),
        (taxes(json!([tax("traslado", "ISH", "0")])), "impuestos_locales[0].tasa", "dato_invalido"),
        (taxes(json!([tax("traslado", "ISH", "1.01")])), "impuestos_locales[0].tasa", "dato_invalido"),
        (taxes(json!([tax("traslado", "ISH", "0.03125")])), "impuestos_locales[0].tasa", "dato_invalido"),
        (taxes(json!([tax("otro", "ISH", "0.03")])), "impuestos_locales[0].tipo", "dato_invalido"),
        (taxes(json!([tax("traslado", "", "0.03")])), "impuestos_locales[0].nombre", "dato_requerido"),
        (taxes(json!([{"tipo": "traslado", "nombre": "ISH"}])), "impuestos_locales[0].tasa", "dato_requerido"),
        (
            taxes(json!([tax("traslado", "ISH", "0.03"), tax("traslado", "ISH", "0.02")])),
            "impuestos_locales[1].nombre",
            "dato_invalido",
        ),
        (
            taxes(json!([{"tipo": "traslado", "nombre": "ISH", "tasa": "0.03", "x": 1}])),
            "impuestos_locales[0].x",
            "campo_no_permitido",
        ),
        (taxes(json!(many)), "impuestos_locales", "dato_invalido"),
    ] {
        let reply = shop.actor.post("/ventas", order(std::slice::from_ref(&line))).await;
        reply.fails(400, code);
        assert!(reply.mensaje().starts_with(&format!("renglones[0].{field}")), "{line}: {}", reply.mensaje());
    }
    // An empty list is none, and so is null.
    for none in [json!(null), json!([])] {
        let made = shop.actor.post("/ventas", order(&[taxes(none.clone())])).await;
        assert!(made.status == 201 || none == json!([]), "{}", made.mensaje());
    }
    let advance = json!({"tipo": "anticipo", "cliente": ANA, "renglones": [night()]});
    refused(&shop, "sale.capture", advance, "impuesto_incompatible", "renglones[0].impuestos_locales").await;
}

#[tokio::test]
async fn lines_with_details_are_imported_and_exported() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, ..) = stamped(&shop, &[with(&night(), "cuenta_predial", json!("5A")), works()]).await;
    let sale = json!({"tipo": "venta", "cliente": PUBLIC, "subtotal": "1000", "impuestos": "190", "condicion_pago": "credito"});
    shop.company.load(Resource::Ventas, &[sale]).await;
    let imported = json!({
        "venta": venta + 1, "sku": "A-1", "cantidad": 1, "precio_unitario": "1000", "iva_tasa": "0.160000",
        "objeto_impuesto": "02", "codigo_sat": "90111501", "unidad_sat": "H87", "descripcion": "Noche",
        "numero_pedimento": "21-47-3807-8003832", "impuestos_locales": [tax("traslado", "ISH", "0.03")],
    });
    shop.company.load(Resource::VentasRenglones, std::slice::from_ref(&imported)).await;
    let whole = run(&shop, "sale.get", json!({"clave": venta + 1})).await;
    assert_eq!(
        pick(&whole["renglones"][0], &["total", "numero_pedimento"]),
        json!({"total": "1190.00", "numero_pedimento": "21  47  3807  8003832"})
    );
    let wrong = with(&imported, "impuestos_locales", json!([tax("traslado", "ISH", "0.00001")]));
    let refusal = shop.company.import(Resource::VentasRenglones, &[wrong]).await.unwrap_err();
    assert!(refusal.contains("impuestos_locales"), "{refusal}");
    let (factura, _) = global(&shop, json!({"periodicidad": "01", "mes": 10, "año": 2026})).await;
    world.stamp(&SandboxStamper).await;
    has(&document(&shop, factura).await, &["TotaldeTraslados=\"30.00\""]);
    imports_what_it_exports(&shop.company).await;
}
