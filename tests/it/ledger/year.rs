//! `ledger.close-year`

use serde_json::{Value, json};
use svc_tests::authority::validate_books;
use svc_tests::{World, books};

use super::fee;
use crate::backoffice::did;
use crate::backoffice::shop::{captured, nails, refuses, shop};

#[tokio::test]
async fn a_years_result_goes_to_capital_in_month_thirteen() {
    let world = World::new().await;
    let company = shop(&world).await;
    captured(&company, &nails("venta")).await;
    did(company.run_by_name("account.edit", &json!({"cuenta": "401.01", "numero": "4000"})).await);
    captured(&company, &nails("venta")).await;
    did(company.run_by_name("ledger.entry", &fee("2026-10-31")).await);
    let close = json!({"ejercicio": 2026});
    refuses(
        &company,
        "ledger.close-year",
        &[
            (close.clone(), "dato_invalido", "ejercicio: aún no termina"),
            (json!({"ejercicio": 2100}), "dato_invalido", "ejercicio: "),
        ],
    )
    .await;
    world.clock.advance(chrono::TimeDelta::days(90));
    captured(&company, &nails("venta")).await;
    did(company.run_by_name("ledger.close", &json!({"mes": "2026-12"})).await);
    let poliza = did(company.run_by_name("ledger.close-year", &close).await)["poliza"].clone();
    // Sales of 400 less their cost of 160 and fees of 100.
    let december = json!({"desde": "2026-12-31", "hasta": "2026-12-31"});
    let entry = did(company.run_by_name("ledger.entries", &december).await)["datos"][0].clone();
    assert_eq!((&entry["clave"], &entry["origen"]), (&poliza, &json!("cierre")));
    let lines: Vec<String> = entry["movimientos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| format!("{} {} {}", line["cuenta"], line["debe"], line["haber"]).replace('"', ""))
        .collect();
    assert_eq!(
        lines,
        ["4000 200.00 0.00", "401.01 200.00 0.00", "501.01 0.00 160.00", "701.10 0.00 100.00", "305.01 0.00 140.00"]
    );
    refuses(
        &company,
        "ledger.close-year",
        &[
            (close.clone(), "estado_invalido", "ejercicio: ya lo cierra"),
            (json!({"ejercicio": 2025}), "estado_invalido", "ejercicio: no hay"),
        ],
    )
    .await;
    refuses(&company, "ledger.entry", &[(fee("2026-12-31"), "periodo_cerrado", "")]).await;
    let balance = async |mes: &str| {
        let xml = company.download("ledger.export", &json!({"que": "balanza", "mes": mes})).await.unwrap().unwrap();
        validate_books("BalanzaComprobacion", &xml);
        String::from_utf8(xml.to_vec()).unwrap()
    };
    let sales = |before: &str, debe: &str, haber: &str, after: &str| {
        format!(r#"NumCta="4000" SaldoIni="{before}" Debe="{debe}" Haber="{haber}" SaldoFin="{after}""#)
    };
    for (mes, row) in [
        ("2026-12", sales("200.00", "0.00", "0.00", "200.00")),
        ("2026-13", sales("200.00", "200.00", "0.00", "0.00")),
        ("2027-01", sales("0.00", "0.00", "200.00", "200.00")),
    ] {
        let xml = balance(mes).await;
        assert!(xml.contains(&row), "{mes}: {row}\n{xml}");
    }
    // It can be undone and done again, though December is closed.
    did(company.run_by_name("ledger.reverse", &json!({"poliza": poliza})).await);
    let again: Value = did(company.run_by_name("ledger.close-year", &close).await);
    assert!(again["poliza"].as_i64() > poliza.as_i64());
    books::check(&world, &company).await;
}
