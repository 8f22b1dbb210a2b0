//! The lines of a sale, and their sums.

use super::terms::{SEPARATOR, amount, tax, tax_note, trimmed};
use crate::domain::cfdi::element::Element;
use crate::domain::paper::Align::{Left, Right};
use crate::domain::paper::{
    BREADTH, Column, GREY, LABEL, MARGIN, PLAIN, STRONG, SUMS, Sheet, Style, Table, leading, letters,
};

const COLUMNS: [Column; 6] = [
    Column { title: "CANTIDAD", part: 56.0, align: Right },
    Column { title: "UNIDAD", part: 62.0, align: Left },
    Column { title: "DESCRIPCIÓN", part: 214.0, align: Left },
    Column { title: "PRECIO", part: 70.0, align: Right },
    Column { title: "DESCUENTO", part: 62.0, align: Right },
    Column { title: "IMPORTE", part: 70.0, align: Right },
];
/// The column of the description and of the notes below it.
const DESCRIPTION: usize = 2;

pub(super) fn draw(sheet: &mut Sheet<'_>, document: &Element) {
    let mut table = Table::begin(sheet, &COLUMNS);
    for concept in document.each(&["Conceptos", "Concepto"]) {
        let given = |name: &str| concept.get(name).unwrap_or_default();
        let cells = [
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
    notes.extend(concept.get("NoIdentificacion").map(|sku| format!("No. de identificación {sku}")));
    notes.extend(concept.get("ClaveProdServ").map(|key| format!("Clave SAT {key}")));
    notes.push(format!("Objeto de impuesto {}", concept.text("ObjetoImp")));
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
    let step = leading(PLAIN.size) + 2.4;
    let height = rows.len() as f32 * step + 36.0;
    sheet.room(height);
    let (top, right) = (sheet.y, MARGIN + BREADTH);
    let left = right - SUMS;
    let mut y = top;
    for (label, value) in &rows {
        y += step;
        sheet.canvas.text(left + 9.0, y - 2.4, Style { colour: GREY, ..PLAIN }, label);
        sheet.canvas.text_to(right - 9.0, y - 2.4, PLAIN, value);
    }
    let currency = document.text("Moneda");
    sheet.total(y + 5.0, "Total", &format!("{} {currency}", amount(document.text("Total"))));
    if let Some(words) = letters::amount(document.text("Total"), currency) {
        let width = BREADTH - SUMS - 26.0;
        let below = sheet.paragraph(MARGIN, top + 2.0, width, LABEL, "Importe con letra");
        sheet.paragraph(MARGIN, below, width, STRONG, &words);
    }
    sheet.y = y + 36.0;
}
