//! The part above the lines: issuer, receiver, document and conditions.

use super::canvas::{ACCENT, BLACK, GREY, Style, TINT, WHITE};
use super::font::Font;
use super::sheet::{BREADTH, MARGIN, PLAIN, STRONG, Sheet, leading};
use super::terms::{amount, exportacion, keyed, tipo, title};
use crate::domain::cfdi::element::Element;

/// The width of the box at the upper right.
const BOX: f32 = 216.0;
const NAME: Style = Style::new(Font::Bold, 13.0, ACCENT);
const SMALL: Style = Style::new(Font::Regular, 7.0, GREY);
const VALUE: Style = Style::new(Font::Regular, 7.4, BLACK);

pub(super) fn number(document: &Element) -> String {
    [document.get("Serie"), document.get("Folio")].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

pub(super) fn issuer(document: &Element) -> &str {
    document.at(&["Emisor"]).map_or("", |emisor| emisor.text("Nombre"))
}

pub(super) fn draw(sheet: &mut Sheet, document: &Element, stamp: &Element) {
    let top = sheet.y;
    let left = parties(sheet, document, top);
    let right = card(sheet, document, stamp, top);
    sheet.y = left.max(right) + 10.0;
    receiver(sheet, document);
    conditions(sheet, document);
    relations(sheet, document);
}

/// Draws the issuer at the upper left, and the receiver.
fn parties(sheet: &mut Sheet, document: &Element, top: f32) -> f32 {
    let width = BREADTH - BOX - 16.0;
    let Some(emisor) = document.at(&["Emisor"]) else { return top };
    let mut y = sheet.paragraph(MARGIN, top, width, NAME, emisor.text("Nombre")) + 3.0;
    for text in [
        format!("RFC {}", emisor.text("Rfc")),
        format!("Régimen fiscal {}", keyed("regimen", emisor.text("RegimenFiscal"))),
        format!("Lugar de expedición C.P. {}", document.text("LugarExpedicion")),
    ] {
        y = sheet.paragraph(MARGIN, y, width, PLAIN, &text);
    }
    y
}

/// Draws the box about the document at the upper right.
fn card(sheet: &mut Sheet, document: &Element, stamp: &Element, top: f32) -> f32 {
    let x = MARGIN + BREADTH - BOX;
    let kind = document.text("TipoDeComprobante");
    let rows = [
        ("Folio fiscal", stamp.text("UUID").to_owned()),
        ("Tipo de comprobante", tipo(kind)),
        ("Fecha de emisión", document.text("Fecha").replace('T', " ")),
        ("Fecha de certificación", stamp.text("FechaTimbrado").replace('T', " ")),
        ("Certificado del emisor", document.text("NoCertificado").to_owned()),
        ("Certificado del SAT", stamp.text("NoCertificadoSAT").to_owned()),
        ("RFC del proveedor de certificación", stamp.text("RfcProvCertif").to_owned()),
    ];
    let head = Style::new(Font::Bold, 11.0, WHITE);
    // A long series and number take lines of their own.
    let lines = head.font.wrap(&number(document), 9.0, BOX - 16.0);
    let titled = title(kind).to_uppercase();
    let beside = head.width(&titled) + Font::Bold.width(&lines.join(" "), 9.0) < BOX - 32.0;
    let extra = if beside { 0 } else { lines.len() };
    let bar = 22.0 + extra as f32 * leading(9.0);
    sheet.canvas.fill(x, top, BOX, bar, ACCENT);
    sheet.canvas.text(x + 8.0, top + 15.0, head, &titled);
    let small = Style::new(Font::Bold, 9.0, WHITE);
    if beside {
        sheet.canvas.text_to(x + BOX - 8.0, top + 15.0, small, &lines.join(" "));
    } else {
        sheet.paragraph(x + 8.0, top + 18.0, BOX - 16.0, small, &lines.join(" "));
    }
    let height = 6.0 + rows.iter().map(|(label, _)| if *label == "Folio fiscal" { 21.0 } else { 11.0 }).sum::<f32>();
    sheet.canvas.fill(x, top + bar, BOX, height, TINT);
    let mut y = top + bar + 3.0;
    for (label, value) in rows {
        sheet.canvas.text(x + 8.0, y + 8.5, SMALL, label);
        if label == "Folio fiscal" {
            sheet.canvas.text(x + 8.0, y + 18.5, Style { font: Font::Bold, ..VALUE }, &value);
            y += 10.0;
        } else {
            sheet.canvas.text_to(x + BOX - 8.0, y + 8.5, VALUE, &value);
        }
        y += 11.0;
    }
    top + bar + height
}

fn receiver(sheet: &mut Sheet, document: &Element) {
    let Some(receptor) = document.at(&["Receptor"]) else { return };
    sheet.heading("RECEPTOR");
    sheet.y = sheet.paragraph(MARGIN, sheet.y, BREADTH, STRONG, receptor.text("Nombre")) + 2.0;
    let mut fields = vec![
        ("RFC", receptor.text("Rfc").to_owned()),
        ("DOMICILIO FISCAL", format!("C.P. {}", receptor.text("DomicilioFiscalReceptor"))),
        ("RÉGIMEN FISCAL", keyed("regimen", receptor.text("RegimenFiscalReceptor"))),
        ("USO DEL CFDI", keyed("uso_cfdi", receptor.text("UsoCFDI"))),
    ];
    let abroad = [
        ("RESIDENCIA FISCAL", receptor.get("ResidenciaFiscal").map(|key| keyed("pais", key))),
        ("REGISTRO TRIBUTARIO", receptor.get("NumRegIdTrib").map(str::to_owned)),
    ];
    fields.extend(abroad.into_iter().filter_map(|(label, text)| Some((label, text?))));
    sheet.fields(4, &fields);
}

/// Draws how the document is paid, and its currency.
fn conditions(sheet: &mut Sheet, document: &Element) {
    let given = |name: &str| document.get(name);
    let fields = [
        ("FORMA DE PAGO", given("FormaPago").map(|key| keyed("forma_pago", key))),
        ("MÉTODO DE PAGO", given("MetodoPago").map(|key| keyed("metodo_pago", key))),
        ("CONDICIONES DE PAGO", given("CondicionesDePago").filter(|text| !is_long(text)).map(str::to_owned)),
        // A payment document has no currency of its own.
        ("MONEDA", given("Moneda").filter(|key| *key != "XXX").map(|key| keyed("moneda", key))),
        ("TIPO DE CAMBIO", given("TipoCambio").map(amount)),
        ("EXPORTACIÓN", given("Exportacion").map(exportacion)),
    ];
    let fields: Vec<_> = fields.into_iter().filter_map(|(label, text)| Some((label, text?))).collect();
    sheet.canvas.rule(MARGIN, sheet.y, BREADTH);
    sheet.y += 4.0;
    // All in one row, unless there are six.
    sheet.fields(if fields.len() == 5 { 5 } else { 4 }, &fields);
    if let Some(terms) = given("CondicionesDePago").filter(|text| is_long(text)) {
        sheet.flow(PLAIN, &format!("Condiciones de pago: {terms}"));
        sheet.y += 2.0;
    }
}

/// Whether a text is too long for a column.
fn is_long(text: &str) -> bool {
    text.chars().count() > 100
}

/// Draws the related documents and the period that the document sums up.
fn relations(sheet: &mut Sheet, document: &Element) {
    if let Some(period) = document.at(&["InformacionGlobal"]) {
        let text = format!(
            "Información global: {} · {} de {}",
            keyed("periodicidad", period.text("Periodicidad")),
            keyed("meses", period.text("Meses")),
            period.text("Año")
        );
        sheet.y = sheet.paragraph(MARGIN, sheet.y, BREADTH, PLAIN, &text) + 2.0;
    }
    for related in document.all("CfdiRelacionados") {
        let kind = keyed("tipo_relacion", related.text("TipoRelacion"));
        let uuids: Vec<&str> = related.all("CfdiRelacionado").map(|one| one.text("UUID")).collect();
        let text = format!("CFDI relacionados, {kind}: {}", uuids.join(", "));
        sheet.flow(PLAIN, &text);
        sheet.y += 2.0;
    }
    sheet.y += 4.0;
}
