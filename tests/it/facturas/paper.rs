//! What printed documents show besides the XML, and tickets.

use serde_json::json;
use svc_core::domain::paper::Logo;
use svc_core::operations::{EditCompany, SetLogo};
use svc_core::stamping::SandboxStamper;
use svc_core::store::{CompanyChange, LetterheadChange};
use svc_tests::{Actor, Company, Resource, World};

/// A company that can invoice, and a user who may.
async fn shop(world: &World) -> (Company, Actor) {
    let company = world.company().await;
    company.load_certificate().await;
    let ana = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
    company.load(Resource::Clientes, &[ana]).await;
    company.load(Resource::Productos, &[json!({"sku": "A-1", "descripcion": "Clavo", "unidad": 1})]).await;
    let actor = company.admin().await;
    (company, actor)
}

fn has_image(pdf: &[u8]) -> bool {
    let mark = b"/Subtype /Image";
    pdf.windows(mark.len()).any(|part| part == mark)
}

#[tokio::test]
async fn a_letterhead_is_set_shown_and_removed() {
    let world = World::new().await;
    let (company, actor) = shop(&world).await;
    let order = json!({"tipo": "pedido", "cliente": 1, "metodo_pago_sat": "PPD", "forma_pago_sat": "99",
                       "referencia": "OC-118", "comentarios": "Entregar en la bodega 3",
                       "renglones": [{"producto": 1, "cantidad": 3, "precio_unitario": "33.333333"}]});
    let venta = actor.post("/ventas", order).await.ok(201)["venta"].clone();
    let invoiced = actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    let factura = invoiced["factura"].as_i64().expect("an invoice");
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 1);
    let pdf = async || actor.get(&format!("/facturas/{factura}/pdf")).await.body;
    let ticket = async || company.download("sale.ticket", &json!({"venta": venta})).await.unwrap().expect("a file");
    let (plain, plain_ticket) = (pdf().await, ticket().await);
    assert!(!has_image(&plain) && plain_ticket.starts_with(b"%PDF-"));

    let letterhead = LetterheadChange {
        color: Some("#1A5FB4".to_owned()),
        direccion: Some("Av. Juárez 1\nCol. Centro".to_owned()),
        telefono: Some("55 5555 0100".to_owned()),
        correo: Some("ventas@example.com".to_owned()),
        web: Some("www.example.com".to_owned()),
    };
    company.edit(CompanyChange { letterhead, ..CompanyChange::default() }).await;
    let coloured = pdf().await;
    assert_ne!(coloured, plain);
    let svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 20 10\"><circle cx=\"5\" cy=\"5\" r=\"4\"/></svg>";
    let logo = Logo::from_file(svg.as_bytes()).expect("a logo");
    company.run(&SetLogo(Some(logo))).await.unwrap();
    assert!(has_image(&pdf().await) && has_image(&ticket().await));

    // A forgotten part stays, an empty one goes.
    company.edit(CompanyChange { nombre: Some("Otro nombre".to_owned()), ..CompanyChange::default() }).await;
    assert!(has_image(&pdf().await));
    company.run(&SetLogo(None)).await.unwrap();
    assert_eq!(pdf().await, coloured);
    let empty = || Some(String::new());
    let letterhead =
        LetterheadChange { color: empty(), direccion: empty(), telefono: empty(), correo: empty(), web: empty() };
    company.edit(CompanyChange { letterhead, ..CompanyChange::default() }).await;
    assert_eq!(pdf().await, plain);
    let wrong = LetterheadChange { color: Some("azul".to_owned()), ..LetterheadChange::default() };
    let edit = EditCompany(CompanyChange { letterhead: wrong, ..CompanyChange::default() });
    let refusal = company.run(&edit).await.unwrap_err();
    assert!(refusal.to_string().contains("color"), "{refusal}");
}

#[tokio::test]
async fn a_ticket_is_of_the_company_s_own_sales() {
    let world = World::new().await;
    let (company, _) = shop(&world).await;
    let (other, _) = shop(&world).await;
    for sold in 0..2 {
        let ticket = json!({"tipo": "venta", "cliente": 1, "comentarios": format!("Venta {sold}"),
                            "renglones": [{"producto": 1, "cantidad": 1, "precio_unitario": "10"}]});
        company.run_by_name("sale.capture", &ticket).await.unwrap();
    }
    let of = async |company: &Company, venta: i64| company.download("sale.ticket", &json!({"venta": venta})).await;
    let first = of(&company, 1).await.unwrap().expect("a file");
    assert!(first.starts_with(b"%PDF-") && first != of(&company, 2).await.unwrap().expect("a file"));
    company.run_by_name("sale.cancel", &json!({"venta": 1})).await.unwrap();
    assert_ne!(of(&company, 1).await.unwrap().expect("a file"), first);
    for (company, venta) in [(&other, 1), (&company, 3), (&company, -1)] {
        let error = of(company, venta).await.unwrap_err();
        assert!(error.to_string().starts_with("no_encontrado"), "{error}");
    }
}
