//! Each check by itself: what it refuses, its text, and that nothing happens.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::{Resource, World};

use crate::ventas::shop::{invoiced, made, ready, shop};

/// Row counts of everything that an invoice writes.
const WRITTEN: &str = "SELECT to_jsonb(escrito)::text
                       FROM (SELECT (SELECT count(*) FROM facturas) AS facturas,
                                    (SELECT count(*) FROM cxc) AS cxc,
                                    (SELECT count(*) FROM polizas) AS polizas,
                                    (SELECT count(*) FROM timbrados) AS timbrados,
                                    (SELECT count(*) FROM movimientos_inventario) AS movimientos,
                                    (SELECT count(*) FROM emitidos) AS emitidos,
                                    (SELECT sum(existencia) FROM inventario) AS existencia,
                                    (SELECT sum(apartado) FROM inventario) AS apartado) escrito";

#[tokio::test]
async fn each_fault_has_its_code_and_nothing_happens() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load(Resource::Sucursales, &[json!({"clave": 3})]).await;
    let ana = company.admin().await;
    let venta = made(&ana, &ready()).await;
    assert_eq!(venta, 1);
    let before = world.json(WRITTEN).await;
    let none = || json!({});
    let table: [(&str, &str, Value, &str); 42] = [
        ("origen", "'aplicacion'", none(), "venta_no_api"),
        ("origen", "'plataforma'", none(), "venta_no_api"),
        ("origen", "'desconocido'", none(), "venta_no_api"),
        ("cancelada", "true", none(), "venta_cancelada"),
        // Invoiced, but the registry has no such invoice.
        ("factura", "99", none(), "venta_ya_facturada"),
        ("uuid", "'5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d'", none(), "venta_ya_facturada"),
        ("tipo", "'factura'", none(), "venta_ya_facturada"),
        ("tipo", "'venta'", none(), "venta_no_facturable"),
        ("tipo", "'anticipo'", none(), "venta_no_facturable"),
        ("surtido_estatus", "'parcial'", none(), "pedido_con_surtido"),
        ("surtido_estatus", "'surtido'", none(), "pedido_con_surtido"),
        ("sucursal", "3", none(), "sucursal_no_coincide"),
        ("sucursal", "0", json!({"sucursal": 3}), "sucursal_no_coincide"),
        ("sucursal", "0", json!({"sucursal": -1}), "sucursal_no_coincide"),
        ("forma_pago_sat", "'03'", json!({"forma_pago_sat": "28"}), "dato_ya_capturado"),
        ("forma_pago_sat", "'03'", json!({"forma_pago_sat": "x"}), "dato_ya_capturado"),
        ("metodo_pago_sat", "'PUE'", json!({"metodo_pago_sat": "PPD"}), "dato_ya_capturado"),
        ("uso_cfdi", "'G03'", json!({"uso_cfdi": "g03"}), "dato_ya_capturado"),
        ("rfc", "NULL", none(), "cliente_sin_rfc"),
        ("rfc", "'NO ES RFC'", none(), "cliente_sin_rfc"),
        ("regimen", "NULL", none(), "cliente_sin_regimen"),
        ("regimen", "999", none(), "cliente_sin_regimen"),
        // Regimes of natural persons, with a company's RFC.
        ("regimen", "612", none(), "cliente_sin_regimen"),
        ("cp", "NULL", none(), "cliente_sin_cp"),
        ("cp", "'00001'", none(), "cliente_sin_cp"),
        ("clientes.uso_cfdi", "NULL", none(), "cliente_sin_uso_cfdi"),
        ("clientes.uso_cfdi", "'D01'", none(), "uso_cfdi_incompatible"),
        ("clientes.uso_cfdi", "'X99'", none(), "uso_cfdi_incompatible"),
        ("uso_cfdi", "'D01'", none(), "uso_cfdi_incompatible"),
        // The use of payments is that of no invoice.
        ("uso_cfdi", "'CP01'", none(), "uso_cfdi_incompatible"),
        ("uso_cfdi", "NULL", json!({"uso_cfdi": "D01"}), "uso_cfdi_incompatible"),
        ("uso_cfdi", "NULL", json!({"uso_cfdi": "X99"}), "uso_cfdi_incompatible"),
        ("condicion_pago", "NULL", none(), "venta_sin_condicion_pago"),
        ("metodo_pago_sat", "NULL", none(), "venta_sin_metodo_pago"),
        ("forma_pago_sat", "NULL", none(), "venta_sin_forma_pago"),
        ("forma_pago_sat", "NULL", json!({"forma_pago_sat": "3"}), "forma_pago_invalida"),
        ("forma_pago_sat", "'98'", none(), "forma_pago_invalida"),
        ("forma_pago_sat", "NULL", json!({"forma_pago_sat": "99"}), "forma_pago_incompatible"),
        ("metodo_pago_sat", "NULL", json!({"metodo_pago_sat": "PPD"}), "forma_pago_incompatible"),
        ("cliente", "NULL", none(), "cliente_sin_rfc"),
        ("cliente", "2", none(), "cliente_sin_rfc"),
        ("almacen", "3", none(), "almacen_invalido"),
    ];
    for (column, value, body, code) in table {
        set(&world, column, value).await;
        let reply = invoiced(&ana, venta, body).await;
        reply.fails(422, code);
        if code == "dato_ya_capturado" {
            assert!(reply.mensaje().starts_with(&format!("{column}: ")), "{}", reply.mensaje());
        }
        assert_eq!(reply.header("retry-after"), None);
        assert_eq!(world.json(WRITTEN).await, before, "{column} = {value}");
        restore(&world).await;
    }
    invoiced(&ana, venta, none()).await.ok(202);
}

#[tokio::test]
async fn sales_invoiced_by_the_application_are_refused() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    for estatus in ["vigente", "en_espera", "error", "cancelada"] {
        let venta = made(&ana, &ready()).await;
        company.load(Resource::Facturas, &[json!({"venta": venta, "estatus": estatus})]).await;
        invoiced(&ana, venta, json!({})).await.fails(422, "venta_ya_facturada");
    }
}

#[tokio::test]
async fn the_company_must_be_able_to_invoice_now() {
    let world = World::new().await;
    let [ana, _] = [shop(&world).await.admin().await, shop(&world).await.admin().await];
    let venta = made(&ana, &ready()).await;
    for (wrong, code, right) in [
        ("UPDATE empresas SET facturacion = false", "plan_sin_facturacion", "UPDATE empresas SET facturacion = true"),
        (
            "DELETE FROM certificados WHERE empresa = 1",
            "certificado_invalido",
            "INSERT INTO certificados SELECT 1, numero, orden, rfc, desde, hasta, certificado, llave, cargado FROM certificados",
        ),
        (
            "UPDATE certificados SET hasta = '2026-10-12T17:59:59Z'",
            "certificado_invalido",
            "UPDATE certificados SET hasta = '2046-01-01'",
        ),
        (
            "UPDATE certificados SET desde = '2027-01-01'",
            "certificado_invalido",
            "UPDATE certificados SET desde = '2024-01-01'",
        ),
        (
            "UPDATE empresas SET rfc = 'CACX7605101P8'",
            "certificado_invalido",
            "UPDATE empresas SET rfc = 'EKU9003173C9'",
        ),
    ] {
        world.run(wrong).await;
        world.clock.advance(TimeDelta::seconds(6));
        invoiced(&ana, venta, json!({})).await.fails(422, code);
        world.run(right).await;
    }
    world.clock.advance(TimeDelta::seconds(6));
    invoiced(&ana, venta, json!({})).await.ok(202);
}

#[tokio::test]
async fn a_sale_that_is_being_invoiced_elsewhere_is_free_again_after_ten_minutes() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let venta = made(&ana, &ready()).await;
    world.run("UPDATE ventas SET facturando = '2026-10-12T18:00:00Z'").await;
    for seconds in [0, 599] {
        world.clock.advance(TimeDelta::seconds(seconds));
        let reply = invoiced(&ana, venta, json!({})).await;
        reply.fails(503, "venta_en_proceso");
        assert_eq!(reply.header("retry-after"), Some("5"));
    }
    world.clock.advance(TimeDelta::seconds(1));
    invoiced(&ana, venta, json!({})).await.ok(202);
    assert!(world.sql::<bool>("SELECT facturando IS NULL FROM ventas").await);
}

#[tokio::test]
async fn another_companys_sale_is_not_found() {
    let world = World::new().await;
    let [one, other] = [shop(&world).await, shop(&world).await];
    let venta = made(&one.admin().await, &ready()).await;
    let theirs = other.admin().await;
    for clave in [venta, 0, -1, i64::MAX, i64::MIN] {
        invoiced(&theirs, clave, json!({})).await.fails(404, "no_encontrado");
    }
    invoiced(&one.admin().await, venta, json!({})).await.ok(202);
}

/// An amount too large for a price, a cost or a stock record: the sale can be created, and its
/// invoice is refused.
#[tokio::test]
async fn values_beyond_any_column_are_refused_and_never_500() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let mut body = ready();
    body["renglones"] = json!([{"producto": 1, "cantidad": 999_999_999_999_999_i64, "precio_unitario": "0.01"}]);
    let vast = made(&ana, &body).await;
    world.run("UPDATE productos SET costo = 999999999999999999").await;
    invoiced(&ana, vast, json!({})).await.fails(400, "dato_invalido");
    world.run("UPDATE productos SET costo = 2000").await;
    invoiced(&ana, vast, json!({})).await.fails(400, "dato_invalido");
    world.run("UPDATE productos SET costo = 1").await;
    world.run("UPDATE inventario SET existencia = -999999999999999999").await;
    invoiced(&ana, vast, json!({})).await.fails(400, "dato_invalido");
    world.run("UPDATE inventario SET existencia = 0").await;
    invoiced(&ana, vast, json!({})).await.ok(202);
}

/// Sets a column of the sale, or of the customer.
async fn set(world: &World, column: &str, value: &str) {
    let table = match column {
        "rfc" | "regimen" | "cp" => "clientes",
        _ if column.starts_with("clientes.") => "clientes",
        _ => "ventas",
    };
    let column = column.trim_start_matches("clientes.");
    let fulfilment = if column == "tipo" { ", surtido_estatus = NULL, monto_surtido = NULL" } else { "" };
    let statement = format!("UPDATE {table} SET {column} = {value}{fulfilment} WHERE clave = 1");
    sqlx::query(sqlx::AssertSqlSafe(statement)).execute(world.pool()).await.expect("the statement runs");
}

async fn restore(world: &World) {
    world
        .run(
            "UPDATE ventas SET origen = 'api', cancelada = false, factura = NULL, uuid = NULL, tipo = 'pedido', \
         surtido_estatus = 'pendiente', sucursal = 0, forma_pago_sat = '03', metodo_pago_sat = 'PUE', uso_cfdi = NULL, \
         condicion_pago = 'contado', cliente = 1, almacen = 1",
        )
        .await;
    world
        .run("UPDATE clientes SET rfc = 'XIA190128J61', regimen = 601, cp = '06700', uso_cfdi = 'G03' WHERE clave = 1")
        .await;
}
