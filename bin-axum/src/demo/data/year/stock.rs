//! Three warehouses, their stock, and the ledger of its movements.

use chrono::NaiveDate;

use super::super::dice::Dice;
use super::super::record::{Record, put};
use super::goods::Good;
use super::values::{at, money};
use super::year_records::YearRecords;

/// Code and name of each warehouse; the first comes with the company.
const WAREHOUSES: [(&str, &str); 3] = [("001", "Almacén principal"), ("NTE", "Bodega Norte"), ("SUR", "Bodega Sur")];

/// What each warehouse holds of each good.
pub(super) struct Stock {
    held: Vec<[i64; WAREHOUSES.len()]>,
    reserved: Vec<i64>,
}

/// Why stock changes.
pub(super) struct Cause<'a> {
    pub(super) kind: &'a str,
    pub(super) when: &'a str,
    pub(super) sale: Option<i64>,
    pub(super) purchase: Option<i64>,
    pub(super) to: Option<usize>,
}

impl<'a> Cause<'a> {
    pub(super) fn new(kind: &'a str, when: &'a str) -> Self {
        Self { kind, when, sale: None, purchase: None, to: None }
    }
}

impl Stock {
    /// Empty warehouses.
    pub(super) fn new(records: &mut YearRecords, goods: usize) -> Self {
        let others = WAREHOUSES.iter().zip(1..).skip(1).map(|((code, name), clave)| {
            let mut record = Record::new();
            put(&mut record, "clave", clave);
            put(&mut record, "codigo", *code);
            put(&mut record, "nombre", *name);
            put(&mut record, "sucursal", 0);
            record
        });
        records.list("almacenes", others.collect());
        Self { held: vec![[0; WAREHOUSES.len()]; goods], reserved: vec![0; goods] }
    }

    /// Records the stock at the beginning of the year.
    pub(super) fn open(&mut self, dice: &mut Dice, records: &mut YearRecords, goods: &[Good], day: NaiveDate) {
        let when = at(day, 0);
        for good in 0..goods.len() {
            for warehouse in 0..WAREHOUSES.len() {
                let most = if warehouse == 0 { 160 } else { 40 };
                let count = i64::from(dice.range(0, most));
                if count > 0 {
                    self.change(records, goods, good, warehouse, count, &Cause::new("saldo_inicial", &when));
                }
            }
        }
    }

    /// Sometimes goods are transferred, recounted or written off.
    pub(super) fn day(&mut self, dice: &mut Dice, records: &mut YearRecords, goods: &[Good], day: NaiveDate) {
        let when = at(day, 30);
        let good = dice.range(0, goods.len() as u32 - 1) as usize;
        let few = i64::from(dice.range(1, 6));
        match dice.range(1, 12) {
            1..=4 if self.held[good][0] > few * 4 => {
                let to = dice.range(1, 2) as usize;
                let out = Cause { to: Some(to), ..Cause::new("traspaso_salida", &when) };
                self.change(records, goods, good, 0, -few, &out);
                self.change(records, goods, good, to, few, &Cause::new("traspaso_entrada", &when));
            }
            5 if self.held[good][0] > few => {
                self.change(records, goods, good, 0, -few, &Cause::new("ajuste_salida", &when));
            }
            6 => self.change(records, goods, good, 0, few, &Cause::new("ajuste_entrada", &when)),
            7 if self.held[good][0] > few => {
                self.change(records, goods, good, 0, -few, &Cause::new("merma", &when));
            }
            _ => {}
        }
    }

    /// How many can be sold from the main warehouse.
    pub(super) fn available(&self, good: usize) -> i64 {
        (self.held[good][0] - self.reserved[good]).max(0)
    }

    /// Reserves stock of the main warehouse for an order.
    pub(super) fn reserve(&mut self, good: usize, count: i64) {
        self.reserved[good] += count;
    }

    /// Changes what a warehouse holds, and writes it into the ledger.
    pub(super) fn change(
        &mut self,
        records: &mut YearRecords,
        goods: &[Good],
        good: usize,
        warehouse: usize,
        by: i64,
        cause: &Cause<'_>,
    ) {
        let before = self.held[good][warehouse];
        self.held[good][warehouse] = before + by;
        let mut record = Record::new();
        put(&mut record, "fecha", cause.when);
        put(&mut record, "tipo", cause.kind);
        put(&mut record, "producto", goods[good].product);
        put(&mut record, "cantidad", by.abs());
        put(&mut record, "existencia_anterior", before);
        put(&mut record, "existencia_actual", before + by);
        // As stored: the warehouse's clave.
        put(&mut record, "almacen", (warehouse + 1).to_string());
        if let Some(to) = cause.to {
            put(&mut record, "almacen_destino", (to + 1).to_string());
        }
        if let Some(sale) = cause.sale {
            put(&mut record, "venta", sale);
        }
        if let Some(purchase) = cause.purchase {
            put(&mut record, "compra", purchase);
        }
        put(&mut record, "costo_unitario", money(goods[good].cost));
        put(&mut record, "importe", money(goods[good].cost * by.abs()));
        records.write("movimientos-inventario", record);
    }

    /// Records the stock at the end of the year.
    pub(super) fn close(&self, records: &mut YearRecords, goods: &[Good], today: NaiveDate) {
        for (good, held) in self.held.iter().enumerate() {
            for (warehouse, count) in held.iter().enumerate() {
                if warehouse > 0 && *count == 0 {
                    continue;
                }
                let mut record = Record::new();
                put(&mut record, "producto", goods[good].product);
                put(&mut record, "almacen", WAREHOUSES[warehouse].0);
                put(&mut record, "existencia", *count);
                put(&mut record, "apartado", if warehouse == 0 { self.reserved[good] } else { 0 });
                put(&mut record, "minimo", 0);
                put(&mut record, "modificado", at(super::super::dice::days_before(today, 1), 480));
                records.write("inventario", record);
            }
        }
    }
}
