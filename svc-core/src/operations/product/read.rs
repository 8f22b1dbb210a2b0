//! Products as the back office reads them, with what the list does not show.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as JsonValue};

use crate::domain::words::ProductKind;
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::operations::read::{self, WholeRecord};
use crate::record::product::{KindCode, Product};
use crate::record::{FromValue as _, List as _, ListSpec, Query, Row, RowError, Value};

/// Reads a product with every field that can be written.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadProduct {
    /// The clave of the product.
    #[serde(alias = "producto")]
    pub clave: i64,
}

/// What bodies write under another type than the list shows.
const WRITTEN: ListSpec = Product::LIST.whole(&["clave", "tipo"]);

impl Operation for ReadProduct {
    const SPEC: Spec = Spec::new().named("product.get").reads();
    type Output = WholeRecord;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<WholeRecord, Error> {
        let product = read::record::<Product>(cx, self.clave).await?;
        let mut fields: Map<String, JsonValue> = serde_json::from_str(product.get()).map_err(Error::internal)?;
        let mut query = Query::new(&WRITTEN, None, 1, cx.now.get());
        query.set("clave", Value::Integer(self.clave));
        let mut tipo = None;
        let mut note = |row: &dyn Row| -> Result<(), RowError> {
            tipo = Some(ProductKind::read(row, 1)?);
            Ok(())
        };
        cx.tx.list(&WRITTEN, &query, &mut note).await?;
        if let Some(tipo) = tipo {
            fields.insert("tipo".to_owned(), KindCode::of(tipo).map_or(tipo.word(), KindCode::letter).into());
        }
        fields.remove("clave_marca");
        let categoria = fields.remove("clave_categoria").unwrap_or_default();
        fields.insert("categoria".to_owned(), categoria);
        let sat_key = fields.get("codigo_sat").cloned().unwrap_or_default();
        fields.insert("clave_sat".to_owned(), sat_key);
        WholeRecord::of(serde_json::to_vec(&fields).map_err(Error::internal)?)
    }
}
