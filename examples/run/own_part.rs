//! A host's own part, reached in every way.

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Extension, Request};
use axum::http::Method;
use axum::routing::get;
use serde_json::{Value, json};
use svc_core::domain::scope::{KeyScopes, OwnScope, Scope, Scopes};
use svc_core::json::Json;
use svc_core::operations::{CreateKey, CreateSale};
use svc_core::{Api, Authenticated, Context, Language, RegistryError};
use svc_test_kit::{Actor, BASE_URL, Company, World, any_key, fresh_key};
use tower::ServiceExt as _;

use crate::parcels::{self, SendParcel, with_parcels};

/// A world whose database has the part's tables, and a context that has the part; the world's own
/// servers lack it.
pub(crate) async fn with_part() -> (World, Context) {
    let world = World::host().migrations("paqueteria", parcels::migrations).own_database().await;
    let context = with_parcels(Context::builder(world.used_store().clone(), BASE_URL).clock(world.clock.clone()));
    (world, context.build().expect("a context"))
}

/// The body of an order of 100.00 with that discount.
async fn order(ana: &Actor, descuento: &str) -> Value {
    let cliente = ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201)["cliente"].clone();
    let product =
        ana.post("/productos", json!({"descripcion": "Silla", "sku": fresh_key(), "unidad": 1})).await.ok(201);
    let line = json!({
        "producto": product["producto"], "cantidad": 1, "precio_unitario": "100", "descuento": descuento,
    });
    json!({"tipo": "pedido", "cliente": cliente, "renglones": [line]})
}

pub(crate) async fn sale(ana: &Actor) -> i64 {
    ana.post("/ventas", order(ana, "0").await).await.ok(201)["venta"].as_i64().expect("a clave")
}

/// A key that may do all of ours, and `own`.
pub(crate) async fn key(company: &Company, own: &[&str], api: &Api) -> Actor {
    let words = Scope::ALL.iter().map(|scope| scope.word()).chain(own.iter().copied());
    company.key(CreateKey { scopes: KeyScopes::of_words(words), ..any_key() }).await.at(api)
}

#[tokio::test]
async fn over_http_it_is_like_all_others() {
    let (world, context) = with_part().await;
    let (api, company) = (Api::new(&context), world.company().await);
    let ana = key(&company, &["paqueteria:read", "paqueteria:write"], &api).await;
    let venta = sale(&ana).await;
    let body = json!({"venta": venta, "guia": "794612345678"});

    let rehearsal = ana.request(Method::POST, "/paqueteria/envios").header("X-Svc-Ensayo", "true");
    let rehearsed = ana.send(rehearsal.header("Content-Type", "application/json"), body.to_string()).await;
    assert_eq!(rehearsed.ok(201)["envio"], 1);
    assert_eq!(ana.post("/paqueteria/envios", body.clone()).await.ok(201), json!({"ok": true, "envio": 1}));
    ana.post("/paqueteria/envios", body.clone()).await.fails(409, "venta_ya_enviada");
    ana.post("/paqueteria/envios", json!({"venta": 99, "guia": "1"})).await.fails(422, "referencia_invalida");
    ana.post("/paqueteria/envios", json!({"venta": venta})).await.fails(400, "dato_requerido");
    ana.post("/paqueteria/envios", json!({"venta": venta, "guia": "1", "x": 1})).await.fails(400, "campo_no_permitido");

    assert_eq!(ana.put("/paqueteria/envios/1/entregado", json!({})).await.ok(200)["envio"], 1);
    ana.put("/paqueteria/envios/2/entregado", json!({})).await.fails(404, "no_encontrado");
    let page = ana.get("/paqueteria/envios?estatus=entregado").await.ok(200);
    assert_eq!((&page["datos"][0]["venta"], &page["datos"][0]["guia"]), (&json!(venta), &json!("794612345678")));
    assert_eq!(ana.get("/paqueteria/envios?estatus=enviado").await.ok(200)["datos"], json!([]));
    ana.get("/paqueteria/envios?guia=1").await.fails(400, "filtro_no_permitido");

    let label = ana.get("/paqueteria/envios/1/etiqueta").await;
    assert_eq!(label.header("content-type"), Some("text/plain; charset=utf-8"));
    let disposition = label.header("content-disposition").expect("a name");
    assert!(disposition.ends_with("filename*=UTF-8''env%C3%ADo%201.txt"), "{disposition}");
    assert_eq!(label.body, format!("Envío 1\nVenta {venta}\nGuía 794612345678\n"));
    ana.get("/paqueteria/envios/2/etiqueta").await.fails(404, "no_encontrado");
    ana.get("/paqueteria/envios/1/etiqueta?x=1").await.fails(400, "filtro_no_permitido");

    let reader = key(&company, &["paqueteria:read"], &api).await;
    assert_eq!(reader.get("/paqueteria/envios/1/etiqueta").await.body, label.body);
    reader.post("/paqueteria/envios", body.clone()).await.fails(403, "sin_permiso");
    let of_ours = company.admin().await.at(&api);
    of_ours.get("/paqueteria/envios").await.fails(403, "sin_permiso");
    of_ours.get("/paqueteria/envios/1/etiqueta").await.fails(403, "sin_permiso");

    // Another company has its own numbers, and none of these.
    let other = key(&world.company().await, &["paqueteria:read", "paqueteria:write"], &api).await;
    assert_eq!(other.get("/paqueteria/envios").await.ok(200)["datos"], json!([]));
    other.put("/paqueteria/envios/1/entregado", json!({})).await.fails(404, "no_encontrado");
    other.get("/paqueteria/envios/1/etiqueta").await.fails(404, "no_encontrado");
    other.post("/paqueteria/envios", body).await.fails(422, "referencia_invalida");
}

#[tokio::test]
async fn by_name_and_from_rust_it_is_one_transaction_too() {
    let (world, context) = with_part().await;
    let company = world.company().await;
    let venta = sale(&company.admin().await).await;
    let input =
        |guia: &str| Json::parse_object(json!({"venta": venta, "guia": guia}).to_string().as_bytes()).expect("one");
    let (answer, events) = context.rehearse_by_name(company.id, "parcel.send", &input("1")).await.expect("rehearsed");
    assert_eq!(events, ["paqueteria.enviado"]);
    let again: Bytes = context.run_by_name(company.id, "parcel.send", &input("1")).await.expect("sent");
    assert_eq!(answer, again);
    let parcel: SendParcel = input("2").read().expect("an input");
    let refused = context.run(company.id, &parcel).await.expect_err("sent before");
    assert_eq!(refused.code().codigo(), "venta_ya_enviada");
    let label = |clave: i64| Json::parse_object(json!({"clave": clave}).to_string().as_bytes()).expect("one");
    let file = context.download(company.id, "parcel.label", &label(1)).await.expect("it is read");
    assert_eq!(file.expect("a file"), format!("Envío 1\nVenta {venta}\nGuía 1\n"));
    let none = context.download(company.id, "parcel.label", &label(2)).await.expect_err("there is none");
    assert_eq!(none.code().codigo(), "no_encontrado");
    // The number that the refused one took was rolled back with it.
    let next: i64 = world.sql("SELECT valor FROM contadores WHERE serie = 'propio:envios'").await;
    assert_eq!(next, 1);
}

#[tokio::test]
async fn the_description_has_it_in_both_languages() {
    let (_world, context) = with_part().await;
    for (language, summary) in [(Language::English, "Send a parcel"), (Language::Spanish, "Enviar")] {
        let document = context.registry().openapi(language, BASE_URL);
        let send = &document["paths"]["/paqueteria/envios"]["post"];
        assert_eq!((&send["summary"], &send["operationId"]), (&json!(summary), &json!("sendParcel")));
        assert_eq!(send["x-scopes"], json!(["paqueteria:write"]));
        let codes = send["responses"]["409"]["x-codes"].as_array().expect("codes");
        assert!(codes.contains(&json!("venta_ya_enviada")), "{codes:?}");
        let label = &document["paths"]["/paqueteria/envios/{clave}/etiqueta"]["get"];
        assert_eq!(label["operationId"], "readParcelLabel");
        assert_eq!(label["responses"]["200"]["content"], json!({"text/plain; charset=utf-8": {}}));
        let body = &document["components"]["schemas"]["SendParcel"];
        assert_eq!(body["properties"]["guia"]["description"], "The carrier's number.");
        let record = &document["components"]["schemas"]["Parcel"]["properties"];
        assert_eq!(record["venta"]["description"], "The sale that it contains.");
        assert!(document["paths"]["/paqueteria/envios/{clave}/entregado"]["put"].is_object());
    }
    let named = context.registry().named_operations(Language::English);
    let sent: Vec<Value> = named.filter(|one| one.name == "parcel.send").map(|one| one.schema).collect();
    assert_eq!(sent[0]["required"], json!(["venta", "guia"]));
}

#[tokio::test]
async fn a_collision_names_both() {
    let world = World::new().await;
    let builder = || Context::builder(world.used_store().clone(), BASE_URL);
    let twice = with_parcels(with_parcels(builder())).build().expect_err("twice the same");
    assert_eq!(twice.to_string(), "another operation has a type called Parcel");
    assert!(matches!(twice, svc_core::ContextError::Registry(RegistryError::Type("Parcel"))));
}

#[tokio::test]
async fn a_hook_refuses_and_nothing_of_the_operation_is_left() {
    let (world, context) = with_part().await;
    let company = world.company().await;
    let api = Api::new(&context);
    let (ana, plain) = (company.admin().await.at(&api), company.admin().await);
    let (fair, large) = (order(&ana, "20").await, order(&ana, "20.01").await);
    // Past the harness, which knows only what the API's own description promises.
    let request = ana.request(Method::POST, "/ventas").header("Idempotency-Key", fresh_key());
    let request = request.header("Content-Type", "application/json").body(large.to_string().into());
    let (head, body) = api.handle(request.expect("a request")).await.into_parts();
    let refused: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!((head.status.as_u16(), &refused["error"]["codigo"]), (422, &json!("descuento_excesivo")));
    let first = ana.post("/ventas", fair).await.ok(201);
    assert_eq!((&first["folio"], &first["venta"]), (&json!(1), &json!(1)), "the refused one used up no number");
    let input = Json::parse_object(large.to_string().as_bytes()).expect("an object");
    let from_rust = context.run(company.id, &input.read::<CreateSale>().expect("an order")).await;
    assert_eq!(from_rust.expect_err("refused").code().codigo(), "descuento_excesivo");
    plain.post("/ventas", large).await.ok(201);
    let document = context.registry().openapi(Language::English, BASE_URL);
    let codes = document["paths"]["/ventas"]["post"]["responses"]["422"]["x-codes"].as_array().expect("codes");
    assert!(codes.contains(&json!("descuento_excesivo")), "{codes:?}");
}

#[tokio::test]
async fn a_hosts_own_route_takes_the_apis_keys() {
    let (world, context) = with_part().await;
    let company = world.company().await;
    let whose = async |request: Request<Body>| {
        let who = request.extensions().get::<Arc<Authenticated>>().expect("it is signed in").company();
        who.0.to_string()
    };
    let on_behalf = context.clone();
    let send = async move |Extension(who): Extension<Arc<Authenticated>>| {
        let parcel = SendParcel { venta: 99, guia: "1".parse().expect("a text") };
        let refused = on_behalf.run_as(&who, &parcel).await.expect_err("refused");
        on_behalf.refusal(refused).map(Body::from)
    };
    let panel = axum::Router::new()
        .route("/panel", get(whose))
        .route("/enviar", get(send))
        .layer(context.sign_in(Scopes::own(OwnScope::new("paqueteria:read"))));
    let asked_at = async |actor: &Actor, path: &str| {
        let request = actor.request(Method::GET, path).body(Body::empty()).expect("a request");
        let answer = panel.clone().oneshot(request).await.expect("infallible");
        let (head, body) = answer.into_parts();
        let body = to_bytes(body, 10_000).await.expect("a body");
        let left = head.headers.get("x-rate-limit-remaining").map(|left| left.to_str().expect("text").to_owned());
        (head.status.as_u16(), String::from_utf8(body.to_vec()).expect("text"), left)
    };
    let asked = async |actor: &Actor| asked_at(actor, "/panel").await;
    // Who reads may not write there either.
    let both = key(&company, &["paqueteria:read", "paqueteria:write"], &Api::new(&context)).await;
    let (status, body, _) = asked_at(&both, "/enviar").await;
    assert!(status == 422 && body.contains("referencia_invalida"), "{body}");
    let ana = key(&company, &["paqueteria:read"], &Api::new(&context)).await;
    let (status, body, _) = asked_at(&ana, "/enviar").await;
    assert!(status == 403 && body.contains("sin_permiso") && body.contains("paqueteria:write"), "{body}");
    let (status, body, _) = asked(&ana).await;
    assert_eq!((status, body), (200, company.id.0.to_string()));
    // A refusal has the same headers as the API's own.
    let (status, body, left) = asked(&company.admin().await).await;
    assert!(status == 403 && body.contains("sin_permiso") && body.contains("paqueteria:read"), "{body}");
    assert_eq!(left.as_deref(), Some("149"));
    let mut stranger = ana.clone();
    "svc_of_nobody".clone_into(&mut stranger.api_key);
    let (status, body, left) = asked(&stranger).await;
    assert!(status == 401 && body.contains("llave_invalida") && left.is_none(), "{body}");
    // They count as requests of the key, and none is left under way.
    for _ in 0..148 {
        asked(&ana).await;
    }
    let (status, body, left) = asked(&ana).await;
    assert!(status == 429 && body.contains("limite_excedido"), "{body}");
    assert_eq!(left.as_deref(), Some("0"));
}
