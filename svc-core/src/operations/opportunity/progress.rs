//! Creating opportunities and moving them through the stages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::currency::{self, PESO};
use crate::domain::event::{Event, EventKind};
use crate::domain::money::Money;
use crate::domain::opportunity::{FunnelStage, OpportunityState};
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::text::tidy_emails;
use crate::domain::time::Date;
use crate::error::{Code, Error};
use crate::json::{Exact, Text, Within};
use crate::operation::{Cx, Operation, Spec};
use crate::store::NewOpportunity;

/// Creates an opportunity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateOpportunity {
    /// The name.
    pub nombre: Text<200>,
    /// The clave of an active stage.
    pub etapa: i64,
    /// The clave of the customer; without one, the contact data identify the opportunity.
    pub cliente: Option<i64>,
    /// The contact's name.
    pub contacto_nombre: Option<Text<100>>,
    /// The contact's company.
    pub contacto_empresa: Option<Text<200>>,
    /// The contact's e-mail address.
    pub contacto_correo: Option<Text<255>>,
    /// The contact's telephone number.
    pub contacto_telefono: Option<Text<30>>,
    /// The clave of the salesperson responsible; the team if left out.
    pub vendedor: Option<i64>,
    /// The expected value.
    pub monto: Option<Money>,
    /// The currency of `monto`; MXN if left out.
    pub moneda: Option<SatKey<Exact<3>, Currencies>>,
    /// The probability in percent; the stage's if left out.
    pub probabilidad: Option<Within<0, 100>>,
    /// The day on which it is expected to close.
    pub cierre: Option<Date>,
    /// Where it came from.
    pub origen: Option<Text<100>>,
}

/// Moves an opportunity to a stage, which decides whether it is won, lost or open. In its current
/// stage only the loss reason can be changed, and no event is emitted.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveOpportunity {
    /// The clave of the opportunity.
    pub oportunidad: i64,
    /// The clave of an active stage.
    pub etapa: i64,
    /// The clave of the loss reason; only for a stage of lost opportunities.
    pub motivo_perdida: Option<i64>,
}

/// The opportunity that was created or moved.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OpportunityRef {
    /// The opportunity's clave.
    pub oportunidad: i64,
}

impl Operation for CreateOpportunity {
    const SPEC: Spec = Spec::new().named("opportunity.create").emits(&[EventKind::OportunidadCreada]);
    type Output = OpportunityRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<OpportunityRef, Error> {
        let moneda = self.moneda.as_deref().unwrap_or(PESO);
        currency::validate(moneda)?;
        let stage = stage(cx, self.etapa).await?;
        let begun = OpportunityState::begin(&stage, cx.now)?;
        if let Some(vendedor) = self.vendedor
            && !cx.tx.is_salesperson(vendedor).await?
        {
            return Err(Code::VendedorInvalido.into());
        }
        let correo = self.contacto_correo.as_deref().map(tidy_emails).filter(|correo| !correo.is_empty());
        let row = NewOpportunity {
            nombre: &self.nombre,
            state: &begun,
            cliente: self.cliente,
            contacto_nombre: self.contacto_nombre.as_deref(),
            contacto_empresa: self.contacto_empresa.as_deref(),
            contacto_correo: correo.as_deref(),
            contacto_telefono: self.contacto_telefono.as_deref(),
            vendedor: self.vendedor,
            monto: self.monto,
            moneda,
            probabilidad: self.probabilidad.map(Within::get),
            cierre: self.cierre.map(|date| date.0),
            origen: self.origen.as_deref(),
            creado: cx.now,
        };
        let oportunidad = cx.tx.insert_opportunity(&row).await?;
        cx.emit(&Event::OportunidadCreada { oportunidad, etapa: self.etapa }).await?;
        Ok(OpportunityRef { oportunidad })
    }
}

impl Operation for MoveOpportunity {
    const SPEC: Spec = Spec::new().named("opportunity.move").each_time().emits(&[EventKind::EtapaCambiada]);
    type Output = OpportunityRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<OpportunityRef, Error> {
        let Self { oportunidad, etapa, motivo_perdida } = *self;
        let before = cx.tx.opportunity(oportunidad).await?.ok_or_else(|| {
            let text = format_args!("la oportunidad {oportunidad} no existe en la empresa");
            Error::field(Code::NoEncontrado, "oportunidad", text)
        })?;
        let stage = stage(cx, etapa).await?;
        let after = before.moved(&stage, motivo_perdida, cx.now)?;
        if after == before {
            return Ok(OpportunityRef { oportunidad });
        }
        if let Some(motivo) = motivo_perdida
            && !cx.tx.is_loss_reason(motivo).await?
        {
            return Err(Error::field(Code::ReferenciaInvalida, "motivo_perdida", "no es un motivo activo"));
        }
        cx.tx.update_opportunity_state(oportunidad, &after, cx.now).await?;
        if after.etapa != before.etapa {
            let OpportunityState { estatus, .. } = after;
            cx.emit(&Event::EtapaCambiada { oportunidad, etapa_anterior: before.etapa, etapa, estatus }).await?;
        }
        Ok(OpportunityRef { oportunidad })
    }
}

async fn stage(cx: &mut Cx<'_>, etapa: i64) -> Result<FunnelStage, Error> {
    let missing = || Error::field(Code::ReferenciaInvalida, "etapa", "no existe en la empresa");
    cx.tx.stage(etapa).await?.ok_or_else(missing)
}
