use http::Method;
use serde_json::{Value, json};
use svc_core::domain::scope::Scope;
use svc_tests::World;

use super::{shown, sound};

#[tokio::test]
async fn a_creation_returns_the_webhook_and_its_secret() {
    let ana = World::new().await.company().await.admin().await;
    let reply = ana.post("/webhooks", sound()).await;
    let mut created = reply.ok(201);
    let secreto = created["secreto"].take();
    let digits = secreto.as_str().and_then(|text| text.strip_prefix("whsec_")).expect("a secret");
    assert!(digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{secreto}");
    assert_eq!(
        created,
        json!({
            "ok": true, "clave": 1, "url": "https://example.com/avisos", "eventos": ["venta.creada", "cliente.creado"],
            "descripcion": "Tienda", "activo": true, "estado": "activo", "motivo_desactivacion": null,
            "fallos_consecutivos": 0, "ultima_entrega": null, "creado": "2026-10-12T18:00:00Z", "modificado": null,
            "secreto": null,
        })
    );
    let another =
        ana.post("/webhooks", json!({"url": " https://EXAMPLE.com ", "eventos": ["venta.creada"]})).await.ok(201);
    assert_eq!((&another["clave"], &another["descripcion"]), (&json!(2), &Value::Null));
    assert_eq!(another["url"], "https://EXAMPLE.com", "as it was sent");
    assert_ne!(another["secreto"], secreto);
}

#[tokio::test]
async fn a_url_that_notices_cannot_be_sent_to_is_url_invalida() {
    let ana = World::new().await.company().await.admin().await;
    let long = format!("https://example.com/{}", "x".repeat(481));
    for url in [
        "http://example.com/",
        "https://example.com:8443/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://１２７.0.0.1/",
        "https://localhost/",
        "https://a.internal/",
        "https://avisos/",
        "https://example.com./",
        "https://ana@example.com/",
        "https://example.com\\@127.0.0.1/",
        "https://example.com/a b",
        "https://example.com/\u{0}",
        "https://example.com/#x",
        "no es una URL",
        long.as_str(),
    ] {
        let mut body = sound();
        body["url"] = json!(url);
        let reply = ana.post("/webhooks", body).await;
        reply.fails(400, "url_invalida");
        assert!(reply.mensaje().starts_with("url: "), "{}", reply.mensaje());
    }
    for (url, codigo) in [
        (Value::Null, "dato_requerido"),
        (json!(" "), "dato_requerido"),
        (json!(7), "dato_invalido"),
        (json!(["https://example.com/"]), "dato_invalido"),
    ] {
        let mut body = sound();
        body["url"] = url;
        ana.post("/webhooks", body).await.fails(400, codigo);
    }
    assert_eq!(ana.walk("/webhooks").await.len(), 0);
}

#[tokio::test]
async fn development_takes_http_ports_and_local_names() {
    let world = World::with(|builder| builder.development_destinations(true)).await;
    let ana = world.company().await.admin().await;
    for url in ["http://localhost:3000/x", "http://receptor/", "https://example.com:8443/"] {
        ana.post("/webhooks", json!({"url": url, "eventos": ["venta.creada"]})).await.ok(201);
    }
    for url in ["http://127.0.0.1:3000/", "http://[::1]/", "ftp://localhost/"] {
        ana.post("/webhooks", json!({"url": url, "eventos": ["venta.creada"]})).await.fails(400, "url_invalida");
    }
    let strict = ana.at(&world.second_api());
    strict.put("/webhooks/1", json!({"url": "http://localhost:3001/"})).await.fails(400, "url_invalida");
    strict.put("/webhooks/1", json!({"descripcion": "Aquí"})).await.ok(200);
}

#[tokio::test]
async fn events_are_known_and_stand_once() {
    let ana = World::new().await.company().await.admin().await;
    for (eventos, codigo, field) in [
        (json!([]), "evento_no_valido", "eventos"),
        (json!([""]), "evento_no_valido", "eventos[0]"),
        (json!(["venta.creada", "venta.borrada"]), "evento_no_valido", "eventos[1]"),
        (json!(["*"]), "evento_no_valido", "eventos[0]"),
        (json!(["webhook.prueba"]), "evento_no_valido", "eventos[0]"),
        (json!(["venta.creada", "venta.creada"]), "evento_no_valido", "eventos[1]"),
        (json!(["venta.creada", " venta.creada "]), "evento_no_valido", "eventos[1]"),
        (Value::Null, "dato_requerido", "eventos"),
        (json!("venta.creada"), "dato_invalido", "eventos"),
        (json!({"venta": "creada"}), "dato_invalido", "eventos"),
        (json!([7]), "dato_invalido", "eventos[0]"),
        (json!([["venta.creada"]]), "dato_invalido", "eventos[0]"),
    ] {
        let mut body = sound();
        body["eventos"] = eventos;
        let reply = ana.post("/webhooks", body.clone()).await;
        reply.fails(400, codigo);
        assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{body}: {}", reply.mensaje());
    }
    ana.post("/webhooks", json!({"url": "https://example.com/"})).await.fails(400, "dato_requerido");
}

#[tokio::test]
async fn other_data_have_their_codes() {
    let ana = World::new().await.company().await.admin().await;
    for (field, value, codigo) in [
        ("descripcion", json!("ñ".repeat(256)), "dato_invalido"),
        ("descripcion", json!(7), "dato_invalido"),
        ("descripcion", json!("a\u{0}"), "dato_invalido"),
        ("activo", json!(true), "campo_no_permitido"),
        ("secreto", json!("whsec_1"), "campo_no_permitido"),
        ("clave", json!(1), "campo_no_permitido"),
    ] {
        let mut body = sound();
        body[field] = value;
        ana.post("/webhooks", body).await.fails(400, codigo);
    }
    let mut body = sound();
    body["descripcion"] = json!("ñ".repeat(255));
    ana.post("/webhooks", body).await.ok(201);
}

#[tokio::test]
async fn an_event_needs_the_scope_that_reads_its_resource() {
    let company = World::new().await.company().await;
    let every = [
        ("venta.creada", Scope::VentasRead),
        ("factura.timbrada", Scope::FacturasRead),
        ("factura.cancelada", Scope::FacturasRead),
        ("cxc.pago_aplicado", Scope::CxcRead),
        ("cliente.creado", Scope::ClientesRead),
        ("cliente.actualizado", Scope::ClientesRead),
        ("producto.creado", Scope::ProductosRead),
        ("producto.actualizado", Scope::ProductosRead),
        ("inventario.existencia_cambiada", Scope::InventarioRead),
        ("oportunidad.creada", Scope::OportunidadesRead),
        ("oportunidad.etapa_cambiada", Scope::OportunidadesRead),
    ];
    for (evento, scope) in every {
        let body = json!({"url": "https://example.com/", "eventos": [evento]});
        let reader = company.actor(&[Scope::WebhooksWrite, scope]).await;
        let webhook = reader.post("/webhooks", body.clone()).await.ok(201)["clave"].as_i64().unwrap();
        let others: Vec<_> = Scope::ALL.iter().copied().filter(|other| *other != scope).collect();
        let without = company.actor(&others).await;
        for reply in [
            without.post("/webhooks", body.clone()).await,
            without.put(&format!("/webhooks/{webhook}"), json!({"eventos": [evento]})).await,
        ] {
            reply.fails(403, "sin_permiso");
            assert_eq!(reply.mensaje(), format!("eventos: {evento} requiere el permiso {scope}"));
        }
        // A subscription made by another key may be kept.
        without.put(&format!("/webhooks/{webhook}"), json!({"descripcion": "Otra"})).await.ok(200);
        super::bare(&without, Method::DELETE, &format!("/webhooks/{webhook}")).await.ok(200);
    }
    let all = company.admin().await;
    let body = json!({"url": "https://example.com/", "eventos": every.map(|(evento, _)| evento)});
    all.post("/webhooks", body).await.ok(201);
}

#[tokio::test]
async fn a_repetition_answers_the_same_but_the_secret() {
    let ana = World::new().await.company().await.admin().await;
    let mut first = ana.write(Method::POST, "/webhooks", "una", sound()).await.ok(201);
    let again = ana.write(Method::POST, "/webhooks", "una", sound()).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    first["secreto"] = Value::Null;
    assert_eq!(again.ok(200), first);
    let mut other = sound();
    other["descripcion"] = json!("Otra");
    ana.write(Method::POST, "/webhooks", "una", other).await.fails(409, "idempotencia_conflicto");
    assert_eq!(ana.walk("/webhooks").await.len(), 1);
    assert_eq!(shown(&ana, 1).await["url"], first["url"]);
}
