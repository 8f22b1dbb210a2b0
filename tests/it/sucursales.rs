//! `/sucursales`

use serde_json::json;
use svc_core::store::CompanyChange;
use svc_tests::imports::blames;
use svc_tests::lists::{finds, shows};
use svc_tests::{Resource, World};

const HEAD_OFFICE: &str = r#"{"clave":0,"nombre":"Matriz","cp":null,"estatus":"activo"}"#;

#[tokio::test]
async fn an_item_has_every_field_and_head_office_is_branch_0() {
    let world = World::new().await;
    let company = world.company_with(CompanyChange { cp: Some("06000".into()), ..CompanyChange::default() }).await;
    let complete = json!({"clave": 7, "nombre": "Centro \"Ñ\"", "cp": "22000", "estatus": "inactivo"});
    assert_eq!(company.import(Resource::Sucursales, &[complete, json!({})]).await, Ok(2));
    let ana = company.admin().await;
    let records = [
        r#"{"clave":0,"nombre":"Matriz","cp":"06000","estatus":"activo"}"#,
        r#"{"clave":7,"nombre":"Centro \"Ñ\"","cp":"22000","estatus":"inactivo"}"#,
        r#"{"clave":8,"nombre":null,"cp":null,"estatus":"activo"}"#,
    ];
    shows(&ana, "/sucursales", &records).await;
}

#[tokio::test]
async fn a_filter_finds_what_it_names() {
    let company = World::new().await.company().await;
    let records = [json!({"clave": 3, "estatus": "inactivo"}), json!({"clave": 5}), json!({"clave": 30})];
    company.load(Resource::Sucursales, &records).await;
    let ana = company.admin().await;
    finds(
        &ana,
        "/sucursales",
        &[
            ("", &[0, 3, 5, 30]),
            ("clave=0", &[0]),
            ("clave=3", &[3]),
            ("clave=4", &[]),
            ("clave=-1", &[]),
            ("estatus=activo", &[0, 5, 30]),
            ("estatus=inactivo", &[3]),
            ("estatus=inactivo&clave=5", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_bad_record_is_named_by_line_and_field() {
    let company = World::new().await.company().await;
    company.load(Resource::Sucursales, &[json!({"clave": 2})]).await;
    for (bad, text) in [
        (json!({"clave": 0}), "clave: ya existe"),
        (json!({"clave": 2}), "clave: ya existe"),
        (json!({"clave": -1}), "clave: no puede ser negativa"),
        (json!({"clave": "3"}), "clave: "),
        (json!({"nombre": "ñ".repeat(101)}), "nombre: "),
        (json!({"cp": "6000"}), "cp: "),
        (json!({"cp": "00001"}), "cp: no está en el catálogo"),
        (json!({"cp": 6000}), "cp: "),
        (json!({"estatus": "eliminado"}), "estatus: "),
        (json!({"principal": true}), "principal: "),
    ] {
        blames(company.import(Resource::Sucursales, &[json!({}), bad, json!({})]).await, 2, text);
    }
    assert_eq!(company.world.count("sucursales").await, 2);
}

#[tokio::test]
async fn null_is_absent_and_what_is_shown_can_be_imported() {
    let world = World::new().await;
    let [one, other] = [world.company().await, world.company().await];
    let records = [
        json!({"clave": null, "nombre": null, "cp": null, "estatus": null}),
        json!({"nombre": "Norte", "cp": "64000", "estatus": "inactivo"}),
    ];
    one.load(Resource::Sucursales, &records).await;
    let shown = one.admin().await.walk("/sucursales").await;
    assert_eq!(shown[1], json!({"clave": 1, "nombre": null, "cp": null, "estatus": "activo"}));
    shows(&other.admin().await, "/sucursales", &[HEAD_OFFICE]).await;
    // The head office exists already.
    other.load(Resource::Sucursales, &shown[1..]).await;
    assert_eq!(other.admin().await.walk("/sucursales").await, shown);
}
