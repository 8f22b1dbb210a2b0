//! `/oportunidades`

use serde_json::{Value, json};
use svc_core::domain::scope::Scope;
use svc_tests::imports::refuses_fields_beside;
use svc_tests::lists::{finds, pick};
use svc_tests::{Company, Resource, World};

/// A company with a funnel (1 and 2 open, 3 won, 4 lost), a reason, two customers and a second
/// user.
async fn company(world: &World) -> Company {
    let company = world.company().await;
    let stages = [
        json!({"nombre": "Contacto"}),
        json!({"nombre": "Propuesta", "probabilidad": 50}),
        json!({"nombre": "Ganada", "tipo": "ganada"}),
        json!({"nombre": "Perdida", "tipo": "perdida"}),
    ];
    company.load(Resource::EtapasOportunidad, &stages).await;
    company.load(Resource::MotivosPerdida, &[json!({"clave": 8, "nombre": "Precio"})]).await;
    company.load(Resource::Clientes, &[json!({"nombre": "Ana"}), json!({"nombre": "Eva"})]).await;
    assert_eq!(company.user("Vendedora", true).await, 2);
    company
}

fn complete() -> Value {
    json!({
        "clave": 4, "folio": "OP-4", "nombre": "Remodelación", "estatus": "perdida", "etapa": 4, "cliente": 2,
        "contacto_nombre": "Luz", "contacto_empresa": "Obras, S.A.", "contacto_correo": "luz@obras.example",
        "contacto_telefono": "55 1234 5678", "vendedor": 2, "monto": "1234.505", "moneda": "USD", "probabilidad": 30,
        "cierre": "2026-03-31", "motivo_perdida": 8, "fecha_cierre": "2026-03-30T12:00:00Z", "origen": "web",
        "creado": "2026-01-01T00:00:00Z", "modificado": "2026-03-30T12:00:01Z",
    })
}

fn bare(clave: i64) -> Value {
    json!({
        "clave": clave, "folio": clave.to_string(), "nombre": null, "estatus": "abierta", "etapa": 1, "cliente": null,
        "contacto_nombre": null, "contacto_empresa": null, "contacto_correo": null, "contacto_telefono": null,
        "vendedor": null, "monto": null, "moneda": "MXN", "probabilidad": null, "cierre": null,
        "motivo_perdida": null, "fecha_cierre": null, "origen": null, "creado": "2026-10-12T18:00:00Z",
        "modificado": "2026-10-12T18:00:00Z",
    })
}

#[tokio::test]
async fn an_item_has_every_field_in_order_and_nulls_stay() {
    let company = company(&World::new().await).await;
    let mut nulls = bare(0);
    for (name, value) in nulls.as_object_mut().unwrap() {
        if name != "etapa" {
            *value = json!(null);
        }
    }
    let records = [complete(), json!({"etapa": 1}), nulls];
    company.load(Resource::Oportunidades, &records).await;
    let reply = company.actor(&[Scope::OportunidadesRead]).await.get("/oportunidades").await;
    let page = reply.ok(200);
    assert_eq!(page, json!({"ok": true, "datos": [complete(), bare(5), bare(6)], "siguiente": null, "hay_mas": false}));
    let body = std::str::from_utf8(&reply.body).unwrap();
    let fields = [
        "clave",
        "folio",
        "nombre",
        "estatus",
        "etapa",
        "cliente",
        "contacto_nombre",
        "contacto_empresa",
        "contacto_correo",
        "contacto_telefono",
        "vendedor",
        "monto",
        "moneda",
        "probabilidad",
        "cierre",
        "motivo_perdida",
        "fecha_cierre",
        "origen",
        "creado",
        "modificado",
    ];
    let places: Vec<_> = fields.iter().map(|field| body.find(&format!("\"{field}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{body}");
}

#[tokio::test]
async fn the_status_is_that_of_the_stage() {
    let company = company(&World::new().await).await;
    let records = [
        json!({"etapa": 1, "estatus": "perdida", "motivo_perdida": 8}),
        json!({"etapa": 2, "estatus": null}),
        json!({"etapa": 3, "estatus": "abierta", "motivo_perdida": 8}),
        json!({"etapa": 4, "motivo_perdida": 8}),
        json!({"etapa": 4}),
    ];
    company.load(Resource::Oportunidades, &records).await;
    let shown = company.admin().await.walk("/oportunidades").await;
    let shown: Vec<_> = shown.iter().map(|one| pick(one, &["estatus", "motivo_perdida"])).collect();
    assert_eq!(
        shown,
        [
            json!({"estatus": "abierta", "motivo_perdida": null}),
            json!({"estatus": "abierta", "motivo_perdida": null}),
            json!({"estatus": "ganada", "motivo_perdida": null}),
            json!({"estatus": "perdida", "motivo_perdida": 8}),
            json!({"estatus": "perdida", "motivo_perdida": null}),
        ],
        "only what is lost has a reason"
    );
}

#[tokio::test]
async fn every_filter_finds_what_matches_and_nothing_else() {
    let world = World::new().await;
    let [mine, other] = [company(&world).await, company(&world).await];
    for company in [&mine, &other] {
        let name = if company.id == mine.id { "Propia" } else { "Ajena" };
        let records = [
            json!({"nombre": name, "etapa": 1, "cliente": 1, "cierre": "2026-03-01"}),
            json!({"nombre": name, "etapa": 2, "cliente": 2, "vendedor": 1, "cierre": "2026-03-31"}),
            json!({"nombre": name, "etapa": 3, "vendedor": 2, "cierre": "2026-04-01"}),
            json!({"nombre": name, "etapa": 4, "cliente": 1, "vendedor": 2, "motivo_perdida": 8}),
            json!({"nombre": name, "etapa": 1, "clave": 90}),
        ];
        company.load(Resource::Oportunidades, &records).await;
    }
    let ana = mine.admin().await;
    finds(
        &ana,
        "/oportunidades",
        &[
            ("", &[1, 2, 3, 4, 90]),
            ("clave=90", &[90]),
            ("clave=5", &[]),
            ("estatus=abierta", &[1, 2, 90]),
            ("estatus=ganada", &[3]),
            ("estatus=perdida", &[4]),
            ("etapa=1", &[1, 90]),
            ("etapa=2", &[2]),
            ("etapa=5", &[]),
            ("cliente=1", &[1, 4]),
            ("cliente=2", &[2]),
            ("cliente=0", &[]),
            ("vendedor=1", &[2]),
            ("vendedor=2", &[3, 4]),
            ("vendedor=3", &[]),
            ("cierre_desde=2026-03-31", &[2, 3]),
            ("cierre_desde=2026-03-31T00:00:00Z", &[2, 3]),
            ("cierre_desde=2026-03-31T00:00:01Z", &[3]),
            ("cierre_desde=2026-04-02", &[]),
            ("cierre_hasta=2026-03-31", &[1, 2]),
            ("cierre_hasta=2026-03-31T12:00:00Z", &[1, 2]),
            ("cierre_hasta=2026-03-30T23:59:59Z", &[1]),
            ("cierre_hasta=2026-02-28", &[]),
            ("cierre_desde=2026-03-02&cierre_hasta=2026-03-31", &[2]),
            ("cierre_desde=0001-01-01&cierre_hasta=9999-12-31", &[1, 2, 3]),
            ("estatus=abierta&cliente=1", &[1]),
            ("estatus=ganada&cliente=1", &[]),
            ("vendedor=2&cierre_desde=2026-01-01", &[3]),
        ],
    )
    .await;
    let shown = ana.walk("/oportunidades").await;
    assert!(shown.iter().all(|record| record["nombre"] == "Propia"), "{shown:?}");
}

#[tokio::test]
async fn listed_records_can_be_imported_again() {
    let world = World::new().await;
    let [mine, other] = [company(&world).await, company(&world).await];
    mine.load(Resource::Oportunidades, &[complete(), json!({"etapa": 2, "monto": 12, "nombre": "Obra"})]).await;
    let shown = mine.admin().await.walk("/oportunidades").await;
    assert_eq!((shown.len(), &shown[1]["monto"]), (2, &json!("12.00")));
    other.load(Resource::Oportunidades, &shown).await;
    assert_eq!(other.admin().await.walk("/oportunidades").await, shown);
    let events: i64 = world.sql("SELECT count(*) FROM emitidos").await;
    assert_eq!(events, 0, "importing emits no events");
}

#[tokio::test]
async fn a_bad_field_is_named() {
    let company = company(&World::new().await).await;
    let table = [
        ("clave", json!(0)),
        ("folio", json!("ñ".repeat(51))),
        ("folio", json!(7)),
        ("nombre", json!("ñ".repeat(201))),
        ("estatus", json!("abierto")),
        ("etapa", json!(null)),
        ("etapa", json!("1")),
        ("etapa", json!(99)),
        ("cliente", json!(99)),
        ("cliente", json!(0)),
        ("contacto_nombre", json!("ñ".repeat(101))),
        ("contacto_empresa", json!(1)),
        ("contacto_correo", json!("ñ".repeat(256))),
        ("contacto_telefono", json!("5".repeat(31))),
        ("vendedor", json!(99)),
        ("monto", json!("-1")),
        ("monto", json!("1,000")),
        ("moneda", json!("XYZ")),
        ("moneda", json!("mxn")),
        ("probabilidad", json!(101)),
        ("probabilidad", json!(-1)),
        ("cierre", json!("2026-02-30")),
        ("cierre", json!("2026-02-03T00:00:00Z")),
        ("motivo_perdida", json!(99)),
        ("fecha_cierre", json!("2026-02-03")),
        ("origen", json!("ñ".repeat(101))),
        ("creado", json!("2026-02-03T00:00:00-06:00")),
        ("modificado", json!("ayer")),
        ("contacto", json!("Luz")),
    ];
    refuses_fields_beside(&company, Resource::Oportunidades, &json!({"etapa": 4}), &json!({"etapa": 1}), &table).await;
    assert_eq!(company.world.count("oportunidades").await, 0);
}

#[tokio::test]
async fn references_to_another_companys_records_are_refused() {
    let world = World::new().await;
    let (_, bare) = (company(&world).await, world.company().await);
    bare.load(Resource::EtapasOportunidad, &[json!({"clave": 70, "nombre": "Única", "tipo": "perdida"})]).await;
    for (field, clave) in [("etapa", 1), ("cliente", 1), ("vendedor", 2), ("motivo_perdida", 8)] {
        let mut record = json!({"etapa": 70});
        record[field] = json!(clave);
        let error = bare.import(Resource::Oportunidades, &[record]).await.unwrap_err();
        assert_eq!(error, format!("línea 1: {field}: no existe en la empresa"));
    }
}

#[tokio::test]
async fn an_import_waits_for_an_edit_of_its_stages() {
    let world = World::new().await;
    let company = company(&world).await;
    let mut edit = world.pool().begin().await.expect("a transaction");
    let lock = "SELECT FROM etapas_oportunidad WHERE clave = 1 FOR NO KEY UPDATE";
    sqlx::query(lock).execute(&mut *edit).await.expect("a lock");
    let importing = {
        let company = company.clone();
        tokio::spawn(async move { company.load(Resource::Oportunidades, &[json!({"etapa": 1})]).await })
    };
    while world.lock_waits().await == 0 {
        assert!(!importing.is_finished(), "it did not wait");
    }
    // Their state follows from the stage as it is when they are written.
    sqlx::query("UPDATE etapas_oportunidad SET tipo = 'ganada' WHERE clave = 1")
        .execute(&mut *edit)
        .await
        .expect("won");
    edit.commit().await.expect("an end");
    importing.await.expect("imported");
    assert_eq!(company.admin().await.walk("/oportunidades").await[0]["estatus"], "ganada");
}
