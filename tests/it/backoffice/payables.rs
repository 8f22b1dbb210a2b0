//! `payable.capture`

use serde_json::{Value, json};
use svc_tests::{Actor, Company, Resource, World};

use super::{did, refuses};

/// A company with suppliers 1 and 2 (deleted), branches 1 and 2 (inactive), and purchases in
/// dollars: 1 stands, 2 is cancelled, 3 has a payable.
async fn office() -> (Company, Actor) {
    let company = World::new().await.company().await;
    let suppliers = [json!({"nombre": "Acero SA"}), json!({"nombre": "Viejo", "estatus": "eliminado"})];
    company.load(Resource::Proveedores, &suppliers).await;
    let branches =
        [json!({"clave": 1, "nombre": "Norte"}), json!({"clave": 2, "nombre": "Sur", "estatus": "inactivo"})];
    company.load(Resource::Sucursales, &branches).await;
    let purchase = |estatus: &str, cxp: Value| json!({"proveedor": 1, "estatus": estatus, "moneda": "USD", "tipo_cambio": "17.5", "sucursal": 1, "total": "100", "cxp": cxp});
    let purchases =
        [purchase("pendiente", Value::Null), purchase("cancelada", Value::Null), purchase("recibida", json!(77))];
    company.load(Resource::Compras, &purchases).await;
    let ana = company.admin().await;
    (company, ana)
}

#[tokio::test]
async fn a_payable_has_captured_and_computed_fields() {
    let (company, ana) = office().await;
    assert_eq!(did(company.run_by_name("payable.capture", &json!({"total": "116"})).await), json!({"cxp": 1}));
    let least = json!({
        "clave": 1, "folio": "1", "tipo": "gasto", "estatus": "pendiente", "proveedor": 0, "compra": null, "factura": null,
        "uuid": null, "fecha": "2026-10-12", "vencimiento": null, "moneda": "MXN", "tipo_cambio": "1.000000",
        "total": "116.00", "pagado": "0.00", "saldo": "116.00", "sucursal": 0, "operaciones": 1, "concepto": null,
        "modificado": "2026-10-12T18:00:00Z",
    });
    assert_eq!(ana.walk("/cxp").await, [least]);
    let full = json!({
        "folio": "F-9", "tipo": "gasto", "proveedor": 1, "factura": "A1, A2", "uuid": "6128396F-C09B-4EC6-8699-43C5F7E3B230",
        "fecha": "2026-10-01", "vencimiento": "2026-10-31", "moneda": "USD", "tipo_cambio": "17.5", "total": "100.50",
        "pagado": "0.50", "sucursal": 1, "operaciones": 2, "concepto": "Luz",
    });
    did(company.run_by_name("payable.capture", &full).await);
    let mut expected = full;
    for (field, value) in [
        ("clave", json!(2)),
        ("estatus", json!("pendiente")),
        ("compra", Value::Null),
        ("uuid", json!("6128396f-c09b-4ec6-8699-43c5f7e3b230")),
        ("tipo_cambio", json!("17.500000")),
        ("saldo", json!("100.00")),
        ("modificado", json!("2026-10-12T18:00:00Z")),
    ] {
        expected[field] = value;
    }
    assert_eq!(ana.walk("/cxp?proveedor=1").await, [expected]);

    did(company.run_by_name("payable.capture", &json!({"total": "58.00", "pagado": 58})).await);
    assert_eq!(ana.walk("/cxp?estatus=pagado").await[0]["saldo"], "0.00");
    did(company.run_by_name("payable.capture", &json!({"total": "-20"})).await);
    let owed = &ana.walk("/cxp?con_saldo=false").await[0];
    assert_eq!((&owed["estatus"], &owed["saldo"]), (&json!("pendiente"), &json!("-20.00")));
}

#[tokio::test]
async fn the_bill_of_a_purchase_is_its_suppliers_and_its_only_one() {
    let (company, ana) = office().await;
    let bill = json!({"compra": 1, "total": "100"});
    assert_eq!(did(company.run_by_name("payable.capture", &bill).await), json!({"cxp": 1}));
    let made = &ana.walk("/cxp").await[0];
    for (field, value) in [
        ("tipo", json!("compra")),
        ("compra", json!(1)),
        ("proveedor", json!(1)),
        ("sucursal", json!(1)),
        ("moneda", json!("USD")),
        ("tipo_cambio", json!("17.500000")),
    ] {
        assert_eq!(made[field], value, "{field}");
    }
    let purchase = &ana.walk("/compras?clave=1").await[0];
    assert_eq!((&purchase["cxp"], &purchase["estatus"]), (&json!(1), &json!("pendiente")));
    refuses(&company, "payable.capture", &[(bill, "estado_invalido", "compra: ")]).await;
}

#[tokio::test]
async fn invalid_payables_are_refused() {
    let (company, ana) = office().await;
    let with = |fields: Value| {
        let mut input = json!({"total": "100"});
        input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        input
    };
    refuses(
        &company,
        "payable.capture",
        &[
            (json!({}), "dato_requerido", "total: "),
            (json!({"total": "mucho"}), "dato_invalido", "total: "),
            (with(json!({"pagado": "-999999999999999999"})), "dato_invalido", "total: "),
            (json!({"total": "100.005"}), "dato_invalido", "total: lleva a lo más dos decimales"),
            (with(json!({"pagado": "0.001"})), "dato_invalido", "pagado: lleva a lo más dos decimales"),
            (with(json!({"tipo": "compra"})), "dato_requerido", "compra: "),
            (with(json!({"tipo": "gasto", "compra": 1})), "dato_invalido", "compra: "),
            (with(json!({"compra": 99})), "referencia_invalida", "compra: "),
            (with(json!({"compra": 2})), "estado_invalido", "compra: "),
            (with(json!({"compra": 3})), "estado_invalido", "compra: "),
            (with(json!({"compra": 1, "proveedor": 2})), "estado_invalido", "proveedor: "),
            (with(json!({"proveedor": 2})), "referencia_invalida", "proveedor: "),
            (with(json!({"proveedor": 99})), "referencia_invalida", "proveedor: "),
            (with(json!({"sucursal": 2})), "referencia_invalida", "sucursal: "),
            (with(json!({"sucursal": 99})), "referencia_invalida", "sucursal: "),
            (with(json!({"uuid": "6128396f-c09b-4ec6-8699-43c5f7e3b23x"})), "dato_invalido", "uuid: "),
            (with(json!({"uuid": "6128396f"})), "dato_invalido", "uuid: "),
            (with(json!({"vencimiento": "2026-10-11"})), "dato_invalido", "vencimiento: "),
            (with(json!({"moneda": "USD"})), "dato_requerido", "tipo_cambio: "),
            (with(json!({"tipo_cambio": 2})), "dato_invalido", "tipo_cambio: "),
            (with(json!({"moneda": "ABC", "tipo_cambio": 2})), "moneda_invalida", "moneda: "),
            (with(json!({"operaciones": 0})), "dato_invalido", "operaciones: "),
            (with(json!({"saldo": "1"})), "campo_no_permitido", "saldo: "),
        ],
    )
    .await;
    assert_eq!(ana.walk("/cxp").await, Vec::<Value>::new());
}
