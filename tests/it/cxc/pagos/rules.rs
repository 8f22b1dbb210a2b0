//! Refused payments, each with its code, in their order.

use serde_json::{Value, json};
use svc_tests::Resource::{Cxc, CxcPagos, Ventas};

use super::{REMISION, Written, banks, owed, payment, with, written};

#[tokio::test]
async fn a_missing_or_foreign_receivable_is_404() {
    let company = owed().await;
    let ana = company.admin().await;
    let berta = company.world.company().await.admin().await;
    ana.post("/cxc/99/pagos", with(json!({"cuenta_bancaria": 99}))).await.fails(404, "no_encontrado");
    berta.post(REMISION, payment("1", "A-1")).await.fails(404, "no_encontrado");
    assert_eq!(written(&company.world).await, Written::default());
}

#[tokio::test]
async fn each_fault_has_its_code_and_the_first_is_reported() {
    let company = owed().await;
    let sales = [
        json!({"tipo": "venta", "desglose": false}),
        json!({"tipo": "pedido"}),
        json!({"tipo": "factura", "desglose": false}),
        json!({"tipo": "factura"}),
        json!({"tipo": "venta", "cancelada": true}),
    ];
    company.load(Ventas, &sales).await;
    let receivables = [
        json!({"total": 10, "fecha": "2026-10-01", "estatus": "cancelado"}),
        json!({"total": 10, "fecha": "2026-10-01"}),
        json!({"total": 10, "fecha": "2026-10-01", "venta": 5}),
        json!({"total": 10, "fecha": "2026-10-01", "venta": 6}),
        json!({"total": 10, "fecha": "2026-10-01", "venta": 7}),
        json!({"total": 10, "fecha": "2026-10-01", "venta": 8}),
        json!({"total": 10, "fecha": "2026-10-01", "venta": 9}),
        json!({"total": 10, "fecha": "2026-10-01", "venta": 1, "pagado": 10}),
    ];
    company.load(Cxc, &receivables).await;
    let ana = company.admin().await;
    // Wrong in every way that is checked later.
    let wrong = || json!({"cuenta_bancaria": 99, "fecha": "2026-09-30", "importe": "99999"});
    let dollars = json!({"cuenta_bancaria": 2, "fecha": "2026-09-30", "importe": "99999"});
    let early = json!({"fecha": "2026-09-30", "importe": "99999"});
    for (cxc, change, codigo) in [
        (5, wrong(), "cxc_cancelada"),
        (11, wrong(), "cxc_cancelada"),
        (6, wrong(), "venta_sin_desglose"),
        (7, wrong(), "venta_sin_desglose"),
        (8, wrong(), "venta_sin_desglose"),
        (9, wrong(), "venta_sin_desglose"),
        (10, wrong(), "metodo_pago_faltante"),
        (12, wrong(), "cuenta_bancaria_invalida"),
        (12, json!({"cuenta_bancaria": 0}), "cuenta_bancaria_invalida"),
        (12, json!({"cuenta_bancaria": i64::MIN}), "cuenta_bancaria_invalida"),
        (12, json!({"cuenta_bancaria": 3, "fecha": "2026-09-30"}), "cuenta_bancaria_invalida"),
        (12, dollars.clone(), "moneda_distinta"),
        (1, dollars, "moneda_distinta"),
        (4, json!({}), "moneda_distinta"),
        (12, early.clone(), "fecha_anterior_factura"),
        (1, early, "fecha_anterior_factura"),
        (12, json!({"importe": "99999"}), "cxc_sin_saldo"),
        (12, json!({"importe": "0.01"}), "cxc_sin_saldo"),
        (1, json!({"importe": "1160.01"}), "importe_excede_saldo"),
    ] {
        let reply = ana.post(&format!("/cxc/{cxc}/pagos"), with(change.clone())).await;
        assert_eq!((reply.status, &reply.json()["error"]["codigo"]), (422, &json!(codigo)), "cxc {cxc}, {change}");
    }
    assert_eq!(written(&company.world).await, Written::default());
    assert_eq!(banks(&company.world).await, ["0.00", "0.00", "0.00"]);
}

#[tokio::test]
async fn the_same_payment_is_not_applied_twice_to_any_receivable() {
    let company = owed().await;
    let ana = company.admin().await;
    ana.post(REMISION, payment("500", "A-1")).await.ok(201);
    // Any receivable, even a paid one, and any spelling of the amount.
    for path in [REMISION, "/cxc/2/pagos", "/cxc/3/pagos", "/cxc/4/pagos"] {
        for importe in ["500", "500.00", "500.000000"] {
            ana.post(path, payment(importe, " A-1 ")).await.fails(409, "pago_repetido");
        }
    }
    for change in [
        json!({"importe": "500.01"}),
        json!({"importe": "500", "fecha": "2026-10-11"}),
        json!({"importe": "500", "referencia": "a-1"}),
    ] {
        ana.post("/cxc/3/pagos", with(change)).await;
    }
    assert_eq!(written(&company.world).await.payments, 3, "what differs in a datum is another payment");
    ana.post(REMISION, payment("660", "A-2")).await.ok(201);
    ana.post(REMISION, payment("660", "A-2")).await.fails(409, "pago_repetido");
    ana.post(REMISION, payment("660", "A-3")).await.fails(422, "cxc_sin_saldo");
}

#[tokio::test]
async fn an_imported_payment_is_repeated_too_unless_it_is_cancelled() {
    let company = owed().await;
    let ana = company.admin().await;
    let earlier = |referencia: &str, change: Value| {
        let mut row = json!({"cxc": 2, "importe": 100, "fecha": "2026-10-12", "cuenta_bancaria": 1,
                             "referencia": referencia});
        row.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        row
    };
    let rows = [
        earlier("A-1", json!({})),
        earlier("A-2", json!({"cancelado": true})),
        earlier("A-3", json!({"origen": "anticipo"})),
    ];
    company.load(CxcPagos, &rows).await;
    ana.post(REMISION, payment("100", "A-1")).await.fails(409, "pago_repetido");
    ana.post(REMISION, payment("100", "A-2")).await.ok(201);
    ana.post(REMISION, payment("100", "A-3")).await.ok(201);
}

#[tokio::test]
async fn a_waiting_deposit_is_left_to_the_back_office() {
    let company = owed().await;
    let ana = company.admin().await;
    let deposit = json!({"cuenta_bancaria": 1, "fecha": "2026-10-12", "importe": "100", "referencia": "A-1"});
    company.run_by_name("deposit.capture", &deposit).await.unwrap();
    ana.post(REMISION, payment("100", "A-1")).await.fails(409, "deposito_sin_aplicar");
    ana.post("/cxc/99/pagos", payment("100", "A-1")).await.fails(404, "no_encontrado");
    // A repetition is reported before every other fault.
    ana.post("/cxc/4/pagos", payment("100", "A-1")).await.fails(409, "deposito_sin_aplicar");
    ana.post(REMISION, payment("100", "A-2")).await.ok(201);
    assert_eq!(banks(&company.world).await, ["200.00", "0.00", "0.00"]);
}

#[tokio::test]
async fn amounts_of_too_many_digits_are_refused_without_a_500() {
    let company = owed().await;
    let huge = "999999999999999999";
    let rows = [
        json!({"venta": 1, "total": huge, "parcialidades": 9_000_000_000_000_000_i64}),
        json!({"venta": 1, "total": huge}),
        json!({"venta": 1, "total": huge, "moneda": "USD", "tipo_cambio": "1"}),
        json!({"venta": 1, "total": huge}),
    ];
    company.load(Cxc, &rows).await;
    company.world.run("UPDATE cxc SET tipo_cambio = 999999999999 WHERE clave = 7").await;
    company.world.run("UPDATE cxc SET pagado = saldo WHERE clave = 8").await;
    let ana = company.admin().await;
    assert_eq!(ana.post("/cxc/5/pagos", payment(huge, "A-1")).await.ok(201)["saldo"], "0.00");
    // The account's balance, the amount in pesos, and the amount paid of the receivable.
    ana.post("/cxc/6/pagos", payment(huge, "A-2")).await.fails(400, "dato_invalido");
    let mut dollars = payment(huge, "A-3");
    dollars["cuenta_bancaria"] = json!(2);
    ana.post("/cxc/7/pagos", dollars).await.fails(400, "dato_invalido");
    ana.post("/cxc/8/pagos", payment("1", "A-4")).await.fails(400, "dato_invalido");
}
