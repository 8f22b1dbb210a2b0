//! The complement of a payment is stamped or refused like an invoice, and emits no event.

use serde_json::{Value, json};
use svc_tests::{Actor, Company, World, books};

use super::super::shop::{invoiced, nails, only, queued, refuses, shop, with};
use super::super::{did, ids};
use super::{of, payment};
use crate::documents::UUIDS;

/// A stamped PPD invoice of the API with a payment: returns the clave of its complement.
async fn paid(company: &Company, ana: &Actor) -> i64 {
    let later = json!({"condicion_pago": "credito", "metodo_pago_sat": "PPD", "forma_pago_sat": "99"});
    let (venta, factura) = invoiced(ana, &with(&nails("pedido"), later)).await;
    did(company.run_by_name("invoice.stamped", &of(factura, json!({"uuid": UUIDS[0]}))).await);
    let cxc = only(ana, &format!("/cxc?venta={venta}")).await["clave"].clone();
    did(company.run_by_name("payment.apply", &payment(&cxc, "100.00")).await);
    let complement = only(ana, "/cxc-pagos").await;
    assert_eq!([&complement["complemento"], &complement["uuid"]], [&json!("encolado"), &Value::Null]);
    complement["factura"].as_i64().unwrap()
}

#[tokio::test]
async fn a_stamped_complement_is_shown_with_its_payment() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let complement = paid(&company, &ana).await;
    assert_eq!(queued(&company).await, [complement]);
    let before = ids(&world).await;
    did(company.run_by_name("invoice.stamped", &of(complement, json!({"uuid": UUIDS[1]}))).await);
    let payment = only(&ana, "/cxc-pagos").await;
    assert_eq!([&payment["complemento"], &payment["uuid"]], [&json!("timbrado"), &json!(UUIDS[1])]);
    assert_eq!(only(&ana, "/facturas?tipo=pago").await["estatus"], "vigente");
    assert_eq!((queued(&company).await.len(), ids(&world).await), (0, before.clone()), "no event is emitted");
    // The invoice keeps its folio, and a complement belongs to its payment only.
    assert_ne!(only(&ana, "/cxc").await["uuid"], UUIDS[1]);
    let cancel = of(complement, json!({"motivo": "02"}));
    refuses(&company, "invoice.cancel", &[(cancel, "estado_invalido", "factura: solo se cancelan facturas")]).await;
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_refused_complement_is_corrected_and_stamped() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let complement = paid(&company, &ana).await;
    did(company.run_by_name("invoice.rejected", &of(complement, json!({"codigo": "CRP20", "mensaje": "No"}))).await);
    assert_eq!(only(&ana, "/cxc-pagos").await["complemento"], "error");
    assert_eq!(only(&ana, "/facturas?tipo=pago").await["error_codigo"], "CRP20");
    books::check(&world, &company).await;
    did(company.run_by_name("invoice.stamped", &of(complement, json!({"uuid": UUIDS[2]}))).await);
    assert_eq!(only(&ana, "/cxc-pagos").await["complemento"], "timbrado");
    books::check(&world, &company).await;
}
