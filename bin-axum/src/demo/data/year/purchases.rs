//! Suppliers, purchase orders, and what is owed for them.

use chrono::NaiveDate;

use super::super::companies;
use super::super::dice::{Dice, days_before};
use super::super::record::{Record, put};
use super::goods::Good;
use super::stock::{Cause, Stock};
use super::values::{after, at, money, percent_of};
use super::year_records::YearRecords;

/// How many suppliers there are.
const SUPPLIERS: u32 = 24;

/// The company's suppliers.
pub(super) fn suppliers(dice: &mut Dice, records: &mut YearRecords) {
    for number in 1..=SUPPLIERS {
        let company = companies::company(dice);
        let founded = days_before(NaiveDate::from_ymd_opt(2015, 1, 1).unwrap_or_default(), dice.range(0, 9_000));
        let mut record = Record::new();
        put(&mut record, "folio", format!("P{number:03}"));
        put(&mut record, "nombre", company.name.clone());
        put(&mut record, "contacto", super::super::names::person(dice).full());
        put(&mut record, "rfc", super::super::rfc::of_company(company.core, founded, dice));
        put(&mut record, "correo", format!("ventas@proveedor{number}.example"));
        put(&mut record, "telefono", super::super::contact::phone(dice, "33"));
        put(&mut record, "estatus", dice.weighted(&[(90, "activo"), (7, "inactivo"), (3, "eliminado")]));
        records.write("proveedores", record);
    }
}

/// A purchase every other day, and an expense each week.
pub(super) fn day(
    dice: &mut Dice,
    records: &mut YearRecords,
    stock: &mut Stock,
    goods: &[Good],
    day: NaiveDate,
    today: NaiveDate,
) {
    if dice.percent(50) {
        purchase(dice, records, stock, goods, day, today);
    }
    if dice.percent(16) {
        let (concept, most) = dice.pick(&[
            ("Renta de bodega", 2_400_000),
            ("Energía eléctrica", 480_000),
            ("Fletes", 350_000),
            ("Papelería", 90_000),
        ]);
        let total = i64::from(dice.range(most / 3, most));
        let mut record = payable(dice, day, total, 15, today);
        put(&mut record, "tipo", "gasto");
        put(&mut record, "concepto", concept);
        records.write("cxp", record);
    }
}

fn purchase(
    dice: &mut Dice,
    records: &mut YearRecords,
    stock: &mut Stock,
    goods: &[Good],
    day: NaiveDate,
    today: NaiveDate,
) {
    let when = at(day, dice.range(0, 120));
    let age = (today - day).num_days();
    let state = match age {
        0..=3 => "pendiente",
        4..=8 if dice.percent(40) => "parcial",
        _ if dice.percent(3) => "cancelada",
        _ => "recibida",
    };
    let supplier = i64::from(dice.range(1, SUPPLIERS));
    let order = records.count("compras") + 1;
    let (mut subtotal, mut tax) = (0, 0);
    for line in 1..=i64::from(dice.range(2, 8)) {
        let good = dice.range(0, goods.len() as u32 - 1) as usize;
        let count = i64::from(dice.range(2, 12)) * 10;
        let received = match state {
            "recibida" => count,
            "parcial" => count / 2,
            _ => 0,
        };
        let amount = goods[good].cost * count;
        let iva = percent_of(amount, goods[good].tax.unwrap_or(0));
        (subtotal, tax) = (subtotal + amount, tax + iva);
        let mut record = Record::new();
        put(&mut record, "compra", order);
        put(&mut record, "renglon", line);
        put(&mut record, "producto", goods[good].product);
        put(&mut record, "descripcion", goods[good].text.clone());
        put(&mut record, "cantidad", count);
        put(&mut record, "cantidad_recibida", received);
        put(&mut record, "unidad", goods[good].unit.clone());
        put(&mut record, "costo_unitario", money(goods[good].cost));
        put(&mut record, "subtotal", money(amount));
        put(&mut record, "iva", money(iva));
        put(&mut record, "total", money(amount + iva));
        records.write("compras-renglones", record);
        if received > 0 {
            let cause = Cause { purchase: Some(order), ..Cause::new("compra", &when) };
            stock.change(records, goods, good, 0, received, &cause);
        }
    }
    let mut record = Record::new();
    put(&mut record, "folio", format!("OC-{order:05}"));
    put(&mut record, "estatus", state);
    put(&mut record, "proveedor", supplier);
    put(&mut record, "fecha", when.as_str());
    put(&mut record, "fecha_entrega", after(day, dice.range(3, 9)).to_string());
    put(&mut record, "almacen", "001");
    put(&mut record, "subtotal", money(subtotal));
    put(&mut record, "impuestos", money(tax));
    put(&mut record, "total", money(subtotal + tax));
    if state == "recibida" {
        let mut owed = payable(dice, day, subtotal + tax, 30, today);
        put(&mut owed, "tipo", "compra");
        put(&mut owed, "proveedor", supplier);
        put(&mut owed, "compra", order);
        put(&mut owed, "factura", format!("A{}", dice.digits(5, 1)));
        put(&mut owed, "uuid", uuid(dice));
        put(&mut record, "cxp", records.write("cxp", owed));
    }
    put(&mut record, "modificado", when);
    records.write("compras", record);
}

/// An account payable, paid once it is a while overdue.
fn payable(dice: &mut Dice, day: NaiveDate, total: i64, days: u32, today: NaiveDate) -> Record {
    let due = after(day, days);
    let paid = match (today - due).num_days() {
        0.. if dice.percent(92) => total,
        -10..0 if dice.percent(30) => total / 2,
        _ => 0,
    };
    let mut record = Record::new();
    put(&mut record, "fecha", day.to_string());
    put(&mut record, "vencimiento", due.to_string());
    put(&mut record, "total", money(total));
    put(&mut record, "pagado", money(paid));
    put(&mut record, "saldo", money(total - paid));
    put(&mut record, "estatus", if paid == total { "pagado" } else { "pendiente" });
    record
}

/// A text in the form of a fiscal folio.
pub(super) fn uuid(dice: &mut Dice) -> String {
    let mut hex = |length| (0..length).map(|_| char::from(dice.pick(b"0123456789abcdef"))).collect::<String>();
    format!("{}-{}-4{}-a{}-{}", hex(8), hex(4), hex(3), hex(3), hex(12))
}
