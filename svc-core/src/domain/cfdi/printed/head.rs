//! The part above the lines: issuer, document, receiver and conditions.

use super::Printing;
use super::terms::{amount, date, exportacion, keyed, tipo, title};
use crate::domain::cfdi::element::Element;
use crate::domain::paper::{BREADTH, GREY, LABEL, MARGIN, PLAIN, Sheet, Style, Weight};

/// The width of the column at the upper right, in points.
const RIGHT: f32 = 196.0;
/// The space between columns, in points.
const GAP: f32 = 22.0;
/// The largest width and height of a logo, in points.
const LOGO: (f32, f32) = (150.0, 52.0);

pub(super) fn number(document: &Element) -> String {
    [document.get("Serie"), document.get("Folio")].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

pub(super) fn issuer(document: &Element) -> &str {
    document.at(&["Emisor"]).map_or("", |emisor| emisor.text("Nombre"))
}

pub(super) fn draw<'a>(sheet: &mut Sheet<'a>, document: &Element, printing: &Printing<'a>) {
    let top = sheet.y;
    let left = sender(sheet, document, printing, top);
    let right = titles(sheet, document, printing, top);
    sheet.y = left.max(right) + 10.0;
    sheet.canvas.line(MARGIN, sheet.y, BREADTH, 1.6, sheet.theme.accent);
    sheet.y += 10.0;
    let top = sheet.y;
    let width = (BREADTH - GAP) / 2.0;
    let left = receiver(sheet, document, top, width);
    let right = conditions(sheet, document, top, width);
    sheet.y = left.max(right) + 8.0;
    relations(sheet, document);
}

/// Draws the issuer's logo, name, address and contact at the upper left.
fn sender<'a>(sheet: &mut Sheet<'a>, document: &Element, printing: &Printing<'a>, top: f32) -> f32 {
    let letterhead = printing.letterhead;
    let width = BREADTH - RIGHT - GAP;
    let Some(emisor) = document.at(&["Emisor"]) else { return top };
    let mut y = top;
    if let Some(logo) = &letterhead.logo {
        let size = logo.fitted(LOGO.0, LOGO.1);
        sheet.canvas.logo(MARGIN, y, size, logo);
        y += size.1 + 7.0;
    }
    let name = Style::new(Weight::Strong, 11.0, sheet.theme.ink);
    y = sheet.paragraph(MARGIN, y, width, name, emisor.text("Nombre")) + 1.0;
    let mut texts = vec![
        format!("RFC {}", emisor.text("Rfc")),
        format!("Régimen fiscal {}", keyed("regimen", emisor.text("RegimenFiscal"))),
    ];
    texts.extend(letterhead.address().map(str::to_owned));
    texts.push(format!("Lugar de expedición C.P. {}", document.text("LugarExpedicion")));
    let contacts = letterhead.contacts();
    if !contacts.is_empty() {
        texts.push(contacts.join(" · "));
    }
    for text in texts {
        y = sheet.paragraph(MARGIN, y, width, PLAIN, &text);
    }
    y
}

/// Draws what the document is, its number and its dates at the upper right.
fn titles(sheet: &mut Sheet<'_>, document: &Element, printing: &Printing<'_>, top: f32) -> f32 {
    let (right, left) = (MARGIN + BREADTH, MARGIN + BREADTH - RIGHT);
    let kind = document.text("TipoDeComprobante");
    sheet.canvas.text_to(right, top + 17.0, Style::new(Weight::Strong, 21.0, sheet.theme.ink), title(kind));
    let mut y = top + 24.0;
    let numbered = Style::new(Weight::Strong, 10.5, GREY);
    for line in sheet.canvas.wrap(numbered, &number(document), RIGHT) {
        y += 13.0;
        sheet.canvas.text_to(right, y - 3.0, numbered, &line);
    }
    y += 7.0;
    let remarks = printing.remarks;
    let rows = [
        ("Fecha de emisión", Some(date(document.text("Fecha")))),
        ("Vencimiento", remarks.vencimiento.map(|day| date(&day.to_string()))),
        ("Pedido", remarks.pedido.clone()),
        ("Referencia", remarks.referencia.clone()),
    ];
    let strong = Style { weight: Weight::Strong, ..PLAIN };
    for (label, value) in rows {
        let Some(value) = value.filter(|value| !value.is_empty()) else { continue };
        let style = if label == "Vencimiento" { strong } else { PLAIN };
        let room = RIGHT - 74.0;
        let lines = sheet.canvas.wrap(style, &value, room);
        sheet.canvas.text(left, y + 8.0, Style { size: PLAIN.size, ..LABEL }, label);
        for line in lines {
            sheet.canvas.text_to(right, y + 8.0, style, &line);
            y += 11.4;
        }
    }
    y + 2.0
}

fn receiver(sheet: &mut Sheet<'_>, document: &Element, top: f32, width: f32) -> f32 {
    let Some(receptor) = document.at(&["Receptor"]) else { return top };
    let heading = Style::new(Weight::Strong, 6.6, sheet.theme.ink);
    sheet.canvas.text(MARGIN, top + 6.0, heading, "CLIENTE");
    let name = Style { weight: Weight::Strong, size: 9.2, ..PLAIN };
    let y = sheet.paragraph(MARGIN, top + 9.0, width, name, receptor.text("Nombre")) + 2.0;
    let mut rows = vec![
        ("RFC", receptor.text("Rfc").to_owned()),
        ("Domicilio fiscal", format!("C.P. {}", receptor.text("DomicilioFiscalReceptor"))),
        ("Régimen fiscal", keyed("regimen", receptor.text("RegimenFiscalReceptor"))),
        ("Uso del CFDI", keyed("uso_cfdi", receptor.text("UsoCFDI"))),
    ];
    let abroad = [
        ("Residencia fiscal", receptor.get("ResidenciaFiscal").map(|key| keyed("pais", key))),
        ("Registro tributario", receptor.get("NumRegIdTrib").map(str::to_owned)),
    ];
    rows.extend(abroad.into_iter().filter_map(|(label, text)| Some((label, text?))));
    sheet.rows(MARGIN, y, width, 74.0, &rows)
}

/// Draws how the document is paid, and its currency.
fn conditions(sheet: &mut Sheet<'_>, document: &Element, top: f32, width: f32) -> f32 {
    let given = |name: &str| document.get(name);
    let x = MARGIN + width + GAP;
    let heading = Style::new(Weight::Strong, 6.6, sheet.theme.ink);
    sheet.canvas.text(x, top + 6.0, heading, "CONDICIONES");
    let rows = [
        ("Comprobante", Some(tipo(document.text("TipoDeComprobante")))),
        ("Forma de pago", given("FormaPago").map(|key| keyed("forma_pago", key))),
        ("Método de pago", given("MetodoPago").map(|key| keyed("metodo_pago", key))),
        ("Condiciones", given("CondicionesDePago").filter(|text| !is_long(text)).map(str::to_owned)),
        // A payment document has no currency of its own.
        ("Moneda", given("Moneda").filter(|key| *key != "XXX").map(|key| keyed("moneda", key))),
        ("Tipo de cambio", given("TipoCambio").map(amount)),
        ("Exportación", given("Exportacion").map(exportacion)),
    ];
    let rows: Vec<_> = rows.into_iter().filter_map(|(label, text)| Some((label, text?))).collect();
    sheet.rows(x, top + 11.0, width, 74.0, &rows)
}

/// Whether a text is too long for a column.
fn is_long(text: &str) -> bool {
    text.chars().count() > 100
}

/// Draws long conditions, the related documents and the period that the document sums up.
fn relations(sheet: &mut Sheet<'_>, document: &Element) {
    if let Some(terms) = document.get("CondicionesDePago").filter(|text| is_long(text)) {
        sheet.flow(PLAIN, &format!("Condiciones de pago: {terms}"));
        sheet.y += 2.0;
    }
    if let Some(period) = document.at(&["InformacionGlobal"]) {
        let text = format!(
            "Información global: {} · {} de {}",
            keyed("periodicidad", period.text("Periodicidad")),
            keyed("meses", period.text("Meses")),
            period.text("Año")
        );
        sheet.flow(PLAIN, &text);
        sheet.y += 2.0;
    }
    for related in document.all("CfdiRelacionados") {
        let kind = keyed("tipo_relacion", related.text("TipoRelacion"));
        let uuids: Vec<&str> = related.all("CfdiRelacionado").map(|one| one.text("UUID")).collect();
        sheet.flow(PLAIN, &format!("CFDI relacionados, {kind}: {}", uuids.join(", ")));
        sheet.y += 2.0;
    }
    sheet.y += 4.0;
}
