//! Requests without an API key, whom the host tells apart, and the users and keys of a company.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request};
use serde_json::{Value, json};
use svc_core::domain::company::{CompanyId, LimitMode, Plan};
use svc_core::domain::scope::{KeyScopes, Scope, Scopes};
use svc_core::operations::{CreateKey, CreateUser, DisableUser, EditCompany, EditUser, ListKeys, ListUsers, RevokeKey};
use svc_core::store::{CompanyChange, NewUser};
use svc_core::{Api, Authenticator, Code, Context, Error, Identity};
use svc_test_kit::{BASE_URL, Company, World, any_key, fresh_key};

use crate::own_part::sale;
use crate::parcels::{self, Claims, Tokens, with_parcels};

/// Reads `Authorization: Session <company> <user> <scopes>`, where a host would look up a session.
struct Sessions;

impl Authenticator for Sessions {
    async fn identify(&self, head: &Parts) -> Result<Option<Identity>, Error> {
        let text = head.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let Some(session) = text.strip_prefix("Session ") else { return Ok(None) };
        let words: Vec<_> = session.split(' ').collect();
        match words[..] {
            ["slow"] => std::future::pending().await,
            ["broken"] => Err(Error::internal("the provider said nonsense")),
            ["ended"] => Err(Error::new(Code::LlaveInvalida).message("la sesión terminó")),
            [company, user, ref scopes @ ..] => {
                let (company, user) = (company.parse().unwrap_or_default(), user.parse().unwrap_or_default());
                Ok(Some(Identity::new(CompanyId(company), user, KeyScopes::of_words(scopes))))
            }
            _ => Ok(None),
        }
    }
}

fn context(world: &World) -> Context {
    let builder = Context::builder(world.used_store().clone(), BASE_URL).clock(world.clock.clone());
    builder.authenticator(Sessions).build().expect("a context")
}

/// The status, the headers and the body of an answer to a session.
async fn asked(api: &Api, session: &str, method: Method, path: &str, body: &Value) -> (u16, HeaderMap, Value) {
    let request = Request::builder()
        .method(method)
        .uri(format!("/api/v1{path}"))
        .header("Authorization", format!("Session {session}"))
        .header("Idempotency-Key", fresh_key())
        .header("Content-Type", "application/json");
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let (head, body) = api.handle(request.body(body).expect("a request")).await.into_parts();
    (head.status.as_u16(), head.headers, serde_json::from_slice(&body).expect("JSON"))
}

async fn get(api: &Api, session: &str, path: &str) -> (u16, Value) {
    let (status, _, body) = asked(api, session, Method::GET, path, &Value::Null).await;
    (status, body["error"]["codigo"].clone())
}

async fn change(context: &Context, company: &Company, change: CompanyChange) {
    context.run(company.id, &EditCompany(change)).await.expect("an edit");
}

#[tokio::test]
async fn a_user_without_a_key_is_like_one_with_a_key() {
    let world = World::new().await;
    let (context, company, other) = (context(&world), world.company().await, world.company().await);
    let api = Api::new(&context);
    let session = format!("{} 1 clientes:read clientes:write webhooks:write", company.id.0);
    let (status, headers, body) = asked(&api, &session, Method::POST, "/clientes", &json!({"nombre": "Ana"})).await;
    assert_eq!((status, &body["cliente"]), (201, &json!(1)));
    assert_eq!(headers["x-svc-permisos"], "clientes:read, clientes:write, webhooks:write");
    let (status, _, page) = asked(&api, &session, Method::GET, "/clientes", &Value::Null).await;
    assert_eq!((status, page["datos"].as_array().expect("records").len()), (200, 1));
    assert_eq!(get(&api, &session, "/ventas").await, (403, json!("sin_permiso")));
    // It subscribes as the user, and only to what it reads.
    let hook = |events: &str| json!({"url": "https://receptor-1.example.com/", "eventos": [events]});
    assert_eq!(asked(&api, &session, Method::POST, "/webhooks", &hook("cliente.creado")).await.0, 201);
    assert_eq!(asked(&api, &session, Method::POST, "/webhooks", &hook("venta.creada")).await.0, 403);

    // Whom the company does not have is refused, whatever the host says.
    for stranger in
        [format!("{} 2 clientes:read", company.id.0), "0 1 clientes:read".into(), "999999 1 clientes:read".into()]
    {
        assert_eq!(get(&api, &stranger, "/clientes").await, (401, json!("llave_invalida")), "{stranger}");
    }
    let elsewhere = format!("{} 1 clientes:read", other.id.0);
    let (_, _, page) = asked(&api, &elsewhere, Method::GET, "/clientes", &Value::Null).await;
    assert_eq!(page["datos"], json!([]));

    // With the header of a key, the key counts.
    let ana = company.admin().await.at(&api);
    ana.get("/clientes").await.ok(200);
    let request = ana.request(Method::GET, "/api/v1/clientes").body(Bytes::new()).expect("a request");
    let (mut head, body) = request.into_parts();
    head.headers.insert("authorization", format!("Session {session}").parse().expect("a value"));
    assert_eq!(api.handle(Request::from_parts(head, body)).await.status(), 401);
    // No key can be named as a session's user is.
    let forged = Request::get("/api/v1/clientes").header("X-Svc-Key-Id", format!("{}_~1", company.id.0));
    let forged = forged.header("Authorization", "Bearer svc_0").body(Bytes::new()).expect("a request");
    assert_eq!(api.handle(forged).await.status(), 401);
}

#[tokio::test]
async fn company_user_and_plan_are_checked_and_requests_counted() {
    let world = World::new().await;
    let (context, company) = (context(&world), world.company().await);
    let api = Api::new(&context);
    let user = NewUser { nombre: "Eva".into(), correo: None, vendedor: false };
    let eva = context.run(company.id, &CreateUser(user)).await.expect("a user").usuario;
    let session = format!("{} {eva} clientes:read", company.id.0);
    for _ in 0..150 {
        assert_eq!(get(&api, &session, "/clientes").await.0, 200);
    }
    assert_eq!(get(&api, &session, "/clientes").await, (429, json!("limite_excedido")));
    assert_eq!(get(&api, &format!("{} 1 clientes:read", company.id.0), "/clientes").await.0, 200, "another user");
    world.clock.advance(chrono::TimeDelta::minutes(1));
    assert_eq!(get(&api, &session, "/clientes").await.0, 200);

    let off = CompanyChange { api: Some(false), ..CompanyChange::default() };
    change(&context, &company, off).await;
    assert_eq!(get(&api, &session, "/clientes").await, (404, json!("api_no_habilitada")));
    let on = CompanyChange { api: Some(true), plan: Some(Plan::None), ..CompanyChange::default() };
    change(&context, &company, on).await;
    assert_eq!(get(&api, &session, "/clientes").await.0, 402);
    let notice = CompanyChange { limites: Some(Some(LimitMode::Notice)), ..CompanyChange::default() };
    change(&context, &company, notice).await;
    assert_eq!(get(&api, &session, "/clientes").await, (401, json!("llave_invalida")));
    let all = CompanyChange { limites: Some(None), plan: Some(Plan::Pro), ..CompanyChange::default() };
    change(&context, &company, all).await;
    context.run(company.id, &DisableUser { usuario: eva }).await.expect("disabled");
    assert_eq!(get(&api, &session, "/clientes").await, (401, json!("llave_sin_titular")));
    let back = serde_json::from_value::<EditUser>(json!({"clave": eva, "estatus": "activo"})).expect("an edit");
    context.run(company.id, &back).await.expect("enabled");
    assert_eq!(get(&api, &session, "/clientes").await.0, 200);
}

#[tokio::test]
async fn what_the_host_cannot_tell_is_unavailable_and_no_fault() {
    let world = World::new().await;
    let api = Api::new(&context(&world));
    assert_eq!(get(&api, "broken", "/clientes").await, (503, json!("no_disponible")));
    assert_eq!(get(&api, "ended", "/clientes").await, (401, json!("llave_invalida")));
    assert_eq!(get(&api, "", "/clientes").await, (401, json!("llave_invalida")));
    let began = tokio::time::Instant::now();
    assert_eq!(get(&api, "slow", "/clientes").await, (503, json!("no_disponible")));
    assert!(began.elapsed() < Duration::from_secs(6));
}

#[tokio::test]
async fn a_token_of_the_hosts_sign_in_is_a_key_to_all_of_it() {
    let world = World::new().await;
    parcels::migrate(&world.store).await.expect("migrated");
    let builder = Context::builder(world.used_store().clone(), BASE_URL).clock(world.clock.clone());
    let tokens = Tokens::signed_with(b"the secret of the sign-in");
    let context = with_parcels(builder).authenticator(tokens).build().expect("a context");
    let (api, company, other) = (Api::new(&context), world.company().await, world.company().await);
    let signed = |empresa, exp, secret: &[u8]| {
        let permisos = ["paqueteria:read", "paqueteria:write"].map(str::to_owned).into();
        let claims = Claims { empresa, usuario: 1, permisos, exp };
        let key = jsonwebtoken::EncodingKey::from_secret(secret);
        jsonwebtoken::encode(&jsonwebtoken::Header::default(), &claims, &key).expect("a token")
    };
    let sent = async |token: &str, venta: i64| {
        let request = Request::post("/api/v1/paqueteria/envios")
            .header("Authorization", format!("Bearer {token}"))
            .header("Idempotency-Key", fresh_key())
            .header("Content-Type", "application/json")
            .body(Bytes::from(json!({"venta": venta, "guia": "1"}).to_string()));
        let (head, body) = api.handle(request.expect("a request")).await.into_parts();
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        (head.status.as_u16(), body["envio"].as_i64())
    };
    let venta = sale(&company.admin().await).await;
    let future = 4_000_000_000;
    let secret = b"the secret of the sign-in";
    let good = signed(company.id.0, future, secret);
    assert_eq!(sent(&good, venta).await, (201, Some(1)));
    assert_eq!(sent(&signed(other.id.0, future, secret), venta).await.0, 422, "it has no such sale");
    let (head, rest) = good.rsplit_once('.').expect("a signature");
    let expired = signed(company.id.0, 1_000_000_000, secret);
    let forged = signed(company.id.0, future, b"another secret");
    for wrong in
        [forged, expired, format!("{head}."), format!("{head}.{}", rest.replace(|_| true, "A")), "x.y.z".into()]
    {
        assert_eq!(sent(&wrong, venta).await.0, 401, "{wrong}");
    }
}

#[tokio::test]
async fn users_and_keys_are_listed_made_and_withdrawn_from_rust() {
    let world = World::new().await;
    let (context, company, other) = (context(&world), world.company().await, world.company().await);
    let user = NewUser { nombre: "Eva".into(), correo: Some("eva@example.com".into()), vendedor: true };
    let eva = context.run(company.id, &CreateUser(user)).await.expect("a user").usuario;
    let users = async |of: &Company, after| context.run(of.id, &ListUsers { after, max: 10 }).await;
    let all = users(&company, 0).await.expect("users");
    assert_eq!(all.iter().map(|user| user.clave).collect::<Vec<_>>(), [1, eva]);
    assert_eq!((all[1].user.correo.as_deref(), all[1].activo), (Some("eva@example.com"), true));
    assert_eq!(users(&company, 1).await.expect("users").len(), 1);
    assert_eq!(users(&other, 0).await.expect("users").len(), 1);

    let key = CreateKey { usuario: Some(eva), scopes: Scopes::only(Scope::ClientesRead).into(), ..any_key() };
    let made = context.run(company.id, &key).await.expect("a key");
    let (_, suffix) = made.key_id.split_once('_').expect("an id");
    let keys = async |of: &Company| context.run(of.id, &ListKeys { after: String::new(), max: 10 }).await;
    let [listed] = &keys(&company).await.expect("keys")[..] else { panic!("one key") };
    assert_eq!((listed.suffix.as_str(), listed.usuario, listed.revoked), (suffix, eva, None));
    assert_eq!(listed.scopes.words().collect::<Vec<_>>(), ["clientes:read"]);
    assert_eq!(keys(&other).await.expect("keys"), []);
    context.run(company.id, &RevokeKey { suffix: suffix.to_owned() }).await.expect("revoked");
    assert!(keys(&company).await.expect("keys")[0].revoked.is_some());
}
