//! Payments of payables: what is withheld with them, from accounts of another currency, and beside
//! cancellations.

use serde_json::{Value, json};
use svc_tests::{World, books};

use super::corrections::{entries, office, open_accounts, pay, payable, state};
use super::shop::with;
use super::{did, refuses};

const UUID: &str = "6128396f-c09b-4ec6-8699-43c5f7e3b230";

#[tokio::test]
async fn taxes_are_withheld_with_each_payment_at_its_rate() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    let fees = json!({"total": "953.33", "iva": "160.00", "retencion_isr": "100.00", "retencion_iva": "106.67",
                      "pagado": "200"});
    did(company.run_by_name("payable.capture", &fees).await);
    did(company.run_by_name("payable.pay", &pay(1, "250", json!(1), "A")).await);
    books::check(&world, &company).await;
    did(company.run_by_name("payable.pay", &pay(1, "503.33", Value::Null, "B")).await);
    assert_eq!(
        entries(&company).await,
        [
            "Cuenta por pagar 1 2026-10-12: 118.01 +33.57 119.01 +126.43 201.01 -753.33 216.04 -20.98 216.10 -22.38 \
             216.12 -163.31 101.01 -200.00 601.84 +1000.00",
            "Pago 1 de la cuenta por pagar 1 2026-10-12: 201.01 +250.00 102.01.0001 -250.00 119.01 -41.96 118.01 +41.96 \
             216.12 +54.20 216.04 -26.23 216.10 -27.97",
            "Pago 2 de la cuenta por pagar 1 2026-10-12: 201.01 +503.33 101.01 -503.33 119.01 -84.47 118.01 +84.47 \
             216.12 +109.11 216.04 -52.79 216.10 -56.32",
        ]
    );
    books::check(&world, &company).await;
    // Of another currency at the payment's rate; cancelled, it is to be withheld again.
    let dollars = with(&fees, json!({"moneda": "USD", "tipo_cambio": "20", "pagado": "0"}));
    did(company.run_by_name("payable.capture", &dollars).await);
    let half = with(&pay(2, "476.67", json!(2), "C"), json!({"tipo_cambio": "21"}));
    let paid = did(company.run_by_name("payable.pay", &half).await);
    assert_eq!(
        entries(&company).await[4..],
        [
            "Pago 3 de la cuenta por pagar 2 2026-10-12: 201.01 +9533.40 102.01.0002 -10010.07 119.01 -1600.02 118.01 +1680.02 \
          216.12 +2066.72 216.04 -1050.01 216.10 -1120.05 701.01 +500.01"
        ]
    );
    books::check(&world, &company).await;
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": paid["pago"]})).await);
    books::check(&world, &company).await;
    did(company.run_by_name("payable.cancel", &json!({"cxp": 2})).await);
    let left = open_accounts(&company).await;
    assert!(left.iter().all(|row| !row.starts_with("216.12")), "{left:?}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_payment_from_an_account_of_another_currency_is_cancelled() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    did(company
        .run_by_name("payable.capture", &json!({"total": "116", "iva": "16", "moneda": "USD", "tipo_cambio": "17"}))
        .await);
    did(company.run_by_name("payable.capture", &json!({"total": "100"})).await);
    let at = |input: Value, rate: &str| with(&input, json!({"tipo_cambio": rate}));
    let payments = [at(pay(1, "58", json!(1), "A"), "17.5"), at(pay(2, "100", json!(2), "B"), "17.5")];
    for payment in &payments {
        did(company.run_by_name("payable.pay", payment).await);
    }
    for pago in [1, 2] {
        did(company.run_by_name("payable.payment-cancel", &json!({"pago": pago})).await);
        books::check(&world, &company).await;
    }
    let banks = "SELECT string_agg(to_char(saldo, 'FM990.00'), ' ' ORDER BY clave) FROM cuentas_bancarias";
    assert_eq!(world.sql::<String>(banks).await, "0.00 0.00");
    assert_eq!(state(&payable(&ana, 1).await), ["pendiente", "0.00", "116.00"]);
    // The same again, and the payables are edited once their payments are gone.
    for payment in &payments {
        did(company.run_by_name("payable.pay", payment).await);
    }
    let standing = "clave: tiene pagos (3), que se cancelan antes";
    refuses(&company, "payable.edit", &[(json!({"clave": 1, "moneda": "MXN"}), "estado_invalido", standing)]).await;
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": 3})).await);
    did(company.run_by_name("payable.edit", &json!({"clave": 1, "moneda": "MXN"})).await);
    assert_eq!(payable(&ana, 1).await["saldo"], "116.00");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_payment_and_a_cancellation_at_once_exclude_each_other() {
    let world = World::new().await;
    let (company, ana) = office(&world).await;
    let mut paid = 0;
    for cxp in 1..=12 {
        did(company.run_by_name("payable.capture", &json!({"total": "116.00", "iva": "16.00"})).await);
        let (payment, cancellation, edit) = (
            pay(cxp, "58", json!(1), "A"),
            json!({"cxp": cxp}),
            json!({"clave": cxp, "total": "232.00", "iva": "32.00"}),
        );
        let (one, two, three) = tokio::join!(
            company.run_by_name("payable.pay", &payment),
            company.run_by_name("payable.cancel", &cancellation),
            company.run_by_name("payable.edit", &edit)
        );
        assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?} {three:?}");
        for outcome in [&one, &two, &three] {
            let refused = outcome.as_ref().err().map(|error| error.code().codigo());
            assert!(matches!(refused, None | Some("estado_invalido")), "{refused:?}");
        }
        paid += i64::from(one.is_ok());
        let expected = if one.is_ok() { "pendiente" } else { "cancelado" };
        assert_eq!(payable(&ana, cxp).await["estatus"], expected);
    }
    println!("{paid} of 12 were paid");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_fiscal_folio_is_given_once_and_free_after_a_cancellation() {
    let world = World::new().await;
    let (company, _) = office(&world).await;
    let bill = json!({"total": "10", "uuid": UUID});
    let (one, two) =
        tokio::join!(company.run_by_name("payable.capture", &bill), company.run_by_name("payable.capture", &bill));
    let refused = one.err().or(two.err()).map(|error| error.code().codigo());
    assert_eq!(refused, Some("uuid_duplicado"));
    let first = world.sql::<i64>("SELECT clave FROM cxp").await;
    let other = did(company.run_by_name("payable.capture", &json!({"total": "10"})).await)["cxp"].clone();
    let named = json!({"clave": other, "uuid": UUID.to_uppercase()});
    refuses(&company, "payable.edit", &[(named.clone(), "uuid_duplicado", "uuid: ")]).await;
    did(company.run_by_name("payable.cancel", &json!({"cxp": first})).await);
    did(company.run_by_name("payable.edit", &named).await);
    refuses(&company, "payable.capture", &[(bill, "uuid_duplicado", "uuid: ")]).await;
    books::check(&world, &company).await;
}
