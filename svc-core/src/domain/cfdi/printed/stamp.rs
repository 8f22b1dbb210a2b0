//! The proof of a document: seals, the stamp's cadena original, and the QR code of the authority's
//! page about it.

use qrcodegen::{QrCode, QrCodeEcc};

use super::PrintFault;
use super::terms::{date, trimmed};
use crate::domain::cfdi::element::Element;
use crate::domain::paper::{BREADTH, GREY, MARGIN, NOTE, PLAIN, Sheet, Style, Weight, leading};

/// The side of the QR code: 3 cm; the authority requires at least 2.75.
const SIDE: f32 = 85.0;
/// The gap between the code and the text beside it.
const GAP: f32 = 16.0;

const SEALS: Style = Style::new(Weight::Regular, 5.0, GREY);
const FACTS: Style = Style { size: 6.6, ..PLAIN };
const LABEL: Style = Style::new(Weight::Strong, 5.4, GREY);

/// The address in a document's QR code.
pub(super) fn address(document: &Element, stamp: &Element) -> Result<String, PrintFault> {
    let party = |name| document.at(&[name]).and_then(|party| party.get("Rfc")).ok_or(PrintFault::NoDocument);
    let seal = document.get("Sello").ok_or(PrintFault::NoDocument)?;
    // Base64 is ASCII: the last eight bytes are the last eight characters.
    let last = seal.get(seal.len().saturating_sub(8)..).unwrap_or_default();
    // The address escapes an RFC's & as XML does.
    let rfc = |rfc: &str| rfc.replace('&', "&amp;");
    Ok(format!(
        "https://verificacfdi.facturaelectronica.sat.gob.mx/default.aspx?id={}&re={}&rr={}&tt={}&fe={last}",
        stamp.text("UUID"),
        rfc(party("Emisor")?),
        rfc(party("Receptor")?),
        trimmed(document.text("Total")),
    ))
}

/// The cadena original of a stamp (the authority's `cadenaoriginal_TFD_1_1.xslt`).
pub(super) fn cadena(stamp: &Element) -> String {
    let names = ["Version", "UUID", "FechaTimbrado", "RfcProvCertif", "Leyenda", "SelloCFD", "NoCertificadoSAT"];
    let values: Vec<String> = names
        .iter()
        .filter_map(|name| stamp.get(name))
        .map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    format!("||{}||", values.join("|"))
}

/// Draws the proof, on one page.
pub(super) fn draw(sheet: &mut Sheet<'_>, document: &Element, stamp: &Element) -> Result<(), PrintFault> {
    let code =
        QrCode::encode_text(&address(document, stamp)?, QrCodeEcc::Medium).map_err(|_| PrintFault::NoDocument)?;
    let (left, width) = (MARGIN + SIDE + GAP, BREADTH - SIDE - GAP);
    let cadena = cadena(stamp);
    let texts = [
        ("SELLO DIGITAL DEL CFDI", stamp.text("SelloCFD")),
        ("SELLO DIGITAL DEL SAT", stamp.text("SelloSAT")),
        ("CADENA ORIGINAL DEL COMPLEMENTO DE CERTIFICACIÓN DIGITAL DEL SAT", cadena.as_str()),
    ];
    let facts = [
        ("FOLIO FISCAL", stamp.text("UUID").to_owned()),
        ("FECHA DE CERTIFICACIÓN", date(stamp.text("FechaTimbrado"))),
        ("CERTIFICADO DEL EMISOR", document.text("NoCertificado").to_owned()),
        ("CERTIFICADO DEL SAT", stamp.text("NoCertificadoSAT").to_owned()),
        ("PROVEEDOR DE CERTIFICACIÓN", stamp.text("RfcProvCertif").to_owned()),
    ];
    let lines: usize = texts.iter().map(|(_, text)| sheet.canvas.wrap(SEALS, text, width).len()).sum();
    let height = (lines as f32 * leading(SEALS.size) + texts.len() as f32 * 10.0 + 40.0).max(SIDE) + 26.0;
    sheet.room(height);
    sheet.y += 4.0;
    sheet.canvas.rule(MARGIN, sheet.y, BREADTH);
    let top = sheet.y + 10.0;
    squares(sheet, &code, top);
    let mut y = fiscal(sheet, left, width, top - 2.0, &facts) + 3.0;
    for (label, text) in texts {
        sheet.canvas.text(left, y + 6.0, LABEL, label);
        y = sheet.paragraph(left, y + 7.0, width, SEALS, text) + 2.0;
    }
    sheet.y = y.max(top + SIDE) + 4.0;
    let legend = "Este documento es una representación impresa de un CFDI";
    sheet.y = sheet.paragraph(MARGIN, sheet.y, BREADTH, NOTE, legend);
    Ok(())
}

/// Draws what identifies the stamp, in two rows; returns where they end.
fn fiscal(sheet: &mut Sheet<'_>, left: f32, width: f32, top: f32, facts: &[(&str, String)]) -> f32 {
    let mut y = top;
    for (row, places) in [(&facts[..2], [0.0, 0.62]), (&facts[2..], [0.0, 0.31])] {
        for (place, (label, value)) in row.iter().enumerate() {
            let share = places.get(place).copied().unwrap_or(0.62);
            let x = left + share * width;
            sheet.canvas.text(x, y + 6.0, LABEL, label);
            sheet.canvas.text(x, y + 14.0, FACTS, value);
        }
        y += 18.0;
    }
    y
}

fn squares(sheet: &mut Sheet<'_>, code: &QrCode, top: f32) {
    let size = code.size();
    let all = (0..size).flat_map(|row| (0..size).map(move |column| (column, row)));
    let black = all.filter(|&(column, row)| code.get_module(column, row));
    let places = black.map(|(column, row)| (column as f32, row as f32));
    sheet.canvas.squares(MARGIN, top, SIDE / size as f32, places);
}
