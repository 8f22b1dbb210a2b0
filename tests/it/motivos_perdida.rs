//! `/motivos-perdida`

use serde_json::{Value, json};
use svc_tests::imports::refuses_fields_beside;
use svc_tests::lists::finds;
use svc_tests::{Resource, World};

fn reasons() -> [Value; 3] {
    [
        json!({"clave": 1, "nombre": "Precio", "estatus": "activo"}),
        json!({"clave": 5, "nombre": "Sin presupuesto", "estatus": "inactivo"}),
        json!({"clave": 9, "nombre": "Competencia", "estatus": "activo"}),
    ]
}

#[tokio::test]
async fn an_item_has_every_field() {
    let company = World::new().await.company().await;
    company.load(Resource::MotivosPerdida, &reasons()).await;
    let reply = company.admin().await.get("/motivos-perdida?clave=5").await;
    assert_eq!(
        std::str::from_utf8(&reply.body).unwrap(),
        r#"{"ok":true,"datos":[{"clave":5,"nombre":"Sin presupuesto","estatus":"inactivo"}],"siguiente":null,"hay_mas":false}"#
    );
}

#[tokio::test]
async fn filters_find_the_matching_reasons_of_the_company() {
    let world = World::new().await;
    let [company, other] = [world.company().await, world.company().await];
    company.load(Resource::MotivosPerdida, &reasons()).await;
    let theirs = [1, 2, 5, 9].map(|clave| json!({"clave": clave, "nombre": "Ajeno"}));
    other.load(Resource::MotivosPerdida, &theirs).await;
    let ana = company.admin().await;
    finds(
        &ana,
        "/motivos-perdida",
        &[
            ("", &[1, 5, 9]),
            ("clave=9", &[9]),
            ("clave=2", &[]),
            ("estatus=activo", &[1, 9]),
            ("estatus=inactivo", &[5]),
            ("clave=1&estatus=inactivo", &[]),
        ],
    )
    .await;
    let shown = ana.walk("/motivos-perdida").await;
    assert!(shown.iter().all(|record| record["nombre"] != "Ajeno"), "{shown:?}");
}

#[tokio::test]
async fn records_are_imported_with_defaults_and_again() {
    let world = World::new().await;
    let [company, other] = [world.company().await, world.company().await];
    let records = [json!({"nombre": "Precio"}), json!({"clave": null, "nombre": "Plazo", "estatus": null})];
    company.load(Resource::MotivosPerdida, &records).await;
    let shown = company.admin().await.walk("/motivos-perdida").await;
    assert_eq!(
        shown,
        [
            json!({"clave": 1, "nombre": "Precio", "estatus": "activo"}),
            json!({"clave": 2, "nombre": "Plazo", "estatus": "activo"}),
        ]
    );
    other.load(Resource::MotivosPerdida, &shown).await;
    assert_eq!(other.admin().await.walk("/motivos-perdida").await, shown);
}

#[tokio::test]
async fn a_bad_field_is_named() {
    let company = World::new().await.company().await;
    company.load(Resource::MotivosPerdida, &[json!({"clave": 70, "nombre": "Precio"})]).await;
    let table = [
        ("clave", json!(-1)),
        ("clave", json!(70)),
        ("nombre", json!(null)),
        ("nombre", json!("ñ".repeat(101))),
        ("estatus", json!("eliminado")),
        ("tipo", json!("abierta")),
    ];
    refuses_fields_beside(
        &company,
        Resource::MotivosPerdida,
        &json!({"nombre": "Malo"}),
        &json!({"nombre": "Bueno"}),
        &table,
    )
    .await;
}
