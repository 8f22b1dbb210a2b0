//! A repeated request to invoice.

use http::{Method, header};
use serde_json::{Value, json};
use svc_tests::{Actor, BASE_URL, Reply, World, fresh_key};

use crate::documents::UUIDS;
use crate::ventas::shop::{invoiced, made, ready, shop};

#[tokio::test]
async fn a_repeated_request_gets_the_existing_invoice() {
    let world = World::new().await;
    let company = shop(&world).await;
    let (ana, bob) = (company.admin().await, company.admin().await);
    let venta = made(&ana, &ready()).await;
    let path = format!("/ventas/{venta}/facturar");
    let first = ana.write(Method::POST, &path, "una", json!({})).await.ok(202);
    let mut again = first.clone();
    again["ya_solicitada"] = json!(true);
    for (case, reply) in [
        ("the same key", ana.write(Method::POST, &path, "una", json!({})).await),
        ("the same key, a third time", ana.write(Method::POST, &path, "una", json!({})).await),
        ("another key", ana.post(&path, json!({})).await),
        ("other data, which nobody looks at", ana.post(&path, json!({"sucursal": 7, "uso_cfdi": "X99"})).await),
        ("someone else's same key", bob.write(Method::POST, &path, "una", json!({})).await),
    ] {
        assert_eq!(reply.ok(200), again, "{case}");
        assert_eq!(reply.header("idempotent-replayed"), None, "{case}");
        assert_eq!(reply.header("location"), Some(format!("{BASE_URL}/facturas?clave=1").as_str()), "{case}");
        assert_eq!(reply.header("retry-after"), Some("5"), "{case}");
    }
    ana.write(Method::POST, &path, "una", json!({"uso_cfdi": "G03"})).await.fails(409, "idempotencia_conflicto");
    let other = made(&ana, &ready()).await;
    ana.write(Method::POST, &format!("/ventas/{other}/facturar"), "una", json!({}))
        .await
        .fails(409, "idempotencia_conflicto");
    for table in [
        "SELECT count(*) FROM facturas",
        "SELECT count(*) FROM cxc",
        "SELECT count(*) FROM timbrados",
        "SELECT count(*) FROM movimientos_inventario",
    ] {
        assert_eq!(world.sql::<i64>(table).await, 1, "{table}");
    }
}

#[tokio::test]
async fn a_repetition_reports_the_current_status() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let venta = made(&ana, &ready()).await;
    let path = format!("/ventas/{venta}/facturar");
    ana.write(Method::POST, &path, "una", json!({})).await.ok(202);
    let states: [(&str, &str, Value); 4] = [
        ("UPDATE facturas SET estatus = 'error'", "error", json!(null)),
        ("UPDATE facturas SET estatus = 'en_espera'", "timbrando", json!(null)),
        (
            "UPDATE facturas SET estatus = 'vigente', uuid = '5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d'",
            "vigente",
            json!(UUIDS[0]),
        ),
        ("UPDATE facturas SET estatus = 'cancelada'", "cancelada", json!(UUIDS[0])),
    ];
    for (statement, estatus, uuid) in states {
        world.run(statement).await;
        for key in ["una", "otra", estatus] {
            let reply = ana.write(Method::POST, &path, key, json!({})).await;
            assert_eq!(
                reply.ok(200),
                json!({"ok": true, "factura": 1, "venta": venta, "estatus": estatus, "serie": "F", "folio": "1", "uuid": uuid,
                       "ya_solicitada": true})
            );
            assert_eq!(reply.header("retry-after"), (estatus == "timbrando").then_some("5"), "{estatus}");
        }
    }
    // Even after the sale itself was cancelled.
    world.run("UPDATE ventas SET cancelada = true").await;
    assert_eq!(ana.write(Method::POST, &path, "una", json!({})).await.ok(200)["estatus"], "cancelada");
}

#[tokio::test]
async fn a_failure_leaves_its_key_free() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let venta = made(&ana, &ready()).await;
    let path = format!("/ventas/{venta}/facturar");
    ana.write(Method::POST, &path, "una", json!({"uso_cfdi": "D01"})).await.fails(422, "uso_cfdi_incompatible");
    ana.write(Method::POST, &path, "una", json!({"uso_cfdi": "G03"})).await.ok(202);
}

#[tokio::test]
async fn no_body_means_an_empty_object() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let bare = async |content_type: Option<&'static str>, body: &'static str| {
        let venta = made(&ana, &ready()).await;
        send(&ana, venta, content_type, body).await
    };
    for (content_type, body) in
        [(None, ""), (Some("application/json"), ""), (Some("text/plain"), ""), (Some("application/json"), "{}")]
    {
        bare(content_type, body).await.ok(202);
    }
    for (content_type, body) in
        [(None, "{}"), (None, " "), (Some("text/plain"), "{}"), (Some("application/x-www-form-urlencoded"), "a=1")]
    {
        bare(content_type, body).await.fails(415, "tipo_no_soportado");
    }
    for body in [" ", "null", "[]", "{}{}"] {
        bare(Some("application/json"), body).await.fails(400, "json_invalido");
    }
    // An empty body and {} are the same request.
    let venta = made(&ana, &ready()).await;
    let request = || ana.request(Method::POST, &format!("/ventas/{venta}/facturar")).header("Idempotency-Key", "vacia");
    ana.send(request(), "").await.ok(202);
    ana.send(request().header(header::CONTENT_TYPE, "application/json"), "{}").await.ok(200);
}

#[tokio::test]
async fn each_fault_of_the_body_names_its_field() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let venta = made(&ana, &ready()).await;
    for (field, value, code) in [
        ("forma_pago_sat", json!(3), "dato_invalido"),
        ("metodo_pago_sat", json!("PUD"), "dato_invalido"),
        ("metodo_pago_sat", json!("pue"), "dato_invalido"),
        ("uso_cfdi", json!(["G03"]), "dato_invalido"),
        ("uso_cfdi", json!("G\u{0}03"), "dato_invalido"),
        ("sucursal", json!("0"), "dato_invalido"),
        ("sucursal", json!(0.5), "dato_invalido"),
        ("condicion_pago", json!("contado"), "campo_no_permitido"),
        ("serie", json!(null), "campo_no_permitido"),
    ] {
        for clave in [venta, 99] {
            let reply = invoiced(&ana, clave, json!({field: value})).await;
            reply.fails(400, code);
            assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{field} = {value}: {}", reply.mensaje());
        }
    }
    for clave in ["x", "1.0", "99999999999999999999"] {
        ana.post(&format!("/ventas/{clave}/facturar"), json!({})).await.fails(400, "dato_invalido");
    }
    invoiced(&ana, venta, json!({})).await.ok(202);
}

async fn send(ana: &Actor, venta: i64, content_type: Option<&str>, body: &'static str) -> Reply {
    let request =
        ana.request(Method::POST, &format!("/ventas/{venta}/facturar")).header("Idempotency-Key", fresh_key());
    let request = content_type.into_iter().fold(request, |request, value| request.header(header::CONTENT_TYPE, value));
    ana.send(request, body).await
}
