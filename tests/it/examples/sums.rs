//! The amounts in the examples add up, within each and between them.

use rust_decimal::Decimal;
use serde_json::Value;

use super::DOCUMENT;

/// A number of an example, however it is written; zero if the field is left out or null.
fn number(record: &Value, field: &str) -> Decimal {
    match &record[field] {
        Value::Null => Decimal::ZERO,
        Value::String(text) => text.parse().unwrap_or_else(|_| panic!("{field}: {text}")),
        other => other.to_string().parse().unwrap_or_else(|_| panic!("{field}: {other}")),
    }
}

/// Checks the sums of every object within `value`; counts them.
fn check(value: &Value, at: &str, checked: &mut u32) {
    match value {
        Value::Object(members) => {
            let has = |fields: &[&str]| fields.iter().all(|field| members.contains_key(*field));
            let amount = |field| number(value, field);
            let mut equals = |what: &str, one: Decimal, other: Decimal| {
                assert_eq!(one, other, "{at}: {what} in {value}");
                *checked += 1;
            };
            if has(&["subtotal", "descuento", "total"]) {
                let taxes = amount("impuestos") + amount("iva") + amount("ieps");
                let sum = amount("subtotal") - amount("descuento") + taxes - amount("retenciones");
                equals("total = subtotal − descuento + taxes − retenciones", amount("total"), sum);
            }
            if has(&["total", "pagado", "saldo"]) {
                equals("saldo = total − pagado", amount("saldo"), amount("total") - amount("pagado"));
            }
            if has(&["saldo_anterior", "saldo_insoluto", "importe"]) {
                let left = amount("saldo_anterior") - amount("importe");
                equals("saldo_insoluto = saldo_anterior − importe", amount("saldo_insoluto"), left);
            }
            if has(&["existencia", "apartado", "minimo", "disponible"]) {
                let free = (amount("existencia") - amount("apartado").abs()).max(amount("minimo"));
                equals("disponible = max(existencia − |apartado|, minimo)", amount("disponible"), free);
            }
            if has(&["existencia_anterior", "existencia_actual", "cantidad", "sentido"]) {
                let sign = match value["sentido"].as_str() {
                    Some("entrada") => Decimal::ONE,
                    Some("salida") => -Decimal::ONE,
                    _ => Decimal::ZERO,
                };
                let after = amount("existencia_anterior") + sign * amount("cantidad");
                equals("existencia_actual", amount("existencia_actual"), after);
            }
            members.iter().for_each(|(name, member)| check(member, &format!("{at}/{name}"), checked));
        }
        Value::Array(items) => items.iter().for_each(|item| check(item, at, checked)),
        _ => {}
    }
}

/// Every example of a body in the description, with its place.
fn examples() -> Vec<(String, &'static Value)> {
    fn all(value: &'static Value, at: &str, found: &mut Vec<(String, &'static Value)>) {
        let Some(members) = value.as_object() else { return };
        for (name, member) in members {
            match (name.as_str(), member) {
                ("example", example) => found.push((at.to_owned(), example)),
                ("examples", Value::Object(named)) => {
                    found.extend(named.values().map(|example| (at.to_owned(), &example["value"])));
                }
                _ => all(member, &format!("{at}/{name}"), found),
            }
        }
    }
    let mut found = Vec::new();
    all(&DOCUMENT["paths"], "", &mut found);
    all(&DOCUMENT["webhooks"], "", &mut found);
    found
}

/// The records of a list's example.
fn records(path: &str) -> &'static Vec<Value> {
    let page = &DOCUMENT["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["example"];
    page["datos"].as_array().unwrap_or_else(|| panic!("{path} has no example"))
}

#[test]
fn every_example_adds_up() {
    let mut checked = 0;
    for (at, example) in examples() {
        check(example, &at, &mut checked);
    }
    assert!(checked >= 10, "{checked}");
}

#[test]
fn examples_agree_with_each_other() {
    let sale = &records("/ventas")[0];
    let lines: Vec<_> = records("/ventas-renglones").iter().filter(|line| line["venta"] == sale["clave"]).collect();
    assert!(!lines.is_empty());
    let sum = |field: &str| lines.iter().map(|line| number(line, field)).sum::<Decimal>();
    for field in ["subtotal", "descuento", "retenciones", "total"] {
        assert_eq!(number(sale, field), sum(field), "{field} of {sale} and {lines:?}");
    }
    assert_eq!(number(sale, "impuestos"), sum("iva") + sum("ieps"));

    let debt = records("/cxc").iter().find(|debt| debt["venta"] == sale["clave"]).expect("what is owed for the sale");
    for field in ["total", "saldo"] {
        assert_eq!(number(debt, field), number(sale, field), "{field} of {sale} and {debt}");
    }
    let payments: Vec<_> = records("/cxc-pagos").iter().filter(|payment| payment["cxc"] == debt["clave"]).collect();
    assert_eq!(payments.iter().map(|payment| number(payment, "importe")).sum::<Decimal>(), number(debt, "pagado"));
    let invoice = records("/facturas").iter().find(|invoice| invoice["clave"] == sale["factura"]).expect("its invoice");
    assert_eq!((&invoice["uuid"], &invoice["venta"]), (&sale["uuid"], &sale["clave"]));

    let purchase = &records("/compras")[0];
    let bought = records("/compras-renglones").iter().filter(|line| line["compra"] == purchase["clave"]);
    assert_eq!(number(purchase, "total"), bought.map(|line| number(line, "total")).sum::<Decimal>());
    let payable = records("/cxp").iter().find(|payable| payable["compra"] == purchase["clave"]).expect("its payable");
    assert_eq!(number(purchase, "total"), number(payable, "total"));
    let stock = &records("/inventario")[0];
    let moved = records("/movimientos-inventario").last().expect("a movement");
    assert_eq!(number(stock, "existencia"), number(moved, "existencia_actual"), "{stock} and {moved}");
}

#[test]
fn a_repetition_shows_no_secret_and_says_that_it_was_requested() {
    let answer = |path: &str, status: &str| {
        let content = &DOCUMENT["paths"][path]["post"]["responses"][status]["content"]["application/json"];
        content["example"].clone()
    };
    assert!(answer("/webhooks", "201")["secreto"].is_string() && answer("/webhooks", "200")["secreto"].is_null());
    let rotated = &DOCUMENT["paths"]["/webhooks/{clave}/secreto"]["post"]["responses"]["200"]["content"];
    let rotated = &rotated["application/json"]["examples"];
    assert!(rotated["first"]["value"]["secreto"].is_string() && rotated["repeated"]["value"]["secreto"].is_null());
    let invoice = "/ventas/{clave}/facturar";
    assert_eq!(
        (&answer(invoice, "202")["ya_solicitada"], &answer(invoice, "202")["estatus"]),
        (&false.into(), &"timbrando".into())
    );
    assert_eq!(
        (&answer(invoice, "200")["ya_solicitada"], &answer(invoice, "200")["estatus"]),
        (&true.into(), &"vigente".into())
    );
}
