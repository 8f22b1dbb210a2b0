//! The CRM's funnel.

use chrono::NaiveDate;
use serde_json::Value;

use super::super::dice::{Dice, days_before};
use super::super::names;
use super::super::record::{Record, put};
use super::values::{SALESPEOPLE, after, at, money};
use super::year_records::YearRecords;

/// The stages: name, type, probability.
const STAGES: [(&str, &str, i64); 6] = [
    ("Contacto inicial", "abierta", 10),
    ("Levantamiento", "abierta", 25),
    ("Propuesta enviada", "abierta", 50),
    ("Negociación", "abierta", 75),
    ("Ganada", "ganada", 100),
    ("Perdida", "perdida", 0),
];

/// Why deals are lost.
const REASONS: [&str; 4] = ["Precio", "Tiempo de entrega", "Compró con otro", "Se canceló la obra"];

/// What deals are about.
const DEALS: [&str; 8] = [
    "Suministro eléctrico de nave industrial",
    "Tubería para fraccionamiento",
    "Herramienta para cuadrilla de mantenimiento",
    "Pintura de plaza comercial",
    "Iluminación LED de oficinas",
    "Ferretería para obra pública",
    "Reposición anual de consumibles",
    "Red hidráulica de hotel",
];

/// Stages, reasons and a hundred and some deals.
pub(super) fn of(dice: &mut Dice, records: &mut YearRecords, customers: &[Record], today: NaiveDate) {
    for ((name, kind, probability), place) in STAGES.iter().zip(1..) {
        let mut record = Record::new();
        put(&mut record, "nombre", *name);
        put(&mut record, "tipo", *kind);
        put(&mut record, "orden", place);
        put(&mut record, "probabilidad", *probability);
        records.write("etapas-oportunidad", record);
    }
    for reason in REASONS {
        let mut record = Record::new();
        put(&mut record, "nombre", reason);
        records.write("motivos-perdida", record);
    }
    for _ in 0..140 {
        let deal = deal(dice, customers, today);
        records.write("oportunidades", deal);
    }
}

fn deal(dice: &mut Dice, customers: &[Record], today: NaiveDate) -> Record {
    let begun = days_before(today, dice.range(1, 300));
    let stage = dice.weighted(&[(22, 0), (18, 1), (16, 2), (10, 3), (20, 4), (14, 5)]);
    let mut record = Record::new();
    put(&mut record, "nombre", dice.pick(&DEALS));
    put(&mut record, "etapa", stage as i64 + 1);
    put(&mut record, "estatus", STAGES[stage].1);
    if dice.percent(70) {
        let at = dice.range(1, customers.len() as u32 - 1) as usize;
        put(&mut record, "cliente", at as i64 + 1);
        if let Some(name) = customers[at].get("nombre").and_then(Value::as_str) {
            put(&mut record, "contacto_empresa", name);
        }
    }
    let person = names::person(dice);
    put(&mut record, "contacto_nombre", person.full());
    put(&mut record, "contacto_correo", format!("contacto{}@obra.example", dice.digits(4, 1)));
    put(&mut record, "contacto_telefono", super::super::contact::phone(dice, "33"));
    if dice.percent(85) {
        put(&mut record, "vendedor", dice.pick(&SALESPEOPLE));
    }
    put(&mut record, "monto", money(i64::from(dice.range(5, 900)) * 100_000));
    if dice.percent(30) {
        put(&mut record, "probabilidad", i64::from(dice.range(1, 19)) * 5);
    }
    let closing = after(begun, dice.range(10, 120));
    put(&mut record, "cierre", closing.to_string());
    let closed = STAGES[stage].1 != "abierta";
    if closed {
        let end = closing.min(days_before(today, 1)).max(begun);
        put(&mut record, "fecha_cierre", at(end, 200));
    }
    if STAGES[stage].1 == "perdida" {
        put(&mut record, "motivo_perdida", i64::from(dice.range(1, REASONS.len() as u32)));
    }
    put(&mut record, "origen", dice.pick(&["Recomendación", "Sitio web", "Visita", "Licitación"]));
    put(&mut record, "creado", at(begun, 60));
    put(&mut record, "modificado", at(begun.max(days_before(today, 20)), 90));
    record
}
