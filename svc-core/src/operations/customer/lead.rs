//! `POST /leads`: a prospect of the CRM.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::scope::Scope;
use crate::domain::text;
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Http, Operation, Spec};
use crate::record::customer::CustomerData;
use crate::store::NewCustomerRow;

/// Creates a prospect: a customer with `prospecto` true. It emits no event (spec, "Event
/// catalogue").
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateLead {
    /// The person's name; this or `empresa` is required.
    pub nombre: Option<Text<100>>,
    /// The company's name; it is stored as `razon_social`.
    pub empresa: Option<Text<200>>,
    /// The e-mail address; this or `telefono` is required.
    pub correo: Option<Text<50>>,
    /// The telephone number; this or `correo` is required.
    pub telefono: Option<Text<30>>,
    /// The message that the prospect wrote.
    pub mensaje: Option<Text<2000>>,
    /// The clave of the salesperson to assign.
    pub vendedor: Option<i64>,
}

/// The answer of [`CreateLead`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct LeadCreated {
    /// The prospect's clave.
    pub prospecto: i64,
    /// When it was created.
    pub creado: Timestamp,
    /// The prospect's folio.
    pub folio: String,
}

impl Operation for CreateLead {
    const SPEC: Spec = Spec::new()
        .http(Http::post("/leads", Scope::LeadsWrite).optional_idempotency())
        .errors(&[Code::VendedorInvalido]);
    type Output = LeadCreated;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<LeadCreated, Error> {
        let correo = self.correo.as_deref().map(text::tidy_emails).filter(|correo| !correo.is_empty());
        if self.nombre.is_none() && self.empresa.is_none() {
            return Err(Error::field(Code::DatoRequerido, "nombre", "hace falta nombre o empresa"));
        }
        if correo.is_none() && self.telefono.is_none() {
            return Err(Error::field(Code::DatoRequerido, "correo", "hace falta correo o telefono"));
        }
        if let Some(vendedor) = self.vendedor
            && !cx.tx.is_salesperson(vendedor).await?
        {
            return Err(Code::VendedorInvalido.into());
        }
        let data = CustomerData {
            nombre: self.nombre.as_deref().map(str::to_owned),
            razon_social: self.empresa.as_deref().map(str::to_owned),
            correo,
            telefono: self.telefono.as_deref().map(str::to_owned),
            prospecto: true,
            vendedor: self.vendedor,
            ..CustomerData::default()
        };
        let row = NewCustomerRow { data: &data, mensaje: self.mensaje.as_deref(), creado: cx.now };
        let prospecto = cx.tx.insert_customer(&row).await?;
        Ok(LeadCreated { prospecto, creado: cx.now, folio: prospecto.to_string() })
    }
}
