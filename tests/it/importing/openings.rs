//! Imported balances: the day and the size of their entries, what was paid of them before, and the
//! value of stock.

use chrono::TimeDelta;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::imports::blames;
use svc_tests::{Company, Resource, World, books};

use crate::backoffice::did;
use crate::backoffice::shop::{FOOD, NAIL, captured, line, sale, shop};

/// The balance of an account, with all its subaccounts.
async fn balance(company: &Company, codigo: &str) -> String {
    let said = did(company.run_by_name("ledger.balance", &json!({})).await);
    let rows = said["cuentas"].as_array().expect("accounts");
    let rows = rows.iter().filter(|row| row["codigos"] == json!([codigo]));
    let saldos = rows.map(|row| row["saldo"].as_str().expect("an amount").parse::<Decimal>().expect("an amount"));
    saldos.reduce(|sum, saldo| sum + saldo).map_or("none".to_owned(), |sum| sum.to_string())
}

/// Day and debit of the account's lines.
async fn days(company: &Company, cuenta: &str) -> Vec<(String, String)> {
    let span = json!({"desde": "2026-10-01", "hasta": "2026-10-31", "cuenta": cuenta});
    let read = did(company.run_by_name("ledger.entries", &span).await);
    let entries = read["datos"].as_array().unwrap().iter();
    let of = |entry: &Value| {
        let saldo = entry["saldo"].as_str().unwrap().to_owned();
        (entry["fecha"].as_str().unwrap().to_owned(), saldo)
    };
    entries.map(of).collect()
}

#[tokio::test]
async fn openings_bear_the_day_of_their_place() {
    let world = World::new().await;
    // 05:30 UTC: 22:30 of the day before in Tijuana, 23:30 in Mexico City, 00:30 in Cancún.
    world.clock.advance(TimeDelta::minutes(11 * 60 + 30));
    let company = shop(&world).await;
    company.edit(CompanyChange { cp: Some("77500".to_owned()), ..CompanyChange::default() }).await;
    did(company.run_by_name("branch.edit", &json!({"clave": 3, "cp": "22000"})).await);
    company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"})]).await;
    let owed = [json!({"cliente": 1, "total": "10.00"}), json!({"cliente": 1, "total": "20.00", "sucursal": 3})];
    company.load(Resource::Cxc, &owed).await;
    let bills = [json!({"proveedor": 1, "total": "40.00", "sucursal": 3}), json!({"proveedor": 1, "total": "50.00"})];
    company.load(Resource::Cxp, &bills).await;
    company.load(Resource::Inventario, &[json!({"sku": "A-1", "almacen": "001", "existencia": 2})]).await;
    let on = |days: &[(&str, &str)]| {
        days.iter().map(|(day, saldo)| ((*day).to_owned(), (*saldo).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(days(&company, "105.01").await, on(&[("2026-10-12", "20.00"), ("2026-10-13", "30.00")]));
    assert_eq!(days(&company, "201.01").await, on(&[("2026-10-12", "-40.00"), ("2026-10-13", "-90.00")]));
    assert_eq!(days(&company, "115.01").await, on(&[("2026-10-13", "80.00")]));
    let shown = company.admin().await.walk("/cxc").await;
    let fechas: Vec<&Value> = shown.iter().map(|row| &row["fecha"]).collect();
    assert_eq!(fechas, ["2026-10-13", "2026-10-12"]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_balance_of_more_than_18_digits_in_pesos_is_refused_by_its_line() {
    let world = World::new().await;
    let company = shop(&world).await;
    let huge = json!({"cliente": 1, "total": "999999999999999999"});
    let mut dollars = huge.clone();
    (dollars["moneda"], dollars["tipo_cambio"]) = (json!("USD"), json!("1.5"));
    let mut paid = dollars.clone();
    paid["estatus"] = json!("pagado");
    let mut cancelled = dollars.clone();
    cancelled["estatus"] = json!("cancelado");
    for resource in [Resource::Cxc, Resource::Cxp] {
        let of = |row: &Value| {
            let mut row = row.clone();
            if resource == Resource::Cxp {
                row.as_object_mut().unwrap().remove("cliente");
            }
            row
        };
        let lines = [of(&huge), of(&dollars), of(&huge)];
        blames(company.import(resource, &lines).await, 2, "saldo: en pesos pasa de 18 dígitos");
        // Two that fit apart have an entry each.
        company.load(resource, &[of(&huge), of(&paid), of(&huge), of(&cancelled)]).await;
    }
    assert_eq!(balance(&company, "105.01").await, "1999999999999999998.00");
    assert_eq!(balance(&company, "201.01").await, "-1999999999999999998.00");
}

/// A company with an imported invoice of two nails, 232.00; 132.00 were paid before.
async fn half_paid(world: &World) -> Company {
    let company = shop(world).await;
    let uuid = "6e1b6d30-3f0f-4b53-8cd2-2e0d0b8f6a11";
    let sold = json!({"tipo": "factura", "serie": "V", "folio": 7, "cliente": 1, "subtotal": "200.00", "impuestos": "32.00",
                      "total": "232.00", "saldo": "100.00", "condicion_pago": "credito", "metodo_pago_sat": "PUE",
                      "forma_pago_sat": "03", "uso_cfdi": "G03", "almacen": "001"});
    company.load(Resource::Ventas, &[sold]).await;
    let nails = json!({"venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 2,
                       "precio_unitario": "100.00", "iva_tasa": "0.160000", "iva": "32.00"});
    company.load(Resource::VentasRenglones, &[nails]).await;
    company
        .load(Resource::Facturas, &[json!({"venta": 1, "cliente": 1, "uuid": uuid, "serie": "V", "folio": "7"})])
        .await;
    company
        .load(Resource::Cxc, &[json!({"venta": 1, "factura": 1, "uuid": uuid, "total": "232.00", "pagado": "132.00"})])
        .await;
    company
}

#[tokio::test]
async fn an_imported_invoice_that_was_paid_in_part_is_substituted_and_still_owes_the_rest() {
    let world = World::new().await;
    let company = half_paid(&world).await;
    assert_eq!([balance(&company, "105.01").await, balance(&company, "209.01").await], ["100.00", "-13.79"]);
    let cheaper = json!({"factura": 1, "cambios": {"renglones": [line(NAIL, 1, "100.00")]}});
    let error = company.run_by_name("invoice.substitute", &cheaper).await.expect_err("less than was paid");
    assert_eq!(error.code().codigo(), "estado_invalido");
    assert!(error.mensaje().contains("se pagaron 132.00"), "{error}");
    let dearer = json!({"factura": 1, "cambios": {"renglones": [line(NAIL, 3, "100.00")]}});
    did(company.run_by_name("invoice.substitute", &dearer).await);
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    // 348 less the 132 that were paid, with the IVA of those.
    assert_eq!([balance(&company, "105.01").await, balance(&company, "209.01").await], ["216.00", "-29.79"]);
    let ana = company.admin().await;
    assert_eq!(ana.walk("/ventas?tipo=factura&clave=1").await[0]["saldo"], "216.00");
    for al in ["2026-10-12", "2026-10-31"] {
        let aging = did(company.run_by_name("report.aging", &json!({"de": "cxc", "al": al})).await);
        assert_eq!((&aging["saldo"], &aging["sin_documento"]), (&json!("216.00"), &json!("0.00")), "{aging}");
    }
    let again = json!({"factura": 2, "cambios": {"renglones": [line(NAIL, 2, "100.00")]}});
    did(company.run_by_name("invoice.substitute", &again).await);
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    assert_eq!(balance(&company, "105.01").await, "100.00");
    let rest = json!({"cxc": 1, "importe": "100.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "A"});
    did(company.run_by_name("payment.apply", &rest).await);
    assert_eq!([balance(&company, "105.01").await, balance(&company, "209.01").await], ["0.00", "0.00"]);
}

#[tokio::test]
async fn an_imported_receivable_has_the_sale_of_the_invoice_that_it_names() {
    let world = World::new().await;
    let company = shop(&world).await;
    let uuid = |last: u32| format!("6e1b6d30-3f0f-4b53-8cd2-2e0d0b8f6a{last}");
    let sold = json!({"tipo": "factura", "serie": "V", "folio": 7, "cliente": 1, "subtotal": "200.00", "impuestos": "32.00",
                      "total": "232.00", "condicion_pago": "credito", "metodo_pago_sat": "PPD", "forma_pago_sat": "99",
                      "uso_cfdi": "G03"});
    company.load(Resource::Ventas, &[sold]).await;
    let nails = json!({"venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 2,
                       "precio_unitario": "100.00", "iva_tasa": "0.160000", "iva": "32.00"});
    company.load(Resource::VentasRenglones, &[nails]).await;
    let invoices = [
        json!({"venta": 1, "cliente": 1, "uuid": uuid(11), "serie": "V", "folio": "7"}),
        json!({"cliente": 1, "uuid": uuid(12), "serie": "V", "folio": "8"}),
    ];
    company.load(Resource::Facturas, &invoices).await;
    let owed = [json!({"factura": 1, "total": "232.00"}), json!({"factura": 2, "total": "10.00"})];
    company.load(Resource::Cxc, &owed).await;
    let ana = company.admin().await;
    let of = |row: &Value| json!([row["venta"], row["cliente"], row["tipo_venta"]]);
    let shown: Vec<Value> = ana.walk("/cxc").await.iter().map(of).collect();
    assert_eq!(shown, [json!([1, 1, "factura"]), json!([null, null, null])]);
    assert_eq!([balance(&company, "105.01").await, balance(&company, "209.01").await], ["242.00", "-32.00"]);
    let paid = json!({"cxc": 1, "importe": "232.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "A"});
    did(company.run_by_name("payment.apply", &paid).await);
    assert_eq!(ana.walk("/cxc-pagos").await[0]["complemento"], "encolado");
    assert_eq!([balance(&company, "105.01").await, balance(&company, "209.01").await], ["10.00", "0.00"]);
}

#[tokio::test]
async fn what_an_imported_payment_paid_is_owed_from_the_opening_when_it_is_cancelled() {
    let world = World::new().await;
    let company = half_paid(&world).await;
    company.load(Resource::CxcPagos, &[json!({"cxc": 1, "importe": "132.00", "saldo_insoluto": "100.00"})]).await;
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!([balance(&company, "105.01").await, balance(&company, "209.01").await], ["232.00", "-32.00"]);
    assert_eq!(balance(&company, "304.01").await, "-200.00");
    let all = json!({"cxc": 1, "importe": "232.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "A"});
    did(company.run_by_name("payment.apply", &all).await);
    assert_eq!([balance(&company, "105.01").await, balance(&company, "209.01").await], ["0.00", "0.00"]);
}

#[tokio::test]
async fn a_cancelled_receivable_owes_nothing_when_its_payment_is_cancelled() {
    let world = World::new().await;
    let company = shop(&world).await;
    let owed = json!({"cliente": 1, "estatus": "cancelado", "total": "232.00", "pagado": "232.00", "saldo": "0.00"});
    company.load(Resource::Cxc, &[owed]).await;
    company.load(Resource::CxcPagos, &[json!({"cxc": 1, "importe": "232.00"})]).await;
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    let shown = &company.export(Resource::Cxc).await[0];
    assert_eq!([&shown["estatus"], &shown["pagado"], &shown["saldo"]], ["cancelado", "0.00", "0.00"]);
    assert_eq!(balance(&company, "105.01").await, "none");
}

/// Stock, value and last cost of each product.
async fn costs(company: &Company) -> Vec<(i64, Decimal, Decimal, Option<Decimal>)> {
    sqlx::query_as("SELECT producto, existencia, valor, ultimo FROM costos WHERE empresa = $1 ORDER BY producto")
        .bind(company.id.0)
        .fetch_all(company.world.pool())
        .await
        .expect("costs")
}

#[tokio::test]
async fn exported_stock_is_worth_the_same_where_it_is_imported() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"})]).await;
    let stock = async |producto: i64, almacen: &str, cantidad: &str, costo: &str| {
        let cantidad: Value = serde_json::from_str(cantidad).unwrap();
        let input = json!({"producto": producto, "almacen": almacen, "tipo": "ajuste_entrada", "cantidad": cantidad, "costo_unitario": costo});
        did(company.run_by_name("stock.move", &input).await);
    };
    // 100.00 for three in two warehouses, a million and more at an average without end, and nails
    // sold below zero.
    stock(FOOD, "001", "1", "33.34").await;
    stock(FOOD, "002", "2", "33.33").await;
    stock(NAIL, "030", "1000000.123456", "0.333333").await;
    stock(NAIL, "031", "7", "0.07").await;
    captured(&company, &sale("venta", &[line(NAIL, 3, "10.00")])).await;
    let lines = company.export(Resource::Inventario).await;
    assert!(lines.iter().all(|line| line["costo_unitario"].is_string() && line["valor"].is_string()), "{lines:?}");
    let worth: Decimal = lines.iter().map(|line| line["valor"].as_str().unwrap().parse::<Decimal>().unwrap()).sum();
    assert_eq!(worth.to_string(), balance(&company, "115.01").await);
    let other = shop(&world).await;
    other.load(Resource::Inventario, &lines).await;
    assert_eq!(costs(&other).await, costs(&company).await);
    assert_eq!(balance(&other, "115.01").await, balance(&company, "115.01").await);
    assert_eq!(other.export(Resource::Inventario).await, lines);
    books::check(&world, &other).await;
    for (bad, field) in [
        (json!({"sku": "S-3", "almacen": "001", "existencia": 1, "valor": "-1"}), "valor: "),
        (json!({"sku": "S-3", "almacen": "001", "existencia": 0, "valor": "1"}), "valor: "),
        (json!({"sku": "S-3", "almacen": "001", "existencia": 1, "valor": "1.001"}), "valor: "),
        (json!({"sku": "S-3", "almacen": "001", "existencia": -1, "valor": "-1000000000000000000"}), "valor: "),
    ] {
        blames(other.import(Resource::Inventario, &[bad]).await, 1, field);
    }
}

/// The balances of the company's bank accounts, in their currencies, in order.
async fn banks(company: &Company) -> Vec<Decimal> {
    sqlx::query_scalar("SELECT saldo FROM cuentas_bancarias WHERE empresa = $1 ORDER BY clave")
        .bind(company.id.0)
        .fetch_all(company.world.pool())
        .await
        .expect("balances")
}

#[tokio::test]
async fn what_bank_accounts_held_is_posted_on_the_account_of_each() {
    let world = World::new().await;
    // 23:30 of the 12th in Mexico City, 00:30 of the 13th in Cancún.
    world.clock.advance(TimeDelta::minutes(11 * 60 + 30));
    let company = world.company().await;
    company.edit(CompanyChange { cp: Some("77500".to_owned()), ..CompanyChange::default() }).await;
    let accounts = [
        json!({"nombre": "Operativa", "saldo": "1000.50"}),
        json!({"nombre": "Vacía"}),
        json!({"nombre": "Línea de crédito", "saldo": "-250.25", "saldo_pesos": "-250.25"}),
        json!({"nombre": "Dólares", "moneda": "USD", "saldo": "100.00", "saldo_pesos": "1750.00"}),
        json!({"nombre": "Euros", "moneda": "EUR", "saldo": "0", "saldo_pesos": null}),
    ];
    company.load(Resource::CuentasBancarias, &accounts).await;
    let shown = ["1000.50", "0", "-250.25", "100.00", "0"].map(|text| text.parse::<Decimal>().unwrap());
    assert_eq!(banks(&company).await, shown);
    let entries = [("2026-10-13", "1000.50"), ("2026-10-13", "750.25"), ("2026-10-13", "2500.25")];
    assert_eq!(days(&company, "102.01").await, entries.map(|(day, saldo)| (day.to_owned(), saldo.to_owned())));
    let read = did(company.run_by_name("ledger.balance", &json!({})).await);
    let accounts: Vec<(&str, &str)> = read["cuentas"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["cuenta"].as_str().unwrap(), row["saldo"].as_str().unwrap()))
        .collect();
    let posted =
        [("102.01.0001", "1000.50"), ("102.01.0003", "-250.25"), ("102.01.0004", "1750.00"), ("304.01", "-2500.25")];
    assert_eq!(accounts, posted);
    books::check(&world, &company).await;

    // The first payments leave from what there was, and what is left is revalued.
    company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"})]).await;
    let bills = [
        json!({"proveedor": 1, "total": "400.00"}),
        json!({"proveedor": 1, "total": "40.00", "moneda": "USD", "tipo_cambio": "17.5"}),
    ];
    company.load(Resource::Cxp, &bills).await;
    for (cxp, importe, cuenta, rate) in [(1, "400.00", 1, "1"), (2, "40.00", 4, "18")] {
        let paid = json!({"cxp": cxp, "importe": importe, "cuenta_bancaria": cuenta, "fecha": "2026-10-13",
                          "referencia": "T1", "tipo_cambio": rate});
        did(company.run_by_name("payable.pay", &paid).await);
    }
    assert_eq!(banks(&company).await, ["600.50", "0", "-250.25", "60.00", "0"].map(|text| text.parse().unwrap()));
    books::check(&world, &company).await;
    let input = json!({"mes": "2026-10", "tipos_cambio": [{"moneda": "USD", "tipo_cambio": "20"}]});
    world.clock.advance(TimeDelta::days(20));
    let revalued = did(company.run_by_name("ledger.revalue", &input).await);
    let bank = &revalued["revaluaciones"][0]["saldos"][0];
    // 60 dollars that the books hold for 1,750 − 40 × 18.
    assert_eq!(bank["cuenta_bancaria"], 4, "{revalued}");
    assert_eq!([&bank["saldo"], &bank["pesos"], &bank["valor"]], ["60.00", "1030.00", "1200.00"], "{revalued}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn exported_bank_accounts_hold_the_same_where_they_are_imported() {
    let world = World::new().await;
    let company = world.company().await;
    let accounts = [
        json!({"clave": 12345, "nombre": "Dólares", "moneda": "USD", "saldo": "100.00", "saldo_pesos": "1750.00"}),
        json!({"clave": 7, "nombre": "Operativa", "saldo": "10.00"}),
        json!({"clave": 2345, "nombre": "Otros dólares", "moneda": "USD", "saldo": "-1.00", "saldo_pesos": "-18.00"}),
    ];
    company.load(Resource::CuentasBancarias, &accounts).await;
    let lines = company.export(Resource::CuentasBancarias).await;
    let held: Vec<_> = lines.iter().map(|line| (&line["saldo"], &line["saldo_pesos"])).collect();
    let (none, of) = (Value::Null, |text: &str| json!(text));
    assert_eq!(held, [(&of("10.00"), &none), (&of("-1.00"), &of("-18.00")), (&of("100.00"), &of("1750.00"))]);
    let other = world.company().await;
    other.load(Resource::CuentasBancarias, &lines).await;
    assert_eq!(other.export(Resource::CuentasBancarias).await, lines);
    assert_eq!(balance(&other, "102.01").await, "1742.00");
    books::check(&world, &other).await;

    // An account that is there already is left as it is, and an edit changes no balance.
    let again = [json!({"clave": 7, "nombre": "Operativa", "saldo": "99.00"})];
    blames(other.import(Resource::CuentasBancarias, &again).await, 1, "clave: ya existe");
    let edit = json!({"clave": 7, "saldo": "99.00"});
    let error = other.run_by_name("bank-account.edit", &edit).await.expect_err("a balance");
    assert_eq!(error.code().codigo(), "campo_no_permitido");
    did(other.run_by_name("bank-account.edit", &json!({"clave": 7, "nombre": "Principal"})).await);
    assert_eq!(other.export(Resource::CuentasBancarias).await[0]["saldo"], "10.00");
    books::check(&world, &other).await;
}

#[tokio::test]
async fn a_bank_account_of_a_closed_month_is_not_opened() {
    let world = World::new().await;
    let company = world.company().await;
    world.clock.advance(TimeDelta::days(30));
    did(company.run_by_name("ledger.close", &json!({"mes": "2026-10"})).await);
    world.clock.advance(TimeDelta::days(-30));
    let refused = company.import(Resource::CuentasBancarias, &[json!({"nombre": "Tarde", "saldo": "1"})]).await;
    let text = format!("{:?}", refused.expect_err("a closed month"));
    assert!(text.contains("periodo_cerrado") || text.contains("cerrado"), "{text}");
    assert_eq!(world.count("cuentas_bancarias").await, 0);
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Sin saldo"})]).await;
}

#[tokio::test]
async fn an_imported_receivable_in_dollars_that_is_paid_leaves_nothing() {
    let world = World::new().await;
    let company = shop(&world).await;
    let sold = json!({"tipo": "venta", "cliente": 1, "subtotal": "86.21", "impuestos": "13.79", "total": "100.00",
                      "saldo": "100.00", "condicion_pago": "credito", "moneda": "USD", "tipo_cambio": "17.543211"});
    company.load(Resource::Ventas, &[sold]).await;
    let nail = json!({"venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 1,
                      "precio_unitario": "86.21", "iva_tasa": "0.160000", "iva": "13.79"});
    company.load(Resource::VentasRenglones, &[nail]).await;
    let owed = |total: &str, venta: Value| json!({"cliente": 1, "total": total, "venta": venta, "moneda": "USD", "tipo_cambio": "17.543211"});
    let debts = [owed("100.00", Value::Null), owed("100.00", json!(1)), owed("0.05", Value::Null)];
    company.load(Resource::Cxc, &debts).await;
    // Twice 1,754.32, and 0.88.
    assert_eq!(balance(&company, "105.01").await, "3509.52");
    let pay = async |cxc: i64, importe: &str| {
        let paid = json!({"cxc": cxc, "importe": importe, "cuenta_bancaria": 2, "forma_pago_sat": "03",
                          "fecha": "2026-10-12", "referencia": format!("{cxc} {importe}"), "tipo_cambio": "18"});
        did(company.run_by_name("payment.apply", &paid).await)
    };
    pay(3, "0.05").await;
    assert_eq!(balance(&company, "105.01").await, "3508.64");
    for cxc in [1, 2] {
        // One that is cancelled in between counts for nothing.
        let undone = pay(cxc, "10.01").await;
        did(company.run_by_name("payment.cancel", &json!({"pago": undone["pago"]})).await);
        for importe in ["33.33", "33.32", "33.35"] {
            pay(cxc, importe).await;
        }
    }
    assert_eq!([balance(&company, "105.01").await, balance(&company, "209.01").await], ["0.00", "0.00"]);
}
