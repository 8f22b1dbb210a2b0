//! `POST /leads`: a prospect of the CRM.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::customer::CustomerData;
use crate::domain::scope::Scope;
use crate::domain::text;
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Method, Operation, Spec};
use crate::store::NewCustomerRow;

/// Creates a prospect: a customer row with `prospecto` true. It emits no event (spec, "Event catalogue").
pub struct CreateLead;

/// The body of [`CreateLead`] (spec, "POST /leads").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewLead {
    /// The person's name; this or `empresa` is required.
    pub nombre: Option<Text<100>>,
    /// The company's name; becomes `razon_social`.
    pub empresa: Option<Text<200>>,
    /// E-mail; this or `telefono` is required.
    pub correo: Option<Text<50>>,
    /// Telephone.
    pub telefono: Option<Text<30>>,
    /// What they wrote.
    pub mensaje: Option<Text<2000>>,
    /// The salesperson to assign.
    pub vendedor: Option<i64>,
}

/// The answer of [`CreateLead`].
#[derive(Debug, Clone, Serialize)]
pub struct LeadCreated {
    /// The prospect's clave.
    pub prospecto: i64,
    /// When it was created.
    pub creado: Timestamp,
    /// Its folio.
    pub folio: String,
}

impl Operation for CreateLead {
    const SPEC: Spec = Spec::write(Method::Post, "/leads", Scope::LeadsWrite)
        .summary("Create a prospect")
        .optional_idempotency()
        .errors(&[Code::VendedorInvalido]);
    type Path = ();
    type Input = NewLead;
    type Output = LeadCreated;

    async fn run(cx: &mut Cx<'_>, (): (), lead: NewLead) -> Result<LeadCreated, Error> {
        let correo = lead.correo.map(|correo| text::tidy_emails(&correo)).filter(|correo| !correo.is_empty());
        if lead.nombre.is_none() && lead.empresa.is_none() {
            return Err(Error::field(Code::DatoRequerido, "nombre", "hace falta nombre o empresa"));
        }
        if correo.is_none() && lead.telefono.is_none() {
            return Err(Error::field(Code::DatoRequerido, "correo", "hace falta correo o telefono"));
        }
        if let Some(vendedor) = lead.vendedor
            && !cx.tx.is_salesperson(vendedor).await?
        {
            return Err(Code::VendedorInvalido.into());
        }
        let data = CustomerData {
            nombre: lead.nombre.map(Text::into_string),
            razon_social: lead.empresa.map(Text::into_string),
            correo,
            telefono: lead.telefono.map(Text::into_string),
            ..CustomerData::default()
        };
        let row = NewCustomerRow {
            data: &data,
            prospecto: true,
            vendedor: lead.vendedor,
            mensaje: lead.mensaje.as_deref(),
            creado: cx.now,
        };
        let prospecto = cx.tx.insert_customer(&row).await?;
        Ok(LeadCreated { prospecto, creado: cx.now, folio: prospecto.to_string() })
    }
}
