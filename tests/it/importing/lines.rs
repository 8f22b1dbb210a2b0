//! Whole files: all or nothing, empty lines, sizes, companies.

use std::io;
use std::sync::Mutex;

use serde_json::{Value, json};
use svc_core::domain::company::CompanyId;
use svc_tests::imports::{blames, customers};
use svc_tests::{Company, Resource, World};

#[tokio::test]
async fn a_bad_line_among_many_good_ones_leaves_nothing() {
    let world = World::new().await;
    let company = world.company().await;
    for (at, bad) in [
        (2_501, json!({"nombre": "Ana", "rfc": "no es uno"})),
        (2_501, json!({"nombre": "Ana", "rfc": "EKU9003173C9"})),
        (2_400, json!({"nombre": "Ana", "clave": 2})),
        (1_001, json!({"nombre": "Ana", "vendedor": 99})),
    ] {
        let mut records = customers(2_500);
        records[0] = json!({"nombre": "Eva", "rfc": "EKU9003173C9"});
        records[1] = json!({"nombre": "Eva", "clave": 2});
        records.insert(at - 1, bad.clone());
        blames(company.import(Resource::Clientes, &records).await, at, "");
        assert_eq!(world.count("clientes").await, 0, "{bad}");
    }
    // Not even a clave was used.
    let created = company.admin().await.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    assert_eq!(created["cliente"], 1);
}

#[tokio::test]
async fn twenty_thousand_customers_are_imported_at_once() {
    let world = World::new().await;
    let company = world.company().await;
    let lines = customers(20_000).into_iter().map(|record| Ok(record.to_string().into_bytes()));
    let reported = Mutex::new(Vec::new());
    let mut progress = |count| reported.lock().unwrap().push(count);
    assert_eq!(company.import_lines_reporting(Resource::Clientes, lines, &mut progress).await, Ok(20_000));
    let reported = reported.into_inner().unwrap();
    assert!(reported.is_sorted_by(|a, b| a < b) && reported.last() == Some(&20_000), "{reported:?}");
    assert_eq!(world.sql::<i64>("SELECT count(DISTINCT clave) FROM clientes").await, 20_000);
    let last = company.admin().await.get("/clientes?clave=20000").await.ok(200);
    assert_eq!(last["datos"][0]["nombre"], "Cliente 20000");
}

/// PostgreSQL plans a table that it has not analysed by guesses.
#[tokio::test]
async fn a_large_import_leaves_statistics_of_its_table() {
    let world = World::new().await;
    let company = world.company().await;
    world.run("ALTER TABLE clientes SET (autovacuum_enabled = false)").await;
    let known = async || world.sql::<i64>("SELECT reltuples::bigint FROM pg_class WHERE relname = 'clientes'").await;
    let unknown = known().await;
    assert_eq!(company.import(Resource::Clientes, &customers(999)).await, Ok(999));
    let mut bad = customers(2_000);
    bad.push(json!({"nombre": 7}));
    company.import(Resource::Clientes, &bad).await.unwrap_err();
    assert_eq!(known().await, unknown);
    assert_eq!(company.import(Resource::Clientes, &customers(2_000)).await, Ok(2_000));
    assert_eq!(known().await, 2_999);
    // A small part of the table changes no plan.
    world.run("UPDATE pg_class SET reltuples = 20000 WHERE relname = 'clientes'").await;
    assert_eq!(company.import(Resource::Clientes, &customers(1_500)).await, Ok(1_500));
    assert_eq!(known().await, 20_000);
}

#[tokio::test]
async fn empty_lines_are_passed_over_but_counted() {
    let company = World::new().await.company().await;
    let good = "\n  \n{\"nombre\":\"Ana\"}\r\n\t\r\n{\"nombre\":\"Eva\"}\n\n";
    assert_eq!(company.import_lines(Resource::Clientes, lines(good)).await, Ok(2));
    let bad = "\n{\"nombre\":\"Ana\"}\n\n \n{\"nombre\":7}\n";
    blames(company.import_lines(Resource::Clientes, lines(bad)).await, 5, "nombre: ");
    let taken = "\n\n{\"nombre\":\"Ana\"}\n\n{\"nombre\":\"Ana\",\"clave\":1}\n\n";
    blames(company.import_lines(Resource::Clientes, lines(taken)).await, 5, "clave: ");
    for nothing in ["", "\n\n", "  \n"] {
        assert_eq!(company.import_lines(Resource::Clientes, lines(nothing)).await, Ok(0));
    }
    assert_eq!(company.world.count("clientes").await, 2);
}

#[tokio::test]
async fn more_empty_lines_than_a_batch_do_not_end_the_file() {
    let company = World::new().await.company().await;
    let file = format!("{{\"nombre\":\"Ana\"}}\n{}{{\"nombre\":\"Eva\"}}\n{{\"otro\":1}}\n", "\n".repeat(3_000));
    blames(company.import_lines(Resource::Clientes, lines(&file)).await, 3_003, "otro: ");
}

#[tokio::test]
async fn a_line_that_cannot_be_read_undoes_all() {
    let company = World::new().await.company().await;
    let mut lines: Vec<_> = customers(1_500).into_iter().map(|record| Ok(record.to_string().into_bytes())).collect();
    lines.push(Err(io::Error::other("the disk is gone")));
    let error = company.import_lines(Resource::Clientes, lines).await.unwrap_err();
    assert!(error.starts_with("line 1501: ") && error.contains("the disk is gone"), "{error}");
    assert_eq!(company.world.count("clientes").await, 0);
}

#[tokio::test]
async fn every_bad_line_up_to_the_tenth_is_named() {
    let company = World::new().await.company().await;
    // What a line says by itself, and what the database says of it.
    let mut records = customers(2_500);
    records[4] = json!({"nombre": "Ana", "rfc": "no es uno"});
    records[1_200] = json!({"nombre": "Ana", "vendedor": 99});
    records[1_300] = json!({"nombre": "Ana", "clave": 7});
    records[2_400] = json!({"nombre": 7});
    let error = company.import(Resource::Clientes, &records).await.unwrap_err();
    let named: Vec<_> = error.split("; ").map(|line| line.split(": ").take(2).collect::<Vec<_>>().join(": ")).collect();
    assert_eq!(named, ["línea 5: rfc", "línea 1201: vendedor", "línea 1301: clave", "línea 2401: nombre"], "{error}");

    for bad in [json!({"nombre": 7}), json!({"nombre": "Ana", "vendedor": 99})] {
        let mut records = customers(3_000);
        records[100..113].fill(bad);
        let error = company.import(Resource::Clientes, &records).await.unwrap_err();
        assert_eq!(error.matches("línea ").count(), 10, "{error}");
        assert!(error.starts_with("línea 101: ") && error.contains("; línea 110: "), "{error}");
        assert!(error.ends_with("; quedan 2890 líneas sin revisar"), "{error}");
    }
    assert_eq!(company.world.count("clientes").await, 0);
}

#[tokio::test]
async fn an_array_is_refused_with_an_explanation_of_ndjson() {
    let company = World::new().await.company().await;
    for file in ["[{\"nombre\":\"Ana\"},\n{\"nombre\":\"Eva\"}]", "{\n  \"nombre\": \"Ana\"\n}\n", "[\n{}\n]"] {
        let error = company.import_lines(Resource::Clientes, lines(file)).await.unwrap_err();
        assert!(error.starts_with("línea 1: el archivo es NDJSON: en cada línea un objeto JSON completo"), "{error}");
        assert_eq!(error.matches("línea 2").count(), 0, "{error}");
    }
}

#[tokio::test]
async fn a_number_may_have_an_exponent() {
    let company = World::new().await.company().await;
    let file = "{\"sku\":\"A\",\"clave\":1e1,\"costo\":5e-05}\n";
    assert_eq!(company.import_lines(Resource::Productos, lines(file)).await, Ok(1));
    let costo: String = company.world.sql("SELECT costo::text FROM productos WHERE clave = 10").await;
    assert_eq!(costo, "0.000050");
    for bad in ["5e-07", "1e999999999", "\"5e-05\""] {
        let file = format!("{{\"sku\":\"B\",\"costo\":{bad}}}");
        blames(company.import_lines(Resource::Productos, lines(&file)).await, 1, "costo: ");
    }
}

#[tokio::test]
async fn importing_emits_no_events() {
    let company = World::new().await.company().await;
    company.load(Resource::Clientes, &customers(3)).await;
    company.load(Resource::Productos, &[json!({"sku": "A"})]).await;
    assert_eq!(company.world.count("emitidos").await, 0);
}

#[tokio::test]
async fn companies_are_separate() {
    let world = World::new().await;
    let [one, other] = [world.company().await, world.company().await];
    let customer = json!({"clave": 5, "nombre": "Ana", "rfc": "EKU9003173C9"});
    let product = json!({"clave": 5, "sku": "A", "marca": "Truper", "categoria": "Todo", "unidad": 90});
    for company in [&one, &other] {
        company.load(Resource::Clientes, std::slice::from_ref(&customer)).await;
        company.load(Resource::Marcas, &[json!({"nombre": "Truper"})]).await;
        company.load(Resource::Categorias, &[json!({"nombre": "Todo"})]).await;
        company.load(Resource::Unidades, &[json!({"clave": 90, "nombre": "Pieza"})]).await;
        company.load(Resource::Productos, std::slice::from_ref(&product)).await;
    }
    // A company cannot refer to another's records.
    one.load(Resource::Marcas, &[json!({"nombre": "Solo de una"})]).await;
    one.load(Resource::Unidades, &[json!({"clave": 91, "nombre": "Caja"})]).await;
    let seller = one.user("Vendedora", true).await;
    let refused = other.import(Resource::Productos, &[json!({"marca": "Solo de una"})]).await;
    blames(refused, 1, "marca: ");
    blames(other.import(Resource::Productos, &[json!({"unidad": 91})]).await, 1, "unidad: ");
    let refused = other.import(Resource::Clientes, &[json!({"nombre": "Ana", "vendedor": seller})]).await;
    blames(refused, 1, "vendedor: ");
    one.load(Resource::Clientes, &[json!({"nombre": "Ana", "vendedor": seller})]).await;
}

#[tokio::test]
async fn an_import_into_a_missing_company_writes_nothing() {
    let world = World::new().await;
    let nobody = Company { world: world.clone(), id: CompanyId(99), owner: 1 };
    let outcome = nobody.import(Resource::Clientes, &customers(1)).await;
    assert!(outcome.unwrap_err().contains("99"));
    assert_eq!(world.count("clientes").await, 0);
}

#[tokio::test]
async fn every_datum_of_a_customer_is_kept() {
    let company = World::new().await.company().await;
    let customer = json!({
        "clave": 7, "folio": "F-7", "nombre": "Tab\tbarra\\N, línea\nñ", "razon_social": "Ñ".repeat(255),
        "rfc": "EKU9003173C9", "correo": "a@x.mx,b@x.mx", "telefono": "5512345678", "movil": "5587654321",
        "prospecto": true, "id_platform_a": "\\.", "id_platform_b": "B", "id_platform_c": "C", "id_platform_d": "D",
        "id_platform_e": "E", "publico": true, "proximo_contacto": "2024-02-29", "modificado": "2020-01-02T03:04:05Z",
        "regimen": 601, "uso_cfdi": "G03", "cp": "06000", "calle": "Av. Juárez 1", "colonia": "Centro", "pais": 264,
        "vendedor": company.owner, "limite_credito": "123456789012.123456", "dias_credito": 365, "lista": 1,
        "plataforma": "e",
    });
    company.load(Resource::Clientes, std::slice::from_ref(&customer)).await;
    let row: String = company
        .world
        .sql("SELECT (to_jsonb(c) || jsonb_build_object('limite_credito', limite_credito::text))::text FROM clientes c")
        .await;
    let row: Value = serde_json::from_str(&row).unwrap();
    for (field, value) in customer.as_object().unwrap() {
        let stored = if field == "modificado" { json!("2020-01-02T03:04:05+00:00") } else { value.clone() };
        assert_eq!(row[field], stored, "{field}");
    }
}

fn lines(file: &str) -> Vec<io::Result<Vec<u8>>> {
    file.split('\n').map(|line| Ok(line.as_bytes().to_vec())).collect()
}
