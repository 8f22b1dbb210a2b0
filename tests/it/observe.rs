//! The log and the metrics of a request: what they contain and what they must not.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::{FutureExt as _, stream};
use http::Method;
use http_body_util::StreamBody;
use hyper::body::Frame;
use metrics_util::MetricKind;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use serde_json::{Value, json};
use svc_core::observe;
use svc_tests::World;
use tower::ServiceExt as _;
use tracing::Dispatch;
use tracing::subscriber::DefaultGuard;

/// The log of this thread.
#[derive(Clone, Default)]
struct LogBytes(Arc<Mutex<Vec<u8>>>);

impl LogBytes {
    fn start() -> (Self, DefaultGuard, Dispatch) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || writer.clone())
            .finish();
        // With a single subscriber the first thread would decide whether a line is logged, and
        // other threads have no subscriber.
        let second = Dispatch::new(tracing_subscriber::registry());
        (log, tracing::subscriber::set_default(subscriber), second)
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines logged at the end of requests.
    fn requests(&self) -> Vec<Value> {
        let lines = self.text();
        let lines = lines.lines().map(|line| serde_json::from_str(line).expect("one object a line"));
        lines
            .filter(|line: &Value| line["target"] == observe::TARGET && line["fields"]["message"] == "answered")
            .collect()
    }
}

impl io::Write for LogBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counters and gauges by name and labels; histograms by their number of values.
fn figures(snapshotter: &Snapshotter) -> BTreeMap<String, u64> {
    let entry = |(key, _, _, value): (metrics_util::CompositeKey, _, _, DebugValue)| {
        let labels: Vec<String> =
            key.key().labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        let value = match (key.kind(), value) {
            (MetricKind::Counter, DebugValue::Counter(count)) => count,
            (MetricKind::Gauge, DebugValue::Gauge(value)) => value.into_inner() as u64,
            (MetricKind::Histogram, DebugValue::Histogram(values)) => values.len() as u64,
            (kind, value) => panic!("{kind:?} {value:?}"),
        };
        (format!("{} {}", key.key().name(), labels.join(" ")).trim_end().to_owned(), value)
    };
    snapshotter.snapshot().into_vec().into_iter().map(entry).collect()
}

#[tokio::test]
async fn a_request_is_logged_by_its_operation_and_never_by_its_content() {
    let world = World::new().await;
    let company = world.company().await;
    let (ana, stranger) = (company.admin().await, company.admin().await);
    let (log, _guard, _second) = LogBytes::start();
    let listed = ana.get("/clientes?rfc=XAXX010101000").await;
    let refused = ana.put("/clientes/777000777000", json!({"nombre": "Zutano"})).await;
    let unknown = ana.get("/palabra-suelta?otra=palabra").await;
    let health = ana.get("/health").await;
    let wrong = stranger.request(Method::GET, "/clientes").header("authorization", "Bearer svc_equivocada");
    let wrong = stranger.send(wrong, "").await;

    let lines = log.requests();
    let logged = |line: &Value| {
        let span = &line["span"];
        json!({
            "level": line["level"],
            "operation": span["operation"],
            "empresa": span["empresa"],
            "llave": span["llave"],
            "status": span["status"],
            "codigo": line["fields"]["codigo"],
            "peticion": span["peticion"],
        })
    };
    let id = |reply: &svc_tests::Reply| reply.header("x-svc-peticion").unwrap().to_owned();
    let expected = [
        json!({
            "level": "INFO", "operation": "GET /clientes", "empresa": company.id.0, "llave": ana.key_id, "status": 200, "codigo": null,
            "peticion": id(&listed),
        }),
        json!({
            "level": "INFO", "operation": "PUT /clientes/{clave}", "empresa": company.id.0, "llave": ana.key_id, "status": 404,
            "codigo": "no_encontrado", "peticion": id(&refused),
        }),
        json!({
            "level": "DEBUG", "operation": null, "empresa": null, "llave": null, "status": 404, "codigo": "ruta_no_existe",
            "peticion": id(&unknown),
        }),
        json!({
            "level": "DEBUG", "operation": "GET /health", "empresa": null, "llave": null, "status": 200, "codigo": null,
            "peticion": id(&health),
        }),
    ];
    let (last, first) = lines.split_last().unwrap();
    assert_eq!(first.iter().map(logged).collect::<Vec<_>>(), expected);
    assert!(lines.iter().all(|line| line["fields"]["duration_ms"].is_f64()), "{lines:?}");
    // Neither repeated headers nor wrong credentials name a company.
    assert_eq!(
        logged(last),
        json!({
            "level": "DEBUG", "operation": "GET /clientes", "empresa": null, "llave": null, "status": 401, "codigo": "llave_invalida",
            "peticion": id(&wrong),
        })
    );
    let text = log.text();
    // A key that was not authenticated is not named either.
    let words =
        ["XAXX010101000", "777000777000", "Zutano", "palabra", "equivocada", "Bearer", &ana.api_key, &stranger.key_id];
    for word in words {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[tokio::test]
async fn requests_are_counted_by_operation_and_status() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    for _ in 0..2 {
        ana.get("/clientes").await.ok(200);
    }
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    ana.post("/clientes", json!({"nombre": ""})).await.fails(400, "dato_requerido");
    ana.send(ana.request(Method::PATCH, "/clientes"), "").await.fails(405, "metodo_no_permitido");
    // Started and dropped: its body never arrives.
    let body = StreamBody::new(stream::pending::<Result<Frame<Bytes>, io::Error>>());
    let request = ana.request(Method::POST, "/ventas").header("content-type", "application/json").body(body).unwrap();
    assert!(world.api.clone().oneshot(request).now_or_never().is_none());

    let expected = [
        ("svc_request_duration_seconds operation=GET /clientes", 2),
        ("svc_request_duration_seconds operation=POST /ventas", 1),
        ("svc_request_duration_seconds operation=POST /clientes", 2),
        ("svc_request_duration_seconds operation=none", 1),
        ("svc_requests_in_flight", 0),
        ("svc_requests_total operation=GET /clientes status=200", 2),
        ("svc_requests_total operation=POST /ventas status=499", 1),
        ("svc_requests_total operation=POST /clientes status=201", 1),
        ("svc_requests_total operation=POST /clientes status=400", 1),
        ("svc_requests_total operation=none status=405", 1),
    ];
    assert_eq!(figures(&snapshotter), expected.map(|(name, value)| (name.to_owned(), value)).into());
}
