//! A sale from the order to its payment, for the requests that the demo prints.

use hyper::body::Bytes;
use hyper::{Request, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use svc_core::Api;
use svc_core::domain::clock::{Clock, SystemClock, mexico_date};

use super::data::Record;

/// How many are sold, at what price, and what that comes to with 16 % IVA.
pub(super) const COUNT: i64 = 8;
pub(super) const PRICE: &str = "125.00";
pub(super) const TOTAL: &str = "1160.00";

/// The bank account that is paid into: the first in pesos.
pub(super) const ACCOUNT: i64 = 1;

/// Its customer and product, and the claves that the sale, its receivable and its invoice get if they are the first to be made.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct SampleSale {
    pub(super) cliente: i64,
    pub(super) producto: i64,
    pub(super) venta: i64,
    pub(super) cxc: i64,
    /// None in what a version without documents saved.
    pub(super) factura: Option<i64>,
}

impl SampleSale {
    /// The first customer who can be invoiced, the first product of which there is enough, and what comes after the
    /// imported sales, receivables and invoices.
    pub(super) fn of(products: &[Record], customers: &[Record], year: &[(&'static str, Vec<Record>)]) -> Option<Self> {
        let records =
            |name: &str| year.iter().find(|(other, _)| *other == name).map_or(&[][..], |(_, records)| records);
        let next = |name| records(name).len() as i64 + 1;
        let stocked = |producto: i64| {
            let enough = |record: &&Record| {
                let free = number(record, "existencia") - number(record, "apartado");
                text(record, "almacen") == "001" && number(record, "producto") == producto && free >= COUNT
            };
            records("inventario").iter().any(|record| enough(&record))
        };
        Some(Self {
            cliente: first(customers, |_, record| is_invoiced(record))?,
            producto: first(products, |producto, record| is_taxed(record) && stocked(producto))?,
            venta: next("ventas"),
            cxc: next("cxc"),
            factura: Some(next("facturas")),
        })
    }

    /// The day of the payment: that of the receivable once it exists, so that a pasted request stays the same; else today.
    pub(super) async fn pay_day(&self, api: &Api, key_id: &str, api_key: &str) -> String {
        let day = async {
            let request = Request::get(format!("/cxc?clave={}", self.cxc))
                .header(header::AUTHORIZATION, format!("Bearer {api_key}"))
                .header("X-Svc-Key-Id", key_id)
                .body(Bytes::new())
                .ok()?;
            let found: Value = serde_json::from_slice(api.handle(request).await.body()).ok()?;
            found.pointer("/datos/0/fecha")?.as_str().map(str::to_owned)
        };
        day.await.unwrap_or_else(|| mexico_date(SystemClock.now()).to_string())
    }
}

/// The clave of the first record for which `holds`; claves are 1, 2, 3…
fn first(records: &[Record], holds: impl Fn(i64, &Record) -> bool) -> Option<i64> {
    records.iter().zip(1..).find(|(record, clave)| holds(*clave, record)).map(|(_, clave)| clave)
}

/// Whether a customer has all that an invoice needs, and is an ordinary one: neither the public nor a marketplace's.
fn is_invoiced(record: &Record) -> bool {
    let fiscal = ["rfc", "regimen", "uso_cfdi", "cp"].iter().all(|field| record.contains_key(*field));
    fiscal && record.get("publico") == Some(&Value::Bool(false)) && !record.contains_key("plataforma")
}

/// Whether a product is sold with 16 % IVA.
fn is_taxed(record: &Record) -> bool {
    text(record, "estatus") == "activo" && text(record, "tipo") == "normal" && text(record, "iva_venta") == "16"
}

fn text<'a>(record: &'a Record, field: &str) -> &'a str {
    record.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn number(record: &Record, field: &str) -> i64 {
    record.get(field).and_then(Value::as_i64).unwrap_or(0)
}
