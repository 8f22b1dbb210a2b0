//! How payments are applied, and deposits captured.

use serde_json::{Value, json};
use svc_tests::Resource::{Cxc, Ventas};
use svc_tests::lists::pick;

use super::super::{did, emitted, refuses};
use super::{changed, complements, debt, deposit, one, several, shop};
use crate::cxc::pagos::{Written, bank, banks, books, deposits, payment, written};

#[tokio::test]
async fn a_payment_is_applied_as_over_the_wire() {
    let (company, ana) = shop().await;
    assert_eq!(did(company.run_by_name("payment.apply", &one(2, "160", "A-1")).await), json!({"pago": 1}));
    assert_eq!(
        debt(&ana, 2).await,
        json!({"saldo": "1000.00", "pagado": "160.00", "parcialidades": 1, "estatus": "pendiente", "saldo_venta": "1000.00"})
    );
    assert_eq!(banks(&company.world).await, ["160.00", "0.00", "0.00"]);
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "160.00", "aplicado": "160.00", "referencia": "A-1", "origen": "pago", "cancelado": false}])
    );
    assert_eq!(
        complements(&company.world).await,
        (json!([{"estatus": "en_espera", "serie": "P", "folio": "1"}]), vec![1])
    );
    assert_eq!(company.world.sql::<String>("SELECT origen FROM facturas").await, "aplicacion");
    let data = json!({"pago": 1, "cxc": 2, "importe": "160.00"});
    assert_eq!(emitted(&company.world).await, [("cxc.pago_aplicado".to_owned(), data)]);
}

#[tokio::test]
async fn a_waiting_deposit_is_the_one_applied() {
    let (company, ana) = shop().await;
    assert_eq!(did(company.run_by_name("deposit.capture", &deposit("1160", "A-1")).await), json!({"deposito": 1}));
    assert_eq!(bank(&company.world, 1).await, "1160.00");
    assert_eq!(written(&company.world).await, Written { deposits: 1, entries: 1, ..Written::default() });
    did(company.run_by_name("payment.apply", &one(1, "1160", "A-1")).await);
    assert_eq!(
        debt(&ana, 1).await,
        json!({"saldo": "0.00", "pagado": "1160.00", "parcialidades": 1, "estatus": "pagado", "saldo_venta": "0.00"})
    );
    assert_eq!(bank(&company.world, 1).await, "1160.00");
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "1160.00", "aplicado": "1160.00", "referencia": "A-1", "origen": "captura", "cancelado": false}])
    );
    refuses(&company, "payment.apply", &[(one(3, "1160", "A-1"), "pago_repetido", "")]).await;

    // Once cancelled, it waits again; its money stays in the bank.
    assert_eq!(did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await), json!({"pago": 1}));
    assert_eq!(
        debt(&ana, 1).await,
        json!({"saldo": "1160.00", "pagado": "0.00", "parcialidades": 0, "estatus": "pendiente", "saldo_venta": "1160.00"})
    );
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "1160.00", "aplicado": "0.00", "referencia": "A-1", "origen": "captura", "cancelado": false}])
    );
    assert_eq!(bank(&company.world, 1).await, "1160.00");
    did(company.run_by_name("payment.apply", &one(3, "1160", "A-1")).await);
    assert_eq!(bank(&company.world, 1).await, "1160.00");
}

#[tokio::test]
async fn a_deposit_pays_several_receivables_with_one_complement_a_customer() {
    let (company, ana) = shop().await;
    let invoice = json!({"venta": 2, "total": "200", "fecha": "2026-10-01"});
    company.load(Cxc, &[invoice]).await;
    let parts = [(5, "200"), (2, "100.50"), (1, "99.50")];
    let answer = did(company.run_by_name("payment.apply", &several(&parts, "A-1")).await);
    assert_eq!(answer, json!({"pagos": [1, 2, 3], "deposito": 1}));
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "400.00", "aplicado": "400.00", "referencia": "A-1", "origen": "pago", "cancelado": false}])
    );
    assert_eq!(bank(&company.world, 1).await, "400.00");
    assert_eq!(
        complements(&company.world).await,
        (json!([{"estatus": "en_espera", "serie": "P", "folio": "1"}]), vec![1])
    );
    let payments = ana.walk("/cxc-pagos").await;
    let found: Vec<Value> = payments
        .iter()
        .map(|payment| pick(payment, &["cxc", "importe", "deposito", "factura", "complemento"]))
        .collect();
    assert_eq!(
        found,
        [
            json!({"cxc": 5, "importe": "200.00", "deposito": 1, "factura": 1, "complemento": "encolado"}),
            json!({"cxc": 2, "importe": "100.50", "deposito": 1, "factura": 1, "complemento": "encolado"}),
            json!({"cxc": 1, "importe": "99.50", "deposito": 1, "factura": null, "complemento": "no_aplica"}),
        ]
    );
    let event = |pago, cxc, importe: &str| {
        ("cxc.pago_aplicado".to_owned(), json!({"pago": pago, "cxc": cxc, "importe": importe}))
    };
    assert_eq!(emitted(&company.world).await, [event(1, 5, "200.00"), event(2, 2, "100.50"), event(3, 1, "99.50")]);
    refuses(&company, "payment.apply", &[(several(&parts, "A-1"), "pago_repetido", "")]).await;

    // It is undone part by part; the complement and the deposit go with the last.
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(
        complements(&company.world).await,
        (json!([{"estatus": "en_espera", "serie": "P", "folio": "1"}]), vec![1])
    );
    let row = ana.get("/cxc-pagos?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(
        pick(&row, &["cancelado", "complemento", "factura"]),
        json!({"cancelado": true, "complemento": "no_aplica", "factura": null})
    );
    did(company.run_by_name("payment.cancel", &json!({"pago": 2})).await);
    assert_eq!(
        complements(&company.world).await,
        (json!([{"estatus": "cancelada", "serie": "P", "folio": "1"}]), vec![])
    );
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "400.00", "aplicado": "99.50", "referencia": "A-1", "origen": "pago", "cancelado": false}])
    );
    assert_eq!(bank(&company.world, 1).await, "400.00");
    did(company.run_by_name("payment.cancel", &json!({"pago": 3})).await);
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "400.00", "aplicado": "0.00", "referencia": "A-1", "origen": "pago", "cancelado": true}])
    );
    assert_eq!(bank(&company.world, 1).await, "0.00");
}

#[tokio::test]
async fn the_rest_of_a_deposit_can_be_applied_too() {
    let (company, _) = shop().await;
    did(company.run_by_name("deposit.capture", &deposit("300", "A-1")).await);
    did(company.run_by_name("payment.apply", &several(&[(1, "100"), (3, "200")], "A-1")).await);
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    // 200 are applied, so neither the whole amount nor another 300 is a repetition.
    refuses(&company, "payment.apply", &[(one(1, "300", "A-1"), "estado_invalido", "importe: ")]).await;
    did(company.run_by_name("payment.apply", &one(1, "100", "A-1")).await);
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "300.00", "aplicado": "300.00", "referencia": "A-1", "origen": "captura", "cancelado": false}])
    );
    assert_eq!(bank(&company.world, 1).await, "300.00");
}

#[tokio::test]
async fn several_payments_are_applied_all_or_none() {
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
    assert_eq!(written(&company.world).await, Written::default());
    assert_eq!(bank(&company.world, 1).await, "0.00");
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
        // Paying the same twice counts twice.
        for _ in 0..2 {
            did(company.run_by_name("payment.apply", &input).await);
        }
        let row = ana.walk("/cxc-pagos").await.pop().unwrap();
        assert_eq!(
            pick(&row, &["origen", "forma_pago_sat", "cuenta_bancaria", "deposito", "referencia"]),
            json!({"origen": origen, "forma_pago_sat": form, "cuenta_bancaria": null, "deposito": null,
                   "referencia": null})
        );
    }
    assert_eq!(
        debt(&ana, 3).await,
        json!({"saldo": "696.00", "pagado": "464.00", "parcialidades": 4, "estatus": "pendiente", "saldo_venta": "696.00"})
    );
    assert_eq!((deposits(&company.world).await, bank(&company.world, 1).await.as_str()), (json!([]), "0.00"));
    let first = &books(&company.world).await.as_array().unwrap()[..4].to_vec();
    assert_eq!(
        json!(first),
        json!([
            {"pago": 1, "cuenta": "206.01", "cargo": "116.00", "abono": "0.00"},
            {"pago": 1, "cuenta": "105.01", "cargo": "0.00", "abono": "116.00"},
            {"pago": 1, "cuenta": "209.01", "cargo": "16.00", "abono": "0.00"},
            {"pago": 1, "cuenta": "208.01", "cargo": "0.00", "abono": "16.00"},
        ])
    );
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(
        debt(&ana, 3).await,
        json!({"saldo": "812.00", "pagado": "348.00", "parcialidades": 3, "estatus": "pendiente", "saldo_venta": "812.00"})
    );

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
    assert_eq!(written(&company.world).await, Written::default());
}

#[tokio::test]
async fn the_back_office_collects_receivables_that_the_api_refuses() {
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
    for (cxc, said) in [
        (5, "la venta no tiene desglose de impuestos; se cobra en la aplicación"),
        (6, "la venta es un anticipo; se cobra en la aplicación"),
        (7, "la venta no tiene desglose de impuestos; se cobra en la aplicación"),
        (8, "la cuenta por cobrar no es de una venta; se cobra en la aplicación"),
    ] {
        let refused = ana.post(&format!("/cxc/{cxc}/pagos"), payment("5", "A")).await;
        refused.fails(422, "venta_sin_desglose");
        assert_eq!(refused.mensaje(), said);
    }
    for cxc in [5, 6] {
        did(company.run_by_name("payment.apply", &one(cxc, "58", &format!("A-{cxc}"))).await);
        assert_eq!(
            debt(&ana, cxc).await,
            json!({"saldo": "58.00", "pagado": "58.00", "parcialidades": 1, "estatus": "pendiente", "saldo_venta": "58.00"})
        );
    }
    did(company.run_by_name("payment.apply", &one(8, "10", "A-8")).await);
    refuses(&company, "payment.apply", &[(one(7, "5", "A-7"), "metodo_pago_faltante", "")]).await;
    // Without a breakdown no IVA is known to be collected.
    let lines = json!([
        {"pago": 1, "cuenta": "102.01.0001", "cargo": "58.00", "abono": "0.00"},
        {"pago": 1, "cuenta": "105.01", "cargo": "0.00", "abono": "58.00"},
        {"pago": 2, "cuenta": "102.01.0001", "cargo": "58.00", "abono": "0.00"},
        {"pago": 2, "cuenta": "105.01", "cargo": "0.00", "abono": "58.00"},
        {"pago": 2, "cuenta": "209.01", "cargo": "8.00", "abono": "0.00"},
        {"pago": 2, "cuenta": "208.01", "cargo": "0.00", "abono": "8.00"},
        {"pago": 3, "cuenta": "102.01.0001", "cargo": "10.00", "abono": "0.00"},
        {"pago": 3, "cuenta": "105.01", "cargo": "0.00", "abono": "10.00"},
    ]);
    assert_eq!(books(&company.world).await, lines);
}

#[tokio::test]
async fn concurrent_payments_of_several_receivables_do_not_deadlock() {
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
        assert_eq!(
            debt(&ana, cxc).await,
            json!({"saldo": "1060.00", "pagado": "100.00", "parcialidades": 10, "estatus": "pendiente", "saldo_venta": "1060.00"})
        );
    }
    assert_eq!(bank(&company.world, 1).await, "300.00");
    assert_eq!(complements(&company.world).await.1.len(), 10);
}
