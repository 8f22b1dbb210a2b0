//! Prospects who buy become customers.

use serde_json::json;
use svc_tests::{World, books};

use super::emitted;
use super::shop::{captured, nails, only, shop, with};

#[tokio::test]
async fn a_prospect_who_buys_is_a_customer_from_then_on() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let created = |cliente: i64| ("cliente.creado".to_owned(), json!({"cliente": cliente}));
    for (kind, bought) in
        [("cotizacion", false), ("pedido", true), ("venta", true), ("factura", true), ("anticipo", true)]
    {
        world.clock.advance(chrono::TimeDelta::minutes(1));
        let lead = json!({"nombre": kind, "correo": "a@example.com"});
        let cliente = ana.post("/leads", lead).await.ok(201)["prospecto"].as_i64().expect("a clave");
        if kind == "factura" {
            let fiscal = json!({"rfc": "AAA010101AAA", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
            ana.put(&format!("/clientes/{cliente}"), fiscal).await.ok(200);
        }
        let before = only(&ana, &format!("/clientes?clave={cliente}")).await;
        let body = with(&nails(kind), json!({"cliente": cliente}));
        world.clock.advance(chrono::TimeDelta::minutes(1));
        captured(&company, &body).await;
        captured(&company, &body).await;
        let after = only(&ana, &format!("/clientes?clave={cliente}")).await;
        assert_eq!((&before["prospecto"], &after["prospecto"]), (&json!(true), &json!(!bought)), "{kind}");
        assert_eq!(before["modificado"] != after["modificado"], bought, "{kind}");
        let created_events = emitted(&world).await.into_iter().filter(|event| *event == created(cliente)).count();
        assert_eq!(created_events, usize::from(bought), "{kind}");
    }
    // An existing customer is not created again.
    let before = emitted(&world).await;
    captured(&company, &nails("venta")).await;
    assert!(emitted(&world).await[before.len()..].iter().all(|(tipo, _)| tipo != "cliente.creado"));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_quote_that_is_invoiced_makes_a_customer() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    world.run("UPDATE clientes SET prospecto = true WHERE clave = 1").await;
    let venta = ana.post("/ventas", nails("cotizacion")).await.ok(201)["venta"].clone();
    assert_eq!(only(&ana, "/clientes?clave=1").await["prospecto"], true);
    ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    assert_eq!(only(&ana, "/clientes?clave=1").await["prospecto"], false);
    let created_events = emitted(&world).await.into_iter().filter(|(tipo, _)| tipo == "cliente.creado").count();
    assert_eq!(created_events, 1);
    // A refused purchase leaves the prospect a prospect.
    world.run("UPDATE clientes SET prospecto = true, cp = NULL WHERE clave = 1").await;
    let venta = ana.post("/ventas", nails("cotizacion")).await.ok(201)["venta"].clone();
    ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.fails(422, "cliente_sin_cp");
    assert_eq!(only(&ana, "/clientes?clave=1").await["prospecto"], true);
}
