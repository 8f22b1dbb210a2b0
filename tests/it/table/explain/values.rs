//! The values of each filter: some that few rows have, some that many have, and some that none has.

use svc_core::record::{Filter, Takes};
use svc_tests::Endpoint;

use super::ROWS;
use crate::table::filters::WINDOWED;

/// The row that has the selective values (see `fill.sql`).
fn row() -> i64 {
    *ROWS / 2 + 1
}

/// Date ranges of the lists limited to 92 days.
const WINDOWS: [(&str, &str); 2] = [("2024-01-16", "2024-01-18"), ("2026-09-15", "2026-10-11")];

/// Names and values of filters.
#[derive(Debug, Clone, Default)]
pub(super) struct Query(Vec<(&'static str, String)>);

impl Query {
    fn of(filters: &[(&'static str, &str)]) -> Self {
        Self(filters.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The form for an address.
    pub(super) fn url(&self) -> String {
        let pairs =
            self.0.iter().map(|(name, value)| format!("{name}={}", value.replace(' ', "+").replace('@', "%40")));
        pairs.collect::<Vec<_>>().join("&")
    }

    /// The form that a cursor is bound to.
    pub(super) fn canonical(&self) -> String {
        let mut pairs = self.0.clone();
        pairs.sort();
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| format!("{name}={}:{value};", value.len())).collect();
        pairs.concat()
    }

    pub(super) fn with(&self, name: &'static str, value: String) -> Self {
        let mut all = self.clone();
        all.0.retain(|(other, _)| *other != name);
        all.0.push((name, value));
        all
    }
}

/// The queries of a list: all records, and each value of each single filter, beside the selectors
/// the list requires (contract §3).
pub(super) fn queries(list: &Endpoint) -> Vec<Query> {
    let mut queries = selectors(list.http.path);
    for base in queries.clone() {
        for filter in list.filters() {
            if WINDOWED.contains(&list.http.path) && matches!(filter.takes, Takes::Bound(_)) {
                queries
                    .extend(WINDOWS.map(|(from, until)| Query::of(&[("fecha_desde", from), ("fecha_hasta", until)])));
                continue;
            }
            queries.extend(values(filter).into_iter().map(|value| base.with(filter.name, value)));
        }
    }
    queries
}

/// The selectors that a list requires, or none.
pub(super) fn selectors(path: &str) -> Vec<Query> {
    let of = |name: &'static str, values: &[&str]| values.iter().map(|value| Query::of(&[(name, value)])).collect();
    match path {
        "/movimientos-inventario" => [of("sku", &["SKU-50001", "SKU-1"]), of("venta", &["50001", "1"])].concat(),
        "/ventas-renglones" => of("venta", &["50001", "1"]),
        "/compras-renglones" => of("compra", &["50001", "1"]),
        _ => vec![Query::default()],
    }
}

/// Values of a filter. A name means the same in every list.
pub(super) fn values(filter: &Filter) -> Vec<String> {
    let row = |prefix: &str| vec![format!("{prefix}{}", row()), format!("{prefix}1"), format!("{prefix}999999999")];
    let few = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    match (filter.takes, filter.name) {
        (Takes::Choice(words) | Takes::EventKind(words), _) => few(words),
        (Takes::Boolean, _) => few(&["true", "false"]),
        (Takes::Uuid, _) => few(&["00000000-0000-4000-8000-000000050001", "00000000-0000-4000-8000-999999999999"]),
        // Values that nearly all rows have, a fiftieth, and a thousandth.
        (Takes::Bound(_), "modificado_desde") => few(&["2024-01-18", "2026-09-22", "2026-10-11"]),
        // Values that nearly all rows have, and a thousandth. Values in between may be found by
        // walking the claves: rows are skipped once, since the next page begins behind them, while
        // collecting and sorting them would cost every page.
        (Takes::Bound(_), _) => few(&["2024-01-18", "2026-10-11"]),
        (Takes::Email, _) => few(&["c50001@example.com", "nadie@example.com"]),
        (Takes::Phone, "movil") => few(&["5600050001", "5699999999"]),
        (Takes::Phone, _) => few(&["5500050001", "5599999999"]),
        (Takes::Search, "buscar") => few(&["sku-50001", "tornillo", "tornillo 50001", "nadanada", "del"]),
        (Takes::Search, _) => few(&["50001", "proveedor", "bajio 50001", "nadanada"]),
        (Takes::Integer, "etapa") => few(&["2", "6", "9"]),
        (Takes::Integer, "lista") => few(&["2", "10", "11"]),
        (Takes::Integer, "padre") => few(&["-1", "1", "150", "1999"]),
        (Takes::Integer, "proveedor" | "vendedor" | "sucursal") => few(&["0", "3", "30", "1999"]),
        (Takes::Integer, _) | (Takes::Text { .. }, "folio") => row(""),
        (Takes::Text { .. }, "almacen" | "codigo") => few(&["002", "02S", "1JJ", "zzz"]),
        (Takes::Text { .. }, "categoria") => few(&["Categoria 30", "Categoria 1999", "Ninguna"]),
        (Takes::Text { .. }, "codigo_sat") => few(&["31160001", "99999999"]),
        (Takes::Text { .. }, "marca") => few(&["Marca 30", "Marca 1999", "Ninguna"]),
        (Takes::Text { .. }, "rfc") => few(&["ABC0000050001", "XAXX010101000", "ABC9999999999"]),
        (Takes::Text { .. }, "sku" | "sku_padre") => row("SKU-"),
        (Takes::Text { .. }, "uso_cfdi") => few(&["G03", "I08", "D10"]),
        (Takes::Text { .. }, name) if name.starts_with("id_platform_") => row("ID-"),
        (Takes::Text { .. }, name) => panic!("say here what the filter {name} is asked for"),
    }
}
