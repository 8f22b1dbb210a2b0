//! The lines of a sale, and their sums.

use super::canvas::{ACCENT, Style, TINT};
use super::font::Font;
use super::letters;
use super::sheet::Align::{Left, Right};
use super::sheet::{BREADTH, Column, MARGIN, NOTE, PLAIN, STRONG, Sheet, Table, leading};
use super::terms::{SEPARATOR, amount, keyed, tax, tax_note, trimmed};
use crate::domain::cfdi::element::Element;

const COLUMNS: [Column; 7] = [
    Column { title: "CLAVE", part: 52.0, align: Left },
    Column { title: "CANTIDAD", part: 56.0, align: Right },
    Column { title: "UNIDAD", part: 52.0, align: Left },
    Column { title: "DESCRIPCIÓN", part: 194.0, align: Left },
    Column { title: "PRECIO", part: 64.0, align: Right },
    Column { title: "DESCUENTO", part: 58.0, align: Right },
    Column { title: "IMPORTE", part: 64.0, align: Right },
];
/// The column of the description and of the notes below it.
const DESCRIPTION: usize = 3;
/// The width of the sums.
const SUMS: f32 = 200.0;

pub(super) fn draw(sheet: &mut Sheet, document: &Element) {
    let mut table = Table::begin(sheet, &COLUMNS);
    for concept in document.each(&["Conceptos", "Concepto"]) {
        let given = |name: &str| concept.get(name).unwrap_or_default();
        let cells = [
            given("ClaveProdServ").to_owned(),
            amount(given("Cantidad")),
            [given("ClaveUnidad"), given("Unidad")].join(" "),
            given("Descripcion").to_owned(),
            amount(given("ValorUnitario")),
            amount(given("Descuento")),
            amount(given("Importe")),
        ];
        table.row(sheet, &cells, DESCRIPTION, &note(concept));
    }
    sheet.end_table();
    sums(sheet, document);
}

/// The note below a line's description: its number, its tax treatment and its taxes.
fn note(concept: &Element) -> String {
    let mut notes = Vec::new();
    if let Some(sku) = concept.get("NoIdentificacion") {
        notes.push(format!("No. de identificación {sku}"));
    }
    notes.push(format!("Objeto de impuesto {}", keyed("objeto_imp", concept.text("ObjetoImp"))));
    for (way, kind) in
        [(["Impuestos", "Traslados", "Traslado"], "Traslado"), (["Impuestos", "Retenciones", "Retencion"], "Retención")]
    {
        notes.extend(concept.each(&way).map(|element| tax_note(element, "", kind)));
    }
    notes.extend(concept.all("InformacionAduanera").map(|node| format!("Pedimento {}", node.text("NumeroPedimento"))));
    notes.extend(concept.all("CuentaPredial").map(|node| format!("Cuenta predial {}", node.text("Numero"))));
    notes.join(SEPARATOR)
}

/// The local taxes, with their rates and amounts.
fn local_taxes(document: &Element) -> Vec<(String, String)> {
    let of = |node: &'static str, name: &'static str, rate: &'static str, kind: &'static str| {
        let way = ["Complemento", "ImpuestosLocales", node];
        let row = |tax: &Element| {
            (format!("{kind}{} {} %", tax.text(name), trimmed(tax.text(rate))), amount(tax.text("Importe")))
        };
        document.each(&way).map(row).collect::<Vec<_>>()
    };
    let mut rows = of("TrasladosLocales", "ImpLocTrasladado", "TasadeTraslado", "");
    rows.extend(of("RetencionesLocales", "ImpLocRetenido", "TasadeRetencion", "Retención de "));
    rows
}

/// Draws the sums at the right and the total in words at the left.
fn sums(sheet: &mut Sheet, document: &Element) {
    let taxes = |way: [&str; 3], kind: &str| -> Vec<(String, String)> {
        let of_way = document.each(&way).map(|element| {
            let value = element.get("Importe").map_or_else(|| "–".to_owned(), amount);
            (format!("{kind}{}", tax(element, "")), value)
        });
        of_way.collect()
    };
    let mut rows = vec![("Subtotal".to_owned(), amount(document.text("SubTotal")))];
    rows.extend(document.get("Descuento").map(|discount| ("Descuento".to_owned(), amount(discount))));
    rows.extend(taxes(["Impuestos", "Traslados", "Traslado"], ""));
    rows.extend(taxes(["Impuestos", "Retenciones", "Retencion"], "Retención de "));
    rows.extend(local_taxes(document));
    let step = leading(PLAIN.size) + 1.5;
    let total = Style::new(Font::Bold, 10.0, ACCENT);
    let height = rows.len() as f32 * step + 20.0;
    sheet.room(height + 4.0);
    let (top, right) = (sheet.y, MARGIN + BREADTH - 6.0);
    let left = MARGIN + BREADTH - SUMS;
    let mut y = top;
    for (label, value) in &rows {
        y += step;
        sheet.canvas.text(left, y - 2.0, PLAIN, label);
        sheet.canvas.text_to(right, y - 2.0, PLAIN, value);
    }
    let currency = document.text("Moneda");
    sheet.canvas.fill(left - 6.0, y + 2.0, SUMS + 6.0, 17.0, TINT);
    sheet.canvas.text(left, y + 14.0, total, "Total");
    sheet.canvas.text_to(right, y + 14.0, total, &format!("{} {currency}", amount(document.text("Total"))));
    if let Some(words) = letters::amount(document.text("Total"), currency) {
        let width = BREADTH - SUMS - 24.0;
        let below = sheet.paragraph(MARGIN, top, width, NOTE, "Importe con letra");
        sheet.paragraph(MARGIN, below, width, STRONG, &words);
    }
    sheet.y = top + height + 8.0;
}
