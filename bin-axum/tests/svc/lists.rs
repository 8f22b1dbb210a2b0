//! On the demo's data, every filter of every list returns exactly the right records.
//!
//! The expected records are computed from the unfiltered list by a predicate; most compare the
//! field with the filter's name.

use std::collections::{BTreeSet, HashMap};

use nix::sys::signal::Signal;
use serde_json::Value;
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::domain::text::{clean_phone, fold, normalize_email};
use svc_core::record::Takes;
use svc_tests::{Endpoint, endpoints};

use crate::harness::{Demo, Svc};

#[test]
fn every_filter_of_every_list_returns_exactly_what_it_should() {
    let svc = Svc::new();
    let demo = svc.demo();
    let mut answered = 0;
    // The demo has no webhooks, so it has no deliveries.
    let shown = |endpoint: &Endpoint| endpoint.pages().is_some() && !endpoint.http.path.starts_with("/webhooks");
    for endpoint in endpoints().filter(shown) {
        let list = Listed::read(&demo, &endpoint);
        assert!(!list.shown.is_empty(), "{} shows nothing", endpoint.http.path);
        answered += endpoint.filters().iter().map(|filter| list.check(&demo, filter.name, filter.takes)).sum::<u32>();
    }
    assert!(answered > 140, "the demo's data answer only {answered} filters");
    demo.stop(Signal::SIGTERM);
}

/// Filters on fields that records do not show; the end-to-end tests of their lists check them.
const NOT_SHOWN: &[&str] = &["uso_cfdi", "sku_padre"];

/// The types of sales documents, each paged by itself.
const KINDS: [&str; 5] = ["venta", "factura", "cotizacion", "pedido", "anticipo"];

/// The beginning of a bounded range follows from its end.
const WINDOW: &str = "&fecha_desde=";

struct Listed {
    path: &'static str,
    /// The selector that the list requires, as `name=value`.
    selector: String,
    /// The records of the list without filters.
    shown: Vec<Value>,
    /// The records for each status that can be requested, hidden ones included.
    all: Vec<Value>,
    /// The SKUs of each sale's lines.
    lines: HashMap<i64, BTreeSet<String>>,
}

impl Listed {
    fn read(demo: &Demo, endpoint: &Endpoint) -> Self {
        let path = endpoint.http.path;
        let selector = match path {
            "/ventas-renglones" => format!("venta={}", demo.walk("/ventas?tipo=factura")[0]["clave"]),
            "/compras-renglones" => format!("compra={}", demo.walk("/compras")[0]["clave"]),
            "/movimientos-inventario" => {
                format!("sku={}", demo.walk("/inventario?almacen=NTE")[0]["sku"].as_str().unwrap())
            }
            _ => String::new(),
        };
        let shown = demo.walk(&format!("{path}?{selector}"));
        let hiding = endpoint.filters().iter().find_map(|filter| match (filter.name, filter.takes) {
            ("estatus", Takes::Choice(words)) => {
                Some(words.iter().map(|word| format!("estatus={word}")).collect::<Vec<_>>())
            }
            _ => None,
        });
        let hiding = match path {
            "/ventas" => KINDS
                .iter()
                .flat_map(|kind| ["true", "false"].map(|off| format!("tipo={kind}&cancelada={off}")))
                .collect(),
            _ => hiding.unwrap_or_default(),
        };
        let mut all = shown.clone();
        for query in hiding {
            for record in demo.walk(&format!("{path}?{selector}&{query}")) {
                if all.iter().all(|known| known["clave"] != record["clave"]) {
                    all.push(record);
                }
            }
        }
        let mut lines: HashMap<i64, BTreeSet<String>> = HashMap::new();
        if path == "/ventas" {
            for sale in &shown {
                let clave = sale["clave"].as_i64().unwrap();
                let skus = demo.walk(&format!("/ventas-renglones?venta={clave}")).into_iter();
                lines.insert(clave, skus.filter_map(|line| line["sku"].as_str().map(str::to_owned)).collect());
            }
        }
        Self { path, selector, shown, all, lines }
    }

    /// Checks a filter with each of its values; returns how many found something.
    fn check(&self, demo: &Demo, name: &str, takes: Takes) -> u32 {
        let mut answered = 0;
        if NOT_SHOWN.contains(&name) || self.selector.starts_with(&format!("{name}=")) {
            return answered;
        }
        for value in self.values(name, takes) {
            let (bound, window) = value.split_once(WINDOW).unwrap_or((&value, ""));
            let window = if window.is_empty() { String::new() } else { format!("{WINDOW}{window}") };
            let given = format!("{}?{}&{name}={}{window}", self.path, self.selector, escape(bound));
            let found = claves(&demo.walk(&given));
            let among = if reveals(self.path, name) { &self.all } else { &self.shown };
            let expected = claves(among.iter().filter(|record| self.passes(record, name, &value)));
            assert_eq!(found, expected, "{given}");
            answered += u32::from(!found.is_empty());
        }
        answered
    }

    /// Values of a filter: each word of a choice, and a record's own.
    fn values(&self, name: &str, takes: Takes) -> Vec<String> {
        let own = |field: &str| self.shown.iter().rev().find_map(|record| plain(&record[field]));
        let found = match takes {
            Takes::Boolean => return vec!["true".to_owned(), "false".to_owned()],
            Takes::Choice(words) => return words.iter().map(|word| (*word).to_owned()).collect(),
            Takes::Search => {
                own(if name == "buscar" { "descripcion" } else { "nombre" }).map(|text| middle_word(&text))
            }
            Takes::Bound(_) => own(field_of(self.path, name)),
            _ if name == "sku" && self.path == "/ventas" => self.lines.values().flatten().next().cloned(),
            _ => own(name),
        };
        let found = found.unwrap_or_else(|| panic!("the demo has no {} with a {name}", self.path));
        match takes {
            // Both ends of a range, since a bounded range needs both.
            Takes::Bound(_) if name.ends_with("_hasta") && matches!(self.path, "/ventas" | "/facturas") => {
                vec![format!("{found}{WINDOW}{}", &found[..10])]
            }
            _ => vec![found],
        }
    }

    fn passes(&self, record: &Value, name: &str, value: &str) -> bool {
        let text = |field: &str| plain(&record[field]);
        let amount = |field: &str| text(field).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
        let today = SystemClock.now().date_naive().to_string();
        let overdue = || amount("saldo") > 0.0 && text("vencimiento").is_some_and(|due| due < today);
        match name {
            "correo" => text(name).map(|own| normalize_email(&own)) == Some(normalize_email(value)),
            "telefono" | "movil" => text(name).map(|own| clean_phone(&own)) == Some(clean_phone(value)),
            "con_saldo" => (amount("saldo") > 0.0).to_string() == value,
            "vencido" => overdue().to_string() == value,
            "buscar" => fold(&[text("sku"), text("descripcion")].map(Option::unwrap_or_default).join(" "))
                .contains(&fold(value)),
            "nombre" => text(name).is_some_and(|own| fold(&own).contains(&fold(value))),
            "sku" if self.path == "/ventas" => self.lines[&record["clave"].as_i64().unwrap()].contains(value),
            "tipo" if self.path == "/ventas" => {
                text(name).as_deref() == Some(value.replace("remision", "venta").as_str())
                    && record["cancelada"] == false
            }
            "cancelada" => text(name).as_deref() == Some(value) && record["tipo"] == "venta",
            _ if name.ends_with("_desde") => text(field_of(self.path, name)).is_some_and(|own| own.as_str() >= value),
            _ if name.ends_with("_hasta") => {
                let (until, from) = value.split_once(WINDOW).unwrap_or((value, ""));
                text(field_of(self.path, name)).is_some_and(|own| own.as_str() <= until && own.as_str() >= from)
            }
            _ => text(name).as_deref() == Some(value),
        }
    }
}

/// Whether a filter shows records that the list hides by default.
fn reveals(path: &str, name: &str) -> bool {
    matches!(name, "estatus" | "cancelada")
        || (path == "/ventas" && name == "tipo")
        || (path == "/cxc" && matches!(name, "clave" | "venta" | "uuid"))
}

/// The field of a range's filter.
fn field_of(path: &str, name: &str) -> &'static str {
    match name.rsplit_once('_').map_or(name, |(stem, _)| stem) {
        "creado" => "creado",
        "modificado" => "modificado",
        "proximo_contacto" => "proximo_contacto",
        "cierre" => "cierre",
        "fecha" => "fecha",
        other => panic!("{path}: {other}"),
    }
}

fn claves<'v>(records: impl IntoIterator<Item = &'v Value>) -> BTreeSet<i64> {
    records.into_iter().map(|record| record["clave"].as_i64().unwrap()).collect()
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// A word of four letters or more from the middle of a text.
fn middle_word(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 4).collect();
    words[words.len() / 2].to_uppercase()
}

fn escape(value: &str) -> String {
    value
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b':' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
