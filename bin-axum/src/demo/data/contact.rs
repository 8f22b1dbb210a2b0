//! Telephones and mail addresses. Area codes are real; mail domains are those reserved for examples.

use std::collections::HashSet;

use super::companies::CompanyName;
use super::dice::Dice;

/// The reserved domains a private person's address may have.
const DOMAINS: &[&str] = &["example.com", "example.org", "example.net", "correo.example", "buzon.example"];
/// Departments of a company that get mail.
const DEPARTMENTS: &[&str] =
    &["compras", "contacto", "facturacion", "administracion", "almacen", "pagos", "obras", "mantenimiento"];
/// The API's bound on `correo`.
const MAIL_LENGTH: usize = 50;

/// A telephone number in the area, in one of the usual notations.
pub(super) fn phone(dice: &mut Dice, area: &str) -> String {
    let (exchange, line) = local(dice, area);
    match dice.range(0, 9) {
        0..=3 => format!("{area} {exchange} {line}"),
        4..=6 => format!("({area}) {exchange}-{line}"),
        7..=8 => format!("+52 {area} {exchange} {line}"),
        _ => format!("{area}{exchange}{line}"),
    }
}

/// A mobile number of the area; at most 14 characters.
pub(super) fn mobile(dice: &mut Dice, area: &str) -> String {
    let (exchange, line) = local(dice, area);
    match dice.range(0, 9) {
        0..=5 => format!("{area}{exchange}{line}"),
        6..=8 => format!("{area} {exchange} {line}"),
        _ => format!("+52{area}{exchange}{line}"),
    }
}

/// Ten digits in all: an area of two has exchanges of four, one of three has exchanges of three.
fn local(dice: &mut Dice, area: &str) -> (String, String) {
    (dice.digits(6 - area.len(), 2), dice.digits(4, 0))
}

/// A person's address: of the name, not taken yet.
pub(super) fn personal_mail(dice: &mut Dice, taken: &mut HashSet<String>, given: &str, surname: &str) -> String {
    let first = slug(given.split_whitespace().next().unwrap_or(given), 12);
    let last = slug(surname, 14);
    let local = match dice.range(0, 3) {
        0 => format!("{first}.{last}"),
        1 => format!("{first}{last}{}", dice.range(70, 99)),
        2 => format!("{last}.{first}"),
        _ => format!("{}{last}", first.chars().take(1).collect::<String>()),
    };
    free(taken, &local, dice.pick(DOMAINS))
}

/// A company's address at a domain of its own, sometimes two with a comma between them.
pub(super) fn company_mail(dice: &mut Dice, taken: &mut HashSet<String>, company: &CompanyName) -> String {
    let domain = company_domain(taken, company);
    let (department, other) = (dice.pick(DEPARTMENTS), dice.pick(DEPARTMENTS));
    let first = format!("{department}@{domain}");
    let both = format!("{first}, {other}@{domain}");
    if other != department && dice.percent(20) && both.len() <= MAIL_LENGTH { both } else { first }
}

/// A domain no other company has: of the core of the name, else with the trade before it, else with a number.
fn company_domain(taken: &mut HashSet<String>, company: &CompanyName) -> String {
    let core = slug(company.core, 14);
    let trade = slug(company.name.split_whitespace().next().unwrap_or_default(), 13);
    let mut domain = format!("{core}.example");
    let mut number = 0;
    while !taken.insert(domain.clone()) {
        number += 1;
        domain = match number {
            1 => format!("{trade}{core}.example"),
            2 => format!("{core}mx.example"),
            _ => format!("{core}{number}.example"),
        };
    }
    domain
}

/// The address, with a number after the local part while it is taken.
fn free(taken: &mut HashSet<String>, local: &str, domain: &str) -> String {
    let mut address = format!("{local}@{domain}");
    let mut number = 1;
    while !taken.insert(address.clone()) {
        number += 1;
        address = format!("{local}{number}@{domain}");
    }
    address
}

/// The lower-case letters and digits of a text without accents, cut at `most`.
fn slug(text: &str, most: usize) -> String {
    text.to_lowercase()
        .chars()
        .map(|letter| match letter {
            'á' => 'a',
            'é' => 'e',
            'í' => 'i',
            'ó' => 'o',
            'ú' | 'ü' => 'u',
            'ñ' => 'n',
            other => other,
        })
        .filter(char::is_ascii_alphanumeric)
        .take(most)
        .collect()
}
