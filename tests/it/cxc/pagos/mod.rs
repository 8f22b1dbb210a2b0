//! `POST /cxc/{clave}/pagos`

mod body;
mod effect;
mod races;
mod rules;

use serde_json::{Value, json};
use svc_tests::Resource::{CuentasBancarias, Cxc, Sucursales, Ventas};
use svc_tests::{Company, World};

use crate::documents::company;

/// The receivable of a sale without invoice, 1160.00 of customer 1.
pub(crate) const REMISION: &str = "/cxc/1/pagos";
/// The receivable of an invoice paid in parts, 1160.00 of customer 2.
pub(crate) const PPD: &str = "/cxc/2/pagos";

/// A company with 1160.00 owed for each of four documents: a sale without invoice, an invoice of
/// method PPD, one of PUE, and one in dollars (PPD, at 17.50) of branch 3. Bank accounts: 1 in
/// pesos, 2 in dollars, 3 in pesos but inactive.
pub(crate) async fn owed() -> Company {
    let company = company(&World::new().await).await;
    company.load(Sucursales, &[json!({"clave": 3, "nombre": "Norte"})]).await;
    let sale = |change: Value| {
        let mut sale = json!({"tipo": "factura", "cliente": 2, "metodo_pago_sat": "PPD", "subtotal": "1000",
                              "impuestos": "160", "total": "1160", "saldo": "1160"});
        merge(&mut sale, change);
        sale
    };
    let sales = [
        sale(json!({"tipo": "venta", "cliente": 1, "metodo_pago_sat": null})),
        sale(json!({})),
        sale(json!({"metodo_pago_sat": "PUE", "cliente": 1})),
        sale(json!({"moneda": "USD", "tipo_cambio": "17.5", "sucursal": 3})),
    ];
    company.load(Ventas, &sales).await;
    let debt = |venta: i64| json!({"venta": venta, "total": "1160", "fecha": "2026-10-01"});
    let mut dollars = debt(4);
    merge(&mut dollars, json!({"moneda": "USD", "tipo_cambio": "17.5", "sucursal": 3}));
    let mut cash = debt(3);
    merge(&mut cash, json!({"metodo_pago_sat": "PUE"}));
    company.load(Cxc, &[debt(1), debt(2), cash, dollars]).await;
    let accounts = [
        json!({"nombre": "Pesos"}),
        json!({"nombre": "Dólares", "moneda": "USD"}),
        json!({"nombre": "Cerrada", "estatus": "inactivo"}),
    ];
    company.load(CuentasBancarias, &accounts).await;
    company
}

/// A payment of this amount with this reference.
pub(crate) fn payment(importe: &str, referencia: &str) -> Value {
    json!({"importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
           "referencia": referencia})
}

/// [`payment`] with other values of these fields.
pub(crate) fn with(change: Value) -> Value {
    let mut body = payment("100.00", "A-1");
    merge(&mut body, change);
    body
}

fn merge(record: &mut Value, change: Value) {
    let Value::Object(change) = change else { panic!("an object") };
    record.as_object_mut().expect("an object").extend(change);
}

/// Row counts of everything that a payment writes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Written {
    pub(crate) payments: i64,
    pub(crate) deposits: i64,
    pub(crate) entries: i64,
    pub(crate) events: i64,
}

pub(crate) async fn written(world: &World) -> Written {
    Written {
        payments: world.count("cxc_pagos").await,
        deposits: world.count("depositos").await,
        entries: world.count("polizas WHERE concepto NOT LIKE 'Apertura: %'").await,
        events: world.count("emitidos").await,
    }
}

/// The balances of the bank accounts.
pub(crate) async fn banks(world: &World) -> Vec<String> {
    world.sql("SELECT array_agg(to_char(saldo, 'FM999999990.00') ORDER BY empresa, clave) FROM cuentas_bancarias").await
}

/// What a bank account holds; only one company has it.
pub(crate) async fn bank(world: &World, cuenta: i64) -> String {
    let balance = format!("SELECT to_char(saldo, 'FM999999990.00') FROM cuentas_bancarias WHERE clave = {cuenta}");
    world.sql(balance.leak()).await
}

/// The deposits, in the order of their claves.
pub(crate) async fn deposits(world: &World) -> Value {
    world
        .json(
            "SELECT coalesce(jsonb_agg(to_jsonb(d) - 'clave' ORDER BY d.clave), '[]')::text
             FROM (SELECT clave, cuenta_bancaria, to_char(importe, 'FM999990.00') AS importe,
                          to_char(aplicado, 'FM999990.00') AS aplicado, referencia, origen, cancelado
                   FROM depositos) d",
        )
        .await
}

/// The lines of all entries.
pub(crate) async fn books(world: &World) -> Value {
    world
        .json(
            "SELECT coalesce(jsonb_agg(jsonb_build_object(
                        'pago', p.pago, 'cuenta', r.cuenta, 'cargo', to_char(r.cargo, 'FM999990.00'),
                        'abono', to_char(r.abono, 'FM999990.00')) ORDER BY p.clave, r.renglon), '[]')::text
             FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             WHERE p.concepto NOT LIKE 'Apertura: %'",
        )
        .await
}
