//! Actions by their names.

use serde_json::{Value, json};
use svc_core::Language;
use svc_core::domain::scope::{Scope, Scopes};
use svc_core::operations::CreateKey;
use svc_tests::{Resource, World, any_key};

use crate::ventas::shop::{invoiced, made, ready, shop};

#[tokio::test]
async fn an_action_answers_what_svc_do_prints() {
    let world = World::new().await;
    let (company, other) = (shop(&world).await, shop(&world).await);
    let office = company.office().await;
    for (action, input) in [
        ("customer.create", json!({"nombre": "Ana", "rfc": "XAXX010101000"})),
        ("customer.edit", json!({"clave": 1, "limite_credito": "10"})),
        ("stock.count", json!({"sku": "A-1", "almacen": "001", "existencia": 7})),
        ("stock.move", json!({"sku": "A-1", "almacen": "001", "tipo": "ajuste_entrada", "cantidad": 2})),
        ("account.list", json!({})),
        ("ledger.balance", json!({})),
    ] {
        let answered = office.run(action, &input).await.ok(200);
        let mut expected = other.run_by_name(action, &input).await.unwrap();
        expected["ok"] = json!(true);
        assert_eq!(answered, expected, "{action}");
    }
}

#[tokio::test]
async fn what_the_office_does_is_the_applications() {
    let world = World::new().await;
    let company = shop(&world).await;
    let office = company.office().await;
    let mut sale = ready();
    sale["tipo"] = json!("venta");
    let captured = office.run("sale.capture", &sale).await.ok(200);
    let shown = office.run("sale.get", &json!({"clave": captured["venta"]})).await.ok(200);
    assert_eq!(shown["origen"], "aplicacion");
    // The API's own sales are the API's.
    let venta = made(&company.admin().await, &ready()).await;
    let shown = office.run("sale.get", &json!({"clave": venta})).await.ok(200);
    assert_eq!(shown["origen"], "api");
}

#[tokio::test]
async fn writes_need_an_idempotency_key_and_reads_do_not() {
    let company = World::new().await.company().await;
    let office = company.office().await;
    let input = json!({"nombre": "Ana"});
    office.send(office.json("customer.create"), input.to_string()).await.fails(400, "idempotencia_requerida");
    let first = office.run_with("customer.create", "uno", &input).await;
    let again = office.run_with("customer.create", "uno", &input).await;
    assert_eq!((first.ok(200)["cliente"].clone(), again.header("idempotent-replayed")), (json!(1), Some("true")));
    assert_eq!(again.body, first.body);
    office.run_with("customer.create", "uno", &json!({"nombre": "Eva"})).await.fails(409, "idempotencia_conflicto");
    office.run_with("customer.edit", "uno", &json!({"clave": 1})).await.fails(409, "idempotencia_conflicto");
    // The key is also taken for the API, where it names another route.
    let both = company.office_with(CreateKey { scopes: Scopes::all().and(Scope::Oficina).into(), ..any_key() });
    let both = both.await;
    both.run_with("customer.create", "dos", &input).await.ok(200);
    both.actor.write(http::Method::POST, "/clientes", "dos", input).await.fails(409, "idempotencia_conflicto");
    for (action, input) in [
        ("customer.get", json!({"clave": 1})),
        ("customer.find", json!({"texto": "ana"})),
        ("account.list", json!({})),
        ("ledger.balance", json!({})),
    ] {
        let shown = office.send(office.json(action), input.to_string()).await.ok(200);
        // A key that is sent all the same claims nothing.
        for _ in 0..2 {
            let again = office.run_with(action, "tres", &input).await;
            assert_eq!((again.ok(200), again.header("idempotent-replayed")), (shown.clone(), None), "{action}");
        }
    }
    let unknown = office.send(office.json("customer.get"), json!({"clave": 9}).to_string()).await;
    unknown.fails(404, "no_encontrado");
}

#[tokio::test]
async fn every_action_of_the_registry_has_a_route_and_is_listed() {
    let company = World::new().await.company().await;
    let office = company.office().await;
    let list = office.get("").await.ok(200);
    assert_eq!(office.get("/").await.ok(200), list);
    let listed = list["acciones"].as_array().unwrap();
    let named: Vec<_> = company.world.api.context().registry().named_operations(Language::English).collect();
    assert_eq!(listed.len(), named.len());
    for (listed, named) in listed.iter().zip(named) {
        assert_eq!((&listed["name"], &listed["summary"]), (&json!(named.name), &json!(named.summary)));
        assert_eq!(listed["schema"], named.schema);
        // Refused for its input, not as unknown.
        let reply = office.run(named.name, &json!({"otro": 1})).await;
        assert_eq!(reply.status, 400, "{}: {}", named.name, reply.json());
    }
}

#[tokio::test]
async fn a_file_is_answered_as_its_bytes() {
    let world = World::new().await;
    let company = shop(&world).await;
    let (office, ana) = (company.office().await, company.admin().await);
    let venta = made(&ana, &ready()).await;
    let factura = invoiced(&ana, venta, json!({})).await.ok(202)["factura"].clone();
    let input = json!({"factura": factura});
    office.run("invoice.xml", &input).await.fails(409, "documento_no_disponible");
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    for (action, kind) in [("invoice.xml", "xml"), ("invoice.pdf", "pdf")] {
        let file = office.send(office.json(action), input.to_string()).await;
        let same = ana.get(&format!("/facturas/{factura}/{kind}")).await;
        assert_eq!((file.status, &file.body), (200, &same.body), "{action}");
        let name = format!("attachment; filename=\"F1.{kind}\"; filename*=UTF-8''F1.{kind}");
        assert_eq!(file.header("content-disposition"), Some(&*name), "{action}");
        for header in ["content-type", "content-disposition", "cache-control"] {
            assert_eq!(file.header(header), same.header(header), "{action} {header}");
        }
    }
    office.run("invoice.xml", &json!({"factura": 99})).await.fails(404, "no_encontrado");
}

#[tokio::test]
async fn a_rehearsed_action_writes_nothing_and_needs_no_key() {
    let company = World::new().await.company().await;
    let office = company.office().await;
    let input = json!({"nombre": "Ana"});
    let request = || office.json("customer.create").header("X-Svc-Ensayo", "true");
    let rehearsed = office.send(request(), input.to_string()).await;
    assert_eq!(rehearsed.ok(200)["cliente"], 1);
    assert_eq!(rehearsed.header("x-svc-ensayo"), Some("true"));
    assert_eq!(rehearsed.header("x-svc-ensayo-eventos"), Some("cliente.creado"));
    assert_eq!(company.world.count("clientes").await, 0);
    let wrong = office.json("customer.create").header("X-Svc-Ensayo", "si");
    office.send(wrong, input.to_string()).await.fails(400, "dato_invalido");
    assert_eq!(office.run("customer.create", &input).await.ok(200)["cliente"], 1);
}

#[tokio::test]
async fn another_companys_records_are_unknown() {
    let world = World::new().await;
    let (one, other) = (world.company().await, world.company().await);
    one.load(Resource::Clientes, &[json!({"nombre": "Ana"})]).await;
    let office = other.office().await;
    office.run("customer.get", &json!({"clave": 1})).await.fails(404, "no_encontrado");
    office.run("customer.edit", &json!({"clave": 1, "nombre": "Eva"})).await.fails(404, "no_encontrado");
    assert_eq!(office.run("customer.find", &json!({"texto": "ana"})).await.ok(200)["clientes"], json!([]));
    assert_eq!(office.get("/export/clientes").await.body, "");
}

#[tokio::test]
async fn a_user_who_loses_access_loses_it_at_once() {
    let company = World::new().await.company().await;
    let office = company.office().await;
    let user = company.user("Jorge", false).await;
    let key = company.office_with(CreateKey {
        usuario: Some(user),
        scopes: Scopes::only(Scope::Oficina).into(),
        ..any_key()
    });
    let theirs = key.await;
    theirs.get("").await.ok(200);
    office.run("user.edit", &json!({"clave": user, "estatus": "inactivo"})).await.ok(200);
    theirs.get("").await.fails(401, "llave_sin_titular");
    let back = json!({"accion": "user.edit", "entrada": {"clave": user, "estatus": "activo"}});
    office.run("batch", &json!({"acciones": [back]})).await.ok(200);
    theirs.get("").await.ok(200);
    let all: Value = office.get("").await.ok(200);
    assert!(all["acciones"].is_array());
}
