//! What `report.vat` and `report.sales` say of returns, refunds, other currencies, IEPS and
//! accounts of a company's own.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::{World, books};

use super::did;
use super::ledger::dollars;
use super::reports::{charged, report, transfer};
use super::shop::{FOOD, NAIL, captured, line, sale, shop, with};

#[tokio::test]
async fn goods_returned_without_a_document_are_of_their_own_rate() {
    let world = World::new().await;
    let company = shop(&world).await;
    let mixed = sale("venta", &[line(NAIL, 1, "100.00"), line(FOOD, 1, "100.00")]);
    captured(&company, &mixed).await;
    did(company.run_by_name("payment.apply", &transfer(1, "216.00", "2026-10-12")).await);
    let back = |renglon: i64| json!({"venta": 1, "renglones": [{"renglon": renglon, "cantidad": 1}]});
    did(company.run_by_name("sale.return", &back(1)).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.000000 100.00 0.00 100.00 0.00 0.00"]);
    world.clock.advance(TimeDelta::days(25));
    did(company.run_by_name("sale.return", &back(2)).await);
    assert_eq!(charged(&company, "2026-11").await, ["0.000000 -100.00 0.00 -100.00 0.00 0.00"]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn goods_returned_of_a_line_that_bears_a_quota_alone_are_of_its_rate() {
    let world = World::new().await;
    let company = shop(&world).await;
    // 40.00 less 40.00, 6.00 of IEPS by quantity, and 16 % of it.
    let line = with(&line(NAIL, 4, "10.00"), json!({"descuento": "40.00", "ieps_cuota": "1.500000"}));
    captured(&company, &sale("venta", &[line])).await;
    did(company.run_by_name("payment.apply", &transfer(1, "6.96", "2026-10-12")).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.160000 0.00 0.96 6.00 0.96 0.00"]);
    did(company.run_by_name("sale.return", &json!({"venta": 1, "renglones": [{"renglon": 1, "cantidad": 1}]})).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.160000 0.00 0.72 4.50 0.72 0.00"]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn goods_returned_of_what_is_owed_collect_nothing() {
    let world = World::new().await;
    let company = shop(&world).await;
    captured(&company, &sale("venta", &[line(NAIL, 1, "100.00"), line(FOOD, 1, "100.00")])).await;
    let back = |renglon: i64| json!({"venta": 1, "renglones": [{"renglon": renglon, "cantidad": 1}]});
    did(company.run_by_name("sale.return", &back(1)).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.000000 100.00 0.00 0.00 0.00 0.00"]);
    did(company.run_by_name("payment.apply", &transfer(1, "100.00", "2026-10-12")).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.000000 100.00 0.00 100.00 0.00 0.00"]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_is_collected_at_zero_counts_at_the_payments_rate() {
    let world = World::new().await;
    let company = shop(&world).await;
    let abroad = with(&sale("venta", &[line(FOOD, 10, "100.00")]), json!({"moneda": "USD", "tipo_cambio": "17"}));
    captured(&company, &abroad).await;
    let paid = did(company.run_by_name("payment.apply", &dollars(&json!(1), "1000.00", Some("18"))).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.000000 17000.00 0.00 18000.00 0.00 0.00"]);
    did(company.run_by_name("payment.cancel", &json!({"pago": paid["pago"]})).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.000000 17000.00 0.00 0.00 0.00 0.00"]);
    // Instalments; the last takes the cents of the receivable.
    for (importe, rate) in [("333.33", "18"), ("333.33", "16"), ("333.34", "17")] {
        let paid = with(&dollars(&json!(1), importe, Some(rate)), json!({"referencia": rate}));
        did(company.run_by_name("payment.apply", &paid).await);
    }
    assert_eq!(charged(&company, "2026-10").await, ["0.000000 17000.00 0.00 17000.00 0.00 0.00"]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_advance_at_zero_that_is_given_back_was_not_collected() {
    let world = World::new().await;
    let company = shop(&world).await;
    let advance = sale("anticipo", &[line(FOOD, 1, "100.00")]);
    captured(&company, &advance).await;
    did(company.run_by_name("payment.apply", &transfer(1, "100.00", "2026-10-12")).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.000000 100.00 0.00 100.00 0.00 0.00"]);
    let refund = json!({"anticipo": 1, "importe": "40.00", "cuenta_bancaria": 1, "fecha": "2026-10-12",
                        "referencia": "SPEI 9"});
    did(company.run_by_name("advance.refund", &refund).await);
    assert_eq!(charged(&company, "2026-10").await, ["0.000000 60.00 0.00 60.00 0.00 0.00"]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_ieps_of_an_advance_is_charged_once() {
    let world = World::new().await;
    let company = shop(&world).await;
    // 100.00, 8.00 of IEPS, and 16 % of both.
    let taxed = [with(&line(NAIL, 1, "100.00"), json!({"ieps_tasa": "0.080000"}))];
    captured(&company, &sale("anticipo", &taxed)).await;
    did(company.run_by_name("payment.apply", &transfer(1, "125.28", "2026-10-12")).await);
    captured(&company, &sale("venta", &taxed)).await;
    let ieps = async || report(&company, "vat", json!({"mes": "2026-10"})).await["ieps"].clone();
    let of = |ieps: &str, cobrado: &str, por_cobrar: &str| json!({"ieps": ieps, "cobrado": cobrado, "por_cobrar": por_cobrar});
    assert_eq!(ieps().await, of("16.00", "8.00", "8.00"));
    let paid = json!({"cxc": 2, "importe": "125.28", "origen": "anticipo", "fecha": "2026-10-12"});
    let paid = did(company.run_by_name("payment.apply", &paid).await);
    assert_eq!(ieps().await, of("8.00", "8.00", "0.00"));
    did(company.run_by_name("payment.cancel", &json!({"pago": paid["pago"]})).await);
    assert_eq!(ieps().await, of("16.00", "8.00", "8.00"));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_ieps_of_a_line_moves_no_income_to_another_rate() {
    let world = World::new().await;
    let company = shop(&world).await;
    // 100.00, 53.00 of IEPS and 16 % of both; 100.00 at 0 %.
    let lines = [with(&line(NAIL, 1, "100.00"), json!({"ieps_tasa": "0.530000"})), line(FOOD, 1, "100.00")];
    captured(&company, &sale("venta", &lines)).await;
    let to_collect = ["0.160000 100.00 24.48 0.00 0.00 24.48", "0.000000 100.00 0.00 0.00 0.00 0.00"];
    assert_eq!(charged(&company, "2026-10").await, to_collect);
    did(company.run_by_name("payment.apply", &transfer(1, "277.48", "2026-10-12")).await);
    let collected = ["0.160000 100.00 24.48 153.00 24.48 0.00", "0.000000 100.00 0.00 100.00 0.00 0.00"];
    assert_eq!(charged(&company, "2026-10").await, collected);
    let food = json!({"venta": 1, "renglones": [{"renglon": 2, "cantidad": 1}]});
    did(company.run_by_name("sale.return", &food).await);
    assert_eq!(charged(&company, "2026-10").await, collected[..1]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_ieps_of_goods_at_zero_comes_back_with_them() {
    let world = World::new().await;
    let company = shop(&world).await;
    let lines = [with(&line(FOOD, 1, "100.00"), json!({"ieps_tasa": "0.080000"})), line(NAIL, 1, "100.00")];
    for _ in 0..2 {
        captured(&company, &sale("venta", &lines)).await;
    }
    did(company.run_by_name("payment.apply", &transfer(1, "224.00", "2026-10-12")).await);
    let sold = ["0.160000 200.00 32.00 100.00 16.00 16.00", "0.000000 200.00 0.00 108.00 0.00 0.00"];
    assert_eq!(charged(&company, "2026-10").await, sold);
    // Of a sale that is paid, and of one that is owed.
    for venta in [1, 2] {
        let food = json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": 1}]});
        did(company.run_by_name("sale.return", &food).await);
    }
    assert_eq!(charged(&company, "2026-10").await, sold[..1]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn accounts_of_the_companys_own_are_in_the_reports_of_their_group() {
    let world = World::new().await;
    let company = shop(&world).await;
    for (cuenta, agrupador) in [("VENTAS-WEB", "401.01"), ("DEVOLUCIONES-WEB", "402.01"), ("OTROS", "403.01")] {
        let own = json!({"cuenta": cuenta, "nombre": cuenta, "agrupador": agrupador});
        did(company.run_by_name("account.edit", &own).await);
    }
    let movimientos = json!([
        {"cuenta": "102.01", "debe": "950"}, {"cuenta": "VENTAS-WEB", "haber": "1000"},
        {"cuenta": "DEVOLUCIONES-WEB", "debe": "100"}, {"cuenta": "OTROS", "haber": "50"},
    ]);
    let entry = json!({"fecha": "2026-10-12", "concepto": "Tienda en línea", "movimientos": movimientos});
    did(company.run_by_name("ledger.entry", &entry).await);
    for por in ["dia", "cliente", "producto", "vendedor"] {
        let said = report(&company, "sales", json!({"desde": "2026-10-01", "hasta": "2026-10-31", "por": por})).await;
        let totals = ["ventas", "descuentos", "neto"].map(|field| said["totales"][field].clone());
        assert_eq!(totals, ["1000.00", "100.00", "900.00"].map(Value::from), "{por}: {said}");
    }
    assert_eq!(charged(&company, "2026-10").await, ["- 900.00 0.00 0.00 0.00 0.00"]);
    books::check(&world, &company).await;
}
