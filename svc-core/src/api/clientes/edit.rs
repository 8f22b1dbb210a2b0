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
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CustomerEdit {
    #[serde(deserialize_with = "present")]
    nombre: Option<Text<100>>,
    rfc: Patch<Text<255>>,
    regimen: Patch<i64>,
    uso_cfdi: Patch<Text<255>>,
    cp: Patch<Digits<5>>,
    correo: Patch<Text<50>>,
    telefono: Patch<Text<30>>,
    movil: Patch<Text<14>>,
    calle: Patch<Text<200>>,
    colonia: Patch<Text<50>>,
    pais: Patch<i64>,
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
#[derive(Debug, Serialize)]
pub struct CustomerEdited {
    cliente: i64,
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
