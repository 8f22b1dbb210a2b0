//! Helpers of unit tests.

use chrono::TimeDelta;
use rust_decimal::Decimal;

use crate::domain::company::{Company, CompanyId, Plan};

/// A company that may do everything; its cursor key follows from its number.
pub(crate) fn company(id: u8) -> Company {
    Company {
        id: CompanyId(id.into()),
        nombre: format!("Empresa {id}"),
        plan: Plan::Pro,
        licencias: 3,
        limites: None,
        api: true,
        franquicia: false,
        facturacion: true,
        anticipo_minimo: Decimal::ZERO,
        vender_sin_existencia: true,
        enviar_documentos: false,
        rfc: None,
        regimen: None,
        cp: None,
        prueba: false,
        desfase: TimeDelta::zero(),
        lugares: Vec::new(),
        cursor_key: [id; 32],
    }
}
