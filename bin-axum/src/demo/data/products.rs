//! The products: lines in most of their sizes, with SKU, cost and barcode.

use std::collections::HashSet;

use chrono::NaiveDate;

use super::catalog::brands;
use super::dice::Dice;
use super::families::{self, Family, Line};
use super::record::{Record, put};

/// What the numbers of all products are counted with.
#[derive(Default)]
struct Counters {
    /// The last number used in a SKU of the present family.
    sku: u32,
    /// The last item number used in a barcode.
    barcode: u32,
    numbers: HashSet<String>,
}

/// Import records of products, several hundred; three SKUs are there twice, deleted once and then made again.
pub(crate) fn products(seed: u64, today: NaiveDate) -> Vec<Record> {
    let mut dice = Dice::new(seed, 2);
    let mut counters = Counters::default();
    let mut records = Vec::new();
    for family in families::all() {
        counters.sku = 100;
        for line in family.lines {
            let brand = if family.brands.is_empty() { None } else { Some(dice.pick(family.brands)) };
            let sizes: Vec<&str> = line.sizes.split('|').collect();
            for (at, size) in sizes.iter().enumerate() {
                // A small company does not stock every size, but always the first.
                if at > 0 && dice.percent(40) {
                    continue;
                }
                let mut record = product(&mut dice, &mut counters, family, line, brand, size);
                put(&mut record, "costo", cost(&mut dice, line.cost, at, sizes.len()));
                put(&mut record, "modificado", dice.moment(today));
                records.push(record);
            }
        }
    }
    let (quarter, half) = (records.len() / 4, records.len() / 2);
    // From the end, so that the earlier positions do not move.
    for at in [half + quarter, half, quarter] {
        remake(&mut records, at);
    }
    records
}

fn product(
    dice: &mut Dice,
    counters: &mut Counters,
    family: &Family,
    line: &Line,
    brand: Option<&str>,
    size: &str,
) -> Record {
    // Gaps, as after deletions.
    counters.sku += dice.range(1, 6);
    let mut record = Record::new();
    put(&mut record, "sku", format!("{}-{:04}", family.prefix, counters.sku));
    put(&mut record, "descripcion", line.text.replacen("{}", size, 1));
    put(&mut record, "estatus", dice.weighted(&[(88, "activo"), (9, "inactivo"), (3, "eliminado")]));
    put(&mut record, "tipo", family.kind);
    put(&mut record, "subtipo", family.subkind);
    put(&mut record, "kit", family.kit);
    put(&mut record, "codigo_sat", line.sat);
    put(&mut record, "categoria", family.category);
    put(&mut record, "unidad", family.unit);
    put(&mut record, "iva_venta", family.tax);
    put(&mut record, "objeto_impuesto", "02");
    for (field, rate) in family.taxes {
        put(&mut record, field, *rate);
    }
    if let Some(brand) = brand {
        put(&mut record, "marca", brand);
        counters.barcode += dice.range(1, 9);
        put(&mut record, "codigo_barras", barcode(brand, counters.barcode));
        if dice.percent(5) {
            put(&mut record, "id_platform_b", listing(dice, &mut counters.numbers));
        }
    }
    record
}

/// Puts before an active product the deleted one that had its SKU, with what was known of it then.
fn remake(records: &mut Vec<Record>, at: usize) {
    let Some(record) = records.get_mut(at) else { return };
    put(record, "estatus", "activo");
    let mut former = record.clone();
    former.remove("codigo_barras");
    former.remove("id_platform_b");
    put(&mut former, "estatus", "eliminado");
    if let Some(text) = record.get("descripcion").and_then(|text| text.as_str()) {
        put(&mut former, "descripcion", format!("{text} (presentación anterior)"));
    }
    records.insert(at, former);
}

/// The cost of a size in pesos: between the line's first and last cost, rising faster towards the end, a little off.
/// What costs less than ten pesos has four decimals, the rest two.
fn cost(dice: &mut Dice, (first, last): (u32, u32), at: usize, count: usize) -> String {
    let (first, last, at, steps) =
        (u64::from(first), u64::from(last), at as u64, count.saturating_sub(1).max(1) as u64);
    // In hundredths of a cent.
    let even = (first + last.saturating_sub(first) * (at * steps + at * at) / (2 * steps * steps)) * 100;
    let off = even * u64::from(dice.range(9_700, 10_300)) / 10_000;
    if (1..100_000).contains(&off) {
        format!("{}.{:04}", off / 10_000, off % 10_000)
    } else {
        format!("{}.{:02}", off / 10_000, off % 10_000 / 100)
    }
}

/// An EAN-13 with Mexico's prefix, a maker's number of the brand, the item and the check digit.
fn barcode(brand: &str, item: u32) -> String {
    let maker = brands().iter().position(|known| *known == brand).unwrap_or_default() * 173 + 1_208;
    let stem = format!("750{maker:04}{item:05}");
    let digit = ean_digit(&stem);
    format!("{stem}{digit}")
}

/// The check digit of the twelve before it: their weights alternate between one and three.
pub(super) fn ean_digit(stem: &str) -> u32 {
    let sum: u32 = stem
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .zip([1, 3].into_iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .sum();
    (10 - sum % 10) % 10
}

/// The number of a product's listing on the marketplace, not used yet.
fn listing(dice: &mut Dice, taken: &mut HashSet<String>) -> String {
    loop {
        let number = format!("B{}", dice.digits(10, 1));
        if taken.insert(number.clone()) {
            return number;
        }
    }
}
