//! A host's own kinds of events: subscribed, delivered, listed and described as Svc's own.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use svc_core::domain::event::{OwnEvent, OwnEventKind};
use svc_core::domain::scope::{OwnScope, Scopes};
use svc_core::operation::{Cx, Http, Method, Operation, Spec};
use svc_core::webhooks::{Budget, Outcome, Post, Sender, deliver_due};
use svc_core::{Api, Context, Error, Language};
use svc_test_kit::{Actor, BASE_URL, World};

use crate::own_part::{key, sale, with_part};
use crate::parcels::{ParcelSent, with_parcels};

/// A receiver that keeps the bodies and the header with the type.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Vec<(String, Value)>>);

#[async_trait]
impl Sender for Kept {
    async fn send(&self, post: Post) -> Outcome {
        let tipo = post.headers["x-svc-evento"].to_str().expect("text").to_owned();
        let body = serde_json::from_slice(&post.body).expect("JSON");
        self.0.lock().expect("not poisoned").push((tipo, body));
        Outcome::Answered { status: 200, retry_after: None }
    }
}

impl Kept {
    /// What has come since the last call.
    fn taken(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut *self.0.lock().expect("not poisoned"))
    }
}

async fn send_parcel(ana: &Actor) -> i64 {
    let venta = sale(ana).await;
    ana.post("/paqueteria/envios", json!({"venta": venta, "guia": "1"})).await.ok(201);
    venta
}

async fn delivered(context: &Context, receiver: &Kept) -> Vec<(String, Value)> {
    deliver_due(context, receiver, Budget::unlimited()).await.expect("a pass");
    receiver.taken()
}

fn types(page: &Value) -> Vec<&str> {
    page["datos"].as_array().expect("events").iter().map(|event| event["tipo"].as_str().expect("a type")).collect()
}

const HOOK: &str = "https://receptor-1.example.com/avisos";

#[tokio::test]
async fn they_are_subscribed_delivered_and_listed_by_their_scope() {
    let (world, context) = with_part().await;
    let (api, receiver) = (Api::new(&context), Kept::default());
    let (company, other) = (world.company().await, world.company().await);
    let scopes = ["paqueteria:read", "paqueteria:write"];
    let (ana, eva) = (key(&company, &scopes, &api).await, key(&other, &scopes, &api).await);
    let webhook = ana.post("/webhooks", json!({"url": HOOK, "eventos": ["paqueteria.enviado"]})).await.ok(201);
    assert_eq!(webhook["eventos"], json!(["paqueteria.enviado"]));
    eva.post("/webhooks", json!({"url": HOOK, "eventos": ["cliente.creado"]})).await.ok(201);
    for unknown in ["paqueteria.perdido", "paqueteria.*", "parcels.sent"] {
        let body = json!({"url": HOOK, "eventos": [unknown]});
        ana.post("/webhooks", body).await.fails(400, "evento_no_valido");
    }

    let venta = send_parcel(&ana).await;
    send_parcel(&eva).await;
    let got = delivered(&context, &receiver).await;
    let [(_, of_eva), (tipo, body)] = &got[..] else { panic!("{got:?}") };
    let (of_eva, tipo, body) =
        if tipo == "paqueteria.enviado" { (of_eva, tipo, body) } else { (body, &got[0].0, of_eva) };
    assert_eq!((of_eva["tipo"].as_str(), tipo.as_str()), (Some("cliente.creado"), "paqueteria.enviado"));
    assert_eq!((&body["empresa"], &body["datos"]), (&json!(company.id.0), &json!({"envio": 1, "venta": venta})));
    let resource =
        json!({"tipo": "paqueteria/envios", "clave": 1, "url": format!("{BASE_URL}/paqueteria/envios?clave=1")});
    assert_eq!(body["recurso"], resource);

    let page = ana.get("/eventos").await.ok(200);
    assert_eq!(types(&page), ["cliente.creado", "producto.creado", "venta.creada", "paqueteria.enviado"]);
    assert_eq!(types(&ana.get("/eventos?tipo=paqueteria.enviado").await.ok(200)), ["paqueteria.enviado"]);
    assert_eq!(
        ana.get("/webhooks/1/entregas?tipo=paqueteria.enviado").await.ok(200)["datos"][0]["estado"],
        "entregada"
    );
    ana.get("/eventos?tipo=paqueteria.perdido").await.fails(400, "filtro_invalido");

    // A key of the API's scopes alone neither reads nor subscribes to it, nor redirects what was.
    let of_ours = company.admin().await.at(&api);
    assert_eq!(types(&of_ours.get("/eventos").await.ok(200)), ["cliente.creado", "producto.creado", "venta.creada"]);
    of_ours.get("/eventos?tipo=paqueteria.enviado").await.fails(403, "sin_permiso");
    of_ours.post("/webhooks", json!({"url": HOOK, "eventos": ["paqueteria.enviado"]})).await.fails(403, "sin_permiso");
    of_ours.put("/webhooks/1", json!({"url": "https://receptor-2.example.com/"})).await.fails(403, "sin_permiso");
    of_ours.post("/webhooks/1/entregas/1/reenviar", json!({})).await.fails(403, "sin_permiso");
    of_ours.post("/webhooks/1/recuperar", json!({"desde": "2026-10-01T00:00:00Z"})).await.fails(403, "sin_permiso");

    // It is sent again like any other.
    ana.post("/webhooks/1/recuperar", json!({"desde": "2026-10-01T00:00:00Z"})).await.ok(202);
    ana.post("/webhooks/1/entregas/1/reenviar", json!({})).await.ok(202);
    let again: Vec<_> = delivered(&context, &receiver).await.into_iter().map(|(_, again)| again).collect();
    assert_eq!(again, [body.clone(), body.clone()]);
}

#[tokio::test]
async fn a_server_without_the_part_shows_and_delivers_the_rest() {
    let (world, context) = with_part().await;
    let without = Context::builder(world.used_store().clone(), BASE_URL).clock(world.clock.clone());
    let bare = without.build().expect("a context");
    let (with, without) = (Api::new(&context), Api::new(&bare));
    let company = world.company().await;
    let ana = key(&company, &["paqueteria:read", "paqueteria:write"], &with).await;
    let both = json!(["cliente.creado", "paqueteria.enviado"]);
    ana.post("/webhooks", json!({"url": HOOK, "eventos": both})).await.ok(201);
    send_parcel(&ana).await;

    // The server that knows nothing of parcels delivers their notices all the same.
    let receiver = Kept::default();
    let got = delivered(&bare, &receiver).await;
    let mut tipos: Vec<_> = got.iter().map(|(tipo, _)| tipo.as_str()).collect();
    tipos.sort_unstable();
    assert_eq!(tipos, ["cliente.creado", "paqueteria.enviado"]);

    // Its lists work, and show what is unknown, and so not described, to those who may read it.
    let (ana, of_ours) = (ana.at(&without).unchecked(), company.admin().await.at(&without).unchecked());
    assert_eq!(types(&of_ours.get("/eventos").await.ok(200)), ["cliente.creado", "producto.creado", "venta.creada"]);
    assert_eq!(ana.get("/eventos").await.ok(200)["datos"].as_array().expect("events").len(), 4);
    assert_eq!(of_ours.get("/webhooks").await.ok(200)["datos"][0]["eventos"], both);
    let log = of_ours.get("/webhooks/1/entregas").await.ok(200);
    let own = log["datos"].as_array().expect("deliveries").iter().find(|row| row["tipo"] == "paqueteria.enviado");
    let own = format!("/webhooks/1/entregas/{}/reenviar", own.expect("a delivery")["clave"]);
    ana.post("/webhooks", json!({"url": HOOK, "eventos": ["paqueteria.enviado"]})).await.fails(400, "evento_no_valido");

    // Whose scope is not known is not redirected; what does not redirect it works.
    ana.post("/webhooks/1/secreto", json!({})).await.fails(403, "sin_permiso");
    ana.post(&own, json!({})).await.fails(403, "sin_permiso");
    ana.put("/webhooks/1", json!({"activo": false})).await.ok(200);
    assert_eq!(ana.put("/webhooks/1", json!({"eventos": ["cliente.creado"]})).await.ok(200)["activo"], false);
    ana.post("/webhooks/1/secreto", json!({})).await.ok(200);
}

#[tokio::test]
async fn the_description_has_their_notices_in_both_languages() {
    let (_world, context) = with_part().await;
    for (language, said) in
        [(Language::English, "A sale left in a parcel."), (Language::Spanish, "Una venta salió en un envío.")]
    {
        let document = context.registry().openapi(language, BASE_URL);
        let notice = &document["webhooks"]["paqueteria.enviado"]["post"];
        let description = notice["description"].as_str().expect("a description");
        assert!(description.starts_with(said) && description.contains("`paqueteria:read`"), "{description}");
        assert_eq!(
            notice["requestBody"]["content"]["application/json"]["example"]["datos"],
            json!({"envio": 1, "venta": 1})
        );
        let schemas = &document["components"]["schemas"];
        let datos = &schemas["ParcelSentNotice"]["properties"]["datos"];
        assert_eq!(datos, &json!({"$ref": "#/components/schemas/ParcelSent"}));
        assert_eq!(schemas["ParcelSent"]["properties"]["venta"]["description"], "The sale that left.");
        let has = |words: &Value| words.as_array().expect("words").contains(&json!("paqueteria.enviado"));
        assert!(has(&schemas["CreateWebhook"]["properties"]["eventos"]["items"]["enum"]));
        let parameters = document["paths"]["/eventos"]["get"]["parameters"].as_array().expect("parameters");
        let tipo = parameters.iter().find(|parameter| parameter["name"] == "tipo").expect("the filter");
        assert!(has(&tipo["schema"]["enum"]));
        assert_eq!(document["paths"]["/paqueteria/envios"]["post"]["x-events"], json!(["paqueteria.enviado"]));
    }
    assert!(context.registry().scopes().contains(&"paqueteria:read"));
}

/// An event of that name in place of the parcels'.
macro_rules! event {
    ($name:ident = $word:literal, $sample:ty) => {
        #[derive(Serialize, JsonSchema)]
        struct $name($sample);

        impl OwnEvent for $name {
            const KIND: OwnEventKind =
                OwnEventKind::new::<Self>($word, Scopes::own(OwnScope::new("otra:read")), "otra/cosas");

            fn clave(&self) -> i64 {
                1
            }

            fn sample() -> Self {
                Self(Default::default())
            }
        }
    };
}

#[derive(Default, Serialize, JsonSchema)]
struct Nothing {}

event!(Twin = "paqueteria.enviado", Nothing);
event!(OfSales = "venta.embalada", Nothing);
event!(Number = "otra.numero", i64);

/// Emits what the registry may not know.
#[derive(Debug, Clone, Copy, serde::Deserialize, JsonSchema)]
struct Undeclared {}

impl Operation for Undeclared {
    const SPEC: Spec = Spec::new()
        .named("otra.undeclared")
        .http(Http::new(Method::Post, "/otra", Scopes::own(OwnScope::new("otra:read"))))
        .emits_own(&[ParcelSent::KIND])
        .says(["", ""], ["", ""]);
    type Output = Nothing;

    async fn run(&self, _: &mut Cx<'_>) -> Result<Nothing, Error> {
        Ok(Nothing {})
    }
}

#[tokio::test]
async fn what_collides_is_named_when_the_context_is_built() {
    let world = World::new().await;
    let builder = || Context::builder(Arc::clone(world.used_store()) as _, BASE_URL);
    let said = |builder: svc_core::ContextBuilder| builder.build().expect_err("a collision").to_string();
    let twins = said(with_parcels(builder()).event::<Twin>());
    assert!(twins.contains("paqueteria.enviado") && twins.contains("ParcelSent") && twins.contains("Twin"), "{twins}");
    let area = said(builder().event::<OfSales>());
    assert!(area.contains("venta.embalada") && area.contains("OfSales") && area.contains("venta.creada"), "{area}");
    let number = said(builder().event::<Number>());
    assert!(number.contains("otra.numero") && number.contains("no JSON object"), "{number}");
    let undeclared = said(builder().operation::<Undeclared>());
    assert_eq!(undeclared, "Undeclared emits paqueteria.enviado, which was not declared with `event`");
}
