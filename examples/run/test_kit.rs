//! The kit that hosts test with, on the parcels: a few lines for what every list, write and table
//! must do.

use std::time::Instant;

use serde_json::json;
use svc_test_kit::checks::{self, Write};
use svc_test_kit::{World, database_url};

use crate::own_part::sale;
use crate::parcels::{migrations, with_parcels};

const SCOPES: [&str; 5] = ["paqueteria:read", "paqueteria:write", "clientes:write", "productos:write", "ventas:write"];

async fn shared() -> World {
    World::host().part(with_parcels).migrations("paqueteria", migrations).shared().await
}

#[tokio::test]
async fn writes_lists_and_tables_of_a_host_keep_the_rules_of_all_others() {
    let world = shared().await;
    let company = world.company().await;
    let ana = company.key_with(&SCOPES).await;
    let (first, second) = (sale(&ana).await, sale(&ana).await);

    let sent = Write::post("/paqueteria/envios", json!({"venta": first, "guia": "794612345678"}));
    assert_eq!(checks::write(&company, &sent).await["envio"], 1);
    let sent = json!({"venta": second, "guia": "2"});
    ana.post("/paqueteria/envios", sent).await.ok(201);
    let arrived = Write::put("/paqueteria/envios/1/entregado", json!({}));
    assert_eq!(checks::write(&company, &arrived).await["envio"], 1);

    assert_eq!(checks::lists(&ana).await, (2, 1));
    checks::tables(&world).await;
}

#[tokio::test]
async fn tests_share_a_database_and_see_nothing_of_each_other() {
    let (one, two) = (shared().await, shared().await);
    assert_eq!(database_url(one.store.options()), database_url(two.store.options()));
    let (ana, eva) = (one.company().await.key_with(&SCOPES).await, two.company().await.key_with(&SCOPES).await);
    ana.post("/paqueteria/envios", json!({"venta": sale(&ana).await, "guia": "1"})).await.ok(201);
    assert_eq!(eva.walk("/paqueteria/envios").await, Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn a_world_with_a_company_takes_a_fraction_of_a_second() {
    shared().await;
    let mut took: Vec<_> = Vec::new();
    for _ in 0..9 {
        let started = Instant::now();
        let ana = shared().await.company().await.key_with(&SCOPES).await;
        ana.get("/paqueteria/envios").await.ok(200);
        took.push(started.elapsed());
    }
    took.sort_unstable();
    println!("a world with a company, a key and a request: {:?} (median of 9)", took[4]);
    assert!(took[4].as_millis() < 2_000, "{took:?}");
}

#[tokio::test]
#[should_panic(expected = "does not begin with empresa")]
async fn a_table_that_breaks_the_rules_is_named() {
    let world = World::host().own_database().await;
    world.run("CREATE TABLE ajena (empresa bigint NOT NULL, clave bigint PRIMARY KEY)").await;
    checks::tables(&world).await;
}
