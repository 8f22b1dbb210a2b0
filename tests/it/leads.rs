//! `POST /leads`

use bytes::Bytes;
use http::{Method, header};
use serde_json::{Value, json};
use svc_core::domain::scope::Scope;
use svc_tests::{Actor, Company, Reply, World};

#[tokio::test]
async fn a_lead_is_a_customer_marked_as_prospect() {
    let (company, ana) = company_and_site().await;
    let body = json!({
        "nombre": "Eva Ñáñez", "empresa": "Ñandú, S.A. de C.V.", "correo": "eva@x.mx, ventas@x.mx",
        "telefono": "55 1234 5678", "mensaje": "¿Tienen tornillos?", "vendedor": company.owner,
    });
    let created = post(&ana, body).await.ok(201);
    assert_eq!(created, json!({"ok": true, "prospecto": 1, "creado": "2026-10-12T18:00:00Z", "folio": "1"}));
    let item = json!({
        "clave": 1, "folio": "1", "nombre": "Eva Ñáñez", "razon_social": "Ñandú, S.A. de C.V.", "rfc": null,
        "correo": "eva@x.mx,ventas@x.mx", "telefono": "55 1234 5678", "movil": null, "prospecto": true,
        "id_platform_a": null, "id_platform_b": null, "id_platform_c": null, "id_platform_d": null,
        "id_platform_e": null, "publico": false, "proximo_contacto": null, "modificado": "2026-10-12T18:00:00Z",
    });
    let reader = company.actor(&[Scope::ClientesRead]).await;
    assert_eq!(reader.walk("/clientes?prospecto=true").await, [item]);
    assert_eq!(reader.walk("/clientes?prospecto=false").await, [] as [Value; 0]);
    let row = newest(&company.world).await;
    assert_eq!((&row["mensaje"], &row["vendedor"]), (&json!("¿Tienen tornillos?"), &json!(company.owner)));
}

#[tokio::test]
async fn a_name_or_a_company_and_an_email_or_a_phone_are_enough() {
    let (company, ana) = company_and_site().await;
    for (body, name, legal_name) in [
        (json!({"nombre": "Eva", "correo": "eva@x.mx"}), json!("Eva"), json!(null)),
        (json!({"nombre": "Eva", "telefono": "1"}), json!("Eva"), json!(null)),
        (json!({"empresa": "Ñandú", "correo": "eva@x.mx"}), json!(null), json!("Ñandú")),
        (json!({"empresa": "Ñandú", "telefono": "1", "nombre": "", "correo": null}), json!(null), json!("Ñandú")),
    ] {
        post(&ana, body.clone()).await.ok(201);
        let row = newest(&company.world).await;
        assert_eq!((&row["nombre"], &row["razon_social"]), (&name, &legal_name), "{body}");
        assert_eq!((&row["mensaje"], &row["vendedor"]), (&Value::Null, &Value::Null), "{body}");
    }
}

#[tokio::test]
async fn without_a_name_and_a_contact_nothing_is_written() {
    let (company, ana) = company_and_site().await;
    for body in [
        json!({}),
        json!({"nombre": "Eva"}),
        json!({"empresa": "Ñandú", "nombre": "Eva", "mensaje": "Hola"}),
        json!({"correo": "eva@x.mx", "telefono": "1"}),
        json!({"nombre": " ", "empresa": "", "correo": "eva@x.mx"}),
        json!({"nombre": "Eva", "correo": null, "telefono": "  "}),
        json!({"nombre": "Eva", "correo": " , "}),
    ] {
        let reply = post(&ana, body.clone()).await;
        assert_eq!((reply.status, &reply.json()["error"]["codigo"]), (400, &json!("dato_requerido")), "{body}");
    }
    assert_eq!(prospects(&company.world).await, 0);
}

#[tokio::test]
async fn lengths_count_characters() {
    let (company, ana) = company_and_site().await;
    for (field, max) in [("nombre", 100), ("empresa", 200), ("correo", 50), ("telefono", 30), ("mensaje", 2000)] {
        let mut body = json!({"nombre": "Eva", "correo": "eva@x.mx"});
        body[field] = json!(format!(" {} ", "ñ".repeat(max)));
        post(&ana, body.clone()).await.ok(201);
        let column = if field == "empresa" { "razon_social" } else { field };
        assert_eq!(newest(&company.world).await[column], "ñ".repeat(max), "{field}");

        body[field] = json!("ñ".repeat(max + 1));
        let reply = post(&ana, body).await;
        reply.fails(400, "dato_invalido");
        assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{}", reply.mensaje());
    }
}

#[tokio::test]
async fn a_malformed_body_is_refused() {
    let (company, ana) = company_and_site().await;
    for (body, codigo) in [
        (r#"{"nombre":"Eva","correo":"a@x.mx","rfc":"EKU9003173C9"}"#, "campo_no_permitido"),
        (r#"{"nombre":"Eva","correo":"a@x.mx","movil":"1"}"#, "campo_no_permitido"),
        (r#"{"nombre":"Eva","correo":"a@x.mx","prospecto":false}"#, "campo_no_permitido"),
        (r#"{"nombre":7,"correo":"a@x.mx"}"#, "dato_invalido"),
        (r#"{"nombre":"Eva","telefono":5512345678}"#, "dato_invalido"),
        (r#"{"nombre":"Eva","correo":"a@x.mx","mensaje":"\u0000"}"#, "dato_invalido"),
        (r#"{"nombre":"Eva","correo":"a@x.mx","vendedor":"1"}"#, "dato_invalido"),
        (r#"{"nombre":"Eva","correo":"a@x.mx","vendedor":1.5}"#, "dato_invalido"),
        (r#"{"nombre":"Eva","correo":"a@x.mx","vendedor":9223372036854775808}"#, "dato_invalido"),
    ] {
        let reply = post_raw(&ana, body).await;
        assert_eq!((reply.status, &reply.json()["error"]["codigo"]), (400, &json!(codigo)), "{body}");
    }
    assert_eq!(prospects(&company.world).await, 0);
}

#[tokio::test]
async fn a_salesperson_is_an_active_one_of_the_company() {
    let (company, ana) = company_and_site().await;
    for vendedor in company.not_salespeople().await {
        post(&ana, lead(Some(vendedor))).await.fails(422, "vendedor_invalido");
    }
    assert_eq!(prospects(&company.world).await, 0);
    for vendedor in [company.user("Vendedora", true).await, company.owner] {
        post(&ana, lead(Some(vendedor))).await.ok(201);
        assert_eq!(newest(&company.world).await["vendedor"], vendedor);
    }
    post(&ana, lead(None)).await.ok(201);
}

#[tokio::test]
async fn the_body_is_validated_before_the_salesperson() {
    let (_, ana) = company_and_site().await;
    post(&ana, json!({"nombre": "Eva", "vendedor": 99})).await.fails(400, "dato_requerido");
    post(&ana, json!({"nombre": "Eva", "correo": "a@x.mx", "vendedor": 99, "x": 1}))
        .await
        .fails(400, "campo_no_permitido");
}

#[tokio::test]
async fn without_an_idempotency_key_the_same_lead_is_two_prospects() {
    let (company, ana) = company_and_site().await;
    for clave in 1..=2 {
        assert_eq!(post(&ana, lead(None)).await.ok(201)["prospecto"], clave);
    }
    assert_eq!(prospects(&company.world).await, 2);
}

#[tokio::test]
async fn with_an_idempotency_key_the_first_answer_is_given_again() {
    let (company, ana) = company_and_site().await;
    let first = ana.write(Method::POST, "/leads", "una", lead(None)).await;
    company.world.clock.advance(chrono::TimeDelta::hours(1));
    let again = ana.write(Method::POST, "/leads", "una", lead(None)).await;
    assert_eq!((first.status, again.status), (201, 200));
    assert_eq!(again.body, first.body);
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), (None, Some("true")));
    let other = json!({"nombre": "Otra", "correo": "a@x.mx"});
    ana.write(Method::POST, "/leads", "una", other.clone()).await.fails(409, "idempotencia_conflicto");
    ana.write(Method::POST, "/leads", "dos", other).await.ok(201);
    assert_eq!(prospects(&company.world).await, 2);
}

#[tokio::test]
async fn a_prospect_emits_no_event() {
    let (company, ana) = company_and_site().await;
    post(&ana, lead(Some(company.owner))).await.ok(201);
    assert_eq!(company.world.count("emitidos").await, 0);
}

#[tokio::test]
async fn customers_and_prospects_share_their_claves() {
    let (company, ana) = company_and_site().await;
    let berta = company.actor(&[Scope::ClientesWrite, Scope::ClientesRead]).await;
    assert_eq!(post(&ana, lead(None)).await.ok(201)["prospecto"], 1);
    assert_eq!(berta.post("/clientes", json!({"nombre": "Eva"})).await.ok(201)["cliente"], 2);
    assert_eq!(post(&ana, lead(None)).await.ok(201)["prospecto"], 3);
    berta.post("/leads", lead(None)).await.fails(403, "sin_permiso");
    assert_eq!(berta.walk("/clientes").await.len(), 3);
}

/// A company, and its web site, whose key may only create leads.
async fn company_and_site() -> (Company, Actor) {
    let company = World::new().await.company().await;
    let site = company.actor(&[Scope::LeadsWrite]).await;
    (company, site)
}

fn lead(vendedor: Option<i64>) -> Value {
    json!({"nombre": "Eva", "correo": "eva@x.mx", "vendedor": vendedor})
}

/// Posts without an Idempotency-Key.
async fn post(actor: &Actor, body: Value) -> Reply {
    post_raw(actor, body.to_string()).await
}

async fn post_raw(actor: &Actor, body: impl Into<Bytes>) -> Reply {
    let request = actor.request(Method::POST, "/leads").header(header::CONTENT_TYPE, "application/json");
    actor.send(request, body).await
}

/// The newest customer's row.
async fn newest(world: &World) -> Value {
    world.json("SELECT row_to_json(c)::text FROM clientes c ORDER BY clave DESC LIMIT 1").await
}

async fn prospects(world: &World) -> i64 {
    world.sql("SELECT count(*) FROM clientes WHERE prospecto").await
}
