//! Documents of the invoice registry: `/facturas/{clave}/xml` and `/pdf`.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::cfdi::printed::{Standing, print};
use crate::domain::scope::Scope;
use crate::domain::words::InvoiceStatus;
use crate::error::{Code, Error};
use crate::operation::{Download, Http, Spec};
use crate::store::{Reader, StoredDocument};

/// The stamped XML of a record of the invoice registry, as the provider gave it; of a cancelled one
/// too (contract §7).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceXml {
    /// The record, by its clave.
    pub clave: i64,
}

/// The printed representation of a stamped document; that of a cancelled one says so on each page
/// (contract §7).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoicePdf {
    /// The record, by its clave.
    pub clave: i64,
}

impl Download for InvoiceXml {
    const SPEC: Spec = Spec::new("Read the XML of a stamped document")
        .http(Http::download("/facturas/{clave}/xml", Scope::FacturasRead, "application/xml"))
        .errors(&[Code::DocumentoNoDisponible]);

    async fn read(&self, reader: &dyn Reader) -> Result<Bytes, Error> {
        xml(reader, self.clave).await
    }
}

impl Download for InvoicePdf {
    const SPEC: Spec = Spec::new("Read the printed representation of a stamped document")
        .http(Http::download("/facturas/{clave}/pdf", Scope::FacturasRead, "application/pdf"))
        .errors(&[Code::DocumentoNoDisponible]);

    async fn read(&self, reader: &dyn Reader) -> Result<Bytes, Error> {
        pdf(reader, self.clave).await
    }
}

pub(crate) async fn xml(reader: &dyn Reader, factura: i64) -> Result<Bytes, Error> {
    Ok(stamped(reader, factura).await?.1.into())
}

pub(crate) async fn pdf(reader: &dyn Reader, factura: i64) -> Result<Bytes, Error> {
    let (estatus, xml) = stamped(reader, factura).await?;
    let standing = if estatus == InvoiceStatus::Cancelada { Standing::Cancelada } else { Standing::Vigente };
    Ok(print(&xml, standing).map_err(Error::internal)?.into())
}

/// The status of a record and its stamped document.
async fn stamped(reader: &dyn Reader, factura: i64) -> Result<(InvoiceStatus, String), Error> {
    let StoredDocument { estatus, xml } = reader.document(factura).await?.ok_or(Code::NoEncontrado)?;
    Ok((estatus, xml.ok_or(Code::DocumentoNoDisponible)?))
}
