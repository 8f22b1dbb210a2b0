//! `/cuentas-bancarias`

use serde_json::json;
use svc_core::domain::scope::Scope;
use svc_tests::imports::blames;
use svc_tests::lists::{finds, shows};
use svc_tests::{Resource, World};

#[tokio::test]
async fn an_item_has_every_field_and_no_balance() {
    let company = World::new().await.company().await;
    let records = [
        json!({"clave": 4, "nombre": "Concentradora", "banco": "Banco Ñ", "moneda": "USD", "estatus": "inactivo"}),
        json!({"nombre": "Caja"}),
        json!({"clave": null, "nombre": "Nula", "banco": null, "moneda": null, "estatus": null}),
    ];
    assert_eq!(company.import(Resource::CuentasBancarias, &records).await, Ok(3));
    company.world.sql::<i64>("UPDATE cuentas_bancarias SET saldo = 12345 WHERE clave = 4 RETURNING clave").await;
    let shown = [
        r#"{"clave":4,"nombre":"Concentradora","banco":"Banco Ñ","moneda":"USD","estatus":"inactivo"}"#,
        r#"{"clave":5,"nombre":"Caja","banco":null,"moneda":"MXN","estatus":"activo"}"#,
        r#"{"clave":6,"nombre":"Nula","banco":null,"moneda":"MXN","estatus":"activo"}"#,
    ];
    let ana = company.actor(&[Scope::CxcRead]).await;
    shows(&ana, "/cuentas-bancarias", &shown).await;
    finds(
        &ana,
        "/cuentas-bancarias",
        &[
            ("clave=4", &[4]),
            ("clave=1", &[]),
            ("estatus=activo", &[5, 6]),
            ("estatus=inactivo", &[4]),
            ("estatus=inactivo&clave=5", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_bad_record_is_named_by_line_and_field() {
    let company = World::new().await.company().await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Caja"})]).await;
    for (bad, text) in [
        (json!({}), "nombre: es obligatorio"),
        (json!({"nombre": "A", "clave": 1}), "clave: ya existe"),
        (json!({"nombre": "A", "clave": -1}), "clave: "),
        (json!({"nombre": "A", "banco": 7}), "banco: "),
        (json!({"nombre": "A", "moneda": "PESOS"}), "moneda: "),
        (json!({"nombre": "A", "moneda": "ZZZ"}), "moneda: no está en el catálogo del SAT"),
        (json!({"nombre": "A", "moneda": "mxn"}), "moneda: "),
        (json!({"nombre": "A", "estatus": "x"}), "estatus: "),
        (json!({"nombre": "A", "numero": "1"}), "numero: "),
        (json!({"nombre": "A", "saldo": "1.001"}), "saldo: lleva a lo más dos decimales"),
        (json!({"nombre": "A", "saldo": "1000000000000000000"}), "saldo: "),
        (
            json!({"nombre": "A", "saldo": "1.00", "saldo_pesos": "2.00"}),
            "saldo_pesos: en una cuenta en pesos es el saldo",
        ),
        (json!({"nombre": "A", "moneda": "USD", "saldo": "1.00"}), "saldo_pesos: hace falta"),
        (json!({"nombre": "A", "moneda": "USD", "saldo": "1.00", "saldo_pesos": "17.505"}), "saldo_pesos: "),
    ] {
        let lines = [json!({"nombre": "B"}), bad, json!({"nombre": "B"})];
        blames(company.import(Resource::CuentasBancarias, &lines).await, 2, text);
    }
    assert_eq!(company.world.count("cuentas_bancarias").await, 1);
}

#[tokio::test]
async fn listed_records_can_be_imported_and_companies_are_separate() {
    let world = World::new().await;
    let [one, other] = [world.company().await, world.company().await];
    let records = [json!({"nombre": "Una", "banco": "Uno"}), json!({"nombre": "Dos", "moneda": "EUR"})];
    one.load(Resource::CuentasBancarias, &records).await;
    let shown = one.admin().await.walk("/cuentas-bancarias").await;
    shows(&other.admin().await, "/cuentas-bancarias", &[]).await;
    other.load(Resource::CuentasBancarias, &shown).await;
    assert_eq!(other.admin().await.walk("/cuentas-bancarias").await, shown);
}
