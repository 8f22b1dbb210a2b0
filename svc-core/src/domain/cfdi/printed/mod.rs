//! The printed representation of a stamped document: a PDF of letter pages, made of the XML alone, with all that article 29-A of the
//! Código Fiscal and rule 2.7.1.7 of the Resolución Miscelánea ask to be shown.
//!
//! Made with `pdf-writer`, which writes the format and nothing else: it comes from the makers of Typst, has few dependencies and adds
//! some tens of kilobytes to a program, where a library that lays out text and embeds fonts adds megabytes, and a font as much
//! again. What it leaves to us is small here: lines of two fonts that every reader has, and tables. The price is their repertoire:
//! a letter that no western language has is shown as `?`; the XML has it. `qrcodegen`, which has no dependencies, makes the code,
//! `miniz_oxide` compresses.

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

/// Whether a document stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// It does.
    #[default]
    Vigente,
    /// It was cancelled, and the authority's word on it is final: each page says so.
    Cancelada,
}

/// Why no PDF can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrintFault {
    /// It is no XML of a document.
    #[error("no CFDI can be read in the XML")]
    NoDocument,
    /// It has no stamp.
    #[error("the document is not stamped")]
    NotStamped,
}

impl From<NoXml> for PrintFault {
    fn from(_: NoXml) -> Self {
        Self::NoDocument
    }
}

/// The PDF of a stamped document (version 4.0 of the standard), from its XML as the provider gave it. The same XML always gives the
/// same bytes.
pub fn print(xml: &str, standing: Standing) -> Result<Vec<u8>, PrintFault> {
    let document = Element::read(xml)?;
    if document.name() != "Comprobante" || document.at(&["Conceptos"]).is_none() {
        return Err(PrintFault::NoDocument);
    }
    let stamp = document.at(&["Complemento", "TimbreFiscalDigital"]).ok_or(PrintFault::NotStamped)?;
    let mut sheet = Sheet::new((standing == Standing::Cancelada).then_some("CANCELADO"));
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

#[cfg(test)]
mod tests;
