//! The day of documents, receivables and entries near midnight.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::{Company, Resource, World, books};

use crate::backoffice::did;
use crate::backoffice::shop::{captured, invoiced, nails, shop, with};

/// A shop at this postal code, at a moment after 2026-10-12T18:00Z.
async fn at(world: &World, cp: &str) -> Company {
    let company = shop(world).await;
    company.edit(CompanyChange { cp: Some(cp.to_owned()), ..CompanyChange::default() }).await;
    company
}

/// The days of all entries and of the receivables.
async fn days(company: &Company) -> (Vec<Value>, Vec<Value>) {
    let span = json!({"desde": "2026-10-01", "hasta": "2026-10-31"});
    let entries = did(company.run_by_name("ledger.entries", &span).await);
    let of = |rows: &Value| rows.as_array().unwrap().iter().map(|row| row["fecha"].clone()).collect();
    let receivables = company.admin().await.walk("/cxc").await;
    (of(&entries["datos"]), of(&Value::Array(receivables)))
}

#[tokio::test]
async fn document_receivable_and_entry_bear_the_day_of_their_place() {
    let world = World::new().await;
    // 05:30 UTC: 22:30 of the day before in Tijuana, 23:30 in Mexico City, 00:30 in Cancún.
    world.clock.advance(TimeDelta::minutes(11 * 60 + 30));
    for (cp, day, tomorrow) in [
        ("22000", "2026-10-12", "2026-10-13"),
        ("06000", "2026-10-12", "2026-10-13"),
        ("77500", "2026-10-13", "2026-10-14"),
    ] {
        let company = at(&world, cp).await;
        let ana = company.admin().await;
        captured(&company, &nails("venta")).await;
        let ppd = json!({"metodo_pago_sat": "PPD", "forma_pago_sat": "99", "condicion_pago": "credito"});
        let (_, factura) = invoiced(&ana, &with(&nails("pedido"), ppd)).await;
        did(company.run_by_name("payable.capture", &json!({"total": "116.00", "iva": "16.00"})).await);
        let (entries, receivables) = days(&company).await;
        assert_eq!(entries, [day, day, day], "{cp}");
        assert_eq!(receivables, [day, day], "{cp}");
        world.stamp(&svc_core::stamping::SandboxStamper).await;
        let xml = company.download("invoice.xml", &json!({"factura": factura})).await.unwrap().unwrap();
        let xml = String::from_utf8(xml.to_vec()).unwrap();
        assert!(svc_tests::authority::attribute(&xml, "Fecha").starts_with(day), "{cp}: {xml}");
        let pay = |fecha: &str, referencia: &str| json!({"importe": "10.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": fecha, "referencia": referencia});
        ana.post("/cxc/2/pagos", pay(tomorrow, "A")).await.fails(400, "dato_invalido");
        ana.post("/cxc/2/pagos", pay(day, "A")).await.ok(201);
        books::check(&world, &company).await;
    }
}

#[tokio::test]
async fn a_branch_has_its_own_midnight() {
    let world = World::new().await;
    world.clock.advance(TimeDelta::minutes(11 * 60 + 30));
    let company = at(&world, "06000").await;
    company.load(Resource::Sucursales, &[json!({"clave": 7, "nombre": "Cancún", "cp": "77500"})]).await;
    company.load(Resource::Almacenes, &[json!({"codigo": "070", "sucursal": 7, "principal": true})]).await;
    captured(&company, &nails("venta")).await;
    let there = captured(&company, &with(&nails("venta"), json!({"sucursal": 7}))).await;
    let (entries, receivables) = days(&company).await;
    assert_eq!(
        (entries, receivables),
        (vec![json!("2026-10-12"), json!("2026-10-13")], vec![json!("2026-10-12"), json!("2026-10-13")])
    );
    // What is owed since a local day can be paid on it.
    let pay = json!({"cxc": 2, "importe": "10", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-13", "referencia": "A"});
    did(company.run_by_name("payment.apply", &pay).await);
    did(company
        .run_by_name("sale.return", &json!({"venta": there, "renglones": [{"renglon": 1, "cantidad": 1}]}))
        .await);
    let (entries, _) = days(&company).await;
    assert!(entries.len() > 3 && entries[1..].iter().all(|day| day == "2026-10-13"), "{entries:?}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_bill_is_of_the_day_at_its_orders_branch() {
    let world = World::new().await;
    world.clock.advance(TimeDelta::minutes(11 * 60 + 30));
    let company = at(&world, "06000").await;
    company.load(Resource::Sucursales, &[json!({"clave": 7, "nombre": "Cancún", "cp": "77500"})]).await;
    company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"})]).await;
    let order = json!({"proveedor": 1, "estatus": "recibida", "sucursal": 7, "total": "100"});
    company.load(Resource::Compras, &[order]).await;
    let ana = company.admin().await;
    for bill in [json!({"total": "100"}), json!({"total": "100", "compra": 1})] {
        did(company.run_by_name("payable.capture", &bill).await);
    }
    let days: Vec<_> = ana.walk("/cxp").await.iter().map(|payable| payable["fecha"].clone()).collect();
    assert_eq!(days, [json!("2026-10-12"), json!("2026-10-13")]);
}

/// A company at Mexico City whose branch in Cancún is already in the next day.
async fn with_cancun(world: &World) -> Company {
    world.clock.advance(TimeDelta::minutes(11 * 60 + 30));
    let company = at(world, "06000").await;
    company.load(Resource::Sucursales, &[json!({"clave": 7, "nombre": "Cancún", "cp": "77500"})]).await;
    company.load(Resource::Almacenes, &[json!({"codigo": "070", "sucursal": 7, "principal": true})]).await;
    company
}

#[tokio::test]
async fn nothing_is_undone_before_its_own_day() {
    let world = World::new().await;
    let company = with_cancun(&world).await;
    let day = "2026-10-13";
    let run = async |action: &str, input: Value| did(company.run_by_name(action, &input).await);
    let venta = captured(&company, &with(&nails("venta"), json!({"sucursal": 7}))).await;
    run("sale.cancel", json!({"venta": venta})).await;
    run("payable.capture", json!({"total": "116.00", "iva": "16.00", "sucursal": 7})).await;
    let pay = json!({"cxp": 1, "importe": "10.00", "fecha": day, "referencia": "A"});
    let paid = run("payable.pay", pay).await;
    run("payable.payment-cancel", json!({"pago": paid["pago"]})).await;
    run("payable.cancel", json!({"cxp": 1})).await;
    let deposit = json!({"cuenta_bancaria": 1, "fecha": day, "importe": "5.00", "referencia": "B"});
    let deposit = run("deposit.capture", deposit).await;
    run("deposit.cancel", deposit).await;
    let (entries, _) = days(&company).await;
    assert_eq!(entries, vec![day; 8]);
    let moved: String = world.sql("SELECT string_agg(dia::text, ' ' ORDER BY clave) FROM movimientos_inventario").await;
    assert_eq!(moved, format!("{day} {day}"));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_statement_tells_a_balance_in_favour_from_its_branchs_day_on() {
    let world = World::new().await;
    let company = with_cancun(&world).await;
    let venta = captured(&company, &with(&nails("venta"), json!({"sucursal": 7, "cliente": 1}))).await;
    let owed = company.admin().await.walk("/cxc").await[0]["saldo"].clone();
    let pay = json!({"cxc": 1, "importe": owed, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-13", "referencia": "A"});
    did(company.run_by_name("payment.apply", &pay).await);
    let lines = json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": 1}]});
    did(company.run_by_name("sale.return", &lines).await);
    for (day, left) in [("2026-10-12", json!([])), ("2026-10-13", json!(["116.00"]))] {
        let span = json!({"cliente": 1, "desde": "2026-10-01", "hasta": day});
        let statement = did(company.run_by_name("report.statement", &span).await);
        let told: Vec<_> = statement["a_favor"].as_array().unwrap().iter().map(|of| of["importe"].clone()).collect();
        assert_eq!(json!(told), left, "{day}: {statement}");
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn goods_are_transferred_on_one_day() {
    let world = World::new().await;
    let company = with_cancun(&world).await;
    let come = json!({"sku": "A-1", "almacen": "001", "tipo": "ajuste_entrada", "cantidad": 10, "costo_unitario": "5"});
    did(company.run_by_name("stock.move", &come).await);
    let transfer = json!({"sku": "A-1", "almacen": "001", "almacen_destino": "070", "cantidad": 4});
    did(company.run_by_name("stock.transfer", &transfer).await);
    let stock = did(company.run_by_name("report.stock", &json!({"al": "2026-10-12"})).await);
    assert_eq!([&stock["renglones"][0]["existencia"], &stock["valor"]], [&json!(10), &json!("50.00")], "{stock}");
    books::check(&world, &company).await;
}
