//! Reading actions: what was written, under the name by which it is written.

use serde_json::{Value, json};
use svc_core::Code;
use svc_core::domain::clock::{Clock as _, mexico_date};
use svc_tests::{Company, Resource, World};

use crate::ventas::shop::{invoiced, made, ready, shop};

async fn read(company: &Company, name: &str, input: Value) -> Value {
    company.run_by_name(name, &input).await.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Checks that `shown` has what was written.
fn shows(shown: &Value, written: &Value) {
    for (field, value) in written.as_object().unwrap() {
        assert_eq!(shown[field], *value, "{field} of {shown}");
    }
}

#[tokio::test]
async fn a_customer_is_read_as_it_was_written() {
    let company = World::new().await.company().await;
    let seller = company.user("Jorge", true).await;
    let written = json!({
        "nombre": "Ana", "rfc": "EKU9003173C9", "regimen": 601, "uso_cfdi": "G03", "cp": "42501", "correo": "ana@x.mx",
        "telefono": "55 1234", "movil": "55", "calle": "Río 1", "colonia": "Centro", "pais": 172,
    });
    company.admin().await.post("/clientes", written.clone()).await.ok(201);
    let terms = json!({
        "razon_social": "ANA SA", "limite_credito": "10.50", "dias_credito": 5, "lista": 1, "vendedor": seller,
        "num_reg_id_trib": "12-3", "prospecto": true,
    });
    let mut edit = terms.clone();
    edit["clave"] = json!(1);
    read(&company, "customer.edit", edit).await;
    let shown = read(&company, "customer.get", json!({"clave": 1})).await;
    shows(&shown, &written);
    shows(&shown, &terms);
    shows(&shown, &json!({"clave": 1, "folio": "1", "plataforma": null, "publico": false, "id_platform_a": null}));
    let code = |error: Option<svc_core::Error>| error.map(|error| error.code());
    let missing = company.run_by_name("customer.get", &json!({"clave": 2})).await;
    assert_eq!(code(missing.err()), Some(Code::NoEncontrado));
    let other = company.world.company().await.run_by_name("customer.get", &json!({"clave": 1})).await;
    assert_eq!(code(other.err()), Some(Code::NoEncontrado));
}

#[tokio::test]
async fn customers_are_found_by_words_and_by_folio() {
    let world = World::new().await;
    let company = world.company().await;
    company
        .load(
            Resource::Clientes,
            &[
                json!({"nombre": "Aceros Ñandú", "rfc": "EKU9003173C9", "folio": "F-1"}),
                json!({"nombre": "Luis", "razon_social": "Aceros del Norte 100% SA", "folio": "aceros"}),
                json!({"nombre": "Eva", "prospecto": true}),
            ],
        )
        .await;
    world.company().await.load(Resource::Clientes, &[json!({"nombre": "Aceros"})]).await;
    let found = async |texto: &str| {
        let found = read(&company, "customer.find", json!({"texto": texto})).await;
        found["clientes"].as_array().unwrap().iter().map(|one| one["clave"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    for (texto, claves) in [
        ("aceros", &[1, 2][..]),
        (" ÑANDU  ace ", &[1]),
        ("norte aceros", &[2]),
        ("eku9003", &[1]),
        ("F-1", &[1]),
        ("f-1", &[]),
        ("3", &[1, 3]),
        ("100%", &[2]),
        ("%", &[2]),
        ("_", &[]),
        ("ev", &[3]),
        ("eva luis", &[]),
    ] {
        assert_eq!(found(texto).await, claves, "{texto}");
    }
    company.load(Resource::Clientes, &svc_tests::imports::customers(40)).await;
    assert_eq!(found("cliente").await.len(), 30);
    // Edits are found under the new name.
    read(&company, "customer.edit", json!({"clave": 3, "nombre": "Évora"})).await;
    assert_eq!((found("evora").await, found("eva").await), (vec![3], vec![]));
}

#[tokio::test]
async fn a_product_is_read_as_it_was_written() {
    let company = World::new().await.company().await;
    company.load(Resource::Marcas, &[json!({"nombre": "Truper"})]).await;
    company.load(Resource::Categorias, &[json!({"clave": 9, "nombre": "Todo"})]).await;
    let written = json!({
        "sku": "A", "descripcion": "Clavo", "unidad": 1, "codigo_barras": "750", "categoria": 9, "clave_sat": "31162800",
        "objeto_impuesto": "02", "iva_venta": "16", "iva_compra": "0", "ieps_tasa": "0.080000", "retencion_isr": null,
        "costo": "1.50", "tipo": "B",
    });
    company.admin().await.post("/productos", written.clone()).await.ok(201);
    let shown = read(&company, "product.get", json!({"clave": 1})).await;
    shows(&shown, &written);
    shows(&shown, &json!({"clave": 1, "estatus": "activo", "kit": false, "marca": null, "codigo_sat": "31162800"}));
    // What is read can be sent back.
    let edit: serde_json::Map<String, Value> = written
        .as_object()
        .unwrap()
        .keys()
        .chain([&"clave".to_owned()])
        .map(|key| (key.clone(), shown[key].clone()))
        .collect();
    read(&company, "product.edit", Value::Object(edit)).await;
    company.load(Resource::Productos, &[json!({"sku": "G", "tipo": "gasto", "marca": "Truper"})]).await;
    let shown = read(&company, "product.get", json!({"clave": 2})).await;
    shows(&shown, &json!({"tipo": "gasto", "marca": "Truper", "categoria": null}));
}

#[tokio::test]
async fn a_sale_is_read_with_lines_payments_and_documents() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let venta = made(&ana, &ready()).await;
    let shown = read(&company, "sale.get", json!({"clave": venta})).await;
    assert_eq!((&shown["pagos"], &shown["documentos"]), (&json!([]), &json!([])));
    let listed = ana.get(&format!("/ventas-renglones?venta={venta}")).await.ok(200)["datos"].clone();
    shows(&shown["renglones"][0], &listed[0]);
    assert_eq!(shown["renglones"].as_array().unwrap().len(), listed.as_array().unwrap().len());
    invoiced(&ana, venta, json!({})).await.ok(202);
    let shown = read(&company, "sale.get", json!({"venta": venta})).await;
    let listed = ana.get(&format!("/ventas?clave={venta}&tipo=factura")).await.ok(200)["datos"][0].clone();
    shows(&shown, &listed);
    assert_eq!(shown["documentos"][0]["clave"], shown["factura"]);
    let cxc = ana.get(&format!("/cxc?venta={venta}")).await.ok(200)["datos"][0].clone();
    let payment = json!({
        "cxc": cxc["clave"], "importe": cxc["saldo"], "forma_pago_sat": "01", "fecha": mexico_date(world.clock.now()),
    });
    read(&company, "payment.apply", payment).await;
    let shown = read(&company, "sale.get", json!({"clave": venta})).await;
    assert_eq!(shown["pagos"][0]["importe"], cxc["saldo"]);
}
