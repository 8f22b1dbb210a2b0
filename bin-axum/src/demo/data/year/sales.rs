//! Sales of every kind, their invoices, what is owed for them and what was paid.

use chrono::NaiveDate;
use serde_json::Value;

use super::super::dice::Dice;
use super::super::record::{Record, put};
use super::goods::Good;
use super::purchases::uuid;
use super::stock::{Cause, Stock};
use super::values::{SALESPEOPLE, after, at, money, percent_of};
use super::year_records::YearRecords;

/// A customer who buys.
pub(super) struct Buyer {
    clave: i64,
    /// Days of credit; 0 pays at once.
    days: u32,
    /// Whether an invoice can be made out to them.
    taxed: bool,
}

/// The customers who buy: not the prospects.
pub(super) fn buyers(customers: &[Record]) -> Vec<Buyer> {
    customers
        .iter()
        .zip(1..)
        .filter(|(record, _)| record.get("prospecto").and_then(Value::as_bool) != Some(true))
        .map(|(record, clave)| Buyer {
            clave,
            days: record.get("dias_credito").and_then(Value::as_u64).unwrap_or(0) as u32,
            taxed: record.contains_key("rfc") && record.contains_key("cp"),
        })
        .collect()
}

/// The bank accounts.
pub(super) fn accounts(records: &mut YearRecords) {
    for (name, bank, currency) in [
        ("Cuenta operativa", "Banco del Bajío", "MXN"),
        ("Cuenta de cobranza", "Banco Nacional", "MXN"),
        ("Cuenta en dólares", "Banco Nacional", "USD"),
    ] {
        let mut record = Record::new();
        put(&mut record, "nombre", name);
        put(&mut record, "banco", bank);
        put(&mut record, "moneda", currency);
        records.write("cuentas-bancarias", record);
    }
}

/// What a document adds up to, in cents.
#[derive(Default, Clone, Copy)]
struct Sum {
    subtotal: i64,
    discount: i64,
    tax: i64,
}

impl Sum {
    fn total(self) -> i64 {
        self.subtotal - self.discount + self.tax
    }
}

/// Three to seven documents.
pub(super) fn day(
    dice: &mut Dice,
    records: &mut YearRecords,
    stock: &mut Stock,
    goods: &[Good],
    buyers: &[Buyer],
    day: NaiveDate,
    today: NaiveDate,
) {
    for nth in 0..dice.range(3, 7) {
        let buyer = &buyers[dice.range(0, buyers.len() as u32 - 1) as usize];
        let kind =
            dice.weighted(&[(42, "venta"), (33, "factura"), (14, "cotizacion"), (10, "pedido"), (1, "anticipo")]);
        let kind = if kind == "factura" && !buyer.taxed { "venta" } else { kind };
        let when = at(day, 60 + nth * 55 + dice.range(0, 40));
        document(dice, records, stock, goods, &Document { buyer, kind, day, today, when });
    }
}

struct Document<'a> {
    buyer: &'a Buyer,
    kind: &'static str,
    day: NaiveDate,
    today: NaiveDate,
    when: String,
}

fn document(dice: &mut Dice, records: &mut YearRecords, stock: &mut Stock, goods: &[Good], sale: &Document<'_>) {
    let clave = records.count("ventas") + 1;
    let leaves = matches!(sale.kind, "venta" | "factura");
    let cancelled = leaves && dice.percent(3);
    let Some((sum, moved)) = lines(dice, records, stock, goods, sale, clave) else { return };
    let credit = sale.buyer.days > 0 && leaves;
    let mut record = Record::new();
    put(&mut record, "tipo", sale.kind);
    put(&mut record, "serie", if sale.kind == "factura" { "F" } else { "A" });
    put(&mut record, "folio", clave);
    put(&mut record, "fecha", sale.when.as_str());
    put(&mut record, "almacen", "001");
    put(&mut record, "cliente", sale.buyer.clave);
    put(&mut record, "vendedor", dice.pick(&SALESPEOPLE));
    put(&mut record, "condicion_pago", if credit { "credito" } else { "contado" });
    if credit {
        put(&mut record, "dias_credito", sale.buyer.days);
        put(&mut record, "vencimiento", after(sale.day, sale.buyer.days).to_string());
    }
    put(&mut record, "forma_pago_sat", if credit { "99" } else { dice.pick(&["01", "03", "04", "28"]) });
    put(&mut record, "metodo_pago_sat", if credit { "PPD" } else { "PUE" });
    put(&mut record, "subtotal", money(sum.subtotal));
    put(&mut record, "descuento", money(sum.discount));
    put(&mut record, "impuestos", money(sum.tax));
    put(&mut record, "total", money(sum.total()));
    put(&mut record, "origen", dice.weighted(&[(85, "aplicacion"), (10, "plataforma"), (5, "api")]));
    put(&mut record, "modificado", sale.when.as_str());
    if cancelled {
        put(&mut record, "cancelada", true);
        put(&mut record, "fecha_cancelacion", sale.when.as_str());
        for (good, count) in moved {
            let cause = Cause { sale: Some(clave), ..Cause::new("cancelacion_venta", &sale.when) };
            stock.change(records, goods, good, 0, count, &cause);
        }
    }
    records.write("ventas", record);
    let invoice = (sale.kind == "factura").then(|| invoice(dice, records, sale, clave, cancelled));
    if leaves && (credit || invoice.is_some()) && !cancelled {
        let left = receivable(dice, records, sale, clave, sum.total(), credit, invoice);
        records.edit("ventas", clave, |record| put(record, "saldo", money(left)));
    }
}

/// The lines of a document, and what left the warehouse; `None` when there was nothing to sell.
fn lines(
    dice: &mut Dice,
    records: &mut YearRecords,
    stock: &mut Stock,
    goods: &[Good],
    sale: &Document<'_>,
    clave: i64,
) -> Option<(Sum, Vec<(usize, i64)>)> {
    let (mut sum, mut moved, mut number) = (Sum::default(), Vec::new(), 0);
    for _ in 0..dice.range(1, 5) {
        let at = dice.range(0, goods.len() as u32 - 1) as usize;
        let good = &goods[at];
        let wanted = i64::from(dice.range(1, 12));
        let count = if sale.kind == "cotizacion" { wanted } else { wanted.min(stock.available(at)) };
        if count == 0 {
            continue;
        }
        number += 1;
        let subtotal = good.price * count;
        let discount = if dice.percent(12) { percent_of(subtotal, 5) } else { 0 };
        let ieps = percent_of(subtotal - discount, good.ieps);
        let tax = percent_of(subtotal - discount + ieps, good.tax.unwrap_or(0));
        sum = Sum { subtotal: sum.subtotal + subtotal, discount: sum.discount + discount, tax: sum.tax + tax + ieps };
        let mut record = Record::new();
        put(&mut record, "venta", clave);
        put(&mut record, "renglon", number);
        put(&mut record, "producto", good.product);
        put(&mut record, "sku", good.sku.as_str());
        put(&mut record, "descripcion", good.text.as_str());
        put(&mut record, "cantidad", count);
        put(&mut record, "unidad", good.unit.as_str());
        put(&mut record, "codigo_sat", good.sat.as_str());
        put(&mut record, "objeto_impuesto", "02");
        put(&mut record, "precio_unitario", money(good.price));
        put(&mut record, "descuento", money(discount));
        put(&mut record, "subtotal", money(subtotal));
        put(&mut record, "iva_tasa", good.rate());
        put(&mut record, "iva", money(tax));
        if good.ieps > 0 {
            put(&mut record, "ieps_tasa", format!("0.{:02}", good.ieps));
            put(&mut record, "ieps", money(ieps));
        }
        put(&mut record, "total", money(subtotal - discount + ieps + tax));
        records.write("ventas-renglones", record);
        match sale.kind {
            "venta" | "factura" => {
                let cause = Cause { sale: Some(clave), ..Cause::new("venta", &sale.when) };
                stock.change(records, goods, at, 0, -count, &cause);
                moved.push((at, count));
            }
            "pedido" => stock.reserve(at, count),
            _ => {}
        }
    }
    (number > 0).then_some((sum, moved))
}

/// The registry's row of an invoice; gives its clave and uuid.
fn invoice(
    dice: &mut Dice,
    records: &mut YearRecords,
    sale: &Document<'_>,
    clave: i64,
    cancelled: bool,
) -> (i64, String) {
    let uuid = uuid(dice);
    let mut record = Record::new();
    put(&mut record, "tipo", "factura");
    put(&mut record, "estatus", if cancelled { "cancelada" } else { "vigente" });
    put(&mut record, "venta", clave);
    put(&mut record, "cliente", sale.buyer.clave);
    put(&mut record, "serie", "F");
    put(&mut record, "folio", clave.to_string());
    put(&mut record, "uuid", uuid.as_str());
    put(&mut record, "fecha", sale.when.as_str());
    put(&mut record, "fecha_timbrado", sale.when.as_str());
    if cancelled {
        put(&mut record, "fecha_cancelacion", sale.when.as_str());
        put(&mut record, "motivo_cancelacion", "02");
    }
    put(&mut record, "modificado", sale.when.as_str());
    (records.write("facturas", record), uuid)
}

/// What is owed for a document, and the payments so far; gives what is left.
fn receivable(
    dice: &mut Dice,
    records: &mut YearRecords,
    sale: &Document<'_>,
    clave: i64,
    total: i64,
    credit: bool,
    invoice: Option<(i64, String)>,
) -> i64 {
    let due = after(sale.day, if credit { sale.buyer.days } else { 0 });
    let late = (sale.today - due).num_days();
    // Cash is paid on the day; of credit most is paid around its due day, some in two parts, some not yet.
    let parts: Vec<(NaiveDate, i64)> = match late {
        _ if !credit => vec![(sale.day, total)],
        5.. if dice.percent(80) => vec![(after(due, dice.range(0, 4)), total)],
        5.. if dice.percent(60) => {
            let half = total / 2;
            vec![(due, half), (after(due, 4), total - half)]
        }
        0.. if dice.percent(40) && total > 1 => vec![(due, total / 2)],
        _ => Vec::new(),
    };
    let receivable = records.count("cxc") + 1;
    let (mut left, mut last) = (total, sale.when.clone());
    for ((day, amount), part) in parts.iter().zip(1..) {
        let mut record = Record::new();
        put(&mut record, "cxc", receivable);
        put(&mut record, "venta", clave);
        put(&mut record, "cliente", sale.buyer.clave);
        put(&mut record, "fecha", day.to_string());
        last = at(*day, 450);
        put(&mut record, "aplicado", last.as_str());
        put(&mut record, "importe", money(*amount));
        put(&mut record, "forma_pago_sat", "03");
        put(&mut record, "cuenta_bancaria", i64::from(dice.range(1, 2)));
        put(&mut record, "referencia", format!("SPEI {}", dice.digits(7, 1)));
        put(&mut record, "parcialidad", part);
        put(&mut record, "saldo_anterior", money(left));
        left -= amount;
        put(&mut record, "saldo_insoluto", money(left));
        if credit && invoice.is_some() {
            let complement = uuid(dice);
            put(&mut record, "complemento", "timbrado");
            put(&mut record, "uuid", complement.as_str());
            put(&mut record, "factura", complement_row(records, sale, &last, complement));
        }
        records.write("cxc-pagos", record);
    }
    let mut record = Record::new();
    put(&mut record, "folio", format!("C-{receivable:05}"));
    put(&mut record, "estatus", if left == 0 { "pagado" } else { "pendiente" });
    put(&mut record, "cliente", sale.buyer.clave);
    put(&mut record, "venta", clave);
    if let Some((invoice, uuid)) = invoice {
        put(&mut record, "factura", invoice);
        put(&mut record, "uuid", uuid);
    }
    put(&mut record, "metodo_pago_sat", if credit { "PPD" } else { "PUE" });
    put(&mut record, "fecha", sale.day.to_string());
    put(&mut record, "vencimiento", due.to_string());
    put(&mut record, "total", money(total));
    put(&mut record, "pagado", money(total - left));
    put(&mut record, "saldo", money(left));
    put(&mut record, "parcialidades", parts.len());
    put(&mut record, "modificado", last);
    records.write("cxc", record);
    left
}

/// The registry's row of a payment complement.
fn complement_row(records: &mut YearRecords, sale: &Document<'_>, when: &str, uuid: String) -> i64 {
    let mut record = Record::new();
    put(&mut record, "tipo", "pago");
    put(&mut record, "estatus", "vigente");
    put(&mut record, "cliente", sale.buyer.clave);
    put(&mut record, "serie", "P");
    put(&mut record, "uuid", uuid);
    put(&mut record, "fecha", when);
    put(&mut record, "fecha_timbrado", when);
    records.write("facturas", record)
}
