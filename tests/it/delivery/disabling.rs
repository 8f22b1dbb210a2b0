use chrono::TimeDelta;
use http::Method;
use serde_json::json;

use super::*;
use crate::webhooks::bare;

/// A webhook with this many failures in a row over this many hours, and a delivery with one attempt
/// left.
async fn on_the_brink(fallos: i32, hours: i64, origen: &str) -> Company {
    let company = World::new().await.company().await;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 3).await;
    company.world.deliver(&answering::<200>()).await;
    let pool = company.world.pool();
    let statement = "UPDATE entregas SET estado = 'pendiente', proximo_intento = creado + clave * interval '1 h',
                         intentos = 6, origen = $2 WHERE empresa = $1";
    sqlx::query(statement).bind(company.id.0).bind(origen).execute(pool).await.expect("pending deliveries");
    let since = company.world.clock.now() + TimeDelta::hours(1 - hours);
    sqlx::query("UPDATE webhooks SET fallos_consecutivos = $2, racha_desde = $3 WHERE empresa = $1")
        .bind(company.id.0)
        .bind(fallos)
        .bind(since)
        .execute(pool)
        .await
        .expect("a streak");
    company.world.clock.advance(TimeDelta::hours(1));
    company
}

async fn mails(company: &Company) -> Vec<Value> {
    rows(company, "SELECT to_jsonb(a)::text FROM avisos a WHERE empresa = $1 ORDER BY clave").await
}

#[tokio::test]
async fn fifteen_failures_over_a_day_disable_a_webhook() {
    let company = on_the_brink(14, 25, "evento").await;
    change(&company, "UPDATE usuarios SET correo = 'ana@example.com' WHERE empresa = $1").await;
    let report = company.world.deliver(&unreachable()).await;
    assert_eq!((report.fallidas, report.desactivados), (1, 1));
    let hook = &webhooks(&company).await[0];
    assert_eq!((&hook["activo"], &hook["motivo_desactivacion"]), (&json!(false), &json!("fallos_consecutivos")));
    assert_eq!((&hook["fallos_consecutivos"], &hook["modificado"]), (&json!(15), &json!("2026-10-12T19:00:00+00:00")));
    let states: Vec<Value> = deliveries(&company).await.iter().map(|row| row["estado"].clone()).collect();
    assert_eq!(states, ["fallida", "descartada", "descartada"]);
    let [mail] = mails(&company).await.try_into().expect("one e-mail");
    assert_eq!(mail["para"], "ana@example.com");
    let text = mail["texto"].as_str().expect("a text");
    for part in [
        "webhook 1 ",
        "https://receptor-1.example.com/avisos",
        "descartaron: 2",
        "PUT https://erp.example.com/api/v1/webhooks/1 ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    company.world.clock.advance(TimeDelta::days(1));
    happen(&company, "cliente.creado", 1).await;
    assert_eq!(company.world.deliver(&unreachable()).await.creadas, 0);
}

#[tokio::test]
async fn fewer_shorter_or_other_failures_do_not_disable_it() {
    for (fallos, hours, origen, expected) in
        [(13, 90, "evento", 14), (400, 24, "evento", 401), (14, 90, "reenvio", 14), (14, 90, "prueba", 14)]
    {
        let company = on_the_brink(fallos, hours, origen).await;
        let report = company.world.deliver(&unreachable()).await;
        assert_eq!((report.fallidas, report.desactivados), (1, 0), "{fallos} {hours} {origen}");
        let hook = &webhooks(&company).await[0];
        assert_eq!((&hook["activo"], &hook["fallos_consecutivos"]), (&json!(true), &json!(expected)));
    }
    let company = on_the_brink(14, 90, "evento").await;
    let ours = Receiver::new(|_: &Post| (Duration::ZERO, Outcome::Ours(Some(DeliveryReason::ErrorRed))));
    let report = company.world.deliver(&ours).await;
    assert_eq!((report.fallidas, report.desactivados), (1, 0), "our resolver is down");
    let hook = &webhooks(&company).await[0];
    assert_eq!((&hook["fallos_consecutivos"], &hook["intentos_fallidos"]), (&json!(14), &json!(0)));
    assert_eq!(deliveries(&company).await[0]["motivo"], "error_red");
    assert!(mails(&company).await.is_empty());
}

#[tokio::test]
async fn a_success_resets_the_count() {
    let company = on_the_brink(14, 90, "evento").await;
    company.world.deliver(&answering::<200>()).await;
    company.world.clock.advance(TimeDelta::hours(1));
    company.world.deliver(&unreachable()).await;
    let hook = &webhooks(&company).await[0];
    assert_eq!((&hook["activo"], &hook["fallos_consecutivos"]), (&json!(true), &json!(1)));
    assert_eq!(hook["racha_desde"], "2026-10-12T20:00:00+00:00");
    // Also within one batch, in the order of the attempts.
    happen(&company, "cliente.creado", 4).await;
    let attempt = std::sync::atomic::AtomicU32::new(0);
    let once = Receiver::new(move |_: &Post| {
        let status = if attempt.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 1 { 200 } else { 500 };
        (Duration::ZERO, Outcome::Answered { status, retry_after: None })
    });
    company.world.deliver(&once).await;
    let hook = &webhooks(&company).await[0];
    assert_eq!((&hook["fallos_consecutivos"], &hook["intentos_fallidos"]), (&json!(0), &json!(2)));
}

#[tokio::test]
async fn a_server_that_is_days_ahead_disables_nothing() {
    let company = on_the_brink(14, 1, "evento").await;
    change(&company, "UPDATE webhooks SET racha_desde = now() - interval '2 hours' WHERE empresa = $1").await;
    company.world.clock.set_to_present(TimeDelta::days(2));
    let report = company.world.deliver(&unreachable()).await;
    assert_eq!(report.desactivados, 0);
    let hook = &webhooks(&company).await[0];
    assert_eq!(hook["activo"], true);
    assert!(hook["fallos_consecutivos"].as_i64().is_some_and(|count| count >= 15), "{hook}");
}

#[tokio::test]
async fn a_webhook_that_is_active_again_gets_what_happens_in_the_same_second_and_nothing_from_before() {
    let company = on_the_brink(14, 25, "evento").await;
    let (world, ana) = (&company.world, company.admin().await);
    let create = async |nombre: &str| {
        ana.post("/clientes", json!({"nombre": nombre})).await.ok(201);
    };
    change(&company, "UPDATE webhooks SET eventos = '{cliente.creado,cliente.actualizado}' WHERE empresa = $1").await;
    create("antes").await;
    // Its event waits in a group for further changes.
    ana.put("/clientes/1", json!({"telefono": "1"})).await.ok(200);
    assert_eq!(world.deliver(&unreachable()).await.desactivados, 1);
    // As if a worker still had to mark a delivery.
    change(&company, "UPDATE webhooks SET por_descartar = true WHERE empresa = $1").await;
    change(
        &company,
        "UPDATE entregas SET estado = 'pendiente', proximo_intento = creado WHERE empresa = $1 AND clave = 3",
    )
    .await;
    ana.put("/webhooks/1", json!({"activo": true})).await.ok(200);
    bare(&ana, Method::POST, "/webhooks/1/probar").await.ok(202);
    create("después").await;
    let receiver = answering::<200>();
    assert_eq!(world.deliver(&receiver).await.entregadas, 2);
    let kinds: Vec<String> = receiver.posts().iter().map(|post| header(post, "x-svc-evento").to_owned()).collect();
    assert_eq!(kinds, ["webhook.prueba", "cliente.creado"]);
    world.clock.advance(TimeDelta::minutes(2));
    assert_eq!((world.deliver(&receiver).await.agrupados, receiver.posts().len()), (1, 0));
    assert_eq!(count(world, "pendiente").await, 0);
}

#[tokio::test]
async fn what_occurs_after_a_server_ahead_disabled_a_webhook_is_not_discarded() {
    let company = on_the_brink(14, 25, "evento").await;
    let world = &company.world;
    change(&company, "UPDATE webhooks SET racha_desde = now() - interval '2 days' WHERE empresa = $1").await;
    world.clock.set_to_present(TimeDelta::days(2));
    assert_eq!(world.deliver(&unreachable()).await.desactivados, 1);
    world.clock.set_to_present(TimeDelta::minutes(1));
    let ana = company.admin().await;
    ana.put("/webhooks/1", json!({"activo": true})).await.ok(200);
    happen(&company, "cliente.creado", 1).await;
    assert_eq!(world.deliver(&answering::<200>()).await.entregadas, 1);
}

#[tokio::test]
async fn a_dead_receiver_is_disabled_after_a_day_by_the_schedule_alone() {
    let company = World::new().await.company().await;
    let world = &company.world;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 15).await;
    let down = unreachable();
    let mut disabled = None;
    for minute in 0..30 * 60 {
        if minute % 60 == 0 {
            happen(&company, "cliente.creado", 1).await;
        }
        if minute % 10 == 0 && world.deliver(&down).await.desactivados == 1 {
            disabled = Some(minute);
            break;
        }
        world.clock.advance(TimeDelta::minutes(1));
    }
    // The fifteen attempts fail within about 21 hours, less than a day.
    assert!(disabled.is_some_and(|minute| (24 * 60..=25 * 60).contains(&minute)), "{disabled:?}");
    assert!(webhooks(&company).await[0]["fallos_consecutivos"].as_i64().is_some_and(|count| count >= 15));
    assert_eq!(count(world, "pendiente").await, 0);
    assert_eq!(mails(&company).await.len(), 0, "the owner has no e-mail address");
}
