use chrono::TimeDelta;
use serde_json::json;
use svc_core::webhooks::{Budget, DeliveryReport, SIGNATURE, VerifyError, verify};
use svc_tests::lists::pick;
use svc_tests::notices::sealed;
use svc_tests::with;

use super::*;

#[tokio::test]
async fn a_notice_is_as_specified() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    assert_eq!(webhook(&company, &["cliente.creado", "venta.creada"]).await, 1);
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    let receiver = answering::<204>();
    let report = world.deliver(&receiver).await;
    let expected = with!(DeliveryReport::default(), eventos: 1, creadas: 1, entregadas: 1);
    assert_eq!(report, expected);

    let [post] = receiver.posts().try_into().expect("one notice");
    assert_eq!(post.url, "https://receptor-1.example.com/avisos");
    let body: Value = serde_json::from_slice(&post.body).expect("JSON");
    let clave = body["recurso"]["clave"].as_i64().expect("a clave");
    assert_eq!(body["tipo"], "cliente.creado");
    assert_eq!((&body["empresa"], &body["creado"]), (&json!(company.id.0), &json!("2026-10-12T18:00:00Z")));
    assert_eq!(body["recurso"]["url"], format!("https://erp.example.com/api/v1/clientes?clave={clave}"));
    for (name, value) in [
        ("content-type", "application/json"),
        ("user-agent", "Svc-Webhooks/1.0"),
        ("x-svc-evento", "cliente.creado"),
        ("x-svc-evento-id", body["id"].as_str().expect("an id")),
        ("x-svc-entrega", "1"),
        ("x-svc-intento", "1"),
    ] {
        assert_eq!(header(&post, name), value, "{name}");
    }
    assert_eq!(post.headers.len(), 7);
    assert!(header(&post, "x-svc-firma").starts_with("t=1791828000,v1="));
    let now = world.clock.now();
    assert_eq!(verify(&post.headers, &post.body, &[SECRET], now), Ok(body["id"].as_str()));
    assert_eq!(verify(&post.headers, &post.body, &["whsec_other"], now), Err(VerifyError::Mismatch));

    let [row] = deliveries(&company).await.try_into().expect("one delivery");
    for (column, value) in [
        ("estado", json!("entregada")),
        ("intentos", json!(1)),
        ("http", json!(204)),
        ("motivo", Value::Null),
        ("duracion_ms", json!(0)),
        ("ultimo_intento", json!("2026-10-12T18:00:00+00:00")),
        ("proximo_intento", Value::Null),
        ("token", Value::Null),
        ("arrendado", Value::Null),
        ("tipo", json!("cliente.creado")),
        ("origen", json!("evento")),
    ] {
        assert_eq!(row[column], value, "{column}");
    }
    assert_eq!(webhooks(&company).await[0]["ultima_entrega"], "2026-10-12T18:00:00+00:00");
    assert!(world.deliver(&receiver).await.is_empty() && receiver.posts().is_empty());
}

#[tokio::test]
async fn only_webhooks_subscribed_in_time_are_sent_an_event() {
    let world = World::new().await;
    let (company, other) = (world.company().await, world.company().await);
    for tipos in
        [&["cliente.creado"][..], &["venta.creada"], &["cliente.creado"], &["cliente.creado"], &["cliente.creado"]]
    {
        webhook(&company, tipos).await;
    }
    webhook(&other, &["cliente.creado"]).await;
    change(&company, "UPDATE webhooks SET activo = false WHERE empresa = $1 AND clave = 3").await;
    change(&company, "UPDATE webhooks SET eliminado = creado WHERE empresa = $1 AND clave = 4").await;
    change(&company, "UPDATE webhooks SET activo_desde = creado + interval '1 s' WHERE empresa = $1 AND clave = 5")
        .await;
    happen(&company, "cliente.creado", 2).await;
    happen(&company, "producto.creado", 1).await;
    let receiver = answering::<200>();
    let report = world.deliver(&receiver).await;
    let counts = pick(&json!(report), &["eventos", "creadas", "entregadas"]);
    assert_eq!(counts, json!({"eventos": 3, "creadas": 2, "entregadas": 2}));
    assert!(receiver.posts().iter().all(|post| post.url.contains("receptor-1.")));
    let claves: Vec<Value> = deliveries(&company).await.iter().map(|row| row["clave"].clone()).collect();
    assert_eq!(claves, [1, 2]);
    happen(&company, "cliente.creado", 1).await;
    happen(&other, "cliente.creado", 1).await;
    assert_eq!(world.deliver(&receiver).await.entregadas, 2);
    assert_eq!(deliveries(&other).await.len(), 1);
    // Events of the time while it was paused are not sent later.
    change(&company, "UPDATE webhooks SET activo = true WHERE empresa = $1 AND clave = 3").await;
    assert!(world.deliver(&receiver).await.is_empty());
}

#[tokio::test]
async fn a_paused_webhook_keeps_what_was_pending() {
    let world = World::new().await;
    let company = world.company().await;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 1).await;
    world.deliver(&unreachable()).await;
    change(&company, "UPDATE webhooks SET activo = false WHERE empresa = $1").await;
    world.clock.advance(TimeDelta::days(3));
    assert!(world.deliver(&answering::<200>()).await.is_empty());
    change(&company, "UPDATE webhooks SET activo = true, activo_desde = creado + interval '3 days' WHERE empresa = $1")
        .await;
    assert_eq!(world.deliver(&answering::<200>()).await.entregadas, 1);
}

#[tokio::test]
async fn during_a_rotation_both_secrets_sign() {
    let world = World::new().await;
    let company = world.company().await;
    webhook(&company, &["cliente.creado"]).await;
    sqlx::query(
        "UPDATE webhooks SET secreto = $2, secreto_anterior = secreto,
                             secreto_anterior_hasta = creado + interval '24 h' WHERE empresa = $1",
    )
    .bind(company.id.0)
    .bind(sealed(&sealer(), company.id.0, 1, "whsec_new"))
    .execute(world.pool())
    .await
    .expect("the secret is rotated");
    let receiver = answering::<200>();
    for (hours, signatures) in [(0, 2), (23, 2), (1, 1), (24, 1)] {
        world.clock.advance(TimeDelta::hours(hours));
        happen(&company, "cliente.creado", 1).await;
        world.deliver(&receiver).await;
        let [post] = receiver.posts().try_into().expect("one notice");
        assert_eq!(post.headers[SIGNATURE].to_str().expect("text").matches("v1=").count(), signatures, "{hours}");
        let now = world.clock.now();
        assert!(verify(&post.headers, &post.body, &["whsec_new"], now).is_ok());
        assert_eq!(verify(&post.headers, &post.body, &[SECRET], now).is_ok(), signatures == 2);
        // The signature of the new secret comes first.
        let first = post.headers[SIGNATURE].to_str().expect("text").split(',').take(2).collect::<Vec<_>>().join(",");
        let only = [(SIGNATURE, first.parse().expect("a value"))].into_iter().collect();
        assert!(verify(&only, &post.body, &["whsec_new"], now).is_ok());
    }
}

#[tokio::test]
async fn an_unreadable_secret_delays_no_other_webhook() {
    let world = World::new().await;
    let company = world.company().await;
    for _ in 0..2 {
        webhook(&company, &["cliente.creado"]).await;
    }
    change(&company, "UPDATE webhooks SET secreto = '\\x0102' WHERE empresa = $1 AND clave = 1").await;
    happen(&company, "cliente.creado", 5).await;
    let report = world.deliver(&answering::<200>()).await;
    assert_eq!((report.entregadas, report.pospuestas), (5, 5));
    let failed = deliveries(&company).await.into_iter().find(|row| row["webhook"] == 1).expect("a delivery");
    assert_eq!((&failed["estado"], &failed["intentos"]), (&json!("pendiente"), &json!(1)));
    assert_eq!((&failed["motivo"], &failed["http"]), (&Value::Null, &Value::Null));
    let first = &webhooks(&company).await[0];
    assert_eq!((&first["intentos_fallidos"], &first["racha_desde"]), (&json!(0), &Value::Null), "it is not its fault");
}

#[tokio::test]
async fn a_budget_ends_a_pass_and_the_next_continues() {
    let world = World::new().await;
    let company = world.company().await;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 30).await;
    let receiver = answering::<200>();
    let report = world.deliver_within(&receiver, Budget::unlimited().max_records(10)).await;
    assert_eq!((report.creadas, report.entregadas), (30, 10));
    let over = Budget::unlimited().until(world.clock.now());
    assert!(world.deliver_within(&receiver, over).await.is_empty());
    // Stopped midway: open attempts are finished, the others are released and due at once.
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flag = stop.clone();
    let stopping = Receiver::new(move |_: &Post| {
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
        (Duration::ZERO, Outcome::Answered { status: 200, retry_after: None })
    });
    let budget = Budget::unlimited().stopped_by(stop);
    let report = world.deliver_within(&stopping, budget).await;
    assert_eq!(report.entregadas, stopping.posts().len() as u64);
    assert!(report.entregadas < 10, "{report:?}");
    assert_eq!(count(&world, "pendiente").await, 20 - report.entregadas as i64);
    let rest = world.deliver(&receiver).await;
    assert_eq!(rest.entregadas, 20 - report.entregadas);
    assert!(deliveries(&company).await.iter().all(|row| row["intentos"] == 1));
}
