//! The users of a company.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::words::Status;
use crate::error::{Code, Error};
use crate::json::{Patch, Sent, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::store::{ListedUser, NewUser};

/// The largest number of characters in a user's name.
const MAX_NAME: usize = 100;

/// Creates a user with access to the company.
#[derive(Debug, Clone)]
pub struct CreateUser(pub NewUser);

/// Ends a user's access to the company, so that their keys stop working.
#[derive(Debug, Clone, Copy)]
pub struct DisableUser {
    /// The clave of the user.
    pub usuario: i64,
}

/// Lists a company's users in the order of their claves, those without access too.
#[derive(Debug, Clone, Copy)]
pub struct ListUsers {
    /// The clave of the last user who is known; 0 at first.
    pub after: i64,
    /// The largest number of users.
    pub max: u32,
}

/// Edits a user. Status `inactivo` ends their access, `activo` restores it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditUser {
    /// The clave of the user.
    pub clave: i64,
    /// The name.
    #[serde(default)]
    pub nombre: Sent<Text<MAX_NAME>>,
    /// The e-mail address, which is notified when a webhook is disabled.
    #[serde(default)]
    #[schemars(extend("pattern" = r"^[^@,\s]+@[^@,\s]+$"))]
    pub correo: Patch<Text<254>>,
    /// Whether sales and contacts can be credited to them.
    #[serde(default)]
    pub vendedor: Sent<bool>,
    /// Whether they have access.
    #[serde(default)]
    pub estatus: Sent<Status>,
}

/// The user that was created or changed.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct UserRef {
    /// The user's clave.
    pub usuario: i64,
}

/// Validates an e-mail address and trims it; an empty one means none.
pub(super) fn email(given: &str) -> Result<String, Error> {
    let address = given.trim();
    let parts = address.split_once('@').is_some_and(|(person, host)| {
        !person.is_empty() && !host.is_empty() && !host.contains('@') && address.chars().count() <= 254
    });
    if !address.is_empty() && (!parts || address.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',')) {
        return Err(Error::field(Code::DatoInvalido, "correo", "debe ser una dirección de correo"));
    }
    Ok(address.to_owned())
}

fn missing(usuario: i64) -> Error {
    Error::field(Code::NoEncontrado, "usuario", format_args!("el usuario {usuario} no existe en la empresa"))
}

/// The clave of the company's owner: its first active user; the first if none is active.
pub(super) async fn owner(cx: &mut Cx<'_>) -> Result<i64, Error> {
    cx.tx.first_user().await?.ok_or_else(|| Error::internal("the company has no user"))
}

impl Operation for CreateUser {
    const SPEC: Spec = Spec::new();
    type Output = UserRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<UserRef, Error> {
        if self.0.nombre.trim().is_empty() {
            return Err(Error::field(Code::DatoRequerido, "nombre", "es obligatorio"));
        }
        // An import takes no longer one.
        if self.0.nombre.chars().count() > MAX_NAME {
            let text = format_args!("admite a lo más {MAX_NAME} caracteres");
            return Err(Error::field(Code::DatoInvalido, "nombre", text));
        }
        let correo = self.0.correo.as_deref().map(email).transpose()?.filter(|correo| !correo.is_empty());
        let user = NewUser { correo, ..self.0.clone() };
        Ok(UserRef { usuario: cx.tx.insert_user(&user).await? })
    }
}

impl Operation for ListUsers {
    const SPEC: Spec = Spec::new().reads();
    type Output = Vec<ListedUser>;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Vec<ListedUser>, Error> {
        Ok(cx.tx.users(self.after, self.max).await?)
    }
}

impl Operation for DisableUser {
    const SPEC: Spec = Spec::new().changes_access();
    type Output = UserRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<UserRef, Error> {
        if !cx.tx.disable_user(self.usuario).await? {
            return Err(missing(self.usuario));
        }
        Ok(UserRef { usuario: self.usuario })
    }
}

impl Operation for EditUser {
    const SPEC: Spec = Spec::new().named("user.edit").each_time().changes_access();
    type Output = UserRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<UserRef, Error> {
        let usuario = self.clave;
        let mut correo = self.correo.clone().map(Text::into_string);
        if let Patch::Set(address) = &mut correo {
            *address = email(address)?;
        }
        let (mut user, mut active) = cx.tx.user(usuario).await?.ok_or_else(|| missing(usuario))?;
        if let Some(nombre) = self.nombre.get() {
            user.nombre = nombre.to_string();
        }
        correo.apply(&mut user.correo);
        user.vendedor = self.vendedor.get().copied().unwrap_or(user.vendedor);
        active = self.estatus.get().map_or(active, |estatus| *estatus == Status::Activo);
        cx.tx.update_user(usuario, &user, active).await?;
        Ok(UserRef { usuario })
    }
}
