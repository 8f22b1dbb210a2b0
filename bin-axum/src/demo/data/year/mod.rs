//! A year of the demo company's business, day by day: purchases, sales, invoices, payments and opportunities.
//!
//! It is a simulation, so that its figures agree with one another: the ledger adds up to the stock, documents add up to
//! their lines, receivables to their documents less the payments. Amounts are whole cents.

mod funnel;
mod goods;
mod purchases;
mod sales;
mod stock;
#[cfg(test)]
mod tests;
mod values;
mod year_records;

use chrono::{Datelike, NaiveDate, Weekday};

use self::stock::Stock;
use self::values::SALESPEOPLE;
use self::year_records::YearRecords;
use super::dice::{Dice, days_before};
use super::record::{Record, put};

/// How many days are simulated.
const DAYS: u32 = 364;

/// Import records of a year until yesterday, by resource, in the order in which each finds what it refers to.
/// `products` and `customers` are the company's, under the claves 1, 2, 3…
pub(crate) fn year(
    seed: u64,
    today: NaiveDate,
    products: &[Record],
    customers: &[Record],
) -> Vec<(&'static str, Vec<Record>)> {
    let mut dice = Dice::new(seed, 3);
    let goods = goods::of(products);
    let mut records = YearRecords::default();
    let mut stock = Stock::new(&mut records, goods.len());
    records.list("vendedores", salespeople());
    purchases::suppliers(&mut dice, &mut records);
    goods::prices(&goods, &mut records);
    sales::accounts(&mut records);
    let first = days_before(today, DAYS);
    stock.open(&mut dice, &mut records, &goods, first);
    let buyers = sales::buyers(customers);
    for ago in (1..DAYS).rev() {
        let day = days_before(today, ago);
        if day.weekday() == Weekday::Sun {
            continue;
        }
        purchases::day(&mut dice, &mut records, &mut stock, &goods, day, today);
        stock.day(&mut dice, &mut records, &goods, day);
        sales::day(&mut dice, &mut records, &mut stock, &goods, &buyers, day, today);
    }
    funnel::of(&mut dice, &mut records, customers, today);
    stock.close(&mut records, &goods, today);
    records.in_order()
}

fn salespeople() -> Vec<Record> {
    let names = ["Ramiro Escalante", "Ofelia Cordero"];
    SALESPEOPLE[1..]
        .iter()
        .zip(names)
        .map(|(clave, name)| {
            let mut record = Record::new();
            put(&mut record, "clave", *clave);
            put(&mut record, "nombre", name);
            record
        })
        .collect()
}
