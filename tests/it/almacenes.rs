//! `/almacenes`

use serde_json::{Value, json};
use svc_tests::imports::blames;
use svc_tests::lists::{finds, shows};
use svc_tests::{Company, Resource, World};

const MAIN: &str =
    r#"{"clave":1,"codigo":"001","nombre":"Almacén principal","sucursal":0,"principal":true,"estatus":"activo"}"#;

#[tokio::test]
async fn an_item_has_every_field_and_every_company_has_a_main_warehouse() {
    let company = branches(World::new().await.company().await).await;
    let complete = json!({
        "clave": 7, "codigo": "ÑA1", "nombre": "Bodega", "sucursal": 2, "principal": true, "estatus": "inactivo",
    });
    assert_eq!(company.import(Resource::Almacenes, &[complete, json!({"codigo": "002"})]).await, Ok(2));
    let records = [
        MAIN,
        r#"{"clave":7,"codigo":"ÑA1","nombre":"Bodega","sucursal":2,"principal":true,"estatus":"inactivo"}"#,
        r#"{"clave":8,"codigo":"002","nombre":null,"sucursal":0,"principal":false,"estatus":"activo"}"#,
    ];
    shows(&company.admin().await, "/almacenes", &records).await;
}

#[tokio::test]
async fn a_filter_finds_what_it_names_and_deleted_ones_only_when_asked_for() {
    let company = branches(World::new().await.company().await).await;
    company.load(Resource::Almacenes, &four()).await;
    let ana = company.admin().await;
    finds(
        &ana,
        "/almacenes",
        &[
            ("", &[1, 2, 3, 5]),
            ("clave=2", &[2]),
            ("clave=4", &[]),
            ("clave=4&estatus=eliminado", &[4]),
            ("codigo=001", &[1]),
            ("codigo=aB%25", &[2]),
            ("codigo=AB%25", &[]),
            ("codigo=aBx", &[]),
            ("codigo=___", &[]),
            ("codigo=%C3%91%C3%91%C3%91", &[5]),
            ("codigo=004", &[]),
            ("codigo=004&estatus=eliminado", &[4]),
            ("sucursal=0", &[1, 3]),
            ("sucursal=2", &[2, 5]),
            ("sucursal=2&estatus=eliminado", &[4]),
            ("sucursal=1", &[]),
            ("principal=true", &[1, 5]),
            ("principal=false", &[2, 3]),
            ("estatus=activo", &[1, 2, 5]),
            ("estatus=inactivo", &[3]),
            ("estatus=eliminado", &[4]),
            ("sucursal=2&principal=true&estatus=activo&codigo=%C3%91%C3%91%C3%91", &[5]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_bad_record_is_named_by_line_and_field() {
    let company = branches(World::new().await.company().await).await;
    for (bad, text) in [
        (json!({}), "codigo: es obligatorio"),
        (json!({"codigo": null}), "codigo: es obligatorio"),
        (json!({"codigo": "01"}), "codigo: debe tener 3 caracteres"),
        (json!({"codigo": "0001"}), "codigo: "),
        (json!({"codigo": 101}), "codigo: "),
        (json!({"codigo": "001"}), "codigo: ya existe"),
        (json!({"codigo": "A"}), "codigo: "),
        (json!({"codigo": "003", "clave": 1}), "clave: ya existe"),
        (json!({"codigo": "003", "clave": 0}), "clave: "),
        (json!({"codigo": "003", "sucursal": 9}), "sucursal: no existe"),
        (json!({"codigo": "003", "sucursal": "0"}), "sucursal: "),
        (json!({"codigo": "003", "principal": "true"}), "principal: "),
        (json!({"codigo": "003", "estatus": "desconocido"}), "estatus: "),
    ] {
        let lines = [json!({"codigo": "B01"}), bad, json!({"codigo": "B02"})];
        blames(company.import(Resource::Almacenes, &lines).await, 2, text);
    }
    let twice = [json!({"codigo": "B01"}), json!({"codigo": "B02"}), json!({"codigo": "B01"})];
    blames(company.import(Resource::Almacenes, &twice).await, 3, "codigo: ya existe");
    assert_eq!(company.world.count("almacenes").await, 1);
}

#[tokio::test]
async fn null_is_absent_and_what_is_shown_can_be_imported() {
    let world = World::new().await;
    let [one, other] = [branches(world.company().await).await, branches(world.company().await).await];
    let nulls = json!({
        "clave": null, "codigo": "C01", "nombre": null, "sucursal": null, "principal": null, "estatus": null,
    });
    one.load(Resource::Almacenes, &[nulls]).await;
    one.load(Resource::Almacenes, &[json!({"codigo": "C02", "nombre": "Sur", "sucursal": 2})]).await;
    let shown = one.admin().await.walk("/almacenes").await;
    let bare = json!({
        "clave": 2, "codigo": "C01", "nombre": null, "sucursal": 0, "principal": false, "estatus": "activo",
    });
    assert_eq!(shown[1], bare);
    shows(&other.admin().await, "/almacenes", &[MAIN]).await;
    other.load(Resource::Almacenes, &shown[1..]).await;
    assert_eq!(other.admin().await.walk("/almacenes").await, shown);
}

async fn branches(company: Company) -> Company {
    company.load(Resource::Sucursales, &[json!({"clave": 2, "nombre": "Sur"})]).await;
    company
}

fn four() -> [Value; 4] {
    [
        json!({"codigo": "aB%", "sucursal": 2}),
        json!({"codigo": "003", "estatus": "inactivo"}),
        json!({"codigo": "004", "sucursal": 2, "principal": true, "estatus": "eliminado"}),
        json!({"codigo": "ÑÑÑ", "sucursal": 2, "principal": true}),
    ]
}

#[tokio::test]
async fn an_import_leaves_a_branch_one_main_warehouse() {
    let company = branches(World::new().await.company().await).await;
    let main = |codigo: &str, sucursal: i64| json!({"codigo": codigo, "sucursal": sucursal, "principal": true});
    let taken = "principal: la sucursal ya tiene almacén principal";
    // The head office was born with one.
    blames(company.import(Resource::Almacenes, &[main("002", 0)]).await, 1, taken);
    blames(company.import(Resource::Almacenes, &[main("021", 2), main("022", 2)]).await, 2, taken);
    let mut deleted = main("022", 2);
    deleted["estatus"] = json!("eliminado");
    company.load(Resource::Almacenes, &[deleted, main("021", 2)]).await;
    finds(&company.admin().await, "/almacenes", &[("principal=true", &[1, 3])]).await;
}
