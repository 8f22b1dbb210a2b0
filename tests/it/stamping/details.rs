//! Small things that a document must say right: quotas in another currency, tax ids of foreigners,
//! hours of payments, folios of branches, and why a currency is refused.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::{Resource, World, authority, books};

use super::{ABROAD, NAIL, Shop, line, nails, order};

/// A soft drink with an IEPS of 3 pesos a unit.
const DRINK: i64 = 6;
const USA: i64 = 264;

async fn shop(world: &World) -> Shop {
    let shop = Shop::new(world).await;
    let drink =
        json!({"sku": "F-6", "descripcion": "Refresco", "unidad": 1, "codigo_sat": "50202306", "ieps_cuota": "3"});
    shop.company.load(Resource::Productos, &[drink]).await;
    shop
}

fn with(mut order: Value, change: Value) -> Value {
    let Value::Object(change) = change else { panic!("an object") };
    order.as_object_mut().expect("an object").extend(change);
    order
}

impl Shop {
    /// The stamped document of a record, which the authority's files take.
    async fn stamped(&self, factura: &Value) -> String {
        self.world().stamp(&SandboxStamper).await;
        let reply = self.actor.get(&format!("/facturas/{factura}/xml")).await;
        assert_eq!(reply.status, 200, "{factura}");
        let xml = String::from_utf8(reply.body.to_vec()).expect("UTF-8");
        authority::validate("details", &xml);
        xml
    }

    async fn refuses(&self, action: &str, input: Value, codigo: &str, said: &str) {
        let error = self.company.run_by_name(action, &input).await.expect_err(action);
        assert_eq!(error.code().codigo(), codigo, "{action}: {error}");
        assert!(error.mensaje().starts_with(said), "{action}: {error}");
    }
}

#[tokio::test]
async fn an_ieps_quota_is_pesos_whatever_the_currency() {
    let world = World::new().await;
    let shop = shop(&world).await;
    let dollars = json!({"moneda": "USD", "tipo_cambio": "17.5"});
    let sold = with(order(&[line(DRINK, "10", "100")]), dollars.clone());
    // 3 ÷ 17.5 is 0.171429 dollars a unit.
    let made = shop.actor.post("/ventas", sold.clone()).await.ok(201);
    assert_eq!([&made["impuestos"], &made["total"]], ["161.98", "1161.98"]);
    let (_, factura) = shop.invoice(sold.clone()).await;
    let xml = shop.stamped(&json!(factura)).await;
    for part in ["TipoFactor=\"Cuota\" TasaOCuota=\"0.171429\" Importe=\"1.71\"", "Total=\"1161.98\""] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    // The application's documents, and a quota of the line's own.
    let mut own = sold;
    own["renglones"][0]["ieps_cuota"] = json!("1.75");
    let captured = shop.company.run_by_name("sale.capture", &own).await.expect("it is captured");
    let lines = shop.actor.walk(&format!("/ventas-renglones?venta={}", captured["venta"])).await;
    assert_eq!(lines[0]["ieps"], "1.00");
    // In pesos nothing is converted; in a weak currency the catalogue ends.
    let pesos = shop.actor.post("/ventas", order(&[line(DRINK, "10", "100")])).await.ok(201);
    assert_eq!(pesos["impuestos"], "194.80", "30.00 and 16 % of 1,030");
    let weak = with(order(&[line(DRINK, "1", "100")]), json!({"moneda": "COP", "tipo_cambio": "0.005"}));
    let reply = shop.actor.post("/ventas", weak).await;
    reply.fails(422, "impuesto_incompatible");
    assert!(reply.mensaje().starts_with("renglones[0].ieps_cuota: "), "{}", reply.mensaje());
    let tiny = with(order(&[line(DRINK, "1", "100")]), json!({"moneda": "USD", "tipo_cambio": "999999999999"}));
    assert_eq!(shop.actor.post("/ventas", tiny).await.ok(201)["impuestos"], "16.00", "nothing is left of the quota");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn an_ieps_quota_returned_in_three_parts_is_credited_once() {
    let world = World::new().await;
    let shop = shop(&world).await;
    let mut sold = order(&[line(DRINK, "3", "10")]);
    sold["renglones"][0]["ieps_cuota"] = json!("0.335");
    // 1.005 is charged as 1.01; three times 0.335 would be 1.02.
    let (venta, factura) = shop.invoice(sold).await;
    shop.stamped(&json!(factura)).await;
    let charged = shop.actor.walk(&format!("/ventas-renglones?venta={venta}")).await[0].clone();
    assert_eq!(charged["ieps"], "1.01");
    for _ in 0..3 {
        let note = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 1}],
                          "aplicar": true});
        let note = shop.company.run_by_name("credit-note.capture", &note).await.expect("a note");
        shop.stamped(&note["factura"]).await;
    }
    let credited: String =
        world.sql("SELECT sum(ieps)::text || ' ' || sum(total)::text FROM notas_credito_renglones").await;
    let [ieps, total] = ["ieps", "total"].map(|field| charged[field].as_str().expect("an amount").to_owned());
    let parts: Vec<&str> = credited.split(' ').map(|amount| amount.trim_end_matches("0000")).collect();
    assert_eq!(parts, [ieps, total]);
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["saldo"], "0.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_foreigner_s_tax_id_has_the_form_of_its_country() {
    let world = World::new().await;
    let shop = shop(&world).await;
    let edit = |fields: Value| with(json!({"clave": ABROAD}), fields);
    for id in ["12-3456789", "12345678", "1234567890", "12345678A"] {
        let input = edit(json!({"pais": USA, "num_reg_id_trib": id}));
        shop.refuses("customer.edit", input, "pais_invalido", "num_reg_id_trib: ").await;
    }
    // Of Germany the catalogue does not say.
    let german = edit(json!({"pais": 89, "num_reg_id_trib": "DE-1"}));
    shop.company.run_by_name("customer.edit", &german).await.expect("it is edited");
    shop.actor.put(&format!("/clientes/{ABROAD}"), json!({"pais": USA})).await.fails(422, "pais_invalido");
    let american = edit(json!({"pais": USA, "num_reg_id_trib": "123456789"}));
    shop.company.run_by_name("customer.edit", &american).await.expect("it is edited");
    let bad = json!({"nombre": "Acme", "rfc": "XEXX010101000", "pais": USA, "num_reg_id_trib": "12-3456789"});
    let refused = shop.company.import(Resource::Clientes, &[bad]).await.unwrap_err();
    assert!(refused.contains("num_reg_id_trib"), "{refused}");

    let sold = with(nails(), json!({"cliente": ABROAD}));
    let (_, factura) = shop.invoice(sold.clone()).await;
    let xml = shop.stamped(&json!(factura)).await;
    assert!(xml.contains("ResidenciaFiscal=\"USA\" NumRegIdTrib=\"123456789\""), "{xml}");
    // What an older system left is found before the document.
    world.run("UPDATE clientes SET num_reg_id_trib = '12-3456789' WHERE clave = 4").await;
    let venta = shop.actor.post("/ventas", sold).await.ok(201)["venta"].clone();
    let reply = shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await;
    reply.fails(422, "documento_invalido");
    assert!(reply.mensaje().contains("num_reg_id_trib"), "{}", reply.mensaje());
    shop.refuses("order.invoice", json!({"venta": venta}), "documento_invalido", "el cliente no tiene un num_reg")
        .await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_payment_of_this_morning_is_not_in_the_future() {
    let world = World::new().await;
    let shop = shop(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    shop.stamped(&json!(factura)).await;
    // At eight in the morning of the next day, in Mexico City.
    world.clock.advance(TimeDelta::hours(20));
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await["clave"].clone();
    let pay = |fecha: &str| {
        json!({"cxc": cxc, "importe": "100", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": fecha,
               "referencia": fecha})
    };
    for fecha in ["2026-10-13", "2026-10-12"] {
        shop.company.run_by_name("payment.apply", &pay(fecha)).await.expect("it is paid");
    }
    let payments = shop.actor.walk("/cxc-pagos").await;
    for (payment, hour) in payments.iter().zip(["2026-10-13T08:00:00", "2026-10-12T12:00:00"]) {
        let xml = shop.stamped(&payment["factura"]).await;
        assert!(xml.contains(&format!("FechaPago=\"{hour}\"")), "{hour}: {xml}");
    }
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_folios_of_head_office_and_branch_1_read_differently() {
    let world = World::new().await;
    let shop = shop(&world).await;
    shop.company.load(Resource::Sucursales, &[json!({"clave": 1, "nombre": "Norte"})]).await;
    shop.company.load(Resource::Almacenes, &[json!({"codigo": "010", "sucursal": 1, "principal": true})]).await;
    for (sucursal, folio) in [(0, "F1"), (1, "F1-1"), (1, "F1-2")] {
        let sold = with(nails(), json!({"sucursal": sucursal}));
        let venta = shop.company.run_by_name("sale.capture", &sold).await.expect("it is captured")["venta"].clone();
        shop.company.run_by_name("order.invoice", &json!({"venta": venta})).await.expect("it is invoiced");
        assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["folio"], folio);
        let moved = shop.one(&format!("/movimientos-inventario?venta={venta}")).await;
        assert_eq!(moved["referencia"], folio);
    }
    books::check(&world, &shop.company).await;

    // What a credit note of the branch took back leaves again with its cancellation.
    let did = async |action: &str, input: Value| {
        shop.company.run_by_name(action, &input).await.unwrap_or_else(|error| panic!("{action}: {error}"))
    };
    world.stamp(&SandboxStamper).await;
    let back = json!({"factura": 3, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 1}]});
    let note = did("credit-note.capture", back).await["factura"].clone();
    shop.stamped(&note).await;
    let stock = "SELECT sum(existencia)::text FROM inventario";
    let with_note = world.sql::<String>(stock).await;
    did("invoice.cancel", json!({"factura": note, "motivo": "02"})).await;
    world.stamp(&SandboxStamper).await;
    let record = shop.factura(note.as_i64().expect("a clave")).await;
    assert_eq!(record["estatus"], "cancelada");
    assert_ne!(world.sql::<String>(stock).await, with_note);
    let moved = shop.actor.walk("/movimientos-inventario?venta=3").await;
    let referencias: Vec<&Value> = moved.iter().map(|moved| &moved["referencia"]).collect();
    assert_eq!(referencias, ["F1-2", "N1-1", "N1-1"]);
    books::check(&world, &shop.company).await;

    // A substitute's folio is the receivable's, and a discarded one's is the order's again.
    let substitute = did("invoice.substitute", json!({"factura": 3})).await["factura"].clone();
    shop.stamped(&substitute).await;
    assert_eq!(shop.one("/cxc?venta=3").await["folio"], "F1-3");
    let sold = with(
        nails(),
        json!({"sucursal": 1, "condicion_pago": "credito", "metodo_pago_sat": "PPD",
                                    "forma_pago_sat": "99"}),
    );
    let venta = did("sale.capture", sold).await["venta"].clone();
    let lines = json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": 10}]});
    did("order.fulfil", lines).await;
    let folio = shop.one(&format!("/cxc?venta={venta}")).await["folio"].clone();
    let made = did("order.invoice", json!({"venta": venta})).await["factura"].clone();
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["folio"], "F1-4");
    did("invoice.rejected", json!({"factura": made, "codigo": "CFDI40145", "mensaje": "Nombre"})).await;
    did("document.discard", json!({"factura": made})).await;
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["folio"], folio);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_refused_currency_says_why() {
    let world = World::new().await;
    let shop = shop(&world).await;
    for (moneda, said) in [
        ("JPY", "moneda: los importes llevan dos decimales, y JPY no los admite"),
        ("XXX", "moneda: los importes llevan dos decimales, y XXX no los admite"),
        ("mxn", "moneda: la clave va en mayúsculas: MXN"),
        ("usd", "moneda: la clave va en mayúsculas: USD"),
        ("ABC", "moneda: no está en el catálogo del SAT"),
    ] {
        let rate = if matches!(moneda, "JPY" | "XXX" | "usd") { json!("1") } else { Value::Null };
        let sold = with(order(&[line(NAIL, "1", "1")]), json!({"moneda": moneda, "tipo_cambio": rate}));
        let reply = shop.actor.post("/ventas", sold.clone()).await;
        reply.fails(422, "moneda_invalida");
        assert_eq!(reply.mensaje(), said);
        shop.refuses("sale.capture", sold, "moneda_invalida", said).await;
    }
    let purchase = json!({"total": "1", "moneda": "mxn"});
    shop.refuses("payable.capture", purchase, "moneda_invalida", "moneda: la clave va en mayúsculas: MXN").await;
}

#[tokio::test]
async fn a_discount_on_goods_with_nothing_but_an_ieps_quota_gives_back_no_ieps() {
    let world = World::new().await;
    let shop = shop(&world).await;
    let quota = json!({"sku": "G-7", "descripcion": "Cuota", "unidad": 1, "codigo_sat": "50202306",
                       "objeto_impuesto": "07", "ieps_cuota": "3"});
    shop.company.load(Resource::Productos, &[quota]).await;
    let (_, factura) = shop.invoice(order(&[line(7, "10", "100")])).await;
    assert!(shop.stamped(&json!(factura)).await.contains("ObjetoImp=\"07\""));
    let note = json!({"factura": factura, "tipo_relacion": "01", "renglones": [{"renglon": 1, "importe": "100.00"}]});
    let note = shop.company.run_by_name("credit-note.capture", &note).await.expect("a note");
    assert_eq!(note["total"], "100.00");
    let xml = shop.stamped(&note["factura"]).await;
    assert!(xml.contains("ObjetoImp=\"08\"") && !xml.contains("cfdi:Impuestos"), "{xml}");
    // Goods that come back bring their quota with them.
    let back = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 2}]});
    let back = shop.company.run_by_name("credit-note.capture", &back).await.expect("a return");
    assert!(shop.stamped(&back["factura"]).await.contains("ObjetoImp=\"07\""));
    books::check(&world, &shop.company).await;
}
