//! `account.edit`, `account.list`

use serde_json::{Value, json};
use svc_tests::{World, books};

use super::{entry, movement, october};
use crate::backoffice::did;
use crate::backoffice::shop::{refuses, shop};

#[tokio::test]
async fn a_company_has_accounts_of_its_own() {
    let world = World::new().await;
    let company = shop(&world).await;
    let own = json!({"cuenta": "6000-010", "nombre": "Vigilancia", "agrupador": "601.84"});
    assert_eq!(
        did(company.run_by_name("account.edit", &own).await),
        json!({"cuenta": "6000-010", "numero": "6000-010", "nombre": "Vigilancia", "agrupador": "601.84"})
    );
    did(company.run_by_name("account.edit", &json!({"cuenta": "6000-010", "numero": "6000-011"})).await);
    let lines =
        [movement("6000-011", "10"), movement("6000-010", "20"), movement("601.01", "5"), movement("102.01", "-35")];
    did(company.run_by_name("ledger.entry", &entry("2026-10-12", &lines)).await);
    let read = october(&company, Some("6000-010")).await;
    assert_eq!(read["datos"][0]["saldo"], "30.00");
    assert_eq!(
        read["datos"][0]["movimientos"][0],
        json!({"cuenta": "6000-011", "codigo": "6000-010", "nombre": "Vigilancia", "debe": "10.00", "haber": "0.00"})
    );
    let balances = did(company.run_by_name("ledger.balance", &json!({})).await);
    let named: Vec<&Value> = balances["cuentas"].as_array().unwrap().iter().map(|row| &row["nombre"]).collect();
    assert_eq!(
        named,
        ["Bancos nacionales", "Vigilancia", "Sueldos y salarios"]
            .map(Value::from)
            .iter()
            .collect::<Vec<_>>()
            .as_slice()
    );
    let list = did(company.run_by_name("account.list", &json!({})).await);
    let listed = |cuenta: &str| list["cuentas"].as_array().unwrap().iter().find(|row| row["cuenta"] == cuenta).cloned();
    assert_eq!(listed("6000-010").expect("its own")["numero"], "6000-011");
    assert_eq!(listed("401.01").expect("one of the list")["agrupador"], "401.01");
    // Nothing that is left out changes; what is cleared is again as in the list.
    did(company.run_by_name("account.edit", &json!({"cuenta": "102.01", "nombre": "Bancos"})).await);
    let numbered = did(company.run_by_name("account.edit", &json!({"cuenta": "102.01", "numero": "1020"})).await);
    assert_eq!((&numbered["nombre"], &numbered["numero"]), (&json!("Bancos"), &json!("1020")));
    let cleared = did(company.run_by_name("account.edit", &json!({"cuenta": "1020", "nombre": ""})).await);
    assert_eq!((&cleared["cuenta"], &cleared["nombre"]), (&json!("102.01"), &json!("Bancos nacionales")));
    refuses(
        &company,
        "account.edit",
        &[
            (json!({"cuenta": "7-1"}), "dato_invalido", "cuenta: "),
            (json!({"cuenta": "7-1", "nombre": "X"}), "dato_invalido", "cuenta: "),
            (json!({"cuenta": "7-1", "nombre": "X", "agrupador": "601"}), "dato_invalido", "agrupador: "),
            (json!({"cuenta": "7-1", "nombre": "X", "agrupador": "999.99"}), "dato_invalido", "agrupador: "),
            (json!({"cuenta": "6000-010", "agrupador": null}), "dato_requerido", "agrupador: "),
            (json!({"cuenta": "6000-010", "nombre": null}), "dato_requerido", "nombre: "),
            (json!({"cuenta": "105.01", "numero": "1\u{1}05"}), "dato_invalido", "numero: "),
            (json!({"cuenta": "105.01", "numero": "1\n05"}), "dato_invalido", "numero: "),
            (json!({"cuenta": "102.01", "numero": "1".repeat(81)}), "dato_invalido", "numero: "),
            (json!({"cuenta": "7\t1", "nombre": "X", "agrupador": "601.84"}), "dato_invalido", "cuenta: "),
        ],
    )
    .await;
    let other = shop(&world).await;
    let theirs = entry("2026-10-12", &[movement("6000-010", "1"), movement("102.01", "-1")]);
    refuses(&other, "ledger.entry", &[(theirs, "referencia_invalida", "movimientos[0].cuenta: ")]).await;
    books::check(&world, &company).await;
}
