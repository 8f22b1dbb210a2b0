//! `/etapas-oportunidad`

use serde_json::{Value, json};
use svc_tests::imports::refuses_fields_beside;
use svc_tests::lists::finds;
use svc_tests::{Resource, World};

fn funnel() -> [Value; 4] {
    [
        json!({"clave": 10, "nombre": "Prospección", "tipo": "abierta", "orden": 3, "probabilidad": 20, "estatus": "activo"}),
        json!({"clave": 11, "nombre": "Muestra", "tipo": "abierta", "orden": -1, "probabilidad": 0, "estatus": "inactivo"}),
        json!({"clave": 12, "nombre": "Ganada", "tipo": "ganada", "orden": 9, "probabilidad": 100, "estatus": "activo"}),
        json!({"clave": 13, "nombre": "Perdida", "tipo": "perdida", "orden": 9, "probabilidad": 5, "estatus": "activo"}),
    ]
}

#[tokio::test]
async fn an_item_has_every_field() {
    let company = World::new().await.company().await;
    company.load(Resource::EtapasOportunidad, &funnel()).await;
    let reply = company.admin().await.get("/etapas-oportunidad?clave=10").await;
    assert_eq!(
        std::str::from_utf8(&reply.body).unwrap(),
        "{\"ok\":true,\"datos\":[{\"clave\":10,\"nombre\":\"Prospección\",\"tipo\":\"abierta\",\"orden\":3,\
         \"probabilidad\":20,\"estatus\":\"activo\"}],\"siguiente\":null,\"hay_mas\":false}"
    );
}

#[tokio::test]
async fn filters_find_the_matching_stages_of_the_company() {
    let world = World::new().await;
    let [company, other] = [world.company().await, world.company().await];
    let mut theirs = funnel();
    for record in &mut theirs {
        record["nombre"] = json!("Ajena");
    }
    company.load(Resource::EtapasOportunidad, &funnel()).await;
    other.load(Resource::EtapasOportunidad, &theirs).await;
    let ana = company.admin().await;
    finds(
        &ana,
        "/etapas-oportunidad",
        &[
            ("", &[10, 11, 12, 13]),
            ("clave=11", &[11]),
            ("clave=14", &[]),
            ("estatus=activo", &[10, 12, 13]),
            ("estatus=inactivo", &[11]),
            ("tipo=abierta", &[10, 11]),
            ("tipo=ganada", &[12]),
            ("tipo=perdida", &[13]),
            ("tipo=abierta&estatus=activo", &[10]),
            ("tipo=ganada&estatus=inactivo", &[]),
        ],
    )
    .await;
    let shown = ana.walk("/etapas-oportunidad").await;
    assert!(shown.iter().all(|record| record["nombre"] != "Ajena"), "{shown:?}");
}

#[tokio::test]
async fn omitted_fields_take_their_defaults() {
    let company = World::new().await.company().await;
    let stage = |clave: i64, nombre: &str, tipo: &str, probabilidad: i64| json!({"clave": clave, "nombre": nombre, "tipo": tipo, "orden": clave, "probabilidad": probabilidad, "estatus": "activo"});
    let records = [
        json!({"nombre": "Contacto"}),
        json!({"clave": null, "nombre": "Propuesta", "tipo": null, "orden": null, "probabilidad": null, "estatus": null}),
        json!({"nombre": "Ganada", "tipo": "ganada"}),
        json!({"nombre": "Perdida", "tipo": "perdida"}),
    ];
    company.load(Resource::EtapasOportunidad, &records).await;
    assert_eq!(
        company.admin().await.walk("/etapas-oportunidad").await,
        [
            stage(1, "Contacto", "abierta", 0),
            stage(2, "Propuesta", "abierta", 0),
            stage(3, "Ganada", "ganada", 100),
            stage(4, "Perdida", "perdida", 0),
        ]
    );
}

#[tokio::test]
async fn listed_records_can_be_imported_again() {
    let world = World::new().await;
    let [company, other] = [world.company().await, world.company().await];
    company.load(Resource::EtapasOportunidad, &funnel()).await;
    let shown = company.admin().await.walk("/etapas-oportunidad").await;
    assert_eq!(shown, funnel());
    other.load(Resource::EtapasOportunidad, &shown).await;
    assert_eq!(other.admin().await.walk("/etapas-oportunidad").await, shown);
}

#[tokio::test]
async fn a_bad_field_is_named() {
    let company = World::new().await.company().await;
    let table = [
        ("clave", json!(0)),
        ("clave", json!("1")),
        ("nombre", json!(null)),
        ("nombre", json!(" ")),
        ("nombre", json!("ñ".repeat(101))),
        ("tipo", json!("abierto")),
        ("orden", json!("1")),
        ("orden", json!(1.5)),
        ("probabilidad", json!(-1)),
        ("probabilidad", json!(101)),
        ("probabilidad", json!("50")),
        ("estatus", json!("eliminado")),
        ("otro", json!(1)),
    ];
    refuses_fields_beside(
        &company,
        Resource::EtapasOportunidad,
        &json!({"nombre": "Mala"}),
        &json!({"nombre": "Buena"}),
        &table,
    )
    .await;
    let twice = [json!({"nombre": "A", "clave": 7}), json!({"nombre": "B", "clave": 7})];
    let error = company.import(Resource::EtapasOportunidad, &twice).await.unwrap_err();
    assert!(error.starts_with("línea 2: clave: "), "{error}");
    assert_eq!(company.world.count("etapas_oportunidad").await, 0);
}
