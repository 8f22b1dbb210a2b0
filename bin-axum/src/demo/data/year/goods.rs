//! What is bought and sold: the active products that have stock.

use serde_json::Value;

use super::super::record::{Record, put};
use super::values::money;
use super::year_records::YearRecords;

/// What the simulation uses of a product.
pub(super) struct Good {
    pub(super) product: i64,
    pub(super) sku: String,
    pub(super) text: String,
    pub(super) unit: String,
    pub(super) sat: String,
    /// IVA in percent; `None` is exempt.
    pub(super) tax: Option<i64>,
    /// IEPS in percent; 0 is none.
    pub(super) ieps: i64,
    /// Cents, a unit.
    pub(super) cost: i64,
    /// Cents, a unit, before IVA.
    pub(super) price: i64,
}

impl Good {
    /// The rate of IVA as a line shows it.
    pub(super) fn rate(&self) -> &'static str {
        match self.tax {
            Some(16) => "0.160000",
            Some(8) => "0.080000",
            Some(_) => "0.000000",
            None => "exento",
        }
    }
}

/// The goods among the company's products.
pub(super) fn of(products: &[Record]) -> Vec<Good> {
    let text = |record: &Record, field: &str| record.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let sold = |record: &Record| text(record, "estatus") == "activo" && text(record, "tipo") == "normal";
    products
        .iter()
        .zip(1..)
        .filter(|(record, _)| sold(record))
        .map(|(record, product)| {
            let cost = cents(&text(record, "costo")).max(10);
            Good {
                product,
                sku: text(record, "sku"),
                text: text(record, "descripcion"),
                unit: text(record, "unidad"),
                sat: text(record, "codigo_sat"),
                tax: text(record, "iva_venta").parse().ok(),
                ieps: text(record, "ieps_tasa").strip_prefix("0.").and_then(|part| part.parse().ok()).unwrap_or(0),
                cost,
                // A third on top, in whole tens of cents.
                price: (cost * 135 / 100 / 10 + 1) * 10,
            }
        })
        .collect()
}

/// Two price lists: the public's, and the trade's at eight percent less.
pub(super) fn prices(goods: &[Good], records: &mut YearRecords) {
    for (list, name, percent) in [(1, "Precio público", 100), (2, "Precio mayoreo", 92)] {
        for good in goods {
            let mut record = Record::new();
            put(&mut record, "producto", good.product);
            put(&mut record, "lista", list);
            put(&mut record, "lista_nombre", name);
            put(&mut record, "precio", money(good.price * percent / 100));
            put(&mut record, "cantidad_minima", if list == 1 { 0 } else { 10 });
            records.write("precios", record);
        }
    }
}

/// A decimal string in cents, the rest cut.
fn cents(text: &str) -> i64 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction: String = fraction.chars().chain("00".chars()).take(2).collect();
    whole.parse::<i64>().unwrap_or(0) * 100 + fraction.parse::<i64>().unwrap_or(0)
}
