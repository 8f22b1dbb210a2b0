//! `svc listen`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, ChildStdout};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::harness::{Demo, Svc};

/// A receiver that has reported ready.
struct Listening {
    child: Child,
    said: String,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
}

impl Listening {
    fn start(svc: &Svc, args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut child = svc.command(&[&["listen"], args].concat()).envs(env.iter().copied()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut listening = Self { child, said: String::new(), stdout, stderr };
        while !listening.said.contains("Ctrl-C") {
            assert_ne!(listening.stderr.read_line(&mut listening.said).unwrap(), 0, "{}", listening.said);
        }
        listening
    }

    /// The next notice that it prints.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no notice: {line:?}"))
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// Ends it; returns its whole output.
    fn stop(mut self, signal: Signal) -> String {
        self.signal(signal);
        while self.stderr.read_line(&mut self.said).unwrap() > 0 {}
        assert_eq!(self.child.wait().unwrap().success(), signal != Signal::SIGKILL, "{}", self.said);
        std::mem::take(&mut self.said)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn webhooks(demo: &Demo) -> Vec<Value> {
    demo.get("/webhooks")["datos"].as_array().unwrap().clone()
}

#[test]
fn listen_beside_the_demo_prints_events_and_deletes_its_webhook() {
    let svc = Svc::new();
    let demo = svc.demo();
    let mut listening = Listening::start(&svc, &[], &[]);
    let [hook] = webhooks(&demo).try_into().unwrap();
    assert_eq!(hook["eventos"].as_array().map(Vec::len), Some(12), "all that there are: {hook}");
    let (status, created) = demo.post("/clientes", "a", r#"{"nombre":"Ana"}"#);
    assert_eq!(status, 201, "{created}");
    let notice = listening.next();
    assert_eq!((&notice["entrega"], &notice["intento"]), (&json!(1), &json!(1)));
    let aviso = &notice["aviso"];
    assert_eq!((&aviso["tipo"], &aviso["datos"]["cliente"]), (&json!("cliente.creado"), &created["cliente"]));
    let tried = demo.post(&format!("/webhooks/{}/probar", hook["clave"]), "b", "");
    assert_eq!(tried.0, 202, "{}", tried.1);
    assert_eq!(listening.next()["aviso"]["id"], tried.1["evento"]);
    let delivered = || {
        let log = demo.get(&format!("/webhooks/{}/entregas", hook["clave"]));
        log["datos"].as_array().unwrap().iter().all(|entrega| entrega["http"] == 200)
    };
    // The log line comes a moment after the notice.
    let deadline = Instant::now() + Duration::from_secs(10);
    while !delivered() {
        assert!(Instant::now() < deadline, "the log does not say that they arrived");
        std::thread::sleep(Duration::from_millis(20));
    }

    // A killed receiver leaves its webhook; the next one deletes that webhook and no other.
    let other = r#"{"url":"http://localhost:9/","eventos":["venta.creada"],"descripcion":"Tienda"}"#;
    assert_eq!(demo.post("/webhooks", "c", other).0, 201);
    listening.stop(Signal::SIGKILL);
    assert_eq!(webhooks(&demo).len(), 2);
    let second = Listening::start(&svc, &["--events", "cliente.creado, venta.creada"], &[]);
    let third = Listening::start(&svc, &["--events", "venta.creada"], &[]);
    let hooks = webhooks(&demo);
    assert_eq!(hooks.len(), 3, "two run, and one is the shop's");
    assert!(hooks.iter().all(|left| left["clave"] != hook["clave"]), "{hooks:?}");
    for (listening, signal) in [(second, Signal::SIGINT), (third, Signal::SIGTERM)] {
        let said = listening.stop(signal);
        assert!(said.contains("is deleted"), "{said}");
        assert!(!said.contains("whsec_") && !said.contains(demo.printed["api_key"].as_str().unwrap()), "{said}");
    }
    let [left] = webhooks(&demo).try_into().unwrap();
    assert_eq!(left["descripcion"], "Tienda");
    demo.stop(Signal::SIGTERM);
}

/// A developer's program, which answers these statuses one after the other; it keeps what it gets.
fn program(statuses: &'static [&'static str]) -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/avisos?de=svc", listener.local_addr().unwrap());
    let (sender, received) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for status in statuses {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut request, mut part) = (Vec::new(), [0; 4_096]);
            // The notice ends with the last brace of its resource.
            while !request.ends_with(b"}}") {
                let read = stream.read(&mut part).unwrap();
                request.extend(&part[..read]);
            }
            sender.send(String::from_utf8(request).unwrap()).unwrap();
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, received)
}

#[test]
fn listen_sends_what_happened_before_and_passes_it_on() {
    let svc = Svc::new();
    let demo = svc.demo();
    for (key, name) in [("a", "Ana"), ("b", "Eva")] {
        assert_eq!(demo.post("/clientes", key, &json!({ "nombre": name }).to_string()).0, 201);
    }
    let before = demo.walk("/eventos?tipo=cliente.creado");
    assert_eq!(before.len(), 2);
    let (url, received) = program(&["204 No Content", "500 Internal Server Error", "200 OK"]);
    let options = ["--events", "cliente.creado", "--since", "2h", "--forward-to", &url];
    let mut listening = Listening::start(&svc, &options, &[]);
    let mut notices = [listening.next(), listening.next()];
    // They are sent at once, so their order may be another.
    notices.sort_by_key(|notice| notice["respuesta"].as_u64());
    assert_eq!(notices.each_ref().map(|notice| notice["respuesta"].clone()), [json!(204), json!(500)]);
    let mut ids = notices.each_ref().map(|notice| notice["aviso"]["id"].clone());
    ids.sort_by_key(Value::to_string);
    let mut expected = [&before[0]["id"], &before[1]["id"]].map(Clone::clone);
    expected.sort_by_key(Value::to_string);
    assert_eq!(ids, expected);
    for request in [received.recv().unwrap(), received.recv().unwrap()] {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /avisos?de=svc HTTP/1.1\r\n"), "{head}");
        let is_same = |notice: &&Value| {
            let shown = notice["aviso"].to_string();
            shown == body
        };
        let notice = notices.iter().find(is_same).expect("the notice's own bytes");
        let head = head.to_lowercase();
        for header in [
            format!("x-svc-evento-id: {}", notice["aviso"]["id"].as_str().unwrap()),
            format!("x-svc-entrega: {}", notice["entrega"]),
            "x-svc-evento: cliente.creado".to_owned(),
            "x-svc-intento: 1".to_owned(),
            "x-svc-firma: t=".to_owned(),
            "content-type: application/json".to_owned(),
            "user-agent: svc-webhooks/1.0".to_owned(),
            format!("host: {}", url.split('/').nth(2).unwrap()),
        ] {
            assert!(head.contains(&header), "{header} in {head}");
        }
    }
    // What the program refused is tried again later, as from any receiver.
    let path = format!("/webhooks/{}/entregas", webhooks(&demo)[0]["clave"]);
    let refused = || {
        let log = demo.walk(&path);
        log.iter().any(|entrega| entrega["http"] == 500 && entrega["estado"] == "pendiente")
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while !refused() {
        assert!(Instant::now() < deadline, "the log does not say that it was refused");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(demo.post("/clientes", "c", r#"{"nombre":"Luis"}"#).0, 201);
    let third = listening.next();
    assert_eq!((&third["respuesta"], &third["aviso"]["tipo"]), (&json!(200), &json!("cliente.creado")));
    // Nothing answers there any more.
    assert_eq!(demo.post("/clientes", "d", r#"{"nombre":"Sara"}"#).0, 201);
    let fourth = listening.next();
    assert!(fourth.get("respuesta").is_none() && fourth["aviso"]["tipo"] == "cliente.creado", "{fourth}");
    let said = listening.stop(Signal::SIGTERM);
    for part in ["2 events from before are sent", "answered 500", "is deleted"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    for (args, part) in [
        (&["--forward-to", "localhost:9"][..], "http://"),
        (&["--forward-to", "ftp://localhost/"], "http://"),
        (&["--since", "2 horas"], "--since"),
    ] {
        let refused = svc.run(&[&["listen"], args].concat(), "");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && said.contains(part), "{args:?}: {said}");
    }
    assert!(webhooks(&demo).is_empty());
    demo.stop(Signal::SIGTERM);
}

#[test]
fn listen_with_a_key_gets_the_events_of_its_scopes() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let key = svc.ok(&["key", "create", "--company", "1", "--scopes", "webhooks:write,clientes:read,cxc:read"]);
    let text = |field: &str| key[field].as_str().unwrap().to_owned();
    let none = svc.run(&["listen"], "");
    let said = String::from_utf8(none.stderr).unwrap();
    assert!(!none.status.success() && said.contains("SVC_KEY_ID") && said.lines().count() == 1, "{said}");

    let server = svc.serve(&["--webhook-allow-nets", "127.0.0.0/8,::1"], key.clone());
    let base_url = format!("http://{}/api/v1/", server.address);
    let (id, secret) = (text("key_id"), text("api_key"));
    let env = [("SVC_BASE_URL", &*base_url), ("SVC_KEY_ID", &*id), ("SVC_API_KEY", &*secret)];
    let listening = Listening::start(&svc, &[], &env);
    let [hook] = webhooks(&server).try_into().unwrap();
    assert_eq!(hook["eventos"], json!(["cxc.pago_aplicado", "cliente.creado", "cliente.actualizado"]));
    // A notice without the server's signature is not printed.
    let port = hook["url"].as_str().unwrap().trim_start_matches("http://localhost:").trim_end_matches('/');
    let mut stranger = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    stranger.write_all(b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}").unwrap();
    let mut answer = String::new();
    stranger.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    let said = listening.stop(Signal::SIGTERM);
    assert!(said.contains("refused what somebody sent"), "{said}");
    assert!(webhooks(&server).is_empty());

    for (args, part) in [
        (&["--events", "cliente.borrado"][..], "evento_no_valido"),
        (&["--events", "venta.creada"], "sin_permiso"),
        (&["--url", "http://10.0.0.1/"], "SVC_WEBHOOK_ALLOW_NETS"),
        (&["--base-url", "http://127.0.0.1:9/api/v1"], "refused"),
        (&["--base-url", "127.0.0.1"], "SVC_BASE_URL"),
    ] {
        let refused = svc.command(&[&["listen"], args].concat()).envs(env).output().unwrap();
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && said.contains(part) && said.lines().count() == 1, "{args:?}: {said}");
        assert!(!said.contains(&*secret), "{said}");
    }
    assert!(webhooks(&server).is_empty());
    server.stop(Signal::SIGTERM);
}
