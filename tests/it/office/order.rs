//! The order of the checks (contract §2).

use http::{Method, header};
use serde_json::json;
use svc_core::store::CompanyChange;
use svc_tests::World;
use svc_tests::office::NDJSON;

#[tokio::test]
async fn checks_come_in_the_order_of_the_api() {
    let world = World::new().await;
    let company = world.company().await;
    let (office, ana) = (company.office().await, company.admin().await);
    let stranger = |method, path: &str| http::Request::builder().method(method).uri(format!("/office/v1{path}"));
    // Unknown routes, before anything else.
    for (method, path) in [
        (Method::POST, "/customer.fly"),
        (Method::POST, "/Customer.create"),
        (Method::POST, "/customer.create/"),
        (Method::POST, "/import/nubes"),
        (Method::POST, "/import"),
        (Method::GET, "/export/webhooks"),
        (Method::GET, "/otro/clientes"),
        (Method::GET, "/openapi.json"),
        (Method::POST, "/import/clientes/1"),
    ] {
        office.send(stranger(method, path).header("Origin", "x"), "").await.fails(404, "ruta_no_existe");
    }
    for (method, path, allow) in [
        (Method::GET, "/customer.create", "POST"),
        (Method::PUT, "/batch", "POST"),
        (Method::GET, "/import/clientes", "POST"),
        (Method::POST, "/export/clientes", "GET"),
        (Method::POST, "", "GET"),
        (Method::HEAD, "", "GET"),
        (Method::OPTIONS, "/customer.get", "POST"),
    ] {
        let reply = office.send(stranger(method, path).header("Origin", "x"), "").await;
        reply.fails(405, "metodo_no_permitido");
        assert_eq!(reply.header("allow"), Some(allow), "{path}");
    }
    for (method, path) in [
        (Method::GET, ""),
        (Method::POST, "/customer.create"),
        (Method::POST, "/customer.get"),
        (Method::POST, "/invoice.xml"),
        (Method::POST, "/batch"),
        (Method::POST, "/import/clientes"),
        (Method::GET, "/export/clientes"),
    ] {
        let reply = office.send(stranger(method.clone(), path).header("Origin", "x"), "").await;
        reply.fails(400, "navegador_no_permitido");
        let reply = office.send(stranger(method.clone(), path), "").await;
        reply.fails(401, "llave_invalida");
        assert_eq!(reply.header("x-rate-limit-limit"), None);
        // The scope, before the body: `all` does not include it.
        let reply = office.send(ana.request(method.clone(), &format!("/office/v1{path}")), "").await;
        reply.fails(403, "sin_permiso");
        assert!(reply.mensaje().ends_with("oficina"), "{}", reply.mensaje());
        assert!(!reply.header("x-svc-permisos").unwrap().contains("oficina"));
        if method == Method::POST {
            let reply = office.send(office.request(method, path), "x").await;
            reply.fails(415, "tipo_no_soportado");
            assert_eq!(reply.header("x-svc-permisos"), Some("oficina"));
            assert!(reply.header("x-rate-limit-limit").is_some());
        }
    }
    company.edit(CompanyChange { api: Some(false), ..CompanyChange::default() }).await;
    world.clock.advance(chrono::TimeDelta::seconds(6));
    office.get("").await.fails(404, "api_no_habilitada");
}

#[tokio::test]
async fn bodies_are_validated_after_the_key() {
    let company = World::new().await.company().await;
    let office = company.office().await;
    for action in ["customer.create", "batch"] {
        let request = || office.json(action);
        office.send(request(), "{").await.fails(400, "idempotencia_requerida");
        office.send(request().header("Idempotency-Key", "a b"), "{").await.fails(400, "idempotencia_invalida");
        office.send(request().header("Idempotency-Key", "k"), "{").await.fails(400, "json_invalido");
        office.send(request().header("Idempotency-Key", "k"), "").await.fails(400, "json_invalido");
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(1_048_577));
        office.send(request(), large).await.fails(413, "cuerpo_excedido");
        let queried = office.request(Method::POST, &format!("/{action}?a=1")).header("Idempotency-Key", "k");
        let queried = queried.header(header::CONTENT_TYPE, "application/json");
        office.send(queried, "{}").await.fails(400, "filtro_no_permitido");
    }
    office.send(office.json("customer.get"), "[]").await.fails(400, "json_invalido");
    office.send(office.json("customer.get"), "{}").await.fails(400, "dato_requerido");
    office.send(office.json("customer.get"), json!({"clave": "x"}).to_string()).await.fails(400, "dato_invalido");
    office.get("?a=1").await.fails(400, "filtro_no_permitido");
    office.get("/export/clientes?limite=1").await.fails(400, "filtro_no_permitido");

    let lines = || office.request(Method::POST, "/import/clientes").header(header::CONTENT_TYPE, NDJSON);
    office.send(lines(), "{").await.fails(400, "idempotencia_requerida");
    office.send(lines().header(header::CONTENT_LENGTH, "67108865"), "").await.fails(413, "cuerpo_excedido");
    for (query, codigo) in [
        ("existentes=", "filtro_vacio"),
        ("existentes=si", "filtro_invalido"),
        ("existentes=omitir&existentes=omitir", "filtro_invalido"),
        ("otro=1", "filtro_no_permitido"),
    ] {
        let queried = office.request(Method::POST, &format!("/import/clientes?{query}"));
        let queried = queried.header(header::CONTENT_TYPE, NDJSON).header("Idempotency-Key", "k");
        office.send(queried, "").await.fails(400, codigo);
    }
}
