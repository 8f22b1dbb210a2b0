//! The customers: companies and persons of the building and maintenance trades, and the public in general.

use std::collections::HashSet;

use chrono::NaiveDate;

use super::companies::{self, CompanyKind, CompanyName};
use super::dice::{Dice, days_before};
use super::names::{self, Person};
use super::places::{self, Place};
use super::record::{Record, put};
use super::{contact, rfc};

/// Mexico's key in the list of countries.
const MEXICO: u32 = 172;
/// The RFC of invoices to the general public.
const PUBLIC_RFC: &str = "XAXX010101000";
/// The API's bound on `nombre`.
const NAME_LENGTH: usize = 100;

/// What may not come up twice among the customers.
#[derive(Default)]
struct Taken {
    names: HashSet<String>,
    rfcs: HashSet<String>,
    mails: HashSet<String>,
    numbers: HashSet<String>,
}

/// Who a customer is: what the other fields are derived from.
enum Who {
    Company(CompanyName),
    Person(Person),
}

/// Import records of customers; the first is the public in general, the others companies (60 %) and persons.
pub(crate) fn customers(seed: u64, today: NaiveDate, count: usize) -> Vec<Record> {
    let mut dice = Dice::new(seed, 1);
    let mut taken = Taken::default();
    let mut records = Vec::with_capacity(count);
    for at in 0..count {
        records.push(if at == 0 { public(&mut dice, today) } else { customer(&mut dice, &mut taken, today) });
    }
    records
}

/// The customer that sales over the counter are made to.
fn public(dice: &mut Dice, today: NaiveDate) -> Record {
    let mut record = Record::new();
    put(&mut record, "nombre", "Público en general");
    put(&mut record, "razon_social", "PÚBLICO EN GENERAL");
    put(&mut record, "rfc", PUBLIC_RFC);
    put(&mut record, "prospecto", false);
    put(&mut record, "publico", true);
    put(&mut record, "regimen", 616);
    put(&mut record, "uso_cfdi", "S01");
    put(&mut record, "cp", places::HOME_POSTAL);
    put(&mut record, "pais", MEXICO);
    put(&mut record, "dias_credito", 0);
    put(&mut record, "modificado", dice.moment(today));
    record
}

fn customer(dice: &mut Dice, taken: &mut Taken, today: NaiveDate) -> Record {
    let (who, name) = loop {
        let (who, name) = someone(dice);
        // The same name with and without its legal form would look like one customer twice.
        let sign = if let Who::Company(company) = &who { &company.name } else { &name };
        if name.chars().count() <= NAME_LENGTH && taken.names.insert(sign.to_lowercase()) {
            break (who, name);
        }
    };
    let prospect = dice.percent(8);
    let place = places::place(dice);
    let mut record = Record::new();
    put(&mut record, "nombre", name);
    if !prospect {
        put(&mut record, "razon_social", who.legal_name().to_uppercase());
        taxes(dice, taken, today, &who, &mut record);
    }
    reach(dice, taken, &who, &place, &mut record);
    put(&mut record, "prospecto", prospect);
    put(&mut record, "publico", false);
    if !prospect && dice.percent(if matches!(who, Who::Person(_)) { 14 } else { 1 }) {
        marketplace(dice, taken, &mut record);
    }
    if dice.percent(if prospect { 75 } else { 22 }) {
        put(&mut record, "proximo_contacto", dice.appointment(today));
    }
    // A prospect's address is mostly not known yet.
    if !prospect || dice.percent(35) {
        put(&mut record, "cp", place.postal);
        put(&mut record, "calle", place.street);
        put(&mut record, "colonia", place.neighbourhood);
        put(&mut record, "pais", MEXICO);
    }
    if !prospect {
        credit(dice, &who, &mut record);
    }
    put(&mut record, "modificado", dice.moment(today));
    record
}

impl Who {
    /// The name in tax documents: a company's without its legal form.
    fn legal_name(&self) -> String {
        match self {
            Self::Company(company) => company.name.clone(),
            Self::Person(person) => person.full(),
        }
    }
}

/// A company or a person, and the customer's name.
fn someone(dice: &mut Dice) -> (Who, String) {
    if dice.percent(60) {
        let company = companies::company(dice);
        let name = if dice.percent(68) { format!("{}, {}", company.name, company.form) } else { company.name.clone() };
        (Who::Company(company), name)
    } else {
        let person = names::person(dice);
        let name = if dice.percent(22) { companies::shop(dice, person.paternal) } else { person.full() };
        (Who::Person(person), name)
    }
}

/// The tax identifier, the regime and the use of invoices, each fitting the others.
fn taxes(dice: &mut Dice, taken: &mut Taken, today: NaiveDate, who: &Who, record: &mut Record) {
    let date = match who {
        // Founded within the last fifty years; born between 20 and 78 years ago.
        Who::Company(company) => days_before(today, dice.range(200, company.oldest())),
        Who::Person(_) => days_before(today, dice.range(7_400, 28_500)),
    };
    let rfc = loop {
        let rfc = match who {
            Who::Company(company) => rfc::of_company(&company.name, date, dice),
            Who::Person(person) => rfc::of_person(person, date, dice),
        };
        if taken.rfcs.insert(rfc.clone()) {
            break rfc;
        }
    };
    let regime: u32 = match who {
        Who::Company(CompanyName { kind: CompanyKind::Association, .. }) => 603,
        Who::Company(CompanyName { kind: CompanyKind::Farm, .. }) => dice.weighted(&[(7, 622), (2, 601), (1, 626)]),
        Who::Company(_) => dice.weighted(&[(75, 601), (25, 626)]),
        Who::Person(_) => dice.weighted(&[(42, 612), (28, 626), (10, 605), (6, 606), (5, 621), (4, 625), (5, 616)]),
    };
    let usage = match regime {
        // Wages, and no obligations: neither deducts purchases.
        605 | 616 => "S01",
        603 | 606 => "G03",
        _ => dice.weighted(&[(52, "G01"), (38, "G03"), (5, "I01"), (5, "S01")]),
    };
    put(record, "rfc", rfc);
    put(record, "regimen", regime);
    put(record, "uso_cfdi", usage);
}

/// Mail and telephones; some customers are known by one of them only.
fn reach(dice: &mut Dice, taken: &mut Taken, who: &Who, place: &Place, record: &mut Record) {
    if dice.percent(86) {
        let mail = match who {
            Who::Company(company) => contact::company_mail(dice, &mut taken.mails, company),
            Who::Person(person) => contact::personal_mail(dice, &mut taken.mails, &person.given, person.paternal),
        };
        put(record, "correo", mail);
    }
    let company = matches!(who, Who::Company(_));
    if dice.percent(if company { 85 } else { 50 }) {
        put(record, "telefono", contact::phone(dice, place.area));
    }
    if dice.percent(if company { 40 } else { 80 }) {
        put(record, "movil", contact::mobile(dice, place.area));
    }
}

/// The number a customer has on the marketplace it buys through.
fn marketplace(dice: &mut Dice, taken: &mut Taken, record: &mut Record) {
    let platform = dice.weighted(&[(35, "a"), (30, "b"), (15, "c"), (12, "d"), (8, "e")]);
    let id = loop {
        let id = match platform {
            "a" => dice.digits(9, 1),
            "b" => format!("B-{}-{}", dice.digits(3, 1), dice.digits(7, 1)),
            "c" => format!("C{}", dice.digits(10, 1)),
            "d" => dice.digits(12, 4),
            _ => format!("buyer_{}", dice.digits(6, 1)),
        };
        if taken.numbers.insert(id.clone()) {
            break id;
        }
    };
    put(record, &format!("id_platform_{platform}"), id);
    put(record, "plataforma", platform);
}

/// What a customer may owe, and for how long.
fn credit(dice: &mut Dice, who: &Who, record: &mut Record) {
    let granted = dice.percent(if matches!(who, Who::Company(_)) { 60 } else { 18 });
    if !granted {
        put(record, "dias_credito", 0);
        return;
    }
    let days = dice.weighted(&[(15, 8), (35, 15), (50, 30)]);
    let thousands = dice.weighted(&[(20, 10), (20, 20), (20, 35), (15, 50), (12, 80), (8, 150), (4, 250), (1, 500)]);
    put(record, "limite_credito", format!("{thousands}000.00"));
    put(record, "dias_credito", days);
}
