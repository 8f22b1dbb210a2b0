use std::collections::HashMap;

use chrono::NaiveDate;
use serde_json::Value;

use super::super::{Record, customers, products};
use super::year;

#[test]
fn the_ledger_adds_up_to_the_stock() {
    let year = a_year();
    let mut held: HashMap<(i64, String), i64> = HashMap::new();
    for movement in of(&year, "movimientos-inventario") {
        let place = (int(movement, "producto"), text(movement, "almacen"));
        let before = held.get(&place).copied().unwrap_or(0);
        assert_eq!(int(movement, "existencia_anterior"), before, "{movement:?}");
        let by = int(movement, "existencia_actual") - before;
        assert_eq!(int(movement, "cantidad"), by.abs(), "{movement:?}");
        assert!(before + by >= 0, "{movement:?}");
        held.insert(place, before + by);
    }
    let codes = HashMap::from([("001", "1"), ("NTE", "2"), ("SUR", "3")]);
    for row in of(&year, "inventario") {
        let place = (int(row, "producto"), codes[text(row, "almacen").as_str()].to_owned());
        assert_eq!(held.remove(&place).unwrap_or(0), int(row, "existencia"), "{row:?}");
    }
    assert!(held.values().all(|left| *left == 0), "stock without a row: {held:?}");
}

#[test]
fn documents_add_up_to_their_lines() {
    let year = a_year();
    for (documents, lines, name, tax) in
        [("ventas", "ventas-renglones", "venta", "impuestos"), ("compras", "compras-renglones", "compra", "impuestos")]
    {
        let mut sums: HashMap<i64, (i64, i64)> = HashMap::new();
        for line in of(&year, lines) {
            let sum = sums.entry(int(line, name)).or_default();
            *sum = (sum.0 + cents(line, "subtotal"), sum.1 + cents(line, "total"));
        }
        for document in of(&year, documents) {
            let sum = (cents(document, "subtotal"), cents(document, "total"));
            assert_eq!(sums[&int(document, "clave")], sum, "{document:?}");
            let parts = cents(document, "subtotal") - cents(document, "descuento") + cents(document, tax);
            assert_eq!(parts, sum.1, "{document:?}");
        }
    }
}

#[test]
fn what_is_owed_is_the_document_less_its_payments() {
    let year = a_year();
    let mut paid: HashMap<i64, i64> = HashMap::new();
    for payment in of(&year, "cxc-pagos") {
        *paid.entry(int(payment, "cxc")).or_default() += cents(payment, "importe");
        assert_eq!(cents(payment, "saldo_anterior") - cents(payment, "importe"), cents(payment, "saldo_insoluto"));
    }
    let sales: HashMap<i64, &Record> = of(&year, "ventas").iter().map(|sale| (int(sale, "clave"), sale)).collect();
    for owed in of(&year, "cxc") {
        let part = paid.get(&int(owed, "clave")).copied().unwrap_or(0);
        assert_eq!(cents(owed, "total") - part, cents(owed, "saldo"), "{owed:?}");
        let sale = sales[&int(owed, "venta")];
        assert_eq!((cents(owed, "total"), cents(owed, "saldo")), (cents(sale, "total"), cents(sale, "saldo")));
    }
}

#[test]
fn there_is_something_of_everything() {
    let year = a_year();
    for (resource, least) in [
        ("proveedores", 20),
        ("inventario", 300),
        ("movimientos-inventario", 3_000),
        ("ventas", 1_000),
        ("facturas", 300),
        ("cxc", 300),
        ("cxc-pagos", 200),
        ("cxp", 100),
        ("compras", 100),
        ("oportunidades", 100),
    ] {
        assert!(of(&year, resource).len() >= least, "{resource}: {}", of(&year, resource).len());
    }
    let kinds: Vec<String> = of(&year, "ventas").iter().map(|sale| text(sale, "tipo")).collect();
    for kind in ["venta", "factura", "cotizacion", "pedido", "anticipo"] {
        assert!(kinds.iter().any(|other| other == kind), "no {kind}");
    }
    assert!(of(&year, "cxc").iter().any(|owed| text(owed, "estatus") == "pendiente"));
    assert!(of(&year, "ventas").iter().any(|sale| sale.contains_key("cancelada")));
}

type Year = Vec<(&'static str, Vec<Record>)>;

fn a_year() -> Year {
    let today = NaiveDate::from_ymd_opt(2026, 10, 12).unwrap();
    year(7, today, &products(7, today), &customers(7, today, 300))
}

fn of<'y>(year: &'y Year, resource: &str) -> &'y [Record] {
    year.iter().find(|(name, _)| *name == resource).map_or(&[], |(_, records)| records)
}

fn int(record: &Record, field: &str) -> i64 {
    record.get(field).and_then(Value::as_i64).unwrap()
}

fn text(record: &Record, field: &str) -> String {
    record.get(field).and_then(Value::as_str).unwrap().to_owned()
}

/// A decimal string in cents; what is left out is nothing.
fn cents(record: &Record, field: &str) -> i64 {
    record.get(field).and_then(Value::as_str).map_or(0, |text| text.replace('.', "").parse().unwrap())
}
