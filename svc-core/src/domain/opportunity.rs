//! The state of an opportunity, and how it changes when it moves to another stage of the funnel
//! (spec, "Opportunity").

use super::time::Timestamp;
use super::words::OpportunityStatus;
use crate::error::{Code, Error};

/// A stage of the funnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunnelStage {
    /// The clave in `etapas_oportunidad`.
    pub clave: i64,
    /// The status of the opportunities in it.
    pub tipo: OpportunityStatus,
    /// Whether it is in use.
    pub activa: bool,
}

/// The state of an opportunity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpportunityState {
    /// The clave of its stage, in `etapas_oportunidad`.
    pub etapa: i64,
    /// Its status: the type of its stage.
    pub estatus: OpportunityStatus,
    /// The reason for the loss; only while it is lost.
    pub motivo_perdida: Option<i64>,
    /// The time at which it was won or lost.
    pub fecha_cierre: Option<Timestamp>,
}

impl OpportunityState {
    /// The state of a new opportunity in `stage`, created at `now`. The stage must be in use.
    pub(crate) fn begin(stage: &FunnelStage, now: Timestamp) -> Result<Self, Error> {
        refuse_unused(stage)?;
        let closed = stage.tipo != OpportunityStatus::Abierta;
        Ok(Self { etapa: stage.clave, estatus: stage.tipo, motivo_perdida: None, fecha_cierre: closed.then_some(now) })
    }

    /// The state after a move to `stage` at `now`, with the reason `motivo` if the stage is one of
    /// lost opportunities. While the status stays the same, the closing date and the reason do too.
    pub(crate) fn moved(&self, stage: &FunnelStage, motivo: Option<i64>, now: Timestamp) -> Result<Self, Error> {
        let lost = stage.tipo == OpportunityStatus::Perdida;
        if motivo.is_some() && !lost {
            return Err(Error::field(Code::EstadoInvalido, "motivo_perdida", "solo va con una etapa perdida"));
        }
        if stage.clave == self.etapa {
            return Ok(Self { motivo_perdida: motivo.or(self.motivo_perdida), ..*self });
        }
        let begun = Self::begin(stage, now)?;
        let stays = stage.tipo == self.estatus;
        Ok(Self {
            motivo_perdida: motivo.or(self.motivo_perdida.filter(|_| lost)),
            fecha_cierre: if stays { self.fecha_cierre } else { begun.fecha_cierre },
            ..begun
        })
    }
}

fn refuse_unused(stage: &FunnelStage) -> Result<(), Error> {
    if stage.activa { Ok(()) } else { Err(Error::field(Code::ReferenciaInvalida, "etapa", "no es una etapa activa")) }
}

#[cfg(test)]
mod tests {
    use OpportunityStatus::{Abierta, Ganada, Perdida};

    use super::*;

    fn stage(clave: i64, tipo: OpportunityStatus) -> FunnelStage {
        FunnelStage { clave, tipo, activa: true }
    }

    fn at(second: u32) -> Timestamp {
        Timestamp::parse(&format!("2026-10-12T18:00:{second:02}Z")).unwrap()
    }

    fn state(etapa: i64, estatus: OpportunityStatus, motivo: Option<i64>, closed: Option<u32>) -> OpportunityState {
        OpportunityState { etapa, estatus, motivo_perdida: motivo, fecha_cierre: closed.map(at) }
    }

    #[test]
    fn the_status_follows_the_stage() {
        let open = state(1, Abierta, None, None);
        let won = state(3, Ganada, None, Some(1));
        let lost = state(4, Perdida, Some(7), Some(1));
        for (before, to, motivo, after) in [
            (open, stage(2, Abierta), None, state(2, Abierta, None, None)),
            (open, stage(3, Ganada), None, state(3, Ganada, None, Some(9))),
            (open, stage(4, Perdida), None, state(4, Perdida, None, Some(9))),
            (open, stage(4, Perdida), Some(7), state(4, Perdida, Some(7), Some(9))),
            (won, stage(4, Perdida), Some(7), state(4, Perdida, Some(7), Some(9))),
            (lost, stage(1, Abierta), None, state(1, Abierta, None, None)),
            (lost, stage(3, Ganada), None, state(3, Ganada, None, Some(9))),
            // Moving to another stage of the same type keeps the time of the loss.
            (lost, stage(5, Perdida), None, state(5, Perdida, Some(7), Some(1))),
            (lost, stage(5, Perdida), Some(8), state(5, Perdida, Some(8), Some(1))),
            // A move to the same stage changes the reason at most.
            (lost, stage(4, Perdida), None, lost),
            (lost, stage(4, Perdida), Some(8), state(4, Perdida, Some(8), Some(1))),
            (open, stage(1, Abierta), None, open),
        ] {
            assert_eq!(before.moved(&to, motivo, at(9)).unwrap(), after, "{before:?} to {to:?}");
        }
        assert_eq!(OpportunityState::begin(&stage(3, Ganada), at(9)).unwrap(), state(3, Ganada, None, Some(9)));
        assert_eq!(OpportunityState::begin(&stage(1, Abierta), at(9)).unwrap(), open);
    }

    #[test]
    fn an_unused_stage_takes_none_and_only_a_lost_one_a_reason() {
        let open = state(1, Abierta, None, None);
        let unused = FunnelStage { activa: false, ..stage(2, Abierta) };
        let code = |outcome: Result<OpportunityState, Error>| outcome.unwrap_err().code();
        assert_eq!(code(OpportunityState::begin(&unused, at(0))), Code::ReferenciaInvalida);
        assert_eq!(code(open.moved(&unused, None, at(0))), Code::ReferenciaInvalida);
        assert_eq!(code(open.moved(&stage(3, Ganada), Some(7), at(0))), Code::EstadoInvalido);
        assert_eq!(code(open.moved(&stage(1, Abierta), Some(7), at(0))), Code::EstadoInvalido);
        // A move to the current stage succeeds even if that is not in use.
        assert_eq!(open.moved(&FunnelStage { clave: 1, ..unused }, None, at(0)).unwrap(), open);
    }
}
