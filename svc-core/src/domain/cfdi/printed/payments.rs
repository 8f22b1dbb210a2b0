//! The payments of a payment document, and the invoices they pay.

use super::terms::{SEPARATOR, amount, date, keyed, tax_note, trimmed};
use crate::domain::cfdi::element::Element;
use crate::domain::paper::Align::{Left, Right};
use crate::domain::paper::{BREADTH, Column, MARGIN, NOTE, STRONG, Sheet, Table, leading, letters};

const COLUMNS: [Column; 7] = [
    Column { title: "FOLIO FISCAL", part: 186.0, align: Left },
    Column { title: "FOLIO", part: 54.0, align: Left },
    Column { title: "PARC.", part: 32.0, align: Right },
    Column { title: "MONEDA", part: 56.0, align: Left },
    Column { title: "SALDO ANTERIOR", part: 72.0, align: Right },
    Column { title: "PAGADO", part: 68.0, align: Right },
    Column { title: "SALDO INSOLUTO", part: 72.0, align: Right },
];

pub(super) fn draw(sheet: &mut Sheet<'_>, payments: &Element) {
    for (payment, number) in payments.all("Pago").zip(1..) {
        sheet.heading(&format!("Pago {number}"));
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

fn about(sheet: &mut Sheet<'_>, payment: &Element) {
    let given = |name: &str| payment.get(name);
    let fields = [
        ("Fecha de pago", given("FechaPago").map(date)),
        ("Forma de pago", given("FormaDePagoP").map(|key| keyed("forma_pago", key))),
        ("Moneda", given("MonedaP").map(|key| keyed("moneda", key))),
        ("Tipo de cambio", given("TipoCambioP").map(amount)),
        ("Monto", given("Monto").map(amount)),
        ("Número de operación", given("NumOperacion").map(str::to_owned)),
        ("Banco y cuenta ordenante", account(payment, ["RfcEmisorCtaOrd", "NomBancoOrdExt", "CtaOrdenante"])),
        ("Banco y cuenta beneficiaria", account(payment, ["RfcEmisorCtaBen", "", "CtaBeneficiario"])),
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

fn document(sheet: &mut Sheet<'_>, table: &mut Table<'_>, invoice: &Element) {
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
    let mut notes = vec![format!("Objeto de impuesto {}", given("ObjetoImpDR"))];
    for (way, kind) in [
        (["ImpuestosDR", "TrasladosDR", "TrasladoDR"], "Traslado"),
        (["ImpuestosDR", "RetencionesDR", "RetencionDR"], "Retención"),
    ] {
        notes.extend(invoice.each(&way).map(|element| tax_note(element, "DR", kind)));
    }
    table.row(sheet, &cells, 0, &notes.join(SEPARATOR));
}

/// Draws the payment's taxes, in its currency.
fn taxes(sheet: &mut Sheet<'_>, payment: &Element) {
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

/// The attribute of the sum of all payments.
const TOTAL: &str = "MontoTotalPagos";

/// Draws the sums of all payments, in pesos.
fn totals(sheet: &mut Sheet<'_>, payments: &Element) {
    let Some(totals) = payments.at(&["Totales"]) else { return };
    sheet.heading("Totales en pesos");
    let taxes = totals.attributes().filter(|(name, _)| *name != TOTAL);
    let fields: Vec<(&str, String)> = taxes.map(|(name, value)| (label(name), amount(value))).collect();
    sheet.fields(4, &fields);
    sheet.room(36.0);
    sheet.total(sheet.y + 4.0, "Total pagado", &format!("{} MXN", amount(totals.text(TOTAL))));
    sheet.y += 36.0;
}

fn label(name: &str) -> &str {
    match name {
        "TotalRetencionesIVA" => "IVA retenido",
        "TotalRetencionesISR" => "ISR retenido",
        "TotalRetencionesIEPS" => "IEPS retenido",
        "TotalTrasladosBaseIVA16" => "Base de IVA 16 %",
        "TotalTrasladosImpuestoIVA16" => "IVA 16 %",
        "TotalTrasladosBaseIVA8" => "Base de IVA 8 %",
        "TotalTrasladosImpuestoIVA8" => "IVA 8 %",
        "TotalTrasladosBaseIVA0" => "Base de IVA 0 %",
        "TotalTrasladosImpuestoIVA0" => "IVA 0 %",
        "TotalTrasladosBaseIVAExento" => "Base exenta de IVA",
        other => other,
    }
}
