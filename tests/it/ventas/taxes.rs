//! IEPS and the taxes that companies withhold from natural persons: of products and lines, in
//! totals, books and tax documents.

use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::stamping::{StampFailure, StampRequest, StampedXml, Stamper};
use svc_core::store::CompanyChange;
use svc_tests::lists::{pick, row};
use svc_tests::{Company, Resource, World, books, certificate};

use super::shop::{ANA, NAIL, invoiced, line, made, sale, shop, with};

/// Goods with IEPS by rate and by unit, and a fee with withheld taxes.
const POISON: i64 = 13;
const DRINK: i64 = 14;
const FEE: i64 = 15;

/// The shop of a natural person, with goods under other taxes.
async fn store(world: &World) -> Company {
    let company = shop(world).await;
    let person =
        CompanyChange { rfc: Some("CACX7605101P8".to_owned()), regimen: Some(612), ..CompanyChange::default() };
    company.edit(person).await;
    let csd = "../sat/csd/CACX7605101P8";
    company.run(&certificate::load(csd, csd)).await.expect("the certificate is loaded");
    let product = |sku: &str| json!({"sku": sku, "descripcion": sku, "unidad": 1});
    let poison = with(&product("P-13"), "ieps_tasa", json!("0.06"));
    let fee = with(&with(&product("F-15"), "retencion_isr", json!("0.1")), "retencion_iva", json!("0.106667"));
    company.load(Resource::Productos, &[poison, with(&product("D-14"), "ieps_cuota", json!("1.5")), fee]).await;
    company
        .load(
            Resource::Clientes,
            &[json!({"nombre": "Eva", "rfc": "GODE561231GR8", "regimen": 612, "cp": "06700", "uso_cfdi": "G03"})],
        )
        .await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Pesos"})]).await;
    company
}

/// Keeps the last document; stamps like the sandbox.
#[derive(Default)]
struct Keeper(std::sync::Mutex<Option<Cfdi>>);

#[async_trait::async_trait]
impl Stamper for Keeper {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        *self.0.lock().unwrap() = Some(Cfdi::read(&request.xml).expect("a document"));
        let uuid = uuid::Uuid::from_u128(request.id.bytes().fold(0, |folio, byte| folio << 8 | u128::from(byte)));
        svc_core::stamping::SandboxStamper::sign(request, uuid, "2026-10-12T18:00:05Z".parse().unwrap())
    }
}

impl Keeper {
    fn document(&self) -> Value {
        serde_json::to_value(self.0.lock().unwrap().take().expect("a document")).unwrap()
    }
}

fn on_credit(renglones: &[Value]) -> Value {
    let mut body = sale("pedido", renglones);
    for (field, value) in [("condicion_pago", "credito"), ("forma_pago_sat", "99"), ("metodo_pago_sat", "PPD")] {
        body[field] = json!(value);
    }
    body
}

#[tokio::test]
async fn a_sale_has_all_taxes_in_totals_lines_books_and_documents() {
    let world = World::new().await;
    let company = store(&world).await;
    let ana = company.admin().await;
    let lines = [
        line(POISON, 10, "100"),
        with(&line(DRINK, 4, "20"), "descuento", json!("10")),
        line(FEE, 1, "1000"),
        line(NAIL, 1, "10"),
    ];
    let answer = ana.post("/ventas", on_credit(&lines)).await.ok(201);
    // Of 1000, 70, 1000 and 10: IEPS 60 and 6; IVA of 1060, 76, 1000 and 10; withheld 100 and
    // 106.67.
    assert_eq!(
        answer,
        json!({"ok": true, "venta": 1, "tipo": "pedido", "folio": 1, "subtotal": "2090.00", "descuento": "10.00",
               "impuestos": "409.36", "total": "2282.69"})
    );
    let order = &ana.walk("/ventas?tipo=pedido").await[0];
    assert_eq!((&order["retenciones"], &order["saldo"]), (&json!("206.67"), &json!("2282.69")));
    let shown = ana.walk("/ventas-renglones?venta=1").await;
    let fields = ["iva", "ieps", "retenciones", "total"];
    let found: Vec<_> = shown.iter().map(|line| pick(line, &fields)).collect();
    assert_eq!(
        found,
        [
            row(&fields, json!(["169.60", "60.00", "0.00", "1229.60"])),
            row(&fields, json!(["12.16", "6.00", "0.00", "88.16"])),
            row(&fields, json!(["160.00", "0.00", "206.67", "953.33"])),
            row(&fields, json!(["1.60", "0.00", "0.00", "11.60"])),
        ]
    );
    invoiced(&ana, 1, json!({})).await.ok(202);
    let accounts =
        "SELECT array_agg(format('%s %s', cuenta, trunc(cargo - abono, 2)) ORDER BY cuenta) FROM polizas_renglones
                    WHERE cuenta NOT IN ('115.01', '501.01')";
    assert_eq!(
        world.sql::<Vec<String>>(accounts).await,
        [
            "105.01 2282.69",
            "113.01 106.67",
            "113.02 100.00",
            "209.01 -343.36",
            "209.02 -66.00",
            "401.01 -2090.00",
            "402.01 10.00"
        ]
    );
    let keeper = Keeper::default();
    assert_eq!(world.stamp(&keeper).await.timbrados, 1);
    let document = keeper.document();
    for (pointer, value) in [
        ("/Total", "2282.69"),
        ("/Impuestos/TotalImpuestosTrasladados", "409.36"),
        ("/Impuestos/TotalImpuestosRetenidos", "206.67"),
        ("/Impuestos/Retenciones/0/Impuesto", "001"),
        ("/Impuestos/Retenciones/1/Importe", "106.67"),
        ("/Conceptos/0/Impuestos/Traslados/0/Base", "1060.00"),
        ("/Conceptos/0/Impuestos/Traslados/1/TasaOCuota", "0.060000"),
        ("/Conceptos/1/Impuestos/Traslados/1/TipoFactor", "Cuota"),
        ("/Conceptos/1/Impuestos/Traslados/1/Base", "4.00"),
        ("/Conceptos/2/Impuestos/Retenciones/1/TasaOCuota", "0.106667"),
    ] {
        assert_eq!(document.pointer(pointer), Some(&json!(value)), "{pointer}: {document}");
    }
    // Half of it is paid, then the rest.
    for (importe, reference) in [("1141.35", "A"), ("1141.34", "B")] {
        let body = json!({"importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                          "referencia": reference});
        ana.post("/cxc/1/pagos", body).await.ok(201);
    }
    let collected = "SELECT array_agg(format('%s %s', cuenta, trunc(suma, 2)) ORDER BY cuenta) FROM (
                         SELECT cuenta, sum(cargo - abono) AS suma FROM polizas_renglones
                         WHERE cuenta ~ '^20' GROUP BY cuenta) s";
    assert_eq!(
        world.sql::<Vec<String>>(collected).await,
        ["208.01 -343.36", "208.02 -66.00", "209.01 0.00", "209.02 0.00"]
    );
    assert_eq!(world.stamp(&keeper).await.timbrados, 2);
    let totals = keeper.document()["Complemento"]["Pagos"]["Totales"].clone();
    assert_eq!(
        (&totals["TotalRetencionesISR"], &totals["TotalRetencionesIVA"]),
        (&json!("50.00"), &json!("53.33")),
        "{totals}"
    );
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_line_overrides_its_product_and_only_companies_withhold() {
    let world = World::new().await;
    let company = store(&world).await;
    let ana = company.admin().await;
    let totals = |answer: Value| {
        [answer["impuestos"].as_str().unwrap().to_owned(), answer["total"].as_str().unwrap().to_owned()]
    };
    let fee = line(FEE, 1, "1000");
    let table = [
        (ANA, fee.clone(), ["160.00", "953.33"]),
        (ANA, with(&with(&fee, "retencion_isr", json!("0.0125")), "retencion_iva", json!("0")), ["160.00", "1147.50"]),
        (ANA, with(&line(POISON, 1, "1000"), "ieps_tasa", json!("0")), ["160.00", "1160.00"]),
        (ANA, with(&line(POISON, 2, "500"), "ieps_cuota", json!(3)), ["166.96", "1166.96"]),
        (ANA, with(&line(NAIL, 1, "1000"), "ieps_tasa", json!("1.6")), ["2016.00", "3016.00"]),
        // Neither a natural person nor a customer without RFC withholds anything.
        (3, fee.clone(), ["160.00", "1160.00"]),
        (2, fee, ["160.00", "1160.00"]),
    ];
    for (cliente, line, expected) in table {
        let body = with(&sale("pedido", std::slice::from_ref(&line)), "cliente", json!(cliente));
        assert_eq!(totals(ana.post("/ventas", body).await.ok(201)), expected, "{cliente} {line}");
    }
    let captured = json!({"tipo": "venta", "cliente": ANA, "renglones": [line(FEE, 1, "1000")]});
    company.run_by_name("sale.capture", &captured).await.unwrap();
    assert_eq!(ana.walk("/ventas?tipo=venta").await[0]["retenciones"], "206.67");
    for (field, value, status, code) in [
        ("ieps_tasa", json!("0.07x"), 400, "dato_invalido"),
        ("ieps_tasa", json!("-0.07"), 400, "dato_invalido"),
        ("ieps_tasa", json!("0.11"), 422, "impuesto_incompatible"),
        ("retencion_isr", json!("0.36"), 422, "impuesto_incompatible"),
        ("retencion_iva", json!("1000"), 400, "dato_invalido"),
    ] {
        let refused = ana.post("/ventas", sale("pedido", &[with(&line(NAIL, 1, "10"), field, value.clone())])).await;
        refused.fails(status, code);
        assert!(refused.mensaje().starts_with(&format!("renglones[0].{field}: ")), "{value}: {}", refused.mensaje());
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn products_keep_their_rates() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let product =
        json!({"sku": "T-1", "descripcion": "Refresco", "unidad": 1, "ieps_cuota": "1.64", "retencion_isr": 0.0125});
    let producto = ana.post("/productos", product).await.ok(201)["producto"].clone();
    let stored = "SELECT to_jsonb(p)::text
                  FROM (SELECT ieps_tasa::text, ieps_cuota::text, retencion_isr::text, retencion_iva::text
                        FROM productos
                        WHERE sku = 'T-1') p";
    let rates = ["ieps_tasa", "ieps_cuota", "retencion_isr", "retencion_iva"];
    assert_eq!(world.json(stored).await, row(&rates, json!([null, "1.640000", "0.012500", null])));
    let url = format!("/productos/{producto}");
    ana.put(&url, json!({"ieps_cuota": null, "ieps_tasa": "0.265", "retencion_isr": ""})).await.ok(200);
    assert_eq!(world.json(stored).await, row(&rates, json!(["0.265000", null, null, null])));
    ana.put(&url, json!({"ieps_cuota": "1"})).await.fails(422, "impuesto_incompatible");
    ana.put(&url, json!({"ieps_tasa": "0.2"})).await.fails(422, "impuesto_incompatible");
    ana.put(&url, json!({"retencion_iva": true})).await.fails(400, "dato_invalido");
    ana.put(&url, json!({"retencion_iva": "0.16"})).await.ok(200);
    assert_eq!(world.json(stored).await, row(&rates, json!(["0.265000", null, null, "0.160000"])));
    let bad = company.import(Resource::Productos, &[json!({"sku": "U-1", "ieps_tasa": "0.2"})]).await.unwrap_err();
    assert!(bad.contains("ieps_tasa"), "{bad}");
    let venta = made(&ana, &sale("pedido", &[json!({"sku": "T-1", "cantidad": 1, "precio_unitario": "100"})])).await;
    assert_eq!(ana.walk(&format!("/ventas-renglones?venta={venta}")).await[0]["ieps"], "26.50");
}
