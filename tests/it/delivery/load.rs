use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hanging_receiver_delays_no_other() {
    let company = World::new().await.company().await;
    let world = &company.world;
    for _ in 0..10 {
        webhook(&company, &["cliente.creado"]).await;
    }
    happen(&company, "cliente.creado", 100).await;
    let receiver = Patient(Receiver::new(|post: &Post| {
        if post.url.contains("receptor-7.") {
            (Duration::from_mins(1), Outcome::Failed(DeliveryReason::TiempoAgotado))
        } else {
            (Duration::from_millis(5), Outcome::Answered { status: 200, retry_after: None })
        }
    }));
    // The pass is stopped long before the first answer.
    let pass = tokio::time::timeout(Duration::from_secs(15), world.deliver(&receiver)).await;
    assert!(pass.is_err());
    let sent = receiver.0.posts();
    let hanging = sent.iter().filter(|post| post.url.contains("receptor-7.")).count();
    assert_eq!((hanging, sent.len() - hanging), (4, 900), "four of it are out, and all of the others' were sent");
    let done = count(world, "entregada").await;
    assert!(done >= 855, "95 % are written: {done}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_while_one_receiver_hangs_are_delivered_to_the_others() {
    let company = World::new().await.company().await;
    let world = &company.world;
    for _ in 0..10 {
        webhook(&company, &["cliente.creado"]).await;
    }
    let receiver = Patient(Punctual(Receiver::new(|post: &Post| {
        if post.url.contains("receptor-7.") {
            (Duration::from_mins(1), Outcome::Failed(DeliveryReason::TiempoAgotado))
        } else {
            (Duration::from_millis(5), Outcome::Answered { status: 200, retry_after: None })
        }
    })));
    happen(&company, "cliente.creado", 10).await;
    let pass = world.deliver(&receiver);
    let happening = async {
        for delivered in [90, 180, 270] {
            // All deliveries but those to the hanging receiver arrive before the next events.
            while count(world, "entregada").await < delivered {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            happen(&company, "cliente.creado", 10).await;
        }
    };
    let delivered = tokio::select! {
        report = pass => panic!("one hangs, and the pass is over: {report:?}"),
        delivered = tokio::time::timeout(Duration::from_secs(30), happening) => delivered,
    };
    assert!(delivered.is_ok(), "the others wait for the one that hangs");
}

#[tokio::test]
async fn ten_deliveries_cost_one_statement_at_the_most() {
    let company = World::new().await.company().await;
    let world = &company.world;
    if !world.can_count_statements().await {
        return;
    }
    let quick =
        Receiver::new(|_: &Post| (Duration::from_millis(1), Outcome::Answered { status: 200, retry_after: None }));
    for webhooks in [1, 3] {
        for _ in 0..webhooks {
            webhook(&company, &["cliente.creado"]).await;
        }
        happen(&company, "cliente.creado", 500).await;
        let before = world.statements("%").await;
        let report = world.deliver(&quick).await;
        let statements = world.statements("%").await - before;
        let max = report.entregadas as i64 / 10;
        assert!(report.entregadas >= 500 && statements <= max, "{statements} for {}", report.entregadas);
    }
    let before = world.statements("%").await;
    assert!(world.deliver(&quick).await.is_empty());
    assert_eq!(world.statements("%").await - before, 1, "a pass that finds nothing");
}
