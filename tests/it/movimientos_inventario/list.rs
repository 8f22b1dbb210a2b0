//! `GET /movimientos-inventario`

use serde_json::{Value, json};
use svc_core::domain::scope::Scope;
use svc_tests::lists::{claves, finds, pick, refuses, shows};
use svc_tests::{Company, Resource, World};

use crate::inventario::catalogue;

const PATH: &str = "/movimientos-inventario";

#[tokio::test]
async fn an_item_has_every_field() {
    let company = catalogue(World::new().await.company().await).await;
    let records = [
        json!({
            "clave": 7, "fecha": "2026-01-02T03:04:05Z", "tipo": "traspaso_salida", "producto": 1, "cantidad": 2.5,
            "existencia_anterior": 10, "existencia_actual": 7.5, "almacen": "1", "almacen_destino": "B01", "venta": 3,
            "compra": 4, "costo_unitario": "12.345678", "importe": "31", "referencia": "Folio 9",
        }),
        json!({"tipo": "saldo_inicial", "venta": 3, "cantidad": 4, "almacen": "001"}),
    ];
    assert_eq!(company.import(Resource::MovimientosInventario, &records).await, Ok(2));
    let shown = [
        r#"{"clave":7,"fecha":"2026-01-02T03:04:05Z","tipo":"traspaso_salida","sentido":"salida","producto":1,"sku":"TOR-1","cantidad":2.5,"existencia_anterior":10,"existencia_actual":7.5,"almacen":"1","almacen_destino":"B01","venta":3,"compra":4,"costo_unitario":"12.345678","importe":"31.00","referencia":"Folio 9"}"#,
        r#"{"clave":8,"fecha":"2026-10-12T18:00:00Z","tipo":"saldo_inicial","sentido":null,"producto":null,"sku":null,"cantidad":4,"existencia_anterior":0,"existencia_actual":4,"almacen":"001","almacen_destino":null,"venta":3,"compra":null,"costo_unitario":null,"importe":null,"referencia":null}"#,
    ];
    shows(&company.actor(&[Scope::KardexRead]).await, &format!("{PATH}?venta=3"), &shown).await;
}

#[tokio::test]
async fn the_ledger_is_read_for_one_product_or_document_only() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    refuses(
        &ana,
        PATH,
        &[
            ("", "filtro_requerido"),
            ("tipo=venta", "filtro_requerido"),
            ("limite=5", "filtro_requerido"),
            ("venta=1&cursor=x", "cursor_invalido"),
        ],
    )
    .await;
    for query in ["sku=x", "venta=1", "clave=1", "sku=x&venta=1&clave=1&tipo=venta"] {
        ana.get(&format!("{PATH}?{query}")).await.ok(200);
    }
}

#[tokio::test]
async fn the_kind_decides_whether_stock_is_added_or_removed() {
    let company = World::new().await.company().await;
    let entrada = [
        "registro",
        "traspaso_entrada",
        "ajuste_entrada",
        "compra",
        "cancelacion_venta",
        "devolucion_nota_credito",
        "produccion",
        "devolucion",
    ];
    let salida = [
        "traspaso_salida",
        "ajuste_salida",
        "cancelacion_compra",
        "venta",
        "cancelacion_nota_credito",
        "orden_servicio",
        "merma",
    ];
    let kinds: Vec<(&str, &str, Value)> = (entrada.map(|kind| (kind, kind, json!("entrada"))).into_iter())
        .chain(salida.map(|kind| (kind, kind, json!("salida"))))
        .chain(["saldo_inicial", "salida_embarque"].map(|kind| (kind, kind, Value::Null)))
        .chain(["Venta", "ajuste", "conteo cíclico", "desconocido"].map(|kind| (kind, "desconocido", Value::Null)))
        .collect();
    let records: Vec<_> =
        (kinds.iter()).map(|(kind, ..)| json!({"tipo": kind, "venta": 1, "cantidad": 1, "almacen": "001"})).collect();
    company.load(Resource::MovimientosInventario, &records).await;
    let ana = company.admin().await;
    let shown = ana.walk(&format!("{PATH}?venta=1")).await;
    assert_eq!(shown.len(), 21);
    for (clave, (record, (kind, word, sentido))) in (1..).zip(shown.iter().zip(&kinds)) {
        assert_eq!((record["tipo"].as_str(), &record["sentido"]), (Some(*word), sentido), "{kind}");
        if *word != "desconocido" {
            finds(&ana, PATH, &[(&format!("venta=1&tipo={kind}"), &[clave])]).await;
        }
    }
}

#[tokio::test]
async fn a_filter_finds_what_it_names() {
    let world = World::new().await;
    let [company, other] = [catalogue(world.company().await).await, catalogue(world.company().await).await];
    for company in [&company, &other] {
        company.load(Resource::MovimientosInventario, &eleven()).await;
    }
    let ana = company.admin().await;
    finds(
        &ana,
        PATH,
        &[
            // Products 1, 3 and 4 have the SKU, whatever the movement recorded; 6 to 8 name missing
            // products.
            ("sku=TOR-1", &[1, 2, 4, 5, 6, 8, 10]),
            ("sku=TOR-2", &[3, 11]),
            ("sku=VIEJO", &[7, 9]),
            ("sku=tor-1", &[]),
            ("sku=TOR-_", &[]),
            ("sku=%25", &[]),
            ("venta=10", &[1, 3, 6]),
            ("venta=11", &[2, 9]),
            ("venta=12", &[]),
            ("clave=5", &[5]),
            ("clave=99", &[]),
            ("sku=TOR-1&venta=10", &[1, 6]),
            ("sku=VIEJO&venta=11", &[9]),
            ("sku=TOR-2&venta=11", &[]),
            ("sku=TOR-1&clave=4", &[4]),
            ("sku=TOR-1&clave=3", &[]),
            ("venta=10&clave=3", &[3]),
            ("venta=11&clave=3", &[]),
        ],
    )
    .await;
    let ana = company.admin().await;
    finds(
        &ana,
        PATH,
        &[
            ("sku=TOR-1&tipo=venta", &[1, 2, 4, 8]),
            ("sku=TOR-1&tipo=compra", &[5, 6, 10]),
            ("sku=TOR-1&tipo=merma", &[]),
            ("venta=10&tipo=venta", &[1, 3]),
            ("clave=5&tipo=compra", &[5]),
            ("clave=5&tipo=venta", &[]),
            ("sku=TOR-1&venta=10&tipo=compra", &[6]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_sku_is_the_product_s_of_today_else_the_one_written_down() {
    let company = catalogue(World::new().await.company().await).await;
    company.load(Resource::MovimientosInventario, &eleven()).await;
    let ana = company.admin().await;
    let shown = |records: Vec<Value>| -> Vec<Value> {
        records.iter().map(|record| pick(record, &["clave", "producto", "sku"])).collect()
    };
    let row = |clave: i64, producto: i64, sku: &str| json!({"clave": clave, "producto": producto, "sku": sku});
    let ledger = ana.walk(&format!("{PATH}?sku=TOR-1")).await;
    assert_eq!(
        shown(ledger),
        [
            row(1, 1, "TOR-1"),
            row(2, 3, "TOR-1"),
            row(4, 1, "TOR-1"),
            row(5, 4, "TOR-1"),
            row(6, 77, "TOR-1"),
            row(8, 78, "TOR-1"),
            row(10, 1, "TOR-1"),
        ]
    );
    // A product with another SKU now, one that was deleted, one that lost its SKU.
    for statement in [
        "UPDATE productos SET sku = 'NUEVO' WHERE clave = 1 RETURNING clave",
        "DELETE FROM productos WHERE clave = 3 RETURNING clave",
        "UPDATE productos SET sku = NULL WHERE clave = 4 RETURNING clave",
    ] {
        company.world.sql::<i64>(statement).await;
    }
    finds(
        &ana,
        PATH,
        &[("sku=NUEVO", &[1, 4, 10]), ("sku=TOR-1", &[2, 5, 6, 8]), ("sku=VIEJO", &[7, 9]), ("sku=TOR-2", &[3, 11])],
    )
    .await;
    let ledger = ana.walk(&format!("{PATH}?sku=NUEVO")).await;
    assert_eq!(shown(ledger), [row(1, 1, "NUEVO"), row(4, 1, "NUEVO"), row(10, 1, "NUEVO")]);
    let ledger = ana.walk(&format!("{PATH}?sku=TOR-1&limite=1")).await;
    assert_eq!(shown(ledger), [row(2, 3, "TOR-1"), row(5, 4, "TOR-1"), row(6, 77, "TOR-1"), row(8, 78, "TOR-1")]);
}

#[tokio::test]
async fn a_long_ledger_is_walked_once_from_end_to_end() {
    let company = catalogue(World::new().await.company().await).await;
    // Movements alternate: of products that have the SKU, of a deleted one, of none, and with
    // another SKU.
    let product = |n: i64| [json!(1), json!(3), json!(77), Value::Null, json!(2)][(n * n % 7 % 5) as usize].clone();
    let kind = |n: i64| if n % 3 == 0 { "compra" } else { "venta" };
    let record = |n: i64| {
        // A movement without product belongs to the product that has its SKU, if there is one.
        json!({"producto": product(n), "sku": if product(n) == json!(2) { "TOR-2" } else { "SUELTO" },
               "tipo": kind(n), "cantidad": n, "almacen": "001"})
    };
    let records: Vec<_> = (1..=300).map(record).collect();
    company.load(Resource::MovimientosInventario, &records).await;
    company.load(Resource::Productos, &[json!({"clave": 10, "sku": "SUELTO"})]).await;
    let of = |wanted: &[Value]| -> Vec<i64> { (1..=300).filter(|n| wanted.contains(&product(*n))).collect() };
    let ana = company.admin().await;
    let loose = of(&[json!(77), Value::Null]);
    let bought: Vec<i64> = loose.iter().copied().filter(|n| n % 3 == 0).collect();
    for (query, expected) in [
        ("sku=TOR-1", of(&[json!(1), json!(3)])),
        ("sku=SUELTO", loose),
        ("sku=SUELTO&tipo=compra", bought),
        ("sku=TOR-2", of(&[json!(2)])),
    ] {
        for limit in [7, 50, 500] {
            let ledger = ana.walk(&format!("{PATH}?{query}&limite={limit}")).await;
            assert_eq!(claves(&ledger), expected, "{query}, {limit}");
        }
    }
}

fn eleven() -> Vec<Value> {
    let movement = |tipo: &str, producto: Value, sku: Value, venta: Value| json!({"tipo": tipo, "producto": producto, "sku": sku, "cantidad": 1, "almacen": "001", "venta": venta});
    let none = Value::Null;
    vec![
        movement("venta", json!(1), none.clone(), json!(10)),
        movement("venta", json!(3), json!("TOR-1"), json!(11)),
        movement("venta", json!(2), none.clone(), json!(10)),
        movement("venta", none.clone(), json!("TOR-1"), none.clone()),
        movement("compra", json!(4), none.clone(), none.clone()),
        movement("compra", json!(77), json!("TOR-1"), json!(10)),
        movement("compra", json!(77), json!("VIEJO"), none.clone()),
        movement("venta", json!(78), json!("TOR-1"), none.clone()),
        movement("venta", none.clone(), json!("VIEJO"), json!(11)),
        movement("compra", json!(1), json!("VIEJO"), none.clone()),
        movement("compra", json!(2), json!("TOR-1"), none),
    ]
}

/// The ledgers of two companies with the same claves, SKUs and sales.
#[tokio::test]
async fn companies_never_see_one_another() {
    let world = World::new().await;
    for name in ["Una", "Otra"] {
        let company: Company = catalogue(world.company().await).await;
        let records: Vec<_> = (eleven().into_iter())
            .map(|mut record| {
                record["referencia"] = json!(name);
                record
            })
            .collect();
        company.load(Resource::MovimientosInventario, &records).await;
        let ana = company.admin().await;
        for query in ["sku=TOR-1", "sku=VIEJO", "sku=TOR-2", "venta=10", "clave=7"] {
            let ledger = ana.walk(&format!("{PATH}?{query}")).await;
            assert!(!ledger.is_empty() && ledger.iter().all(|record| record["referencia"] == name), "{name}: {query}");
        }
    }
}
