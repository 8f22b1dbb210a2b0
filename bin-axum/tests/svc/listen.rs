//! `svc listen`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
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
    assert_eq!(hook["eventos"].as_array().map(Vec::len), Some(11), "all that there are: {hook}");
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
