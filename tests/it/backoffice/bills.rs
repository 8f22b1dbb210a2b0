//! Bills of purchase orders, and imported payables.

use std::time::Duration;

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::imports::blames;
use svc_tests::{Actor, Company, Resource, World, books};

use super::corrections::{entries, office, open_accounts, pay, payable, state};
use super::shop::{only, with};
use super::{did, refuses};

/// An order of ten nails at 100 each: 1,160 with its IVA.
fn order(fields: Value) -> Value {
    with(&json!({"proveedor": 1, "renglones": [{"sku": "A-1", "cantidad": 10, "costo_unitario": "100"}]}), fields)
}

fn some(cantidad: i64) -> Value {
    json!([{"renglon": 1, "cantidad": cantidad}])
}

async fn receive(company: &Company, compra: i64, renglones: Option<Value>) -> Value {
    did(company.run_by_name("purchase.receive", &json!({"compra": compra, "renglones": renglones})).await)
}

/// The part of an entry from its first account on.
fn lines(entry: &str) -> &str {
    entry.rsplit_once(": ").expect("lines").1
}

#[tokio::test]
async fn the_taxes_of_a_bill_are_the_order_s_in_proportion_also_above_it_and_in_another_currency() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    did(company.run_by_name("purchase.capture", &order(json!({}))).await);
    let dollars = json!({"moneda": "USD", "tipo_cambio": "17.5"});
    did(company.run_by_name("purchase.capture", &order(dollars)).await);
    let withheld = json!([{"sku": "A-1", "cantidad": 10, "costo_unitario": "100", "retencion_isr": "100",
                           "retencion_iva": "106.67"}]);
    did(company.run_by_name("purchase.capture", &order(json!({"renglones": withheld}))).await);
    for (compra, total, moneda) in [(1, "1276.00", "MXN"), (2, "20300.00", "MXN"), (3, "1906.66", "MXN")] {
        let bill = json!({"compra": compra, "total": total, "moneda": moneda});
        did(company.run_by_name("payable.capture", &bill).await);
    }
    assert_eq!(
        entries(&company).await,
        [
            "Cuenta por pagar 1 2026-10-12: 119.01 +176.00 201.01 -1276.00 115.05 +1100.00",
            "Cuenta por pagar 2 2026-10-12: 119.01 +2800.00 201.01 -20300.00 115.05 +17500.00",
            "Cuenta por pagar 3 2026-10-12: 119.01 +320.00 201.01 -1906.66 216.12 -413.34 115.05 +2000.00",
        ]
    );
    for compra in 1..=3 {
        receive(&company, compra, None).await;
    }
    books::check(&world, &company).await;
}

/// The next month, with the one before closed.
async fn next_month(world: &World, company: &Company) {
    world.clock.advance(TimeDelta::days(25));
    did(company.run_by_name("ledger.close", &json!({"mes": "2026-10"})).await);
}

#[tokio::test]
async fn a_payable_of_a_closed_month_keeps_its_supplier() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let bill = json!({"proveedor": 1, "total": "116.00", "iva": "16.00"});
    did(company.run_by_name("payable.capture", &bill).await);
    did(company.run_by_name("payable.edit", &json!({"clave": 1, "proveedor": 2})).await);
    next_month(&world, &company).await;
    did(company.run_by_name("payable.capture", &bill).await);
    let other = |clave: i64| json!({"clave": clave, "proveedor": 1, "concepto": "Luz"});
    refuses(&company, "payable.edit", &[(other(1), "periodo_cerrado", "la contabilidad está cerrada")]).await;
    assert_eq!(payable(&ana, 1).await["concepto"], Value::Null);
    for edit in [json!({"clave": 1, "proveedor": 2, "concepto": "Luz"}), other(2)] {
        did(company.run_by_name("payable.edit", &edit).await);
    }
    did(company.run_by_name("ledger.reopen", &json!({"mes": "2026-10"})).await);
    did(company.run_by_name("payable.edit", &other(1)).await);
    assert_eq!(payable(&ana, 1).await["proveedor"], 1);
}

#[tokio::test]
async fn an_edited_imported_payable_is_opened_anew_on_an_open_day() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let bills = [
        json!({"proveedor": 1, "total": "116.00", "fecha": "2026-08-15"}),
        json!({"proveedor": 1, "total": "50.00", "fecha": "2026-08-15", "estatus": "pagado"}),
    ];
    company.load(Resource::Cxp, &bills).await;
    next_month(&world, &company).await;
    did(company.run_by_name("payable.edit", &json!({"clave": 1, "total": "232.00", "fecha": "2026-08-16"})).await);
    assert_eq!(state(&payable(&ana, 1).await), ["pendiente", "0.00", "232.00"]);
    assert_eq!(
        entries(&company).await,
        [
            "Apertura: cuentas por pagar 2026-10-12: 201.01 -116.00 304.01 +116.00",
            "Apertura: cuentas por pagar 2026-11-06: 201.01 +116.00 304.01 -116.00",
            "Apertura: cuentas por pagar 2026-11-06: 201.01 -232.00 304.01 +232.00",
        ]
    );
    // Edited to nothing and back it is an opening all the same, and so is one that came as paid.
    for total in ["0", "58.00"] {
        did(company.run_by_name("payable.edit", &json!({"clave": 1, "total": total})).await);
        books::check(&world, &company).await;
    }
    did(company.run_by_name("payable.edit", &json!({"clave": 2, "total": "80.00"})).await);
    assert_eq!(state(&payable(&ana, 2).await), ["pendiente", "50.00", "30.00"]);
    let left = open_accounts(&company).await;
    assert!(left.len() == 2 && left[0].ends_with("= -88.00") && left[1].ends_with("= 88.00"), "{left:?}");
    did(company.run_by_name("payable.cancel", &json!({"cxp": 1})).await);
    did(company.run_by_name("payable.cancel", &json!({"cxp": 2})).await);
    assert_eq!(open_accounts(&company).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_payable_of_nothing_is_posted_once_it_has_a_total() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    did(company.run_by_name("purchase.capture", &order(json!({}))).await);
    did(company.run_by_name("payable.capture", &json!({"total": "0"})).await);
    did(company.run_by_name("payable.capture", &json!({"total": "116.00", "iva": "16.00"})).await);
    did(company.run_by_name("payable.capture", &json!({"total": "0", "compra": 1})).await);
    did(company.run_by_name("payable.edit", &json!({"clave": 2, "total": "0", "iva": null})).await);
    assert_eq!(open_accounts(&company).await, Vec::<String>::new());
    for (clave, total, iva) in [(1, "100.00", "10.00"), (2, "58.00", "8.00"), (3, "1160.00", "160.00")] {
        did(company.run_by_name("payable.edit", &json!({"clave": clave, "total": total, "iva": iva})).await);
        books::check(&world, &company).await;
    }
    assert_eq!(
        entries(&company).await[2..],
        [
            "Cuenta por pagar 1 2026-10-12: 119.01 +10.00 201.01 -100.00 601.84 +90.00",
            "Cuenta por pagar 2 2026-10-12: 119.01 +8.00 201.01 -58.00 601.84 +50.00",
            "Cuenta por pagar 3 2026-10-12: 119.01 +160.00 201.01 -1160.00 115.05 +1000.00",
        ]
    );
    receive(&company, 1, None).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_a_cancelled_payable_owed_on_a_past_day_is_without_what_was_paid_at_its_capture() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    let bill = json!({"proveedor": 1, "total": "100.00", "pagado": "40.00", "moneda": "USD", "tipo_cambio": "17.5"});
    did(company.run_by_name("payable.capture", &bill).await);
    did(company.run_by_name("payable.pay", &with(&pay(1, "10.00", json!(2), "A"), json!({"tipo_cambio": "18"}))).await);
    world.clock.advance(TimeDelta::days(1));
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": 1})).await);
    did(company.run_by_name("payable.cancel", &json!({"cxp": 1})).await);
    let then = did(company.run_by_name("report.aging", &json!({"de": "cxp", "al": "2026-10-12"})).await);
    let row = &then["renglones"][0];
    assert_eq!([&row["moneda"], &row["saldo"], &row["total"]], ["USD", "50.00", "875.00"], "{then}");
    let now = did(company.run_by_name("report.aging", &json!({"de": "cxp"})).await);
    assert_eq!(now["renglones"], json!([]));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_instalments_withhold_adds_up_to_the_bill() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    let fees = json!({"total": "953.33", "iva": "160.00", "retencion_isr": "100.00", "retencion_iva": "106.67"});
    did(company.run_by_name("payable.capture", &fees).await);
    for (importe, referencia) in [("317.78", "A"), ("317.78", "B")] {
        did(company.run_by_name("payable.pay", &pay(1, importe, json!(1), referencia)).await);
    }
    // One that is cancelled in between gives back what it withheld.
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": 1})).await);
    for (importe, referencia) in [("317.78", "C"), ("317.77", "D")] {
        did(company.run_by_name("payable.pay", &pay(1, importe, json!(1), referencia)).await);
    }
    let left = open_accounts(&company).await;
    let of = |cuenta: &str| left.iter().find(|row| row.starts_with(cuenta)).cloned().unwrap_or_default();
    for (cuenta, saldo) in [("216.04", "-100.00"), ("216.10", "-106.67"), ("118.01", "160.00")] {
        assert!(of(cuenta).ends_with(&format!("= {saldo}")), "{cuenta}: {left:?}");
    }
    assert_eq!([of("216.12"), of("119.01"), of("201.01")], ["", "", ""], "{left:?}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn goods_that_come_while_their_bill_changes_leave_nothing_waiting() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    let changes: [(i64, &str, Value, &[&str]); 2] = [
        (1, "payable.edit", json!({"clave": 1, "total": "1276.00", "iva": "176.00"}), &[]),
        // The goods wait for another bill.
        (2, "payable.cancel", json!({"cxp": 2}), &["205.02 -1000.00"]),
    ];
    for (compra, action, input, left) in changes {
        did(company.run_by_name("purchase.capture", &order(json!({}))).await);
        did(company.run_by_name("payable.capture", &json!({"compra": compra, "total": "1160.00"})).await);
        // The receipt has locked its order and waits for the number of its entry.
        let mut tx = world.pool().begin().await.expect("a transaction");
        sqlx::query("SELECT FROM contadores WHERE empresa = $1 AND serie = 'polizas' FOR UPDATE")
            .bind(company.id.0)
            .execute(&mut *tx)
            .await
            .expect("the counter");
        let all = json!({"compra": compra});
        let (one, two, ()) = tokio::join!(
            company.run_by_name("purchase.receive", &all),
            async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                company.run_by_name(action, &input).await
            },
            async {
                tokio::time::sleep(Duration::from_millis(600)).await;
                tx.rollback().await.expect("the counter is free");
            }
        );
        did(one);
        did(two);
        assert_eq!(waiting(&company, compra).await, left, "{action}");
        books::check(&world, &company).await;
    }
}

/// What an order has waiting for its bill or its goods.
async fn waiting(company: &Company, compra: i64) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT r.codigo || ' ' || to_char(sum(r.cargo - r.abono), 'FM999990.00')
         FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
         WHERE p.empresa = $1 AND p.compra = $2 AND r.codigo IN ('115.05', '205.02')
         GROUP BY r.codigo HAVING sum(r.cargo) <> sum(r.abono)",
    )
    .bind(company.id.0)
    .bind(compra)
    .fetch_all(company.world.pool())
    .await
    .expect("the lines")
}

/// An office with four imported orders of ten nails that are still to come, three of them billed: 1
/// and its payable name each other, 2 is named by its payable alone, 3 names one that nobody
/// imported, 4 has none.
async fn still_to_come(world: &World) -> (Company, Actor) {
    let (company, ana) = office(world).await;
    let ordered = |cxp: Value| {
        json!({"proveedor": 1, "almacen": "001", "subtotal": "1000.00", "impuestos": "160.00", "total": "1160.00",
               "cxp": cxp})
    };
    company.load(Resource::Compras, &[json!(1), Value::Null, json!(77), Value::Null].map(ordered)).await;
    let line = |compra: i64| json!({"compra": compra, "renglon": 1, "sku": "A-1", "cantidad": 10, "costo_unitario": "100.00", "iva": "160.00"});
    company.load(Resource::ComprasRenglones, &[1, 2, 3, 4].map(line)).await;
    let bill = |compra: i64| json!({"proveedor": 1, "tipo": "compra", "compra": compra, "total": "1160.00"});
    company.load(Resource::Cxp, &[bill(1), bill(2)]).await;
    (company, ana)
}

#[tokio::test]
async fn goods_whose_bill_was_imported_come_from_the_opening_account() {
    let world = World::new().await;
    let (company, ana) = still_to_come(&world).await;
    let billed = json!({"compra": 2, "total": "1160.00"});
    let text = "compra: ya tiene cuenta por pagar";
    refuses(&company, "payable.capture", &[(billed, "estado_invalido", text)]).await;
    for (compra, cxp) in [(1, 1), (2, 2), (3, 77)] {
        receive(&company, compra, Some(some(4))).await;
        assert_eq!(receive(&company, compra, None).await, json!({"compra": compra, "cxp": cxp}));
        assert_eq!(only(&ana, &format!("/compras?clave={compra}")).await["cxp"], cxp);
        books::check(&world, &company).await;
    }
    let all = entries(&company).await;
    assert_eq!(lines(&all[0]), "201.01 -2320.00 304.01 +2320.00");
    let came: Vec<&str> = all[1..].iter().map(|entry| lines(entry)).collect();
    assert_eq!(came, ["115.01 +400.00 304.01 -400.00", "115.01 +600.00 304.01 -600.00"].repeat(3));
    assert_eq!(receive(&company, 4, None).await["cxp"], 3);
    assert_eq!(ana.walk("/cxp").await.len(), 3);
    books::check(&world, &company).await;

    // Once it is cancelled the goods wait for another bill.
    did(company.run_by_name("payable.cancel", &json!({"cxp": 2})).await);
    assert_eq!(waiting(&company, 2).await, ["205.02 -1000.00"]);
    assert_eq!(only(&ana, "/compras?clave=2").await["cxp"], Value::Null);
    did(company.run_by_name("payable.capture", &json!({"compra": 2, "total": "1160.00"})).await);
    let bill = entries(&company).await.pop().expect("an entry");
    assert_eq!(lines(&bill), "119.01 +160.00 201.01 -1160.00 205.02 +1000.00");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_taxes_of_an_imported_payable_are_credited_and_withheld_as_it_is_paid() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let bills = [
        json!({"proveedor": 1, "total": "1160.00", "iva": "160.00"}),
        json!({"proveedor": 2, "total": "953.33", "iva": "160.00", "retencion_isr": "100.00",
               "retencion_iva": "106.67", "pagado": "200.00"}),
        json!({"proveedor": 1, "total": "-116.00", "iva": "-16.00"}),
        json!({"proveedor": 1, "total": "116.00", "iva": "16.00", "estatus": "pagado"}),
        json!({"proveedor": 1, "total": "116.00", "iva": "16.00", "estatus": "cancelado", "pagado": "0", "saldo": "0"}),
    ];
    company.load(Resource::Cxp, &bills).await;
    books::check(&world, &company).await;
    for (cxp, importe) in [(1, "1160.00"), (2, "250.00"), (2, "503.33")] {
        did(company.run_by_name("payable.pay", &pay(cxp, importe, json!(1), importe)).await);
        books::check(&world, &company).await;
    }
    assert_eq!(state(&payable(&ana, 2).await), ["pagado", "953.33", "0.00"]);
    let all = entries(&company).await;
    assert_eq!(
        all.iter().map(|entry| lines(entry)).collect::<Vec<_>>(),
        [
            "201.01 -1797.33 119.01 +270.43 216.12 -163.31 304.01 +1690.21",
            "201.01 +1160.00 102.01.0001 -1160.00 119.01 -160.00 118.01 +160.00",
            "201.01 +250.00 102.01.0001 -250.00 119.01 -41.96 118.01 +41.96 216.12 +54.20 216.04 -26.23 216.10 -27.97",
            "201.01 +503.33 102.01.0001 -503.33 119.01 -84.47 118.01 +84.47 216.12 +109.11 216.04 -52.79 216.10 -56.32",
        ]
    );
    let month = json!({"mes": "2026-10"});
    let vat = did(company.run_by_name("report.vat", &month).await);
    let paid: Vec<_> = vat["proveedores"].as_array().expect("suppliers").iter().collect();
    let of =
        |proveedor: i64| paid.iter().find(|row| row["proveedor"] == proveedor).expect("a supplier")["tasas"][0].clone();
    assert_eq!(
        [&of(1)["tasa"], &of(1)["base_pagada"], &of(1)["iva_pagado"]],
        ["0.160000", "1000.00", "160.00"],
        "{vat}"
    );
    assert_eq!(
        [&of(2)["tasa"], &of(2)["iva_pagado"], &of(2)["iva_retenido"]],
        ["0.160000", "126.43", "84.29"],
        "{vat}"
    );

    // Edited, it opens its new taxes; cancelled, nothing is left.
    did(company.run_by_name("payable.edit", &json!({"clave": 3, "total": "-58.00", "iva": "-8.00"})).await);
    did(company.run_by_name("payable.edit", &json!({"clave": 4, "total": "232.00", "iva": "32.00"})).await);
    let opened = entries(&company).await.pop().expect("an entry");
    assert_eq!(lines(&opened), "201.01 -116.00 119.01 +16.00 304.01 +100.00");
    books::check(&world, &company).await;
    for cxp in [3, 4] {
        did(company.run_by_name("payable.cancel", &json!({"cxp": cxp})).await);
    }
    let left = open_accounts(&company).await;
    assert!(
        !left.iter().any(|row| ["119.01", "201.01", "216.12"].iter().any(|code| row.starts_with(code))),
        "{left:?}"
    );
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_imported_payable_in_dollars_leaves_nothing_once_it_is_paid() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    let bill = json!({"proveedor": 1, "total": "100.03", "iva": "13.80", "retencion_isr": "3.33", "retencion_iva": "7.77",
                      "moneda": "USD", "tipo_cambio": "17.543217"});
    company.load(Resource::Cxp, &[bill]).await;
    for (importe, rate) in [("33.34", "18"), ("33.34", "17.1"), ("33.35", "18.765432")] {
        let payment = with(&pay(1, importe, json!(2), rate), json!({"tipo_cambio": rate}));
        did(company.run_by_name("payable.pay", &payment).await);
        books::check(&world, &company).await;
    }
    let left = open_accounts(&company).await;
    assert!(
        !left.iter().any(|row| ["119.01", "201.01", "216.12"].iter().any(|code| row.starts_with(code))),
        "{left:?}"
    );
}

#[tokio::test]
async fn the_taxes_of_payables_and_orders_are_exported_and_open_the_same_where_they_are_imported() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    let taxed = json!([{"sku": "A-1", "cantidad": 10, "costo_unitario": "100", "ieps": "80.00", "retencion_isr": "12.50",
                        "retencion_iva": "40.00"}]);
    did(company.run_by_name("purchase.capture", &order(json!({"renglones": taxed}))).await);
    let fees = json!({"total": "953.33", "iva": "160.00", "retencion_isr": "100.00", "retencion_iva": "106.67",
                      "ieps": "8.00", "pagado": "200"});
    did(company.run_by_name("payable.capture", &fees).await);
    let (other, _) = office(&world).await;
    for resource in [Resource::Compras, Resource::ComprasRenglones, Resource::Cxp] {
        let given = company.export(resource).await;
        other.load(resource, &given).await;
        assert_eq!(other.export(resource).await, given);
    }
    let opening = entries(&other).await;
    assert_eq!(lines(&opening[0]), "201.01 -753.33 119.01 +126.43 216.12 -163.31 304.01 +790.21");
    receive(&company, 1, None).await;
    receive(&other, 1, None).await;
    let (here, there) = (entries(&company).await, entries(&other).await);
    assert_eq!(here.last().map(|entry| lines(entry)), there.last().map(|entry| lines(entry)));
    assert!(there[1].contains("216.12 -52.50 115.01 +1080.00"), "{there:?}");
    books::check(&world, &other).await;

    let bad = |fields: Value| with(&json!({"proveedor": 1, "total": "116.00"}), fields);
    for (row, text) in [
        (bad(json!({"iva": "116.01"})), "iva: no puede ser más que el total"),
        (bad(json!({"iva": "-16"})), "iva: no puede ser de otro signo"),
        (bad(json!({"iva": "16", "retencion_iva": "16.01"})), "retencion_iva: no puede ser más que el iva"),
        (bad(json!({"ieps": "1.001"})), "ieps: lleva a lo más dos decimales"),
    ] {
        blames(other.import(Resource::Cxp, &[row]).await, 1, text);
    }
    let finer = json!({"clave": 2, "total": "953.335"});
    refuses(&company, "payable.edit", &[(finer, "dato_invalido", "total: lleva a lo más dos decimales")]).await;
    let order = json!({"proveedor": 1, "impuestos": "16.00", "ieps": "16.01"});
    blames(other.import(Resource::Compras, &[order]).await, 1, "ieps: es mayor que los impuestos");
}

#[tokio::test]
async fn a_cancelled_bill_takes_the_difference_that_it_made_along() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    did(company.run_by_name("purchase.capture", &order(json!({}))).await);
    let dearer = json!({"compra": 1, "total": "1392.00", "iva": "192.00"});
    let differences = async || {
        let rows = open_accounts(&company).await;
        rows.into_iter().filter(|row| row.starts_with("501.08") || row.starts_with("502.01")).collect::<Vec<_>>()
    };
    // The goods come after the bill, then before it: 1,000.00 that are billed with 1,200.00.
    for cxp in [1, 2] {
        did(company.run_by_name("payable.capture", &dearer).await);
        if cxp == 1 {
            receive(&company, 1, None).await;
        }
        let made = differences().await;
        assert!(made.len() == 1 && made[0].ends_with("= 200.00"), "{made:?}");
        did(company.run_by_name("payable.cancel", &json!({"cxp": cxp})).await);
        assert_eq!(waiting(&company, 1).await, ["205.02 -1000.00"]);
        assert_eq!(differences().await, Vec::<String>::new());
        books::check(&world, &company).await;
    }
    let edited = did(company.run_by_name("payable.capture", &dearer).await);
    let edit = json!({"clave": edited["cxp"], "total": "1276.00", "iva": "176.00"});
    did(company.run_by_name("payable.edit", &edit).await);
    let made = differences().await;
    assert!(made.len() == 1 && made[0].ends_with("= 100.00"), "{made:?}");
    did(company.run_by_name("payable.cancel", &json!({"cxp": edited["cxp"]})).await);
    // Of an order that an import had received nothing waits.
    company.load(Resource::Compras, &[json!({"proveedor": 1, "estatus": "recibida", "total": "100"})]).await;
    let bill = did(company.run_by_name("payable.capture", &json!({"compra": 2, "total": "100"})).await);
    did(company.run_by_name("payable.cancel", &bill).await);
    assert_eq!((waiting(&company, 2).await, differences().await), (Vec::new(), Vec::new()));
    books::check(&world, &company).await;
}
