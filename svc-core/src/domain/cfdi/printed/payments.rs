//! The payments of a payment document, and the invoices they pay.

use super::letters;
use super::sheet::Align::{Left, Right};
use super::sheet::{BREADTH, Column, MARGIN, NOTE, STRONG, Sheet, Table, leading};
use super::terms::{SEPARATOR, amount, keyed, tax_note, trimmed};
use crate::domain::cfdi::element::Element;

const COLUMNS: [Column; 7] = [
    Column { title: "FOLIO FISCAL", part: 172.0, align: Left },
    Column { title: "FOLIO", part: 62.0, align: Left },
    Column { title: "PARC.", part: 32.0, align: Right },
    Column { title: "MONEDA", part: 68.0, align: Left },
    Column { title: "SALDO ANTERIOR", part: 72.0, align: Right },
    Column { title: "PAGADO", part: 68.0, align: Right },
    Column { title: "SALDO INSOLUTO", part: 72.0, align: Right },
];

pub(super) fn draw(sheet: &mut Sheet, payments: &Element) {
    for (payment, number) in payments.all("Pago").zip(1..) {
        sheet.heading(&format!("PAGO {number}"));
        about(sheet, payment);
        let mut table = Table::begin(sheet, &COLUMNS);
        for invoice in payment.all("DoctoRelacionado") {
            document(sheet, &mut table, invoice);
        }
        sheet.end_table();
        taxes(sheet, payment);
    }
    totals(sheet, payments);
}

fn about(sheet: &mut Sheet, payment: &Element) {
    let given = |name: &str| payment.get(name);
    let fields = [
        ("FECHA DE PAGO", given("FechaPago").map(|date| date.replace('T', " "))),
        ("FORMA DE PAGO", given("FormaDePagoP").map(|key| keyed("forma_pago", key))),
        ("MONEDA", given("MonedaP").map(|key| keyed("moneda", key))),
        ("TIPO DE CAMBIO", given("TipoCambioP").map(amount)),
        ("MONTO", given("Monto").map(amount)),
        ("NÚMERO DE OPERACIÓN", given("NumOperacion").map(str::to_owned)),
        ("BANCO Y CUENTA ORDENANTE", account(payment, ["RfcEmisorCtaOrd", "NomBancoOrdExt", "CtaOrdenante"])),
        ("BANCO Y CUENTA BENEFICIARIA", account(payment, ["RfcEmisorCtaBen", "", "CtaBeneficiario"])),
    ];
    let fields: Vec<_> = fields.into_iter().filter_map(|(label, text)| Some((label, text?))).collect();
    sheet.fields(4, &fields);
    let words = letters::amount(payment.text("Monto"), payment.text("MonedaP"));
    if let Some(words) = words {
        sheet.room(leading(STRONG.size));
        sheet.y = sheet.paragraph(MARGIN, sheet.y, BREADTH, STRONG, &words) + 4.0;
    }
}

fn account(payment: &Element, names: [&str; 3]) -> Option<String> {
    let parts: Vec<&str> = names.iter().filter_map(|name| payment.get(name)).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn document(sheet: &mut Sheet, table: &mut Table<'_>, invoice: &Element) {
    let given = |name: &str| invoice.get(name).unwrap_or_default();
    let folio: Vec<&str> = [invoice.get("Serie"), invoice.get("Folio")].into_iter().flatten().collect();
    let worth = match given("EquivalenciaDR") {
        "" | "1" => String::new(),
        worth => format!(" a {}", trimmed(worth)),
    };
    let cells = [
        given("IdDocumento").to_owned(),
        folio.join(" "),
        given("NumParcialidad").to_owned(),
        format!("{}{worth}", given("MonedaDR")),
        amount(given("ImpSaldoAnt")),
        amount(given("ImpPagado")),
        amount(given("ImpSaldoInsoluto")),
    ];
    let mut notes = vec![format!("Objeto de impuesto {}", keyed("objeto_imp", given("ObjetoImpDR")))];
    for (way, kind) in [
        (["ImpuestosDR", "TrasladosDR", "TrasladoDR"], "Traslado"),
        (["ImpuestosDR", "RetencionesDR", "RetencionDR"], "Retención"),
    ] {
        notes.extend(invoice.each(&way).map(|element| tax_note(element, "DR", kind)));
    }
    table.row(sheet, &cells, 0, &notes.join(SEPARATOR));
}

/// Draws the payment's taxes, in its currency.
fn taxes(sheet: &mut Sheet, payment: &Element) {
    for (way, kind) in [
        (["ImpuestosP", "TrasladosP", "TrasladoP"], "Traslado"),
        (["ImpuestosP", "RetencionesP", "RetencionP"], "Retención"),
    ] {
        for element in payment.each(&way) {
            sheet.room(leading(NOTE.size));
            let text = format!("Impuestos del pago: {}", tax_note(element, "P", kind));
            sheet.y = sheet.paragraph(MARGIN, sheet.y, BREADTH, NOTE, &text);
        }
    }
}

/// Draws the sums of all payments, in pesos.
fn totals(sheet: &mut Sheet, payments: &Element) {
    let Some(totals) = payments.at(&["Totales"]) else { return };
    sheet.heading("TOTALES EN PESOS");
    let fields: Vec<(&str, String)> = totals.attributes().map(|(name, value)| (label(name), amount(value))).collect();
    sheet.fields(4, &fields);
}

fn label(name: &str) -> &str {
    match name {
        "TotalRetencionesIVA" => "IVA RETENIDO",
        "TotalRetencionesISR" => "ISR RETENIDO",
        "TotalRetencionesIEPS" => "IEPS RETENIDO",
        "TotalTrasladosBaseIVA16" => "BASE DE IVA 16 %",
        "TotalTrasladosImpuestoIVA16" => "IVA 16 %",
        "TotalTrasladosBaseIVA8" => "BASE DE IVA 8 %",
        "TotalTrasladosImpuestoIVA8" => "IVA 8 %",
        "TotalTrasladosBaseIVA0" => "BASE DE IVA 0 %",
        "TotalTrasladosImpuestoIVA0" => "IVA 0 %",
        "TotalTrasladosBaseIVAExento" => "BASE EXENTA DE IVA",
        "MontoTotalPagos" => "MONTO TOTAL DE PAGOS",
        other => other,
    }
}
