//! `/inventario`

use serde_json::{Value, json};
use svc_tests::imports::blames;
use svc_tests::lists::{claves, finds, pick, shows};
use svc_tests::{Company, Resource, World};

#[tokio::test]
async fn an_item_has_every_field() {
    let company = catalogue(World::new().await.company().await).await;
    let records = [
        json!({
            "clave": 7, "producto": 1, "almacen": "B01", "existencia": 12.5, "apartado": -2.25, "minimo": 3,
            "modificado": "2026-01-02T03:04:05Z",
        }),
        json!({"sku": "TOR-2", "almacen": "001"}),
        json!({"producto": 5, "almacen": "001"}),
    ];
    assert_eq!(company.import(Resource::Inventario, &records).await, Ok(3));
    let shown = [
        r#"{"clave":7,"producto":1,"sku":"TOR-1","almacen":"B01","sucursal":2,"existencia":12.5,"apartado":-2.25,"minimo":3,"disponible":10.25,"modificado":"2026-01-02T03:04:05Z"}"#,
        r#"{"clave":8,"producto":2,"sku":"TOR-2","almacen":"001","sucursal":0,"existencia":0,"apartado":0,"minimo":0,"disponible":0,"modificado":"2026-10-12T18:00:00Z"}"#,
        r#"{"clave":9,"producto":5,"sku":null,"almacen":"001","sucursal":0,"existencia":0,"apartado":0,"minimo":0,"disponible":0,"modificado":"2026-10-12T18:00:00Z"}"#,
    ];
    shows(&company.admin().await, "/inventario", &shown).await;
}

#[tokio::test]
async fn available_is_existing_less_reserved_with_a_floor() {
    let company = catalogue(World::new().await.company().await).await;
    let cases = [
        (1, "10", "3", "0", "7"),
        (2, "10", "-3", "0", "7"),
        (3, "10", "12", "1.5", "1.5"),
        (4, "-4", "0", "-10", "-4"),
        (5, "123456789012345.123456", "0.000001", "0", "123456789012345.123455"),
    ];
    // Sent as text, since a float cannot hold a number of that length.
    let lines = cases.map(|(producto, existencia, apartado, minimo, _)| {
        let quantities = format!(r#""existencia":{existencia},"apartado":{apartado},"minimo":{minimo}"#);
        Ok(format!(r#"{{"producto":{producto},"almacen":"001",{quantities}}}"#).into_bytes())
    });
    company.import_lines(Resource::Inventario, lines).await.unwrap();
    let body = company.admin().await.get("/inventario").await.body;
    let body = String::from_utf8_lossy(&body);
    for (producto, existencia, .., disponible) in cases {
        let record = body.split("},{").find(|record| record.contains(&format!("\"producto\":{producto},"))).unwrap();
        assert!(record.contains(&format!("\"existencia\":{existencia},")), "{record}");
        assert!(record.contains(&format!("\"disponible\":{disponible},")), "{record}");
    }
}

#[tokio::test]
async fn a_filter_finds_what_it_names() {
    let world = World::new().await;
    let [company, other] = [catalogue(world.company().await).await, catalogue(world.company().await).await];
    for company in [&company, &other] {
        company.load(Resource::Inventario, &seven()).await;
    }
    let ana = company.admin().await;
    finds(
        &ana,
        "/inventario",
        &[
            // Whatever the status of product or warehouse.
            ("", &[1, 2, 3, 4, 5, 6, 7]),
            ("clave=3", &[3]),
            ("clave=99", &[]),
            ("sku=TOR-1", &[1, 2, 4, 5]),
            ("sku=TOR-2", &[3, 7]),
            ("sku=tor-1", &[]),
            ("sku=TOR-_", &[]),
            ("almacen=001", &[1, 3]),
            ("almacen=B01", &[2, 4]),
            ("almacen=B02", &[5, 6, 7]),
            ("almacen=b01", &[]),
            ("almacen=B__", &[]),
            ("almacen=002", &[]),
            ("sucursal=0", &[1, 3]),
            ("sucursal=2", &[2, 4, 5, 6, 7]),
            ("sucursal=5", &[]),
            ("sucursal=9", &[]),
            ("modificado_desde=2026-03-01", &[5, 6, 7]),
            ("modificado_desde=2026-03-01T00:00:01Z", &[6, 7]),
        ],
    )
    .await;
    let ana = company.admin().await;
    finds(
        &ana,
        "/inventario",
        &[
            ("sku=TOR-1&almacen=B01", &[2, 4]),
            ("sku=TOR-1&sucursal=2", &[2, 4, 5]),
            ("sku=TOR-1&sucursal=0", &[1]),
            ("almacen=B01&sucursal=2", &[2, 4]),
            ("almacen=B01&sucursal=0", &[]),
            ("clave=5&sucursal=2", &[5]),
            ("clave=5&sucursal=0", &[]),
            ("sucursal=2&modificado_desde=2026-03-01", &[5, 6, 7]),
            ("sucursal=2&modificado_desde=2026-03-01T00:00:01Z", &[6, 7]),
            ("sucursal=0&modificado_desde=2026-03-01", &[]),
            ("sku=TOR-1&sucursal=2&modificado_desde=2026-03-01", &[5]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_branch_is_walked_through_all_its_warehouses_in_order() {
    let company = World::new().await.company().await;
    company.load(Resource::Sucursales, &[json!({"clave": 2})]).await;
    let warehouses: Vec<_> = (0..4).map(|n| json!({"codigo": format!("W0{n}"), "sucursal": 2})).collect();
    company.load(Resource::Almacenes, &warehouses).await;
    let products: Vec<_> = (0..60).map(|n| json!({"sku": format!("P-{n}")})).collect();
    company.load(Resource::Productos, &products).await;
    // Rows alternate between the warehouses, with one of another branch now and then.
    let code = |n: i64| if n % 7 == 0 { "001".to_owned() } else { format!("W0{}", n * n % 4) };
    let rows: Vec<_> = (1..=60).map(|n| json!({"producto": n, "almacen": code(n)})).collect();
    company.load(Resource::Inventario, &rows).await;
    let ana = company.admin().await;
    let expected: Vec<i64> = (1..=60).filter(|n| n % 7 != 0).collect();
    for limit in [1, 3, 10, 500] {
        assert_eq!(claves(&ana.walk(&format!("/inventario?sucursal=2&limite={limit}")).await), expected, "{limit}");
    }
}

#[tokio::test]
async fn a_bad_record_is_named_by_line_and_field() {
    let company = catalogue(World::new().await.company().await).await;
    company.load(Resource::Inventario, &[json!({"producto": 1, "almacen": "001"})]).await;
    for (bad, text) in [
        (json!({"almacen": "001"}), "producto: hace falta producto o sku"),
        (json!({"producto": 99, "almacen": "001"}), "producto: no existe"),
        (json!({"producto": "TOR-1", "almacen": "001"}), "producto: "),
        (json!({"sku": "NADA", "almacen": "001"}), "sku: no existe"),
        (json!({"producto": 2}), "almacen: es obligatorio"),
        (json!({"producto": 2, "almacen": "099"}), "almacen: no existe"),
        (json!({"producto": 2, "almacen": "1"}), "almacen: debe tener 3 caracteres"),
        (json!({"producto": 2, "almacen": 1}), "almacen: "),
        (json!({"producto": 2, "almacen": "B01", "clave": 1}), "clave: ya existe"),
        (json!({"producto": 2, "almacen": "B01", "existencia": "1"}), "existencia: "),
        (json!({"producto": 2, "almacen": "B01", "apartado": true}), "apartado: "),
        (json!({"producto": 2, "almacen": "B01", "minimo": 1e300}), "minimo: "),
        (json!({"producto": 2, "almacen": "B01", "disponible": "1"}), "disponible: "),
        (json!({"producto": 2, "almacen": "B01", "sucursal": "x"}), "sucursal: "),
        (json!({"producto": 2, "almacen": "B01", "modificado": "ayer"}), "modificado: "),
        (json!({"producto": 2, "almacen": "B01", "costo": "1.00"}), "costo: "),
        // One row per product and warehouse.
        (json!({"producto": 1, "almacen": "001"}), "producto: ya existe"),
        (json!({"sku": "TOR-1", "almacen": "001"}), "producto: ya existe"),
        (json!({"producto": 5, "almacen": "001"}), "producto: ya existe"),
    ] {
        let lines = [json!({"producto": 5, "almacen": "001"}), bad, json!({"producto": 5, "almacen": "B01"})];
        blames(company.import(Resource::Inventario, &lines).await, 2, text);
    }
    assert_eq!(company.world.count("inventario").await, 1);
}

#[tokio::test]
async fn a_sku_means_the_active_product_and_null_is_absent() {
    let company = catalogue(World::new().await.company().await).await;
    let nulls = json!({
        "clave": null, "producto": null, "sku": "TOR-1", "almacen": "001", "sucursal": null, "existencia": null,
        "apartado": null, "minimo": null, "disponible": null, "modificado": null,
    });
    // `producto` has precedence over `sku`; computed fields are not stored.
    let odd = json!({"producto": 4, "sku": "TOR-2", "almacen": "001", "sucursal": 99, "disponible": 7});
    company.load(Resource::Inventario, &[nulls, odd]).await;
    let records = company.admin().await.walk("/inventario").await;
    let shown: Vec<_> =
        records.iter().map(|record| pick(record, &["producto", "sku", "sucursal", "disponible"])).collect();
    assert_eq!(
        shown,
        [
            json!({"producto": 1, "sku": "TOR-1", "sucursal": 0, "disponible": 0}),
            json!({"producto": 4, "sku": "TOR-1", "sucursal": 0, "disponible": 0}),
        ]
    );
    assert_eq!(records[0]["modificado"], "2026-10-12T18:00:00Z");
}

#[tokio::test]
async fn listed_records_can_be_imported_and_emit_no_event() {
    let world = World::new().await;
    let [one, other] = [catalogue(world.company().await).await, catalogue(world.company().await).await];
    one.load(Resource::Inventario, &seven()).await;
    let shown = one.admin().await.walk("/inventario").await;
    assert_eq!(shown.len(), 7);
    shows(&other.admin().await, "/inventario", &[]).await;
    assert_eq!(other.import(Resource::Inventario, &shown).await, Ok(7));
    assert_eq!(other.admin().await.walk("/inventario").await, shown);
    assert_eq!(world.count("emitidos").await, 0);
    assert_eq!(world.count("movimientos_inventario").await, 0);
}

/// Five products, three of them with the same SKU, and warehouses of two branches, one of them
/// deleted.
pub(crate) async fn catalogue(company: Company) -> Company {
    let products = [
        json!({"sku": "TOR-1"}),
        json!({"sku": "TOR-2"}),
        json!({"sku": "TOR-1", "estatus": "inactivo"}),
        json!({"sku": "TOR-1", "estatus": "eliminado"}),
        json!({}),
    ];
    company.load(Resource::Productos, &products).await;
    company.load(Resource::Sucursales, &[json!({"clave": 2}), json!({"clave": 5})]).await;
    let warehouses =
        [json!({"codigo": "B01", "sucursal": 2}), json!({"codigo": "B02", "sucursal": 2, "estatus": "eliminado"})];
    company.load(Resource::Almacenes, &warehouses).await;
    company
}

fn seven() -> Vec<Value> {
    let row = |producto: i64, almacen: &str, modificado: &str| json!({"producto": producto, "almacen": almacen, "existencia": producto, "modificado": modificado});
    vec![
        row(1, "001", "2026-02-01T00:00:00Z"),
        row(1, "B01", "2026-02-01T00:00:00Z"),
        row(2, "001", "2026-02-28T23:59:59Z"),
        row(3, "B01", "2026-02-28T23:59:59Z"),
        row(4, "B02", "2026-03-01T00:00:00Z"),
        row(5, "B02", "2026-03-02T00:00:00Z"),
        row(2, "B02", "2026-03-03T00:00:00Z"),
    ]
}
