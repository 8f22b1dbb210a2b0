use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{WRITE_ERRORS, refuse_franchise};
use crate::domain::customer::{CustomerData, DEFAULT_COUNTRY};
use crate::domain::event::Event;
use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::json::{Digits, Patch, Text, present};
use crate::operation::{Cx, Method, Operation, Spec};

/// Edits a customer in part and emits `cliente.actualizado`, unless nothing changes.
pub struct EditCustomer;

/// The body of [`EditCustomer`]: that of the creation, all optional (spec, "PUT /clientes/{clave}").
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CustomerEdit {
    /// Name or legal name.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Text<100>")]
    pub nombre: Option<Text<100>>,
    /// Tax id; a generic one may repeat, any other is unique in the company.
    pub rfc: Patch<Text<255>>,
    /// Tax regime, a key of the SAT's catalogue.
    pub regimen: Patch<i64>,
    /// CFDI use, a key of the SAT's catalogue.
    pub uso_cfdi: Patch<Text<255>>,
    /// Postal code.
    pub cp: Patch<Digits<5>>,
    /// E-mail addresses, separated by commas.
    pub correo: Patch<Text<50>>,
    /// Telephone.
    pub telefono: Patch<Text<30>>,
    /// Mobile.
    pub movil: Patch<Text<14>>,
    /// Street and number.
    pub calle: Patch<Text<200>>,
    /// Neighbourhood.
    pub colonia: Patch<Text<50>>,
    /// Country, by its internal key; cleared, Mexico.
    pub pais: Patch<i64>,
}

impl CustomerEdit {
    fn apply(self, data: &mut CustomerData) {
        if let Some(nombre) = self.nombre {
            data.nombre = Some(nombre.into_string());
        }
        self.rfc.map(Text::into_string).apply(&mut data.rfc);
        self.regimen.apply(&mut data.regimen);
        self.uso_cfdi.map(Text::into_string).apply(&mut data.uso_cfdi);
        self.cp.map(Digits::into_string).apply(&mut data.cp);
        self.correo.map(Text::into_string).apply(&mut data.correo);
        self.telefono.map(Text::into_string).apply(&mut data.telefono);
        self.movil.map(Text::into_string).apply(&mut data.movil);
        self.calle.map(Text::into_string).apply(&mut data.calle);
        self.colonia.map(Text::into_string).apply(&mut data.colonia);
        self.pais.apply_or(&mut data.pais, DEFAULT_COUNTRY);
    }
}

/// The answer of [`EditCustomer`].
#[derive(Debug, Clone, Serialize)]
pub struct CustomerEdited {
    /// The customer's clave.
    pub cliente: i64,
}

impl Operation for EditCustomer {
    const SPEC: Spec = Spec::write(Method::Put, "/clientes/{clave}", Scope::ClientesWrite)
        .summary("Edit a customer")
        .errors(WRITE_ERRORS);
    type Path = i64;
    type Input = CustomerEdit;
    type Output = CustomerEdited;

    async fn run(cx: &mut Cx<'_>, cliente: i64, edit: CustomerEdit) -> Result<CustomerEdited, Error> {
        let before = cx.tx.customer(cliente).await?.ok_or(Code::NoEncontrado)?;
        refuse_franchise(cx)?;
        let mut after = before.clone();
        edit.apply(&mut after);
        after.settle(&before)?;
        if after != before {
            cx.tx.update_customer(cliente, &after, cx.now).await?;
            cx.emit(&Event::ClienteActualizado { cliente }).await?;
        }
        Ok(CustomerEdited { cliente })
    }
}
