//! `payable.edit`, `payable.cancel`, `payable.payment-cancel`, and the taxes of payables and
//! purchases.

use serde_json::{Value, json};
use svc_tests::{Actor, Company, Resource, World, books};

use super::ledger::balance;
use super::shop::{only, shop, with};
use super::{did, refuses};

const UUID: &str = "6128396f-c09b-4ec6-8699-43c5f7e3b230";

/// The shop with suppliers 1 and 2.
pub(super) async fn office(world: &World) -> (Company, Actor) {
    let company = shop(world).await;
    company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"}), json!({"nombre": "Luz SA"})]).await;
    let ana = company.admin().await;
    (company, ana)
}

pub(super) fn pay(cxp: i64, importe: &str, cuenta: impl Into<Value>, referencia: &str) -> Value {
    let cuenta: Value = cuenta.into();
    json!({"cxp": cxp, "importe": importe, "cuenta_bancaria": cuenta, "fecha": "2026-10-12", "referencia": referencia})
}

pub(super) async fn payable(ana: &Actor, cxp: i64) -> Value {
    for estatus in ["pendiente", "pagado", "cancelado"] {
        if let [found] = ana.walk(&format!("/cxp?clave={cxp}&estatus={estatus}")).await.as_slice() {
            return found.clone();
        }
    }
    panic!("there is no payable {cxp}");
}

pub(super) fn state(payable: &Value) -> [&str; 3] {
    ["estatus", "pagado", "saldo"].map(|field| payable[field].as_str().expect("a text"))
}

/// All entries in order: subject, day and lines.
pub(super) async fn entries(company: &Company) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT p.concepto || ' ' || p.fecha || ':' || string_agg(format(' %s %s', r.cuenta,
                    CASE WHEN r.cargo > 0 THEN to_char(r.cargo, 'FM+999990.00') ELSE to_char(-r.abono, 'FM999990.00') END),
                '' ORDER BY r.renglon)
         FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
         WHERE p.empresa = $1 GROUP BY p.clave, p.concepto, p.fecha ORDER BY p.clave",
    )
    .bind(company.id.0)
    .fetch_all(company.world.pool())
    .await
    .expect("the entries")
}

/// The accounts with a balance.
pub(super) async fn open_accounts(company: &Company) -> Vec<String> {
    let rows = balance(company, json!({})).await;
    rows.into_iter().filter(|row| !row.ends_with("= 0.00")).collect()
}

#[tokio::test]
async fn a_payment_of_a_payable_is_cancelled_and_then_the_payable() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let bill = json!({"total": "116.00", "iva": "16.00", "uuid": UUID, "proveedor": 1});
    did(company.run_by_name("payable.capture", &bill).await);
    let paid = did(company.run_by_name("payable.pay", &pay(1, "58.00", json!(1), "SPEI")).await);
    assert_eq!(paid, json!({"cxp": 1, "pago": 1}));
    did(company.run_by_name("payable.pay", &pay(1, "58.00", Value::Null, "EFECTIVO")).await);
    assert_eq!(state(&payable(&ana, 1).await), ["pagado", "116.00", "0.00"]);
    let standing = "tiene pagos (1, 2), que se cancelan antes con payable.payment-cancel";
    refuses(&company, "payable.cancel", &[(json!({"cxp": 1}), "estado_invalido", &format!("cxp: {standing}"))]).await;
    let dearer = json!({"clave": 1, "total": "120.00"});
    refuses(&company, "payable.edit", &[(dearer, "estado_invalido", &format!("clave: {standing}"))]).await;
    // What nothing is posted of can be changed all the same.
    did(company.run_by_name("payable.edit", &json!({"clave": 1, "concepto": "Luz", "total": "116"})).await);
    assert_eq!(payable(&ana, 1).await["concepto"], "Luz");

    let first = json!({"pago": 1});
    let (one, two) = tokio::join!(
        company.run_by_name("payable.payment-cancel", &first),
        company.run_by_name("payable.payment-cancel", &first)
    );
    assert_eq!([&one, &two].iter().filter(|outcome| outcome.is_ok()).count(), 1, "{one:?} {two:?}");
    assert_eq!(state(&payable(&ana, 1).await), ["pendiente", "58.00", "58.00"]);
    books::check(&world, &company).await;
    let other = world.company().await;
    refuses(&other, "payable.payment-cancel", &[(json!({"pago": 2}), "no_encontrado", "pago: ")]).await;
    refuses(&other, "payable.cancel", &[(json!({"cxp": 1}), "no_encontrado", "cxp: ")]).await;
    refuses(&other, "payable.edit", &[(json!({"clave": 1, "concepto": "X"}), "no_encontrado", "clave: ")]).await;
    refuses(
        &company,
        "payable.payment-cancel",
        &[
            (first, "estado_invalido", "pago: ya está cancelado"),
            (json!({"pago": 9}), "no_encontrado", "pago: "),
            (json!({}), "dato_requerido", "pago: "),
        ],
    )
    .await;

    // The cancelled payment can be made again, from another account too.
    let again = did(company.run_by_name("payable.pay", &pay(1, "58.00", json!(1), "SPEI")).await);
    assert_eq!(again["pago"], 3);
    books::check(&world, &company).await;
    for pago in [3, 2] {
        did(company.run_by_name("payable.payment-cancel", &json!({"pago": pago})).await);
    }
    assert_eq!(did(company.run_by_name("payable.cancel", &json!({"cxp": 1})).await), json!({"cxp": 1}));
    assert_eq!(state(&payable(&ana, 1).await), ["cancelado", "0.00", "0.00"]);
    assert_eq!(open_accounts(&company).await, Vec::<String>::new(), "nothing is left in the books");
    refuses(&company, "payable.cancel", &[(json!({"cxp": 1}), "estado_invalido", "cxp: está cancelada")]).await;
    refuses(&company, "payable.edit", &[(json!({"clave": 1}), "estado_invalido", "clave: está cancelada")]).await;
    refuses(&company, "payable.pay", &[(pay(1, "1", Value::Null, "X"), "estado_invalido", "cxp: ")]).await;
    let free = did(company.run_by_name("payable.capture", &bill).await);
    assert_eq!(free["cxp"], 2, "its fiscal folio is free again");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_payable_paid_when_it_was_captured_is_cancelled_with_its_cash() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let taxi = json!({"total": "50.00", "pagado": "50.00", "concepto": "Taxi"});
    for _ in 0..2 {
        did(company.run_by_name("payable.capture", &taxi).await);
    }
    did(company.run_by_name("payable.cancel", &json!({"cxp": 1})).await);
    assert_eq!(state(&payable(&ana, 1).await), ["cancelado", "50.00", "0.00"]);
    books::check(&world, &company).await;
    did(company.run_by_name("payable.edit", &json!({"clave": 2, "total": "80"})).await);
    assert_eq!(state(&payable(&ana, 2).await), ["pendiente", "50.00", "30.00"]);
    did(company.run_by_name("payable.pay", &pay(2, "30", json!(1), "R")).await);
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": 1})).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn foreign_payments_are_cancelled_at_the_rates_at_which_they_were_posted() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let bill = json!({"total": "116.00", "iva": "16.00", "moneda": "USD", "tipo_cambio": "20"});
    did(company.run_by_name("payable.capture", &bill).await);
    for (importe, rate) in [("33.33", "21.123456"), ("50.01", "19.5")] {
        let payment = with(&pay(1, importe, json!(2), rate), json!({"tipo_cambio": rate}));
        did(company.run_by_name("payable.pay", &payment).await);
    }
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": 1})).await);
    books::check(&world, &company).await;
    assert_eq!(state(&payable(&ana, 1).await), ["pendiente", "50.01", "65.99"]);
    did(company.run_by_name("payable.pay", &with(&pay(1, "65.99", json!(2), "Z"), json!({"tipo_cambio": "22"}))).await);
    books::check(&world, &company).await;
    for pago in [3, 2] {
        did(company.run_by_name("payable.payment-cancel", &json!({"pago": pago})).await);
    }
    did(company.run_by_name("payable.cancel", &json!({"cxp": 1})).await);
    assert_eq!(open_accounts(&company).await, Vec::<String>::new());
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_edited_payable_is_posted_anew() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let bill = json!({"total": "116.00", "iva": "16.00", "fecha": "2026-09-30", "uuid": UUID, "vencimiento": "2026-10-30",
                      "factura": "A-1", "concepto": "Luz", "operaciones": 3, "folio": "G-1"});
    did(company.run_by_name("payable.capture", &bill).await);
    did(company.run_by_name("payable.capture", &json!({"total": "10"})).await);
    let other = "7128396F-C09B-4EC6-8699-43C5F7E3B231";
    let edit = json!({"clave": 1, "total": "1276.00", "iva": "176", "moneda": "USD", "tipo_cambio": "18.5",
                      "fecha": "2026-10-01", "uuid": other, "vencimiento": null, "factura": "", "concepto": "Gas",
                      "operaciones": null, "folio": null, "proveedor": 2, "sucursal": 3});
    assert_eq!(did(company.run_by_name("payable.edit", &edit).await), json!({"cxp": 1}));
    let mut expected = json!({
        "clave": 1, "folio": "1", "tipo": "gasto", "estatus": "pendiente", "proveedor": 2, "compra": null, "factura": null,
        "uuid": other.to_lowercase(), "fecha": "2026-10-01", "vencimiento": null, "moneda": "USD",
        "tipo_cambio": "18.500000", "total": "1276.00", "pagado": "0.00", "saldo": "1276.00", "sucursal": 3,
        "operaciones": 1, "concepto": "Gas", "modificado": "2026-10-12T18:00:00Z",
    });
    assert_eq!(payable(&ana, 1).await, expected);
    assert_eq!(
        entries(&company).await[..],
        [
            "Cuenta por pagar 1 2026-09-30: 119.01 +16.00 201.01 -116.00 601.84 +100.00",
            "Cuenta por pagar 2 2026-10-12: 201.01 -10.00 601.84 +10.00",
            "Cancelación: Cuenta por pagar 1 2026-09-30: 119.01 -16.00 201.01 +116.00 601.84 -100.00",
            "Cuenta por pagar 1 2026-10-01: 119.01 +3256.00 201.01 -23606.00 601.84 +20350.00",
        ]
    );
    books::check(&world, &company).await;
    did(company.run_by_name("payable.edit", &json!({"clave": 1})).await);
    assert_eq!(payable(&ana, 1).await, expected, "an edit of nothing changes nothing");
    did(company
        .run_by_name("payable.edit", &json!({"clave": 1, "moneda": "MXN", "tipo_cambio": 1, "iva": null}))
        .await);
    for (field, value) in [("moneda", "MXN"), ("tipo_cambio", "1.000000")] {
        expected[field] = json!(value);
    }
    assert_eq!(payable(&ana, 1).await, expected);
    let with = |fields: Value| with(&json!({"clave": 1}), fields);
    refuses(
        &company,
        "payable.edit",
        &[
            (json!({"clave": 2, "uuid": other}), "uuid_duplicado", "uuid: "),
            (with(json!({"total": null})), "dato_requerido", "total: "),
            (with(json!({"fecha": "2026-10-13"})), "dato_invalido", "fecha: "),
            (with(json!({"fecha": "2019-01-01"})), "dato_invalido", "fecha: "),
            (with(json!({"vencimiento": "2026-09-30"})), "dato_invalido", "vencimiento: "),
            (with(json!({"moneda": "EUR"})), "dato_requerido", "tipo_cambio: "),
            (with(json!({"tipo_cambio": "2"})), "dato_invalido", "tipo_cambio: "),
            (with(json!({"moneda": "ABC", "tipo_cambio": "2"})), "moneda_invalida", "moneda: "),
            (with(json!({"iva": "1276.01"})), "dato_invalido", "iva: "),
            (with(json!({"retencion_iva": "1"})), "dato_invalido", "retencion_iva: "),
            (with(json!({"proveedor": 9})), "referencia_invalida", "proveedor: "),
            (with(json!({"sucursal": 9})), "referencia_invalida", "sucursal: "),
            (with(json!({"pagado": "1"})), "campo_no_permitido", "pagado: "),
            (with(json!({"compra": 1})), "campo_no_permitido", "compra: "),
            (json!({"clave": 9}), "no_encontrado", "clave: "),
        ],
    )
    .await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_order_whose_bill_is_cancelled_or_edited_is_billed_again() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let order = json!({"proveedor": 1, "renglones": [{"sku": "A-1", "cantidad": 10, "costo_unitario": "10"}]});
    for _ in 0..2 {
        did(company.run_by_name("purchase.capture", &order).await);
    }
    assert_eq!(did(company.run_by_name("purchase.receive", &json!({"compra": 1})).await)["cxp"], 1);
    let theirs = json!({"clave": 1, "proveedor": 2});
    refuses(&company, "payable.edit", &[(theirs, "estado_invalido", "proveedor: no es el de la compra")]).await;
    did(company.run_by_name("payable.edit", &json!({"clave": 1, "total": "117.16", "iva": "16.16"})).await);
    books::check(&world, &company).await;
    did(company.run_by_name("payable.cancel", &json!({"cxp": 1})).await);
    let purchase = only(&ana, "/compras?clave=1").await;
    assert_eq!((&purchase["cxp"], &purchase["estatus"]), (&Value::Null, &json!("recibida")));
    books::check(&world, &company).await;
    let billed = did(company.run_by_name("payable.capture", &json!({"compra": 1, "total": "116.00"})).await);
    assert_eq!(only(&ana, "/compras?clave=1").await["cxp"], billed["cxp"]);
    books::check(&world, &company).await;
    let rows = open_accounts(&company).await;
    let of = |cuenta: &str| rows.iter().find(|row| row.starts_with(cuenta)).cloned().unwrap_or_default();
    assert!(of("115.01").ends_with("= 100.00") && of("201.01").ends_with("= -116.00"), "{rows:?}");
    assert_eq!([of("501.08"), of("205.02"), of("115.05")], ["", "", ""], "{rows:?}");

    // Of an order that is still to come: cancelled between two receipts, the second bills it.
    let early =
        did(company.run_by_name("payable.capture", &json!({"compra": 2, "total": "116.00"})).await)["cxp"].clone();
    did(company
        .run_by_name("purchase.receive", &json!({"compra": 2, "renglones": [{"renglon": 1, "cantidad": 4}]}))
        .await);
    did(company.run_by_name("payable.cancel", &json!({"cxp": early})).await);
    books::check(&world, &company).await;
    let received = did(company.run_by_name("purchase.receive", &json!({"compra": 2})).await);
    assert_eq!(received["cxp"], early.as_i64().expect("a clave") + 1);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_is_withheld_from_a_supplier_is_owed_to_the_authority_once_it_is_paid() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let fees = json!({"total": "953.33", "iva": "160.00", "retencion_isr": "100.00", "retencion_iva": "106.67"});
    did(company.run_by_name("payable.capture", &fees).await);
    let credit = json!({"total": "-953.33", "iva": "-160.00", "retencion_isr": "-100.00", "retencion_iva": "-106.67"});
    did(company.run_by_name("payable.capture", &credit).await);
    did(company.run_by_name("payable.capture", &with(&fees, json!({"moneda": "USD", "tipo_cambio": "20"}))).await);
    did(company.run_by_name("payable.capture", &json!({"total": "1252.80", "iva": "172.80", "ieps": "80"})).await);
    assert_eq!(
        entries(&company).await,
        [
            "Cuenta por pagar 1 2026-10-12: 119.01 +160.00 201.01 -953.33 216.12 -206.67 601.84 +1000.00",
            "Cuenta por pagar 2 2026-10-12: 119.01 -160.00 201.01 +953.33 216.12 +206.67 601.84 -1000.00",
            "Cuenta por pagar 3 2026-10-12: 119.01 +3200.00 201.01 -19066.60 216.12 -4133.40 601.84 +20000.00",
            "Cuenta por pagar 4 2026-10-12: 119.01 +172.80 201.01 -1252.80 601.84 +1080.00",
        ]
    );
    did(company.run_by_name("payable.pay", &pay(1, "953.33", json!(1), "H")).await);
    assert_eq!(state(&payable(&ana, 1).await), ["pagado", "953.33", "0.00"]);
    assert_eq!(
        entries(&company).await[4..],
        [
            "Pago 1 de la cuenta por pagar 1 2026-10-12: 201.01 +953.33 102.01.0001 -953.33 119.01 -160.00 118.01 +160.00 \
          216.12 +206.67 216.04 -100.00 216.10 -106.67"
        ]
    );
    books::check(&world, &company).await;
    let given = |fields: Value| with(&json!({"total": "100", "iva": "16"}), fields);
    refuses(
        &company,
        "payable.capture",
        &[
            (given(json!({"retencion_iva": "16.01"})), "dato_invalido", "retencion_iva: "),
            (given(json!({"retencion_isr": "-1"})), "dato_invalido", "retencion_isr: "),
            (given(json!({"ieps": "84.01"})), "dato_invalido", "ieps: "),
            (given(json!({"ieps": "1.001"})), "dato_invalido", "ieps: "),
            (json!({"total": "0", "retencion_isr": "1"}), "dato_invalido", "retencion_isr: "),
        ],
    )
    .await;
}

#[tokio::test]
async fn ieps_of_a_purchase_is_in_the_cost_and_what_is_withheld_is_not_owed_to_the_supplier() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let line = json!({"sku": "A-1", "cantidad": 10, "costo_unitario": "10", "ieps": "8.00", "retencion_isr": "1.25",
                      "retencion_iva": "4"});
    let order = json!({"proveedor": 1, "renglones": [line]});
    did(company.run_by_name("purchase.capture", &order).await);
    // IVA is 16 % of 108.
    let purchase = only(&ana, "/compras?clave=1").await;
    assert_eq!([&purchase["impuestos"], &purchase["total"]], ["25.28", "120.03"]);
    let shown = ana.walk("/compras-renglones?compra=1").await;
    assert_eq!([&shown[0]["iva"], &shown[0]["total"]], ["17.28", "120.03"]);
    did(company.run_by_name("purchase.receive", &json!({"compra": 1})).await);
    assert_eq!(ana.walk("/movimientos-inventario?sku=A-1").await[0]["costo_unitario"], "10.80");
    assert_eq!(payable(&ana, 1).await["total"], "120.03");
    assert_eq!(
        entries(&company).await,
        ["Recepción de la compra 1 2026-10-12: 119.01 +17.28 201.01 -120.03 216.12 -5.25 115.01 +108.00"]
    );
    // The supplier's bill of half of it takes half of the order's taxes.
    did(company.run_by_name("payable.cancel", &json!({"cxp": 1})).await);
    did(company.run_by_name("payable.capture", &json!({"compra": 1, "total": "60.02"})).await);
    books::check(&world, &company).await;
    let half = entries(&company).await.pop().expect("an entry");
    assert!(half.contains("119.01 +8.64 201.01 -60.02 216.12 -2.63"), "{half}");
    let of = |fields: Value| json!({"proveedor": 1, "renglones": [with(&line, fields)]});
    refuses(
        &company,
        "purchase.capture",
        &[
            (of(json!({"retencion_isr": "100.01"})), "dato_invalido", "renglones[0].retencion_isr: "),
            (of(json!({"retencion_iva": "17.29"})), "dato_invalido", "renglones[0].retencion_iva: "),
            (of(json!({"ieps": "0.001"})), "dato_invalido", "renglones[0].ieps: "),
            (of(json!({"ieps": "-1"})), "dato_invalido", "renglones[0].ieps: "),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_payable_s_day_is_not_in_the_future_and_at_most_five_years_ago() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    let on = |fecha: &str| json!({"total": "1", "fecha": fecha});
    refuses(
        &company,
        "payable.capture",
        &[
            (on("2026-10-13"), "dato_invalido", "fecha: no puede estar en el futuro"),
            (on("2030-01-01"), "dato_invalido", "fecha: no puede estar en el futuro"),
            (on("2021-10-11"), "dato_invalido", "fecha: tiene más de cinco años"),
            (on("2019-01-01"), "dato_invalido", "fecha: tiene más de cinco años"),
        ],
    )
    .await;
    for fecha in ["2026-10-12", "2021-10-12"] {
        did(company.run_by_name("payable.capture", &on(fecha)).await);
    }
    books::check(&world, &company).await;
}
