use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, Utc};
use clap::Parser as _;
use serde_json::json;
use svc_core::domain::clock::{Clock, SystemClock};
use svc_store_postgres::{PostgresStore, Settings};

use super::*;

const HTTP_API: &str = include_str!("../../tests/fixtures/http_api.json");
const BALANCER_MULTI: &str = include_str!("../../tests/fixtures/load_balancer_multi.json");

/// A clock that panics at the given call.
struct Broken(AtomicUsize);

impl Clock for Broken {
    fn now(&self) -> DateTime<Utc> {
        assert_ne!(self.0.fetch_sub(1, Ordering::Relaxed), 1, "the clock is broken");
        SystemClock.now()
    }
}

/// The answer of a function whose API's clock panics at call `time`. Nothing is connected.
async fn answer(event: &str, time: usize) -> Value {
    let url = "postgres://nobody@127.0.0.1:1/nothing";
    let config =
        Config::parse_from(["bin-lambda", "--database-url", url, "--base-url", "https://erp.example.com/api/v1"]);
    let mut settings = Settings::default();
    settings.acquire_timeout = Duration::from_millis(200);
    let store = Arc::new(PostgresStore::open(url, &settings).unwrap());
    let clock = Arc::new(Broken(AtomicUsize::new(time)));
    let context = svc_core::Context::builder(store, &config.base_url).clock(clock).build().unwrap();
    let function = Function::of(&context, &config.api, &config.base_url, config.outside);
    function.answer(RawValue::from_string(event.to_owned()).unwrap(), &Context::default()).await.unwrap()
}

/// Checks that it is the API's 500, with its id.
fn is_broken(answer: &Value, peticion: &Value) {
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    let codigo = &body["error"]["codigo"];
    assert_eq!((&answer["statusCode"], &body["ok"], codigo), (&json!(500), &json!(false), &json!("error_interno")));
    assert_eq!((peticion.as_str().map(str::len), &body["error"]["peticion"]), (Some(36), peticion));
}

#[tokio::test]
async fn a_panic_in_the_api_and_one_outside_it_are_answered_alike() {
    let keyed = |event: &str| {
        let mut event: Value = serde_json::from_str(event).unwrap();
        let pointer = if event["rawPath"].is_null() { "/path" } else { "/rawPath" };
        *event.pointer_mut(pointer).unwrap() = json!("/clientes");
        for (name, value) in [("authorization", "Bearer x"), ("x-svc-key-id", "1_a")] {
            match event.get_mut("multiValueHeaders") {
                Some(several) => several[name] = json!([value]),
                None => event["headers"][name] = json!(value),
            }
        }
        event.to_string()
    };
    // The first call is for the request's id, outside the API's own panic handler; the second is in
    // the pipeline.
    for time in [1, 2] {
        let v2 = answer(&keyed(HTTP_API), time).await;
        is_broken(&v2, &v2["headers"]["x-svc-peticion"]);
        let alb = answer(&keyed(BALANCER_MULTI), time).await;
        is_broken(&alb, &alb["multiValueHeaders"]["x-svc-peticion"][0]);
        assert_eq!(alb["statusDescription"], "500 Internal Server Error");
    }
    assert_eq!(answer(&keyed(HTTP_API), usize::MAX).await["statusCode"], 503, "there is no database");
}
