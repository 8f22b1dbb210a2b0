use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::domain::invoice::{SaleInvoice, SuppliedTerms};
use crate::domain::scope::Scope;
use crate::domain::words::{InvoiceStatus, PaymentMethod};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Head, Method, Operation, Spec};
use crate::posting::invoice::request;

/// When to look whether the tax authority has spoken, in seconds.
const LOOK_AGAIN: u32 = 5;

/// Invoices an order or a quote that [`super::CreateSale`] made, once: a repetition, with the same Idempotency-Key or
/// another, tells what has become of the invoice.
pub struct InvoiceSale;

/// The body of [`InvoiceSale`] (spec, "POST /ventas/{clave}/facturar"): each only fills what the sale lacks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvoiceBody {
    /// The SAT's payment form.
    pub forma_pago_sat: Option<Text<255>>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<PaymentMethod>,
    /// CFDI use; the customer's when neither says.
    pub uso_cfdi: Option<Text<255>>,
    /// The sale's branch; 0, the head office, when left out.
    pub sucursal: Option<i64>,
}

/// The answer of [`InvoiceSale`].
#[derive(Debug, Serialize)]
pub struct InvoiceRequested {
    factura: i64,
    venta: i64,
    estatus: &'static str,
    serie: Option<String>,
    folio: Option<String>,
    uuid: Option<String>,
    ya_solicitada: bool,
}

impl InvoiceRequested {
    fn of(venta: i64, invoice: SaleInvoice, ya_solicitada: bool) -> Self {
        let SaleInvoice { clave, estatus, serie, folio, uuid, .. } = invoice;
        let estatus = match estatus {
            InvoiceStatus::EnEspera => "timbrando",
            InvoiceStatus::Vigente | InvoiceStatus::Cancelada | InvoiceStatus::Error => estatus.word(),
        };
        Self { factura: clave, venta, estatus, serie, folio, uuid, ya_solicitada }
    }
}

impl Operation for InvoiceSale {
    const SPEC: Spec = Spec::write(Method::Post, "/ventas/{clave}/facturar", Scope::FacturasWrite)
        .summary("Invoice an order or a quote")
        .status(StatusCode::ACCEPTED)
        .answers_repetitions()
        .optional_body()
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
            Code::CreditoInsuficiente,
            Code::SaldoVencido,
            Code::AnticipoInsuficiente,
            Code::AlmacenInvalido,
        ]);
    type Path = i64;
    type Input = InvoiceBody;
    type Output = InvoiceRequested;

    async fn run(cx: &mut Cx<'_>, venta: i64, body: InvoiceBody) -> Result<InvoiceRequested, Error> {
        let supplied = SuppliedTerms {
            forma_pago_sat: body.forma_pago_sat.map(Text::into_string),
            metodo_pago_sat: body.metodo_pago_sat,
            uso_cfdi: body.uso_cfdi.map(Text::into_string),
        };
        let requested = request(cx, venta, supplied, body.sucursal.unwrap_or(0)).await?;
        Ok(InvoiceRequested::of(venta, requested.invoice, requested.before))
    }

    /// 202 when it was asked for now, else 200; where it is read, and when to look again while it is being stamped.
    fn head(output: &InvoiceRequested, base_url: &str) -> Head {
        Head {
            status: if output.ya_solicitada { StatusCode::OK } else { StatusCode::ACCEPTED },
            location: Some(format!("{base_url}/facturas?clave={}", output.factura)),
            retry_after: (output.estatus == "timbrando").then_some(LOOK_AGAIN),
        }
    }
}
