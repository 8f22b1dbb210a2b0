//! How payments are cancelled.

use chrono::TimeDelta;
use serde_json::json;
use svc_tests::Resource::{Cxc, CxcPagos};
use svc_tests::lists::pick;

use super::super::{did, emitted, refuses};
use super::{complements, debt, deposit, one, shop};
use crate::cxc::pagos::{bank, books, deposits, written};

#[tokio::test]
async fn a_cancelled_payment_leaves_everything_as_it_was() {
    let (company, ana) = shop().await;
    for (number, importe) in [(1, "400"), (2, "760")] {
        did(company.run_by_name("payment.apply", &one(2, importe, &format!("A-{number}"))).await);
    }
    company.world.clock.advance(TimeDelta::days(1));
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    assert_eq!(
        debt(&ana, 2).await,
        json!({"saldo": "400.00", "pagado": "760.00", "parcialidades": 1, "estatus": "pendiente", "saldo_venta": "400.00"})
    );
    assert_eq!(bank(&company.world, 1).await, "760.00");
    assert_eq!(
        deposits(&company.world).await,
        json!([{"cuenta_bancaria": 1, "importe": "400.00", "aplicado": "0.00", "referencia": "A-1", "origen": "pago", "cancelado": true}, {"cuenta_bancaria": 1, "importe": "760.00", "aplicado": "760.00", "referencia": "A-2", "origen": "pago", "cancelado": false}])
    );
    let (found, queue) = complements(&company.world).await;
    assert_eq!(
        (found, queue),
        (
            json!([{"estatus": "cancelada", "serie": "P", "folio": "1"}, {"estatus": "en_espera", "serie": "P", "folio": "2"}]),
            vec![2]
        )
    );
    let row = ana.get("/cxc-pagos?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(
        pick(&row, &["cancelado", "complemento", "factura"]),
        json!({"cancelado": true, "complemento": "no_aplica", "factura": 1})
    );
    let reversal = books(&company.world).await.as_array().unwrap()[8..].to_vec();
    assert_eq!(
        json!(reversal),
        json!([
            {"pago": 1, "cuenta": "102.01.0001", "cargo": "0.00", "abono": "400.00"},
            {"pago": 1, "cuenta": "105.01", "cargo": "400.00", "abono": "0.00"},
            {"pago": 1, "cuenta": "209.01", "cargo": "0.00", "abono": "55.17"},
            {"pago": 1, "cuenta": "208.01", "cargo": "55.17", "abono": "0.00"},
        ])
    );
    let day: String =
        company.world.sql("SELECT fecha || ' ' || concepto FROM polizas ORDER BY clave DESC LIMIT 1").await;
    assert_eq!(day, "2026-10-13 Cancelación: Pago 1 de la cuenta por cobrar 2");
    assert_eq!(emitted(&company.world).await.len(), 2, "cancelling emits no event");

    // No two standing instalments share a number; the same payment may be made again.
    did(company.run_by_name("payment.apply", &one(2, "400", "A-1")).await);
    let row = ana.get("/cxc-pagos?clave=3").await.ok(200)["datos"][0].clone();
    assert_eq!((&row["parcialidad"], &row["saldo_insoluto"]), (&json!(3), &json!("0.00")));
    assert_eq!(
        debt(&ana, 2).await,
        json!({"saldo": "0.00", "pagado": "1160.00", "parcialidades": 2, "estatus": "pagado", "saldo_venta": "0.00"})
    );
    refuses(
        &company,
        "payment.cancel",
        &[
            (json!({"pago": 1}), "estado_invalido", "pago: ya está cancelado"),
            (json!({"pago": 99}), "no_encontrado", "pago: "),
            (json!({}), "dato_requerido", "pago: "),
            (json!({"pago": 3, "uso": "02"}), "campo_no_permitido", "uso: "),
            (json!({"pago": 3, "motivo": "01"}), "estado_invalido", "pago: "),
            (json!({"pago": 3, "motivo": "05"}), "dato_invalido", "motivo: "),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_stamped_complement_is_cancelled_and_one_being_stamped_blocks() {
    let (company, ana) = shop().await;
    did(company.run_by_name("payment.apply", &one(2, "400", "A-1")).await);
    company.world.sql::<i64>("UPDATE timbrados SET arrendado = now() + interval '1 minute' RETURNING factura").await;
    let table = [(json!({"pago": 1}), "estado_invalido", "pago: su complemento se envió a timbrar")];
    refuses(&company, "payment.cancel", &table).await;
    assert_eq!(debt(&ana, 2).await["saldo"], "760.00", "nothing changed");
    company.world.sql::<i64>("UPDATE timbrados SET arrendado = NULL RETURNING factura").await;
    did(company
        .run_by_name("invoice.stamped", &json!({"factura": 1, "uuid": "0b2e7b0c-6a57-4d0e-9d8e-7f3f5c1f0a11"}))
        .await);
    did(company.run_by_name("payment.cancel", &json!({"pago": 1})).await);
    let registry = ana.get("/facturas?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(
        pick(&registry, &["estatus", "motivo_cancelacion", "fecha_cancelacion"]),
        json!({"estatus": "cancelada", "motivo_cancelacion": "02", "fecha_cancelacion": "2026-10-12T18:00:00Z"})
    );
    let row = ana.get("/cxc-pagos?clave=1").await.ok(200)["datos"][0].clone();
    assert_eq!(
        pick(&row, &["cancelado", "complemento", "factura"]),
        json!({"cancelado": true, "complemento": "timbrado", "factura": 1})
    );
}

#[tokio::test]
async fn an_imported_payment_is_cancelled_as_far_as_it_was_counted() {
    let (company, ana) = shop().await;
    let receivables = [
        json!({"venta": 1, "total": 100, "pagado": 60, "parcialidades": 1}),
        json!({"venta": 1, "total": 100, "pagado": 100, "estatus": "cancelado"}),
    ];
    company.load(Cxc, &receivables).await;
    let earlier = |cxc: i64| {
        json!({"cxc": cxc, "importe": 60, "cuenta_bancaria": 1, "deposito": 7, "referencia": "A-1",
               "fecha": "2026-10-12"})
    };
    company.load(CxcPagos, &[earlier(5), earlier(1), earlier(6)]).await;
    // New deposits are numbered after those that imported payments name.
    assert_eq!(did(company.run_by_name("deposit.capture", &deposit("5", "B-1")).await), json!({"deposito": 8}));
    for pago in 1..=3 {
        did(company.run_by_name("payment.cancel", &json!({"pago": pago})).await);
    }
    for (cxc, saldo) in [(5, "100.00"), (1, "1160.00")] {
        let mut debt = debt(&ana, cxc).await;
        debt.as_object_mut().unwrap().remove("saldo_venta");
        assert_eq!(debt, json!({"saldo": saldo, "pagado": "0.00", "parcialidades": 0, "estatus": "pendiente"}));
    }
    assert_eq!(debt(&ana, 6).await["estatus"], "cancelado");
    assert_eq!(bank(&company.world, 1).await, "5.00");
    assert_eq!(
        written(&company.world).await.entries,
        1,
        "but for the deposit no entry was written, so none is reversed"
    );
}
