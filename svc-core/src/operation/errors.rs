//! The errors that an operation can answer over HTTP: those of its kind, and its own (contract §2,
//! §4).

use super::{BodyNeed, Entry, Handler, Idempotency, Method};
use crate::error::Code;
use crate::record::Takes;

/// Errors that occur before routing, or in any operation.
const ANY: &[Code] = &[Code::RutaNoExiste, Code::MetodoNoPermitido, Code::ErrorInterno];

/// Errors of requests that need a key.
const KEYED: &[Code] = &[
    Code::NavegadorNoPermitido,
    Code::LlaveInvalida,
    Code::ApiNoHabilitada,
    Code::LlaveSinTitular,
    Code::PlanRequerido,
    Code::TerminosPendientes,
    Code::LimiteExcedido,
    Code::CupoAgotado,
    Code::Ocupado,
    Code::SinPermiso,
    Code::FiltroNoPermitido,
    // X-Svc-Simular.
    Code::DatoInvalido,
    Code::NoDisponible,
];

const LISTS: &[Code] = &[Code::FiltroVacio, Code::FiltroInvalido, Code::LimiteInvalido, Code::CursorInvalido];

const WRITES: &[Code] = &[
    Code::CuerpoExcedido,
    Code::IdempotenciaInvalida,
    Code::IdempotenciaConflicto,
    Code::IdempotenciaEnCurso,
    Code::JsonInvalido,
    Code::CampoNoPermitido,
];

const BODIES: &[Code] = &[Code::TipoNoSoportado, Code::DatoRequerido];

const RECORD_IN_PATH: &[Code] = &[Code::NoEncontrado];

impl Entry {
    /// Every error that the operation can answer over HTTP, in the order of [`Code::ALL`], then a
    /// host's own; empty if HTTP does not reach it.
    pub fn errors(&self) -> Vec<Code> {
        let Some(http) = &self.spec.http else { return Vec::new() };
        let mut able = ANY.to_vec();
        able.extend(self.spec.errors);
        if !matches!(self.handler, Handler::Open(_)) {
            able.extend(KEYED);
        }
        if http.path.contains('{') {
            able.extend(RECORD_IN_PATH);
        }
        match self.handler {
            Handler::List(list) => {
                let (filters, requires) = (list.spec().filters, list.spec().requires);
                able.extend(LISTS);
                able.extend(Some(Code::FiltroRequerido).filter(|_| !requires.is_empty()));
                let has = |takes: fn(&Takes) -> bool| filters.iter().any(|filter| takes(&filter.takes));
                able.extend(Some(Code::RangoInvalido).filter(|_| has(|takes| matches!(takes, Takes::Bound(_)))));
                able.extend(Some(Code::BusquedaCorta).filter(|_| has(|takes| matches!(takes, Takes::Search))));
            }
            Handler::Operation(_) if http.method != Method::Get => {
                able.extend(WRITES);
                able.extend(Some(Code::IdempotenciaRequerida).filter(|_| http.idempotency == Idempotency::Required));
                able.extend(BODIES.iter().filter(|_| http.body != BodyNeed::None));
            }
            Handler::Open(_) | Handler::Download(_) | Handler::Operation(_) => {}
        }
        let own = self.spec.errors.iter().copied().filter(|code| matches!(code, Code::Own(_)));
        Code::ALL.iter().copied().filter(|code| able.contains(code)).chain(own).collect()
    }
}
