//! `ledger.entry`, `ledger.opening`, `ledger.reverse`

use serde_json::json;
use svc_tests::{World, books};

use super::{entry, fee, movement, october};
use crate::backoffice::did;
use crate::backoffice::shop::{captured, is_isolated, nails, refuses, shop};

#[tokio::test]
async fn an_entry_balances_and_a_fault_names_its_line() {
    let world = World::new().await;
    let company = shop(&world).await;
    assert_eq!(did(company.run_by_name("ledger.entry", &fee("2026-10-31")).await), json!({"poliza": 1}));
    let of = |lines: &[serde_json::Value]| entry("2026-10-12", lines);
    let (debit, credit) = (movement("701.10", "100.00"), movement("102.01", "-100.00"));
    let both = json!({"cuenta": "701.10", "debe": "1", "haber": "1"});
    refuses(
        &company,
        "ledger.entry",
        &[
            (
                of(std::slice::from_ref(&debit)),
                "dato_invalido",
                "movimientos: no cuadran: el debe suma 100.00 y el haber 0.00",
            ),
            (of(&[]), "dato_requerido", "movimientos: "),
            (of(&[debit.clone(), movement("999.01", "-100.00")]), "referencia_invalida", "movimientos[1].cuenta: "),
            (of(&[debit.clone(), movement("401", "-100.00")]), "referencia_invalida", "movimientos[1].cuenta: "),
            (of(&[movement("105.01", "100.00"), credit.clone()]), "estado_invalido", "movimientos[0].cuenta: "),
            (of(&[movement("115.01", "100.00"), credit.clone()]), "estado_invalido", "movimientos[0].cuenta: "),
            (of(&[both, credit.clone()]), "dato_invalido", "movimientos[0].haber: "),
            (of(&[debit.clone(), json!({"cuenta": "102.01"})]), "dato_requerido", "movimientos[1].debe: "),
            (of(&[debit.clone(), movement("102.01", "-100.001")]), "dato_invalido", "movimientos[1].haber: "),
            (of(&[movement("701.10", "0"), movement("102.01", "-0")]), "dato_invalido", "movimientos[0].debe: "),
            (of(&[debit.clone(), json!({"debe": "1"})]), "dato_requerido", "movimientos[1].cuenta: "),
            (entry("2026-11-01", &[debit.clone(), credit.clone()]), "dato_invalido", "fecha: "),
            (json!({"fecha": "2026-10-12", "movimientos": [debit, credit]}), "dato_requerido", "concepto: "),
        ],
    )
    .await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn opening_balances_are_written_once_until_they_are_reversed() {
    let world = World::new().await;
    let company = shop(&world).await;
    let opening = entry("2026-10-01", &[movement("102.01", "5000"), movement("301.01", "-5000")]);
    assert_eq!(did(company.run_by_name("ledger.opening", &opening).await), json!({"poliza": 1}));
    refuses(&company, "ledger.opening", &[(opening.clone(), "estado_invalido", "los saldos iniciales")]).await;
    did(company.run_by_name("ledger.reverse", &json!({"poliza": 1, "fecha": "2026-10-01"})).await);
    let two =
        tokio::join!(company.run_by_name("ledger.opening", &opening), company.run_by_name("ledger.opening", &opening),);
    let written = [two.0, two.1].into_iter().flatten().count();
    assert_eq!(written, 1, "of two at once one is written");
    assert_eq!(october(&company, Some("301.01")).await["datos"].as_array().map(Vec::len), Some(3));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_entry_is_reversed_once_and_a_documents_only_with_it() {
    let world = World::new().await;
    let company = shop(&world).await;
    captured(&company, &nails("venta")).await;
    did(company.run_by_name("ledger.entry", &fee("2026-10-20")).await);
    let reversed = did(company.run_by_name("ledger.reverse", &json!({"poliza": 2})).await);
    assert_eq!(reversed, json!({"poliza": 3}));
    let last = october(&company, None).await["datos"][2].clone();
    assert_eq!(last["fecha"], "2026-10-20", "not before the entry");
    refuses(
        &company,
        "ledger.reverse",
        &[
            (json!({"poliza": 1}), "estado_invalido", "poliza: es de un documento"),
            (json!({"poliza": 2}), "estado_invalido", "poliza: ya la cancela la póliza 3"),
            (json!({"poliza": 3}), "estado_invalido", "poliza: es la cancelación"),
            (json!({"poliza": 9}), "no_encontrado", "poliza: "),
            (json!({}), "dato_requerido", "poliza: "),
        ],
    )
    .await;
    did(company.run_by_name("ledger.entry", &fee("2026-10-20")).await);
    refuses(&company, "ledger.reverse", &[(json!({"poliza": 4, "fecha": "2026-10-19"}), "dato_invalido", "fecha: ")])
        .await;
    is_isolated(&company, "ledger.reverse", json!({"poliza": 4})).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_bank_account_has_a_number_of_its_own() {
    let world = World::new().await;
    let company = shop(&world).await;
    let of_bank = |cuenta: &str| entry("2026-10-12", &[movement("701.10", "10"), movement(cuenta, "-10")]);
    did(company.run_by_name("ledger.entry", &of_bank("102.01.0002")).await);
    did(company.run_by_name("ledger.reverse", &json!({"poliza": 1})).await);
    let deposit = json!({"cuenta_bancaria": 1, "fecha": "2026-10-12", "importe": "300.00", "referencia": "A-1"});
    did(company.run_by_name("deposit.capture", &deposit).await);
    did(company.run_by_name("account.edit", &json!({"cuenta": "102.01", "numero": "1120"})).await);
    let other = json!({"cuenta_bancaria": 1, "fecha": "2026-10-12", "importe": "50.00", "referencia": "A-2"});
    did(company.run_by_name("deposit.capture", &other).await);
    did(company.run_by_name("deposit.cancel", &json!({"deposito": 1})).await);
    let balance = did(company.run_by_name("ledger.balance", &json!({})).await);
    let banks: Vec<(String, String)> = balance["cuentas"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["codigos"] == json!(["102.01"]))
        .map(|row| (row["cuenta"].as_str().unwrap().to_owned(), row["saldo"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [("102.01.0001", "300.00"), ("102.01.0002", "0.00"), ("1120.0001", "-250.00")];
    assert_eq!(banks, expected.map(|(cuenta, saldo)| (cuenta.to_owned(), saldo.to_owned())));
    assert_eq!(october(&company, Some("102.01.0002")).await["datos"].as_array().map(Vec::len), Some(2));
    refuses(
        &company,
        "ledger.entry",
        &[
            (of_bank("1120.0009"), "referencia_invalida", "movimientos[1].cuenta: "),
            (of_bank("1120.1"), "referencia_invalida", "movimientos[1].cuenta: "),
        ],
    )
    .await;
    books::check(&world, &company).await;
}
