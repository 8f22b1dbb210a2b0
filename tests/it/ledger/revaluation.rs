//! `ledger.revalue`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::{Company, World, books};

use crate::backoffice::did;
use crate::backoffice::shop::{captured, is_isolated, nails, refuses, shop, with};

/// The bank account in dollars.
const DOLLARS: i64 = 2;

fn revalue(mes: &str, moneda: &str, tipo_cambio: &str) -> Value {
    json!({"mes": mes, "tipos_cambio": [{"moneda": moneda, "tipo_cambio": tipo_cambio}]})
}

/// The lines of the entries of a day, debits less credits.
async fn entries(company: &Company, day: &str) -> Vec<String> {
    let read = did(company.run_by_name("ledger.entries", &json!({"desde": day, "hasta": day})).await);
    let of = |entry: &Value| {
        let lines = entry["movimientos"].as_array().unwrap().iter().map(|line| {
            let (debe, haber) = (line["debe"].as_str().unwrap(), line["haber"].as_str().unwrap());
            let amount = if debe == "0.00" { format!("-{haber}") } else { format!("+{debe}") };
            format!("{} {amount}", line["codigo"].as_str().unwrap())
        });
        lines.collect::<Vec<_>>().join(" ")
    };
    read["datos"].as_array().unwrap().iter().filter(|entry| entry["origen"] == "revaluacion").map(of).collect()
}

async fn balance(company: &Company, codigo: &str) -> Value {
    let read = did(company.run_by_name("ledger.balance", &json!({})).await);
    let of = |row: &&Value| row["codigos"] == json!([codigo]);
    read["cuentas"].as_array().unwrap().iter().find(of).map_or(Value::Null, |row| row["saldo"].clone())
}

/// A company that is owed 232 dollars at 17.50 and owes 100 at 18, with 50 in the bank at 17 of
/// which 20 wait to be applied, all on October 12.
async fn importer(world: &World) -> Company {
    let company = shop(world).await;
    captured(&company, &with(&nails("venta"), json!({"moneda": "USD", "tipo_cambio": "17.5"}))).await;
    let bill = json!({"total": "100.00", "moneda": "USD", "tipo_cambio": "18", "fecha": "2026-10-12"});
    did(company.run_by_name("payable.capture", &bill).await);
    let deposit = json!({"cuenta_bancaria": DOLLARS, "fecha": "2026-10-12", "importe": "50.00", "referencia": "A-1", "tipo_cambio": "17"});
    did(company.run_by_name("deposit.capture", &deposit).await);
    let payment = json!({"cxc": 1, "importe": "30.00", "deposito": 1, "forma_pago_sat": "03", "tipo_cambio": "17"});
    did(company.run_by_name("payment.apply", &payment).await);
    company
}

#[tokio::test]
async fn balances_in_dollars_are_worth_what_the_months_last_day_says_until_the_next() {
    let world = World::new().await;
    let company = importer(&world).await;
    world.clock.advance(TimeDelta::days(25));
    let answer = did(company.run_by_name("ledger.revalue", &revalue("2026-10", "USD", "19")).await);
    let one = &answer["revaluaciones"][0];
    let balances: Vec<[Value; 5]> = one["saldos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["cuenta", "saldo", "pesos", "valor", "diferencia"].map(|field| row[field].clone()))
        .collect();
    let expected = [
        ["102.01", "50.00", "850.00", "950.00", "100.00"],
        ["205.06", "-20.00", "-340.00", "-380.00", "-40.00"],
        ["105.01", "202.00", "3535.00", "3838.00", "303.00"],
        ["201.01", "-100.00", "-1800.00", "-1900.00", "-100.00"],
    ];
    assert_eq!(balances, expected.map(|row| row.map(Value::from)));
    assert_eq!((&one["utilidad"], &one["perdida"]), (&json!("403.00"), &json!("140.00")));
    assert_eq!(one["cancelacion"].as_i64(), one["poliza"].as_i64().map(|poliza| poliza + 1));
    let lines = "102.01.R +100.00 105.01.R +303.00 201.01.R -100.00 205.06.R -40.00 701.01 +140.00 702.01 -403.00";
    assert_eq!(entries(&company, "2026-10-31").await, [lines]);
    let back = "102.01.R -100.00 105.01.R -303.00 201.01.R +100.00 205.06.R +40.00 701.01 -140.00 702.01 +403.00";
    assert_eq!(entries(&company, "2026-11-01").await, [back]);
    // The list still says what the ledger does, and a payment gains what it would have gained.
    let aging = did(company.run_by_name("report.aging", &json!({"de": "cxc", "al": "2026-10-31"})).await);
    assert_eq!((&aging["saldo"], &aging["sin_documento"]), (&json!("3535.00"), &json!("0.00")));
    let payment = json!({"cxc": 1, "importe": "202.00", "cuenta_bancaria": DOLLARS, "forma_pago_sat": "03", "fecha": "2026-11-05",
                         "referencia": "A-2", "tipo_cambio": "20"});
    did(company.run_by_name("payment.apply", &payment).await);
    assert_eq!(balance(&company, "105.01").await, "0.00");
    assert_eq!(balance(&company, "105.01.R").await, "0.00");
    let november = did(company.run_by_name("ledger.revalue", &revalue("2026-10", "EUR", "20")).await);
    assert_eq!(november["revaluaciones"][0]["poliza"], Value::Null);
    assert_eq!(november["sin_tipo_cambio"], json!(["USD"]));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_month_and_currency_is_revalued_once_until_it_is_undone() {
    let world = World::new().await;
    let company = importer(&world).await;
    refuses(
        &company,
        "ledger.revalue",
        &[
            (revalue("2026-10", "USD", "19"), "dato_invalido", "mes: aún no llega su último día"),
            (json!({"mes": "2026-09"}), "dato_requerido", "tipos_cambio: "),
            (revalue("2026-09", "MXN", "1"), "dato_invalido", "tipos_cambio[0].moneda: "),
            (revalue("2026-09", "ABC", "1"), "moneda_invalida", "tipos_cambio[0].moneda: "),
            (revalue("2026-09", "USD", "0"), "dato_invalido", "tipos_cambio[0].tipo_cambio: "),
        ],
    )
    .await;
    world.clock.advance(TimeDelta::days(20));
    let input = revalue("2026-10", "USD", "19");
    let (one, other) =
        tokio::join!(company.run_by_name("ledger.revalue", &input), company.run_by_name("ledger.revalue", &input));
    assert_eq!([&one, &other].iter().filter(|outcome| outcome.is_ok()).count(), 1, "of two at once one is written");
    let poliza = did(one.or(other))["revaluaciones"][0]["poliza"].clone();
    refuses(&company, "ledger.revalue", &[(input.clone(), "estado_invalido", "tipos_cambio[0].moneda: ya la revalúa")])
        .await;
    let twice = json!({"mes": "2026-10", "tipos_cambio": [{"moneda": "EUR", "tipo_cambio": "20"}, {"moneda": "EUR", "tipo_cambio": "21"}]});
    refuses(&company, "ledger.revalue", &[(twice, "dato_invalido", "tipos_cambio[1].moneda: ")]).await;
    let next = json!({"poliza": poliza.as_i64().map(|poliza| poliza + 1)});
    refuses(&company, "ledger.reverse", &[(next, "estado_invalido", "poliza: es la cancelación")]).await;
    did(company.run_by_name("ledger.reverse", &json!({"poliza": poliza})).await);
    refuses(&company, "ledger.reverse", &[(json!({"poliza": poliza}), "estado_invalido", "poliza: ya está deshecha")])
        .await;
    for (day, count) in [("2026-10-31", 2), ("2026-11-01", 2)] {
        assert_eq!(entries(&company, day).await.len(), count, "{day}");
    }
    let again = did(company.run_by_name("ledger.revalue", &revalue("2026-10", "USD", "18")).await);
    assert_eq!(again["revaluaciones"][0]["utilidad"], "151.00", "{again}");
    // The next month does not know of it.
    world.clock.advance(TimeDelta::days(30));
    let next = did(company.run_by_name("ledger.revalue", &revalue("2026-11", "USD", "18")).await);
    assert_eq!(next["revaluaciones"][0]["saldos"], again["revaluaciones"][0]["saldos"]);
    did(company.run_by_name("ledger.close", &json!({"mes": "2026-10"})).await);
    let undo = json!({"poliza": again["revaluaciones"][0]["poliza"]});
    refuses(&company, "ledger.reverse", &[(undo, "periodo_cerrado", "")]).await;
    did(company.run_by_name("ledger.close", &json!({"mes": "2026-11"})).await);
    refuses(&company, "ledger.revalue", &[(revalue("2026-11", "EUR", "20"), "periodo_cerrado", "")]).await;
    refuses(
        &company,
        "ledger.entry",
        &[(
            super::entry("2026-12-01", &[super::movement("105.01.R", "1"), super::movement("701.01", "-1")]),
            "estado_invalido",
            "movimientos[0].cuenta: sus movimientos son los de ledger.revalue",
        )],
    )
    .await;
    is_isolated(&company, "ledger.reverse", json!({"poliza": poliza})).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn only_what_documents_posted_in_a_bank_account_is_revalued() {
    let world = World::new().await;
    let company = importer(&world).await;
    let bank = async || {
        let mes = did(company.run_by_name("ledger.revalue", &revalue("2026-10", "USD", "20")).await);
        let one = mes["revaluaciones"][0].clone();
        if one["poliza"].is_i64() {
            did(company.run_by_name("ledger.reverse", &json!({"poliza": one["poliza"]})).await);
        }
        let row = |codigo: &str| {
            let rows = one["saldos"].as_array().unwrap();
            rows.iter().find(|row| row["cuenta"] == codigo).map_or("none".to_owned(), |row| {
                format!("{} {}", row["saldo"].as_str().unwrap(), row["pesos"].as_str().unwrap())
            })
        };
        [row("102.01"), row("205.06")]
    };
    world.clock.advance(TimeDelta::days(19));
    assert_eq!(bank().await, ["50.00 850.00", "-20.00 -340.00"]);
    // A fee that people write by hand has no dollars, and a deposit without a rate no pesos.
    let fee = super::entry("2026-10-31", &[super::movement("701.10", "40"), super::movement("102.01.0002", "-40")]);
    did(company.run_by_name("ledger.entry", &fee).await);
    let unknown = json!({"cuenta_bancaria": DOLLARS, "fecha": "2026-10-31", "importe": "70.00", "referencia": "B-1"});
    did(company.run_by_name("deposit.capture", &unknown).await);
    assert_eq!(bank().await, ["50.00 850.00", "-20.00 -340.00"]);
    // Part of it is applied, and taken back: what it is worth is unknown again.
    let part = json!({"cxc": 1, "importe": "10.00", "deposito": 2, "forma_pago_sat": "03", "tipo_cambio": "18"});
    let pago = did(company.run_by_name("payment.apply", &part).await)["pago"].clone();
    assert_eq!(bank().await, ["60.00 1030.00", "-20.00 -340.00"]);
    did(company.run_by_name("payment.cancel", &json!({"pago": pago})).await);
    assert_eq!(bank().await, ["50.00 850.00", "-20.00 -340.00"]);
    // Part of a deposit whose worth is known stays in the bank and waits.
    let known = json!({"cxc": 1, "importe": "10.00", "deposito": 1, "forma_pago_sat": "03", "tipo_cambio": "18"});
    let pago = did(company.run_by_name("payment.apply", &known).await)["pago"].clone();
    assert_eq!(bank().await, ["50.00 850.00", "-10.00 -170.00"]);
    did(company.run_by_name("payment.cancel", &json!({"pago": pago})).await);
    assert_eq!(bank().await, ["50.00 850.00", "-20.00 -340.00"]);
    // A payment that brought its own money goes with it.
    let own = json!({"cxc": 1, "importe": "5.00", "cuenta_bancaria": DOLLARS, "forma_pago_sat": "03", "fecha": "2026-10-31",
                     "referencia": "C-1", "tipo_cambio": "18"});
    let pago = did(company.run_by_name("payment.apply", &own).await)["pago"].clone();
    assert_eq!(bank().await, ["55.00 940.00", "-20.00 -340.00"]);
    did(company.run_by_name("payment.cancel", &json!({"pago": pago})).await);
    assert_eq!(bank().await, ["50.00 850.00", "-20.00 -340.00"]);
    // What is paid to a supplier leaves.
    let paid = json!({"cxp": 1, "importe": "40.00", "cuenta_bancaria": DOLLARS, "fecha": "2026-10-31", "referencia": "D-1", "tipo_cambio": "19"});
    let pago = did(company.run_by_name("payable.pay", &paid).await)["pago"].clone();
    assert_eq!(bank().await, ["10.00 90.00", "-20.00 -340.00"]);
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": pago})).await);
    assert_eq!(bank().await, ["50.00 850.00", "-20.00 -340.00"]);
    // What a supplier owes comes.
    let owes = json!({"total": "-40.00", "moneda": "USD", "tipo_cambio": "18"});
    let cxp = did(company.run_by_name("payable.capture", &owes).await)["cxp"].clone();
    let pago = did(company.run_by_name("payable.pay", &with(&paid, json!({"cxp": cxp}))).await)["pago"].clone();
    assert_eq!(bank().await, ["90.00 1610.00", "-20.00 -340.00"]);
    did(company.run_by_name("payable.payment-cancel", &json!({"pago": pago})).await);
    assert_eq!(bank().await, ["50.00 850.00", "-20.00 -340.00"]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_deposit_without_a_rate_is_worth_what_the_payments_that_stand_say() {
    let world = World::new().await;
    let company = importer(&world).await;
    let unknown = json!({"cuenta_bancaria": DOLLARS, "fecha": "2026-10-12", "importe": "100.00", "referencia": "B-1"});
    did(company.run_by_name("deposit.capture", &unknown).await);
    let apply = async |importe: &str| {
        let part = json!({"cxc": 1, "importe": importe, "deposito": 2, "forma_pago_sat": "03", "tipo_cambio": "17.5"});
        did(company.run_by_name("payment.apply", &part).await)["pago"].clone()
    };
    let first = apply("60.00").await;
    did(company.run_by_name("payment.cancel", &json!({"pago": first})).await);
    let losses = balance(&company, "701.01").await;
    apply("100.00").await;
    assert_eq!(balance(&company, "701.01").await, losses, "at the debt's own rate there is no difference");
    world.clock.advance(TimeDelta::days(19));
    let mes = did(company.run_by_name("ledger.revalue", &revalue("2026-10", "USD", "20")).await);
    let saldos = mes["revaluaciones"][0]["saldos"].as_array().unwrap();
    let bank = saldos.iter().find(|row| row["cuenta"] == "102.01").unwrap();
    assert_eq!([&bank["saldo"], &bank["pesos"]], ["150.00", "2600.00"], "50 at 17 and 100 at 17.50");
    books::check(&world, &company).await;
}
