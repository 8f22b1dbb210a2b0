//! The books of a company with a million lines, and of small companies beside it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, mexico_date};
use svc_core::domain::company::{CompanyId, LimitMode};
use svc_core::stamping::SandboxStamper;
use svc_core::store::CompanyChange;
use svc_tests::{Company, Resource, World};

use crate::fill::Within;
use crate::{Case, SMALL_COMPANIES, fill, sized};

/// The lines of the large company's ledger.
const LINES: i64 = 1_000_000;

/// How far apart the claves of two copies of a record are, and the days over which they are spread.
const APART: i64 = 1_000;
const DAYS: i64 = 700;

/// How often a report of the large company is read; the median counts.
const READS: usize = 5;

/// Tables whose records are copied within the company, and the columns that hold claves of such
/// records.
const TABLES: [&str; 16] = [
    "ventas",
    "ventas_renglones",
    "facturas",
    "notas_credito",
    "notas_credito_renglones",
    "depositos",
    "cxc",
    "cxc_pagos",
    "saldos_a_favor",
    "compras",
    "compras_renglones",
    "cxp",
    "cxp_pagos",
    "movimientos_inventario",
    "polizas",
    "polizas_renglones",
];
const CLAVES: [&str; 17] = [
    "clave",
    "folio",
    "venta",
    "factura",
    "pago",
    "compra",
    "cxc",
    "cxp",
    "cxp_pago",
    "deposito",
    "reembolso",
    "movimiento",
    "revierte",
    "poliza",
    "anticipo",
    "nota",
    "origen_factura",
];

pub(crate) async fn case(case: &Case) {
    let world = crate::world().await;
    let template = template(&world).await;
    let smalls = fill::copies(&template, sized(SMALL_COMPANIES)).await;
    let lines: i64 = world.sql("SELECT count(*) FROM polizas_renglones WHERE empresa = 1").await;
    case.figure("lines of a small company", lines);
    let within = Within { tables: &TABLES, claves: &CLAVES, apart: APART, days: DAYS };
    fill::unchecked(world.pool(), fill::multiplying(&template, &within, sized(LINES) / lines).await).await;
    let all: i64 = world.sql("SELECT count(*) FROM polizas_renglones WHERE empresa = 1").await;
    case.figure("lines of the large company", all);
    let size: i64 = world
        .sql("SELECT (pg_total_relation_size('polizas') + pg_total_relation_size('polizas_renglones')) / 1000000")
        .await;
    case.figure("size of all entries with their indexes", format!("{size} MB"));
    let today = mexico_date(world.clock.now());
    for (what, action, input) in reports(today) {
        let mut times = Vec::new();
        for _ in 0..READS {
            times.push(read(&template, action, &input).await);
        }
        case.figure(&format!("{what}, of the large company"), shown(times));
        let mut times = Vec::new();
        for small in &smalls {
            let small = Company { id: CompanyId(*small), ..template.clone() };
            times.push(read(&small, action, &input).await);
        }
        case.figure(&format!("{what}, of {} small ones", smalls.len()), shown(times));
    }
}

/// What is read, with its action and input.
fn reports(today: chrono::NaiveDate) -> Vec<(&'static str, &'static str, Value)> {
    let (month, year) = (today.format("%Y-%m").to_string(), today - chrono::Days::new(365));
    let first = today.format("%Y-%m-01").to_string();
    let mut reports = vec![
        ("ledger.balance of a month", "ledger.balance", json!({"desde": first, "hasta": today})),
        ("ledger.balance of all", "ledger.balance", json!({})),
        ("ledger.entries, a page", "ledger.entries", json!({"desde": first, "hasta": today})),
        ("ledger.entries of an account", "ledger.entries", json!({"desde": first, "hasta": today, "cuenta": "105.01"})),
        ("ledger.export of the balance", "ledger.export", json!({"que": "balanza", "mes": month})),
        ("ledger.export of a month's entries", "ledger.export", json!({"que": "polizas", "mes": month})),
        ("report.aging of customers", "report.aging", json!({"de": "cxc"})),
        ("report.aging of suppliers", "report.aging", json!({"de": "cxp"})),
        ("report.statement of a month", "report.statement", json!({"cliente": 1, "desde": first, "hasta": today})),
        ("report.vat of a month", "report.vat", json!({"mes": month})),
        ("report.stock", "report.stock", json!({})),
    ];
    for (what, por) in [
        ("report.sales of a year by day", "dia"),
        ("report.sales of a year by customer", "cliente"),
        ("report.sales of a year by product", "producto"),
        ("report.sales of a year by salesperson", "vendedor"),
    ] {
        reports.push((what, "report.sales", json!({"desde": year, "hasta": today, "por": por})));
    }
    let last = (today - chrono::Months::new(1)).format("%Y-%m").to_string();
    let rates = json!([{"moneda": "USD", "tipo_cambio": "18.5"}]);
    reports.push(("ledger.revalue", "ledger.revalue", json!({"mes": last, "tipos_cambio": rates})));
    reports
}

/// How long a report takes; a revaluation is rehearsed.
async fn read(company: &Company, action: &str, input: &Value) -> Duration {
    let began = Instant::now();
    match action {
        "ledger.export" => drop(company.download(action, input).await.expect("a document").expect("a file")),
        "ledger.revalue" => drop(company.rehearse_by_name(action, input).await.expect("a rehearsal")),
        _ => drop(company.run_by_name(action, input).await.expect("a report")),
    }
    began.elapsed()
}

fn shown(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |place: usize| times[place].as_secs_f64() * 1e3;
    format!("{:.1} ms, {:.1} ms at the most", at(times.len() / 2), at(times.len() - 1))
}

/// A company with a little of everything: tickets, invoices in pesos and dollars with their
/// payments and credit notes, purchases and expenses.
async fn template(world: &World) -> Company {
    let limits = CompanyChange { limites: Some(Some(LimitMode::Notice)), ..CompanyChange::default() };
    let company = world.company_with(limits).await;
    company.load_certificate().await;
    let product = |n: i64, iva: &str| json!({"sku": format!("P-{n}"), "descripcion": format!("Producto {n}"), "unidad": 1, "iva_venta": iva, "costo": "10"});
    let products: Vec<Value> =
        (1..=20).map(|n| product(n, ["16", "0", "8"][usize::try_from(n % 2).expect("small")])).collect();
    company.load(Resource::Productos, &products).await;
    let customer = |n: i64| json!({"nombre": format!("Cliente {n}"), "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03", "limite_credito": "1000000.00", "dias_credito": 30});
    company.load(Resource::Clientes, &[customer(1)]).await;
    company
        .load(
            Resource::Clientes,
            &(2..=40)
                .map(|n| json!({"nombre": format!("Cliente {n}"), "limite_credito": "1000000.00", "dias_credito": 30}))
                .collect::<Vec<_>>(),
        )
        .await;
    company
        .load(Resource::Proveedores, &(1..=10).map(|n| json!({"nombre": format!("Proveedor {n}")})).collect::<Vec<_>>())
        .await;
    company
        .load(Resource::CuentasBancarias, &[json!({"nombre": "Pesos"}), json!({"nombre": "Dólares", "moneda": "USD"})])
        .await;
    let today = mexico_date(world.clock.now());
    let run = async |action: &str, input: Value| {
        company.run_by_name(action, &input).await.unwrap_or_else(|error| panic!("{action} {input}: {error}"))
    };
    for n in 1..=40_i64 {
        let lines: Vec<Value> = (0..3)
            .map(|k| json!({"producto": (n + 7 * k) % 20 + 1, "cantidad": 2, "precio_unitario": "100.00", "descuento": "5.00"}))
            .collect();
        let cliente = if n % 4 == 0 { 1 } else { n };
        let mut sale = json!({"tipo": if n % 4 == 0 { "factura" } else { "venta" }, "cliente": cliente, "renglones": lines,
                              "forma_pago_sat": "99", "metodo_pago_sat": "PPD", "condicion_pago": "credito"});
        if n % 5 == 0 {
            (sale["moneda"], sale["tipo_cambio"]) = (json!("USD"), json!("17.5"));
        }
        run("sale.capture", sale).await;
        if n % 3 > 0 {
            let cuenta = if n % 5 == 0 { 2 } else { 1 };
            run("payment.apply", json!({"cxc": n, "importe": "200.00", "cuenta_bancaria": cuenta, "forma_pago_sat": "03", "fecha": today, "referencia": format!("R{n}")})).await;
        }
    }
    world.stamp(&SandboxStamper).await;
    for n in 1..=10_i64 {
        let lines = [json!({"producto": n, "cantidad": 10, "costo_unitario": "9.50"})];
        let compra = run("purchase.capture", json!({"proveedor": n, "renglones": lines})).await["compra"].clone();
        run("purchase.receive", json!({"compra": compra})).await;
        run("payable.capture", json!({"proveedor": n, "total": "1160.00", "iva": "160.00"})).await;
    }
    for n in 1..=8_i64 {
        run(
            "payable.pay",
            json!({"cxp": n, "importe": "50.00", "cuenta_bancaria": 1, "fecha": today, "referencia": format!("S{n}")}),
        )
        .await;
    }
    company
}
