//! The IVA of the border regions hangs on the branch that sells and invoices, not on the company.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Company, Resource, World, authority, books};

const INLAND: &str = "06700";
const TIJUANA: &str = "22000";
/// Products: 16 %, 8 %, and not subject to the tax.
const NAIL: i64 = 1;
const CHEAP: i64 = 2;
const UNTAXED: i64 = 3;
/// Branches besides the head office: in Tijuana, inland, and without a postal code of its own.
const NORTH: i64 = 1;
const CENTRE: i64 = 2;
const NOWHERE: i64 = 3;

/// A company at this postal code that can invoice, with branches and their warehouses.
async fn shop(world: &World, cp: &str) -> Company {
    let company = world.company_with(CompanyChange { cp: Some(cp.to_owned()), ..CompanyChange::default() }).await;
    company.load_certificate().await;
    let product = |sku: &str, iva: &str, objeto: &str| {
        json!({"sku": sku, "descripcion": sku, "unidad": 1, "codigo_sat": "31161620", "iva_venta": iva,
               "objeto_impuesto": objeto})
    };
    let products = [product("A", "16", "02"), product("B", "8", "02"), product("C", "16", "01")];
    let ana = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
    let public = json!({"nombre": "Público", "rfc": "XAXX010101000", "regimen": 616, "cp": "06700", "uso_cfdi": "S01"});
    let branches = [
        json!({"clave": NORTH, "nombre": "Norte", "cp": TIJUANA}),
        json!({"clave": CENTRE, "nombre": "Centro", "cp": INLAND}),
        json!({"clave": NOWHERE, "nombre": "Nueva"}),
    ];
    let warehouses = [NORTH, CENTRE, NOWHERE]
        .map(|sucursal| json!({"codigo": format!("0{sucursal}0"), "sucursal": sucursal, "principal": true}));
    company.load(Resource::Productos, &products).await;
    company.load(Resource::Clientes, &[ana, public]).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Pesos"})]).await;
    company.load(Resource::Sucursales, &branches).await;
    company.load(Resource::Almacenes, &warehouses).await;
    company
}

/// One of a product at 100.00, with this IVA if it is not null.
fn line(producto: i64, iva: impl Into<Value>) -> Value {
    let iva: Value = iva.into();
    json!({"producto": producto, "cantidad": 1, "precio_unitario": "100", "iva": iva})
}

fn order(line: impl Into<Value>) -> Value {
    let line: Value = line.into();
    json!({"tipo": "pedido", "cliente": 1, "renglones": [line], "forma_pago_sat": "99", "metodo_pago_sat": "PPD"})
}

async fn captured(company: &Company, sucursal: i64, line: Value) -> Result<i64, String> {
    let mut body = order(line);
    body["sucursal"] = json!(sucursal);
    let made = company.run_by_name("sale.capture", &body).await;
    made.map(|made| made["venta"].as_i64().expect("a clave"))
        .map_err(|error| format!("{} {}", error.code().codigo(), error.mensaje()))
}

/// Moves the company to a postal code; the API knows it five seconds later.
async fn moves(company: &Company, cp: &str) {
    company.edit(CompanyChange { cp: Some(cp.to_owned()), ..CompanyChange::default() }).await;
    company.world.clock.advance(chrono::TimeDelta::seconds(5));
}

/// Stamps what waits and returns the XML of an invoice, which the authority's files take.
async fn stamped(company: &Company, ana: &Actor, factura: &Value) -> String {
    company.world.stamp(&SandboxStamper).await;
    let reply = ana.get(&format!("/facturas/{factura}/xml")).await;
    assert_eq!(reply.status, 200, "{factura}");
    let xml = String::from_utf8(reply.body.to_vec()).expect("UTF-8");
    authority::validate("border", &xml);
    xml
}

#[tokio::test]
async fn iva_8_is_for_what_a_border_branch_sells_whatever_the_company_s_place() {
    let world = World::new().await;
    let company = shop(&world, INLAND).await;
    let ana = company.admin().await;
    for refused in [line(CHEAP, Value::Null), line(NAIL, json!("8"))] {
        let reply = ana.post("/ventas", order(refused.clone())).await;
        reply.fails(422, "impuesto_incompatible");
        assert!(reply.mensaje().starts_with("renglones[0].iva: "), "{}", reply.mensaje());
        for sucursal in [0, CENTRE, NOWHERE] {
            let outcome = captured(&company, sucursal, refused.clone()).await.unwrap_err();
            assert!(outcome.starts_with("impuesto_incompatible renglones[0].iva: "), "{sucursal}: {outcome}");
        }
    }
    for sold in [line(CHEAP, Value::Null), line(NAIL, json!("8"))] {
        let venta = captured(&company, NORTH, sold).await.expect("the border branch sells");
        let made = company.run_by_name("order.invoice", &json!({"venta": venta})).await.expect("it is invoiced");
        let xml = stamped(&company, &ana, &made["factura"]).await;
        for part in ["TasaOCuota=\"0.080000\"", "Importe=\"8.00\"", "LugarExpedicion=\"22000\""] {
            assert!(xml.contains(part), "{part}: {xml}");
        }
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_border_branch_of_an_inland_company_takes_advances_at_8() {
    let world = World::new().await;
    let company = shop(&world, INLAND).await;
    let ana = company.admin().await;
    let mut input =
        json!({"cliente": 1, "importe": "108.00", "forma_pago_sat": "03", "cuenta_bancaria": 1, "iva": "8"});
    let refused = company.run_by_name("advance.capture", &input).await.unwrap_err();
    assert_eq!(refused.code().codigo(), "impuesto_incompatible", "{refused}");
    input["sucursal"] = json!(99);
    assert_eq!(company.run_by_name("advance.capture", &input).await.unwrap_err().code().codigo(), "almacen_invalido");
    input["sucursal"] = json!(NORTH);
    let advance = company.run_by_name("advance.capture", &input).await.expect("the border branch takes it");
    let xml = stamped(&company, &ana, &advance["factura"]).await;
    for part in ["TasaOCuota=\"0.080000\"", "LugarExpedicion=\"22000\"", "Serie=\"F1\""] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    let venta = captured(&company, NORTH, line(NAIL, json!("8"))).await.expect("an order");
    company.run_by_name("advance.apply", &json!({"venta": venta, "anticipo": advance["anticipo"]})).await.unwrap();
    company.run_by_name("order.invoice", &json!({"venta": venta})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    let notes = ana.walk("/facturas?tipo=nota_credito").await;
    let note = stamped(&company, &ana, &notes[0]["clave"]).await;
    for part in ["TipoRelacion=\"07\"", "TasaOCuota=\"0.080000\"", "LugarExpedicion=\"22000\""] {
        assert!(note.contains(part), "{part}: {note}");
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_line_says_its_iva() {
    let world = World::new().await;
    let company = shop(&world, INLAND).await;
    let ana = company.admin().await;
    for (producto, iva, tasa, impuestos) in [
        (CHEAP, json!("16"), json!("0.160000"), "16.00"),
        (CHEAP, json!("0"), json!("0.000000"), "0.00"),
        (NAIL, json!("EX"), json!("exento"), "0.00"),
        (NAIL, Value::Null, json!("0.160000"), "16.00"),
        (UNTAXED, json!("16"), Value::Null, "0.00"),
    ] {
        let made = ana.post("/ventas", order(line(producto, iva.clone()))).await.ok(201);
        assert_eq!(made["impuestos"], impuestos, "{producto} {iva}");
        let lines = ana.walk(&format!("/ventas-renglones?venta={}", made["venta"])).await;
        assert_eq!(lines[0]["iva_tasa"], tasa, "{producto} {iva}");
        let factura = ana.post(&format!("/ventas/{}/facturar", made["venta"]), json!({})).await.ok(202);
        stamped(&company, &ana, &factura["factura"]).await;
    }
    for (iva, status, codigo) in
        [(json!("17"), 422, "iva_invalido"), (json!("ex"), 422, "iva_invalido"), (json!(16), 400, "dato_invalido")]
    {
        let reply = ana.post("/ventas", order(line(NAIL, iva))).await;
        reply.fails(status, codigo);
        assert!(reply.mensaje().starts_with("renglones[0].iva: "), "{}", reply.mensaje());
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_border_rates_of_a_sale_are_validated_again_when_it_is_invoiced() {
    let world = World::new().await;
    let company = shop(&world, TIJUANA).await;
    let ana = company.admin().await;
    assert!(captured(&company, CENTRE, line(CHEAP, Value::Null)).await.is_err(), "its inland branch does not");
    let sold = ana.post("/ventas", order(line(CHEAP, Value::Null))).await.ok(201)["venta"].clone();
    let without = captured(&company, NOWHERE, line(CHEAP, Value::Null)).await.expect("it is where the company is");
    let invoiced = ana.post("/ventas", order(line(CHEAP, Value::Null))).await.ok(201)["venta"].clone();
    let factura = ana.post(&format!("/ventas/{invoiced}/facturar"), json!({})).await.ok(202)["factura"].clone();
    let rejected = json!({"factura": factura, "codigo": "CFDI40145", "mensaje": "Nombre"});
    company.run_by_name("invoice.rejected", &rejected).await.expect("it is rejected");

    moves(&company, INLAND).await;
    assert_eq!(ana.walk("/sucursales?clave=0").await[0]["cp"], INLAND, "the head office is where the company is");
    ana.post(&format!("/ventas/{sold}/facturar"), json!({})).await.fails(422, "impuesto_incompatible");
    for (action, input) in [
        ("order.invoice", json!({"venta": sold})),
        ("order.invoice", json!({"venta": without})),
        ("invoice.restamp", json!({"factura": factura})),
    ] {
        let error = company.run_by_name(action, &input).await.expect_err(action);
        assert_eq!(error.code().codigo(), "impuesto_incompatible", "{action}: {error}");
    }

    moves(&company, TIJUANA).await;
    let made = ana.post(&format!("/ventas/{sold}/facturar"), json!({})).await.ok(202);
    company.run_by_name("order.invoice", &json!({"venta": without})).await.expect("it is invoiced");
    company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.expect("it is built anew");
    for factura in [&made["factura"], &factura] {
        let xml = stamped(&company, &ana, factura).await;
        assert!(xml.contains("TasaOCuota=\"0.080000\"") && xml.contains("LugarExpedicion=\"22000\""), "{xml}");
    }
    books::check(&world, &company).await;
}

/// Runs an action that must succeed.
async fn did(company: &Company, action: &str, input: Value) -> Value {
    company.run_by_name(action, &input).await.unwrap_or_else(|error| panic!("{action} {input}: {error}"))
}

async fn refused(company: &Company, action: &str, input: Value) {
    let error = company.run_by_name(action, &input).await.expect_err(action);
    assert_eq!(error.code().codigo(), "impuesto_incompatible", "{action} {input}: {error}");
}

fn says(xml: &str, parts: &[&str]) {
    for part in parts {
        assert!(xml.contains(part), "{part}: {xml}");
    }
}

const BORDER: [&str; 2] = ["TasaOCuota=\"0.080000\"", "LugarExpedicion=\"22000\""];

#[tokio::test]
async fn a_quote_of_the_border_is_invoiced_from_there() {
    let world = World::new().await;
    let company = shop(&world, INLAND).await;
    let ana = company.admin().await;
    let mut quote = order(line(NAIL, json!("8")));
    quote["tipo"] = json!("cotizacion");
    quote["sucursal"] = json!(NORTH);
    for ordered in [false, true] {
        let venta = did(&company, "sale.capture", quote.clone()).await["venta"].clone();
        if ordered {
            did(&company, "quote.order", json!({"venta": venta})).await;
            let handed = json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": 0.25}]});
            did(&company, "order.fulfil", handed).await;
        }
        let made = did(&company, "order.invoice", json!({"venta": venta})).await;
        says(&stamped(&company, &ana, &made["factura"]).await, &BORDER);
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn documents_that_wait_keep_the_place_where_they_were_validated() {
    let world = World::new().await;
    let company = shop(&world, TIJUANA).await;
    let ana = company.admin().await;
    let venta = ana.post("/ventas", order(line(CHEAP, Value::Null))).await.ok(201)["venta"].clone();
    let made = ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    moves(&company, INLAND).await;
    says(&stamped(&company, &ana, &made["factura"]).await, &BORDER);
    // A substitute is made anew: only with another tax.
    let factura = &made["factura"];
    refused(&company, "invoice.substitute", json!({"factura": factura})).await;
    let same = json!({"factura": factura, "cambios": {"renglones": [line(CHEAP, Value::Null)]}});
    refused(&company, "invoice.substitute", same).await;
    refused(&company, "invoice.substitute", json!({"factura": factura, "cambios": {"uso_cfdi": "G01"}})).await;
    let other = json!({"factura": factura, "cambios": {"renglones": [line(CHEAP, json!("16"))]}});
    let substitute = did(&company, "invoice.substitute", other).await["factura"].clone();
    let xml = stamped(&company, &ana, &substitute).await;
    says(&xml, &["TasaOCuota=\"0.160000\"", "LugarExpedicion=\"06700\""]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_was_sold_at_the_border_is_paid_and_taken_back_after_the_move() {
    let world = World::new().await;
    let company = shop(&world, TIJUANA).await;
    let ana = company.admin().await;
    let mut sold = order(line(CHEAP, Value::Null));
    sold["renglones"][0]["cantidad"] = json!(4);
    let venta = ana.post("/ventas", sold).await.ok(201)["venta"].clone();
    let factura = ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202)["factura"].clone();
    stamped(&company, &ana, &factura).await;
    let back = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 1}],
                      "aplicar": true});
    let note = did(&company, "credit-note.capture", back.clone()).await["factura"].clone();
    let rejected = json!({"factura": note, "codigo": "CFDI40145", "mensaje": "Nombre"});
    did(&company, "invoice.rejected", rejected).await;
    moves(&company, INLAND).await;
    did(&company, "invoice.restamp", json!({"factura": note})).await;
    says(&stamped(&company, &ana, &note).await, &BORDER);
    let note = did(&company, "credit-note.capture", back).await["factura"].clone();
    says(&stamped(&company, &ana, &note).await, &BORDER);
    let cxc = ana.walk(&format!("/cxc?venta={venta}")).await[0].clone();
    assert_eq!(cxc["saldo"], "216.00");
    let paid = json!({"cxc": cxc["clave"], "importe": "216.00", "cuenta_bancaria": 1, "forma_pago_sat": "03",
                      "fecha": "2026-10-12", "referencia": "R"});
    did(&company, "payment.apply", paid).await;
    company.world.stamp(&SandboxStamper).await;
    let payments = ana.walk(&format!("/cxc-pagos?cxc={}", cxc["clave"])).await;
    let complement = payments.last().expect("a payment")["factura"].clone();
    let xml = stamped(&company, &ana, &complement).await;
    says(&xml, &["TasaOCuotaDR=\"0.080000\"", "LugarExpedicion=\"06700\""]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_advance_of_the_border_is_applied_and_given_back_after_the_move() {
    let world = World::new().await;
    let company = shop(&world, TIJUANA).await;
    let ana = company.admin().await;
    let advance = json!({"cliente": 1, "importe": "108", "iva": "8", "forma_pago_sat": "03", "cuenta_bancaria": 1});
    let made = did(&company, "advance.capture", advance.clone()).await;
    says(&stamped(&company, &ana, &made["factura"]).await, &BORDER);
    moves(&company, INLAND).await;
    refused(&company, "advance.capture", advance).await;
    let mut sold = order(line(NAIL, Value::Null));
    (sold["forma_pago_sat"], sold["metodo_pago_sat"]) = (json!("03"), json!("PUE"));
    let venta = ana.post("/ventas", sold).await.ok(201)["venta"].clone();
    let factura = ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202)["factura"].clone();
    says(&stamped(&company, &ana, &factura).await, &["TasaOCuota=\"0.160000\"", "LugarExpedicion=\"06700\""]);
    let cxc = ana.walk(&format!("/cxc?venta={venta}")).await[0]["clave"].clone();
    let applied = json!({"cxc": cxc, "importe": "54", "origen": "anticipo", "anticipo": made["anticipo"],
                         "fecha": "2026-10-12"});
    did(&company, "payment.apply", applied).await;
    let refund = json!({"anticipo": made["anticipo"], "importe": "54", "cuenta_bancaria": 1, "fecha": "2026-10-12",
                        "referencia": "R"});
    did(&company, "advance.refund", refund).await;
    company.world.stamp(&SandboxStamper).await;
    let notes: Vec<i64> = sqlx::query_scalar("SELECT factura FROM notas_credito WHERE empresa = $1 ORDER BY factura")
        .bind(company.id.0)
        .fetch_all(world.pool())
        .await
        .expect("notes");
    assert_eq!(notes.len(), 2);
    for note in notes {
        says(&stamped(&company, &ana, &json!(note)).await, &BORDER);
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn tickets_of_the_border_are_in_a_global_invoice_of_their_branch() {
    let world = World::new().await;
    let company = shop(&world, INLAND).await;
    let ana = company.admin().await;
    let mut tickets = Vec::new();
    for (sucursal, renglon) in
        [(NORTH, line(CHEAP, Value::Null)), (NORTH, line(NAIL, Value::Null)), (CENTRE, line(NAIL, Value::Null))]
    {
        let sold = json!({"tipo": "venta", "cliente": 2, "sucursal": sucursal, "renglones": [renglon],
                          "forma_pago_sat": "01"});
        tickets.push(did(&company, "sale.capture", sold).await["venta"].clone());
    }
    let october = json!({"periodicidad": "04", "mes": 10, "año": 2026});
    refused(&company, "invoice.global", october.clone()).await;
    let of = |ventas: &[Value]| {
        let mut input = october.clone();
        input["ventas"] = json!(ventas);
        input
    };
    let north = did(&company, "invoice.global", of(&tickets[..2])).await["factura"].clone();
    says(&stamped(&company, &ana, &north).await, &[BORDER[0], BORDER[1], "TasaOCuota=\"0.160000\""]);
    let centre = did(&company, "invoice.global", october).await;
    assert_eq!(centre["ventas"], json!([tickets[2]]));
    says(&stamped(&company, &ana, &centre["factura"]).await, &["LugarExpedicion=\"06700\""]);
    books::check(&world, &company).await;
}
