//! The printed representation of a stamped document: a PDF of letter pages, made from the XML
//! alone. It shows all that article 29-A of the Código Fiscal and rule 2.7.1.7 of the Resolución
//! Miscelánea require.
//!
//! `pdf-writer`, by the makers of Typst, writes the format and nothing else: it has few
//! dependencies and adds some tens of kilobytes, where a library that lays out text and embeds
//! fonts adds megabytes, and a font as much again. The layout left to this module is small: tables,
//! and lines of two fonts that every reader has. The price is their repertoire: a character that no
//! western language uses is printed as `?`; the XML has it. `qrcodegen`, which has no dependencies,
//! makes the QR code, and `miniz_oxide` compresses.

#![allow(clippy::cast_precision_loss, reason = "lines, columns and modules are few")]

mod canvas;
mod font;
mod head;
mod letters;
mod lines;
mod payments;
mod sheet;
mod stamp;
mod terms;
mod widths;

use self::sheet::Sheet;
use super::element::{Element, NoXml};
use super::{SANDBOX_CERTIFICATE, SANDBOX_RFC};

/// Whether a document is still valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DocumentValidity {
    /// The document is valid.
    #[default]
    Vigente,
    /// The document is cancelled for good; each page says so.
    Cancelada,
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

/// What each page of a document says that a sandbox stamped.
const WORTHLESS: &str = "SIN VALIDEZ FISCAL";

/// Prints a stamped document (version 4.0 of the standard) from the provider's XML. The same XML
/// always yields the same bytes. Each page of a document that a sandbox stamped says that it has no
/// fiscal value; the stamp tells.
pub fn print(xml: &str, validity: DocumentValidity) -> Result<Vec<u8>, PrintFault> {
    let document = Element::read(xml)?;
    if document.name() != "Comprobante" || document.at(&["Conceptos"]).is_none() {
        return Err(PrintFault::NoDocument);
    }
    let stamp = document.at(&["Complemento", "TimbreFiscalDigital"]).ok_or(PrintFault::NotStamped)?;
    let mut sheet = Sheet::new();
    sheet.canvas.across = (validity == DocumentValidity::Cancelada).then_some("CANCELADO");
    sheet.canvas.above = is_sandbox(stamp).then_some(WORTHLESS);
    head::draw(&mut sheet, &document, stamp);
    match document.at(&["Complemento", "Pagos"]) {
        Some(payments) => payments::draw(&mut sheet, payments),
        None => lines::draw(&mut sheet, &document),
    }
    stamp::draw(&mut sheet, &document, stamp)?;
    let number = head::number(&document);
    let title = format!("{} {number}", terms::title(document.text("TipoDeComprobante")));
    let foot = format!("{} · {} · Folio fiscal {}", title.trim_end(), head::issuer(&document), stamp.text("UUID"));
    Ok(sheet.canvas.finish(title.trim_end(), &foot))
}

fn is_sandbox(stamp: &Element) -> bool {
    stamp.text("RfcProvCertif") == SANDBOX_RFC || stamp.text("NoCertificadoSAT") == SANDBOX_CERTIFICATE
}

#[cfg(test)]
mod tests;
