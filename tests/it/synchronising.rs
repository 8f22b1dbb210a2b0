//! What a copy that is kept with `modificado_desde` relies on (contract §3): `Date`, and that
//! whatever changes what a record shows changes its `modificado`.

use std::time::Duration;

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::clock::Clock as _;
use svc_tests::lists::claves;
use svc_tests::{Actor, Company, Resource, World};

use super::backoffice::did;
use super::backoffice::shop::{nails, shop};

/// The lists with the filter whose items show fields of other records.
const LISTS: [&str; 3] = ["/productos", "/precios", "/inventario"];

/// Two products of different brands and categories, with prices and stock.
async fn catalogue(world: &World) -> Company {
    let company = world.company().await;
    for (resource, records) in [
        (Resource::Sucursales, vec![json!({"clave": 3, "nombre": "Norte"})]),
        (Resource::Almacenes, vec![json!({"clave": 2, "codigo": "002"})]),
        (Resource::Marcas, vec![json!({"nombre": "Acme"}), json!({"nombre": "Otra"})]),
        (Resource::Categorias, vec![json!({"nombre": "Uno"}), json!({"nombre": "Dos"})]),
        (
            Resource::Productos,
            vec![
                json!({"sku": "A-1", "marca": "Acme", "categoria": "Uno"}),
                json!({"sku": "B-2", "marca": "Otra", "categoria": "Dos"}),
            ],
        ),
        (
            Resource::Precios,
            vec![
                json!({"producto": 1, "lista": 1, "lista_nombre": "Público", "precio": 1}),
                json!({"producto": 2, "lista": 1, "precio": 2}),
                json!({"producto": 2, "lista": 2, "lista_nombre": "Mayoreo", "precio": 1}),
            ],
        ),
        (
            Resource::Inventario,
            vec![
                json!({"producto": 1, "almacen": "001"}),
                json!({"producto": 2, "almacen": "001"}),
                json!({"producto": 2, "almacen": "002"}),
            ],
        ),
    ] {
        company.load(resource, &records).await;
    }
    company
}

/// The claves that each of [`LISTS`] shows as changed since now.
async fn changed(world: &World, ana: &Actor) -> [Vec<i64>; 3] {
    let now = world.clock.now().format("%Y-%m-%dT%H:%M:%SZ");
    let mut found = [const { Vec::new() }; 3];
    for (found, list) in found.iter_mut().zip(LISTS) {
        *found = claves(&ana.walk(&format!("{list}?modificado_desde={now}")).await);
    }
    found
}

#[tokio::test]
async fn what_shows_a_changed_field_of_another_record_has_changed() {
    let world = World::new().await;
    let company = catalogue(&world).await;
    let ana = company.admin().await;
    let table: [(&str, Value, [&[i64]; 3]); 9] = [
        ("brand.edit", json!({"clave": 1, "nombre": "Acme MX"}), [&[1], &[], &[]]),
        ("category.edit", json!({"clave": 2, "nombre": "Segunda"}), [&[2], &[], &[]]),
        ("price.edit", json!({"clave": 1, "lista_nombre": "General"}), [&[], &[1, 2], &[]]),
        ("product.edit", json!({"clave": 2, "sku": "B-3"}), [&[2], &[2, 3], &[2, 3]]),
        ("warehouse.edit", json!({"clave": 2, "codigo": "SUR"}), [&[], &[], &[3]]),
        ("warehouse.edit", json!({"clave": 2, "sucursal": 3}), [&[], &[], &[3]]),
        // These change nothing that another record shows.
        ("brand.edit", json!({"clave": 2, "nombre": "Otra", "estatus": "activo"}), [&[], &[], &[]]),
        ("warehouse.edit", json!({"clave": 1, "nombre": "Bodega"}), [&[], &[], &[]]),
        ("unit.edit", json!({"clave": 1, "nombre": "Bolsa"}), [&[], &[], &[]]),
    ];
    for (action, input, expected) in table {
        world.clock.advance(TimeDelta::minutes(1));
        did(company.run_by_name(action, &input).await);
        assert_eq!(changed(&world, &ana).await, expected.map(<[i64]>::to_vec), "{action} {input}");
        world.clock.advance(TimeDelta::minutes(1));
        did(company.run_by_name(action, &input).await);
        let again = changed(&world, &ana).await;
        assert!(again.iter().all(Vec::is_empty), "{action} {input} again: {again:?}");
    }
    world.clock.advance(TimeDelta::minutes(1));
    ana.put("/productos/1", json!({"sku": "A-2"})).await.ok(200);
    assert_eq!(changed(&world, &ana).await, [vec![1], vec![1], vec![1]], "PUT /productos");
    world.clock.advance(TimeDelta::minutes(1));
    ana.put("/productos/1", json!({"descripcion": "Clavo"})).await.ok(200);
    assert_eq!(changed(&world, &ana).await, [vec![1], vec![], vec![]], "PUT /productos without sku");
    // An import that names a price list.
    world.clock.advance(TimeDelta::minutes(1));
    let named = |nombre: &str| json!({"producto": 1, "lista": 2, "lista_nombre": nombre, "precio": 1});
    company.load(Resource::Precios, &[named("Mayoreo")]).await;
    assert_eq!(changed(&world, &ana).await, [vec![], vec![4], vec![]], "the same name");
    world.clock.advance(TimeDelta::minutes(1));
    company.load(Resource::Precios, &[named("Mayoristas")]).await;
    assert_eq!(changed(&world, &ana).await, [vec![], vec![3, 4, 5], vec![]], "another name");
}

#[tokio::test]
async fn documents_show_when_something_that_they_show_changed() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    company.load(Resource::Proveedores, &[json!({"nombre": "Aceros"})]).await;
    let documents = ["002", "001"].map(|almacen| json!({"tipo": "pedido", "almacen": almacen}));
    company.load(Resource::Ventas, &documents).await;
    let purchases = ["002", "001"].map(|almacen| json!({"proveedor": 1, "almacen": almacen}));
    company.load(Resource::Compras, &purchases).await;
    let quote = did(company.run_by_name("sale.capture", &nails("cotizacion")).await)["venta"].clone();
    company.load(Resource::Cxc, &[json!({"total": 1, "venta": quote, "estatus": "cancelado"})]).await;
    company.load(Resource::Ventas, &[json!({"tipo": "factura"})]).await;
    let began = ana.walk("/ventas?tipo=pedido").await[0]["modificado"].clone();

    world.clock.advance(TimeDelta::minutes(1));
    did(company.run_by_name("warehouse.edit", &json!({"clave": 2, "codigo": "SUR"})).await);
    let now = json!(world.clock.now().format("%Y-%m-%dT%H:%M:%SZ").to_string());
    for list in ["/ventas?tipo=pedido", "/compras"] {
        let shown = ana.walk(list).await;
        let shown = [&shown[0], &shown[1]].map(|shown| (&shown["almacen"], &shown["modificado"]));
        assert_eq!(shown, [(&json!("SUR"), &now), (&json!("001"), &began)], "{list}");
    }

    // A receivable shows its sale's type, and a sale its invoice.
    did(company.run_by_name("quote.order", &json!({"venta": quote})).await);
    assert_eq!(ana.walk("/cxc?clave=1").await[0]["tipo_venta"], "pedido");
    assert_eq!(ana.walk("/cxc?clave=1").await[0]["modificado"], now);
    assert_eq!(ana.walk("/ventas?tipo=factura").await[0]["modificado"], began);
    let sale = ana.walk("/ventas?tipo=factura").await[0]["clave"].clone();
    company.load(Resource::Facturas, &[json!({"venta": sale})]).await;
    assert_eq!(ana.walk("/ventas?tipo=factura").await[0]["modificado"], now);
}

#[tokio::test]
async fn every_answer_is_dated_by_the_clock_of_modificado() {
    let world = World::new().await;
    let ana = catalogue(&world).await.admin().await;
    for path in ["/productos", "/productos?limite=x", "/nada", "/health"] {
        assert_eq!(ana.get(path).await.header("date"), Some("Mon, 12 Oct 2026 18:00:00 GMT"), "{path}");
    }
    world.clock.advance(TimeDelta::hours(7));
    assert_eq!(ana.get("/productos").await.header("date"), Some("Tue, 13 Oct 2026 01:00:00 GMT"));
    let created = ana.post("/productos", json!({"sku": "C-3", "descripcion": "C", "unidad": 1})).await;
    assert_eq!(created.header("date"), Some("Tue, 13 Oct 2026 01:00:00 GMT"));
    assert_eq!(ana.walk("/productos?sku=C-3").await[0]["modificado"], "2026-10-13T01:00:00Z");
}

/// The first page's `Date` less 60 s, as the guide says.
fn next_since(first_page: &str) -> String {
    let date = chrono::DateTime::parse_from_rfc2822(first_page).expect("a date") - TimeDelta::seconds(60);
    date.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[tokio::test]
async fn what_changes_behind_a_long_walk_is_found_by_the_next() {
    let world = World::new().await;
    let ana = catalogue(&world).await.admin().await;
    let first = ana.get("/productos?limite=1").await;
    let began = first.header("date").expect("Date").to_owned();
    let cursor = first.ok(200)["siguiente"].as_str().expect("more").to_owned();
    world.clock.advance(TimeDelta::minutes(5));
    ana.put("/productos/1", json!({"descripcion": "Behind the walk"})).await.ok(200);
    world.clock.advance(TimeDelta::minutes(5));
    ana.put("/productos/2", json!({"descripcion": "Before it"})).await.ok(200);
    let last = ana.get(&format!("/productos?limite=1&cursor={cursor}")).await.ok(200);
    let greatest = last["datos"][0]["modificado"].as_str().expect("modificado").to_owned();
    let since = |moment: &str| format!("/productos?modificado_desde={moment}");
    assert_eq!(claves(&ana.walk(&since(&next_since(&began))).await), [1, 2]);
    assert_eq!(claves(&ana.walk(&since(&greatest)).await), [2], "the greatest that was seen misses a change");
}

#[tokio::test]
async fn a_write_whose_modificado_would_be_older_than_30_seconds_is_given_up() {
    let world = World::new().await;
    let ana = catalogue(&world).await.admin().await;
    for (seconds, status) in [(30, 200), (31, 503)] {
        let mut holder = world.pool().begin().await.expect("a transaction");
        sqlx::query("SELECT FROM productos WHERE clave = 1 FOR UPDATE").execute(&mut *holder).await.expect("a lock");
        let began = world.clock.now();
        let write = ana.put("/productos/1", json!({"descripcion": format!("Took {seconds} s")}));
        let (answer, ()) = tokio::join!(write, async {
            while world.lock_waits().await == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            world.clock.advance(TimeDelta::seconds(seconds));
            holder.rollback().await.expect("the lock is gone");
        });
        assert_eq!(answer.status, status, "{seconds} s");
        let shown = ana.walk("/productos?clave=1").await[0].clone();
        if status == 200 {
            assert_eq!(shown["modificado"], json!(began.format("%Y-%m-%dT%H:%M:%SZ").to_string()));
        } else {
            answer.fails(503, "no_disponible");
            assert_eq!(shown["descripcion"], "Took 30 s", "nothing of it is left");
        }
    }
}

#[tokio::test]
async fn renames_and_sales_at_once_all_succeed() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let order = nails("pedido");
    for round in 0..8 {
        let codigo = json!({"clave": 1, "codigo": format!("W{round:02}")});
        let sku = json!({"clave": 1, "sku": format!("A-{round}")});
        let (warehouse, product, sold, again) = tokio::join!(
            company.run_by_name("warehouse.edit", &codigo),
            company.run_by_name("product.edit", &sku),
            company.run_by_name("sale.capture", &order),
            ana.post("/ventas", order.clone()),
        );
        for outcome in [warehouse, product, sold] {
            did(outcome);
        }
        again.ok(201);
    }
    let apartado = ana.walk("/inventario?sku=A-7").await[0]["apartado"].clone();
    assert_eq!(apartado.as_f64().map(f64::abs), Some(32.0), "{apartado}");
}
