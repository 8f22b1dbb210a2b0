//! How payments are applied, and deposits captured.

use serde_json::{Value, json};
use svc_tests::Resource::{Cxc, Ventas};

use super::super::{did, emitted, refuses};
use super::{changed, complements, debt, deposit, one, several, shop};
use crate::cxc::pagos::{banks, books, deposits, payment, written};

#[tokio::test]
async fn a_payment_is_applied_as_over_the_wire() {
    let (company, ana) = shop().await;
    assert_eq!(did(company.run_by_name("payment.apply", &one(2, "160", "A-1")).await), json!({"pago": 1}));
    assert_eq!(debt(&ana, 2).await, json!(["1000.00", "160.00", 1, "pendiente", "1000.00"]));
    assert_eq!(banks(&company.world).await, ["160.00", "0.00", "0.00"]);
    assert_eq!(deposits(&company.world).await, json!([[1, "160.00", "160.00", "A-1", "pago", false]]));
    assert_eq!(complements(&company.world).await, (json!([["en_espera", "P", "1"]]), vec![1]));
    assert_eq!(company.world.sql::<String>("SELECT origen FROM facturas").await, "aplicacion");
    let data = json!({"pago": 1, "cxc": 2, "importe": "160.00"});
    assert_eq!(emitted(&company.world).await, [("cxc.pago_aplicado".to_owned(), data)]);
}

#[tokio::test]
async fn a_deposit_that_waits_is_the_one_that_is_applied() {
    let (company, ana) = shop().await;
    assert_eq!(did(company.run_by_name("deposit.capture", &deposit("1160", "A-1")).await), json!({"deposito": 1}));
    assert_eq!(banks(&company.world).await[0], "1160.00");
    assert_eq!(written(&company.world).await, [0, 1, 1, 0], "no event is emitted");
    did(company.run_by_name("payment.apply", &one(1, "1160", "A-1")).await);
    assert_eq!(debt(&ana, 1).await, json!(["0.00", "1160.00", 1, "pagado", "0.00"]));
    assert_eq!(banks(&company.world).await[0], "1160.00");
    assert_eq!(deposits(&company.world).await, json!([[1, "1160.00", "1160.00", "A-1", "captura", false]]));
    refuses(&company, "payment.apply", &[(one(3, "1160", "A-1"), "pago_repetido", "")]).await;

    // Cancelled, it waits again; its money stays in the bank.
    assert_eq!(did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await), json!({"pago": 1}));
    assert_eq!(debt(&ana, 1).await, json!(["1160.00", "0.00", 0, "pendiente", "1160.00"]));
    assert_eq!(deposits(&company.world).await, json!([[1, "1160.00", "0.00", "A-1", "captura", false]]));
    assert_eq!(banks(&company.world).await[0], "1160.00");
    did(company.run_by_name("payment.apply", &one(3, "1160", "A-1")).await);
    assert_eq!(banks(&company.world).await[0], "1160.00");
}

#[tokio::test]
async fn a_deposit_pays_several_receivables_with_one_complement_a_customer() {
    let (company, ana) = shop().await;
    let invoice = json!({"venta": 2, "total": "200", "fecha": "2026-10-01"});
    company.load(Cxc, &[invoice]).await;
    let parts = [(5, "200"), (2, "100.50"), (1, "99.50")];
    let answer = did(company.run_by_name("payment.apply", &several(&parts, "A-1")).await);
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
    assert_eq!(emitted(&company.world).await, [event(1, 5, "200.00"), event(2, 2, "100.50"), event(3, 1, "99.50")]);
    refuses(&company, "payment.apply", &[(several(&parts, "A-1"), "pago_repetido", "")]).await;

    // Part by part it is undone; the complement and the deposit go with the last.
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(complements(&company.world).await, (json!([["en_espera", "P", "1"]]), vec![1]));
    let row = ana.get("/cxc-pagos?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(json!([row["cancelado"], row["complemento"], row["factura"]]), json!([true, "no_aplica", null]));
    did(company.run_by_name("payment.cancel", &json!({"pago": 2})).await);
    assert_eq!(complements(&company.world).await, (json!([["cancelada", "P", "1"]]), vec![]));
    assert_eq!(deposits(&company.world).await, json!([[1, "400.00", "99.50", "A-1", "pago", false]]));
    assert_eq!(banks(&company.world).await[0], "400.00");
    did(company.run_by_name("payment.cancel", &json!({"pago": 3})).await);
    assert_eq!(deposits(&company.world).await, json!([[1, "400.00", "0.00", "A-1", "pago", true]]));
    assert_eq!(banks(&company.world).await[0], "0.00");
}

#[tokio::test]
async fn what_is_left_of_a_deposit_is_applied_too() {
    let (company, _) = shop().await;
    did(company.run_by_name("deposit.capture", &deposit("300", "A-1")).await);
    did(company.run_by_name("payment.apply", &several(&[(1, "100"), (3, "200")], "A-1")).await);
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    // 200 are applied: neither the whole nor another 300 came.
    refuses(&company, "payment.apply", &[(one(1, "300", "A-1"), "estado_invalido", "importe: ")]).await;
    did(company.run_by_name("payment.apply", &one(1, "100", "A-1")).await);
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
    let answer = did(company.run_by_name("payment.apply", &several(&[(1, "10")], "A-1")).await);
    assert_eq!(answer, json!({"pagos": [1], "deposito": 1}));
}

#[tokio::test]
async fn a_balance_in_favour_and_an_advance_need_no_bank() {
    let (company, ana) = shop().await;
    company.load(Ventas, &[json!({"tipo": "anticipo", "cliente": 1, "total": 500, "saldo": 0})]).await;
    let favour = "INSERT INTO saldos_a_favor (empresa, clave, cliente, moneda, importe, creado) SELECT empresa, 1, 1, 'MXN', 500, creada FROM empresas";
    company.world.run(favour).await;
    for (origen, form) in [("saldo_a_favor", "17"), ("anticipo", "30")] {
        let input = json!({"cxc": 3, "importe": "116", "origen": origen, "fecha": "2026-10-12"});
        // Twice the same is twice as much.
        for _ in 0..2 {
            did(company.run_by_name("payment.apply", &input).await);
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
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(debt(&ana, 3).await, json!(["812.00", "348.00", 3, "pendiente", "812.00"]));

    let chosen = json!({"cxc": 3, "importe": "1", "origen": "anticipo", "fecha": "2026-10-12", "forma_pago_sat": "15"});
    did(company.run_by_name("payment.apply", &chosen).await);
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
        ("forma_pago_sat", json!("99"), "dato_invalido"),
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
async fn what_the_api_leaves_to_the_application_is_collected_here() {
    let (company, ana) = shop().await;
    let sales = [
        json!({"tipo": "venta", "desglose": false, "subtotal": 100, "impuestos": 16, "total": 116, "saldo": 116}),
        json!({"tipo": "anticipo", "subtotal": 100, "impuestos": 16, "total": 116, "saldo": 116}),
        json!({"tipo": "factura", "desglose": false, "total": 116}),
    ];
    company.load(Ventas, &sales).await;
    let receivables = [5, 6, 7].map(|venta| json!({"venta": venta, "total": 116}));
    company.load(Cxc, &receivables).await;
    company.load(Cxc, &[json!({"total": 10})]).await;
    for cxc in 5..=8 {
        ana.post(&format!("/cxc/{cxc}/pagos"), payment("5", "A")).await.fails(422, "venta_sin_desglose");
    }
    for cxc in [5, 6] {
        did(company.run_by_name("payment.apply", &one(cxc, "58", &format!("A-{cxc}"))).await);
        assert_eq!(debt(&ana, cxc).await, json!(["58.00", "58.00", 1, "pendiente", "58.00"]));
    }
    did(company.run_by_name("payment.apply", &one(8, "10", "A-8")).await);
    refuses(&company, "payment.apply", &[(one(7, "5", "A-7"), "metodo_pago_faltante", "")]).await;
    // No breakdown, no IVA that is known to be collected.
    let lines = json!([
        [1, "102.01", "58.00", "0.00"],
        [1, "105.01", "0.00", "58.00"],
        [2, "102.01", "58.00", "0.00"],
        [2, "105.01", "0.00", "58.00"],
        [2, "209.01", "8.00", "0.00"],
        [2, "208.01", "0.00", "8.00"],
        [3, "102.01", "10.00", "0.00"],
        [3, "105.01", "0.00", "10.00"],
    ]);
    assert_eq!(books(&company.world).await, lines);
}

#[tokio::test]
async fn payments_of_several_receivables_at_once_never_wait_for_each_other_forever() {
    let (company, ana) = shop().await;
    let rounds = (0..10).map(|number| {
        let company = company.clone();
        async move {
            let parts =
                if number % 2 == 0 { [(1, "10"), (2, "10"), (3, "10")] } else { [(3, "10"), (2, "10"), (1, "10")] };
            did(company.run_by_name("payment.apply", &several(&parts, &format!("A-{number}"))).await)
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
