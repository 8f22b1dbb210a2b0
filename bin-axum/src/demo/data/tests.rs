//! Properties of the generator: the same seed gives the same records, every value is well-formed, nothing repeats.

use std::collections::HashSet;

use chrono::{Days, NaiveDate};
use serde_json::Value;

use super::products::ean_digit;
use super::rfc::check_digit;
use super::{Record, brands, categories, customers, products, units};

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 17).expect("a date")
}

fn text<'a>(record: &'a Record, field: &str) -> Option<&'a str> {
    record.get(field).map(|value| value.as_str().unwrap_or_else(|| panic!("{field} is no text: {value}")))
}

/// The field of every record that has it.
fn all<'a>(records: &'a [Record], field: &str) -> Vec<&'a str> {
    records.iter().filter_map(|record| text(record, field)).collect()
}

fn unique(values: &[&str]) {
    let mut seen = HashSet::new();
    for value in values {
        assert!(seen.insert(*value), "{value} is there twice");
    }
}

fn longest(records: &[Record], field: &str, most: usize) {
    for value in all(records, field) {
        let length = value.chars().count();
        assert!((1..=most).contains(&length), "{field} of {length}: {value}");
        assert_eq!(value, value.trim());
    }
}

fn in_last_year(record: &Record) {
    let changed = text(record, "modificado").expect("modificado");
    let first = today().checked_sub_days(Days::new(365)).expect("a date");
    let last = today().pred_opt().expect("a date");
    let day: NaiveDate = changed[..10].parse().expect("a date");
    assert!(first <= day && day <= last && changed.len() == 20 && changed.ends_with('Z'), "{changed}");
}

#[test]
fn the_same_seed_gives_the_same_records_and_another_gives_others() {
    assert_eq!(customers(7, today(), 120), customers(7, today(), 120));
    assert_eq!(products(7, today()), products(7, today()));
    assert_ne!(customers(7, today(), 120), customers(8, today(), 120));
    assert_ne!(products(7, today()), products(8, today()));
    assert_eq!(customers(7, today(), 120)[..50], customers(7, today(), 50));
}

#[test]
fn customers_are_as_many_as_asked_for_and_one_is_the_public() {
    for count in [0, 1, 400, 1500] {
        let records = customers(1, today(), count);
        assert_eq!(records.len(), count);
        let public: Vec<_> = records.iter().filter(|record| record["publico"] == Value::Bool(true)).collect();
        assert_eq!(public.len(), count.min(1));
        assert!(public.iter().all(|record| record["rfc"] == "XAXX010101000" && record["regimen"] == 616));
    }
}

#[test]
fn customers_do_not_repeat() {
    for seed in 0..20 {
        let records = customers(seed, today(), 600);
        for field in ["nombre", "rfc", "correo"] {
            unique(&all(&records, field));
        }
        for platform in ["a", "b", "c", "d", "e"] {
            let ids = all(&records, &format!("id_platform_{platform}"));
            unique(&ids);
            assert_eq!(ids.len(), records.iter().filter(|record| text(record, "plataforma") == Some(platform)).count());
        }
    }
}

#[test]
fn customers_keep_the_bounds_of_their_fields() {
    for seed in 0..20 {
        let records = customers(seed, today(), 600);
        let bounds = [
            ("nombre", 100),
            ("correo", 50),
            ("telefono", 30),
            ("movil", 14),
            ("cp", 5),
            ("calle", 200),
            ("colonia", 50),
        ];
        for (field, most) in bounds {
            longest(&records, field, most);
        }
        for mail in all(&records, "correo").iter().flat_map(|both| both.split(", ")) {
            let (local, domain) = mail.split_once('@').expect("an at sign");
            assert!(!local.is_empty() && mail.is_ascii(), "{mail}");
            assert!(
                domain.ends_with(".example") || ["example.com", "example.org", "example.net"].contains(&domain),
                "{mail}"
            );
        }
        for phone in all(&records, "telefono").into_iter().chain(all(&records, "movil")) {
            assert_eq!(phone.trim_start_matches("+52").chars().filter(char::is_ascii_digit).count(), 10, "{phone}");
        }
        for record in &records {
            in_last_year(record);
            assert!(record.values().all(|value| !value.is_null()));
        }
    }
}

#[test]
fn tax_identifiers_are_well_formed_and_fit_the_regime() {
    for seed in 0..20 {
        for record in customers(seed, today(), 600).iter().skip(1) {
            let prospect = record["prospecto"] == Value::Bool(true);
            assert_eq!(prospect, !record.contains_key("rfc"));
            let Some(rfc) = text(record, "rfc") else { continue };
            let letters: Vec<char> = rfc.chars().collect();
            let person = letters.len() == 13;
            let (name, rest) = letters.split_at(if person { 4 } else { 3 });
            assert_eq!(rest.len(), 9, "{rfc}");
            assert!(name.iter().all(|letter| letter.is_ascii_uppercase() || "&Ñ".contains(*letter)), "{rfc}");
            let date: String = rest[..6].iter().collect();
            assert!(NaiveDate::parse_from_str(&date, "%y%m%d").is_ok(), "{rfc}");
            let stem: String = letters[..letters.len() - 1].iter().collect();
            assert_eq!(check_digit(&stem), letters[letters.len() - 1], "{rfc}");
            let regime = record["regimen"].as_u64().expect("a number");
            let fitting: &[u64] = if person { &[605, 606, 612, 616, 621, 625, 626] } else { &[601, 603, 622, 626] };
            assert!(fitting.contains(&regime), "{rfc} {regime}");
            if [605, 616].contains(&regime) {
                assert_eq!(record["uso_cfdi"], "S01");
            }
        }
    }
}

#[test]
fn the_check_digit_is_the_authoritys() {
    for known in ["EKU9003173C9", "COSC8001137NA", "H&E951128469", "ICV060329BY0", "CACX7605101P8", "URE180429TM6"] {
        let (stem, digit) = known.split_at(known.len() - 1);
        assert_eq!(check_digit(stem).to_string(), digit);
    }
}

#[test]
fn the_mix_of_customers_is_credible() {
    let records = customers(3, today(), 2000);
    let share = |count: usize| count * 100 / records.len();
    let long = |length| all(&records, "rfc").iter().filter(|rfc| rfc.chars().count() == length).count();
    assert!((50..=62).contains(&share(long(12))), "{}", long(12));
    assert!((32..=42).contains(&share(long(13))), "{}", long(13));
    assert!(
        (6..=10).contains(&share(records.iter().filter(|record| record["prospecto"] == Value::Bool(true)).count()))
    );
    assert!((3..=9).contains(&share(all(&records, "plataforma").len())));
    assert!(share(all(&records, "proximo_contacto").len()) > 15);
}

#[test]
fn products_are_many_and_their_codes_do_not_repeat() {
    for seed in 0..20 {
        let records = products(seed, today());
        assert!(records.len() >= 400, "{}", records.len());
        let active: Vec<&str> =
            records.iter().filter(|it| it["estatus"] == "activo").filter_map(|it| text(it, "sku")).collect();
        unique(&active);
        assert!(active.len() * 10 > records.len() * 8);
        let deleted = records.iter().filter(|it| it["estatus"] == "eliminado").filter_map(|it| text(it, "sku"));
        assert!(deleted.filter(|sku| active.contains(sku)).count() >= 1);
        for field in ["codigo_barras", "id_platform_b"] {
            unique(&all(&records, field));
        }
        for code in all(&records, "codigo_barras") {
            assert!(code.len() == 13 && code.starts_with("750"), "{code}");
            assert_eq!(ean_digit(&code[..12]).to_string(), code[12..], "{code}");
        }
    }
    assert_eq!(ean_digit("750103131130"), 9);
}

#[test]
fn products_keep_the_bounds_of_their_fields_and_name_what_exists() {
    for seed in 0..20 {
        for record in products(seed, today()) {
            in_last_year(&record);
            let description = text(&record, "descripcion").expect("descripcion");
            assert!(description.chars().count() <= 500 && !description.contains(['{', '}']), "{description}");
            assert!(description.trim() == description && !description.contains("  "), "{description}");
            assert!(text(&record, "marca").is_none_or(|brand| brands().contains(&brand)));
            assert!(categories().iter().any(|(name, _)| *name == record["categoria"]), "{}", record["categoria"]);
            assert!(units().iter().any(|(name, _)| *name == record["unidad"]), "{}", record["unidad"]);
            assert!(text(&record, "codigo_sat").is_some_and(|key| key.len() == 8));
            assert!(["16", "0", "EX"].iter().any(|key| record["iva_venta"] == *key));
            let (whole, decimals) = text(&record, "costo").and_then(|cost| cost.split_once('.')).expect("a decimal");
            assert!(whole.parse::<u32>().is_ok() && [2, 4].contains(&decimals.len()));
        }
    }
}

#[test]
fn products_are_of_every_kind() {
    let records = products(1, today());
    let some = |field: &str, value: &str| records.iter().any(|record| text(record, field) == Some(value));
    for kind in ["normal", "virtual_con_precio", "virtual_sin_precio", "gasto"] {
        assert!(some("tipo", kind), "{kind}");
    }
    for kind in ["terminado", "componente", "materia_prima"] {
        assert!(some("subtipo", kind), "{kind}");
    }
    for tax in ["16", "0", "EX"] {
        assert!(some("iva_venta", tax), "{tax}");
    }
    assert!(records.iter().any(|record| record["kit"] == Value::Bool(true)));
    // Every unit has a product.
    assert!(units().iter().all(|(unit, _)| some("unidad", unit)));
}

#[test]
fn the_catalogues_are_sound() {
    unique(brands());
    unique(&units().iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let names: Vec<&str> = categories().iter().map(|(name, _)| *name).collect();
    unique(&names);
    for (at, (name, parent)) in categories().iter().enumerate() {
        match parent {
            None => assert_eq!(at, 0, "{name}"),
            Some(parent) => assert!(names[..at].contains(parent), "{name}"),
        }
    }
}
