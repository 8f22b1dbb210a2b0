//! The demo's records agree with one another on whatever day it is created.

use std::collections::{HashMap, HashSet};

use chrono::{Datelike, Days, NaiveDate, Weekday};
use serde_json::Value;
use svc_core::operations::import::Resource;

use super::data::{Calendar, FILES, Record, records};

fn of(resource: Resource, today: NaiveDate) -> Vec<Record> {
    records(resource, Calendar::of(today)).map(|record| record.unwrap()).collect()
}

fn all(resource: Resource) -> Vec<Record> {
    of(resource, a_monday())
}

fn a_monday() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 10, 12).unwrap()
}

fn text<'a>(record: &'a Record, field: &str) -> Option<&'a str> {
    record.get(field).map(|value| value.as_str().unwrap_or_else(|| panic!("{field} is no text: {value}")))
}

fn int(record: &Record, field: &str) -> i64 {
    record.get(field).map_or(0, |value| value.as_i64().unwrap_or_else(|| panic!("{field} is no integer: {value}")))
}

/// An amount in cents; zero if left out.
fn cents(record: &Record, field: &str) -> i64 {
    (record.get(field).and_then(Value::as_f64).unwrap_or(0.0) * 100.0).round() as i64
}

fn assert_distinct(records: &[Record], field: &str) {
    let mut seen = HashSet::new();
    for value in records.iter().filter_map(|record| text(record, field)) {
        assert!(seen.insert(value), "{field}: {value} is there twice");
    }
}

#[test]
fn every_resource_but_the_branches_has_records() {
    for resource in Resource::ALL {
        let has_file = FILES.iter().any(|(other, _)| other == resource);
        assert_eq!(has_file, *resource != Resource::Sucursales, "{}", resource.name());
    }
    for (resource, least) in [
        (Resource::Clientes, 480),
        (Resource::Productos, 400),
        (Resource::Proveedores, 20),
        (Resource::Inventario, 300),
        (Resource::MovimientosInventario, 3_000),
        (Resource::Ventas, 1_000),
        (Resource::Facturas, 300),
        (Resource::Cxc, 300),
        (Resource::CxcPagos, 200),
        (Resource::Cxp, 100),
        (Resource::Compras, 100),
        (Resource::Oportunidades, 100),
    ] {
        let count = all(resource).len();
        assert!(count >= least, "{}: {count}", resource.name());
    }
    let sales = all(Resource::Ventas);
    for kind in ["venta", "factura", "cotizacion", "pedido", "anticipo"] {
        assert!(sales.iter().any(|sale| text(sale, "tipo") == Some(kind)), "no {kind}");
    }
    assert!(sales.iter().any(|sale| sale.contains_key("cancelada")));
    assert!(all(Resource::Cxc).iter().any(|owed| text(owed, "estatus") == Some("pendiente")));
}

#[test]
fn the_demo_does_business_on_working_days_of_the_last_year() {
    for days in 0..7 {
        let today = a_monday() + Days::new(days);
        let first = today - Days::new(365);
        let done = ["aplicado", "creado", "fecha", "fecha_cancelacion", "fecha_cierre", "fecha_timbrado", "modificado"];
        for (resource, _) in FILES {
            for record in of(resource, today) {
                for field in done {
                    let Some(date) = text(&record, field) else { continue };
                    let day: NaiveDate = date[..10].parse().unwrap();
                    let is_working = day.weekday() != Weekday::Sun;
                    assert!(is_working && first <= day && day < today, "{}: {field}: {date}", resource.name());
                    // From nine in the morning to six in the evening, in Mexico.
                    assert!(date.len() == 10 || ("15:00".."24:00").contains(&&date[11..16]), "{field}: {date}");
                }
                for (from, to) in [("fecha", "vencimiento"), ("fecha", "fecha_entrega"), ("creado", "cierre")] {
                    if let (Some(from), Some(to)) = (text(&record, from), text(&record, to)) {
                        assert!(from[..10] <= to[..10], "{record:?}");
                    }
                }
            }
        }
        let sales = of(Resource::Ventas, today);
        let last = sales.iter().filter_map(|sale| text(sale, "fecha")).max().unwrap();
        let yesterday = Calendar::of(today).date("-1").unwrap();
        assert_eq!(last[..10], yesterday, "the last sale is the last working day's");
    }
}

#[test]
fn the_ledger_of_stock_adds_up_to_the_stock() {
    let mut held: HashMap<(i64, String), i64> = HashMap::new();
    for movement in all(Resource::MovimientosInventario) {
        let place = (int(&movement, "producto"), text(&movement, "almacen").unwrap().to_owned());
        let held = held.entry(place).or_default();
        assert_eq!(int(&movement, "existencia_anterior"), *held, "{movement:?}");
        let comes_in = ["saldo_inicial", "compra", "cancelacion_venta", "traspaso_entrada", "ajuste_entrada"].map(Some);
        let sign = if comes_in.contains(&text(&movement, "tipo")) { 1 } else { -1 };
        *held += sign * int(&movement, "cantidad");
        assert!(*held >= 0, "{movement:?}");
    }
    let codes = HashMap::from([("001", "1"), ("NTE", "2"), ("SUR", "3")]);
    for row in all(Resource::Inventario) {
        let place = (int(&row, "producto"), codes[text(&row, "almacen").unwrap()].to_owned());
        assert_eq!(held.remove(&place).unwrap_or(0), int(&row, "existencia"), "{row:?}");
    }
    assert!(held.values().all(|left| *left == 0), "stock without a row: {held:?}");
}

#[test]
fn documents_add_up_to_their_lines() {
    let mut sums: HashMap<i64, (i64, i64, i64)> = HashMap::new();
    for line in all(Resource::VentasRenglones) {
        let subtotal = cents(&line, "precio_unitario") * int(&line, "cantidad");
        let base = subtotal - cents(&line, "descuento");
        let rate = |field| text(&line, field).and_then(|rate| rate.parse::<f64>().ok()).unwrap_or(0.0);
        let share = |base: i64, rate: f64| (base * (rate * 100.0).round() as i64 + 50) / 100;
        let ieps = share(base, rate("ieps_tasa"));
        let sum = sums.entry(int(&line, "venta")).or_default();
        *sum = (sum.0 + subtotal, sum.1 + subtotal - base, sum.2 + ieps + share(base + ieps, rate("iva_tasa")));
    }
    for (sale, clave) in all(Resource::Ventas).iter().zip(1..) {
        let own = (cents(sale, "subtotal"), cents(sale, "descuento"), cents(sale, "impuestos"));
        assert_eq!(sums[&clave], own, "sale {clave}");
    }
    let mut sums: HashMap<i64, (i64, i64)> = HashMap::new();
    for line in all(Resource::ComprasRenglones) {
        let sum = sums.entry(int(&line, "compra")).or_default();
        let amount = cents(&line, "costo_unitario") * int(&line, "cantidad");
        *sum = (sum.0 + amount, sum.1 + cents(&line, "iva"));
    }
    for (purchase, clave) in all(Resource::Compras).iter().zip(1..) {
        let own = (cents(purchase, "subtotal"), cents(purchase, "impuestos"));
        assert_eq!((sums[&clave], own.0 + own.1), (own, cents(purchase, "total")), "purchase {clave}");
    }
}

#[test]
fn receivables_are_documents_less_their_payments() {
    let mut paid: HashMap<i64, i64> = HashMap::new();
    let receivables = all(Resource::Cxc);
    for payment in all(Resource::CxcPagos) {
        let cxc = int(&payment, "cxc");
        let paid = paid.entry(cxc).or_default();
        let total = cents(&receivables[usize::try_from(cxc).unwrap() - 1], "total");
        assert_eq!(cents(&payment, "saldo_anterior"), total - *paid, "{payment:?}");
        *paid += cents(&payment, "importe");
    }
    let sales = all(Resource::Ventas);
    for (owed, clave) in receivables.iter().zip(1..) {
        assert_eq!(cents(owed, "pagado"), paid.get(&clave).copied().unwrap_or(0), "{owed:?}");
        let sale = &sales[usize::try_from(int(owed, "venta")).unwrap() - 1];
        let total = cents(sale, "subtotal") - cents(sale, "descuento") + cents(sale, "impuestos");
        let left = cents(owed, "total") - cents(owed, "pagado");
        assert_eq!((cents(owed, "total"), left), (total, cents(sale, "saldo")), "{owed:?}");
        assert_eq!(text(owed, "estatus") == Some("pagado"), left == 0, "{owed:?}");
    }
    // The import takes a sale on credit that does not say its balance to be owed whole.
    for sale in sales.iter().filter(|sale| text(sale, "condicion_pago") == Some("credito")) {
        assert!(sale.contains_key("saldo") || sale.contains_key("cancelada"), "{sale:?}");
    }
}

#[test]
fn identifying_fields_are_unique_and_mail_addresses_reserved() {
    let customers = all(Resource::Clientes);
    for field in ["nombre", "rfc", "correo", "id_platform_a", "id_platform_b", "id_platform_c", "id_platform_d"] {
        assert_distinct(&customers, field);
    }
    let public = customers.iter().filter(|customer| customer.contains_key("publico"));
    assert_eq!(public.map(|customer| text(customer, "rfc")).collect::<Vec<_>>(), [Some("XAXX010101000")]);
    let mails = customers.iter().filter_map(|customer| text(customer, "correo"));
    for mail in mails.flat_map(|both| both.split(", ")) {
        let domain = mail.split_once('@').unwrap().1;
        let reserved = ["example.com", "example.org", "example.net"];
        assert!(domain.ends_with(".example") || reserved.contains(&domain), "{mail}");
    }
    let products = all(Resource::Productos);
    let (gone, there): (Vec<Record>, Vec<Record>) =
        products.into_iter().partition(|product| text(product, "estatus") == Some("eliminado"));
    for field in ["sku", "codigo_barras", "id_platform_b"] {
        assert_distinct(&there, field);
    }
    let skus: HashSet<_> = there.iter().filter_map(|product| text(product, "sku")).collect();
    assert!(gone.iter().any(|product| skus.contains(text(product, "sku").unwrap())), "no SKU was made again");
}
