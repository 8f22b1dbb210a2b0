//! `GET /clientes`: page by page.

use serde_json::{Value, json};
use svc_tests::imports::customers;
use svc_tests::lists::claves;
use svc_tests::{Actor, Company, Resource, World};

#[tokio::test]
async fn pages_of_any_size_give_every_record_once_in_order() {
    let company = company_of(12).await;
    for limit in [1, 2, 5, 11, 12, 13, 30] {
        let reader = company.admin().await;
        let records = reader.walk(&format!("/clientes?limite={limit}")).await;
        assert_eq!(claves(&records), (1..=12).collect::<Vec<_>>(), "limite={limit}");
    }
}

#[tokio::test]
async fn the_last_page_says_so_even_when_it_is_full() {
    let ana = company_of(6).await.admin().await;
    let first = ana.get("/clientes?limite=3").await.ok(200);
    assert_eq!((&first["hay_mas"], claves(datos(&first))), (&json!(true), vec![1, 2, 3]));
    let last = ana.get(&format!("/clientes?limite=3&cursor={}", next(&first))).await.ok(200);
    assert_eq!((&last["hay_mas"], &last["siguiente"]), (&json!(false), &Value::Null));
    assert_eq!(claves(datos(&last)), [4, 5, 6]);
}

#[tokio::test]
async fn filtered_pages_give_the_matching_records_only() {
    let company = World::new().await.company().await;
    let every_third: Vec<_> = (1..=20).map(|number| json!({"nombre": "Ana", "prospecto": number % 3 == 0})).collect();
    company.load(Resource::Clientes, &every_third).await;
    let ana = company.admin().await;
    assert_eq!(claves(&ana.walk("/clientes?prospecto=true&limite=2").await), [3, 6, 9, 12, 15, 18]);
}

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
async fn a_cursor_fits_nothing_but_its_own_query() {
    let world = World::new().await;
    let [company, other] = [world.company().await, world.company().await];
    for company in [&company, &other] {
        company.load(Resource::Clientes, &customers(5)).await;
        company.load(Resource::Productos, &[json!({"sku": "A"}), json!({"sku": "B"})]).await;
    }
    let [ana, berta] = [company.admin().await, other.admin().await];
    let plain = next(&ana.get("/clientes?limite=2").await.ok(200));
    let filtered = next(&ana.get("/clientes?limite=2&prospecto=false").await.ok(200));
    let of_products = next(&ana.get("/productos?limite=1").await.ok(200));

    assert_eq!(ana.get(&format!("/clientes?cursor={plain}")).await.status, 200);
    assert_eq!(ana.get(&format!("/clientes?prospecto=false&cursor={filtered}")).await.status, 200);
    for path in [
        format!("/clientes?cursor={filtered}"),
        format!("/clientes?cursor={plain}&prospecto=false"),
        format!("/clientes?cursor={filtered}&prospecto=true"),
        format!("/clientes?cursor={filtered}&prospecto=false&publico=false"),
        format!("/clientes?cursor={of_products}"),
        format!("/productos?cursor={plain}"),
    ] {
        ana.get(&path).await.fails(400, "cursor_invalido");
    }
    berta.get(&format!("/clientes?cursor={plain}")).await.fails(400, "cursor_invalido");
}

#[tokio::test]
async fn a_walk_among_writers_skips_and_repeats_nothing() {
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

#[tokio::test]
async fn companies_with_the_same_claves_never_see_one_another() {
    let world = World::new().await;
    let names = |name: &str| vec![json!({"nombre": name, "rfc": "EKU9003173C9"}), json!({"nombre": name})];
    let mut readers = Vec::new();
    for name in ["Una", "Otra"] {
        let company = world.company().await;
        company.load(Resource::Clientes, &names(name)).await;
        readers.push((name, company.admin().await));
    }
    for (name, reader) in readers {
        for query in ["limite=1", "clave=1", "clave=2", "rfc=EKU9003173C9", "prospecto=false"] {
            let records = reader.walk(&format!("/clientes?{query}")).await;
            assert!(!records.is_empty() && records.iter().all(|record| record["nombre"] == name), "{name}: {query}");
        }
        assert_eq!(claves(&reader.walk("/clientes").await), [1, 2]);
    }
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
