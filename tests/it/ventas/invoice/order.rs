//! The order of the checks (contract §4): a sale has every fault; they are corrected one by one,
//! and each time the next one is reported.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::{Company, Resource, World};

use crate::ventas::shop::{ANA, invoiced, made, ready, shop};

/// The correction, the fields that the request adds from then on, and the next reported fault.
struct OrderStep {
    change: &'static str,
    body: fn() -> Value,
    expected: (u16, &'static str),
}

const fn step(change: &'static str, body: fn() -> Value, status: u16, code: &'static str) -> OrderStep {
    OrderStep { change, body, expected: (status, code) }
}

/// Another branch, and a use that contradicts the sale.
fn wrong() -> Value {
    json!({"sucursal": 3, "uso_cfdi": "G01"})
}

fn contradicting() -> Value {
    json!({"uso_cfdi": "G01"})
}

fn nothing() -> Value {
    json!({})
}

const STEPS: [OrderStep; 24] = [
    step("UPDATE facturas SET origen = 'api'", wrong, 200, ""),
    step("UPDATE facturas SET origen = 'aplicacion'", wrong, 422, "venta_no_api"),
    step("UPDATE ventas SET origen = 'api'", wrong, 422, "venta_cancelada"),
    step("UPDATE ventas SET cancelada = false", wrong, 422, "venta_ya_facturada"),
    step("UPDATE ventas SET factura = NULL", wrong, 422, "venta_no_facturable"),
    // Only orders are fulfilled, so the previous correction brings this fault.
    step("UPDATE ventas SET tipo = 'pedido', surtido_estatus = 'parcial'", wrong, 422, "pedido_con_surtido"),
    step("UPDATE ventas SET surtido_estatus = 'pendiente'", wrong, 422, "sucursal_no_coincide"),
    step("SELECT 1", contradicting, 503, "venta_en_proceso"),
    step("UPDATE ventas SET facturando = NULL", contradicting, 422, "dato_ya_capturado"),
    step("SELECT 1", nothing, 422, "plan_sin_facturacion"),
    step("UPDATE empresas SET facturacion = true", nothing, 422, "certificado_invalido"),
    step("UPDATE certificados SET hasta = '2046-01-01'", nothing, 422, "cliente_sin_rfc"),
    step("UPDATE clientes SET rfc = 'XIA190128J61' WHERE clave = 1", nothing, 422, "cliente_sin_regimen"),
    step("UPDATE clientes SET regimen = 601 WHERE clave = 1", nothing, 422, "cliente_sin_cp"),
    // There is a use for the request to contradict; without one there would be no conflict.
    step(
        "UPDATE clientes SET cp = '06700' WHERE clave = 1; UPDATE ventas SET uso_cfdi = NULL",
        nothing,
        422,
        "cliente_sin_uso_cfdi",
    ),
    step("UPDATE clientes SET uso_cfdi = 'D01' WHERE clave = 1", nothing, 422, "uso_cfdi_incompatible"),
    step("UPDATE clientes SET uso_cfdi = 'G03' WHERE clave = 1", nothing, 422, "venta_sin_condicion_pago"),
    // Credit and advance depend on the payment condition, which is set from here on.
    step("UPDATE ventas SET condicion_pago = 'credito'", nothing, 422, "venta_sin_metodo_pago"),
    step("UPDATE ventas SET metodo_pago_sat = 'PPD'", nothing, 422, "venta_sin_forma_pago"),
    step("UPDATE ventas SET forma_pago_sat = '98'", nothing, 422, "forma_pago_invalida"),
    step("UPDATE ventas SET forma_pago_sat = '03'", nothing, 422, "forma_pago_incompatible"),
    step("UPDATE ventas SET forma_pago_sat = '99'", nothing, 422, "credito_insuficiente"),
    step("UPDATE clientes SET limite_credito = 1000 WHERE clave = 1", nothing, 422, "saldo_vencido"),
    // Cash instead of credit.
    step("UPDATE ventas SET condicion_pago = 'contado'", nothing, 422, "anticipo_insuficiente"),
];

#[tokio::test]
async fn the_first_of_all_faults_is_reported() {
    let world = World::new().await;
    let company = faulty(&world).await;
    let ana = company.admin().await;
    invoiced(&ana, 99, wrong()).await.fails(404, "no_encontrado");
    for (at, OrderStep { change, body, expected }) in STEPS.into_iter().enumerate() {
        for statement in change.split("; ") {
            world.run(statement).await;
        }
        world.clock.advance(TimeDelta::seconds(6));
        let reply = invoiced(&ana, 1, body()).await;
        let found = (reply.status, reply.json()["error"]["codigo"].as_str().unwrap_or_default().to_owned());
        assert_eq!(found, (expected.0, expected.1.to_owned()), "step {at}: {change}: {}", reply.json());
    }
    assert_eq!(world.count("timbrados").await, 0);
    world.run("UPDATE empresas SET anticipo_minimo = 0").await;
    world.clock.advance(TimeDelta::seconds(6));
    invoiced(&ana, 1, nothing()).await.ok(202);
}

/// A company whose sale 1 has every fault that is possible at once.
async fn faulty(world: &World) -> Company {
    let company = shop(world).await;
    company.load(Resource::Sucursales, &[json!({"clave": 3})]).await;
    company
        .edit(CompanyChange { facturacion: Some(false), anticipo_minimo: Some(1.into()), ..CompanyChange::default() })
        .await;
    let ana = company.admin().await;
    let venta = made(&ana, &ready()).await;
    assert_eq!(venta, 1);
    company.load(Resource::Facturas, &[json!({"venta": 1})]).await;
    company.load(Resource::Cxc, &[json!({"cliente": ANA, "total": "1.00", "vencimiento": "2026-10-11"})]).await;
    for statement in [
        "UPDATE ventas SET origen = 'aplicacion', cancelada = true, tipo = 'anticipo', surtido_estatus = NULL, \
         monto_surtido = NULL, facturando = '2026-10-12T18:00:00Z', uso_cfdi = 'G03', condicion_pago = NULL, \
         metodo_pago_sat = NULL, forma_pago_sat = NULL",
        "UPDATE clientes SET rfc = NULL, regimen = NULL, cp = NULL, uso_cfdi = NULL, limite_credito = 0 WHERE clave = 1",
        "UPDATE certificados SET hasta = desde",
    ] {
        world.run(statement).await;
    }
    company
}
