//! Sending a stamped document by e-mail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::json::Text;
use crate::operation::{Cx, Operation, Spec};
use crate::posting::mailing;

/// Sends a stamped document by e-mail, with its XML and PDF.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendInvoice {
    /// The clave of the document in the registry: an invoice, a credit note or a payment
    /// complement.
    pub factura: i64,
    /// The address, or several with commas between; the customer's if left out.
    pub correo: Option<Text<1000>>,
}

/// The document was queued to be sent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct InvoiceSent {
    /// The clave of the document.
    pub factura: i64,
    /// The addresses that it goes to, in an e-mail each.
    pub correos: Vec<String>,
}

impl Operation for SendInvoice {
    const SPEC: Spec = Spec::new().named("invoice.send");
    type Output = InvoiceSent;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceSent, Error> {
        let correos = mailing::send(cx, self.factura, self.correo.as_deref()).await?;
        Ok(InvoiceSent { factura: self.factura, correos })
    }
}
