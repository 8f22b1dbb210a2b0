//! `account.edit`, `account.list`, `ledger.balance`, and the entries of currencies, deposits, stock
//! and purchases.

use serde_json::{Value, json};
use svc_tests::{Company, Resource, World, books};

use super::shop::{NAIL, captured, entries, invoiced, line, nails, sale, shop, with};
use super::{did, refuses};

/// The trial balance of a period, an account a line: `number: before + debits - credits = balance`.
pub(super) async fn balance(company: &Company, period: Value) -> Vec<String> {
    let said = did(company.run_by_name("ledger.balance", &period).await);
    assert_eq!([&said["totales"]["saldo_inicial"], &said["totales"]["saldo"]], [&json!("0.00"), &json!("0.00")]);
    assert_eq!(said["totales"]["cargos"], said["totales"]["abonos"]);
    let shown = |row: &Value| {
        let text = |field: &str| row[field].as_str().expect("a text");
        let (before, debits, credits) = (text("saldo_inicial"), text("cargos"), text("abonos"));
        format!("{}: {before} + {debits} - {credits} = {}", text("cuenta"), text("saldo"))
    };
    said["cuentas"].as_array().expect("accounts").iter().map(shown).collect()
}

/// All entries: each one's subject and its lines.
async fn all(world: &World) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT format('%s: %s', p.concepto,
                       string_agg(format('%s %s', r.cuenta, to_char(r.cargo - r.abono, 'FMSG999999990.00')), ' ' ORDER BY r.renglon))
         FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
         GROUP BY p.clave, p.concepto ORDER BY p.clave",
    )
    .fetch_all(world.pool())
    .await
    .expect("the entries")
}

/// A bank payment in dollars.
pub(super) fn dollars(cxc: &Value, importe: &str, rate: Option<&str>) -> Value {
    json!({"cxc": cxc, "importe": importe, "cuenta_bancaria": 2, "forma_pago_sat": "03", "fecha": "2026-10-12",
           "referencia": format!("WIRE {importe}"), "tipo_cambio": rate})
}

#[tokio::test]
async fn a_period_has_its_movement_and_what_was_before() {
    let world = World::new().await;
    let company = shop(&world).await;
    captured(&company, &nails("venta")).await;
    world.clock.advance(chrono::TimeDelta::days(1));
    captured(&company, &nails("venta")).await;
    assert_eq!(
        balance(&company, json!({"desde": "2026-10-13", "hasta": "2026-10-13"})).await,
        [
            "105.01: 232.00 + 232.00 - 0.00 = 464.00",
            "115.01: -80.00 + 0.00 - 80.00 = -160.00",
            "209.01: -32.00 + 0.00 - 32.00 = -64.00",
            "401.01: -200.00 + 0.00 - 200.00 = -400.00",
            "501.01: 80.00 + 80.00 - 0.00 = 160.00",
        ]
    );
    let to_a_day = balance(&company, json!({"hasta": "2026-10-12"})).await;
    assert_eq!(to_a_day[0], "105.01: 0.00 + 232.00 - 0.00 = 232.00");
    assert_eq!(balance(&company, json!({"hasta": "2026-10-11"})).await.len(), 0);
    assert_eq!(balance(&company, json!({"desde": "2026-10-14"})).await[0], "105.01: 464.00 + 0.00 - 0.00 = 464.00");
    let backwards = json!({"desde": "2026-10-13", "hasta": "2026-10-12"});
    refuses(&company, "ledger.balance", &[(backwards, "dato_invalido", "hasta: ")]).await;
    let other = shop(&world).await;
    assert_eq!(balance(&other, json!({})).await.len(), 0, "another company's");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_company_has_its_own_numbers_and_history_keeps_its() {
    let world = World::new().await;
    let company = shop(&world).await;
    let number = async |cuenta: &str, numero: Option<&str>| {
        did(company.run_by_name("account.edit", &json!({"cuenta": cuenta, "numero": numero})).await)
    };
    let first = captured(&company, &nails("venta")).await;
    let named = number("105.01", Some("1150-001")).await;
    let changed =
        json!({"cuenta": "105.01", "numero": "1150-001", "nombre": "Clientes nacionales", "agrupador": "105.01"});
    assert_eq!(named, changed);
    number("401.01", Some("4000")).await;
    number("402.01", Some("4000")).await;
    let mut discounted = line(NAIL, 2, "100.00");
    discounted["descuento"] = json!("20.00");
    let second = captured(&company, &sale("venta", &[discounted])).await;
    assert_eq!(
        entries(&company, second).await,
        ["venta 2: 1150-001 +208.80 4000 +20.00 4000 -200.00 209.01 -28.80 501.01 +80.00 115.01 -80.00"]
    );
    // A reversing entry keeps the account numbers of the entry it undoes.
    number("105.01", Some("1150-002")).await;
    did(company.run_by_name("sale.cancel", &json!({"venta": first})).await);
    did(company.run_by_name("sale.cancel", &json!({"venta": second})).await);
    let accounts = did(company.run_by_name("account.list", &json!({})).await);
    let own: Vec<&Value> =
        accounts["cuentas"].as_array().unwrap().iter().filter(|row| row["cuenta"] != row["numero"]).collect();
    assert_eq!(own.iter().map(|row| row["numero"].as_str().unwrap()).collect::<Vec<_>>(), ["1150-002", "4000", "4000"]);
    let all = did(company.run_by_name("ledger.balance", &json!({})).await);
    let rows = all["cuentas"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["saldo"] == "0.00"), "{all}");
    let shared = rows.iter().find(|row| row["cuenta"] == "4000").expect("the shared number");
    assert_eq!((&shared["codigos"], &shared["cargos"]), (&json!(["401.01", "402.01"]), &json!("220.00")));
    assert!(rows.iter().all(|row| row["cuenta"] != "1150-002"));
    // Without a number the account has its code again.
    assert_eq!(number("105.01", None).await["numero"], "105.01");
    let third = captured(&company, &nails("venta")).await;
    assert!(entries(&company, third).await[0].starts_with("venta 3: 105.01 +232.00 4000 -200.00"));
    refuses(
        &company,
        "account.edit",
        &[
            (json!({"cuenta": "999.01", "numero": "1"}), "dato_invalido", "cuenta: "),
            (json!({"numero": "1"}), "dato_requerido", "cuenta: "),
            (json!({"cuenta": "105.01", "numero": "1".repeat(101)}), "dato_invalido", "numero: "),
        ],
    )
    .await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn unapplied_deposits_are_in_the_bank_and_nobodys_yet() {
    let world = World::new().await;
    let company = shop(&world).await;
    for _ in 0..2 {
        captured(&company, &nails("venta")).await;
    }
    let deposit = json!({"cuenta_bancaria": 1, "fecha": "2026-10-12", "importe": "300.00", "referencia": "A-1"});
    did(company.run_by_name("deposit.capture", &deposit).await);
    let parts = json!({"aplicaciones": [{"cxc": 1, "importe": "100"}, {"cxc": 2, "importe": "200"}], "cuenta_bancaria": 1,
                       "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "A-1"});
    did(company.run_by_name("payment.apply", &parts).await);
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(
        all(&world).await[2..],
        [
            "Depósito 1: 102.01.0001 +300.00 205.06 -300.00",
            "Pago 1 de la cuenta por cobrar 1: 205.06 +100.00 105.01 -100.00 209.01 +13.79 208.01 -13.79",
            "Pago 2 de la cuenta por cobrar 2: 205.06 +200.00 105.01 -200.00 209.01 +27.59 208.01 -27.59",
            "Cancelación: Pago 1 de la cuenta por cobrar 1: 205.06 -100.00 105.01 +100.00 209.01 -13.79 208.01 +13.79",
        ]
    );
    books::check(&world, &company).await;
    // A deposit made by its payments stays while some of them stand, and goes with the last.
    let parts = with(
        &parts,
        json!({"referencia": "B-2", "aplicaciones": [{"cxc": 1, "importe": "10"}, {"cxc": 2, "importe": "20"}]}),
    );
    did(company.run_by_name("payment.apply", &parts).await);
    did(company.run_by_name("payment.cancel", &json!({"pago": 3})).await);
    books::check(&world, &company).await;
    did(company.run_by_name("payment.cancel", &json!({"pago": 4})).await);
    books::check(&world, &company).await;
    let last = all(&world).await.pop().expect("an entry");
    assert_eq!(
        last,
        "Cancelación: Pago 4 de la cuenta por cobrar 2: 102.01.0001 -20.00 105.01 +20.00 209.01 -2.75 208.01 +2.75 205.06 +10.00 102.01.0001 -10.00"
    );
    // Dollars with a known rate keep it; paying at another rate posts an exchange difference.
    let body = with(&nails("venta"), json!({"moneda": "USD", "tipo_cambio": "20"}));
    captured(&company, &body).await;
    let deposit =
        with(&deposit, json!({"cuenta_bancaria": 2, "importe": "232", "referencia": "WIRE 232", "tipo_cambio": "21"}));
    did(company.run_by_name("deposit.capture", &deposit).await);
    did(company.run_by_name("payment.apply", &dollars(&json!(3), "232", Some("21"))).await);
    assert_eq!(
        all(&world).await.pop().expect("an entry"),
        "Pago 5 de la cuenta por cobrar 3: 205.06 +4872.00 105.01 -4640.00 209.01 +640.00 208.01 -672.00 702.01 -200.00"
    );
    refuses(
        &company,
        "deposit.capture",
        &[(
            with(&deposit, json!({"cuenta_bancaria": 1, "referencia": "C"})),
            "dato_invalido",
            "tipo_cambio: en MXN es 1",
        )],
    )
    .await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn stock_is_worth_its_weighted_average() {
    let world = World::new().await;
    let company = shop(&world).await;
    let moved = |tipo: &str, cantidad: f64, costo: &str| json!({"sku": "A-1", "almacen": "001", "tipo": tipo, "cantidad": cantidad, "costo_unitario": costo});
    for (tipo, cantidad, costo) in [
        ("saldo_inicial", 10.0, "40"),
        ("compra", 5.0, "41.00"),
        ("venta", 2.0, "40"),
        ("merma", 1.0, "40"),
        ("devolucion", 1.0, "40"),
        ("saldo_inicial", 12.5, "40"),
        ("salida_embarque", 3.0, "40"),
    ] {
        did(company.run_by_name("stock.move", &moved(tipo, cantidad, costo)).await);
    }
    did(company.run_by_name("stock.count", &json!({"sku": "A-1", "almacen": "001", "existencia": 11})).await);
    let transfer = json!({"sku": "A-1", "almacen": "001", "almacen_destino": "002", "cantidad": 4});
    did(company.run_by_name("stock.transfer", &transfer).await);
    assert_eq!(
        all(&world).await,
        [
            "Inventario: saldo_inicial: 115.01 +400.00 304.01 -400.00",
            "Inventario: compra: 115.01 +205.00 502.01 -205.00",
            "Inventario: venta: 115.01 -80.67 501.01 +80.67",
            "Inventario: merma: 115.01 -40.33 501.08 +40.33",
            "Inventario: devolucion: 115.01 +40.00 501.01 -40.00",
            "Inventario: saldo_inicial: 115.01 -20.15 304.01 +20.15",
            "Inventario: ajuste_salida: 115.01 -60.46 501.08 +60.46",
        ]
    );
    let traced: Vec<i64> = sqlx::query_scalar("SELECT movimiento FROM polizas ORDER BY clave")
        .fetch_all(world.pool())
        .await
        .expect("claves");
    assert_eq!(traced, [1, 2, 3, 4, 5, 6, 8]);
    let costly = moved("ajuste_entrada", 999_999.0, "999999999999999");
    refuses(&company, "stock.move", &[(costly, "dato_invalido", "costo_unitario: ")]).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn purchases_are_owed_and_their_iva_is_credited_when_paid() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"})]).await;
    let order = json!({"proveedor": 1, "renglones": [{"sku": "A-1", "cantidad": 10, "costo_unitario": "42.00"},
                                                    {"sku": "S-3", "cantidad": 1, "costo_unitario": "80.00", "iva": "12.80"}]});
    let dollars = with(&order, json!({"moneda": "USD", "tipo_cambio": "20"}));
    for input in [&order, &order, &dollars] {
        did(company.run_by_name("purchase.capture", input).await);
    }
    // Received at once; then in two parts; then billed first, at the rate of its day.
    did(company.run_by_name("purchase.receive", &json!({"compra": 1})).await);
    let part = json!({"compra": 2, "renglones": [{"renglon": 1, "cantidad": 4}]});
    did(company.run_by_name("purchase.receive", &part).await);
    did(company.run_by_name("purchase.receive", &json!({"compra": 2})).await);
    did(company.run_by_name("payable.capture", &json!({"compra": 3, "total": "580.00", "tipo_cambio": "21"})).await);
    did(company.run_by_name("purchase.receive", &json!({"compra": 3})).await);
    did(company.run_by_name("payable.capture", &json!({"total": "116.00", "iva": "16.00", "concepto": "Luz"})).await);
    did(company
        .run_by_name("payable.capture", &json!({"total": "50.00", "pagado": "50.00", "concepto": "Taxi"}))
        .await);
    let pay = |cxp: i64, importe: &str, cuenta: i64, rate: Option<&str>| {
        json!({"cxp": cxp, "importe": importe, "cuenta_bancaria": cuenta, "fecha": "2026-10-12", "referencia": "SPEI",
               "tipo_cambio": rate})
    };
    did(company.run_by_name("payable.pay", &pay(1, "290", 1, None)).await);
    did(company.run_by_name("payable.pay", &pay(3, "290", 2, Some("20"))).await);
    assert_eq!(
        all(&world).await,
        [
            "Recepción de la compra 1: 119.01 +80.00 201.01 -580.00 115.01 +420.00 601.84 +80.00",
            "Recepción de la compra 2: 115.01 +168.00 205.02 -168.00",
            "Recepción de la compra 2: 119.01 +80.00 201.01 -580.00 115.01 +252.00 601.84 +80.00 205.02 +168.00",
            "Cuenta por pagar 3: 119.01 +1680.00 201.01 -12180.00 115.05 +10500.00",
            "Recepción de la compra 3: 115.01 +8400.00 601.84 +1600.00 501.08 +500.00 115.05 -10500.00",
            "Cuenta por pagar 4: 119.01 +16.00 201.01 -116.00 601.84 +100.00",
            "Cuenta por pagar 5: 101.01 -50.00 601.84 +50.00",
            "Pago 1 de la cuenta por pagar 1: 201.01 +290.00 102.01.0001 -290.00 119.01 -40.00 118.01 +40.00",
            "Pago 2 de la cuenta por pagar 3: 201.01 +6090.00 102.01.0002 -5800.00 119.01 -840.00 118.01 +800.00 702.01 -250.00",
        ]
    );
    let about: Vec<String> = sqlx::query_scalar(
        "SELECT concat_ws(' ', 'compra ' || compra, 'cxp ' || cxp, 'pago ' || cxp_pago, 'movimiento ' || movimiento)
         FROM polizas ORDER BY clave",
    )
    .fetch_all(world.pool())
    .await
    .expect("documents");
    assert_eq!(
        about,
        [
            "compra 1 cxp 1 movimiento 1",
            "compra 2 movimiento 2",
            "compra 2 cxp 2 movimiento 3",
            "compra 3 cxp 3",
            "compra 3 movimiento 4",
            "cxp 4",
            "cxp 5",
            "cxp 1 pago 1",
            "cxp 3 pago 2",
        ]
    );
    refuses(
        &company,
        "payable.capture",
        &[
            (json!({"total": "100", "iva": "100.01"}), "dato_invalido", "iva: "),
            (json!({"total": "100", "iva": "-1"}), "dato_invalido", "iva: "),
            (json!({"total": "100", "iva": "1.001"}), "dato_invalido", "iva: "),
        ],
    )
    .await;
    refuses(&company, "payable.pay", &[(pay(1, "1", 1, Some("2")), "dato_invalido", "tipo_cambio: en MXN es 1")]).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_trial_balance_says_what_the_documents_do() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let stock = json!({"sku": "A-1", "almacen": "001", "tipo": "saldo_inicial", "cantidad": 100});
    did(company.run_by_name("stock.move", &stock).await);
    captured(&company, &nails("venta")).await;
    invoiced(&ana, &nails("pedido")).await;
    captured(&company, &with(&nails("venta"), json!({"moneda": "USD", "tipo_cambio": "20"}))).await;
    did(company.run_by_name("payable.capture", &json!({"total": "116.00", "iva": "16.00"})).await);
    let pay = json!({"cxc": 1, "importe": "100", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "A"});
    did(company.run_by_name("payment.apply", &pay).await);
    let said = did(company.run_by_name("ledger.balance", &json!({})).await);
    let of = |cuenta: &str| {
        let rows = said["cuentas"].as_array().unwrap();
        rows.iter().find(|row| row["cuenta"] == cuenta).map(|row| row["saldo"].as_str().unwrap().to_owned())
    };
    let documents = async |statement: &'static str| world.sql::<String>(statement).await;
    let owed = "SELECT round(sum(saldo * tipo_cambio), 2)::text FROM cxc";
    assert_eq!(of("105.01"), Some(documents(owed).await));
    assert_eq!(of("102.01.0001"), Some(documents("SELECT round(sum(importe), 2)::text FROM depositos").await));
    assert_eq!(of("201.01"), Some(documents("SELECT round(-sum(saldo * tipo_cambio), 2)::text FROM cxp").await));
    let worth =
        "SELECT round(sum(i.existencia * p.costo), 2)::text FROM inventario i JOIN productos p ON p.clave = i.producto";
    assert_eq!(of("115.01"), Some(documents(worth).await));
    assert_eq!(of("115.01"), Some("3760.00".to_owned()));
    books::check(&world, &company).await;
}
