//! The demo company's records: a year of a small distributor of hardware, electrical and plumbing
//! goods.
//!
//! `data/` has one file per imported resource. The first line of a file names the fields; a field
//! written as `{"name":value}` has that default value. Every other line is a record: an array of
//! values in the order of the fields, which may end early; null leaves a field out. Records get the
//! claves 1, 2, 3… of their resource, after those that every company has.
//!
//! Dates count from the day on which the demo is created, so that its year always ends the day
//! before: `"-3"` is the third working day (Monday to Saturday) before that day and `"5"` the fifth
//! after it, `"-3+30"` is thirty calendar days after `"-3"`, and `"-3 17:40"` is a time in UTC.
//!
//! All names, addresses and numbers are invented; mail domains are reserved ones.

use std::io;

use chrono::{Datelike, Days, NaiveDate, Weekday};
use serde_json::{Map, Value};
use svc_core::operations::import::Resource;

/// The files in import order: each follows the ones it refers to.
pub(super) const FILES: [(Resource, &str); 23] = [
    (Resource::Almacenes, include_str!("data/almacenes.ndjson")),
    (Resource::Unidades, include_str!("data/unidades.ndjson")),
    (Resource::Vendedores, include_str!("data/vendedores.ndjson")),
    (Resource::CuentasBancarias, include_str!("data/cuentas-bancarias.ndjson")),
    (Resource::Marcas, include_str!("data/marcas.ndjson")),
    (Resource::Categorias, include_str!("data/categorias.ndjson")),
    (Resource::Productos, include_str!("data/productos.ndjson")),
    (Resource::Precios, include_str!("data/precios.ndjson")),
    (Resource::Proveedores, include_str!("data/proveedores.ndjson")),
    (Resource::Clientes, include_str!("data/clientes.ndjson")),
    (Resource::Inventario, include_str!("data/inventario.ndjson")),
    (Resource::MovimientosInventario, include_str!("data/movimientos-inventario.ndjson")),
    (Resource::Ventas, include_str!("data/ventas.ndjson")),
    (Resource::VentasRenglones, include_str!("data/ventas-renglones.ndjson")),
    (Resource::Facturas, include_str!("data/facturas.ndjson")),
    (Resource::Cxc, include_str!("data/cxc.ndjson")),
    (Resource::CxcPagos, include_str!("data/cxc-pagos.ndjson")),
    (Resource::Cxp, include_str!("data/cxp.ndjson")),
    (Resource::Compras, include_str!("data/compras.ndjson")),
    (Resource::ComprasRenglones, include_str!("data/compras-renglones.ndjson")),
    (Resource::EtapasOportunidad, include_str!("data/etapas-oportunidad.ndjson")),
    (Resource::MotivosPerdida, include_str!("data/motivos-perdida.ndjson")),
    (Resource::Oportunidades, include_str!("data/oportunidades.ndjson")),
];

/// Fields with days and instants of the demo's year, which are moved to the present.
const DATES: [&str; 11] = [
    "aplicado",
    "cierre",
    "creado",
    "fecha",
    "fecha_cancelacion",
    "fecha_cierre",
    "fecha_entrega",
    "fecha_timbrado",
    "modificado",
    "proximo_contacto",
    "vencimiento",
];

/// A line of the import.
pub(super) type Record = Map<String, Value>;

/// The working days around the day on which the demo is created.
#[derive(Debug, Clone)]
pub(super) struct Calendar {
    /// Backwards, starting with the day before.
    before: Vec<NaiveDate>,
    /// Forwards, starting with that day.
    after: Vec<NaiveDate>,
}

impl Calendar {
    pub(super) fn of(today: NaiveDate) -> Self {
        let is_working = |day: &NaiveDate| day.weekday() != Weekday::Sun;
        let before = (1..=365).filter_map(|days| today.checked_sub_days(Days::new(days)));
        let after = (0..60).filter_map(|days| today.checked_add_days(Days::new(days)));
        Self { before: before.filter(is_working).collect(), after: after.filter(is_working).collect() }
    }

    /// The date or timestamp that a text of the files means; none if it is neither.
    pub(super) fn date(&self, text: &str) -> Option<String> {
        let (day, time) = text.split_once(' ').map_or((text, None), |(day, time)| (day, Some(time)));
        let (working, later) = day.split_once('+').unwrap_or((day, "0"));
        let working = match working.strip_prefix('-') {
            Some(before) => self.before.get(before.parse::<usize>().ok()?.checked_sub(1)?),
            None => self.after.get(working.parse::<usize>().ok()?),
        };
        let day = working?.checked_add_days(Days::new(later.parse().ok()?))?;
        Some(time.map_or_else(|| day.to_string(), |time| format!("{day}T{time}:00Z")))
    }
}

/// The records of a resource.
pub(super) fn records(
    resource: Resource,
    calendar: Calendar,
) -> impl Iterator<Item = io::Result<Record>> + Send + 'static {
    let mut lines = file_of(resource).lines();
    let fields: io::Result<Vec<Value>> = lines.next().map_or_else(|| Ok(Vec::new()), read);
    let fields: Vec<(String, Value)> = fields.into_iter().flatten().filter_map(field).collect();
    lines.map(move |line| {
        let given: Vec<Value> = read(line)?;
        let values = given.into_iter().chain(std::iter::repeat(Value::Null));
        let mut record = Record::new();
        for ((name, default), given) in fields.iter().zip(values) {
            let value = if given.is_null() { default.clone() } else { given };
            let value = match value.as_str().filter(|_| DATES.contains(&name.as_str())) {
                Some(text) => calendar.date(text).ok_or_else(|| io::Error::other(format!("{name}: {text}")))?.into(),
                None => value,
            };
            if !value.is_null() {
                record.insert(name.clone(), value);
            }
        }
        Ok(record)
    })
}

fn file_of(resource: Resource) -> &'static str {
    FILES.iter().find(|(other, _)| *other == resource).map_or("", |(_, file)| file)
}

fn read(line: &str) -> io::Result<Vec<Value>> {
    Ok(serde_json::from_str(line)?)
}

/// A field's name and its default value.
fn field(written: Value) -> Option<(String, Value)> {
    match written {
        Value::String(name) => Some((name, Value::Null)),
        Value::Object(default) => default.into_iter().next(),
        _ => None,
    }
}
