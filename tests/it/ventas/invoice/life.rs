//! The application's part: its screens change a sale before it is invoiced, and the invoice
//! afterwards.

use serde_json::{Value, json};
use svc_tests::{Company, Resource, World};

use crate::documents::UUIDS;
use crate::ventas::shop::{NAIL, invoiced, made, notices, on_credit, ready, shop, stock};

async fn run_by_name(company: &Company, name: &str, input: Value) {
    company.run_by_name(name, &input).await.expect("the action is done");
}

#[tokio::test]
async fn the_applications_earlier_action_stands() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let venta = made(&ana, &ready()).await;
    run_by_name(&company, "sale.invoicing-begin", json!({"venta": venta})).await;
    invoiced(&ana, venta, json!({})).await.fails(503, "venta_en_proceso");
    run_by_name(&company, "sale.invoicing-end", json!({"venta": venta})).await;
    invoiced(&ana, venta, json!({})).await.ok(202);
    let error =
        company.run_by_name("sale.invoicing-begin", &json!({"venta": venta})).await.expect_err("it is invoiced");
    assert_eq!(error.code().codigo(), "estado_invalido");

    let fulfilled = made(&ana, &ready()).await;
    run_by_name(&company, "order.fulfil", json!({"venta": fulfilled, "renglones": [{"renglon": 1, "cantidad": 1}]}))
        .await;
    invoiced(&ana, fulfilled, json!({})).await.fails(422, "pedido_con_surtido");

    let cancelled = made(&ana, &ready()).await;
    run_by_name(&company, "sale.cancel", json!({"venta": cancelled})).await;
    invoiced(&ana, cancelled, json!({})).await.fails(422, "venta_cancelada");

    for tipo in ["pedido", "cotizacion", "venta", "factura", "anticipo"] {
        let mut body = ready();
        body["tipo"] = json!(tipo);
        let captured = company.run_by_name("sale.capture", &body).await.expect("it is captured");
        invoiced(&ana, captured["venta"].as_i64().expect("a clave"), json!({})).await.fails(422, "venta_no_api");
    }
    // The captured invoice takes the next folio of the series, and so does the API's.
    let last = made(&ana, &ready()).await;
    assert_eq!(invoiced(&ana, last, json!({})).await.ok(202)["folio"], "3");
}

#[tokio::test]
async fn an_invoice_is_refused_stamped_and_cancelled() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load(Resource::Inventario, &[json!({"producto": NAIL, "almacen": "001", "existencia": 10})]).await;
    let ana = company.admin().await;
    let venta = made(&ana, &ready()).await;
    invoiced(&ana, venta, json!({})).await.ok(202);
    let state = async || {
        let answer = invoiced(&ana, venta, json!({})).await.ok(200);
        assert_eq!((&answer["ya_solicitada"], &answer["folio"]), (&json!(true), &json!("1")));
        let registered = ana.walk(&format!("/facturas?venta={venta}")).await.remove(0);
        assert_eq!(answer["uuid"], registered["uuid"]);
        answer["estatus"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(state().await, "timbrando");
    run_by_name(
        &company,
        "invoice.rejected",
        json!({"factura": 1, "codigo": "CFDI40147", "mensaje": "El domicilio no coincide"}),
    )
    .await;
    assert_eq!(state().await, "error");
    run_by_name(&company, "invoice.stamped", json!({"factura": 1, "uuid": UUIDS[0]})).await;
    assert_eq!(state().await, "vigente");
    assert_eq!(ana.walk("/ventas?tipo=factura").await[0]["uuid"], UUIDS[0]);
    assert_eq!(ana.walk("/cxc").await[0]["uuid"], UUIDS[0]);
    let data = json!({"factura": 1, "venta": venta, "uuid": UUIDS[0]});
    assert_eq!(notices(&world, "factura.timbrada").await[0].0, data);
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(8), json!(0))));

    run_by_name(&company, "invoice.cancel", json!({"factura": 1, "motivo": "02"})).await;
    assert_eq!(state().await, "cancelada");
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(10), json!(0))));
    assert_eq!(ana.walk("/ventas?tipo=factura&cancelada=true").await[0]["clave"], venta);
    assert_eq!(ana.walk("/cxc?estatus=cancelado").await[0]["venta"], venta);
    assert_eq!(notices(&world, "factura.cancelada").await[0].0, data);
    assert_eq!(notices(&world, "venta.creada").await.len(), 1);
}

#[tokio::test]
async fn credit_is_free_again_when_it_is_paid_or_cancelled() {
    let world = World::new().await;
    let company = shop(&world).await;
    let account = [json!({"nombre": "Banco"})];
    company.load(Resource::CuentasBancarias, &account).await;
    world.run("UPDATE clientes SET limite_credito = 232").await;
    let ana = company.admin().await;
    let [first, second, third] =
        [made(&ana, &on_credit()).await, made(&ana, &on_credit()).await, made(&ana, &on_credit()).await];
    let paid = invoiced(&ana, first, json!({})).await.ok(202)["factura"].clone();
    invoiced(&ana, second, json!({})).await.fails(422, "credito_insuficiente");
    run_by_name(&company, "invoice.stamped", json!({"factura": paid, "uuid": UUIDS[1]})).await;
    let payment = json!({"importe": "232.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "R-1"});
    ana.post("/cxc/1/pagos", payment).await.ok(201);
    let cancelled = invoiced(&ana, second, json!({})).await.ok(202)["factura"].clone();
    invoiced(&ana, third, json!({})).await.fails(422, "credito_insuficiente");
    run_by_name(&company, "invoice.stamped", json!({"factura": cancelled, "uuid": UUIDS[2]})).await;
    run_by_name(&company, "invoice.cancel", json!({"factura": cancelled, "motivo": "03"})).await;
    invoiced(&ana, third, json!({})).await.ok(202);
}
