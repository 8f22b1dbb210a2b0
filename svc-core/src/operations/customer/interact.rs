//! `POST /clientes/{clave}/interacciones`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::clock::mexico_date;
use crate::domain::interaction::{Channel, ContactOutcome, Initiative, Minutes, NextStep, moment};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Actor, Cx, Http, Operation, Spec};
use crate::store::{NewCommitment, NewInteraction};

/// Logs a contact with a customer or prospect, and replaces the next contact that was agreed. It
/// emits no event, since the customer's data stay the same.
///
/// The body and its dates are checked first (400), then that the customer exists (404), then the
/// customer's state and the author (422) (spec, "POST /clientes/{clave}/interacciones").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogInteraction {
    /// The clave of the customer or prospect.
    pub clave: i64,
    /// The channel of the contact.
    pub canal: Channel,
    /// The result of the contact.
    pub resultado: ContactOutcome,
    /// Who contacted whom.
    pub sentido: Option<Initiative>,
    /// Notes about the contact.
    pub nota: Option<Text<5000>>,
    /// When it took place; now if left out.
    pub fecha: Option<Timestamp>,
    /// How long it took, in minutes.
    pub duracion_min: Option<Minutes>,
    /// The day of the next contact; this or `cierre` is required.
    pub proximo_fecha: Option<Date>,
    /// The subject of the next contact.
    pub proximo_texto: Option<Text<200>>,
    /// Why there will be no next contact.
    pub cierre: Option<Text<40>>,
    /// The salesperson who made the contact; the key's owner if left out.
    pub vendedor: Option<i64>,
}

/// The answer of [`LogInteraction`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct InteractionLogged {
    /// The contact's clave.
    pub interaccion: i64,
    /// The customer's clave.
    pub cliente: i64,
    /// Whether it was only stored as a note because the customer belongs to another salesperson.
    pub solo_nota: bool,
}

impl Operation for LogInteraction {
    const SPEC: Spec =
        Spec::new().http(Http::post("/clientes/{clave}/interacciones", Scope::ActividadesWrite).replaces()).errors(&[
            Code::FaltaSiguientePaso,
            Code::ClienteDePlataforma,
            Code::ClienteSinContacto,
            Code::VendedorRequerido,
            Code::VendedorInvalido,
        ]);
    type Output = InteractionLogged;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InteractionLogged, Error> {
        let cliente = self.clave;
        let fecha = moment(self.fecha, cx.now)?;
        let siguiente = NextStep::validate(
            self.proximo_fecha.map(|date| date.0),
            self.proximo_texto.as_deref().map(str::to_owned),
            self.cierre.as_deref().map(str::to_owned),
            mexico_date(cx.now.get()),
        )?;
        let account = cx.tx.account(cliente).await?.ok_or(Code::NoEncontrado)?;
        account.validate()?;
        let vendedor = author(cx, self.vendedor).await?;
        let solo_nota = account.is_assigned_to_another_than(vendedor);
        let row = NewInteraction {
            cliente,
            vendedor,
            canal: self.canal,
            resultado: self.resultado,
            sentido: self.sentido.unwrap_or_default(),
            nota: self.nota.as_deref(),
            fecha,
            duracion: self.duracion_min,
            siguiente: &siguiente,
            solo_nota,
            creada: cx.now,
        };
        let interaccion = cx.tx.insert_interaction(&row).await?;
        if !solo_nota {
            let commitment =
                siguiente.commitment().map(|(fecha, texto)| NewCommitment { vendedor, fecha, texto, interaccion });
            cx.tx.replace_commitment(cliente, commitment.as_ref(), cx.now).await?;
        }
        Ok(InteractionLogged { interaccion, cliente, solo_nota })
    }
}

/// The author of the contact: the given salesperson, otherwise the key's owner. The owner need not
/// be a salesperson but must have access to the company, which in notice mode a key can outlive.
async fn author(cx: &mut Cx<'_>, named: Option<i64>) -> Result<i64, Error> {
    if let Some(vendedor) = named {
        let active = cx.tx.is_salesperson(vendedor).await?;
        return if active { Ok(vendedor) } else { Err(Code::VendedorInvalido.into()) };
    }
    match *cx.actor {
        Actor::Key { owner, .. } if cx.tx.is_active_user(owner).await? => Ok(owner),
        _ => Err(Code::VendedorRequerido.into()),
    }
}
