//! Customers as the back office reads them, with what the list does not show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::json::Text;
use crate::operation::{Cx, Operation, Spec};
use crate::operations::read::{self, WholeRecord};
use crate::record::customer::Customer;
use crate::record::filter::{exact, integer};
use crate::record::{Exported as _, ListSpec, Query, Value};

/// Reads a customer with every field that can be written.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadCustomer {
    /// The clave of the customer.
    #[serde(alias = "cliente")]
    pub clave: i64,
}

/// Finds customers by words of their names or RFC, or by folio.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindCustomers {
    /// What is looked for.
    pub texto: Text<200>,
}

/// The customers that were found, at most [`MAX_FOUND`].
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CustomersFound {
    /// By clave, each with every field that can be written.
    pub clientes: Vec<WholeRecord>,
}

/// The most customers that a search finds (contract §11).
pub const MAX_FOUND: u32 = 30;

/// All customers, searched by a text.
const SEARCHED: ListSpec = Customer::EXPORT.filters(&[integer("clave"), exact("texto")]);

impl Operation for ReadCustomer {
    const SPEC: Spec = Spec::new().named("customer.get").reads();
    type Output = WholeRecord;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<WholeRecord, Error> {
        read::record::<Customer>(cx, self.clave).await
    }
}

impl Operation for FindCustomers {
    const SPEC: Spec = Spec::new().named("customer.find").reads();
    type Output = CustomersFound;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CustomersFound, Error> {
        let mut query = Query::new(&SEARCHED, None, MAX_FOUND, cx.now.get());
        query.set("texto", Value::Text(self.texto.to_string().into()));
        let clientes = read::page::<Customer>(cx, &SEARCHED, &query).await?.0;
        Ok(CustomersFound { clientes })
    }
}
