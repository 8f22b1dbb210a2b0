//! The ticket of a sale, for receipt printers.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::paper::ticket::draw;
use crate::error::{Code, Error};
use crate::operation::{Download, File, Spec};
use crate::store::Reader;

/// The ticket of a sales document: a PDF 80 mm wide.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrintTicket {
    /// The clave of the sales document.
    pub venta: i64,
}

impl Download for PrintTicket {
    const SPEC: Spec = Spec::new().named("sale.ticket").file("application/pdf");

    async fn read(&self, reader: &dyn Reader) -> Result<File, Error> {
        let sale = reader.sale_ticket(self.venta).await?.ok_or(Code::NoEncontrado)?;
        Ok(File::drawn_by(move |fonts| Ok(draw(&sale, fonts).into())))
    }
}
