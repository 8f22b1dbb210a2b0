use std::future::Future;

use bytes::Bytes;

use super::Spec;
use crate::domain::cfdi::printed::{DocumentValidity, Printing, print};
use crate::domain::paper::Fonts;
use crate::domain::words::InvoiceStatus;
use crate::error::{Code, Error};
use crate::store::{PrintableDocument, Reader};

/// A read that returns a file instead of JSON; its errors are JSON like all others. The type's
/// fields are its input, as those of an [`Operation`](super::Operation). A host adds its own with
/// [`ContextBuilder::download`](crate::ContextBuilder::download), and reads its tables with
/// `svc_store_postgres::own_reads`.
pub trait Download: Send + Sync {
    /// How it is reached, and the file's content type ([`Spec::file`]). Its route is a GET.
    const SPEC: Spec;

    /// Reads the file, outside any transaction. [`File::made_by`] puts off what takes computing.
    fn read(&self, reader: &dyn Reader) -> impl Future<Output = Result<File, Error>> + Send;
}

/// Makes a file, which may compute for milliseconds.
type Making = Box<dyn FnOnce() -> Result<Bytes, Error> + Send>;

/// Draws a file with the process's fonts.
type Drawing = Box<dyn FnOnce(&Fonts) -> Result<Bytes, Error> + Send>;

/// The file that a read returns, made or still to be made.
pub struct File {
    pub(crate) bytes: FileBytes,
    /// The name under which it is saved.
    name: Option<String>,
    /// Its content type, if that is not the usual one.
    content: Option<&'static str>,
}

/// The bytes of a file, or what makes them.
pub(crate) enum FileBytes {
    Made(Bytes),
    Unmade(Making),
    Drawn(Drawing),
}

impl File {
    /// A file that is there.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self::of(FileBytes::Made(bytes.into()))
    }

    /// A file that `make` makes, which may compute for milliseconds.
    pub fn made_by(make: impl FnOnce() -> Result<Bytes, Error> + Send + 'static) -> Self {
        Self::of(FileBytes::Unmade(Box::new(make)))
    }

    /// A file that `draw` draws with the process's fonts, which may compute for milliseconds.
    pub(crate) fn drawn_by(draw: impl FnOnce(&Fonts) -> Result<Bytes, Error> + Send + 'static) -> Self {
        Self::of(FileBytes::Drawn(Box::new(draw)))
    }

    fn of(bytes: FileBytes) -> Self {
        Self { bytes, name: None, content: None }
    }

    /// The same file, saved under `name` (`Content-Disposition`).
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same file, of one of the other content types that its operation declares ([`Spec::or`]).
    #[must_use]
    pub fn of_type(self, content: &'static str) -> Self {
        Self { content: Some(content), ..self }
    }

    /// The printed representation of a document, which must be stamped.
    pub(crate) fn printed(printable: PrintableDocument) -> Result<Self, Error> {
        let PrintableDocument { document, letterhead, remarks } = printable;
        let name = document.file_name("pdf");
        let xml = document.xml.ok_or(Code::DocumentoNoDisponible)?;
        let cancelled = document.estatus == InvoiceStatus::Cancelada;
        let validity = if cancelled { DocumentValidity::Cancelada } else { DocumentValidity::Vigente };
        let draw = move |fonts: &Fonts| {
            let printing = Printing { xml: &xml, validity, letterhead: &letterhead, remarks: &remarks, fonts };
            Ok(print(&printing).map_err(Error::internal)?.into())
        };
        Ok(Self::drawn_by(draw).named(name))
    }

    /// The content type, which `spec` must declare, and the file's name.
    pub(crate) fn labels(&self, spec: &Spec) -> Result<(&'static str, Option<String>), Error> {
        let content = self.content.unwrap_or(spec.content);
        if spec.contents().all(|declared| declared != content) {
            return Err(Error::internal(format!("the content type {content} is not declared")));
        }
        Ok((content, self.name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_content_type_that_is_declared() {
        let spec = Spec::new().file("text/csv").or(&["application/zip"]);
        let labels = |file: File| file.labels(&spec).map_err(|error| error.code());
        assert_eq!(labels(File::whole("a")), Ok(("text/csv", None)));
        let zipped = File::whole("a").named("a.zip").of_type("application/zip");
        assert_eq!(labels(zipped), Ok(("application/zip", Some("a.zip".to_owned()))));
        assert_eq!(labels(File::whole("a").of_type("text/html")), Err(Code::ErrorInterno));
    }
}
