//! The files of tax documents, for `svc do`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::files;
use crate::error::Error;
use crate::operation::{Download, File, Spec};
use crate::store::Reader;

/// The stamped XML of a tax document.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveXml {
    /// The clave in the registry.
    pub factura: i64,
}

/// The printed representation (PDF) of a stamped document.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavePdf {
    /// The clave in the registry.
    pub factura: i64,
}

impl Download for SaveXml {
    const SPEC: Spec = Spec::new().named("invoice.xml").file("application/xml");

    async fn read(&self, reader: &dyn Reader) -> Result<File, Error> {
        files::xml(reader, self.factura).await
    }
}

impl Download for SavePdf {
    const SPEC: Spec = Spec::new().named("invoice.pdf").file("application/pdf");

    async fn read(&self, reader: &dyn Reader) -> Result<File, Error> {
        files::pdf(reader, self.factura).await
    }
}
