//! `payment.apply`, `payment.cancel`, `deposit.capture`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::backoffice::import::Resource::{Cxc, CxcPagos};
use svc_tests::{Actor, Company, World};

use super::{did, refuses, told};
use crate::cxc::pagos::{banks, books, deposits, owed, written};
use crate::documents::import;

/// A payment of one receivable.
fn one(cxc: i64, importe: &str, referencia: &str) -> Value {
    json!({"cxc": cxc, "importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
           "referencia": referencia})
}

/// A deposit that pays several receivables.
fn several(parts: &[(i64, &str)], referencia: &str) -> Value {
    let parts: Vec<_> = parts.iter().map(|(cxc, importe)| json!({"cxc": cxc, "importe": importe})).collect();
    json!({"aplicaciones": parts, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
           "referencia": referencia})
}

fn deposit(importe: &str, referencia: &str) -> Value {
    json!({"cuenta_bancaria": 1, "fecha": "2026-10-12", "importe": importe, "referencia": referencia})
}

fn changed(mut input: Value, field: &str, value: Value) -> Value {
    input[field] = value;
    input
}

/// Balance, paid, instalments and status of a receivable, and its sale's balance.
async fn debt(ana: &Actor, cxc: i64) -> Value {
    let row = ana.get(&format!("/cxc?clave={cxc}")).await.ok(200)["datos"][0].clone();
    let sale = format!("/ventas?clave={}&tipo={}", row["venta"], row["tipo_venta"].as_str().unwrap());
    let sale = ana.get(&sale).await.ok(200)["datos"][0].clone();
    json!([row["saldo"], row["pagado"], row["parcialidades"], row["estatus"], sale["saldo"]])
}

/// The complements: status, series, folio; and what waits to be stamped.
async fn complements(world: &World) -> (Value, Vec<i64>) {
    let rows: String = world
        .sql(
            "SELECT coalesce(jsonb_agg(jsonb_build_array(estatus, serie, folio) ORDER BY clave), '[]')::text
             FROM facturas WHERE tipo = 'pago'",
        )
        .await;
    let queue = world.sql("SELECT coalesce(array_agg(factura ORDER BY factura), '{}') FROM timbrados").await;
    (serde_json::from_str(&rows).unwrap(), queue)
}

async fn shop() -> (Company, Actor) {
    let company = owed().await;
    let ana = company.admin().await;
    (company, ana)
}

#[tokio::test]
async fn a_payment_is_applied_as_over_the_wire() {
    let (company, ana) = shop().await;
    assert_eq!(did(company.act("payment.apply", &one(2, "160", "A-1")).await), json!({"pago": 1}));
    assert_eq!(debt(&ana, 2).await, json!(["1000.00", "160.00", 1, "pendiente", "1000.00"]));
    assert_eq!(banks(&company.world).await, ["160.00", "0.00", "0.00"]);
    assert_eq!(deposits(&company.world).await, json!([[1, "160.00", "160.00", "A-1", "pago", false]]));
    assert_eq!(complements(&company.world).await, (json!([["en_espera", "P", "1"]]), vec![1]));
    assert_eq!(company.world.sql::<String>("SELECT origen FROM facturas").await, "aplicacion");
    let data = json!({"pago": 1, "cxc": 2, "importe": "160.00"});
    assert_eq!(told(&company.world).await, [("cxc.pago_aplicado".to_owned(), data)]);
}

#[tokio::test]
async fn a_deposit_that_waits_is_the_one_that_is_applied() {
    let (company, ana) = shop().await;
    assert_eq!(did(company.act("deposit.capture", &deposit("1160", "A-1")).await), json!({"deposito": 1}));
    assert_eq!(banks(&company.world).await[0], "1160.00");
    assert_eq!(written(&company.world).await, [0, 1, 0, 0], "nothing is told of it");
    did(company.act("payment.apply", &one(1, "1160", "A-1")).await);
    assert_eq!(debt(&ana, 1).await, json!(["0.00", "1160.00", 1, "pagado", "0.00"]));
    assert_eq!(banks(&company.world).await[0], "1160.00");
    assert_eq!(deposits(&company.world).await, json!([[1, "1160.00", "1160.00", "A-1", "captura", false]]));
    refuses(&company, "payment.apply", &[(one(3, "1160", "A-1"), "pago_repetido", "")]).await;

    // Cancelled, it waits again; its money stays in the bank.
    assert_eq!(did(company.act("payment.cancel", &json!({"pago": 1})).await), json!({"pago": 1}));
    assert_eq!(debt(&ana, 1).await, json!(["1160.00", "0.00", 0, "pendiente", "1160.00"]));
    assert_eq!(deposits(&company.world).await, json!([[1, "1160.00", "0.00", "A-1", "captura", false]]));
    assert_eq!(banks(&company.world).await[0], "1160.00");
    did(company.act("payment.apply", &one(3, "1160", "A-1")).await);
    assert_eq!(banks(&company.world).await[0], "1160.00");
}

#[tokio::test]
async fn a_deposit_pays_several_receivables_with_one_complement_a_customer() {
    let (company, ana) = shop().await;
    let invoice = json!({"venta": 2, "total": "200", "fecha": "2026-10-01"});
    import(&company, Cxc, &[invoice]).await;
    let parts = [(5, "200"), (2, "100.50"), (1, "99.50")];
    let answer = did(company.act("payment.apply", &several(&parts, "A-1")).await);
    assert_eq!(answer, json!({"pagos": [1, 2, 3], "deposito": 1}));
    assert_eq!(deposits(&company.world).await, json!([[1, "400.00", "400.00", "A-1", "pago", false]]));
    assert_eq!(banks(&company.world).await[0], "400.00");
    assert_eq!(complements(&company.world).await, (json!([["en_espera", "P", "1"]]), vec![1]));
    let payments = ana.walk("/cxc-pagos").await;
    let found: Vec<Value> = payments
        .iter()
        .map(|row| json!([row["cxc"], row["importe"], row["deposito"], row["factura"], row["complemento"]]))
        .collect();
    assert_eq!(
        json!(found),
        json!([[5, "200.00", 1, 1, "encolado"], [2, "100.50", 1, 1, "encolado"], [1, "99.50", 1, null, "no_aplica"]])
    );
    let event = |pago, cxc, importe: &str| {
        ("cxc.pago_aplicado".to_owned(), json!({"pago": pago, "cxc": cxc, "importe": importe}))
    };
    assert_eq!(told(&company.world).await, [event(1, 5, "200.00"), event(2, 2, "100.50"), event(3, 1, "99.50")]);
    refuses(&company, "payment.apply", &[(several(&parts, "A-1"), "pago_repetido", "")]).await;

    // Part by part it is undone; the complement and the deposit go with the last.
    did(company.act("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(complements(&company.world).await, (json!([["en_espera", "P", "1"]]), vec![1]));
    let row = ana.get("/cxc-pagos?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(json!([row["cancelado"], row["complemento"], row["factura"]]), json!([true, "no_aplica", null]));
    did(company.act("payment.cancel", &json!({"pago": 2})).await);
    assert_eq!(complements(&company.world).await, (json!([["cancelada", "P", "1"]]), vec![]));
    assert_eq!(deposits(&company.world).await, json!([[1, "400.00", "99.50", "A-1", "pago", false]]));
    assert_eq!(banks(&company.world).await[0], "400.00");
    did(company.act("payment.cancel", &json!({"pago": 3})).await);
    assert_eq!(deposits(&company.world).await, json!([[1, "400.00", "0.00", "A-1", "pago", true]]));
    assert_eq!(banks(&company.world).await[0], "0.00");
}

#[tokio::test]
async fn what_is_left_of_a_deposit_is_applied_too() {
    let (company, _) = shop().await;
    did(company.act("deposit.capture", &deposit("300", "A-1")).await);
    did(company.act("payment.apply", &several(&[(1, "100"), (3, "200")], "A-1")).await);
    did(company.act("payment.cancel", &json!({"pago": 1})).await);
    // 200 are applied: neither the whole nor another 300 came.
    refuses(&company, "payment.apply", &[(one(1, "300", "A-1"), "estado_invalido", "importe: ")]).await;
    did(company.act("payment.apply", &one(1, "100", "A-1")).await);
    assert_eq!(deposits(&company.world).await, json!([[1, "300.00", "300.00", "A-1", "captura", false]]));
    assert_eq!(banks(&company.world).await[0], "300.00");
}

#[tokio::test]
async fn of_several_all_are_applied_or_none() {
    let (company, _) = shop().await;
    refuses(
        &company,
        "payment.apply",
        &[
            (several(&[(1, "10"), (3, "1160.01")], "A-1"), "importe_excede_saldo", "importe: "),
            (several(&[(1, "10"), (99, "10")], "A-1"), "no_encontrado", "cxc: la cuenta por cobrar 99 "),
            (several(&[(1, "10"), (4, "10")], "A-1"), "moneda_distinta", ""),
            (several(&[(1, "10"), (1, "10")], "A-1"), "dato_invalido", "aplicaciones: "),
            (several(&[(1, "10"), (3, "0")], "A-1"), "dato_invalido", "importe: "),
            (several(&[], "A-1"), "dato_requerido", "aplicaciones: "),
            (changed(several(&[(1, "10")], "A-1"), "cxc", json!(1)), "dato_invalido", "aplicaciones: "),
            (changed(several(&[(1, "10")], "A-1"), "importe", json!("10")), "dato_invalido", "aplicaciones: "),
            (changed(several(&[(1, "10")], "A-1"), "origen", json!("anticipo")), "dato_invalido", "aplicaciones: "),
        ],
    )
    .await;
    assert_eq!(written(&company.world).await, [0, 0, 0, 0]);
    assert_eq!(banks(&company.world).await[0], "0.00");
    let answer = did(company.act("payment.apply", &several(&[(1, "10")], "A-1")).await);
    assert_eq!(answer, json!({"pagos": [1], "deposito": 1}));
}

#[tokio::test]
async fn a_balance_in_favour_and_an_advance_need_no_bank() {
    let (company, ana) = shop().await;
    for (origen, form) in [("saldo_a_favor", "17"), ("anticipo", "30")] {
        let input = json!({"cxc": 3, "importe": "116", "origen": origen, "fecha": "2026-10-12"});
        // Twice the same is twice as much.
        for _ in 0..2 {
            did(company.act("payment.apply", &input).await);
        }
        let row = ana.walk("/cxc-pagos").await.pop().unwrap();
        let none = Value::Null;
        assert_eq!((&row["origen"], &row["forma_pago_sat"]), (&json!(origen), &json!(form)));
        assert_eq!((&row["cuenta_bancaria"], &row["deposito"], &row["referencia"]), (&none, &none, &none));
    }
    assert_eq!(debt(&ana, 3).await, json!(["696.00", "464.00", 4, "pendiente", "696.00"]));
    assert_eq!((deposits(&company.world).await, banks(&company.world).await[0].as_str()), (json!([]), "0.00"));
    let first = &books(&company.world).await.as_array().unwrap()[..4].to_vec();
    assert_eq!(
        json!(first),
        json!([
            [1, "206.01", "116.00", "0.00"],
            [1, "105.01", "0.00", "116.00"],
            [1, "209.01", "16.00", "0.00"],
            [1, "208.01", "0.00", "16.00"],
        ])
    );
    did(company.act("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(debt(&ana, 3).await, json!(["812.00", "348.00", 3, "pendiente", "812.00"]));

    let chosen = json!({"cxc": 3, "importe": "1", "origen": "anticipo", "fecha": "2026-10-12", "forma_pago_sat": "15"});
    did(company.act("payment.apply", &chosen).await);
    assert_eq!(ana.walk("/cxc-pagos").await.pop().unwrap()["forma_pago_sat"], "15");
    refuses(
        &company,
        "payment.apply",
        &[
            (changed(chosen.clone(), "forma_pago_sat", json!("98")), "forma_pago_invalida", "forma_pago_sat: "),
            (changed(chosen.clone(), "forma_pago_sat", json!("99")), "dato_invalido", "forma_pago_sat: "),
            (changed(chosen.clone(), "cuenta_bancaria", json!(3)), "cuenta_bancaria_invalida", ""),
            (changed(chosen, "origen", json!("regalo")), "dato_invalido", "origen: "),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_wrong_input_is_named() {
    let (company, _) = shop().await;
    let good = || one(1, "10", "A-1");
    let table: Vec<_> = [
        ("cxc", json!(null), "dato_requerido"),
        ("importe", json!(null), "dato_requerido"),
        ("importe", json!("1.001"), "dato_invalido"),
        ("cuenta_bancaria", json!(null), "dato_requerido"),
        ("forma_pago_sat", json!(null), "dato_requerido"),
        ("forma_pago_sat", json!("01"), "dato_invalido"),
        ("fecha", json!(null), "dato_requerido"),
        ("fecha", json!("2026-10-13"), "dato_invalido"),
        ("referencia", json!(""), "dato_requerido"),
        ("otro", json!(1), "campo_no_permitido"),
    ]
    .into_iter()
    .map(|(field, value, codigo)| (changed(good(), field, value), codigo, field))
    .collect();
    refuses(&company, "payment.apply", &table).await;
    refuses(
        &company,
        "deposit.capture",
        &[
            (changed(deposit("1", "A-1"), "cuenta_bancaria", json!(99)), "cuenta_bancaria_invalida", ""),
            (changed(deposit("1", "A-1"), "cuenta_bancaria", json!(3)), "cuenta_bancaria_invalida", ""),
            (deposit("0", "A-1"), "dato_invalido", "importe: "),
            (deposit("1", " "), "dato_requerido", "referencia: "),
            (changed(deposit("1", "A-1"), "fecha", json!("2026-10-13")), "dato_invalido", "fecha: "),
        ],
    )
    .await;
    assert_eq!(written(&company.world).await, [0, 0, 0, 0]);
}

#[tokio::test]
async fn a_cancelled_payment_leaves_everything_as_it_was() {
    let (company, ana) = shop().await;
    for (number, importe) in [(1, "400"), (2, "760")] {
        did(company.act("payment.apply", &one(2, importe, &format!("A-{number}"))).await);
    }
    company.world.clock.advance(TimeDelta::days(1));
    did(company.act("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(debt(&ana, 2).await, json!(["400.00", "760.00", 1, "pendiente", "400.00"]));
    assert_eq!(banks(&company.world).await[0], "760.00");
    assert_eq!(
        deposits(&company.world).await,
        json!([[1, "400.00", "0.00", "A-1", "pago", true], [1, "760.00", "760.00", "A-2", "pago", false]])
    );
    let (found, queue) = complements(&company.world).await;
    assert_eq!((found, queue), (json!([["cancelada", "P", "1"], ["en_espera", "P", "2"]]), vec![2]));
    let row = ana.get("/cxc-pagos?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(json!([row["cancelado"], row["complemento"], row["factura"]]), json!([true, "no_aplica", 1]));
    let reversal = books(&company.world).await.as_array().unwrap()[8..].to_vec();
    assert_eq!(
        json!(reversal),
        json!([
            [1, "102.01", "0.00", "400.00"],
            [1, "105.01", "400.00", "0.00"],
            [1, "209.01", "0.00", "55.17"],
            [1, "208.01", "55.17", "0.00"],
        ])
    );
    let day: String =
        company.world.sql("SELECT fecha || ' ' || concepto FROM polizas ORDER BY clave DESC LIMIT 1").await;
    assert_eq!(day, "2026-10-13 Cancelación: Pago 1 de la cuenta por cobrar 2");
    assert_eq!(told(&company.world).await.len(), 2, "cancelling is not told");

    // The number of an instalment is not given twice among those that stand; the same payment may come again.
    did(company.act("payment.apply", &one(2, "400", "A-1")).await);
    let row = ana.get("/cxc-pagos?clave=3").await.ok(200)["datos"][0].clone();
    assert_eq!((&row["parcialidad"], &row["saldo_insoluto"]), (&json!(3), &json!("0.00")));
    assert_eq!(debt(&ana, 2).await, json!(["0.00", "1160.00", 2, "pagado", "0.00"]));
    refuses(
        &company,
        "payment.cancel",
        &[
            (json!({"pago": 1}), "estado_invalido", "pago: ya está cancelado"),
            (json!({"pago": 99}), "no_encontrado", "pago: "),
            (json!({}), "dato_requerido", "pago: "),
            (json!({"pago": 3, "motivo": "02"}), "campo_no_permitido", "motivo: "),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_complement_that_was_stamped_is_cancelled_and_one_under_way_is_waited_for() {
    let (company, ana) = shop().await;
    did(company.act("payment.apply", &one(2, "400", "A-1")).await);
    company.world.sql::<i64>("UPDATE timbrados SET arrendado = '2026-10-12T18:01:00Z' RETURNING factura").await;
    let table = [(json!({"pago": 1}), "estado_invalido", "pago: su complemento se está timbrando")];
    refuses(&company, "payment.cancel", &table).await;
    assert_eq!(debt(&ana, 2).await[0], "760.00", "nothing changed");
    company
        .world
        .sql::<i64>(
            "WITH t AS (DELETE FROM timbrados), p AS (UPDATE cxc_pagos SET complemento = 'timbrado', uuid = repeat('a', 36))
             UPDATE facturas SET estatus = 'vigente', uuid = repeat('a', 36) RETURNING clave",
        )
        .await;
    did(company.act("payment.cancel", &json!({"pago": 1})).await);
    let registry = ana.get("/facturas?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(
        json!([registry["estatus"], registry["motivo_cancelacion"], registry["fecha_cancelacion"]]),
        json!(["cancelada", "02", "2026-10-12T18:00:00Z"])
    );
    let row = ana.get("/cxc-pagos?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(json!([row["cancelado"], row["complemento"], row["factura"]]), json!([true, "timbrado", 1]));
}

#[tokio::test]
async fn an_imported_payment_is_cancelled_as_far_as_it_was_counted() {
    let (company, ana) = shop().await;
    let receivables = [
        json!({"venta": 1, "total": 100, "pagado": 60, "parcialidades": 1}),
        json!({"venta": 1, "total": 100, "pagado": 100, "estatus": "cancelado"}),
    ];
    import(&company, Cxc, &receivables).await;
    let payment = |cxc: i64| json!({"cxc": cxc, "importe": 60, "cuenta_bancaria": 1, "deposito": 7, "referencia": "A-1", "fecha": "2026-10-12"});
    import(&company, CxcPagos, &[payment(5), payment(1), payment(6)]).await;
    // A deposit of ours has another number than those that imported payments speak of.
    assert_eq!(did(company.act("deposit.capture", &deposit("5", "B-1")).await), json!({"deposito": 8}));
    for pago in 1..=3 {
        did(company.act("payment.cancel", &json!({"pago": pago})).await);
    }
    assert_eq!(
        debt(&ana, 5).await.as_array().unwrap()[..4],
        json!(["100.00", "0.00", 0, "pendiente"]).as_array().unwrap()[..]
    );
    assert_eq!(
        debt(&ana, 1).await.as_array().unwrap()[..4],
        json!(["1160.00", "0.00", 0, "pendiente"]).as_array().unwrap()[..]
    );
    assert_eq!(debt(&ana, 6).await.as_array().unwrap()[3], "cancelado");
    assert_eq!(banks(&company.world).await[0], "5.00");
    assert_eq!(written(&company.world).await[2], 0, "no entry was written, so none is reversed");
}

#[tokio::test]
async fn payments_of_several_receivables_at_once_never_wait_for_each_other_forever() {
    let (company, ana) = shop().await;
    let rounds = (0..10).map(|number| {
        let company = company.clone();
        async move {
            let parts =
                if number % 2 == 0 { [(1, "10"), (2, "10"), (3, "10")] } else { [(3, "10"), (2, "10"), (1, "10")] };
            did(company.act("payment.apply", &several(&parts, &format!("A-{number}"))).await)
        }
    });
    let answers = futures_util::future::join_all(rounds).await;
    assert_eq!(answers.len(), 10);
    for cxc in 1..=3 {
        assert_eq!(debt(&ana, cxc).await, json!(["1060.00", "100.00", 10, "pendiente", "1060.00"]));
    }
    assert_eq!(banks(&company.world).await[0], "300.00");
    assert_eq!(complements(&company.world).await.1.len(), 10);
}
