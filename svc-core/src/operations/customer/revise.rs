//! Customers: what the ERP's own screens change beyond the API.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;

use super::{CustomerEdited, EditCustomer, edit};
use crate::domain::customer::CustomerData;
use crate::domain::event::EventKind;
use crate::domain::money::Money;
use crate::error::{Code, Error};
use crate::json::{Fault, Json, Patch, Sent, Text, Within};
use crate::operation::{Cx, Input, Operation, Spec};
use crate::schema::{self, with_field};

/// Edits a customer in part: what the API may, and [`CustomerTerms`].
#[derive(Debug, Clone, Default)]
pub struct ReviseCustomer {
    /// What the API may edit.
    pub customer: EditCustomer,
    /// The rest.
    pub terms: CustomerTerms,
}

/// What of a customer only the back office edits.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CustomerTerms {
    /// Legal name; `nombre` alone changes it too, where there is one.
    pub razon_social: Patch<Text<255>>,
    /// Credit limit, in pesos; cleared, none is given.
    pub limite_credito: Patch<Money>,
    /// Days of credit; 0 when cleared.
    pub dias_credito: Patch<Within<0, 365>>,
    /// The price list, by its clave; the company's when cleared.
    pub lista: Patch<i64>,
    /// The salesperson whose account it is; nobody's when cleared.
    pub vendedor: Patch<i64>,
    /// Whether they are a prospect of the CRM.
    pub prospecto: Sent<bool>,
    /// A foreigner's tax id at home, which their tax documents bear.
    pub num_reg_id_trib: Patch<Text<40>>,
}

/// The fields of [`CustomerTerms`].
const TERMS: [&str; 7] =
    ["razon_social", "limite_credito", "dias_credito", "lista", "vendedor", "prospecto", "num_reg_id_trib"];

impl CustomerTerms {
    fn apply(&self, data: &mut CustomerData) {
        self.razon_social.clone().map(Text::into_string).apply(&mut data.razon_social);
        match &self.limite_credito {
            Patch::Keep => {}
            Patch::Clear => data.limite_credito = Money::default(),
            Patch::Set(limit) => data.limite_credito = *limit,
        }
        match &self.dias_credito {
            Patch::Keep => {}
            Patch::Clear => data.dias_credito = 0,
            Patch::Set(days) => data.dias_credito = days.get(),
        }
        self.lista.clone().apply(&mut data.lista);
        self.vendedor.clone().apply(&mut data.vendedor);
        self.num_reg_id_trib.clone().map(Text::into_string).apply(&mut data.num_reg_id_trib);
        data.prospecto = self.prospecto.get().copied().unwrap_or(data.prospecto);
    }
}

impl Input for ReviseCustomer {
    fn read(input: &Json) -> Result<Self, Fault> {
        let (terms, customer) = input.split(&TERMS);
        Ok(Self { customer: customer.read()?, terms: terms.read()? })
    }

    fn schema() -> Schema {
        let more = schema::of::<CustomerTerms>();
        let fields = more.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        fields.into_iter().fold(schema::of::<EditCustomer>(), |schema, (name, field)| with_field(schema, &name, field))
    }
}

impl Operation for ReviseCustomer {
    const SPEC: Spec = Spec::new("Edit a customer, their terms too")
        .named("customer.edit")
        .emits(&[EventKind::ClienteActualizado, EventKind::ClienteCreado]);
    type Output = CustomerEdited;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CustomerEdited, Error> {
        if let Patch::Set(vendedor) = self.terms.vendedor
            && !cx.tx.is_salesperson(vendedor).await?
        {
            return Err(Code::VendedorInvalido.into());
        }
        edit(cx, &self.customer, |data| self.terms.apply(data)).await
    }
}
