//! The records of the year by resource, with the claves they get.

use super::super::record::{Record, put};

/// The resources of a year, in the order in which each finds what it refers to.
const ORDER: [&str; 19] = [
    "almacenes",
    "vendedores",
    "cuentas-bancarias",
    "precios",
    "proveedores",
    "inventario",
    "movimientos-inventario",
    "ventas",
    "ventas-renglones",
    "facturas",
    "cxc",
    "cxc-pagos",
    "cxp",
    "compras",
    "compras-renglones",
    "etapas-oportunidad",
    "motivos-perdida",
    "oportunidades",
    "sucursales",
];

/// All records of the year, by resource.
#[derive(Default)]
pub(super) struct YearRecords(Vec<(&'static str, Vec<Record>)>);

impl YearRecords {
    /// Adds a record under the next clave of its resource; gives that clave.
    pub(super) fn write(&mut self, resource: &'static str, mut record: Record) -> i64 {
        let records = self.of(resource);
        let clave = records.len() as i64 + 1;
        put(&mut record, "clave", clave);
        records.push(record);
        clave
    }

    /// Adds records that have their claves.
    pub(super) fn list(&mut self, resource: &'static str, records: Vec<Record>) {
        self.of(resource).extend(records);
    }

    /// The record of a clave that [`YearRecords::write`] gave.
    pub(super) fn edit(&mut self, resource: &'static str, clave: i64, change: impl FnOnce(&mut Record)) {
        if let Some(record) = usize::try_from(clave - 1).ok().and_then(|at| self.of(resource).get_mut(at)) {
            change(record);
        }
    }

    /// How many there are of a resource.
    pub(super) fn count(&mut self, resource: &'static str) -> i64 {
        self.of(resource).len() as i64
    }

    /// All, in the order of import.
    pub(super) fn in_order(mut self) -> Vec<(&'static str, Vec<Record>)> {
        let place = |name: &str| ORDER.iter().position(|other| *other == name).unwrap_or(ORDER.len());
        self.0.sort_by_key(|(resource, _)| place(resource));
        self.0
    }

    fn of(&mut self, resource: &'static str) -> &mut Vec<Record> {
        let at = self.0.iter().position(|(other, _)| *other == resource).unwrap_or_else(|| {
            self.0.push((resource, Vec::new()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}
