//! Amounts in words, as Mexican invoices state them.

/// The amount with its currency in words: `MIL CIENTO SESENTA PESOS 00/100 M.N.`. `None` for
/// anything but a decimal with at most 18 digits before the point.
pub(crate) fn amount(total: &str, currency: &str) -> Option<String> {
    let (whole, fraction) = total.split_once('.').unwrap_or((total, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 18 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let number: u64 = whole.parse().ok()?;
    let cents: String = fraction.chars().chain(['0', '0']).take(2).collect();
    let (one, many, mark) = match currency {
        "MXN" => ("PESO", "PESOS", "M.N."),
        "USD" => ("DÓLAR", "DÓLARES", "USD"),
        "EUR" => ("EURO", "EUROS", "EUR"),
        other => (other, other, ""),
    };
    let words = cardinal(number);
    let of = if number >= 1_000_000 && number.is_multiple_of(1_000_000) { " DE" } else { "" };
    let noun = if number == 1 { one } else { many };
    Some(format!("{words}{of} {noun} {cents}/100 {mark}").trim_end().to_owned())
}

/// Spells a number as it stands before a noun.
fn cardinal(number: u64) -> String {
    if number == 0 {
        return "CERO".to_owned();
    }
    let mut words = Vec::new();
    let (billions, millions, rest) = (number / 1_000_000_000_000, number / 1_000_000 % 1_000_000, number % 1_000_000);
    for (count, one, many) in [(billions, "BILLÓN", "BILLONES"), (millions, "MILLÓN", "MILLONES")] {
        if count > 0 {
            below_million(count, &mut words);
            words.push(if count == 1 { one } else { many });
        }
    }
    below_million(rest, &mut words);
    words.join(" ")
}

fn below_million(number: u64, words: &mut Vec<&'static str>) {
    let thousands = number / 1_000;
    if thousands > 1 {
        below_thousand(thousands, words);
    }
    if thousands > 0 {
        words.push("MIL");
    }
    below_thousand(number % 1_000, words);
}

fn below_thousand(number: u64, words: &mut Vec<&'static str>) {
    const HUNDREDS: [&str; 10] = [
        "",
        "CIENTO",
        "DOSCIENTOS",
        "TRESCIENTOS",
        "CUATROCIENTOS",
        "QUINIENTOS",
        "SEISCIENTOS",
        "SETECIENTOS",
        "OCHOCIENTOS",
        "NOVECIENTOS",
    ];
    const TENS: [&str; 10] =
        ["", "", "", "TREINTA", "CUARENTA", "CINCUENTA", "SESENTA", "SETENTA", "OCHENTA", "NOVENTA"];
    const SMALL: [&str; 30] = [
        "",
        "UN",
        "DOS",
        "TRES",
        "CUATRO",
        "CINCO",
        "SEIS",
        "SIETE",
        "OCHO",
        "NUEVE",
        "DIEZ",
        "ONCE",
        "DOCE",
        "TRECE",
        "CATORCE",
        "QUINCE",
        "DIECISÉIS",
        "DIECISIETE",
        "DIECIOCHO",
        "DIECINUEVE",
        "VEINTE",
        "VEINTIÚN",
        "VEINTIDÓS",
        "VEINTITRÉS",
        "VEINTICUATRO",
        "VEINTICINCO",
        "VEINTISÉIS",
        "VEINTISIETE",
        "VEINTIOCHO",
        "VEINTINUEVE",
    ];
    let (hundreds, rest) = ((number / 100) as usize, (number % 100) as usize);
    if number == 100 {
        words.push("CIEN");
        return;
    }
    if hundreds > 0 {
        words.push(HUNDREDS[hundreds]);
    }
    if let Some(word) = SMALL.get(rest).filter(|word| !word.is_empty()) {
        words.push(word);
    } else if rest >= SMALL.len() {
        words.push(TENS[rest / 10]);
        if rest % 10 > 0 {
            words.extend(["Y", SMALL[rest % 10]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_in_words() {
        for (total, currency, expected) in [
            ("0", "MXN", "CERO PESOS 00/100 M.N."),
            ("1.00", "MXN", "UN PESO 00/100 M.N."),
            ("1160.5", "MXN", "MIL CIENTO SESENTA PESOS 50/100 M.N."),
            ("21.16", "USD", "VEINTIÚN DÓLARES 16/100 USD"),
            ("100", "EUR", "CIEN EUROS 00/100 EUR"),
            ("101031.999", "MXN", "CIENTO UN MIL TREINTA Y UN PESOS 99/100 M.N."),
            ("1000000.00", "MXN", "UN MILLÓN DE PESOS 00/100 M.N."),
            ("1000001.00", "MXN", "UN MILLÓN UN PESOS 00/100 M.N."),
            ("2021000000", "MXN", "DOS MIL VEINTIÚN MILLONES DE PESOS 00/100 M.N."),
            ("1000000000000", "MXN", "UN BILLÓN DE PESOS 00/100 M.N."),
            ("716.90", "KWD", "SETECIENTOS DIECISÉIS KWD 90/100"),
            (
                "999999999999999999.99",
                "MXN",
                "NOVECIENTOS NOVENTA Y NUEVE MIL NOVECIENTOS NOVENTA Y NUEVE BILLONES NOVECIENTOS NOVENTA Y NUEVE MIL NOVECIENTOS \
                 NOVENTA Y NUEVE MILLONES NOVECIENTOS NOVENTA Y NUEVE MIL NOVECIENTOS NOVENTA Y NUEVE PESOS 99/100 M.N.",
            ),
        ] {
            assert_eq!(amount(total, currency).as_deref(), Some(expected));
        }
        for wrong in ["", ".5", "-1", "1e3", "1,0", "1000000000000000000"] {
            assert_eq!(amount(wrong, "MXN"), None, "{wrong}");
        }
    }
}
