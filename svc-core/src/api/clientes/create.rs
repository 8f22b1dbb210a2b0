use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{WRITE_ERRORS, refuse_franchise};
use crate::domain::customer::{CustomerData, DEFAULT_COUNTRY};
use crate::domain::event::Event;
use crate::domain::scope::Scope;
use crate::error::Error;
use crate::json::{Digits, Text};
use crate::operation::{Cx, Method, Operation, Spec};
use crate::store::NewCustomerRow;

/// Creates a customer and emits `cliente.creado`.
pub struct CreateCustomer;

/// The body of [`CreateCustomer`] (spec, "POST /clientes").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCustomer {
    /// Name or legal name.
    pub nombre: Text<100>,
    /// Tax id; a generic one may repeat, any other is unique in the company.
    pub rfc: Option<Text<255>>,
    /// Tax regime, a key of the SAT's catalogue.
    pub regimen: Option<i64>,
    /// CFDI use, a key of the SAT's catalogue.
    pub uso_cfdi: Option<Text<255>>,
    /// Postal code.
    pub cp: Option<Digits<5>>,
    /// E-mail addresses, separated by commas.
    pub correo: Option<Text<50>>,
    /// Telephone.
    pub telefono: Option<Text<30>>,
    /// Mobile.
    pub movil: Option<Text<14>>,
    /// Street and number.
    pub calle: Option<Text<200>>,
    /// Neighbourhood.
    pub colonia: Option<Text<50>>,
    /// Country, by its internal key; Mexico when left out.
    pub pais: Option<i64>,
}

impl From<NewCustomer> for CustomerData {
    fn from(new: NewCustomer) -> Self {
        Self {
            nombre: Some(new.nombre.into_string()),
            razon_social: None,
            rfc: new.rfc.map(Text::into_string),
            regimen: new.regimen,
            uso_cfdi: new.uso_cfdi.map(Text::into_string),
            cp: new.cp.map(Digits::into_string),
            correo: new.correo.map(Text::into_string),
            telefono: new.telefono.map(Text::into_string),
            movil: new.movil.map(Text::into_string),
            calle: new.calle.map(Text::into_string),
            colonia: new.colonia.map(Text::into_string),
            pais: new.pais.unwrap_or(DEFAULT_COUNTRY),
        }
    }
}

/// The answer of [`CreateCustomer`].
#[derive(Debug, Clone, Serialize)]
pub struct CustomerCreated {
    /// The customer's clave.
    pub cliente: i64,
    /// Their folio.
    pub folio: String,
    /// Their tax id, as it is stored.
    pub rfc: Option<String>,
}

impl Operation for CreateCustomer {
    const SPEC: Spec =
        Spec::write(Method::Post, "/clientes", Scope::ClientesWrite).summary("Create a customer").errors(WRITE_ERRORS);
    type Path = ();
    type Input = NewCustomer;
    type Output = CustomerCreated;

    async fn run(cx: &mut Cx<'_>, (): (), new: NewCustomer) -> Result<CustomerCreated, Error> {
        refuse_franchise(cx)?;
        let mut data = CustomerData::from(new);
        data.settle(&CustomerData::default())?;
        let row = NewCustomerRow { data: &data, prospecto: false, vendedor: None, mensaje: None, creado: cx.now };
        let cliente = cx.tx.insert_customer(&row).await?;
        cx.emit(&Event::ClienteCreado { cliente }).await?;
        Ok(CustomerCreated { cliente, folio: cliente.to_string(), rfc: data.rfc })
    }
}
