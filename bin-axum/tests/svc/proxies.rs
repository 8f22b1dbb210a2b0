//! The examples of proxies, each before a server.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::harness::{Demo, Svc};

/// The folder of Caddy, nginx and promtool, as `.ci/operators` prints it.
const PROGRAMS: &str = "SVC_OPERATORS";

/// That program of operators; none if the folder is not named.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os(PROGRAMS) else {
        println!("skipped: {PROGRAMS} names no folder with {name} (.ci/operators)");
        return None;
    };
    let program = Path::new(&folder).join(name);
    assert!(program.exists(), "{PROGRAMS} names {}, which has no {name}", folder.display());
    Some(program)
}

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)).unwrap()
}

/// A port that nobody listens at.
fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// A proxy that speaks TLS at a port of this machine, and ends with this.
struct Proxy {
    child: Child,
    port: u16,
    /// The authority that its certificate comes from.
    authority: PathBuf,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Proxy {
    fn curl(&self, demo: &Demo, args: &[&str]) -> Output {
        let resolve = format!("erp.example.com:{}:127.0.0.1", self.port);
        let mut curl = Command::new("curl");
        curl.args(["-sS", "--cacert"]).arg(&self.authority).args(["--resolve", &resolve, "-w", "\n%{http_code}"]);
        curl.args(["-H", &format!("Authorization: Bearer {}", demo.printed["api_key"].as_str().unwrap())]);
        curl.args(["-H", &format!("X-Svc-Key-Id: {}", demo.printed["key_id"].as_str().unwrap())]);
        // A client cannot name another as the one that asks.
        curl.args(["-H", "X-Forwarded-For: 203.0.113.9"]);
        curl.args(args).output().unwrap()
    }

    /// Sends a request; gives the status and the body.
    fn send(&self, demo: &Demo, path: &str, args: &[&str]) -> (u16, String) {
        self.sent(demo, path, args).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The same for a request that is refused before all of it is read: a proxy that still writes
    /// it may cut the answer short.
    fn send_until_whole(&self, demo: &Demo, path: &str, args: &[&str]) -> (u16, String) {
        let answer = (0..10).find_map(|_| self.sent(demo, path, args).ok());
        answer.expect("one whole answer of ten")
    }

    fn sent(&self, demo: &Demo, path: &str, args: &[&str]) -> Result<(u16, String), String> {
        let url = format!("https://erp.example.com:{}{path}", self.port);
        let output = self.curl(demo, &[args, &[url.as_str()]].concat());
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (body, status) = text.rsplit_once('\n').unwrap_or_default();
        Ok((status.parse().unwrap(), body.to_owned()))
    }

    fn until_it_answers(&self, demo: &Demo) {
        let url = format!("https://erp.example.com:{}/api/v1/health", self.port);
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.curl(demo, &[&url]).status.success() {
            assert!(Instant::now() < deadline, "the proxy does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn server(svc: &Svc) -> Demo {
    svc.ok(&["company", "create", "--name", "Empresa"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1"]);
    Svc::start(command.env("SVC_LOG_FORMAT", "json"), key)
}

/// What any proxy does: it passes on answers as they are, and names the client.
fn check(svc: &Svc, demo: Demo, proxy: Proxy) {
    proxy.until_it_answers(&demo);
    let (status, body) = proxy.send(&demo, "/api/v1/clientes?limite=1", &[]);
    assert_eq!(status, 200, "{body}");
    let create = ["-X", "POST", "-H", "Content-Type: application/json", "-H", "Idempotency-Key: uno", "-d"];
    let (status, body) = proxy.send(&demo, "/api/v1/clientes", &[&create[..], &[r#"{"nombre":"Ana"}"#]].concat());
    assert_eq!(status, 201, "{body}");
    // A body that is too long gets the service's own answer.
    let long = svc.dir.path().join("long");
    fs::write(&long, format!("{{\"nombre\":\"{}\"}}", "a".repeat(1_100_000))).unwrap();
    let body = format!("@{}", long.display());
    let too_long = [&create[..], &[&body]].concat();
    let (status, body) = proxy.send_until_whole(&demo, "/api/v1/clientes", &too_long);
    assert_eq!(status, 413);
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["ok"], false, "{body}");
    assert_eq!(proxy.send(&demo, "/api/v1/nada", &[]).0, 404);
    drop(proxy);
    demo.stop(Signal::SIGTERM);
    let logged = svc.run(&["log", "--company", "1"], "");
    let logged = String::from_utf8(logged.stdout).unwrap();
    let lines: Vec<Value> = logged.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= 3, "{logged}");
    assert!(lines.iter().all(|line| line["direccion"] == "127.0.0.1"), "{logged}");
}

#[test]
fn caddy_makes_it_public() {
    let Some(caddy) = program("caddy") else { return };
    let svc = Svc::new();
    let demo = server(&svc);
    let (port, home) = (free_port(), svc.dir.path().join("caddy"));
    fs::create_dir(&home).unwrap();
    // An authority of its own, on this port only; everything else is the example's.
    let global = format!(
        "{{\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n\thttps_port {port}\n\tauto_https disable_redirects\n}}\n"
    );
    let config = home.join("Caddyfile");
    fs::write(&config, global + &example("Caddyfile")).unwrap();
    let child = Command::new(caddy)
        .args(["run", "--adapter", "caddyfile", "--config"])
        .arg(&config)
        .env("XDG_DATA_HOME", &home)
        .env("HOME", &home)
        .env("SVC_DOMAIN", "erp.example.com")
        .env("SVC_UPSTREAM", &demo.address)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let authority = home.join("caddy/pki/authorities/local/root.crt");
    check(&svc, demo, Proxy { child, port, authority });
}

#[test]
fn nginx_makes_it_public() {
    let Some(nginx) = program("nginx") else { return };
    let svc = Svc::new();
    let demo = server(&svc);
    let (port, home) = (free_port(), svc.dir.path().join("nginx"));
    fs::create_dir(&home).unwrap();
    let authority = home.join("cert.pem");
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=erp.example.com", "-addext", "subjectAltName=DNS:erp.example.com", "-keyout"])
        .arg(home.join("key.pem"))
        .arg("-out")
        .arg(&authority)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let site = example("nginx.conf")
        .replace("server 127.0.0.1:8080;", &format!("server {};", demo.address))
        .replace("listen 443 ssl;", &format!("listen 127.0.0.1:{port} ssl;"))
        .replace("listen 80;", &format!("listen 127.0.0.1:{};", free_port()))
        .replace("/etc/letsencrypt/live/erp.example.com/fullchain.pem", "cert.pem")
        .replace("/etc/letsencrypt/live/erp.example.com/privkey.pem", "key.pem");
    fs::write(home.join("site.conf"), site).unwrap();
    let temporary =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|kind| format!("{kind}_temp_path {kind};")).join(" ");
    let main = format!(
        "daemon off; worker_processes 1; pid nginx.pid; error_log stderr; user root;\nevents {{}}\n\
         http {{ access_log off; {temporary} include site.conf; }}\n"
    );
    fs::write(home.join("main.conf"), main).unwrap();
    let child = Command::new(nginx)
        .args(["-e", "stderr", "-c", "main.conf", "-p"])
        .arg(&home)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    check(&svc, demo, Proxy { child, port, authority });
}
