//! `ledger.entries`

use serde_json::{Value, json};
use svc_tests::{World, books};

use super::{fee, october};
use crate::backoffice::did;
use crate::backoffice::shop::{captured, nails, refuses, shop};

#[tokio::test]
async fn an_entry_shows_its_document_its_counterpart_and_its_lines() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (venta, factura) = crate::backoffice::shop::invoiced(&ana, &super::order()).await;
    let read = october(&company, None).await;
    assert_eq!(read["hay_mas"], false);
    assert_eq!(read["siguiente"], Value::Null);
    assert_eq!(read["saldo_inicial"], Value::Null);
    let entry = &read["datos"][0];
    assert_eq!((&entry["venta"], &entry["factura"]), (&json!(venta), &json!(factura)), "{entry}");
    assert_eq!(
        (&entry["cliente"], &entry["contraparte"], &entry["rfc"]),
        (&json!(1), &json!("Ana"), &json!("XIA190128J61"))
    );
    assert_eq!((&entry["origen"], &entry["fecha"]), (&json!("documento"), &json!("2026-10-12")));
    assert_eq!(entry["saldo"], Value::Null);
    assert_eq!(
        entry["movimientos"][0],
        json!({"cuenta": "105.01", "codigo": "105.01", "nombre": "Clientes nacionales", "debe": "232.00", "haber": "0.00"})
    );
    assert_eq!(entry["uuid"], Value::Null, "not stamped yet");
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    let stamped = october(&company, None).await;
    assert_eq!(stamped["datos"][0]["uuid"].as_str().expect("a folio").len(), 36);
    assert!(stamped["datos"][0]["folio"].is_string(), "{stamped}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_account_has_a_running_balance_over_its_pages() {
    let world = World::new().await;
    let company = shop(&world).await;
    for _ in 0..3 {
        captured(&company, &nails("venta")).await;
    }
    world.clock.advance(chrono::TimeDelta::days(1));
    for _ in 0..2 {
        captured(&company, &nails("venta")).await;
    }
    did(company.run_by_name("account.edit", &json!({"cuenta": "105.01", "numero": "1150-001"})).await);
    captured(&company, &nails("venta")).await;
    let mut page = json!({"desde": "2026-10-12", "hasta": "2026-10-31", "cuenta": "105.01", "limite": 2});
    let (mut balances, mut before) = (Vec::new(), Vec::new());
    loop {
        let read = did(company.run_by_name("ledger.entries", &page).await);
        before.push(read["saldo_inicial"].clone());
        balances.extend(read["datos"].as_array().expect("entries").iter().map(|entry| entry["saldo"].clone()));
        if read["hay_mas"] == false {
            break;
        }
        page["cursor"] = read["siguiente"].clone();
    }
    assert_eq!(balances, ["232.00", "464.00", "696.00", "928.00", "1160.00", "1392.00"]);
    assert_eq!(before, ["0.00", "464.00", "928.00"]);
    // A number has only the entries that were posted under it.
    let numbered = october(&company, Some("1150-001")).await;
    assert_eq!(numbered["datos"].as_array().map(Vec::len), Some(1));
    assert_eq!(numbered["datos"][0]["saldo"], "232.00");
    let later = json!({"desde": "2026-10-13", "hasta": "2026-10-13", "cuenta": "105.01"});
    assert_eq!(did(company.run_by_name("ledger.entries", &later).await)["saldo_inicial"], "696.00");
    let other = shop(&world).await;
    assert_eq!(october(&other, None).await["datos"], json!([]), "another company's");
    let mut stolen = page.clone();
    stolen["cuenta"] = json!("401.01");
    let backwards = json!({"desde": "2026-10-13", "hasta": "2026-10-12"});
    refuses(
        &company,
        "ledger.entries",
        &[
            (stolen, "cursor_invalido", ""),
            (backwards, "dato_invalido", "hasta: "),
            (json!({"desde": "2026-10-13"}), "dato_requerido", "hasta: "),
            (json!({"desde": "2026-10-13", "hasta": "2026-10-13", "limite": 501}), "dato_invalido", "limite: "),
            (json!({"desde": "2026-10-13", "hasta": "2026-10-13", "cuenta": "9-9"}), "referencia_invalida", "cuenta: "),
        ],
    )
    .await;
    refuses(&other, "ledger.entries", &[(page, "cursor_invalido", "")]).await;
}

#[tokio::test]
async fn an_entry_without_a_document_says_so() {
    let world = World::new().await;
    let company = shop(&world).await;
    let poliza = did(company.run_by_name("ledger.entry", &fee("2026-10-05")).await)["poliza"].clone();
    did(company.run_by_name("ledger.reverse", &json!({"poliza": poliza})).await);
    let read = october(&company, Some("102.01")).await;
    let shown: Vec<_> = read["datos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            (
                entry["fecha"].clone(),
                entry["origen"].clone(),
                entry["revierte"].clone(),
                entry["revertida"].clone(),
                entry["saldo"].clone(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (json!("2026-10-05"), json!("manual"), json!(null), json!(2), json!("-100.00")),
            (json!("2026-10-12"), json!("manual"), json!(1), json!(null), json!("0.00")),
        ]
    );
}
