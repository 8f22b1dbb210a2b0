//! What a supplier owes: a negative payable, which the supplier pays.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::{Resource, World, books};

use super::corrections::{entries, office, open_accounts, pay, payable, state};
use super::shop::with;
use super::{did, refuses};

#[tokio::test]
async fn what_a_supplier_owes_is_paid_into_an_account_or_the_till() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let note = json!({"proveedor": 1, "total": "-116.00", "iva": "-16.00"});
    did(company.run_by_name("payable.capture", &note).await);
    refuses(
        &company,
        "payable.pay",
        &[
            (pay(1, "116.01", 1, "A"), "importe_excede_saldo", ""),
            (pay(1, "-58", 1, "A"), "dato_invalido", "importe: "),
            (pay(1, "0", 1, "A"), "dato_invalido", "importe: "),
            (pay(1, "58", 2, "A"), "moneda_distinta", "cuenta_bancaria: "),
        ],
    )
    .await;
    did(company.run_by_name("payable.pay", &pay(1, "58.00", 1, "SPEI")).await);
    refuses(&company, "payable.pay", &[(pay(1, "58.00", 1, "SPEI"), "pago_repetido", "")]).await;
    did(company.run_by_name("payable.pay", &pay(1, "58.00", Value::Null, "EFECTIVO")).await);
    refuses(
        &company,
        "payable.pay",
        &[
            (pay(1, "58.00", Value::Null, "EFECTIVO"), "pago_repetido", ""),
            (pay(1, "1.00", 1, "OTRO"), "estado_invalido", "cxp: no tiene saldo"),
        ],
    )
    .await;
    assert_eq!(state(&payable(&ana, 1).await), ["pagado", "-116.00", "0.00"]);
    assert_eq!(
        entries(&company).await,
        [
            "Cuenta por pagar 1 2026-10-12: 119.01 -16.00 201.01 +116.00 601.84 -100.00",
            "Pago 1 de la cuenta por pagar 1 2026-10-12: 201.01 -58.00 102.01.0001 +58.00 119.01 +8.00 118.01 -8.00",
            "Pago 2 de la cuenta por pagar 1 2026-10-12: 201.01 -58.00 101.01 +58.00 119.01 +8.00 118.01 -8.00",
        ]
    );
    books::check(&world, &company).await;
    let said = did(company.run_by_name("report.vat", &json!({"mes": "2026-10"})).await);
    let [rate] = &said["proveedores"][0]["tasas"].as_array().expect("rates")[..] else { panic!("{said}") };
    assert_eq!(
        ["base", "iva", "base_pagada", "iva_pagado"].map(|field| &rate[field]),
        ["-100.00", "-16.00", "-100.00", "-16.00"]
    );

    did(company.run_by_name("payable.payment-cancel", &json!({"pago": 1})).await);
    assert_eq!(state(&payable(&ana, 1).await), ["pendiente", "-58.00", "-58.00"]);
    books::check(&world, &company).await;
    let standing = "cxp: tiene pagos (2), que se cancelan antes con payable.payment-cancel";
    refuses(&company, "payable.cancel", &[(json!({"cxp": 1}), "estado_invalido", standing)]).await;
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": 2})).await);
    did(company.run_by_name("payable.cancel", &json!({"cxp": 1})).await);
    assert_eq!(open_accounts(&company).await, Vec::<String>::new());
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_a_supplier_owes_is_set_off_against_a_bill() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    for (total, iva) in [("1160.00", "160.00"), ("-116.00", "-16.00")] {
        did(company.run_by_name("payable.capture", &json!({"proveedor": 1, "total": total, "iva": iva})).await);
    }
    for cxp in [1, 2] {
        did(company.run_by_name("payable.pay", &pay(cxp, "116.00", Value::Null, "NC 7")).await);
    }
    assert_eq!(state(&payable(&ana, 1).await), ["pendiente", "116.00", "1044.00"]);
    assert_eq!(state(&payable(&ana, 2).await), ["pagado", "-116.00", "0.00"]);
    // Nothing stays in the till, and nothing of the credit is creditable.
    assert_eq!(
        open_accounts(&company).await,
        [
            "119.01: 0.00 + 176.00 - 32.00 = 144.00",
            "201.01: 0.00 + 232.00 - 1276.00 = -1044.00",
            "601.84: 0.00 + 1000.00 - 100.00 = 900.00",
        ]
        .map(str::to_owned)
    );
    books::check(&world, &company).await;
}

#[tokio::test]
async fn taxes_that_were_withheld_and_another_currency_are_given_back_at_the_rate_of_the_day() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let note = json!({
        "proveedor": 1, "total": "-100.00", "iva": "-16.00", "retencion_isr": "-10.00", "retencion_iva": "-6.00",
        "moneda": "USD", "tipo_cambio": "17.5",
    });
    did(company.run_by_name("payable.capture", &note).await);
    let half = with(&pay(1, "50.00", 2, "A"), json!({"tipo_cambio": "18"}));
    did(company.run_by_name("payable.pay", &half).await);
    books::check(&world, &company).await;
    // Into the account in pesos.
    let rest = with(&pay(1, "50.00", 1, "B"), json!({"tipo_cambio": "17"}));
    did(company.run_by_name("payable.pay", &rest).await);
    assert_eq!(state(&payable(&ana, 1).await), ["pagado", "-100.00", "0.00"]);
    assert_eq!(
        entries(&company).await[1..],
        [
            "Pago 1 de la cuenta por pagar 1 2026-10-12: 201.01 -875.00 102.01.0002 +900.00 119.01 +140.00 118.01 -144.00 \
             216.12 -140.00 216.04 +90.00 216.10 +54.00 702.01 -25.00",
            "Pago 2 de la cuenta por pagar 1 2026-10-12: 201.01 -875.00 102.01.0001 +850.00 119.01 +140.00 118.01 -136.00 \
             216.12 -140.00 216.04 +85.00 216.10 +51.00 701.01 +25.00",
        ]
    );
    books::check(&world, &company).await;
    for pago in [2, 1] {
        did(company.run_by_name("payable.payment-cancel", &json!({"pago": pago})).await);
        books::check(&world, &company).await;
    }
    assert_eq!(state(&payable(&ana, 1).await), ["pendiente", "0.00", "-100.00"]);
}

#[tokio::test]
async fn an_imported_payable_in_the_company_s_favour_is_paid() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let imported =
        json!({"proveedor": 1, "total": "-232.00", "pagado": "-116.00", "iva": "-32.00", "fecha": "2026-09-01"});
    company.load(Resource::Cxp, &[imported]).await;
    did(company.run_by_name("payable.pay", &pay(1, "116.00", 1, "SPEI")).await);
    assert_eq!(state(&payable(&ana, 1).await), ["pagado", "-232.00", "0.00"]);
    books::check(&world, &company).await;
    let aged = did(company.run_by_name("report.aging", &json!({"de": "cxp", "al": "2026-10-12"})).await);
    assert_eq!(aged["renglones"], json!([]));
}

#[tokio::test]
async fn what_is_paid_before_the_day_of_a_payable_is_in_favour_until_then() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    for (cxp, total, saldo, pesos) in [(1, "100.00", "-40.00", "-720.00"), (2, "-100.00", "40.00", "720.00")] {
        let bill = json!({"proveedor": cxp, "total": total, "moneda": "USD", "tipo_cambio": "18"});
        did(company.run_by_name("payable.capture", &bill).await);
        let early = json!({"cxp": cxp, "importe": "40", "fecha": "2026-10-05", "referencia": "A"});
        did(company.run_by_name("payable.pay", &early).await);
        let aged = did(company.run_by_name("report.aging", &json!({"de": "cxp", "al": "2026-10-07"})).await);
        let of = |row: &&Value| row["clave"] == cxp;
        let row = aged["renglones"].as_array().expect("rows").iter().find(of).expect("the supplier");
        assert_eq!([&row["saldo"], &row["total"]], [saldo, pesos], "{aged}");
        assert_eq!(aged["sin_documento"], "0.00");
    }
    world.clock.advance(TimeDelta::days(25));
    let rates = json!({"mes": "2026-10", "tipos_cambio": [{"moneda": "USD", "tipo_cambio": "20"}]});
    did(company.run_by_name("ledger.revalue", &rates).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_balance_of_more_than_eighteen_digits_is_refused() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    for total in ["-999999999999999999.99", "999999999999999999.99"] {
        for _ in 0..2 {
            did(company.run_by_name("payable.capture", &json!({"total": total})).await);
        }
    }
    for (first, second) in [(1, 2), (3, 4)] {
        did(company.run_by_name("payable.pay", &pay(first, "999999999999999999", 1, "A")).await);
        let more = [(pay(second, "999999999999999999", 1, "A"), "dato_invalido", "importe: lleva el saldo")];
        refuses(&company, "payable.pay", &more).await;
        did(company.run_by_name("payable.payment-cancel", &json!({"pago": (first + 1) / 2})).await);
    }
}
