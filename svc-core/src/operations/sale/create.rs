//! `POST /ventas`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SaleBody;
use crate::domain::event::EventKind;
use crate::domain::money::Money;
use crate::domain::scope::Scope;
use crate::domain::words::{OrderKind, SaleKind, SaleOrigin};
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};
use crate::posting::sale::{CapturePoint, make};

/// Creates an order or a quote and emits `venta.creada` (spec, "POST /ventas"). An order reserves
/// stock; neither reduces it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CreateSale(pub SaleBody<OrderKind>);

/// The answer of [`CreateSale`].
#[derive(Debug, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct SaleCreated {
    /// The document's clave.
    pub venta: i64,
    /// Its type.
    pub tipo: SaleKind,
    /// Its number.
    pub folio: i64,
    /// Before discount and taxes.
    pub subtotal: Money,
    /// The discount on all lines.
    pub descuento: Money,
    /// Taxes charged.
    pub impuestos: Money,
    /// What is to be paid.
    pub total: Money,
}

impl Operation for CreateSale {
    const SPEC: Spec = Spec::new()
        .http(Http::post("/ventas", Scope::VentasWrite))
        .emits(&[EventKind::VentaCreada, EventKind::ClienteCreado, EventKind::ExistenciaCambiada])
        .errors(&[
            Code::ClienteInvalido,
            Code::ProductoInvalido,
            Code::SkuAmbiguo,
            Code::MonedaInvalida,
            Code::IvaInvalido,
            Code::ImpuestoIncompatible,
            Code::SinPrecio,
            Code::AlmacenInvalido,
            Code::VendedorInvalido,
            Code::FormaPagoInvalida,
            Code::MetodoPagoInvalido,
            Code::UsoCfdiInvalido,
            Code::PeriodoCerrado,
        ]);
    type Output = SaleCreated;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SaleCreated, Error> {
        // Sales of the API belong to the head office (spec, "POST /ventas/{clave}/facturar", rule
        // 6).
        let made = make(cx, &self.0, CapturePoint { origen: SaleOrigin::Api, sucursal: 0 }).await?;
        Ok(SaleCreated {
            venta: made.venta,
            tipo: made.tipo,
            folio: made.folio,
            subtotal: made.amounts.subtotal,
            descuento: made.amounts.descuento,
            impuestos: made.amounts.impuestos(),
            total: made.amounts.total,
        })
    }
}
