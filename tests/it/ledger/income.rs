//! Income by the rate of IVA.

use serde_json::{Value, json};
use svc_tests::{Company, Resource, World, books};

use crate::backoffice::did;
use crate::backoffice::shop::{FOOD, NAIL, captured, entries, invoiced, line, sale, shop, with};

/// The exempt product.
const BOOK: i64 = 4;

async fn bookshop(world: &World) -> Company {
    let company = shop(world).await;
    let book = json!({"clave": BOOK, "sku": "L-4", "descripcion": "Libro", "unidad": 1, "iva_venta": "EX", "tipo": "virtual_con_precio"});
    company.load(Resource::Productos, &[book]).await;
    company
}

/// Two nails, food for 30 less 3, and a book for 50.
fn mixed(tipo: &str) -> Value {
    let mut food = line(FOOD, 3, "10.00");
    food["descuento"] = json!("3.00");
    sale(tipo, &[line(NAIL, 2, "100.00"), food, line(BOOK, 1, "50.00")])
}

#[tokio::test]
async fn each_rate_has_its_account_however_the_sale_becomes_owed() {
    let world = World::new().await;
    let company = bookshop(&world).await;
    let ana = company.admin().await;
    let income = "402.02 +3.00 401.01 -200.00 401.04 -30.00 401.07 -50.00 209.01 -32.00";
    let ticket = captured(&company, &mixed("venta")).await;
    assert!(entries(&company, ticket).await[0].contains(income), "{:?}", entries(&company, ticket).await);
    let (order, factura) = invoiced(&ana, &mixed("pedido")).await;
    assert!(entries(&company, order).await[0].contains(income), "{:?}", entries(&company, order).await);
    // An order that is delivered before it is invoiced.
    let delivered = captured(&company, &mixed("pedido")).await;
    let all = json!({"venta": delivered, "renglones": [{"renglon": 1, "cantidad": 2}, {"renglon": 2, "cantidad": 3}, {"renglon": 3, "cantidad": 1}]});
    did(company.run_by_name("order.fulfil", &all).await);
    assert!(entries(&company, delivered).await.join("\n").contains(income), "{:?}", entries(&company, delivered).await);
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    let note = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 2, "cantidad": 1}, {"renglon": 3, "cantidad": 1}]});
    did(company.run_by_name("credit-note.capture", &note).await);
    let credited = entries(&company, order).await.pop().unwrap();
    assert!(credited.contains("402.02 +9.00 402.03 +50.00"), "{credited}");
    let back = json!({"venta": ticket, "renglones": [{"renglon": 1, "cantidad": 1}, {"renglon": 2, "cantidad": 3}]});
    did(company.run_by_name("sale.return", &back).await);
    let returned = entries(&company, ticket).await.join("\n");
    assert!(returned.contains("402.01 +100.00 402.02 +27.00"), "{returned}");
    did(company.run_by_name("sale.cancel", &json!({"venta": delivered})).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn what_is_sold_abroad_at_zero_is_income_of_exports() {
    let world = World::new().await;
    let company = bookshop(&world).await;
    let ana = company.admin().await;
    let acme = json!({"nombre": "Acme Inc", "rfc": "XEXX010101000", "regimen": 616, "cp": "06700", "uso_cfdi": "S01",
                      "limite_credito": "100000.00", "dias_credito": 15});
    company.load(Resource::Clientes, &[acme]).await;
    let abroad = |tipo: &str| with(&mixed(tipo), json!({"cliente": 2}));
    let income = "402.02 +3.00 401.01 -200.00 401.25 -30.00 401.07 -50.00 209.01 -32.00";
    let ticket = captured(&company, &abroad("venta")).await;
    assert!(entries(&company, ticket).await[0].contains(income), "{:?}", entries(&company, ticket).await);
    let (order, factura) = invoiced(&ana, &abroad("pedido")).await;
    assert!(entries(&company, order).await[0].contains(income), "{:?}", entries(&company, order).await);
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    // The substitute is of a customer of the country, and the next one of the foreigner again.
    let here = json!({"factura": factura, "cambios": {"cliente": 1, "renglones": mixed("venta")["renglones"]}});
    let other = did(company.run_by_name("invoice.substitute", &here).await)["factura"].clone();
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    let last = entries(&company, order).await.pop().unwrap();
    assert!(last.contains("401.04 -30.00") && !last.contains("401.25"), "{last}");
    let back = json!({"factura": other, "cambios": {"cliente": 2, "uso_cfdi": "S01", "renglones": mixed("venta")["renglones"]}});
    did(company.run_by_name("invoice.substitute", &back).await);
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    let last = entries(&company, order).await.pop().unwrap();
    assert!(last.contains("401.25 -30.00"), "{last}");
    let sales = did(company
        .run_by_name("report.sales", &json!({"desde": "2026-10-01", "hasta": "2026-10-31", "por": "cliente"}))
        .await);
    assert_eq!(sales["totales"]["neto"], "554.00", "{sales}");
    did(company
        .run_by_name("sale.return", &json!({"venta": ticket, "renglones": [{"renglon": 2, "cantidad": 3}]}))
        .await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn the_parts_of_a_foreign_sale_add_up_to_the_whole_in_pesos() {
    let world = World::new().await;
    let company = bookshop(&world).await;
    let lines = [line(NAIL, 1, "0.01"), line(FOOD, 1, "0.01"), line(BOOK, 1, "0.01")];
    let dollars = with(&sale("venta", &lines), json!({"moneda": "USD", "tipo_cambio": "17.555555"}));
    let venta = captured(&company, &dollars).await;
    let entry = entries(&company, venta).await.remove(0);
    assert!(entry.contains("401.01 -0.18 401.04 -0.18 401.07 -0.17"), "{entry}");
    let free = sale("venta", &[line(FOOD, 1, "10.00")]);
    let venta = captured(&company, &free).await;
    assert!(entries(&company, venta).await[0].starts_with("venta 2: 105.01 +10.00 401.04 -10.00"));
    books::check(&world, &company).await;
}
