//! `/vendedores`

use serde_json::json;
use svc_tests::imports::blames;
use svc_tests::lists::{finds, shows};
use svc_tests::{Resource, World};

const OWNER: &str = r#"{"clave":1,"nombre":"Titular","estatus":"activo"}"#;

#[tokio::test]
async fn an_item_has_every_field_and_only_salespeople_are_shown() {
    let world = World::new().await;
    let company = world.company().await;
    company.user("Contadora", false).await;
    let seller = company.user("Ñandú", true).await;
    company.disable_user(seller).await;
    let records = [OWNER, r#"{"clave":3,"nombre":"Ñandú","estatus":"inactivo"}"#];
    let ana = company.admin().await;
    shows(&ana, "/vendedores", &records).await;
    finds(
        &ana,
        "/vendedores",
        &[
            ("clave=1", &[1]),
            ("clave=2", &[]),
            ("clave=3", &[3]),
            ("estatus=activo", &[1]),
            ("estatus=inactivo", &[3]),
            ("estatus=activo&clave=3", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_imported_salesperson_is_a_user_and_null_is_absent() {
    let company = World::new().await.company().await;
    let records = [
        json!({"clave": 20, "nombre": "Ana", "estatus": "inactivo"}),
        json!({"clave": null, "nombre": "Eva", "estatus": null}),
    ];
    assert_eq!(company.import(Resource::Vendedores, &records).await, Ok(2));
    let shown = [
        OWNER,
        r#"{"clave":20,"nombre":"Ana","estatus":"inactivo"}"#,
        r#"{"clave":21,"nombre":"Eva","estatus":"activo"}"#,
    ];
    let ana = company.admin().await;
    shows(&ana, "/vendedores", &shown).await;
    assert_eq!(company.user("Contadora", false).await, 22);
    // Active users can be assigned.
    let lead = |vendedor: i64| json!({"nombre": "Prospecto", "correo": "a@example.com", "vendedor": vendedor});
    ana.post("/leads", lead(21)).await.ok(201);
    ana.post("/leads", lead(20)).await.fails(422, "vendedor_invalido");
}

#[tokio::test]
async fn a_bad_record_is_named_by_line_and_field() {
    let company = World::new().await.company().await;
    for (bad, text) in [
        (json!({}), "nombre: es obligatorio"),
        (json!({"nombre": ""}), "nombre: es obligatorio"),
        (json!({"nombre": 7}), "nombre: "),
        (json!({"nombre": "ñ".repeat(101)}), "nombre: "),
        // The company's owner.
        (json!({"nombre": "Ana", "clave": 1}), "clave: ya existe"),
        (json!({"nombre": "Ana", "clave": 0}), "clave: "),
        (json!({"nombre": "Ana", "estatus": true}), "estatus: "),
        (json!({"nombre": "Ana", "estatus": "eliminado"}), "estatus: "),
        (json!({"nombre": "Ana", "correo": "a@example.com"}), "correo: "),
    ] {
        let lines = [json!({"nombre": "Eva"}), bad, json!({"nombre": "Eva"})];
        blames(company.import(Resource::Vendedores, &lines).await, 2, text);
    }
    assert_eq!(company.world.count("usuarios").await, 1);
}

#[tokio::test]
async fn listed_records_can_be_imported_and_companies_are_separate() {
    let world = World::new().await;
    let [one, other] = [world.company().await, world.company().await];
    let records = [json!({"nombre": "Ana"}), json!({"nombre": "Eva", "estatus": "inactivo"})];
    one.load(Resource::Vendedores, &records).await;
    let shown = one.admin().await.walk("/vendedores").await;
    assert_eq!(shown.len(), 3);
    shows(&other.admin().await, "/vendedores", &[OWNER]).await;
    // The owner exists already.
    other.load(Resource::Vendedores, &shown[1..]).await;
    assert_eq!(other.admin().await.walk("/vendedores").await, shown);
}
