//! `POST /ventas/{clave}/facturar`.

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::event::EventKind;
use crate::domain::invoice::{SaleInvoice, SuppliedTerms};
use crate::domain::sat::{CfdiUses, PaymentForms, SatKey};
use crate::domain::scope::Scope;
use crate::domain::words::{InvoiceStatus, PaymentMethod, RequestedStatus};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Head, Http, Operation, Spec};
use crate::posting::invoice::request;

/// In seconds.
const LOOK_AGAIN: u32 = 5;

/// Invoices an order or quote of [`super::CreateSale`] once. Every repetition, whatever its
/// Idempotency-Key, answers with the invoice's current state (spec, "POST
/// /ventas/{clave}/facturar").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceSale {
    /// The clave of the order or quote.
    pub clave: i64,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<SatKey<Text<255>, PaymentForms>>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<PaymentMethod>,
    /// The CFDI use; if the sale has none either, the customer's.
    pub uso_cfdi: Option<SatKey<Text<255>, CfdiUses>>,
    /// The sale's branch; 0 (head office) if left out.
    pub sucursal: Option<i64>,
}

/// The answer of [`InvoiceSale`].
#[derive(Debug, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct InvoiceRequested {
    /// The invoice's clave in the registry.
    factura: i64,
    /// The sale's clave.
    venta: i64,
    /// What has become of the invoice.
    estatus: RequestedStatus,
    /// The series of the folio.
    serie: Option<String>,
    /// The number within the series.
    folio: Option<String>,
    /// The fiscal folio; null until it is stamped.
    uuid: Option<String>,
    /// Whether the invoice had been requested before.
    ya_solicitada: bool,
}

impl InvoiceRequested {
    fn of(venta: i64, invoice: SaleInvoice, ya_solicitada: bool) -> Self {
        let SaleInvoice { clave, estatus, serie, folio, uuid, .. } = invoice;
        let estatus = match estatus {
            InvoiceStatus::EnEspera => RequestedStatus::Timbrando,
            InvoiceStatus::Vigente => RequestedStatus::Vigente,
            InvoiceStatus::Cancelada => RequestedStatus::Cancelada,
            InvoiceStatus::Error => RequestedStatus::Error,
        };
        Self { factura: clave, venta, estatus, serie, folio, uuid, ya_solicitada }
    }
}

impl Operation for InvoiceSale {
    const SPEC: Spec = Spec::new()
        .http(
            Http::post("/ventas/{clave}/facturar", Scope::FacturasWrite)
                .status(StatusCode::ACCEPTED)
                .answers_repetitions()
                .replaces()
                .sends()
                .optional_body(),
        )
        .emits(&[EventKind::ClienteCreado, EventKind::ExistenciaCambiada, EventKind::PagoAplicado])
        .errors(&[
            Code::VentaNoApi,
            Code::VentaCancelada,
            Code::VentaYaFacturada,
            Code::VentaNoFacturable,
            Code::PedidoConSurtido,
            Code::SucursalNoCoincide,
            Code::VentaEnProceso,
            Code::DatoYaCapturado,
            Code::PlanSinFacturacion,
            Code::CertificadoInvalido,
            Code::ClienteSinRfc,
            Code::ClienteSinRegimen,
            Code::ClienteSinCp,
            Code::ClienteSinUsoCfdi,
            Code::UsoCfdiIncompatible,
            Code::VentaSinCondicionPago,
            Code::VentaSinMetodoPago,
            Code::VentaSinFormaPago,
            Code::FormaPagoInvalida,
            Code::FormaPagoIncompatible,
            Code::ImpuestoIncompatible,
            Code::DocumentoInvalido,
            Code::PeriodoCerrado,
            Code::ExistenciaInsuficiente,
            Code::CreditoInsuficiente,
            Code::SaldoVencido,
            Code::AnticipoInsuficiente,
            Code::AlmacenInvalido,
        ]);
    type Output = InvoiceRequested;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRequested, Error> {
        let venta = self.clave;
        let supplied = SuppliedTerms {
            forma_pago_sat: self.forma_pago_sat.as_deref().map(str::to_owned),
            metodo_pago_sat: self.metodo_pago_sat,
            uso_cfdi: self.uso_cfdi.as_deref().map(str::to_owned),
        };
        let requested = request(cx, venta, supplied, self.sucursal.unwrap_or(0)).await?;
        Ok(InvoiceRequested::of(venta, requested.invoice, requested.before))
    }

    /// 202 if this request queued it, otherwise 200. `Location`, and while it is being stamped also
    /// `Retry-After`.
    fn head(output: &InvoiceRequested, base_url: &str) -> Head {
        Head {
            status: if output.ya_solicitada { StatusCode::OK } else { StatusCode::ACCEPTED },
            location: Some(format!("{base_url}/facturas?clave={}", output.factura)),
            retry_after: (output.estatus == RequestedStatus::Timbrando).then_some(LOOK_AGAIN),
        }
    }
}
