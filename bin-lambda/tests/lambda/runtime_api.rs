//! A simulated platform: a Runtime API for the binary, one invocation at a time.
//!
//! It implements these parts of <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>:
//! `invocation/next`, which waits until there is an event, `invocation/{id}/response` and
//! `invocation/{id}/error`.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use bytes::Bytes;
use serde_json::Value;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_tests::World;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

/// The default time limit of an invocation.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The outcome of an invocation: the function's answer, or its reported error.
pub(crate) type Outcome = Result<Value, Value>;

struct Invocation {
    id: String,
    deadline: SystemTime,
    event: String,
}

struct Platform {
    next: tokio::sync::Mutex<mpsc::UnboundedReceiver<Invocation>>,
    pending: Mutex<HashMap<String, oneshot::Sender<Outcome>>>,
}

/// The running binary and its platform. Dropping this kills it.
pub(crate) struct Function {
    pub(crate) child: Child,
    platform: Arc<Platform>,
    events: mpsc::UnboundedSender<Invocation>,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Function {
    /// The function on a world's database, with further settings.
    pub(crate) async fn on(world: &World, settings: &[(&str, &str)]) -> Self {
        let url = world.database_url();
        // The world's key, which sealed the keys of its certificates: `svc_tests::secrets_key`.
        let secrets = "07".repeat(32);
        let base = [
            ("SVC_SECRETS_KEY", secrets.as_str()),
            ("DATABASE_URL", url.as_str()),
            ("SVC_BASE_URL", svc_tests::BASE_URL),
            ("SVC_RATE_PER_MINUTE", "1000000"),
            ("SVC_IN_FLIGHT", "1000"),
        ];
        Self::start(&[&base, settings].concat()).await
    }

    /// The function with these settings and no others.
    pub(crate) async fn start(settings: &[(&str, &str)]) -> Self {
        let (events, next) = mpsc::unbounded_channel();
        let platform = Arc::new(Platform { next: tokio::sync::Mutex::new(next), pending: Mutex::default() });
        let address = serve(platform.clone()).await;
        let mut child = Command::new(env!("CARGO_BIN_EXE_bin-lambda"))
            .env_clear()
            .envs(["PATH", "SSL_CERT_FILE"].iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .env("AWS_LAMBDA_RUNTIME_API", address)
            .env("AWS_LAMBDA_FUNCTION_NAME", "svc")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let reader = std::thread::spawn({
            let log = log.clone();
            move || {
                let errors = std::thread::spawn({
                    let log = log.clone();
                    move || BufReader::new(stderr).lines().map_while(Result::ok).for_each(|line| note(&log, &line))
                });
                BufReader::new(stdout).lines().map_while(Result::ok).for_each(|line| note(&log, &line));
                errors.join().unwrap();
            }
        });
        Self { child, platform, events, log, reader: Some(reader) }
    }

    pub(crate) async fn invoke(&self, event: &Value) -> Outcome {
        self.invoke_within(&event.to_string(), TIMEOUT).await
    }

    /// Invokes it with a text and a time limit.
    pub(crate) async fn invoke_within(&self, event: &str, timeout: Duration) -> Outcome {
        let id = svc_tests::fresh_key();
        let (done, outcome) = oneshot::channel();
        self.platform.pending.lock().unwrap().insert(id.clone(), done);
        let deadline = SystemTime::from(SystemClock.now()) + timeout;
        let invoked = self.events.send(Invocation { id, deadline, event: event.to_owned() });
        assert!(invoked.is_ok(), "the platform is there");
        // At the deadline the platform would end the instance.
        let outcome = tokio::time::timeout(timeout, outcome).await;
        outcome.unwrap_or_else(|_| panic!("no answer in time: {}", self.log())).unwrap()
    }

    /// Its whole output so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until it ends by itself; returns its exit status and output.
    pub(crate) async fn ended(mut self) -> (ExitStatus, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < TIMEOUT, "it does not end: {}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let reader = self.reader.take().unwrap();
        tokio::task::spawn_blocking(move || reader.join().unwrap()).await.unwrap();
        (status, self.log())
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn note(log: &Mutex<String>, line: &str) {
    let mut log = log.lock().unwrap();
    log.push_str(line);
    log.push('\n');
}

async fn serve(platform: Arc<Platform>) -> String {
    const ROOT: &str = "/2018-06-01/runtime/invocation";
    let app = Router::new()
        .route(&format!("{ROOT}/next"), get(next))
        .route(&format!("{ROOT}/{{id}}/response"), post(response))
        .route(&format!("{ROOT}/{{id}}/error"), post(error))
        .layer(axum::extract::DefaultBodyLimit::disable())
        .with_state(platform);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

async fn next(State(platform): State<Arc<Platform>>) -> impl IntoResponse {
    let Some(Invocation { id, deadline, event }) = platform.next.lock().await.recv().await else {
        // The test is over, and so is the instance.
        return std::future::pending().await;
    };
    let deadline = deadline.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis().to_string();
    let headers = [
        ("lambda-runtime-aws-request-id", id),
        ("lambda-runtime-deadline-ms", deadline),
        ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:us-east-1:123456789012:function:svc".to_owned()),
        ("lambda-runtime-trace-id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=0".to_owned()),
    ];
    (headers, event)
}

async fn response(platform: State<Arc<Platform>>, Path(id): Path<String>, body: Bytes) -> StatusCode {
    finish(&platform, &id, Ok(serde_json::from_slice(&body).unwrap()))
}

async fn error(platform: State<Arc<Platform>>, Path(id): Path<String>, body: Bytes) -> StatusCode {
    finish(&platform, &id, Err(serde_json::from_slice(&body).unwrap()))
}

fn finish(platform: &Platform, id: &str, outcome: Outcome) -> StatusCode {
    let waiting = platform.pending.lock().unwrap().remove(id);
    match waiting.map(|waiting| waiting.send(outcome)) {
        Some(Ok(())) => StatusCode::ACCEPTED,
        _ => StatusCode::BAD_REQUEST,
    }
}
