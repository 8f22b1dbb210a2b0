//! Credit and advances.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::{Company, Resource, World};

use crate::ventas::shop::{ANA, BEA, invoiced, made, on_credit, ready, shop, together, with};

#[tokio::test]
async fn credit_reaches_to_the_cent() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let owed = [
        json!({"cliente": ANA, "total": "100.00", "pagado": "40.00", "vencimiento": "2026-12-31"}),
        json!({"cliente": ANA, "total": "10.00", "moneda": "USD", "tipo_cambio": "17.55", "vencimiento": "2026-12-31"}),
        json!({"cliente": ANA, "total": "5000.00", "estatus": "cancelado", "vencimiento": "2020-01-01"}),
        json!({"cliente": ANA, "total": "5000.00", "pagado": "5000.00", "vencimiento": "2020-01-01"}),
        json!({"cliente": BEA, "total": "5000.00", "vencimiento": "2020-01-01"}),
    ];
    company.load(Resource::Cxc, &owed).await;
    // 60.00 and 175.50 are owed; 232.00 more would be 467.50.
    for (limit, body, outcome) in [
        ("UPDATE clientes SET limite_credito = 0", on_credit(), Err("credito_insuficiente")),
        ("UPDATE clientes SET limite_credito = 467.49", on_credit(), Err("credito_insuficiente")),
        ("UPDATE clientes SET limite_credito = 467.50", on_credit(), Ok("99")),
        ("UPDATE clientes SET limite_credito = 467.50", on_credit(), Err("credito_insuficiente")),
        ("UPDATE clientes SET limite_credito = 0", ready(), Ok("03")),
    ] {
        world.run(limit).await;
        let venta = made(&ana, &body).await;
        let reply = invoiced(&ana, venta, json!({})).await;
        match outcome {
            Ok(_) => drop(reply.ok(202)),
            Err(code) => reply.fails(422, code),
        }
    }
    // 232.00 USD at 20 are 4,640.00; 699.50 are owed by now.
    let dollars = with(&with(&on_credit(), "moneda", json!("USD")), "tipo_cambio", json!(20));
    let venta = made(&ana, &dollars).await;
    world.run("UPDATE clientes SET limite_credito = 5339.49").await;
    let refused = invoiced(&ana, venta, json!({})).await;
    refused.fails(422, "credito_insuficiente");
    assert_eq!(
        refused.mensaje(),
        "el crédito disponible del cliente no alcanza: su límite es 5339.49 MXN, debe 699.50 y esta venta es de 4640.00"
    );
    world.run("UPDATE clientes SET limite_credito = 5339.50").await;
    invoiced(&ana, venta, json!({})).await.ok(202);
}

#[tokio::test]
async fn overdue_is_what_was_due_before_today_in_mexico() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    company.load(Resource::Cxc, &[json!({"cliente": ANA, "total": "1.00", "vencimiento": "2026-10-12"})]).await;
    // Until midnight in Mexico, six hours later than in UTC.
    world.clock.advance(TimeDelta::hours(12) - TimeDelta::seconds(1));
    let venta = made(&ana, &on_credit()).await;
    invoiced(&ana, venta, json!({})).await.ok(202);
    world.clock.advance(TimeDelta::seconds(1));
    let venta = made(&ana, &on_credit()).await;
    invoiced(&ana, venta, json!({})).await.fails(422, "saldo_vencido");
    let cash = made(&ana, &ready()).await;
    invoiced(&ana, cash, json!({})).await.ok(202);
    world.run("UPDATE cxc SET vencimiento = NULL WHERE clave = 1").await;
    world.run("UPDATE cxc SET vencimiento = '2026-10-13' WHERE clave > 1").await;
    invoiced(&ana, venta, json!({})).await.ok(202);
}

#[tokio::test]
async fn debts_beyond_all_bounds_are_not_a_500() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let vast = json!({"cliente": ANA, "total": "999999999999.99", "moneda": "USD", "tipo_cambio": "999999"});
    company.load(Resource::Cxc, &[vast.clone(), vast]).await;
    let venta = made(&ana, &on_credit()).await;
    world.run("UPDATE clientes SET limite_credito = 999999999999999999").await;
    invoiced(&ana, venta, json!({})).await.fails(422, "credito_insuficiente");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_sales_of_the_last_credit_have_one_winner() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    for round in 1..=20 {
        world.run("UPDATE clientes SET limite_credito = 300 + (SELECT coalesce(sum(saldo), 0) FROM cxc)").await;
        let sales = [made(&ana, &on_credit()).await, made(&ana, &on_credit()).await];
        let replies = together(sales.map(|venta| invoiced(&ana, venta, json!({})))).await;
        let mut statuses: Vec<_> = replies.iter().map(|reply| reply.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [202, 422], "round {round}");
        replies.iter().filter(|reply| reply.status == 422).for_each(|reply| reply.fails(422, "credito_insuficiente"));
        assert_eq!(world.count("cxc").await, round);
        world.clock.advance(TimeDelta::minutes(1));
    }
}

/// A shop that requires half of a cash sale in advance: 116.00 of 232.00.
async fn wanting_half(world: &World) -> Company {
    let company = shop(world).await;
    company.edit(CompanyChange { anticipo_minimo: Some(50.into()), ..CompanyChange::default() }).await;
    company
}

/// A record with some other fields.
fn changed(mut record: Value, change: &Value) -> Value {
    for (field, value) in change.as_object().expect("fields") {
        record[field] = value.clone();
    }
    record
}

fn advance(change: &Value) -> Value {
    changed(json!({"tipo": "anticipo", "cliente": ANA, "subtotal": "116.00", "saldo": "0.00"}), change)
}

#[tokio::test]
async fn an_advance_counts_as_far_as_it_is_paid_and_not_applied() {
    let applied = |change: Value| {
        vec![changed(json!({"cxc": 1, "importe": "0.01", "origen": "anticipo", "cliente": ANA}), &change)]
    };
    let whole = || vec![advance(&json!({}))];
    for (case, advances, payments, enough) in [
        ("none", vec![], vec![], false),
        ("the minimum", whole(), vec![], true),
        ("a cent less", vec![advance(&json!({"subtotal": "115.99"}))], vec![], false),
        ("unpaid", vec![advance(&json!({"saldo": "0.01"}))], vec![], false),
        ("paid in part", vec![advance(&json!({"subtotal": "200.00", "saldo": "84.00"}))], vec![], true),
        (
            "two that make it",
            vec![advance(&json!({"subtotal": "100.00"})), advance(&json!({"subtotal": "16.00"}))],
            vec![],
            true,
        ),
        ("cancelled", vec![advance(&json!({"cancelada": true}))], vec![], false),
        ("another customer's", vec![advance(&json!({"cliente": BEA}))], vec![], false),
        ("in another currency", vec![advance(&json!({"moneda": "USD", "tipo_cambio": 20}))], vec![], false),
        ("no advance but a sale", vec![advance(&json!({"tipo": "venta"}))], vec![], false),
        ("applied", whole(), applied(json!({})), false),
        ("applied, which was cancelled", whole(), applied(json!({"cancelado": true})), true),
        ("applied for another customer", whole(), applied(json!({"cliente": BEA})), true),
        ("applied in another currency", whole(), applied(json!({"moneda": "USD"})), true),
        ("a deposit was applied", whole(), applied(json!({"origen": "deposito"})), true),
        ("a balance was applied", whole(), applied(json!({"origen": "saldo_a_favor"})), true),
    ] {
        let world = World::new().await;
        let company = wanting_half(&world).await;
        company.load(Resource::Ventas, &advances).await;
        company.load(Resource::Cxc, &[json!({"cliente": ANA, "total": "50.00"})]).await;
        company.load(Resource::CxcPagos, &payments).await;
        let ana = company.admin().await;
        let venta = made(&ana, &ready()).await;
        let reply = invoiced(&ana, venta, json!({})).await;
        let codigo = reply.json()["error"]["codigo"].clone();
        assert_eq!(
            (reply.status == 202, codigo == "anticipo_insuficiente"),
            (enough, !enough),
            "{case}: {}",
            reply.json()
        );
    }
}

#[tokio::test]
async fn payments_of_the_sale_count_and_credit_needs_no_advance() {
    let world = World::new().await;
    let ana = wanting_half(&world).await.admin().await;
    let venta = made(&ana, &ready()).await;
    invoiced(&ana, venta, json!({})).await.fails(422, "anticipo_insuficiente");
    world.run("UPDATE ventas SET saldo = 116.01").await;
    invoiced(&ana, venta, json!({})).await.fails(422, "anticipo_insuficiente");
    world.run("UPDATE ventas SET saldo = 116.00").await;
    invoiced(&ana, venta, json!({})).await.ok(202);
    let venta = made(&ana, &on_credit()).await;
    invoiced(&ana, venta, json!({})).await.ok(202);
    let free =
        with(&ready(), "renglones", json!([{"producto": 1, "cantidad": 1, "precio_unitario": 9, "descuento": 9}]));
    let venta = made(&ana, &free).await;
    invoiced(&ana, venta, json!({})).await.ok(202);
}
