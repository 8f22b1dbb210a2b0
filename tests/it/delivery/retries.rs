use chrono::TimeDelta;
use serde_json::json;

use svc_tests::lists::pick;

use super::*;

/// One webhook and one event.
async fn one() -> Company {
    let company = World::new().await.company().await;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 1).await;
    company
}

#[tokio::test]
async fn a_delivery_is_tried_seven_times_in_twenty_one_hours() {
    let company = one().await;
    let (world, receiver) = (&company.world, answering::<500>());
    let (mut first, began) = (None, world.clock.now());
    for (attempt, minutes) in [(1, 1), (2, 5), (3, 30), (4, 120), (5, 360), (6, 720)] {
        let report = world.deliver(&receiver).await;
        assert_eq!((report.pospuestas, report.fallidas), (1, 0), "{attempt}");
        let [post] = receiver.posts().try_into().expect("one attempt");
        assert_eq!(header(&post, "x-svc-intento"), attempt.to_string());
        assert!(header(&post, "x-svc-firma").starts_with(&format!("t={},", world.clock.now().timestamp())));
        let same = (header(&post, "x-svc-evento-id").to_owned(), header(&post, "x-svc-entrega").to_owned(), post.body);
        assert_eq!(*first.get_or_insert_with(|| same.clone()), same);
        let row = &deliveries(&company).await[0];
        assert_eq!((&row["estado"], &row["intentos"]), (&json!("pendiente"), &json!(attempt)));
        assert_eq!((&row["http"], &row["motivo"]), (&json!(500), &json!("respuesta_no_2xx")));
        let wait = instant(&row["proximo_intento"]) - world.clock.now();
        assert!((TimeDelta::minutes(minutes)..=TimeDelta::seconds(minutes * 66)).contains(&wait), "{attempt}: {wait}");
        world.clock.advance(wait - TimeDelta::milliseconds(1));
        assert!(world.deliver(&receiver).await.is_empty() && receiver.posts().is_empty(), "too early");
        world.clock.advance(TimeDelta::milliseconds(1));
    }
    let minutes = (world.clock.now() - began).num_minutes();
    assert!((20 * 60 + 36..=22 * 60 + 40).contains(&minutes), "{minutes}");
    assert_eq!(world.deliver(&receiver).await.fallidas, 1);
    assert_eq!(header(&receiver.posts()[0], "x-svc-intento"), "7");
    let row = &deliveries(&company).await[0];
    assert_eq!(
        pick(row, &["estado", "intentos", "proximo_intento"]),
        json!({"estado": "fallida", "intentos": 7, "proximo_intento": null})
    );
    assert_eq!(webhooks(&company).await[0]["fallos_consecutivos"], 1);
    world.clock.advance(TimeDelta::days(2));
    assert!(world.deliver(&receiver).await.is_empty());
}

#[tokio::test]
async fn a_successful_retry_clears_the_streak() {
    let company = one().await;
    let world = &company.world;
    world.deliver(&unreachable()).await;
    let hook = &webhooks(&company).await[0];
    assert_eq!((&hook["intentos_fallidos"], &hook["racha_desde"]), (&json!(1), &json!("2026-10-12T18:00:00+00:00")));
    assert_eq!(deliveries(&company).await[0]["motivo"], "error_red");
    world.clock.advance(TimeDelta::minutes(2));
    assert_eq!(world.deliver(&answering::<200>()).await.entregadas, 1);
    let row = &deliveries(&company).await[0];
    assert_eq!(pick(row, &["motivo", "http", "intentos"]), json!({"motivo": null, "http": 200, "intentos": 2}));
    let hook = &webhooks(&company).await[0];
    assert_eq!((&hook["intentos_fallidos"], &hook["racha_desde"]), (&json!(0), &Value::Null));
}

#[tokio::test]
async fn a_receiver_may_ask_for_more_time() {
    let company = one().await;
    let world = &company.world;
    let busy = Receiver::new(|_: &Post| {
        (Duration::ZERO, Outcome::Answered { status: 429, retry_after: Some("1800".to_owned()) })
    });
    world.deliver(&busy).await;
    let wait = instant(&deliveries(&company).await[0]["proximo_intento"]) - world.clock.now();
    assert_eq!(wait, TimeDelta::minutes(30));
}

#[tokio::test]
async fn a_test_is_tried_once_and_tests_and_resends_do_not_lengthen_the_streak() {
    let company = one().await;
    let world = &company.world;
    world.deliver(&answering::<200>()).await;
    change(
        &company,
        "WITH programado AS (UPDATE webhooks SET proximo = '2000-01-01Z' WHERE empresa = $1)
         INSERT INTO entregas (empresa, clave, webhook, evento, tipo, origen, creado, proximo_intento, intentos)
         SELECT empresa, 100 + n, webhook, evento, tipo, (ARRAY['prueba', 'reenvio'])[n], creado, creado, (ARRAY[0, 6])[n]
         FROM entregas, generate_series(1, 2) n WHERE empresa = $1",
    )
    .await;
    assert_eq!(world.deliver(&unreachable()).await.fallidas, 2);
    let hook = &webhooks(&company).await[0];
    assert_eq!((&hook["fallos_consecutivos"], &hook["racha_desde"]), (&json!(0), &Value::Null));
    assert_eq!(hook["intentos_fallidos"], 2);
}

#[tokio::test]
async fn a_failing_webhook_gets_one_delivery_at_a_time() {
    let company = World::new().await.company().await;
    let world = &company.world;
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 200).await;
    let down = unreachable();
    let report = world.deliver(&down).await;
    assert_eq!((report.pospuestas, down.posts().len()), (20, 20));
    assert_eq!(webhooks(&company).await[0]["intentos_fallidos"], 20);
    // Once the receiver is back, the first delivery that arrives ends the restriction.
    let report = world.deliver(&answering::<200>()).await;
    assert_eq!(report.entregadas, 180);
    assert_eq!(webhooks(&company).await[0]["intentos_fallidos"], 0);
}
