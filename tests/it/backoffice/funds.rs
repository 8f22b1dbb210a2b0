//! Money outside the bank: cash, advances, balances in the customer's favour.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Company, Resource, World, books};

use super::did;
use super::shop::{FOOD, NAIL, captured, entries, line, nails, only, refuses, sale, shop, with};

/// Cash sales need half of their total in advance.
async fn wanting_half(world: &World) -> (Company, Actor) {
    let company = shop(world).await;
    company.edit(CompanyChange { anticipo_minimo: Some(50.into()), ..CompanyChange::default() }).await;
    let ana = company.admin().await;
    (company, ana)
}

fn cash(cxc: &Value, importe: &str) -> Value {
    json!({"cxc": cxc, "importe": importe, "forma_pago_sat": "01", "fecha": "2026-10-12"})
}

fn of(cxc: &Value, importe: &str, origen: &str) -> Value {
    json!({"cxc": cxc, "importe": importe, "origen": origen, "fecha": "2026-10-12"})
}

/// Captures a document and returns its receivable.
async fn owed(company: &Company, body: &Value) -> Value {
    did(company.run_by_name("sale.capture", body).await)["cxc"].clone()
}

async fn ordered(ana: &Actor) -> i64 {
    let body = sale("pedido", &[line(NAIL, 2, "95.00")]);
    ana.post("/ventas", body).await.ok(201)["venta"].as_i64().expect("a clave")
}

#[tokio::test]
async fn a_cash_sales_day_ends_with_nothing_owed() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let cxc = owed(&company, &nails("venta")).await;
    did(company.run_by_name("payment.apply", &cash(&cxc, "200.00")).await);
    did(company.run_by_name("payment.apply", &cash(&cxc, "32.00")).await);
    let debt = only(&ana, &format!("/cxc?clave={cxc}&estatus=pagado")).await;
    assert_eq!((&debt["saldo"], &debt["parcialidades"]), (&json!("0.00"), &json!(2)));
    let paid = ana.walk("/cxc-pagos").await;
    let none = Value::Null;
    assert_eq!((&paid[0]["forma_pago_sat"], &paid[0]["origen"]), (&json!("01"), &json!("deposito")));
    assert_eq!((&paid[0]["cuenta_bancaria"], &paid[0]["deposito"]), (&none, &none));
    assert_eq!(
        entries(&company, 1).await[1..],
        [
            "Pago 1 de la cuenta por cobrar 1: 101.01 +200.00 105.01 -200.00 209.01 +27.59 208.01 -27.59",
            "Pago 2 de la cuenta por cobrar 1: 101.01 +32.00 105.01 -32.00 209.01 +4.41 208.01 -4.41",
        ]
    );
    did(company.run_by_name("payment.cancel", &json!({"pago": 2})).await);
    assert_eq!(only(&ana, &format!("/cxc?clave={cxc}")).await["saldo"], "32.00");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn every_form_but_99_pays_and_cash_may_be_taken_to_the_bank() {
    let world = World::new().await;
    let company = shop(&world).await;
    let cxc = owed(&company, &nails("venta")).await;
    for (number, form) in ["01", "02", "03", "04", "05", "06", "08", "12", "17", "28", "29", "31"].iter().enumerate() {
        let banked = json!({"forma_pago_sat": form, "cuenta_bancaria": 1, "referencia": format!("A-{number}")});
        did(company.run_by_name("payment.apply", &with(&cash(&cxc, "1.00"), banked)).await);
    }
    let banked = |form: &str| json!({"forma_pago_sat": form, "cuenta_bancaria": 1, "referencia": "B"});
    refuses(
        &company,
        "payment.apply",
        &[
            (with(&cash(&cxc, "1.00"), banked("99")), "dato_invalido", "forma_pago_sat: "),
            (with(&cash(&cxc, "1.00"), banked("07")), "forma_pago_invalida", "forma_pago_sat: "),
            (with(&cash(&cxc, "1.00"), json!({"forma_pago_sat": "03"})), "dato_requerido", "cuenta_bancaria: "),
            (with(&cash(&cxc, "1.00"), json!({"cuenta_bancaria": 1})), "dato_requerido", "referencia: "),
        ],
    )
    .await;
    let ana = company.admin().await;
    let body = json!({"importe": "1.00", "cuenta_bancaria": 1, "forma_pago_sat": "01", "fecha": "2026-10-12", "referencia": "C"});
    ana.post(&format!("/cxc/{cxc}/pagos"), body).await.fails(400, "dato_invalido");
    assert_eq!(
        world.sql::<String>("SELECT to_char(saldo, 'FM990.00') FROM cuentas_bancarias WHERE clave = 1").await,
        "12.00"
    );
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_advance_is_applied_as_far_as_it_was_paid() {
    let world = World::new().await;
    let company = shop(&world).await;
    let sold = owed(&company, &nails("venta")).await;
    let advance = owed(&company, &sale("anticipo", &[line(NAIL, 1, "100.00")])).await;
    let apply = |importe: &str| of(&sold, importe, "anticipo");
    refuses(&company, "payment.apply", &[(apply("0.01"), "saldo_insuficiente", "importe: ")]).await;
    did(company.run_by_name("payment.apply", &cash(&advance, "100.00")).await);
    refuses(&company, "payment.apply", &[(apply("100.01"), "saldo_insuficiente", "importe: ")]).await;
    did(company.run_by_name("payment.apply", &apply("60.00")).await);
    refuses(&company, "payment.apply", &[(apply("40.01"), "saldo_insuficiente", "")]).await;
    // An applied advance cannot be taken back.
    refuses(&company, "payment.cancel", &[(json!({"pago": 1}), "estado_invalido", "pago: ")]).await;
    did(company.run_by_name("payment.cancel", &json!({"pago": 2})).await);
    did(company.run_by_name("payment.apply", &apply("100.00")).await);
    company.load(Resource::Clientes, &[json!({"nombre": "Bea"})]).await;
    // Another customer has no advance, and this one has none in dollars.
    let bea = owed(&company, &with(&nails("venta"), json!({"cliente": 2}))).await;
    let dollars = owed(&company, &with(&nails("venta"), json!({"moneda": "USD", "tipo_cambio": 20}))).await;
    refuses(
        &company,
        "payment.apply",
        &[
            (of(&bea, "1", "anticipo"), "saldo_insuficiente", ""),
            (of(&dollars, "1", "anticipo"), "saldo_insuficiente", ""),
            (of(&sold, "1", "saldo_a_favor"), "saldo_insuficiente", ""),
        ],
    )
    .await;
    world.run("INSERT INTO saldos_a_favor (empresa, clave, cliente, moneda, importe, creado) SELECT empresa, 1, 1, 'MXN', 50, creada FROM empresas").await;
    did(company.run_by_name("payment.apply", &of(&sold, "50", "saldo_a_favor")).await);
    refuses(&company, "payment.apply", &[(of(&sold, "0.01", "saldo_a_favor"), "saldo_insuficiente", "")]).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_foreign_advance_that_is_used_up_in_parts_leaves_no_cent() {
    let world = World::new().await;
    let company = shop(&world).await;
    let dollars = |body: Value| with(&body, json!({"moneda": "USD", "tipo_cambio": "17.543217"}));
    for (producto, total) in [(FOOD, "100.00"), (NAIL, "116.00")] {
        let advance = owed(&company, &dollars(sale("anticipo", &[line(producto, 1, "100.00")]))).await;
        let paid = json!({"cuenta_bancaria": 2, "forma_pago_sat": "03", "referencia": format!("A-{producto}")});
        did(company.run_by_name("payment.apply", &with(&cash(&advance, total), paid)).await);
        // Of 1754.32 pesos the thirds would take 584.72, 584.72 and 584.89.
        let sold = owed(&company, &dollars(sale("venta", &[line(NAIL, 2, "100.00")]))).await;
        did(company.run_by_name("payment.apply", &of(&sold, "33.33", "anticipo")).await);
        let second = did(company.run_by_name("payment.apply", &of(&sold, "33.33", "anticipo")).await)["pago"].clone();
        did(company.run_by_name("payment.apply", &of(&sold, "0.07", "anticipo")).await);
        did(company.run_by_name("payment.cancel", &json!({"pago": second})).await);
        let rest = total.parse::<rust_decimal::Decimal>().unwrap() - "33.40".parse::<rust_decimal::Decimal>().unwrap();
        did(company.run_by_name("payment.apply", &of(&sold, &rest.to_string(), "anticipo")).await);
        books::check(&world, &company).await;
    }
    let said = did(company.run_by_name("ledger.balance", &json!({})).await);
    let advances = said["cuentas"].as_array().unwrap().iter().find(|row| row["cuenta"] == "206.01").cloned();
    assert_eq!(advances.map(|row| row["saldo"].clone()), Some(json!("0.00")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_advance_is_not_applied_twice_at_once() {
    let world = World::new().await;
    let company = shop(&world).await;
    let advance = owed(&company, &sale("anticipo", &[line(NAIL, 1, "100.00")])).await;
    did(company.run_by_name("payment.apply", &cash(&advance, "116.00")).await);
    let mut debts = Vec::new();
    for _ in 0..6 {
        debts.push(of(&owed(&company, &nails("venta")).await, "100.00", "anticipo"));
    }
    let tried = debts.iter().map(|input| company.run_by_name("payment.apply", input));
    let done = futures_util::future::join_all(tried).await.into_iter().flatten().count();
    assert_eq!(done, 1);
}

#[tokio::test]
async fn an_advance_counts_for_one_cash_sale() {
    let world = World::new().await;
    let (company, ana) = wanting_half(&world).await;
    // 220.40 each; 110.20 of it are needed in advance.
    let orders = [ordered(&ana).await, ordered(&ana).await, ordered(&ana).await];
    let advance = owed(&company, &sale("anticipo", &[line(NAIL, 1, "100.00")])).await;
    did(company.run_by_name("payment.apply", &cash(&advance, "116.00")).await);
    let invoice = |venta: i64| ana.post(format!("/ventas/{venta}/facturar").leak(), json!({}));
    invoice(orders[0]).await.ok(202);
    invoice(orders[1]).await.fails(422, "anticipo_insuficiente");
    // It is applied to the sale that counts it, and 5.80 of it are left.
    let first = only(&ana, &format!("/cxc?venta={}", orders[0])).await["clave"].clone();
    did(company.run_by_name("payment.apply", &of(&first, "110.20", "anticipo")).await);
    invoice(orders[1]).await.fails(422, "anticipo_insuficiente");
    let more = owed(&company, &sale("anticipo", &[line(NAIL, 1, "90.00")])).await;
    did(company.run_by_name("payment.apply", &cash(&more, "104.40")).await);
    invoice(orders[1]).await.ok(202);
    invoice(orders[2]).await.fails(422, "anticipo_insuficiente");
    // Once paid by other means, the second sale no longer counts it.
    let second = only(&ana, &format!("/cxc?venta={}", orders[1])).await["clave"].clone();
    did(company.run_by_name("payment.apply", &cash(&second, "220.40")).await);
    invoice(orders[2]).await.ok(202);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_cancelled_cash_sale_gives_its_advance_back() {
    let world = World::new().await;
    let (company, ana) = wanting_half(&world).await;
    let orders = [ordered(&ana).await, ordered(&ana).await];
    let advance = owed(&company, &sale("anticipo", &[line(NAIL, 1, "100.00")])).await;
    did(company.run_by_name("payment.apply", &cash(&advance, "116.00")).await);
    let invoice = |venta: i64| ana.post(format!("/ventas/{venta}/facturar").leak(), json!({}));
    let factura = invoice(orders[0]).await.ok(202)["factura"].clone();
    invoice(orders[1]).await.fails(422, "anticipo_insuficiente");
    did(company
        .run_by_name("invoice.rejected", &json!({"factura": factura, "codigo": "CFDI40147", "mensaje": "No"}))
        .await);
    did(company.run_by_name("sale.cancel", &json!({"venta": orders[0]})).await);
    invoice(orders[1]).await.ok(202);
}

#[tokio::test]
async fn an_advance_without_customer_pays_nothing() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load(Resource::Cxc, &[json!({"total": "10.00"})]).await;
    refuses(&company, "payment.apply", &[(of(&json!(1), "1", "anticipo"), "saldo_insuficiente", "")]).await;
    assert_eq!(captured(&company, &nails("venta")).await, 1);
}

#[tokio::test]
async fn a_statement_tells_of_advances_what_was_paid_by_its_day_and_can_be_used() {
    let world = World::new().await;
    let company = shop(&world).await;
    let refunded = json!({"tipo": "anticipo", "cliente": 1, "total": "116.00", "saldo": "0.00"});
    company.load(Resource::Ventas, &[refunded]).await;
    let documents = ["factura", "nota_credito"].map(|tipo| json!({"tipo": tipo, "venta": 1, "cliente": 1}));
    company.load(Resource::Facturas, &documents).await;
    let cxc = owed(&company, &sale("anticipo", &[line(FOOD, 1, "100.00")])).await;
    world.clock.advance(TimeDelta::days(1));
    let paid = with(&cash(&cxc, "60.00"), json!({"fecha": "2026-10-13"}));
    did(company.run_by_name("payment.apply", &paid).await);
    let told = async |hasta: &str| {
        let days = json!({"cliente": 1, "desde": "2026-10-01", "hasta": hasta});
        did(company.run_by_name("report.statement", &days).await)["anticipos"].clone()
    };
    assert_eq!(told("2026-10-12").await, json!([]));
    assert_eq!(told("2026-10-13").await, json!([{"anticipo": 2, "moneda": "MXN", "importe": "60.00"}]));
}
