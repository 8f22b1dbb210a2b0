//! Concurrent payments.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_tests::{Reply, World};

use super::{REMISION, Written, banks, owed, payment, written};

/// The number of concurrent payments.
const MANY: usize = 20;
const ROUNDS: usize = 4;

/// The number of each outcome: status and code.
fn outcomes(replies: &[Reply]) -> Vec<(u16, String, usize)> {
    let mut all: Vec<(u16, String)> = replies
        .iter()
        .map(|reply| (reply.status, reply.json()["error"]["codigo"].as_str().unwrap_or_default().to_owned()))
        .collect();
    all.sort();
    all.chunk_by(|a, b| a == b).map(|same| (same[0].0, same[0].1.clone(), same.len())).collect()
}

/// Checks that the receivable, its payments, the bank and the books agree.
async fn agrees(world: &World) {
    let wrong: i64 = world
        .sql(
            "SELECT count(*) FROM cxc x
             LEFT JOIN LATERAL (SELECT coalesce(sum(importe), 0) AS importe, count(*) AS cuantos FROM cxc_pagos p
                                WHERE p.empresa = x.empresa AND p.cxc = x.clave AND NOT cancelado) p ON true
             JOIN ventas v ON v.empresa = x.empresa AND v.clave = x.venta
             WHERE x.pagado <> p.importe OR x.saldo <> x.total - p.importe OR v.saldo <> x.saldo
                   OR x.parcialidades <> p.cuantos OR (x.estatus = 'pagado') <> (x.saldo = 0)",
        )
        .await;
    assert_eq!(wrong, 0, "receivables");
    let wrong: i64 = world
        .sql(
            "SELECT count(*) FROM cuentas_bancarias c
             WHERE saldo <> (SELECT coalesce(sum(importe), 0) FROM depositos d
                             WHERE d.empresa = c.empresa AND d.cuenta_bancaria = c.clave AND NOT cancelado)",
        )
        .await;
    assert_eq!(wrong, 0, "bank accounts");
    let wrong: i64 = world
        .sql(
            "SELECT count(*) FROM cxc_pagos p
             WHERE CASE WHEN cancelado THEN 0 ELSE importe END <>
                   (SELECT coalesce(sum(abono - cargo), 0) FROM polizas e
                    JOIN polizas_renglones r ON r.empresa = e.empresa AND r.poliza = e.clave
                    WHERE e.empresa = p.empresa AND e.pago = p.clave AND r.cuenta = '105.01')",
        )
        .await;
    assert_eq!(wrong, 0, "books");
}

#[tokio::test]
async fn concurrent_payments_of_the_whole_balance_have_one_winner() {
    for _ in 0..ROUNDS {
        let company = owed().await;
        let ana = company.admin().await;
        let sent = (0..MANY).map(|number| ana.post(REMISION, payment("1160", &format!("A-{number}"))));
        let sent: Vec<_> = sent.collect();
        let replies = join_all(sent).await;
        let expected = [(201, String::new(), 1), (422, "cxc_sin_saldo".to_owned(), MANY - 1)];
        assert_eq!(outcomes(&replies), expected);
        assert_eq!(written(&company.world).await, Written { payments: 1, deposits: 1, entries: 1, events: 1 });
        agrees(&company.world).await;
    }
}

#[tokio::test]
async fn concurrent_equal_payments_have_one_winner() {
    for _ in 0..ROUNDS {
        let company = owed().await;
        let ana = company.admin().await;
        // Payments of two receivables from one bank account, whose row they wait for.
        let path = |number: usize| if number.is_multiple_of(2) { REMISION } else { "/cxc/3/pagos" };
        let replies = join_all((0..MANY).map(|number| ana.post(path(number), payment("10", "A-1")))).await;
        let expected = [(201, String::new(), 1), (409, "pago_repetido".to_owned(), MANY - 1)];
        assert_eq!(outcomes(&replies), expected);
        assert_eq!(banks(&company.world).await, ["10.00", "0.00", "0.00"]);
        agrees(&company.world).await;
    }
}

#[tokio::test]
async fn concurrent_partial_payments_stop_at_the_balance() {
    let company = owed().await;
    let ana = company.admin().await;
    let refs: Vec<String> = (0..MANY).map(|number| format!("A-{number}")).collect();
    let replies = join_all(refs.iter().map(|referencia| ana.post("/cxc/2/pagos", payment("116", referencia)))).await;
    assert_eq!(outcomes(&replies), [(201, String::new(), 10), (422, "cxc_sin_saldo".to_owned(), 10)]);
    let numbers: Vec<i64> =
        company.world.sql("SELECT array_agg(parcialidad ORDER BY parcialidad) FROM cxc_pagos").await;
    assert_eq!(numbers, (1..=10).collect::<Vec<_>>());
    let folios: Vec<String> = company.world.sql("SELECT array_agg(folio ORDER BY clave) FROM facturas").await;
    assert_eq!(folios, (1..=10).map(|folio| folio.to_string()).collect::<Vec<_>>());
    agrees(&company.world).await;
}

#[tokio::test]
async fn concurrent_payments_and_cancellations_stay_consistent() {
    let company = owed().await;
    let ana = company.admin().await;
    for round in 0..ROUNDS {
        let paths = [REMISION, "/cxc/2/pagos", "/cxc/3/pagos"];
        let apply = (0..12).map(|number| {
            let (ana, body) = (ana.clone(), payment("29", &format!("A-{round}-{number}")));
            async move { ana.post(paths[number % 3], body).await.status }
        });
        let cancel = (1..=12).map(|number| {
            let (company, pago) = (company.clone(), number + 12 * (round as i64 - 1));
            async move {
                match company.run_by_name("payment.cancel", &json!({"pago": pago})).await {
                    Ok(answer) => assert_eq!(answer, json!({"pago": pago})),
                    Err(error) => assert_eq!(error.code().codigo(), "no_encontrado", "{error}"),
                }
            }
        });
        let (statuses, ()) = tokio::join!(join_all(apply), async {
            join_all(cancel).await;
        });
        assert!(statuses.iter().all(|status| *status == 201), "{statuses:?}");
        agrees(&company.world).await;
        company.world.clock.advance(TimeDelta::minutes(1));
    }
    let paid: Vec<Value> = ana.walk("/cxc-pagos").await;
    assert_eq!(paid.len(), 12 * ROUNDS);
}
