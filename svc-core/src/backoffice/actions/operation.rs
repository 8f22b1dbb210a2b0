//! Operations of the API as actions: no rule is written twice.

use schemars::{JsonSchema, Schema};
use serde_json::json;

use super::Entry;
use super::erased::{FromJson, entry};
use crate::backoffice::Action;
use crate::error::Error;
use crate::json::{Fault, Json};
use crate::operation::{Cx, Operation};
use crate::schema;

/// Does an operation that creates something: `Do::<CreateCustomer>(NewCustomer { … })`.
#[derive(Debug, Clone)]
pub struct Do<O: Operation<Path = ()>>(pub O::Input);

/// Does an operation on the record of a clave: `Edit::<EditCustomer> { clave: 7, input: CustomerEdit { … } }`.
#[derive(Debug, Clone)]
pub struct Edit<O: Operation<Path = i64>> {
    /// The record.
    pub clave: i64,
    /// What the operation's body would be.
    pub input: O::Input,
}

/// The entry of an operation whose path has no clave; its input is the operation's.
pub(super) const fn operation<O>(name: &'static str, emits: &'static [&'static str]) -> Entry
where
    O: Operation<Path = (), Input: Clone + JsonSchema>,
{
    entry::<Do<O>>(name, O::SPEC.summary, emits)
}

/// The entry of an operation on a record; its input is the operation's with the `clave`.
pub(super) const fn on_record<O>(name: &'static str, emits: &'static [&'static str]) -> Entry
where
    O: Operation<Path = i64, Input: Clone + JsonSchema>,
{
    entry::<Edit<O>>(name, O::SPEC.summary, emits)
}

impl<O: Operation<Path = (), Input: Clone>> Action for Do<O> {
    type Output = O::Output;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<O::Output, Error> {
        O::run(cx, (), self.0.clone()).await
    }
}

impl<O: Operation<Path = i64, Input: Clone>> Action for Edit<O> {
    type Output = O::Output;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<O::Output, Error> {
        O::run(cx, self.clave, self.input.clone()).await
    }
}

impl<O: Operation<Path = (), Input: Clone + JsonSchema>> FromJson for Do<O> {
    fn read(input: &Json) -> Result<Self, Fault> {
        input.read().map(Self)
    }

    fn schema() -> Schema {
        schema::of::<O::Input>()
    }
}

impl<O: Operation<Path = i64, Input: Clone + JsonSchema>> FromJson for Edit<O> {
    fn read(input: &Json) -> Result<Self, Fault> {
        let (clave, rest) = input.take("clave")?;
        Ok(Self { clave, input: rest.read()? })
    }

    fn schema() -> Schema {
        let clave = json!({ "description": "The record, by its clave.", "type": "integer", "format": "int64" });
        let mut schema = schema::with_field(schema::of::<O::Input>(), "clave", clave);
        if let Some(required) = schema.ensure_object().entry("required").or_insert_with(|| json!([])).as_array_mut() {
            required.push("clave".into());
        }
        schema
    }
}
