//! Refused bodies: the code and the field of each fault.

use http::{Method, header};
use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{Resource, World, fresh_key};

use crate::ventas::shop::{ANA, BARE, DELETED, INACTIVE, NAIL, line, sale, shop, with};

#[tokio::test]
async fn each_fault_of_the_body_has_its_code_and_names_its_field() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let good = sale("pedido", &[line(NAIL, 1, "1.00")]);
    for (field, value, status, code) in [
        ("tipo", json!(null), 400, "dato_requerido"),
        ("tipo", json!("factura"), 400, "dato_invalido"),
        ("tipo", json!("Pedido"), 400, "dato_invalido"),
        ("cliente", json!(null), 400, "dato_requerido"),
        ("cliente", json!(""), 400, "dato_requerido"),
        ("cliente", json!("1"), 400, "dato_invalido"),
        ("cliente", json!(1.5), 400, "dato_invalido"),
        ("renglones", json!(null), 400, "dato_requerido"),
        ("renglones", json!(" "), 400, "dato_requerido"),
        ("renglones", json!([]), 400, "dato_requerido"),
        ("renglones", json!({}), 400, "dato_invalido"),
        ("renglones", json!(vec![line(NAIL, 1, "1"); 501]), 400, "dato_invalido"),
        ("condicion_pago", json!("fiado"), 400, "dato_invalido"),
        ("dias_credito", json!(-1), 400, "dato_invalido"),
        ("dias_credito", json!(366), 400, "dato_invalido"),
        ("dias_credito", json!("30"), 400, "dato_invalido"),
        ("forma_pago_sat", json!(3), 400, "dato_invalido"),
        ("vendedor", json!("1"), 400, "dato_invalido"),
        ("almacen", json!("01"), 400, "dato_invalido"),
        ("almacen", json!("0001"), 400, "dato_invalido"),
        ("almacen", json!(1), 400, "dato_invalido"),
        ("tipo_cambio", json!(0), 400, "dato_invalido"),
        ("tipo_cambio", json!("-1"), 400, "dato_invalido"),
        ("tipo_cambio", json!("17.1234567"), 400, "dato_invalido"),
        ("tipo_cambio", json!("1.000001"), 400, "dato_invalido"),
        ("tipo_cambio", json!(1_000_000_000_000_i64), 400, "dato_invalido"),
        ("referencia", json!("ñ".repeat(101)), 400, "dato_invalido"),
        ("comentarios", json!("ñ".repeat(501)), 400, "dato_invalido"),
        ("comentarios", json!("a\0b"), 400, "dato_invalido"),
        ("sucursal", json!(0), 400, "campo_no_permitido"),
        ("serie", json!("A"), 400, "campo_no_permitido"),
        ("cliente", json!(99), 422, "cliente_invalido"),
        ("cliente", json!(0), 422, "cliente_invalido"),
        ("cliente", json!(i64::MIN), 422, "cliente_invalido"),
        ("almacen", json!("009"), 422, "almacen_invalido"),
        ("almacen", json!("003"), 422, "almacen_invalido"),
        ("vendedor", json!(99), 422, "vendedor_invalido"),
        ("vendedor", json!(2), 422, "vendedor_invalido"),
        ("forma_pago_sat", json!("98"), 422, "forma_pago_invalida"),
        ("forma_pago_sat", json!("3"), 422, "forma_pago_invalida"),
        ("metodo_pago_sat", json!("PUD"), 422, "metodo_pago_invalido"),
        ("metodo_pago_sat", json!("pue"), 422, "metodo_pago_invalido"),
        ("uso_cfdi", json!("X99"), 422, "uso_cfdi_invalido"),
        ("uso_cfdi", json!("g03"), 422, "uso_cfdi_invalido"),
    ] {
        let reply = ana.post("/ventas", with(&good, field, value.clone())).await;
        reply.fails(status, code);
        assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{field} = {value}: {}", reply.mensaje());
    }
    nothing_happened(&world).await;
    ana.post("/ventas", good).await.ok(201);
}

#[tokio::test]
async fn each_fault_of_a_line_names_the_line_and_the_field() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let good = line(NAIL, 1, "10.00");
    for (field, value, status, code) in [
        ("producto", json!(null), 400, "dato_requerido"),
        ("producto", json!("1"), 400, "dato_invalido"),
        ("sku", json!("A-1"), 400, "dato_invalido"),
        ("sku", json!("x".repeat(101)), 400, "dato_invalido"),
        ("cantidad", json!(null), 400, "dato_requerido"),
        ("cantidad", json!(0), 400, "dato_invalido"),
        ("cantidad", json!(-1), 400, "dato_invalido"),
        ("cantidad", json!("1"), 400, "dato_invalido"),
        ("cantidad", json!(1.123_456_7), 400, "dato_invalido"),
        ("cantidad", json!(1_000_000_000_000_000_i64), 400, "dato_invalido"),
        ("precio_unitario", json!(-1), 400, "dato_invalido"),
        ("precio_unitario", json!("1.1234567"), 400, "dato_invalido"),
        ("precio_unitario", json!("1,000"), 400, "dato_invalido"),
        ("precio_unitario", json!("1000000000000000000"), 400, "dato_invalido"),
        ("descuento", json!("-0.01"), 400, "dato_invalido"),
        ("descuento", json!("0.001"), 400, "dato_invalido"),
        ("descuento", json!("10.01"), 400, "dato_invalido"),
        ("descripcion", json!("ñ".repeat(501)), 400, "dato_invalido"),
        ("descripcion", json!(5), 400, "dato_invalido"),
        ("unidad", json!(1), 400, "campo_no_permitido"),
        ("producto", json!(99), 422, "producto_invalido"),
        ("producto", json!(INACTIVE), 422, "producto_invalido"),
        ("producto", json!(DELETED), 422, "producto_invalido"),
    ] {
        fails_in_line(&ana, &good, &with(&good, field, value.clone()), status, code, field).await;
    }
    let of_sku = |sku: &str| json!({"sku": sku, "cantidad": 1, "precio_unitario": "1"});
    for (sku, code) in [
        ("H-8", "producto_invalido"),
        ("I-9", "producto_invalido"),
        ("a-1", "producto_invalido"),
        ("NADA", "producto_invalido"),
        ("DOBLE", "sku_ambiguo"),
    ] {
        fails_in_line(&ana, &good, &of_sku(sku), 422, code, "sku").await;
    }
    let unpriced = json!({"producto": BARE, "cantidad": 1});
    fails_in_line(&ana, &good, &unpriced, 422, "sin_precio", "precio_unitario").await;
    let vast = json!({"producto": NAIL, "cantidad": 999_999_999_999_999_i64, "precio_unitario": "999999999999999999"});
    fails_in_line(&ana, &good, &vast, 400, "dato_invalido", "cantidad").await;
    // The subtotal already has 18 digits before IVA.
    let taxed = line(NAIL, 1, "999999999999999999");
    fails_in_line(&ana, &good, &taxed, 400, "dato_invalido", "cantidad").await;
    for not_a_line in [json!(null), json!(1), json!("A-1"), json!([])] {
        let reply = ana.post("/ventas", sale("pedido", &[good.clone(), not_a_line])).await;
        assert!(reply.status == 400 && reply.mensaje().starts_with("renglones[1]"), "{}", reply.json());
    }
    nothing_happened(&world).await;
    ana.post("/ventas", sale("pedido", &[good, of_sku("A-1")])).await.ok(201);
}

#[tokio::test]
async fn only_currencies_with_cents_are_accepted() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let of = |moneda: Value, tipo_cambio: Value| {
        with(&with(&sale("pedido", &[line(NAIL, 1, "1.00")]), "moneda", moneda), "tipo_cambio", tipo_cambio)
    };
    for (moneda, tipo_cambio, shown) in [
        (json!(null), json!(1), ["MXN", "1.000000"]),
        (json!("MXN"), json!("1.000000"), ["MXN", "1.000000"]),
        (json!(" USD "), json!(17.5), ["USD", "17.500000"]),
        (json!("EUR"), json!("0.000001"), ["EUR", "0.000001"]),
        (json!("USD"), json!(999_999_999_999_i64), ["USD", "999999999999.000000"]),
    ] {
        let venta = ana.post("/ventas", of(moneda, tipo_cambio)).await.ok(201)["venta"].clone();
        let order = ana.get(&format!("/ventas?tipo=pedido&clave={venta}")).await.ok(200)["datos"][0].clone();
        assert_eq!([&order["moneda"], &order["tipo_cambio"]], shown);
    }
    for (moneda, tipo_cambio, status, code, field) in [
        (json!("USD"), json!(null), 400, "dato_requerido", "tipo_cambio"),
        (json!("MXN"), json!(2), 400, "dato_invalido", "tipo_cambio"),
        (json!("JPY"), json!(0.12), 422, "moneda_invalida", "moneda"),
        (json!("XXX"), json!(1), 422, "moneda_invalida", "moneda"),
        (json!("usd"), json!(17), 422, "moneda_invalida", "moneda"),
        (json!("PESOS"), json!(1), 422, "moneda_invalida", "moneda"),
    ] {
        let reply = ana.post("/ventas", of(moneda.clone(), tipo_cambio)).await;
        reply.fails(status, code);
        assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{moneda}: {}", reply.mensaje());
    }
}

#[tokio::test]
async fn values_beyond_any_column_are_refused_and_never_500() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let max = json!({"producto": BARE, "cantidad": 999_999_999_999_999_i64, "precio_unitario": "0"});
    let thrice = [line(4, 1, "999999999999999999.99"), line(4, 1, "0.01"), line(4, 1, "1")];
    let reply = ana.post("/ventas", sale("cotizacion", &thrice)).await;
    reply.fails(400, "dato_invalido");
    assert!(reply.mensaje().starts_with("renglones: "), "{}", reply.mensaje());
    ana.post("/ventas", sale("cotizacion", &thrice[..1])).await.ok(201);
    let foreign = |tipo_cambio: &str| {
        let body = with(&sale("cotizacion", &thrice[..1]), "moneda", json!("USD"));
        with(&body, "tipo_cambio", json!(tipo_cambio))
    };
    ana.post("/ventas", foreign("1")).await.ok(201);
    for vast in ["1.000001", "999999999999.999999"] {
        let reply = ana.post("/ventas", foreign(vast)).await;
        reply.fails(400, "dato_invalido");
        assert!(reply.mensaje().starts_with("tipo_cambio: "), "{}", reply.mensaje());
    }
    // 500 lines of the greatest quantity are half of what a warehouse can reserve.
    let full = sale("pedido", &vec![max; 500]);
    ana.post("/ventas", full.clone()).await.ok(201);
    ana.post("/ventas", full.clone()).await.ok(201);
    ana.post("/ventas", full).await.fails(400, "dato_invalido");
    assert_eq!(ana.walk("/ventas?tipo=pedido").await.len(), 2);
}

#[tokio::test]
async fn references_to_another_company_s_records_are_refused() {
    let world = World::new().await;
    let [one, other] = [shop(&world).await, shop(&world).await];
    let mine = one.admin().await;
    other.load(Resource::Clientes, &[json!({"clave": 50, "nombre": "Eva"})]).await;
    other.load(Resource::Productos, &[json!({"clave": 50, "sku": "SUYO"})]).await;
    other.load(Resource::Almacenes, &[json!({"codigo": "050"})]).await;
    let seller = other.user("Vendedor", true).await;
    let good = sale("pedido", &[line(NAIL, 1, "1")]);
    let theirs = other.admin().await;
    for (body, code) in [
        (with(&good, "cliente", json!(50)), "cliente_invalido"),
        (sale("pedido", &[line(50, 1, "1")]), "producto_invalido"),
        (sale("pedido", &[json!({"sku": "SUYO", "cantidad": 1, "precio_unitario": "1"})]), "producto_invalido"),
        (with(&good, "almacen", json!("050")), "almacen_invalido"),
        (with(&good, "vendedor", json!(seller)), "vendedor_invalido"),
    ] {
        theirs.post("/ventas", body.clone()).await.ok(201);
        mine.post("/ventas", body).await.fails(422, code);
    }
    mine.post("/ventas", with(&good, "cliente", json!(ANA))).await.ok(201);
    assert_eq!(mine.walk("/ventas?tipo=pedido").await.len(), 1);
}

#[tokio::test]
async fn a_prospect_can_be_sold_to() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let lead =
        ana.post("/leads", json!({"nombre": "Eva", "correo": "eva@example.com"})).await.ok(201)["prospecto"].clone();
    let body = with(&sale("cotizacion", &[json!({"producto": NAIL, "cantidad": 1})]), "cliente", lead);
    assert_eq!(ana.post("/ventas", body).await.ok(201)["total"], "116.00");
}

async fn fails_in_line(ana: &svc_tests::Actor, good: &Value, bad: &Value, status: u16, code: &str, field: &str) {
    let reply = ana.post("/ventas", sale("pedido", &[good.clone(), bad.clone()])).await;
    reply.fails(status, code);
    assert!(reply.mensaje().starts_with(&format!("renglones[1].{field}: ")), "{bad}: {}", reply.mensaje());
}

async fn nothing_happened(world: &World) {
    let rows = "SELECT (SELECT count(*) FROM ventas) + (SELECT count(*) FROM ventas_renglones) \
                + (SELECT count(*) FROM inventario) + (SELECT count(*) FROM emitidos)";
    assert_eq!(world.sql::<i64>(rows).await, 0);
}

#[tokio::test]
async fn a_line_without_description_takes_the_product_s_or_its_sku() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let bare = json!({"producto": BARE, "cantidad": 1, "precio_unitario": "1"});
    let venta = ana.post("/ventas", sale("pedido", &[line(NAIL, 1, "1"), bare])).await.ok(201)["venta"].clone();
    let lines = ana.walk(&format!("/ventas-renglones?venta={venta}")).await;
    assert_eq!(lines[0]["descripcion"], "De A-1");
    assert_eq!(lines[1]["descripcion"], lines[1]["sku"]);
    assert!(lines[1]["sku"].is_string());
}

#[tokio::test]
async fn a_number_may_have_an_exponent() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let body = |number: &str| {
        format!(
            r#"{{"tipo":"cotizacion","cliente":1e0,"renglones":[{{"producto":10e-1,"cantidad":1E2,"precio_unitario":{number}}}]}}"#
        )
    };
    let post = |number: &str| {
        let request = ana.request(Method::POST, "/ventas").header("Idempotency-Key", fresh_key());
        ana.send(request.header(header::CONTENT_TYPE, "application/json"), body(number))
    };
    let created = post("5e-05").await.ok(201);
    let lines = ana.walk(&format!("/ventas-renglones?venta={}", created["venta"])).await;
    assert_eq!(
        pick(&lines[0], &["cantidad", "precio_unitario"]),
        json!({"cantidad": 100, "precio_unitario": "0.00005"})
    );
    for wrong in ["5e-07", "1e18", "-1e0", "1e999999999", "1e-999999999", "1e99999999999999999999", "\"5e-05\""] {
        let refused = post(wrong).await;
        refused.fails(400, "dato_invalido");
        assert!(refused.mensaje().starts_with("renglones[0].precio_unitario: "), "{}", refused.mensaje());
    }
}
