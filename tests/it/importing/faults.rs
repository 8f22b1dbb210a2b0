//! Bad lines are named by number and field.

use serde_json::{Value, json};
use svc_tests::imports::{blames, customers};
use svc_tests::{Company, Resource, World};

#[tokio::test]
async fn a_line_that_is_not_an_object_is_named() {
    let company = World::new().await.company().await;
    for bad in [
        &b"{"[..],
        b"[]",
        b"null",
        b"nombre",
        br#"{"nombre":"Ana"} {}"#,
        br#"{"nombre":"Ana","nombre":"Ana"}"#,
        b"{\"nombre\":\"\xff\"}",
    ] {
        let lines = [br#"{"nombre":"Ana"}"#, bad, br#"{"nombre":"Ana"}"#].map(|line| Ok(line.to_vec()));
        blames(company.import_lines(Resource::Clientes, lines).await, 2, "");
    }
    assert_eq!(rows(&company).await, 0);
}

#[tokio::test]
async fn a_customer_s_bad_field_is_named() {
    let company = World::new().await.company().await;
    for (field, value) in [
        ("clave", json!("1")),
        ("clave", json!(0)),
        ("clave", json!(-1)),
        ("clave", json!(1.5)),
        ("folio", json!(7)),
        ("nombre", json!("ñ".repeat(101))),
        ("nombre", json!("a\0b")),
        ("rfc", json!("ABC010230AB1")),
        ("correo", json!(["a@x.mx"])),
        ("telefono", json!(5_512_345_678_i64)),
        ("prospecto", json!("true")),
        ("publico", json!(1)),
        ("id_platform_a", json!(7)),
        ("proximo_contacto", json!("2026-02-30")),
        ("proximo_contacto", json!("2026-02-03T00:00:00Z")),
        ("modificado", json!("2026-02-03")),
        ("modificado", json!("2026-02-03T00:00:00-06:00")),
        ("regimen", json!("601")),
        ("regimen", json!(600)),
        ("uso_cfdi", json!("P01")),
        ("cp", json!("0600")),
        ("cp", json!("00001")),
        ("pais", json!(0)),
        ("limite_credito", json!(-1)),
        ("limite_credito", json!("1,000")),
        ("dias_credito", json!(366)),
        ("dias_credito", json!(-1)),
        ("plataforma", json!("f")),
        ("vendedor", json!(99)),
        ("lista", json!(0)),
        ("otro", json!(1)),
        ("Nombre", json!("Ana")),
        ("saldo", json!("0.00")),
    ] {
        let mut bad = json!({"nombre": "Ana"});
        bad[field] = value.clone();
        let outcome =
            company.import(Resource::Clientes, &[json!({"nombre": "Ana"}), bad, json!({"nombre": "Ana"})]).await;
        blames(outcome, 2, &format!("{field}: "));
    }
    assert_eq!(rows(&company).await, 0);
}

#[tokio::test]
async fn a_product_s_bad_field_is_named() {
    let company = World::new().await.company().await;
    for (field, value) in [
        ("clave", json!(0)),
        ("sku", json!("ñ".repeat(101))),
        ("sku", json!(7)),
        ("descripcion", json!("ñ".repeat(501))),
        ("estatus", json!("baja")),
        ("estatus", json!(true)),
        ("tipo", json!("A")),
        ("subtipo", json!("pieza")),
        ("kit", json!("no")),
        ("clave_padre", json!(-1)),
        ("clave_padre", json!(99)),
        ("codigo_sat", json!("99999999")),
        ("codigo_sat", json!("123")),
        ("marca", json!("Nadie")),
        ("marca", json!(1)),
        ("categoria", json!("Ninguna")),
        ("clave_categoria", json!(1)),
        ("clave_marca", json!(1)),
        ("unidad", json!(99)),
        ("unidad", json!("H87")),
        ("iva_venta", json!("15")),
        ("iva_compra", json!("16.0")),
        ("iva_venta", json!(16)),
        ("objeto_impuesto", json!("99")),
        ("costo", json!("-1")),
        ("costo", json!("1.1234567")),
        ("costo", json!(1e30)),
        ("codigo_barras", json!("1".repeat(19))),
        ("precio", json!("1.00")),
    ] {
        let mut bad = json!({"sku": "B"});
        bad[field] = value.clone();
        let outcome = company.import(Resource::Productos, &[json!({"sku": "A"}), bad, json!({"sku": "C"})]).await;
        blames(outcome, 2, &format!("{field}: "));
    }
    assert_eq!(rows(&company).await, 0);
}

#[tokio::test]
async fn the_catalogues_bad_fields_are_named() {
    let company = World::new().await.company().await;
    company.load(Resource::Marcas, &[json!({"nombre": "Truper", "clave": 7})]).await;
    for (resource, bad, field) in [
        (Resource::Unidades, json!({}), "nombre"),
        (Resource::Unidades, json!({"nombre": "Caja", "clave_sat": "ZZZ"}), "clave_sat"),
        (Resource::Unidades, json!({"nombre": "Caja", "estatus": "eliminado"}), "estatus"),
        (Resource::Marcas, json!({"nombre": ""}), "nombre"),
        (Resource::Marcas, json!({"nombre": "Truper"}), "nombre"),
        (Resource::Marcas, json!({"nombre": "Pretul", "clave": 7}), "clave"),
        (Resource::Marcas, json!({"nombre": "Pretul", "estatus": "inactivo"}), "estatus"),
        (Resource::Categorias, json!({"nombre": "Todo", "padre": 99}), "padre"),
        (Resource::Categorias, json!({"nombre": "Todo", "padre": "Todo"}), "padre"),
        (Resource::Categorias, json!({"nombre": "Todo", "estatus": "eliminado"}), "estatus"),
        (Resource::Categorias, json!({"nombre": "Todo", "folio": "1"}), "folio"),
    ] {
        let outcome = company.import(resource, &[json!({"nombre": "Bien"}), bad, json!({"nombre": "También"})]).await;
        blames(outcome, 2, &format!("{field}: "));
    }
}

#[tokio::test]
async fn duplicates_are_refused_within_the_file_and_against_the_company() {
    let company = World::new().await.company().await;
    let plain = json!({"nombre": "Ana"});
    let rfc = json!({"nombre": "Ana", "rfc": "EKU9003173C9"});
    let clave = json!({"nombre": "Ana", "clave": 50});
    let sku = json!({"sku": "A"});
    let within = |record: &Value, filler: &Value| [record.clone(), filler.clone(), record.clone(), filler.clone()];
    blames(company.import(Resource::Clientes, &within(&rfc, &plain)).await, 3, "rfc: ");
    blames(company.import(Resource::Clientes, &within(&clave, &plain)).await, 3, "clave: ");
    blames(company.import(Resource::Productos, &within(&sku, &json!({}))).await, 3, "sku: ");

    company.load(Resource::Clientes, &[rfc.clone(), clave.clone()]).await;
    company.load(Resource::Productos, std::slice::from_ref(&sku)).await;
    blames(company.import(Resource::Clientes, &[plain.clone(), rfc]).await, 2, "rfc: ");
    blames(company.import(Resource::Clientes, &[plain, clave]).await, 2, "clave: ");
    blames(company.import(Resource::Productos, &[json!({}), sku.clone()]).await, 2, "sku: ");
    // A SKU belongs to one active product; a generic RFC may repeat.
    let mut deleted = sku;
    deleted["estatus"] = json!("eliminado");
    assert_eq!(company.import(Resource::Productos, &[deleted.clone(), deleted]).await, Ok(2));
    let public = json!({"nombre": "Público", "rfc": "XAXX010101000"});
    assert_eq!(company.import(Resource::Clientes, &[public.clone(), public]).await, Ok(2));
}

#[tokio::test]
async fn the_bad_line_is_named_in_every_batch() {
    let company = World::new().await.company().await;
    let taken = json!({"nombre": "Ana", "rfc": "EKU9003173C9"});
    company.load(Resource::Clientes, std::slice::from_ref(&taken)).await;
    for at in [1, 2, 999, 1_000, 1_001, 1_002, 1_500, 2_000, 2_001] {
        for (bad, field) in [(taken.clone(), "rfc: "), (json!({"nombre": 7}), "nombre: ")] {
            let mut records = customers(2_001);
            records[at - 1] = bad;
            blames(company.import(Resource::Clientes, &records).await, at, field);
        }
    }
    assert_eq!(company.world.count("clientes").await, 1);
}

#[tokio::test]
async fn a_duplicate_across_batches_is_named_at_its_second_line() {
    let company = World::new().await.company().await;
    for (first, again) in [(1, 1_001), (1_000, 1_001), (5, 2_300)] {
        let mut records = customers(2_400);
        for at in [first, again] {
            records[at - 1] = json!({"nombre": "Ana", "rfc": "EKU9003173C9"});
        }
        blames(company.import(Resource::Clientes, &records).await, again, "rfc: ");
    }
    assert_eq!(rows(&company).await, 0);
}

#[tokio::test]
async fn the_first_of_several_bad_lines_is_named() {
    let company = World::new().await.company().await;
    let mut records = customers(900);
    for at in [300, 301, 600, 899] {
        records[at] = json!({"nombre": "Ana", "vendedor": 99});
    }
    records[450] = json!({"nombre": "Ana", "clave": 1_000_000});
    records[451] = records[450].clone();
    blames(company.import(Resource::Clientes, &records).await, 301, "vendedor: ");
}

#[tokio::test]
async fn a_forward_reference_is_not_blamed_for_anothers_fault() {
    let child_and_parent = [json!({"sku": "HIJO", "clave_padre": 10}), json!({"sku": "PADRE", "clave": 10})];
    let company = World::new().await.company().await;
    assert_eq!(company.import(Resource::Productos, &child_and_parent).await, Ok(2));
    let company = World::new().await.company().await;
    let mut records = child_and_parent.to_vec();
    records.push(json!({"sku": "PADRE"}));
    blames(company.import(Resource::Productos, &records).await, 3, "sku: ");
}

#[tokio::test]
async fn lines_are_validated_alike_at_any_distance() {
    let category = |name: &str| json!({"nombre": name});
    let mut unlike = Vec::new();
    for (resource, first, last, filler) in [
        (Resource::Productos, json!({"clave_padre": 5_000}), json!({"clave": 5_000}), json!({})),
        (
            Resource::Categorias,
            json!({"nombre": "A", "padre": 5_000}),
            json!({"nombre": "B", "clave": 5_000}),
            category("C"),
        ),
        (Resource::Clientes, json!({"nombre": "Ana"}), json!({"nombre": "Ana", "clave": 1}), json!({"nombre": "Ana"})),
    ] {
        let mut outcomes = Vec::new();
        for far in [0, 1_500] {
            let company = World::new().await.company().await;
            let mut records = vec![first.clone()];
            records.extend(std::iter::repeat_n(filler.clone(), far));
            records.push(last.clone());
            outcomes.push(company.import(resource, &records).await);
        }
        if outcomes[0].is_ok() != outcomes[1].is_ok() {
            unlike.push((resource, outcomes));
        }
    }
    assert!(unlike.is_empty(), "{unlike:#?}");
}

#[tokio::test]
async fn a_parent_may_come_much_later_and_its_absence_is_blamed_on_the_first_child() {
    let children = [json!({"clave": 1, "clave_padre": 5_000}), json!({"clave": 2, "clave_padre": 1})];
    let filler = std::iter::repeat_n(json!({}), 1_500);
    let company = World::new().await.company().await;
    let records: Vec<_> = children.clone().into_iter().chain(filler.clone()).chain([json!({"clave": 5_000})]).collect();
    assert_eq!(company.import(Resource::Productos, &records).await, Ok(1_503));
    let parents = "SELECT jsonb_object_agg(clave, clave_padre)::text FROM productos WHERE clave_padre IS NOT NULL";
    assert_eq!(company.world.json(parents).await, json!({"1": 5_000, "2": 1}));
    let company = World::new().await.company().await;
    let records: Vec<_> = children.into_iter().chain(filler).chain([json!({"clave_padre": 6_000})]).collect();
    blames(company.import(Resource::Productos, &records).await, 1, "clave_padre: ");
}

#[tokio::test]
async fn no_record_descends_from_itself() {
    let company = World::new().await.company().await;
    for (resource, name, parent) in
        [(Resource::Categorias, "nombre", "padre"), (Resource::Productos, "sku", "clave_padre")]
    {
        let record = |clave: i64, above: Option<i64>| json!({"clave": clave, name: clave.to_string(), parent: above});
        let far = (100..1_500).map(|clave| record(clave, Some(clave - 1)));
        for (line, records) in [
            (1, vec![record(1, Some(1))]),
            (2, vec![record(3, Some(2)), record(1, Some(2)), record(2, Some(1))]),
            (1, [record(98, Some(1_499)), record(99, Some(98))].into_iter().chain(far).collect()),
        ] {
            blames(company.import(resource, &records).await, line, &format!("{parent}: "));
        }
        let chain = (1..1_500).map(|clave| record(clave, Some(clave + 1))).chain([record(1_500, None)]);
        assert_eq!(company.import(resource, &chain.collect::<Vec<_>>()).await, Ok(1_500));
    }
}

#[tokio::test]
async fn two_categories_are_not_put_below_each_other_at_once() {
    let company = World::new().await.company().await;
    let categories: Vec<_> = (1..=40).map(|clave| json!({"clave": clave, "nombre": clave.to_string()})).collect();
    company.load(Resource::Categorias, &categories).await;
    for pair in 0..20 {
        let (one, other) = (2 * pair + 1, 2 * pair + 2);
        let (below, above) = (json!({"clave": one, "padre": other}), json!({"clave": other, "padre": one}));
        let (first, second) =
            tokio::join!(company.run_by_name("category.edit", &below), company.run_by_name("category.edit", &above));
        assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    }
}

/// The numbers of customers and products.
async fn rows(company: &Company) -> i64 {
    company.world.sql("SELECT (SELECT count(*) FROM clientes) + (SELECT count(*) FROM productos)").await
}
