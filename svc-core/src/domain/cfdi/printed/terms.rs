//! Formats keys, amounts and taxes for people.

use crate::domain::cfdi::element::Element;
pub(super) use crate::domain::paper::words::{amount, date, trimmed};
use crate::domain::sat;

/// Separates notes on one line.
pub(super) const SEPARATOR: &str = " · ";

/// A key with its meaning: `601 General de Ley Personas Morales`.
pub(super) fn keyed(catalogue: &str, key: &str) -> String {
    sat::describe(catalogue, key).map_or_else(|| key.to_owned(), |text| format!("{key} {text}"))
}

pub(super) fn title(tipo: &str) -> &'static str {
    match tipo {
        "I" => "Factura",
        "E" => "Nota de crédito",
        "P" => "Recibo de pago",
        _ => "Comprobante",
    }
}

/// `c_TipoDeComprobante` with its meaning.
pub(super) fn tipo(key: &str) -> String {
    let text = match key {
        "I" => "Ingreso",
        "E" => "Egreso",
        "P" => "Pago",
        "T" => "Traslado",
        "N" => "Nómina",
        _ => return key.to_owned(),
    };
    format!("{key} {text}")
}

/// `c_Exportacion` with its meaning.
pub(super) fn exportacion(key: &str) -> String {
    let text = match key {
        "01" => "No aplica",
        "02" => "Definitiva con clave A1",
        "03" => "Temporal",
        "04" => "Definitiva con clave distinta a A1",
        _ => return key.to_owned(),
    };
    format!("{key} {text}")
}

/// A tax with its rate: `IVA 16 %`, `IEPS 0.5 por unidad`, `IVA exento`. The attributes end in
/// `suffix`.
pub(super) fn tax(element: &Element, suffix: &str) -> String {
    let get = |name: &str| element.get(&format!("{name}{suffix}")).unwrap_or_default();
    let name = match get("Impuesto") {
        "001" => "ISR",
        "002" => "IVA",
        "003" => "IEPS",
        other => other,
    };
    match (get("TipoFactor"), get("TasaOCuota")) {
        ("Exento", _) => format!("{name} exento"),
        ("Cuota", rate) => format!("{name} {} por unidad", trimmed(rate)),
        (_, "") => name.to_owned(),
        (_, rate) => format!("{name} {} %", percent(rate)),
    }
}

/// A tax as a note below its concept or payment.
pub(super) fn tax_note(element: &Element, suffix: &str, kind: &str) -> String {
    let get = |name: &str| element.get(&format!("{name}{suffix}"));
    let base = get("Base").map(|base| format!(", base {}", amount(base))).unwrap_or_default();
    let charged = get("Importe").map(|charged| format!(", importe {}", amount(charged))).unwrap_or_default();
    format!("{kind} {}{base}{charged}", tax(element, suffix))
}

/// A fraction as a percentage, by its digits.
fn percent(rate: &str) -> String {
    let (whole, fraction) = rate.split_once('.').unwrap_or((rate, ""));
    let padded = format!("{fraction:0<2}");
    let (hundredths, rest) = padded.split_at_checked(2).unwrap_or((&padded, ""));
    let number = format!("{whole}{hundredths}.{rest}");
    let number = trimmed(&number).trim_start_matches('0');
    if number.is_empty() || number.starts_with('.') { format!("0{number}") } else { number.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_keys_are_as_people_read_them() {
        for (rate, expected) in [
            ("0.160000", "16"),
            ("0.106667", "10.6667"),
            ("0.000000", "0"),
            ("1.600000", "160"),
            ("0.005000", "0.5"),
            ("", "0"),
        ] {
            assert_eq!(percent(rate), expected, "{rate}");
        }
        assert_eq!(keyed("forma_pago", "03"), "03 Transferencia electrónica de fondos");
        assert_eq!(keyed("forma_pago", "77"), "77");
    }
}
