//! The OpenAPI document, printed and served beside the API.

use serde_json::{Value, json};

use crate::harness::{Demo, Svc};

/// The head and the body of an answer outside the API.
fn ask(service: &Demo, method: &str, path: &str) -> (String, String) {
    let request = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", service.address);
    service.exchange(&request).unwrap()
}

#[test]
fn the_description_is_printed_and_served_in_both_languages() {
    let svc = Svc::new();
    let printed = svc.ok(&["openapi"]);
    assert_eq!((&printed["openapi"], &printed["servers"][0]["url"]), (&json!("3.1.0"), &json!("/api/v1")));
    let spanish = svc.ok(&["openapi", "--lang", "es", "--base-url", "https://erp.example.com/api/v1"]);
    assert_eq!(spanish["servers"][0]["url"], "https://erp.example.com/api/v1");
    assert_eq!(spanish["paths"]["/clientes"]["get"]["summary"], "Listar clientes");
    assert!(!svc.run(&["openapi", "--lang", "fr"], "").status.success());

    let service = svc.serve(&["--base-url", "https://erp.example.com/api/v1"], Value::Null);
    for (path, like) in [("/openapi.json", "List customers"), ("/openapi.json?lang=es", "Listar clientes")] {
        let (head, body) = ask(&service, "GET", path);
        assert!(head.starts_with("HTTP/1.1 200 ") && head.contains("content-type: application/json"), "{head}");
        let served: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(served["servers"][0]["url"], "https://erp.example.com/api/v1");
        assert_eq!(served["paths"]["/clientes"]["get"]["summary"], like);
    }
    let (head, body) = ask(&service, "GET", "/docs/reference");
    assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
    assert!(body.contains("data-try-it=\"no\""), "{body}");
    let (_, body) = ask(&service, "GET", "/docs?lang=es");
    assert!(
        body.contains("<html lang=\"es\">") && body.contains("<a href=\"/docs/guides?lang=es\">Guías</a>"),
        "{body}"
    );
    // A key is filled in by a demo alone.
    assert!(body.contains("SVC_API_KEY=svc_…") && !body.contains("data-api-key"), "{body}");
    let (head, _) = ask(&service, "GET", "/?lang=es");
    assert!(head.starts_with("HTTP/1.1 302 ") && head.contains("location: /docs?lang=es"), "{head}");
    let (_, body) = ask(&service, "GET", "/docs/events?lang=es");
    assert!(body.contains("<h2 id=\"factura.timbrada\">") && body.contains("recurso"), "{body}");
    let (head, _) = ask(&service, "GET", "/docs/style.css");
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag");
    let request = format!(
        "GET /docs/style.css HTTP/1.1\r\nHost: {}\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n",
        service.address
    );
    let (head, body) = service.exchange(&request).unwrap();
    assert!(head.starts_with("HTTP/1.1 304 ") && body.is_empty(), "{head}");
    let (_, body) = ask(&service, "GET", "/docs/guides/errors?lang=es");
    assert!(body.contains("<th>Qué hacer</th>") && body.contains("la llave falta, no es válida"), "{body}");
    let (_, body) = ask(&service, "GET", "/docs/guides/errors");
    assert!(body.contains("<code>rfc_duplicado</code>") && !body.contains("{{errors"), "{body}");
    let (_, body) = ask(&service, "GET", "/docs/guides/webhooks");
    assert!(body.contains("hmac.compare_digest") && !body.contains("{{verify"), "{body}");
    for (method, path, status) in [
        ("GET", "/docs/guides/nada", 404),
        // The development proxy exists only in the demo, on request.
        ("GET", "/docs/api/clientes", 404),
        ("GET", "/openapi.json?lang=fr", 400),
        ("GET", "/openapi.json?lang=en&lang=es", 400),
        // A page has a language, whatever else its query contains.
        ("GET", "/docs/guides/pages?utm=1&lang=fr", 200),
        ("POST", "/openapi.json", 405),
        // Nothing of it is below the base path.
        ("GET", "/api/v1/openapi.json", 404),
        // And there is nothing of the API outside it.
        ("GET", "/api/v1/health", 200),
        ("GET", "/health", 404),
        ("GET", "/clientes", 404),
        ("GET", "/v1/clientes", 404),
    ] {
        let (head, _) = ask(&service, method, path);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{method} {path}: {head}");
    }
}
