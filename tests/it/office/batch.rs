//! Batches: several actions in one transaction.

use serde_json::{Value, json};
use svc_tests::imports::customers;
use svc_tests::{Resource, World};

use crate::ventas::shop::{ready, shop};

fn batch(actions: &[(&str, Value)]) -> Value {
    let acciones: Vec<_> = actions.iter().map(|(name, input)| json!({"accion": name, "entrada": input})).collect();
    json!({"acciones": acciones})
}

#[tokio::test]
async fn later_actions_use_what_earlier_ones_made() {
    let world = World::new().await;
    let company = shop(&world).await;
    let office = company.office().await;
    let mut order = ready();
    order["tipo"] = json!("pedido");
    order["cliente"] = json!({"$": "0.cliente"});
    order["referencia"] = json!("$0.cliente");
    let done = office
        .run(
            "batch",
            &batch(&[
                ("customer.create", json!({"nombre": "Ana"})),
                ("sale.capture", order),
                ("sale.get", json!({"clave": {"$": "1.venta"}})),
                (
                    "order.fulfil",
                    json!({"venta": {"$": "1.venta"}, "renglones": [
                    {"renglon": {"$": "2.renglones.0.renglon"}, "cantidad": 1}]}),
                ),
            ]),
        )
        .await
        .ok(200);
    let results = done["resultados"].as_array().unwrap();
    assert_eq!((results.len(), results[0].get("ok")), (4, None));
    assert_eq!(results[2]["cliente"], results[0]["cliente"]);
    assert_eq!(results[2]["clave"], results[1]["venta"]);
    assert_eq!(results[2]["referencia"], "$0.cliente");
    assert_eq!(results[3]["venta"], results[1]["venta"]);
    svc_tests::books::check(&world, &company).await;
}

#[tokio::test]
async fn what_a_batch_reads_of_its_answers_is_limited() {
    let world = World::new().await;
    let company = shop(&world).await;
    let office = company.office().await;
    let mut order = ready();
    order["tipo"] = json!("pedido");
    order["comentarios"] = json!("x".repeat(500));
    order["renglones"] = json!(vec![order["renglones"][0].clone(); 20]);
    let venta = office.run("sale.capture", &order).await.ok(200)["venta"].clone();
    let named = |times: usize| {
        let all = vec![json!({"$": "0.comentarios"}); times];
        batch(&[("sale.get", json!({"clave": venta})), ("customer.create", json!({"nombre": all}))])
    };
    let wrong = office.run("batch", &named(100)).await;
    wrong.fails(400, "dato_invalido");
    assert!(wrong.mensaje().contains("nombre"), "{}", wrong.mensaje());
    let refused = office.run("batch", &named(16_000)).await;
    refused.fails(400, "dato_invalido");
    assert!(refused.mensaje().contains("demasiados datos de resultados anteriores"), "{}", refused.mensaje());
}

#[tokio::test]
async fn where_one_action_fails_none_is_done() {
    let world = World::new().await;
    let company = world.company().await;
    let office = company.office().await;
    let good = ("customer.create", json!({"nombre": "Ana"}));
    for (second, status, codigo) in [
        (("customer.create", json!({})), 400, "dato_requerido"),
        (("customer.edit", json!({"clave": 99})), 404, "no_encontrado"),
        (("customer.create", json!({"nombre": "Eva", "rfc": "no"})), 422, "rfc_invalido"),
        (("customer.create", json!({"nombre": {"$": "0.nombre"}})), 400, "dato_invalido"),
        (("customer.create", json!({"nombre": {"$": "1.cliente"}})), 400, "dato_invalido"),
        (("customer.edit", json!({"clave": {"$": "0.cliente", "a": 1}})), 400, "dato_invalido"),
        (("customer.fly", json!({})), 404, "ruta_no_existe"),
        (("invoice.xml", json!({"factura": 1})), 400, "dato_invalido"),
        (("batch", json!({"acciones": []})), 404, "ruta_no_existe"),
    ] {
        let refused = office.run("batch", &batch(&[good.clone(), second.clone()])).await;
        refused.fails(status, codigo);
        assert!(refused.mensaje().starts_with("acciones[1]: "), "{second:?}: {}", refused.mensaje());
    }
    assert_eq!((world.count("clientes").await, world.count("emitidos").await), (0, 0));
    // Not even a clave was used.
    assert_eq!(office.run("customer.create", &good.1).await.ok(200)["cliente"], 1);
}

#[tokio::test]
async fn a_batch_has_1_to_100_actions() {
    let company = World::new().await.company().await;
    let office = company.office().await;
    let many = |count: usize| {
        let actions: Vec<_> = customers(count).into_iter().map(|customer| ("customer.create", customer)).collect();
        batch(&actions)
    };
    for wrong in [
        json!({}),
        json!({"acciones": []}),
        json!({"acciones": {}}),
        many(101),
        json!({"acciones": [1]}),
        json!({"acciones": [{"entrada": {}}]}),
        json!({"acciones": [{"accion": "account.list"}]}),
        json!({"acciones": [{"accion": "account.list", "entrada": []}]}),
        json!({"acciones": [{"accion": "account.list", "entrada": {}, "otro": 1}]}),
        json!({"acciones": [{"accion": "account.list", "entrada": {}}], "otro": 1}),
    ] {
        let refused = office.run("batch", &wrong).await;
        assert_eq!(refused.status, 400, "{wrong}");
        assert!(
            refused.mensaje().starts_with("acciones") || refused.mensaje().starts_with("otro"),
            "{}",
            refused.mensaje()
        );
    }
    let done = office.run("batch", &many(100)).await.ok(200);
    assert_eq!(done["resultados"].as_array().map(Vec::len), Some(100));
    assert_eq!(done["resultados"][99]["cliente"], 100);
}

#[tokio::test]
async fn a_batch_is_replayed_and_rehearsed_like_one_write() {
    let world = World::new().await;
    let company = shop(&world).await;
    let office = company.office().await;
    let body = batch(&[
        ("customer.create", json!({"nombre": "Ana"})),
        ("stock.count", json!({"sku": "A-1", "almacen": "001", "existencia": 5})),
        ("customer.edit", json!({"clave": {"$": "0.cliente"}, "nombre": "Eva"})),
    ]);
    let before = world.count("clientes").await;
    let rehearsed = office.send(office.json("batch").header("X-Svc-Ensayo", "true"), body.to_string()).await;
    let shown = rehearsed.ok(200);
    assert_eq!(
        rehearsed.header("x-svc-ensayo-eventos"),
        Some("cliente.creado,inventario.existencia_cambiada,cliente.actualizado")
    );
    assert_eq!(world.count("clientes").await, before);
    let first = office.run_with("batch", "uno", &body).await;
    assert_eq!(first.ok(200), shown);
    let again = office.run_with("batch", "uno", &body).await;
    assert_eq!((again.body.clone(), again.header("idempotent-replayed")), (first.body, Some("true")));
    // A used key is reported before the faults of another body.
    let other = batch(&[("customer.fly", json!({}))]);
    office.run_with("batch", "uno", &other).await.fails(409, "idempotencia_conflicto");
    assert_eq!(world.count("clientes").await, before + 1);
}

#[tokio::test]
async fn an_input_in_a_batch_may_be_as_deep_as_alone() {
    let world = World::new().await;
    let company = world.company().await;
    company.load(Resource::Clientes, &customers(1)).await;
    let office = company.office().await;
    let deep = json!({"a": {"b": {"c": {"d": {"e": 1}}}}});
    office.run("customer.create", &deep).await.fails(400, "campo_no_permitido");
    office.run("batch", &batch(&[("customer.create", deep.clone())])).await.fails(400, "campo_no_permitido");
    let deeper = json!({"a": {"b": {"c": {"d": {"e": {"f": {}}}}}}});
    office.run("customer.create", &deeper).await.fails(400, "json_invalido");
    let refused = office.run("batch", &batch(&[("customer.create", deeper)])).await;
    refused.fails(400, "json_invalido");
}
