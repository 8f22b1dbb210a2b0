//! `invoice.stamped`, `invoice.rejected`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::operations::{InvoiceRejected, InvoiceStamped};
use svc_core::stamping::{SandboxStamper, StampFailure, StampRequest, StampedXml, Stamper};
use svc_tests::lists::pick;
use svc_tests::{BASE_URL, World, books};

use super::super::shop::{captured, found, invoiced, is_isolated, nails, only, queued, refuses, shop};
use super::super::{did, events_since, ids, summary};
use super::of;
use crate::documents::UUIDS;

#[tokio::test]
async fn waiting_documents_are_stamped_and_every_list_shows_the_uuid() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (venta, factura) = invoiced(&ana, &nails("pedido")).await;
    assert_eq!(queued(&company).await, [factura]);
    let before = ids(&world).await;
    world.clock.advance(TimeDelta::seconds(90));
    let upper = UUIDS[0].to_uppercase();
    assert_eq!(
        did(company.run_by_name("invoice.stamped", &of(factura, json!({"uuid": upper}))).await),
        json!({"factura": factura})
    );
    let invoice = only(&ana, "/facturas").await;
    for (field, value) in [
        ("estatus", json!("vigente")),
        ("uuid", json!(UUIDS[0])),
        ("fecha", json!("2026-10-12T18:00:00Z")),
        ("fecha_timbrado", json!("2026-10-12T18:01:30Z")),
        ("modificado", json!("2026-10-12T18:01:30Z")),
        ("error_codigo", Value::Null),
    ] {
        assert_eq!(invoice[field], value, "{field}");
    }
    assert_eq!(found(&ana, "factura", venta).await["uuid"], UUIDS[0]);
    assert_eq!(only(&ana, &format!("/cxc?uuid={}", UUIDS[0])).await["venta"], venta);
    assert_eq!(queued(&company).await, [0_i64; 0]);
    let repeated = ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(200);
    assert_eq!([&repeated["estatus"], &repeated["uuid"]], [&json!("vigente"), &json!(UUIDS[0])]);
    assert_eq!(
        events_since(&world, &before).await.iter().map(summary).collect::<Vec<_>>(),
        [("factura.timbrada".to_owned(), json!({"factura": factura, "venta": venta, "uuid": UUIDS[0]}))]
    );
    assert_eq!(
        events_since(&world, &before).await[0]["recurso"]["url"],
        format!("{BASE_URL}/facturas?clave={factura}")
    );
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_rejected_document_can_be_corrected_and_stamped() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (venta, factura) = invoiced(&ana, &nails("cotizacion")).await;
    let before = ids(&world).await;
    let refusal = json!({"codigo": "CFDI40147", "mensaje": "El domicilio no corresponde"});
    assert_eq!(did(company.run_by_name("invoice.rejected", &of(factura, refusal)).await), json!({"factura": factura}));
    let invoice = only(&ana, "/facturas?estatus=error").await;
    assert_eq!(
        pick(&invoice, &["error_codigo", "error_mensaje", "uuid"]),
        json!({"error_codigo": "CFDI40147", "error_mensaje": "El domicilio no corresponde", "uuid": null})
    );
    assert_eq!(queued(&company).await.len(), 0);
    assert_eq!(
        events_since(&world, &before).await.iter().map(summary).collect::<Vec<_>>(),
        [("factura.rechazada".to_owned(), json!({"factura": factura, "venta": venta, "codigo": "CFDI40147"}))]
    );
    let before = ids(&world).await;
    let repeated = ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(200);
    assert_eq!([&repeated["estatus"], &repeated["ya_solicitada"]], [&json!("error"), &json!(true)]);
    refuses(
        &company,
        "invoice.rejected",
        &[(of(factura, json!({"codigo": "X", "mensaje": "No"})), "estado_invalido", "factura: ")],
    )
    .await;

    did(company.run_by_name("invoice.stamped", &of(factura, json!({"uuid": UUIDS[1]}))).await);
    let invoice = only(&ana, "/facturas?estatus=vigente").await;
    assert_eq!(
        pick(&invoice, &["uuid", "error_codigo", "error_mensaje"]),
        json!({"uuid": UUIDS[1], "error_codigo": null, "error_mensaje": null})
    );
    assert_eq!(found(&ana, "factura", venta).await["uuid"], UUIDS[1]);
    assert_eq!(
        summary(&events_since(&world, &before).await[0]).1,
        json!({"factura": factura, "venta": venta, "uuid": UUIDS[1]})
    );
    books::check(&world, &company).await;
}

#[tokio::test]
async fn faults_are_named() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, waiting) = invoiced(&ana, &nails("pedido")).await;
    let (_, factura) = super::stamped(&company, &ana).await;
    let no = json!({"codigo": "X", "mensaje": "No"});
    let mut refused = Vec::new();
    for uuid in ["", "x", &UUIDS[0][1..], "5a5f2d3c8b1e4c6a9f0d1e2f3a4b5c6d", "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6g"] {
        if !uuid.is_empty() {
            refused.push((of(waiting, json!({"uuid": uuid})), "dato_invalido", "uuid: "));
        }
    }
    refused.extend([
        (of(waiting, json!({"uuid": 5})), "dato_invalido", "uuid: "),
        (of(factura, json!({"uuid": UUIDS[1]})), "estado_invalido", "factura: no espera timbre"),
        (of(99, json!({"uuid": UUIDS[1]})), "no_encontrado", "factura: "),
        (json!({}), "dato_requerido", "factura: "),
        (of(waiting, json!({})), "dato_requerido", "xml: hace falta xml, o uuid con el sandbox"),
        (of(waiting, json!({"uuid": null})), "dato_requerido", "xml: "),
        (of(waiting, json!({"uuid": UUIDS[1], "xml": "<a/>"})), "dato_invalido", "xml: va xml o uuid"),
        (of(waiting, json!({"xml": "no"})), "dato_invalido", "xml: no es un CFDI timbrado"),
        (of(waiting, json!({"venta": 1})), "campo_no_permitido", "venta: "),
    ]);
    refuses(&company, "invoice.stamped", &refused).await;
    refuses(
        &company,
        "invoice.rejected",
        &[
            (of(factura, no.clone()), "estado_invalido", "factura: no espera timbre"),
            (of(99, no.clone()), "no_encontrado", "factura: "),
            (of(waiting, json!({"codigo": "X"})), "dato_requerido", "mensaje: "),
            (of(waiting, json!({"mensaje": "X", "codigo": " "})), "dato_requerido", "codigo: "),
            (of(waiting, json!({"codigo": "x".repeat(51), "mensaje": "No"})), "dato_invalido", "codigo: "),
            (of(waiting, json!({"codigo": "X", "mensaje": "x".repeat(1001)})), "dato_invalido", "mensaje: "),
        ],
    )
    .await;
    is_isolated(&company, "invoice.stamped", of(waiting, json!({"uuid": UUIDS[1]}))).await;
    is_isolated(&company, "invoice.rejected", of(waiting, no)).await;
}

#[tokio::test]
async fn concurrent_reports_on_one_invoice_have_one_winner() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    for _ in 0..6 {
        let (venta, factura) = invoiced(&ana, &nails("pedido")).await;
        let (yes, no) = (of(factura, json!({"uuid": UUIDS[1]})), of(factura, json!({"codigo": "X", "mensaje": "No"})));
        let cancel = json!({"venta": venta});
        did(company.run_by_name("invoice.rejected", &no).await);
        // A refused invoice is stamped and its sale cancelled at the same time: one comes too late.
        let (stamped, cancelled) =
            tokio::join!(company.run_by_name("invoice.stamped", &yes), company.run_by_name("sale.cancel", &cancel));
        assert_ne!(stamped.is_ok(), cancelled.is_ok(), "{stamped:?} {cancelled:?}");
        let late = stamped.err().or(cancelled.err()).unwrap();
        assert_eq!(late.code().codigo(), "estado_invalido", "{late}");
    }
    books::check(&world, &company).await;
}

#[tokio::test]
async fn an_embedder_records_answers_with_typed_inputs() {
    let company = shop(&World::new().await).await;
    captured(&company, &nails("factura")).await;
    let no = InvoiceRejected { factura: 1, codigo: "X".parse().unwrap(), mensaje: "No".parse().unwrap() };
    assert_eq!(company.run(&no).await.unwrap().factura, 1);
    let yes = InvoiceStamped { factura: 1, xml: None, uuid: Some(UUIDS[1].parse().unwrap()) };
    assert_eq!(company.run(&yes).await.unwrap().factura, 1);
    assert_eq!(only(&company.admin().await, "/facturas").await["uuid"], UUIDS[1]);
}

/// The record's sealed XML, stamped elsewhere.
fn stamped_elsewhere(sealed: &str) -> String {
    let request = StampRequest::new("1".to_owned(), sealed.to_owned());
    SandboxStamper::sign(&request, UUIDS[2].parse().unwrap(), "2026-10-12T18:00:09Z".parse().unwrap()).unwrap().xml
}

#[tokio::test]
async fn a_stamped_document_must_be_the_records_own() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, sent) = invoiced(&ana, &nails("pedido")).await;
    let (_, other) = invoiced(&ana, &nails("pedido")).await;
    // Sealed and sent, without an answer.
    let lost = Lost::default();
    world.stamp(&lost).await;
    let mut sealed = lost.0.lock().unwrap().clone();
    // They are sealed concurrently.
    sealed.sort_by_key(|xml| xml.split_once(" Folio=").map(|(_, folio)| folio.to_owned()));
    let first = stamped_elsewhere(&sealed[0]);
    let refused = [
        (of(other, json!({"xml": first})), "dato_invalido", "xml: no es de este registro: ya se selló otro documento"),
        (of(sent, json!({"xml": sealed[0]})), "dato_invalido", "xml: no trae un timbre completo"),
        (of(sent, json!({"xml": first.replace("SubTotal=\"", "SubTotal=\"1")})), "dato_invalido", "xml: su sello"),
    ];
    refuses(&company, "invoice.stamped", &refused).await;
    did(company.run_by_name("invoice.stamped", &of(sent, json!({"xml": first}))).await);
    let record = only(&ana, "/facturas?estatus=vigente").await;
    assert_eq!((&record["clave"], &record["uuid"]), (&json!(sent), &json!(UUIDS[2])));
    assert_eq!(record["fecha_timbrado"], "2026-10-12T18:00:09Z");
    assert_eq!(company.download("invoice.xml", &json!({"factura": sent})).await.unwrap().unwrap(), first.as_bytes());
    // Without a sealed document it is recognized by its content: the captured invoice has another
    // folio.
    world.run("DELETE FROM facturas_xml WHERE NOT timbrado").await;
    let second = stamped_elsewhere(&sealed[1]);
    let captured = captured(&company, &nails("factura")).await;
    let of_captured = found(&ana, "factura", captured).await["factura"].as_i64().unwrap();
    let refused = [
        (
            of(of_captured, json!({"xml": second})),
            "dato_invalido",
            "xml: no es de este registro: tiene otra serie o folio",
        ),
        (of(other, json!({"xml": second, "uuid": UUIDS[1]})), "dato_invalido", "xml: va xml o uuid"),
    ];
    refuses(&company, "invoice.stamped", &refused).await;
    did(company.run_by_name("invoice.stamped", &of(other, json!({"xml": second}))).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn without_the_sandbox_a_folio_alone_is_no_stamp() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, factura) = invoiced(&ana, &nails("pedido")).await;
    let office = svc_core::Context::builder(world.store.clone(), BASE_URL).clock(world.clock.clone()).build().unwrap();
    let input = of(factura, json!({"uuid": UUIDS[0]}));
    let input = svc_core::json::Json::parse_object(input.to_string().as_bytes()).unwrap();
    let refused = office.run_by_name(company.id, "invoice.stamped", &input).await.unwrap_err();
    assert_eq!(refused.code().codigo(), "dato_requerido");
    assert_eq!(only(&ana, "/facturas").await["estatus"], "en_espera");
}

/// A provider that never answers; it keeps the requests.
#[derive(Default)]
struct Lost(std::sync::Mutex<Vec<String>>);

#[async_trait::async_trait]
impl Stamper for Lost {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        self.0.lock().unwrap().push(request.xml.clone());
        Err(StampFailure::Unreachable("lost".to_owned()))
    }
}
