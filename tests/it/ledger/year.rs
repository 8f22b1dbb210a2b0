//! `ledger.close-year`

use serde_json::{Value, json};
use svc_tests::authority::validate_books;
use svc_tests::{Company, World, books};

use super::fee;
use crate::backoffice::did;
use crate::backoffice::shop::{FOOD, captured, line, nails, refuses, sale, shop};

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
            (json!({"ejercicio": 2025}), "estado_invalido", "ejercicio: otro posterior ya está cerrado"),
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
    let empty = [(json!({"ejercicio": 2025}), "estado_invalido", "ejercicio: no hay")];
    refuses(&company, "ledger.close-year", &empty).await;
    let again: Value = did(company.run_by_name("ledger.close-year", &close).await);
    assert!(again["poliza"].as_i64() > poliza.as_i64());
    books::check(&world, &company).await;
}

/// What reports say of a year, and of its last month.
async fn said(company: &Company) -> Vec<Value> {
    let mut said = Vec::new();
    for (desde, mes) in [("2026-01-01", "2026-10"), ("2026-12-01", "2026-12")] {
        for por in ["dia", "cliente", "producto", "vendedor"] {
            let input = json!({"desde": desde, "hasta": "2026-12-31", "por": por});
            said.push(did(company.run_by_name("report.sales", &input).await));
        }
        said.push(did(company.run_by_name("report.vat", &json!({"mes": mes})).await));
    }
    for de in ["cxc", "cxp"] {
        said.push(did(company.run_by_name("report.aging", &json!({"de": de, "al": "2026-12-31"})).await));
    }
    let statement = json!({"cliente": 1, "desde": "2026-01-01", "hasta": "2026-12-31"});
    said.push(did(company.run_by_name("report.statement", &statement).await));
    said.push(did(company.run_by_name("report.stock", &json!({"al": "2026-12-31"})).await));
    for mes in ["2026-10", "2026-12"] {
        for tipo_envio in ["N", "C"] {
            let day =
                json!({"que": "balanza", "mes": mes, "tipo_envio": tipo_envio, "fecha_modificacion": "2027-01-05"});
            let xml = company.download("ledger.export", &day).await.unwrap().unwrap();
            // The account of the result is among those with entries, without any up to then.
            let xml = String::from_utf8(xml.to_vec()).unwrap();
            let rows =
                xml.split('<').filter(|row| !row.contains("NumCta=\"305")).filter(|row| !row.contains("/BCE:Ctas"));
            said.push(json!(rows.collect::<String>()));
        }
    }
    said
}

#[tokio::test]
async fn a_closed_year_reads_in_reports_as_before() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ticket = captured(&company, &nails("venta")).await;
    captured(&company, &sale("venta", &[line(FOOD, 3, "10.00")])).await;
    did(company
        .run_by_name("payable.capture", &json!({"total": "116.00", "iva": "16.00", "fecha": "2026-10-12"}))
        .await);
    world.clock.advance(chrono::TimeDelta::days(75));
    captured(&company, &nails("venta")).await;
    did(company
        .run_by_name("sale.return", &json!({"venta": ticket, "renglones": [{"renglon": 1, "cantidad": 1}]}))
        .await);
    did(company.run_by_name("ledger.entry", &fee("2026-12-20")).await);
    world.clock.advance(chrono::TimeDelta::days(10));
    let before = said(&company).await;
    assert_eq!(before[0]["totales"]["neto"], "330.00", "{}", before[0]);
    let close = json!({"ejercicio": 2026});
    let poliza = did(company.run_by_name("ledger.close-year", &close).await)["poliza"].clone();
    assert_eq!(said(&company).await, before, "closed");
    did(company.run_by_name("ledger.reopen", &json!({"mes": "2026-12"})).await);
    assert_eq!(said(&company).await, before, "reopened");
    did(company.run_by_name("ledger.reverse", &json!({"poliza": poliza})).await);
    assert_eq!(said(&company).await, before, "reversed");
    did(company.run_by_name("ledger.close-year", &close).await);
    assert_eq!(said(&company).await, before, "closed anew");
    books::check(&world, &company).await;
}
