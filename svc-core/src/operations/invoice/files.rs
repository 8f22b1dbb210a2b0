//! The files of tax documents: `/facturas/{clave}/xml` and `/pdf`.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::operation::{Download, File, Http, Spec};
use crate::store::Reader;

/// The stamped XML of a tax document, byte for byte as the provider returned it, even if it was
/// cancelled (contract §7).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceXml {
    /// The clave in the registry.
    pub clave: i64,
}

/// The printed representation (PDF) of a stamped document. Each page of a cancelled one says so
/// (contract §7).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoicePdf {
    /// The clave in the registry.
    pub clave: i64,
}

impl Download for InvoiceXml {
    const SPEC: Spec = Spec::new()
        .file("application/xml")
        .http(Http::get("/facturas/{clave}/xml", Scope::FacturasRead))
        .errors(&[Code::DocumentoNoDisponible]);

    async fn read(&self, reader: &dyn Reader) -> Result<File, Error> {
        xml(reader, self.clave).await
    }
}

impl Download for InvoicePdf {
    const SPEC: Spec = Spec::new()
        .file("application/pdf")
        .http(Http::get("/facturas/{clave}/pdf", Scope::FacturasRead))
        .errors(&[Code::DocumentoNoDisponible]);

    async fn read(&self, reader: &dyn Reader) -> Result<File, Error> {
        pdf(reader, self.clave).await
    }
}

pub(crate) async fn xml(reader: &dyn Reader, factura: i64) -> Result<File, Error> {
    let document = reader.document(factura).await?.ok_or(Code::NoEncontrado)?;
    let name = document.file_name("xml");
    Ok(File::whole(document.xml.ok_or(Code::DocumentoNoDisponible)?).named(name))
}

pub(crate) async fn pdf(reader: &dyn Reader, factura: i64) -> Result<File, Error> {
    File::printed(reader.printable_document(factura).await?.ok_or(Code::NoEncontrado)?)
}
