//! A whole run with the most verbose log contains no secret and no customer's data.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::spawn;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use svc_local_postgres::Cluster;

use crate::admin::get;
use crate::harness::{Demo, Svc};

const SECRETS_KEY: &str = "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2";
const CERTIFICATE_PASSWORD: &str = svc_tests::certificate::PASSWORD;
const DATABASE_PASSWORD: &str = "clave-de-la-base";
const MISSPELT_PASSWORD: &str = "clave-mal-escrita";
const STAMPER_TOKEN: &str = "ficha-del-timbrador";
const SMTP_PASSWORD: &str = "clave-del-correo";
const WRONG_KEY: &str = "svc_llave-equivocada";
/// Part of a webhook's URL, as some receivers require.
const HOOK_TOKEN: &str = "ficha-del-receptor";

/// Personal data that must not be logged.
const PERSONAL: [&str; 9] = [
    "Zutana",
    "ZUTA800101AB1",
    "XIA190128J61",
    "zutana@correo.example",
    "4775551234",
    "beto@correo.example",
    "Calle Escondida",
    "cursor-inventado",
    "llave-de-idempotencia",
];

/// The logs of all processes of the run, and other output that must hold no secret.
struct Run {
    svc: Svc,
    url: String,
    written: String,
}

impl Run {
    fn env<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("DATABASE_URL", &self.url)
            .env("RUST_LOG", "trace")
            .env("SVC_LOG_FORMAT", "json")
            .env("SVC_SECRETS_KEY", SECRETS_KEY)
            .env("CSD", CERTIFICATE_PASSWORD)
            .env("SVC_STAMPER_TOKEN", STAMPER_TOKEN)
    }

    /// A command that succeeds or fails as expected; its result is not part of the log.
    fn command(&mut self, args: &[&str], succeeds: bool) -> Value {
        let output = self.env(&mut self.svc.command(args)).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.success(), succeeds, "{args:?}: {stderr}");
        self.written.push_str(&stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }
}

/// A stamping provider that stamps the first document, refuses the second for its receiver's name,
/// and answers the rest uselessly.
fn stamper() -> (String, Arc<Mutex<Vec<String>>>) {
    const REFUSAL: &str = r#"{"codigo":"CFDI40145","mensaje":"El nombre Zutana no es el del RFC XIA190128J61"}"#;
    serve(|stream, count| {
        let (head, body) = request(stream);
        let (status, answer) = match count {
            0 => (200, crate::stamping::stamped(&body)),
            1 => (400, REFUSAL.to_owned()),
            _ => (500, "Zutana".to_owned()),
        };
        write!(stream.get_mut(), "HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).unwrap();
        head + &body
    })
}

/// A webhook receiver that accepts everything and echoes it.
fn receiver() -> (String, Arc<Mutex<Vec<String>>>) {
    serve(|stream, _| {
        let (head, body) = request(stream);
        write!(stream.get_mut(), "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        head + &body
    })
}

/// A mail server that refuses every recipient by name.
fn mail() -> (String, Arc<Mutex<Vec<String>>>) {
    serve(|stream, _| {
        stream.get_mut().write_all(b"220 hola\r\n").unwrap();
        let (mut line, mut received) = (String::new(), String::new());
        while stream.read_line(&mut line).unwrap_or(0) > 0 {
            let answer = match line.get(..4).unwrap_or_default() {
                "EHLO" => "250-correo\r\n250 AUTH PLAIN LOGIN",
                "AUTH" => "235 pase",
                "RCPT" => &format!("550 no existe {}", line.trim_end()),
                _ => "250 bien",
            };
            write!(stream.get_mut(), "{answer}\r\n").unwrap();
            received.push_str(&line);
            line.clear();
        }
        received
    })
}

/// Serves one connection after the other; returns the address and the received data.
fn serve(
    answer: impl Fn(&mut BufReader<TcpStream>, usize) -> String + Send + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&received);
    spawn(move || {
        for (count, stream) in listener.incoming().enumerate() {
            let text = answer(&mut BufReader::new(stream.unwrap()), count);
            sink.lock().unwrap().push(text);
        }
    });
    (address, received)
}

fn request(stream: &mut BufReader<TcpStream>) -> (String, String) {
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let start = head.len();
        assert_ne!(stream.read_line(&mut head).unwrap(), 0);
        if let Some(value) = head[start..].to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim_end().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

/// Waits until this was received.
fn wait_for(what: &Arc<Mutex<Vec<String>>>, part: &str) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !what.lock().unwrap().iter().any(|text| text.contains(part)) {
        assert!(Instant::now() < deadline, "{part}: {:?}", what.lock().unwrap());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_whole_run_logs_no_secret_and_nobodys_data() {
    let svc = Svc::new();
    let cluster = Cluster::open(&svc.dir.path().join("own")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(cluster.create_database("svc")).unwrap();
    let options = cluster.options("svc");
    let (port, socket) = (options.get_port(), options.get_socket().unwrap().display());
    let url =
        format!("postgres://svc:{DATABASE_PASSWORD}@localhost:{port}/svc?host={socket}&pasword={MISSPELT_PASSWORD}");
    let mut run = Run { svc, url, written: String::new() };

    run.command(&["migrate"], true);
    let key = prepare(&mut run);
    let ((provider, stamped), (hooks, noticed), (mail, mailed)) = (stamper(), receiver(), mail());
    let arguments = [
        ["--stamper", &format!("http://{provider}/timbrados")],
        ["--smtp-url", &format!("smtp://svc:{SMTP_PASSWORD}@{mail}")],
        ["--webhook-allow-nets", "127.0.0.0/8,::1"],
        ["--admin-listen", "127.0.0.1:0"],
        ["--drain-delay", "0"],
    ];
    let mut command = run.svc.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut server = Svc::start(run.env(&mut command).args(arguments.as_flattened()), key.clone());
    let mut secrets = ask_for_all(&server, &hooks);
    runtime.block_on(break_things(options));
    let (status, failed) = server.post("/clientes", "llave-de-idempotencia-9", &customer("Zutana rota"));
    assert_eq!((status, &failed["error"]["codigo"]), (500, &json!("error_interno")), "{failed}");

    // Everything happened, with all secrets involved.
    wait_for(&stamped, STAMPER_TOKEN);
    wait_for(&stamped, "Zutana");
    wait_for(&noticed, HOOK_TOKEN);
    wait_for(&noticed, "cliente.creado");
    wait_for(&mailed, &BASE64_STANDARD.encode(format!("\0svc\0{SMTP_PASSWORD}")));
    wait_for(&mailed, "beto@correo.example");
    for line in [r#"svc_deliveries_total{outcome="delivered"}"#, r#"svc_stampings_total{outcome="stamped"} 1"#] {
        let deadline = Instant::now() + Duration::from_mins(1);
        // The outcome is written after the provider has answered.
        while !get(&server.admin(), "/metrics").1.contains(line) {
            assert!(Instant::now() < deadline, "no {line} in a minute");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    let figures = get(&server.admin(), "/metrics").1;
    kill(server.pid(), Signal::SIGTERM).unwrap();
    assert!(server.ended(Duration::from_secs(25)).0.success());
    let mut stdout = String::new();
    server.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(stdout, "", "a server has no result to print");
    let log = server.log.lines().join("\n");
    for said in ["error_interno", "no e-mail was sent", "PUT /clientes/{clave}", "sqlx"] {
        assert!(log.contains(said), "all is logged: {said}");
    }
    let _ = write!(run.written, "{log}\n{figures}");
    secrets.extend(
        [SECRETS_KEY, CERTIFICATE_PASSWORD, DATABASE_PASSWORD, MISSPELT_PASSWORD, STAMPER_TOKEN].map(str::to_owned),
    );
    secrets.extend([SMTP_PASSWORD, WRONG_KEY, HOOK_TOKEN, key["api_key"].as_str().unwrap()].map(str::to_owned));
    is_well_formed(&log);
    holds_none(&run.written, &secrets);
    cluster.stop().unwrap();
}

/// Creates company, certificate, users and records on the command line; returns a key.
fn prepare(run: &mut Run) -> Value {
    let fixture = |name: &str| format!("{}/../tests/fixtures/csd/{name}", env!("CARGO_MANIFEST_DIR"));
    let (cer, key) = (fixture("valid.cer"), fixture("valid.key"));
    let company = ["company", "create", "--name", "Uno", "--rfc", "EKU9003173C9", "--regimen", "601", "--cp", "06700"];
    run.command(&company, true);
    run.command(&["user", "create", "--company", "1", "--name", "Zutana", "--email", "beto@correo.example"], true);
    let load = ["certificate", "load", "--company", "1", "--cer", &cer, "--key", &key, "--password-env", "CSD"];
    run.command(&load, true);
    run.command(&["do", "--company", "1", "customer.create", &customer("Zutana")], true);
    run.command(&["do", "--company", "1", "customer.create", r#"{"nombre":"Zutana","correo":7}"#], false);
    run.command(
        &["do", "--company", "1", "product.create", r#"{"sku":"A-1","descripcion":"Zutana","unidad":1}"#],
        true,
    );
    run.command(&["key", "create", "--company", "1"], true)
}

fn customer(nombre: &str) -> String {
    json!({"nombre": nombre, "correo": "zutana@correo.example", "movil": "4775551234", "rfc": "XIA190128J61",
           "calle": "Calle Escondida", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"})
    .to_string()
}

/// Sends requests of all kinds, good and bad; returns the secrets in the answers.
fn ask_for_all(server: &Demo, receiver: &str) -> Vec<String> {
    let post = |path: &str, key: &str, body: &str, expected: u16| {
        let (status, answer) = server.post(path, &format!("llave-de-idempotencia-{key}"), body);
        assert_eq!(status, expected, "{path} {body}: {answer}");
        answer
    };
    let events = json!(["cliente.creado", "venta.creada", "factura.timbrada"]);
    let hook = json!({"url": format!("http://localhost:{}/{HOOK_TOKEN}", receiver.split_once(':').unwrap().1), "eventos": events});
    let made = post("/webhooks", "1", &hook.to_string(), 201);
    let turned = post(&format!("/webhooks/{}/secreto", made["clave"]), "2", "", 200);
    post("/clientes", "3", &customer("Zutana").replace("XIA190128J61", "ZUTA800101AB1").replace("601", "612"), 201);
    post("/clientes", "4", &customer("Zutana"), 409);
    post("/clientes", "5", &customer("Zutana").replace("06700", "Zutana"), 400);
    post("/clientes", "6", r#"{"nombre":"Zutana""#, 400);
    post("/leads", "7", r#"{"nombre":"Zutana","correo":"zutana@correo.example"}"#, 201);
    for number in ["1", "2"] {
        let order = r#"{"tipo":"pedido","cliente":1,"renglones":[{"producto":1,"cantidad":2,"precio_unitario":"10.00"}],
                        "referencia":"Zutana","metodo_pago_sat":"PUE","forma_pago_sat":"03"}"#;
        post("/ventas", &format!("8-{number}"), order, 201);
        post(&format!("/ventas/{number}/facturar"), &format!("9-{number}"), "{}", 202);
    }
    server.get("/clientes?telefono=4775551234");
    server.get("/clientes?rfc=XIA190128J61");
    for (path, status) in
        [("/clientes?cursor=cursor-inventado", 400), ("/clientes?zutana@correo.example=1", 400), ("/Zutana", 404)]
    {
        assert_eq!(server.try_send(&server.head("GET", path, "")).unwrap().0, status, "{path}");
    }
    let edit =
        server.writing("/clientes/1", "llave-de-idempotencia-8", r#"{"nombre":"Zutana"}"#).replacen("POST", "PUT", 1);
    assert_eq!(server.try_send(&edit).unwrap().0, 200);
    let right = server.printed["api_key"].as_str().unwrap();
    assert_eq!(server.try_send(&server.head("GET", "/clientes", "").replace(right, WRONG_KEY)).unwrap().0, 401);
    [&made, &turned].map(|answer| answer["secreto"].as_str().unwrap().to_owned()).into()
}

/// Makes an e-mail due, and makes the database refuse customers with an error that shows a whole
/// row.
async fn break_things(options: PgConnectOptions) {
    let mut database = options.connect().await.unwrap();
    let email = "INSERT INTO avisos (empresa, clave, para, asunto, texto, creado, proximo)
                 VALUES (1, 1, 'beto@correo.example', 'Zutana', 'Zutana', now(), now())";
    for statement in
        [email, "ALTER TABLE clientes ADD COLUMN falta integer", "ALTER TABLE clientes ADD CHECK (falta > 0) NOT VALID"]
    {
        sqlx::query(statement).execute(&mut database).await.unwrap();
    }
    sqlx::query("UPDATE clientes SET falta = 1").execute(&mut database).await.unwrap();
    sqlx::query("ALTER TABLE clientes ALTER COLUMN falta SET NOT NULL").execute(&mut database).await.unwrap();
}

/// One object per line, with time, level and target; a request's also has its span.
fn is_well_formed(log: &str) {
    let mut requests = 0;
    for line in log.lines() {
        let said: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(["timestamp", "level", "target"].iter().all(|field| said[field].is_string()), "{line}");
        if said["message"] == "answered" {
            requests += 1;
            let span = &said["span"];
            assert!(span["peticion"].is_string() && span["status"].is_u64() && said["duration_ms"].is_f64(), "{line}");
        }
    }
    assert!(requests > 10, "{requests}");
}

/// Neither in the clear nor encoded.
fn holds_none(written: &str, secrets: &[String]) {
    for secret in secrets.iter().map(String::as_str).chain(PERSONAL) {
        let forms = [secret.to_owned(), BASE64_STANDARD.encode(secret), format!("{:?}", secret.as_bytes())];
        let smtp = BASE64_STANDARD.encode(format!("\0svc\0{secret}"));
        for form in forms.iter().chain([&smtp]) {
            let line = written.lines().find(|line| line.contains(form.as_str()));
            assert!(line.is_none(), "{secret} is in {}", line.unwrap_or_default());
        }
    }
}
