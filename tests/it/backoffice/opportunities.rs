//! `opportunity.create`, `opportunity.move`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{Actor, Company, Resource, World};

use super::{did, emitted, refuses};

/// A funnel: stages 1 and 2 open, 3 won, 4 and 5 lost, 6 out of use; reasons 1 and 2 in use, 3 not.
async fn funnel() -> (Company, Actor) {
    let company = World::new().await.company().await;
    let stage = |nombre: &str, tipo: &str| json!({"nombre": nombre, "tipo": tipo});
    let stages = [
        stage("Nueva", "abierta"),
        stage("Propuesta", "abierta"),
        stage("Ganada", "ganada"),
        stage("Perdida", "perdida"),
        stage("Descartada", "perdida"),
        json!({"nombre": "Vieja", "estatus": "inactivo"}),
    ];
    company.load(Resource::EtapasOportunidad, &stages).await;
    let reasons =
        [json!({"nombre": "Precio"}), json!({"nombre": "Plazo"}), json!({"nombre": "Otra", "estatus": "inactivo"})];
    company.load(Resource::MotivosPerdida, &reasons).await;
    company.load(Resource::Clientes, &[json!({"nombre": "Ana"})]).await;
    let ana = company.admin().await;
    (company, ana)
}

async fn only(ana: &Actor) -> Value {
    let [found] = &ana.walk("/oportunidades").await[..] else { panic!("one opportunity") };
    found.clone()
}

#[tokio::test]
async fn an_opportunity_begins_in_its_stage() {
    let (company, ana) = funnel().await;
    let vendedor = company.user("Beto", true).await;
    let full = json!({
        "nombre": "Bodega", "etapa": 2, "cliente": 1, "contacto_nombre": "Eva", "contacto_empresa": "Eva SA",
        "contacto_correo": "eva@example.com , e@example.com", "contacto_telefono": "55", "vendedor": vendedor,
        "monto": "1500.5", "moneda": "USD", "probabilidad": 40, "cierre": "2026-12-31", "origen": "Feria",
    });
    assert_eq!(did(company.run_by_name("opportunity.create", &full).await), json!({"oportunidad": 1}));
    let now = "2026-10-12T18:00:00Z";
    assert_eq!(
        only(&ana).await,
        json!({
            "clave": 1, "folio": "1", "nombre": "Bodega", "estatus": "abierta", "etapa": 2, "cliente": 1,
            "contacto_nombre": "Eva", "contacto_empresa": "Eva SA", "contacto_correo": "eva@example.com,e@example.com",
            "contacto_telefono": "55", "vendedor": vendedor, "monto": "1500.50", "moneda": "USD", "probabilidad": 40,
            "cierre": "2026-12-31", "motivo_perdida": null, "fecha_cierre": null, "origen": "Feria", "creado": now,
            "modificado": now,
        })
    );
    did(company.run_by_name("opportunity.create", &json!({"nombre": "Hecha", "etapa": 3})).await);
    let won = &ana.walk("/oportunidades?clave=2").await[0];
    assert_eq!(
        pick(won, &["estatus", "fecha_cierre", "moneda"]),
        json!({"estatus": "ganada", "fecha_cierre": now, "moneda": "MXN"})
    );
    assert_eq!(
        emitted(&company.world).await,
        [
            ("oportunidad.creada".to_owned(), json!({"oportunidad": 1, "etapa": 2})),
            ("oportunidad.creada".to_owned(), json!({"oportunidad": 2, "etapa": 3})),
        ]
    );
}

#[tokio::test]
async fn invalid_opportunities_are_refused() {
    let (company, _) = funnel().await;
    let usuario = company.user("Nadie", false).await;
    let with = |field: &str, value: Value| {
        let mut input = json!({"nombre": "Bodega", "etapa": 1});
        input[field] = value;
        input
    };
    refuses(
        &company,
        "opportunity.create",
        &[
            (json!({"etapa": 1}), "dato_requerido", "nombre: "),
            (json!({"nombre": "Bodega"}), "dato_requerido", "etapa: "),
            (with("etapa", json!(99)), "referencia_invalida", "etapa: "),
            (with("etapa", json!(6)), "referencia_invalida", "etapa: "),
            (with("cliente", json!(99)), "referencia_invalida", "cliente: "),
            (with("vendedor", json!(usuario)), "vendedor_invalido", "vendedor: "),
            (with("moneda", json!("ABC")), "moneda_invalida", "moneda: "),
            (with("moneda", json!("PESOS")), "dato_invalido", "moneda: "),
            (with("monto", json!("-1")), "dato_invalido", "monto: "),
            (with("probabilidad", json!(101)), "dato_invalido", "probabilidad: "),
            (with("cierre", json!("2026-13-01")), "dato_invalido", "cierre: "),
            (with("motivo_perdida", json!(1)), "campo_no_permitido", "motivo_perdida: "),
        ],
    )
    .await;
    assert_eq!(company.world.count("oportunidades").await, 0);
}

#[tokio::test]
async fn moves_win_lose_and_reopen() {
    let (company, ana) = funnel().await;
    did(company.run_by_name("opportunity.create", &json!({"nombre": "Bodega", "etapa": 1})).await);
    let mut events = emitted(&company.world).await;
    for (etapa, motivo, estatus, kept, closed) in [
        (2, None, "abierta", None, None),
        (3, None, "ganada", None, Some("2026-10-12T18:02:00Z")),
        (4, Some(1), "perdida", Some(1), Some("2026-10-12T18:03:00Z")),
        (5, None, "perdida", Some(1), Some("2026-10-12T18:03:00Z")),
        (4, Some(2), "perdida", Some(2), Some("2026-10-12T18:03:00Z")),
        (1, None, "abierta", None, None),
        (5, None, "perdida", None, Some("2026-10-12T18:07:00Z")),
    ] {
        company.world.clock.advance(TimeDelta::minutes(1));
        let before = only(&ana).await["etapa"].clone();
        let input = json!({"oportunidad": 1, "etapa": etapa, "motivo_perdida": motivo});
        assert_eq!(did(company.run_by_name("opportunity.move", &input).await), json!({"oportunidad": 1}));
        let after = only(&ana).await;
        assert_eq!(
            pick(&after, &["etapa", "estatus", "motivo_perdida", "fecha_cierre"]),
            json!({"etapa": etapa, "estatus": estatus, "motivo_perdida": kept, "fecha_cierre": closed}),
            "{input}"
        );
        let emitted = json!({"oportunidad": 1, "etapa_anterior": before, "etapa": etapa, "estatus": estatus});
        events.push(("oportunidad.etapa_cambiada".to_owned(), emitted));
    }
    assert_eq!(emitted(&company.world).await, events);
}

#[tokio::test]
async fn the_same_stage_is_no_move() {
    let (company, ana) = funnel().await;
    did(company.run_by_name("opportunity.create", &json!({"nombre": "Bodega", "etapa": 4})).await);
    let before = only(&ana).await;
    company.world.clock.advance(TimeDelta::minutes(1));
    did(company.run_by_name("opportunity.move", &json!({"oportunidad": 1, "etapa": 4})).await);
    assert_eq!(only(&ana).await, before);
    // Its reason can be put right there.
    did(company.run_by_name("opportunity.move", &json!({"oportunidad": 1, "etapa": 4, "motivo_perdida": 1})).await);
    let after = only(&ana).await;
    assert_eq!((&after["motivo_perdida"], &after["modificado"]), (&json!(1), &json!("2026-10-12T18:01:00Z")));
    assert_eq!(after["fecha_cierre"], before["fecha_cierre"]);
    assert_eq!(emitted(&company.world).await.len(), 1, "the creation alone");
}

#[tokio::test]
async fn impossible_moves_are_refused() {
    let (company, ana) = funnel().await;
    did(company.run_by_name("opportunity.create", &json!({"nombre": "Bodega", "etapa": 1})).await);
    let other = company.world.company().await;
    let before = only(&ana).await;
    let to = |etapa: i64, motivo: Value| json!({"oportunidad": 1, "etapa": etapa, "motivo_perdida": motivo});
    refuses(
        &company,
        "opportunity.move",
        &[
            (json!({"etapa": 1}), "dato_requerido", "oportunidad: "),
            (json!({"oportunidad": 9, "etapa": 1}), "no_encontrado", "oportunidad: "),
            (to(99, Value::Null), "referencia_invalida", "etapa: "),
            (to(6, Value::Null), "referencia_invalida", "etapa: "),
            (to(2, json!(1)), "estado_invalido", "motivo_perdida: "),
            (to(3, json!(1)), "estado_invalido", "motivo_perdida: "),
            (to(4, json!(3)), "referencia_invalida", "motivo_perdida: "),
            (to(4, json!(99)), "referencia_invalida", "motivo_perdida: "),
        ],
    )
    .await;
    refuses(&other, "opportunity.move", &[(to(2, Value::Null), "no_encontrado", "oportunidad: ")]).await;
    assert_eq!(only(&ana).await, before);
}
