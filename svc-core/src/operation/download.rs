use std::future::Future;

use bytes::Bytes;

use super::Spec;
use crate::domain::cfdi::printed::{DocumentValidity, Printing, print};
use crate::domain::paper::Fonts;
use crate::domain::words::InvoiceStatus;
use crate::error::{Code, Error};
use crate::store::{PrintableDocument, Reader};

/// A read that returns a file instead of JSON; its errors are JSON like all others. The type's
/// fields are its input.
pub trait Download: Send + Sync {
    /// How it is reached, and the file's content type.
    const SPEC: Spec;

    /// Reads the file.
    fn read(&self, reader: &dyn Reader) -> impl Future<Output = Result<File, Error>> + Send;
}

/// Draws a file with the process's fonts.
type Drawing = Box<dyn FnOnce(&Fonts) -> Result<Bytes, Error> + Send>;

/// The file that a read returns, made or still to be made.
pub enum File {
    /// The file.
    Whole(Bytes),
    /// A function that makes the file, which may compute for milliseconds.
    Unmade(Box<dyn FnOnce() -> Result<Bytes, Error> + Send>),
    /// A function that draws the file with the process's fonts, which may compute for milliseconds.
    Drawn(Drawing),
    /// A function that makes a file with a name of its own.
    Named(NamedFile),
}

/// A file with the name under which it is saved.
pub struct NamedFile {
    /// The name under which it is saved.
    pub name: String,
    /// Its content type.
    pub content: &'static str,
    /// Makes it, which may compute for milliseconds.
    pub make: Box<dyn FnOnce() -> Result<Bytes, Error> + Send>,
}

impl File {
    /// The printed representation of a document, which must be stamped.
    pub(crate) fn printed(printable: PrintableDocument) -> Result<Self, Error> {
        let PrintableDocument { document, letterhead, remarks } = printable;
        let xml = document.xml.ok_or(Code::DocumentoNoDisponible)?;
        let cancelled = document.estatus == InvoiceStatus::Cancelada;
        let validity = if cancelled { DocumentValidity::Cancelada } else { DocumentValidity::Vigente };
        Ok(Self::Drawn(Box::new(move |fonts| {
            let printing = Printing { xml: &xml, validity, letterhead: &letterhead, remarks: &remarks, fonts };
            Ok(print(&printing).map_err(Error::internal)?.into())
        })))
    }

    /// The content type, which is `usual` unless the file says another, and the file's name.
    pub(crate) fn labels(&self, usual: &'static str) -> (&'static str, Option<String>) {
        match self {
            Self::Named(file) => (file.content, Some(file.name.clone())),
            Self::Whole(_) | Self::Unmade(_) | Self::Drawn(_) => (usual, None),
        }
    }
}
