//! Sales documents as the back office reads them: with lines, payments and documents.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::operations::read::{self, WholeRecord};
use crate::record::invoice::Invoice;
use crate::record::payment::Payment;
use crate::record::sale::Sale;
use crate::record::sale_line::SaleLine;

/// Reads a sales document with every field that can be written, its lines, its payments, and its
/// documents in the registry.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadSale {
    /// The clave of the sales document.
    #[serde(alias = "venta")]
    pub clave: i64,
}

/// What of a sale says which document invoices it.
#[derive(Deserialize)]
struct Invoiced {
    factura: Option<i64>,
}

impl Operation for ReadSale {
    const SPEC: Spec = Spec::new().named("sale.get").reads();
    type Output = WholeRecord;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<WholeRecord, Error> {
        let sale = read::record::<Sale>(cx, self.clave).await?;
        let lines = read::records::<SaleLine>(cx, "venta", self.clave).await?;
        let payments = read::records::<Payment>(cx, "venta", self.clave).await?;
        let mut documents = read::records::<Invoice>(cx, "venta", self.clave).await?;
        let Invoiced { factura } = serde_json::from_str(sale.get()).map_err(Error::internal)?;
        // A global invoice is the document of another sale too.
        if let Some(factura) = factura {
            let own = read::records::<Invoice>(cx, "clave", factura).await?;
            let is_missing = |one: &WholeRecord| !documents.iter().any(|other| other.get() == one.get());
            let missing: Vec<_> = own.into_iter().filter(is_missing).collect();
            documents.extend(missing);
        }
        sale.with(&[
            ("renglones", read::array(&lines)),
            ("pagos", read::array(&payments)),
            ("documentos", read::array(&documents)),
        ])
    }
}
