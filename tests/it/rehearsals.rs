//! Rehearsals (contract §9): a write that is done and undone.

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use svc_tests::{Actor, Company, Reply, Resource, World};

const REHEARSAL: &str = "x-svc-ensayo";
const EVENTS: &str = "x-svc-ensayo-eventos";

/// Rehearses a write, without an Idempotency-Key.
async fn rehearse(actor: &Actor, method: Method, path: &str, body: &Value) -> Reply {
    let request = actor.request(method, path).header(REHEARSAL, "true").header("content-type", "application/json");
    actor.send(request, body.to_string()).await
}

/// A digest of all rows of all tables but those that count requests.
async fn state(world: &World) -> String {
    let digest = "SELECT string_agg(tablename || ' ' || md5(query_to_xml(
                             format('SELECT t::text FROM %I t ORDER BY 1', tablename), true, false, '')::text),
                         E'\\n' ORDER BY tablename)
                  FROM pg_tables
                  WHERE schemaname = 'public' AND tablename NOT IN ('llaves', 'llaves_minuto', 'cupos', 'servicio')";
    world.sql(digest).await
}

/// A company that can invoice, with a customer, a product with a price, and a bank account.
async fn shop(world: &World) -> Company {
    let company = world.company().await;
    company.load_certificate().await;
    let ana = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
    company.load(Resource::Clientes, &[ana]).await;
    company.load(Resource::Productos, &[json!({"sku": "A-1", "descripcion": "Clavo", "unidad": 1})]).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Pesos"})]).await;
    company
}

#[tokio::test]
async fn a_rehearsal_answers_as_the_write_and_writes_nothing() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let line = json!({"producto": 1, "cantidad": 10, "precio_unitario": "100"});
    let order = json!({"tipo": "pedido", "cliente": 1, "renglones": [line], "metodo_pago_sat": "PPD",
                       "forma_pago_sat": "99"});
    let payment = json!({"importe": "100.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                         "referencia": "SPEI 1"});
    let hook = json!({"url": "https://hooks.example.com/svc", "eventos": ["cliente.creado"]});
    let writes = [
        (Method::POST, "/leads", json!({"nombre": "Eva", "correo": "eva@example.com"}), 201, ""),
        (Method::POST, "/clientes", json!({"nombre": "Beto"}), 201, "cliente.creado"),
        (Method::PUT, "/clientes/1", json!({"correo": "ana@example.com"}), 200, "cliente.actualizado"),
        (Method::PUT, "/clientes/1", json!({}), 200, ""),
        (
            Method::POST,
            "/productos",
            json!({"sku": "B-2", "descripcion": "Tuerca", "unidad": 1}),
            201,
            "producto.creado",
        ),
        (Method::POST, "/ventas", order, 201, "venta.creada,inventario.existencia_cambiada"),
        (Method::POST, "/ventas/1/facturar", json!({}), 202, "inventario.existencia_cambiada"),
        (Method::POST, "/cxc/1/pagos", payment, 201, "cxc.pago_aplicado"),
        (Method::POST, "/webhooks", hook, 201, ""),
        (Method::PUT, "/webhooks/1", json!({"activo": true}), 200, ""),
        (Method::DELETE, "/webhooks/1", json!({}), 200, ""),
    ];
    for (method, path, body, status, events) in writes {
        let before = state(&world).await;
        let rehearsed = rehearse(&ana, method.clone(), path, &body).await;
        let mut answer = rehearsed.ok(status);
        assert_eq!((rehearsed.header(REHEARSAL), rehearsed.header(EVENTS)), (Some("true"), Some(events)), "{path}");
        assert_eq!(state(&world).await, before, "{path}");
        let done = ana.write(method, path, &svc_tests::fresh_key(), body).await;
        assert_eq!((done.header(REHEARSAL), done.header(EVENTS)), (None, None), "{path}");
        let mut written = done.ok(status);
        for secret in [&mut answer, &mut written] {
            secret.as_object_mut().expect("an object").remove("secreto");
        }
        assert_eq!(answer, written, "{path}");
        for header in ["location", "retry-after"] {
            assert_eq!(rehearsed.header(header), done.header(header), "{path}");
        }
        assert_ne!(state(&world).await, before, "{path} is done the second time");
    }
}

#[tokio::test]
async fn a_rehearsal_has_the_write_s_errors_and_touches_no_key() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let body = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "uso_cfdi": "G03", "cp": "06700"});
    ana.write(Method::POST, "/clientes", "k1", body.clone()).await.ok(201);
    // Its own key and body: not the stored answer, but what a new write would get.
    let request = ana.request(Method::POST, "/clientes").header(REHEARSAL, "true").header("idempotency-key", "k1");
    let again = ana.send(request.header("content-type", "application/json"), body.to_string()).await;
    again.fails(409, "rfc_duplicado");
    assert_eq!((again.header("idempotent-replayed"), again.header(REHEARSAL)), (None, Some("true")));
    assert_eq!(again.header(EVENTS), Some(""));
    for (path, body, status, code) in [
        ("/clientes", json!({}), 400, "dato_requerido"),
        ("/clientes", json!({"nombre": "Ana", "nada": 1}), 400, "campo_no_permitido"),
        ("/clientes?x=1", json!({"nombre": "Ana"}), 400, "filtro_no_permitido"),
        ("/ventas/99/facturar", json!({}), 404, "no_encontrado"),
    ] {
        rehearse(&ana, Method::POST, path, &body).await.fails(status, code);
    }
    for wrong in ["", "false", "TRUE"] {
        let request = ana.request(Method::POST, "/clientes").header(REHEARSAL, wrong);
        let request = request.header("idempotency-key", svc_tests::fresh_key());
        let refused = ana.send(request.header("content-type", "application/json"), r#"{"nombre":"Eva"}"#).await;
        refused.fails(400, "dato_invalido");
        assert!(refused.mensaje().starts_with("X-Svc-Ensayo: "), "{}", refused.mensaje());
    }
    // A list has nothing to rehearse.
    let list = ana.send(ana.request(Method::GET, "/clientes").header(REHEARSAL, "true"), Bytes::new()).await;
    list.ok(200);
    assert_eq!(list.header(REHEARSAL), None);
    // A key that was rehearsed with is free, and a rehearsal counts like any request.
    let left = list.number("x-svc-cupo-restante");
    let counted = rehearse(&ana, Method::POST, "/clientes", &json!({"nombre": "Eva"})).await;
    assert_eq!(counted.number("x-svc-cupo-restante"), left - 1);
    assert_eq!(world.count("idempotencia").await, 1);
}

#[tokio::test]
async fn rehearsals_let_their_locks_go() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let body = json!({"nombre": "Eva"});
    let rehearsed = futures_util::future::join_all((0..8).map(|_| rehearse(&ana, Method::POST, "/clientes", &body)));
    for reply in rehearsed.await {
        assert_eq!(reply.ok(201)["cliente"], 2, "nobody uses the number up");
    }
    assert_eq!(ana.post("/clientes", body).await.ok(201)["cliente"], 2);
}

#[tokio::test]
async fn actions_are_rehearsed_from_rust_too() {
    let world = World::new().await;
    let company = shop(&world).await;
    let before = state(&world).await;
    let input = json!({"sku": "A-1", "almacen": "001", "cantidad": 5, "tipo": "ajuste_entrada"});
    let (answer, events) = company.rehearse_by_name("stock.move", &input).await.unwrap();
    assert_eq!((&answer["existencia"], events), (&json!(1), vec!["inventario.existencia_cambiada"]));
    let refused = company.rehearse_by_name("stock.move", &json!({"sku": "A-1"})).await.unwrap_err().to_string();
    assert!(refused.starts_with("dato_requerido"), "{refused}");
    assert_eq!(state(&world).await, before);
}
