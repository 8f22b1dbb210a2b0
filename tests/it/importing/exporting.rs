//! Exports: every record, as the import takes it.

use serde_json::{Value, json};
use svc_tests::imports::{blames, customers, imports_what_it_exports};
use svc_tests::{Resource, World};

use crate::backoffice::did;
use crate::ventas::shop::{invoiced, made, ready, shop};

#[tokio::test]
async fn a_company_is_imported_from_its_export() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let venta = made(&ana, &ready()).await;
    invoiced(&ana, venta, json!({})).await.ok(202);
    company.load(Resource::Marcas, &[json!({"nombre": "Truper", "estatus": "eliminado"})]).await;
    company
        .load(Resource::Categorias, &[json!({"clave": 2, "nombre": "Todo"}), json!({"nombre": "Clavos", "padre": 2})])
        .await;
    let product = json!({
        "sku": "B-1", "estatus": "eliminado", "marca": "Truper", "categoria": "Clavos", "clave_padre": 1, "unidad": 2,
        "codigo_barras": "750", "iva_venta": "0", "iva_compra": "EX", "objeto_impuesto": "01", "costo": "1.234567",
        "ieps_tasa": "0.080000", "retencion_isr": "0.012500", "tipo": "gasto", "kit": true,
    });
    company.load(Resource::Productos, &[product]).await;
    let movement = json!({"tipo": "otro", "cantidad": 1.5, "almacen": "001", "sku": "se fue", "costo_unitario": "2"});
    company.load(Resource::MovimientosInventario, &[movement]).await;
    let customer = json!({
        "nombre": "Ana \"la Güera\"", "razon_social": "ANA SA", "rfc": "EKU9003173C9", "regimen": 601, "uso_cfdi": "G03",
        "cp": "42501", "calle": "Río 1\nPiso 2", "colonia": "Centro", "pais": 172, "limite_credito": "10", "dias_credito": 5,
        "lista": 1, "plataforma": "b", "num_reg_id_trib": "12-3", "publico": true, "proximo_contacto": "2026-12-01",
    });
    company.load(Resource::Clientes, &[customer]).await;
    imports_what_it_exports(&company).await;
}

#[tokio::test]
async fn an_export_of_many_pages_has_every_record_once() {
    let company = World::new().await.company().await;
    company.load(Resource::Clientes, &customers(1_000)).await;
    for more in [0, 1, 700] {
        company.load(Resource::Clientes, &customers(more)).await;
        let exported = company.export(Resource::Clientes).await;
        let claves: Vec<i64> = exported.iter().map(|record| record["clave"].as_i64().unwrap()).collect();
        assert_eq!(claves, (1..=company.world.count("clientes").await).collect::<Vec<_>>());
    }
    assert_eq!(company.export(Resource::Oportunidades).await, Vec::<Value>::new());
}

#[tokio::test]
async fn lines_whose_clave_is_taken_are_passed_over_where_that_is_asked_for() {
    let company = World::new().await.company().await;
    let ana = json!({"clave": 1, "nombre": "Ana"});
    company.load(Resource::Clientes, std::slice::from_ref(&ana)).await;
    let lines = [
        json!({"clave": 1, "nombre": "Otra"}),
        json!({"nombre": "Eva"}),
        json!({"clave": 7, "nombre": "Luis"}),
        json!({"clave": 7, "nombre": "Luisa"}),
    ];
    blames(company.import(Resource::Clientes, &lines).await, 1, "clave: ");
    assert_eq!(company.import_new(Resource::Clientes, &lines).await, Ok(2));
    let shown = company.admin().await.get("/clientes").await.ok(200)["datos"].clone();
    let named = |at: usize| (shown[at]["clave"].clone(), shown[at]["nombre"].clone());
    assert_eq!(
        [named(0), named(1), named(2)],
        [(json!(1), json!("Ana")), (json!(2), json!("Eva")), (json!(7), json!("Luis")),]
    );
    assert_eq!(company.import_new(Resource::Clientes, &[ana.clone(), ana]).await, Ok(0));
    // A line that is wrong is wrong all the same.
    let wrong = json!({"clave": 1, "nombre": 7});
    blames(company.import_new(Resource::Clientes, &[wrong]).await, 1, "nombre: ");
    for (resource, line) in [
        (Resource::Sucursales, json!({"clave": 0, "nombre": "Matriz"})),
        (Resource::Almacenes, json!({"clave": 1, "codigo": "001", "principal": true})),
        (Resource::Unidades, json!({"clave": 1, "nombre": "Pieza"})),
    ] {
        assert_eq!(company.import_new(resource, &[line]).await, Ok(0), "{}", resource.name());
    }
}

#[tokio::test]
async fn former_salespeople_repeated_names_and_a_list_without_prices_come_back() {
    let world = World::new().await;
    let company = world.company().await;
    let gone = company.user("Se fue", true).await;
    company.user("Cajera", false).await;
    company.load(Resource::Clientes, &[json!({"nombre": "Ana", "vendedor": gone, "lista": 9})]).await;
    did(company.run_by_name("user.edit", &json!({"clave": gone, "vendedor": false})).await);
    let brands = [json!({"nombre": "Truper", "estatus": "eliminado"}), json!({"nombre": "Truper"})];
    company.load(Resource::Marcas, &brands).await;
    let categories = [
        json!({"clave": 1, "nombre": "Todo"}),
        json!({"clave": 2, "nombre": "Clavos", "padre": 1}),
        json!({"clave": 3, "nombre": "Hogar", "padre": 1}),
        json!({"clave": 4, "nombre": "Clavos", "padre": 3}),
    ];
    company.load(Resource::Categorias, &categories).await;
    let products = [
        json!({"sku": "A", "marca": "Truper", "clave_marca": 1, "categoria": "Clavos", "clave_categoria": 4}),
        json!({"sku": "B", "marca": "Truper", "categoria": "Clavos", "clave_categoria": 2}),
    ];
    company.load(Resource::Productos, &products).await;
    for beside in [json!(null), json!(1)] {
        let unclear = json!({"sku": "C", "categoria": "Clavos", "clave_categoria": beside});
        blames(company.import(Resource::Productos, &[unclear]).await, 1, "categoria: hay varias con ese nombre");
    }
    let named = |records: &[Value], fields: [&str; 2]| -> Vec<Value> {
        records.iter().map(|record| json!([record[fields[0]], record[fields[1]]])).collect()
    };
    let products = company.export(Resource::Productos).await;
    assert_eq!(named(&products, ["clave_marca", "clave_categoria"]), [json!([1, 4]), json!([2, 2])]);
    let people = company.export(Resource::Vendedores).await;
    assert_eq!(named(&people, ["clave", "vendedor"]), [json!([1, true]), json!([gone, false])]);
    assert_eq!(company.admin().await.walk("/vendedores").await.len(), 1);
    imports_what_it_exports(&company).await;
}

#[tokio::test]
async fn a_payment_keeps_what_the_bank_received_and_the_advance_that_it_applies() {
    let world = World::new().await;
    let company = shop(&world).await;
    let advance = json!({"tipo": "anticipo", "cliente": 1, "total": "116.00", "saldo": "0.00"});
    company.load(Resource::Ventas, &[advance]).await;
    let owed = json!({"cliente": 1, "total": "100.00", "moneda": "USD", "tipo_cambio": "17.5"});
    company.load(Resource::Cxc, &[owed]).await;
    let paid = |change: Value| {
        let mut paid = json!({"cxc": 1, "importe": "10.00"});
        paid.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        paid
    };
    let received = paid(json!({"monto": "180.00", "moneda_pago": "MXN", "tipo_cambio_pago": "1"}));
    let applied = paid(json!({"origen": "anticipo", "anticipo": 1}));
    company.load(Resource::CxcPagos, &[received, applied]).await;
    let other = imports_what_it_exports(&company).await;
    let lines = other.export(Resource::CxcPagos).await;
    let told: Vec<_> = ["monto", "moneda_pago", "tipo_cambio_pago", "anticipo"]
        .iter()
        .map(|field| [lines[0][field].clone(), lines[1][field].clone()])
        .collect();
    let none = Value::Null;
    assert_eq!(told[0], [json!("180.00"), none.clone()]);
    assert_eq!(told[1], [json!("MXN"), none.clone()]);
    assert_eq!(told[2], [json!("1.000000"), none.clone()]);
    assert_eq!(told[3], [none, json!(1)]);
    for (wrong, field) in [
        (json!({"monto": "180.00"}), "monto: "),
        (json!({"monto": "0", "moneda_pago": "MXN", "tipo_cambio_pago": "1"}), "monto: "),
        (json!({"monto": "1", "moneda_pago": "PESO", "tipo_cambio_pago": "1"}), "moneda_pago: "),
        (json!({"anticipo": 1}), "anticipo: "),
        (json!({"origen": "anticipo", "anticipo": 9}), "anticipo: "),
    ] {
        blames(company.import(Resource::CxcPagos, &[paid(wrong)]).await, 1, field);
    }
}

#[tokio::test]
async fn a_sale_belongs_to_the_invoice_that_stands() {
    let world = World::new().await;
    let company = shop(&world).await;
    let sold = |cancelada: bool| json!({"tipo": "factura", "cliente": 1, "total": "116.00", "cancelada": cancelada});
    company.load(Resource::Ventas, &[sold(false), sold(true), sold(false)]).await;
    let record = |venta: i64, estatus: &str| json!({"venta": venta, "cliente": 1, "estatus": estatus});
    let records = [record(1, "cancelada"), record(1, "vigente"), record(2, "cancelada"), record(3, "cancelada")];
    company.load(Resource::Facturas, &records).await;
    company.load(Resource::Facturas, &[record(3, "vigente"), record(1, "vigente"), record(2, "vigente")]).await;
    let sales = company.export(Resource::Ventas).await;
    let invoices: Vec<_> = sales.iter().map(|sale| sale["factura"].clone()).collect();
    assert_eq!(invoices, [json!(2), json!(3), json!(5)]);
}
