//! The persons of the ERP.

use serde::Serialize;

use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::store::NewUser;

/// Makes a user.
#[derive(Debug, Clone)]
pub struct CreateUser(pub NewUser);

/// Ends a user's access to the company: their keys stop working.
#[derive(Debug, Clone, Copy)]
pub struct DisableUser {
    /// The user's clave.
    pub usuario: i64,
}

/// The user that was made or changed.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct UserNamed {
    /// Their clave.
    pub usuario: i64,
}

impl Operation for CreateUser {
    const SPEC: Spec = Spec::new("Create a user");
    type Output = UserNamed;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<UserNamed, Error> {
        if self.0.nombre.trim().is_empty() {
            return Err(Error::field(Code::DatoRequerido, "nombre", "es obligatorio"));
        }
        Ok(UserNamed { usuario: cx.tx.insert_user(&self.0).await? })
    }
}

impl Operation for DisableUser {
    const SPEC: Spec = Spec::new("End the access of a user").changes_access();
    type Output = UserNamed;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<UserNamed, Error> {
        if !cx.tx.disable_user(self.usuario).await? {
            let text = format_args!("el usuario {} no existe en la empresa", self.usuario);
            return Err(Error::field(Code::NoEncontrado, "usuario", text));
        }
        Ok(UserNamed { usuario: self.usuario })
    }
}
