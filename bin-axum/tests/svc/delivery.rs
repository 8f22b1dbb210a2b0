//! `svc deliver`.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::json;

use crate::harness::Svc;

#[test]
fn one_pass_delivers_what_is_due() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let nothing = json!({"agrupados": 0, "eventos": 0, "creadas": 0, "entregadas": 0, "pospuestas": 0, "fallidas": 0,
                         "perdidas": 0, "desactivados": 0});
    assert_eq!(svc.ok(&["deliver"]), nothing);
    assert_eq!(svc.ok(&["clean-up"]), json!({"eliminados": 0}));

    let key = svc.ok(&["key", "create", "--company", "1"]);
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://localhost:{}/avisos", receiver.local_addr().unwrap().port());
    let local = "127.0.0.0/8,::1";
    let server = svc.serve(&["--no-workers", "--webhook-allow-nets", local], key);
    let hook = format!(r#"{{"url":"{url}","eventos":["cliente.creado"]}}"#);
    assert_eq!(server.post("/webhooks", "a", &hook).0, 201);
    assert_eq!(server.post("/clientes", "b", r#"{"nombre":"Ana"}"#).0, 201);
    let answering = std::thread::spawn(move || {
        let mut stream = receiver.accept().unwrap().0;
        let mut read = Vec::new();
        while !read.ends_with(b"}}") {
            let mut buffer = [0; 4096];
            let more = stream.read(&mut buffer).unwrap();
            assert_ne!(more, 0);
            read.extend_from_slice(&buffer[..more]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        String::from_utf8(read).unwrap()
    });
    let mut done = nothing;
    for counted in ["eventos", "creadas", "entregadas"] {
        done[counted] = json!(1);
    }
    assert_eq!(svc.ok(&["deliver", "--webhook-allow-nets", local]), done);
    let read = answering.join().unwrap();
    assert!(
        read.starts_with("POST /avisos HTTP/1.1\r\n") && read.contains("x-svc-evento: cliente.creado\r\n"),
        "{read}"
    );
    assert_eq!(server.get("/webhooks/1/entregas")["datos"][0]["estado"], "entregada");
}
