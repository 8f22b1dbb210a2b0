//! `GET /facturas/{clave}/xml` and `/pdf`.

use http::{Method, header};
use serde_json::json;
use svc_core::domain::cfdi::Cfdi;
use svc_core::domain::scope::{Scope, Scopes};
use svc_core::operations::CreateKey;
use svc_core::stamping::SandboxStamper;
use svc_tests::authority::{self, attribute};
use svc_tests::{Actor, Company, Resource, World};

/// A company that can invoice, and a user who may.
async fn shop(world: &World) -> (Company, Actor) {
    let company = world.company().await;
    company.load_certificate().await;
    let ana = json!({"nombre": "Ana & \"Hijos\" <S>", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
    company.load(Resource::Clientes, &[ana]).await;
    company.load(Resource::Productos, &[json!({"sku": "A-1", "descripcion": "Clavo", "unidad": 1})]).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Pesos"})]).await;
    let actor = company.admin().await;
    (company, actor)
}

/// Orders and invoices; returns the invoice.
async fn invoice(actor: &Actor) -> i64 {
    let order = json!({"tipo": "pedido", "cliente": 1, "metodo_pago_sat": "PPD", "forma_pago_sat": "99",
                       "renglones": [{"producto": 1, "cantidad": 3, "precio_unitario": "33.333333"}]});
    let venta = actor.post("/ventas", order).await.ok(201)["venta"].clone();
    actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202)["factura"].as_i64().expect("an invoice")
}

#[tokio::test]
async fn a_stamped_invoice_is_read_as_xml_and_as_pdf() {
    let world = World::new().await;
    let (company, actor) = shop(&world).await;
    let factura = invoice(&actor).await;
    actor
        .post(
            "/cxc/1/pagos",
            json!({"importe": "50.00", "cuenta_bancaria": 1, "forma_pago_sat": "03",
                                      "fecha": "2026-10-12", "referencia": "SPEI 1"}),
        )
        .await
        .ok(201);
    for kind in ["xml", "pdf"] {
        actor.get(&format!("/facturas/{factura}/{kind}")).await.fails(409, "documento_no_disponible");
    }
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 2);

    let record = actor.get(&format!("/facturas?clave={factura}")).await.ok(200)["datos"][0].clone();
    let reply = actor.get(&format!("/facturas/{factura}/xml")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/xml")));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    for name in ["x-svc-peticion", "x-rate-limit-remaining", "x-svc-cupo-restante", "ratelimit"] {
        assert!(reply.header(name).is_some(), "{name}");
    }
    let xml = String::from_utf8(reply.body.to_vec()).unwrap();
    assert_eq!(record["uuid"], attribute(&xml, "UUID"));
    let document = Cfdi::read(&xml).unwrap();
    assert_eq!(
        (document.receptor.nombre.as_str(), document.total.to_string()),
        ("ANA & \"HIJOS\" <S>", "116.00".to_owned())
    );
    authority::validate("an_invoice", &xml);

    let complement = actor.get("/facturas/2/xml").await;
    let complement = String::from_utf8(complement.body.to_vec()).unwrap();
    assert_eq!(record["uuid"], attribute(&complement, "IdDocumento"));
    authority::validate("a_complement", &complement);

    let pdf = actor.get(&format!("/facturas/{factura}/pdf")).await;
    assert_eq!((pdf.status, pdf.header("content-type")), (200, Some("application/pdf")));
    assert!(pdf.body.starts_with(b"%PDF-"));
    // The same from the application.
    for (name, expected) in [("invoice.xml", xml.as_bytes()), ("invoice.pdf", &pdf.body)] {
        let file = company.download(name, &json!({"factura": factura})).await.unwrap().expect("a file");
        assert_eq!(file, expected, "{name}");
    }
}

#[tokio::test]
async fn a_cancelled_invoice_stays_readable_and_its_print_says_so() {
    let world = World::new().await;
    let (company, actor) = shop(&world).await;
    let factura = invoice(&actor).await;
    world.stamp(&SandboxStamper).await;
    let read = async |kind: &str| actor.get(&format!("/facturas/{factura}/{kind}")).await;
    let (xml, pdf) = (read("xml").await.body, read("pdf").await.body);
    company.run_by_name("invoice.cancel", &json!({"factura": factura, "motivo": "02"})).await.unwrap();
    assert_eq!(read("xml").await.body, xml);
    let cancelled = read("pdf").await;
    assert_eq!(cancelled.status, 200);
    assert_ne!(cancelled.body, pdf);
}

#[tokio::test]
async fn a_missing_document_has_a_reason() {
    let world = World::new().await;
    let (company, actor) = shop(&world).await;
    company.load(Resource::Facturas, &[json!({"cliente": 1, "estatus": "vigente"})]).await;
    let (other, theirs) = shop(&world).await;
    let foreign = invoice(&theirs).await;
    let refused = invoice(&actor).await;
    company
        .run_by_name("invoice.rejected", &json!({"factura": refused, "codigo": "X", "mensaje": "No"}))
        .await
        .unwrap();
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 1);
    assert_eq!((refused, foreign), (2, 1));
    for kind in ["xml", "pdf"] {
        let at = |clave: &str| format!("/facturas/{clave}/{kind}");
        // Our invoice of that clave is imported; the other company's is stamped.
        actor.get(&at("1")).await.fails(409, "documento_no_disponible");
        assert_eq!(theirs.get(&at("1")).await.status, 200);
        actor.get(&at("2")).await.fails(409, "documento_no_disponible");
        theirs.get(&at("2")).await.fails(404, "no_encontrado");
        for clave in ["3", "0", "-1", "9223372036854775807"] {
            actor.get(&at(clave)).await.fails(404, "no_encontrado");
        }
        for clave in ["x", "1.0", "9223372036854775808"] {
            actor.get(&at(clave)).await.fails(400, "dato_invalido");
        }
        actor.get(&format!("{}?limite=1", at("1"))).await.fails(400, "filtro_no_permitido");
        for method in [Method::POST, Method::HEAD, Method::OPTIONS] {
            let reply = actor.send(actor.request(method.clone(), &at("1")), "").await;
            assert_eq!((reply.status, reply.header(header::ALLOW.as_str())), (405, Some("GET")), "{method}");
        }
        let scopes: Scopes = Scope::ALL.iter().copied().filter(|scope| *scope != Scope::FacturasRead).collect();
        let blind =
            other.key(CreateKey { usuario: None, scopes: scopes.into(), expires: None, accept_terms: true }).await;
        let refused = blind.get(&at("1")).await;
        refused.fails(403, "sin_permiso");
        assert_eq!(refused.mensaje(), "la llave no tiene el permiso de esta operación: facturas:read");
        let name = format!("invoice.{kind}");
        let error = company.download(&name, &json!({"factura": 3})).await.unwrap_err();
        assert!(error.to_string().starts_with("no_encontrado"), "{error}");
        company.download(&name, &json!({"factura": 1, "otro": 1})).await.unwrap_err();
    }
    assert_eq!(company.download("stock.move", &json!({})).await.unwrap(), None);
}

#[tokio::test]
async fn others_are_answered_while_a_company_has_pdfs_drawn() {
    const DRAWN: usize = 5;
    let world = World::with(|builder| builder.offload(1, |job| drop(tokio::task::spawn_blocking(job)))).await;
    let (_, actor) = shop(&world).await;
    let (_, neighbour) = shop(&world).await;
    let lines = vec![json!({"producto": 1, "cantidad": 3, "precio_unitario": "33.333333"}); 200];
    let order = json!({"tipo": "pedido", "cliente": 1, "metodo_pago_sat": "PPD", "forma_pago_sat": "99",
                       "renglones": lines});
    let venta = actor.post("/ventas", order).await.ok(201)["venta"].clone();
    let invoiced = actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    let factura = invoiced["factura"].clone();
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 1);
    let drawing = tokio::spawn(async move {
        let path = format!("/facturas/{factura}/pdf");
        futures_util::future::join_all((0..DRAWN).map(|_| actor.get(&path))).await
    });
    let mut answered = 0;
    while !drawing.is_finished() {
        neighbour.get("/clientes?limite=1").await.ok(200);
        answered += 1;
    }
    for pdf in drawing.await.expect("no panic") {
        assert_eq!((pdf.status, pdf.header("content-type")), (200, Some("application/pdf")));
    }
    // Where they are drawn between requests, at most one is answered between two of them.
    assert!(answered > 2 * DRAWN, "{answered} answers");
}
