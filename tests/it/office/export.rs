//! Exports over HTTP.

use serde_json::{Value, json};
use svc_tests::imports::customers;
use svc_tests::office::NDJSON;
use svc_tests::{Resource, World};

use crate::ventas::shop::{invoiced, made, ready, shop};

#[tokio::test]
async fn what_is_exported_can_be_imported() {
    let world = World::new().await;
    let company = shop(&world).await;
    let (office, ana) = (company.office().await, company.admin().await);
    let venta = made(&ana, &ready()).await;
    invoiced(&ana, venta, json!({})).await.ok(202);
    let copy = world.company().await;
    let theirs = copy.office().await;
    for resource in Resource::ALL {
        let name = resource.name();
        let exported = office.get(&format!("/export/{name}")).await;
        assert_eq!((exported.status, exported.header("content-type")), (200, Some(NDJSON)), "{name}");
        let lines: Vec<Value> = exported
            .body
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        assert_eq!(lines, company.export(*resource).await, "{name}");
        let request = theirs.request(http::Method::POST, &format!("/import/{name}?existentes=omitir"));
        let request = request.header("Content-Type", NDJSON).header("Idempotency-Key", name);
        theirs.send(request, exported.body).await.ok(200);
    }
    let eva = copy.admin().await;
    for list in ["/clientes", "/productos", "/precios", "/ventas?tipo=factura", "/facturas", "/cxc", "/inventario"] {
        assert_eq!(eva.walk(list).await, ana.walk(list).await, "{list}");
    }
}

#[tokio::test]
async fn an_export_is_in_flight_until_it_was_read() {
    use http_body_util::BodyExt as _;
    use tower::Service as _;

    let world = World::with(|builder| builder.in_flight(1)).await;
    let company = world.company().await;
    company.load(Resource::Clientes, &customers(2_000)).await;
    let office = company.office().await;
    let request =
        office.request(http::Method::GET, "/export/clientes").body(http_body_util::Empty::<bytes::Bytes>::new());
    let answer = office.service().call(request.unwrap()).await.unwrap();
    assert_eq!(answer.status(), 200);
    office.get("").await.fails(503, "ocupado");
    let read = answer.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(read.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count(), 2_000);
    office.get("").await.ok(200);
}
