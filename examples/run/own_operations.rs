//! What a host's own operations may be, and what they change beyond their own tables.

use axum::http::Method as HttpMethod;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use svc_core::domain::scope::{OwnScope, Scopes};
use svc_core::operation::{Cx, Http, Method, Operation, Spec};
use svc_core::operations::RevokeKey;
use svc_core::{Api, ContextBuilder, Error};
use svc_test_kit::{World, fresh_key};

use crate::own_part::key;
use crate::subscribers::builder;

const PORTER: Scopes = Scopes::own(OwnScope::new("porteria:write"));

/// What an operation did.
#[derive(Serialize, JsonSchema)]
struct Passed {
    /// The number of the door.
    puerta: i64,
}

/// An operation that does nothing, with these parts of its specification.
macro_rules! idle {
    ($name:ident, $spec:expr, $output:ty, $value:expr) => {
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct $name {}

        impl Operation for $name {
            const SPEC: Spec = $spec;
            type Output = $output;

            async fn run(&self, _: &mut Cx<'_>) -> Result<$output, Error> {
                Ok($value)
            }
        }
    };
}

idle!(Silent, Spec::new().named("porteria.callar"), (), ());
idle!(Counted, Spec::new().named("porteria.contar"), Vec<i64>, vec![1]);
idle!(Anything, Spec::new().named("porteria.todo"), serde_json::Value, json!(1));
idle!(Batch, Spec::new().named("batch"), Passed, Passed { puerta: 1 });
idle!(Below, Spec::new().named("porteria.abrir/todo"), Passed, Passed { puerta: 1 });
idle!(
    OfOurs,
    Spec::new().http(Http::new(Method::Post, "/porteria", Scopes::own(OwnScope::new("ventas:read")))),
    Passed,
    Passed { puerta: 1 }
);

/// Reads a door.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadDoor {
    /// The number of the door.
    clave: i64,
}

impl Operation for ReadDoor {
    const SPEC: Spec = Spec::new().http(Http::new(Method::Get, "/porteria/puertas/{clave}", PORTER)).reads();
    type Output = Passed;

    async fn run(&self, _: &mut Cx<'_>) -> Result<Passed, Error> {
        Ok(Passed { puerta: self.clave })
    }
}

/// Takes a key away.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TakeKey {
    /// The key's identifier without the company's number.
    llave: String,
}

impl Operation for TakeKey {
    const SPEC: Spec = Spec::new().http(Http::new(Method::Post, "/porteria/llaves", PORTER)).changes_access();
    type Output = Passed;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Passed, Error> {
        RevokeKey { suffix: self.llave.clone() }.run(cx).await?;
        Ok(Passed { puerta: 0 })
    }
}

#[tokio::test]
async fn what_cannot_be_served_is_named_when_the_context_is_built() {
    let world = World::new().await;
    let builder = || builder(&world);
    let said = |builder: ContextBuilder| builder.build().expect_err("refused").to_string();
    for (refused, expected) in [
        (said(builder().operation::<Silent>()), "the answer of Silent is no JSON object"),
        (said(builder().operation::<Counted>()), "the answer of Counted is no JSON object"),
        (said(builder().operation::<Anything>()), "the answer of Anything is no JSON object"),
        (said(builder().operation::<Batch>()), r#"an operation's name has the form subject.action: "batch" of Batch"#),
        (
            said(builder().operation::<Below>()),
            r#"an operation's name has the form subject.action: "porteria.abrir/todo" of Below"#,
        ),
        (said(builder().operation::<OfOurs>()), "the scope ventas:read of OfOurs is Svc's own: Scopes::only names it"),
    ] {
        assert_eq!(refused, expected);
    }
}

#[tokio::test]
async fn a_get_needs_no_body_and_no_key_of_repetition() {
    let world = World::new().await;
    let api = Api::new(&builder(&world).operation::<ReadDoor>().build().expect("a context"));
    let ana = key(&world.company().await, &["porteria:write"], &api).await;
    assert_eq!(ana.get("/porteria/puertas/7").await.ok(200), json!({"ok": true, "puerta": 7}));
    let again = fresh_key();
    for (door, rehearsal) in [(1, "true"), (2, "false")] {
        let path = format!("/porteria/puertas/{door}");
        let request = ana.request(HttpMethod::GET, &path).header("Idempotency-Key", &again);
        let answer = ana.send(request.header("X-Svc-Ensayo", rehearsal), "").await;
        assert!(!answer.headers.contains_key("x-svc-ensayo"));
        assert_eq!(answer.ok(200)["puerta"], door);
    }
    ana.get("/porteria/puertas/7?clave=8").await.fails(400, "filtro_no_permitido");
    ana.get("/porteria/puertas/x").await.fails(400, "dato_invalido");
}

#[tokio::test]
async fn a_key_that_an_operation_revokes_is_refused_at_once() {
    let world = World::new().await;
    let api = Api::new(&builder(&world).operation::<TakeKey>().build().expect("a context"));
    let company = world.company().await;
    let (ana, eva) = (key(&company, &["porteria:write"], &api).await, key(&company, &[], &api).await);
    eva.get("/clientes").await.ok(200);
    let (_, suffix) = eva.key_id.split_once('_').expect("two parts");
    let body = json!({"llave": suffix});
    let rehearsal = ana.request(HttpMethod::POST, "/porteria/llaves").header("X-Svc-Ensayo", "true");
    ana.send(rehearsal.header("Content-Type", "application/json"), body.to_string()).await.ok(201);
    eva.get("/clientes").await.ok(200);
    ana.post("/porteria/llaves", body).await.ok(201);
    eva.get("/clientes").await.fails(401, "llave_invalida");
}
