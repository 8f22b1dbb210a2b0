//! The printed representation of a stamped document: a PDF of letter pages, made from the XML, the
//! company's letterhead and what the sale says besides. It shows all that article 29-A of the
//! Código Fiscal and rule 2.7.1.7 of the Resolución Miscelánea require.
//!
//! `pdf-writer` and `subsetter`, by the makers of Typst, write the format and reduce the embedded
//! fonts to the glyphs that a document uses; both have few dependencies. The layout left to this
//! module is small: paragraphs and tables. `qrcodegen`, which has no dependencies, makes the QR
//! code, and `miniz_oxide` compresses.

#![expect(clippy::cast_precision_loss, reason = "lengths and counts on a page are small")]

mod head;
mod lines;
mod payments;
mod stamp;
mod terms;

use super::element::{Element, NoXml};
use super::{SANDBOX_CERTIFICATE, SANDBOX_RFC};
use crate::domain::paper::{Fonts, Letterhead, MARGIN, PLAIN, Sheet, Theme};

/// Whether a document is still valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DocumentValidity {
    /// The document is valid.
    #[default]
    Vigente,
    /// The document is cancelled for good; each page says so.
    Cancelada,
}

/// What the sale of an invoice says that its XML does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaleRemarks {
    /// The day on which the invoice is due.
    pub vencimiento: Option<chrono::NaiveDate>,
    /// The number of the order that was invoiced.
    pub pedido: Option<String>,
    /// The sale's reference, such as the customer's purchase order.
    pub referencia: Option<String>,
    /// The sale's comments, printed under "Observaciones"; line feeds are kept.
    pub comentarios: Option<String>,
}

/// A stamped document, and what [`print()`] shows beside it.
#[derive(Debug, Clone, Copy)]
pub struct Printing<'a> {
    /// The provider's XML (version 4.0 of the standard).
    pub xml: &'a str,
    /// Whether the document is still valid.
    pub validity: DocumentValidity,
    /// The issuer's logo, colour and contact as they are today; the XML has none of them.
    pub letterhead: &'a Letterhead,
    /// The remarks of the document's sale.
    pub remarks: &'a SaleRemarks,
    /// The fonts that the PDF embeds.
    pub fonts: &'a Fonts,
}

/// Why a PDF cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrintFault {
    /// The text is not the XML of a document.
    #[error("no CFDI can be read in the XML")]
    NoDocument,
    /// The document has no stamp.
    #[error("the document is not stamped")]
    NotStamped,
}

impl From<NoXml> for PrintFault {
    fn from(_: NoXml) -> Self {
        Self::NoDocument
    }
}

/// What each page says of a document that a sandbox stamped.
const WORTHLESS: &str = "SIN VALIDEZ FISCAL";

/// Prints a stamped document. The same document with the same letterhead and remarks always yields
/// the same bytes. Each page of a document that a sandbox stamped says that it has no fiscal value;
/// the stamp shows who stamped it.
pub fn print(printing: &Printing<'_>) -> Result<Vec<u8>, PrintFault> {
    let document = Element::read(printing.xml)?;
    if document.name() != "Comprobante" || document.at(&["Conceptos"]).is_none() {
        return Err(PrintFault::NoDocument);
    }
    let stamp = document.at(&["Complemento", "TimbreFiscalDigital"]).ok_or(PrintFault::NotStamped)?;
    let mut sheet = Sheet::new(printing.fonts, Theme::of(printing.letterhead.colour()));
    sheet.canvas.across = (printing.validity == DocumentValidity::Cancelada).then_some("CANCELADO");
    sheet.canvas.above = is_sandbox(stamp).then_some(WORTHLESS);
    head::draw(&mut sheet, &document, printing);
    match document.at(&["Complemento", "Pagos"]) {
        Some(payments) => payments::draw(&mut sheet, payments),
        None => lines::draw(&mut sheet, &document),
    }
    comments(&mut sheet, printing.remarks);
    stamp::draw(&mut sheet, &document, stamp)?;
    let number = head::number(&document);
    let title = format!("{} {number}", terms::title(document.text("TipoDeComprobante")));
    let issuer = head::issuer(&document);
    let foot = format!("{} · {issuer} · Folio fiscal {}", title.trim_end(), stamp.text("UUID"));
    sheet.canvas.feet(MARGIN, &foot);
    Ok(sheet.canvas.finish(title.trim_end(), issuer))
}

fn comments(sheet: &mut Sheet<'_>, remarks: &SaleRemarks) {
    let Some(comments) = remarks.comentarios.as_deref().filter(|comments| !comments.trim().is_empty()) else { return };
    sheet.heading("Observaciones");
    for line in comments.lines() {
        sheet.flow(PLAIN, line);
    }
    sheet.y += 6.0;
}

fn is_sandbox(stamp: &Element) -> bool {
    stamp.text("RfcProvCertif") == SANDBOX_RFC || stamp.text("NoCertificadoSAT") == SANDBOX_CERTIFICATE
}

#[cfg(test)]
mod tests;
