//! `GET /clientes`: page by page.

use serde_json::{Value, json};
use svc_tests::imports::customers;
use svc_tests::lists::claves;
use svc_tests::{Actor, Company, Resource, World};

#[tokio::test]
async fn the_page_size_may_change_between_pages() {
    let ana = company_of(10).await.admin().await;
    let first = ana.get("/clientes?limite=2").await.ok(200);
    let second = ana.get(&format!("/clientes?limite=5&cursor={}", next(&first))).await.ok(200);
    assert_eq!(claves(datos(&second)), [3, 4, 5, 6, 7]);
    let third = ana.get(&format!("/clientes?cursor={}", next(&second))).await.ok(200);
    assert_eq!(claves(datos(&third)), [8, 9, 10]);
}

#[tokio::test]
async fn a_cursor_is_not_bound_to_key_server_time_or_the_order_of_the_filters() {
    let company = company_of(5).await;
    let first = company.admin().await.get("/clientes?limite=2&prospecto=false&publico=false").await.ok(200);
    let rest = format!("/clientes?publico=false&cursor={}&prospecto=false", next(&first));
    company.world.clock.advance(chrono::TimeDelta::days(400));
    let other_key = company.admin().await.at(&company.world.second_api());
    assert_eq!(claves(datos(&other_key.get(&rest).await.ok(200))), [3, 4, 5]);
}

#[tokio::test]
async fn a_filtered_cursor_fits_only_the_same_filters() {
    let ana = company_of(5).await.admin().await;
    let cursor = next(&ana.get("/clientes?limite=2&prospecto=false").await.ok(200));
    ana.get(&format!("/clientes?prospecto=false&cursor={cursor}")).await.ok(200);
    for filters in ["", "prospecto=true&", "prospecto=false&publico=false&"] {
        ana.get(&format!("/clientes?{filters}cursor={cursor}")).await.fails(400, "cursor_invalido");
    }
}

#[tokio::test]
async fn a_walk_during_writes_skips_and_repeats_nothing() {
    let company = company_of(40).await;
    let writers = [company.admin().await, company.admin().await, company.admin().await];
    let create = async |writer: &Actor| {
        for _ in 0..20 {
            writer.post("/clientes", json!({"nombre": "Nueva"})).await.ok(201);
        }
    };
    let edit = async |writer: &Actor| {
        for clave in (1..=40).rev() {
            writer.put(&format!("/clientes/{clave}"), json!({"nombre": "Otra"})).await.ok(200);
        }
    };
    let reader = company.admin().await;
    let (records, (), (), ()) =
        tokio::join!(reader.walk("/clientes?limite=2"), create(&writers[0]), create(&writers[1]), edit(&writers[2]));
    let seen = claves(&records);
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
    assert_eq!(seen[..40], (1..=40).collect::<Vec<_>>());
}

fn datos(page: &Value) -> &[Value] {
    page["datos"].as_array().expect("datos")
}

fn next(page: &Value) -> String {
    page["siguiente"].as_str().expect("a next page").to_owned()
}

async fn company_of(count: usize) -> Company {
    let company = World::new().await.company().await;
    company.load(Resource::Clientes, &customers(count)).await;
    company
}
