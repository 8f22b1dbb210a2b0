//! The rules of imported stages, loss reasons and opportunities.

use crate::domain::words::{OpportunityStatus, Status};
use crate::json::Fault;
use crate::operations::import::{
    ImportMoment, Rules, distinct, in_pesos, own_folio, require, require_clave, require_currency,
};
use crate::record::loss_reason::LossReasonImport;
use crate::record::opportunity::OpportunityImport;
use crate::record::stage::StageImport;
use crate::store::{Conflict, StoreError, Tx};

fn require_probability(probability: Option<i64>) -> Result<(), Fault> {
    require(probability.is_none_or(|percent| (0..=100).contains(&percent)), "probabilidad", "debe ser de 0 a 100")
}

impl Rules for StageImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_probability(self.probabilidad)
    }

    fn normalize(&mut self, clave: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        let tipo = *self.tipo.get_or_insert(OpportunityStatus::Abierta);
        self.orden.get_or_insert(clave);
        self.probabilidad.get_or_insert(if tipo == OpportunityStatus::Ganada { 100 } else { 0 });
        self.estatus.get_or_insert(Status::Activo);
        Ok(())
    }
}

impl Rules for LossReasonImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.estatus.get_or_insert(Status::Activo);
        Ok(())
    }
}

impl Rules for OpportunityImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_currency(self.moneda.as_deref())?;
        require_probability(self.probabilidad)
    }

    /// The status of an opportunity follows from its stage.
    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        let stages = distinct(rows.iter().map(|row| row.etapa));
        let kinds = tx.stage_kinds(&stages).await?;
        if kinds.len() < stages.len() {
            return Err(Conflict::Reference("etapa".to_owned()).into());
        }
        for row in rows {
            row.estatus = kinds.get(&row.etapa).copied();
        }
        Ok(())
    }

    fn normalize(&mut self, clave: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        own_folio(&mut self.folio, clave);
        self.motivo_perdida = self.motivo_perdida.filter(|_| self.estatus == Some(OpportunityStatus::Perdida));
        in_pesos(&mut self.moneda);
        self.creado.get_or_insert(at.now);
        self.modificado.get_or_insert(at.now);
        Ok(())
    }
}
