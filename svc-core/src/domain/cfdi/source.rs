//! What a document is made from: plain data that a store reads.

use uuid::Uuid;

use crate::domain::line::VatRate;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::PaymentTerm;

/// Who issues a document.
#[derive(Debug, Clone)]
pub(crate) struct Issuer {
    /// The company's RFC.
    pub(crate) rfc: Option<String>,
    /// The company's name.
    pub(crate) nombre: String,
    /// The company's regime (`c_RegimenFiscal`).
    pub(crate) regimen: Option<i64>,
    /// Postal code of the place of issue: the branch's, else the company's.
    pub(crate) cp: Option<String>,
    /// The company's signing certificate (CSD).
    pub(crate) certificado: Option<Certificate>,
}

/// A signing certificate, its public part.
#[derive(Debug, Clone)]
pub(crate) struct Certificate {
    /// Its number: twenty digits.
    pub(crate) numero: String,
    /// The certificate in DER.
    pub(crate) der: Vec<u8>,
}

/// Who receives a document: the customer.
#[derive(Debug, Clone, Default)]
pub struct Receiver {
    /// RFC.
    pub rfc: Option<String>,
    /// `razon_social`, else `nombre`.
    pub nombre: Option<String>,
    /// Postal code of the fiscal address.
    pub cp: Option<String>,
    /// Regime (`c_RegimenFiscal`).
    pub regimen: Option<i64>,
    /// `c_UsoCFDI`: the sale's, else the customer's. A payment document does not look at it.
    pub uso_cfdi: Option<String>,
}

impl Receiver {
    /// The name on documents: `razon_social`, else `nombre`.
    pub fn name(razon_social: Option<String>, nombre: Option<String>) -> Option<String> {
        razon_social.filter(|name| !name.is_empty()).or(nombre)
    }
}

/// What any document of the registry says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Heading {
    /// Series.
    pub(crate) serie: Option<String>,
    /// Number in the series.
    pub(crate) folio: Option<String>,
    /// When it is issued; the authority takes it for 72 hours.
    pub(crate) fecha: Timestamp,
}

/// What an income document is made from.
#[derive(Debug, Clone)]
pub(crate) struct InvoiceSource {
    /// Who issues it.
    pub(crate) emisor: Issuer,
    /// Who receives it.
    pub(crate) receptor: Receiver,
    /// What the registry says of it.
    pub(crate) encabezado: Heading,
    /// The sale's currency.
    pub(crate) moneda: String,
    /// Pesos for one unit of it.
    pub(crate) tipo_cambio: Rate,
    /// When the sale is paid.
    pub(crate) condicion_pago: Option<PaymentTerm>,
    /// Days of credit.
    pub(crate) dias_credito: Option<i64>,
    /// `c_FormaPago`.
    pub(crate) forma_pago_sat: Option<String>,
    /// `c_MetodoPago`.
    pub(crate) metodo_pago_sat: Option<String>,
    /// The sale's amount before discounts and taxes.
    pub(crate) subtotal: Money,
    /// The sale's discounts.
    pub(crate) descuento: Money,
    /// The sale's taxes.
    pub(crate) impuestos: Money,
    /// What the sale comes to.
    pub(crate) total: Money,
    /// The sale's lines.
    pub(crate) renglones: Vec<Line>,
}

/// A line of a sale, as `GET /ventas-renglones` shows it.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its number in the sale.
    pub renglon: i64,
    /// SKU.
    pub sku: Option<String>,
    /// What was sold.
    pub descripcion: Option<String>,
    /// How much.
    pub cantidad: Quantity,
    /// The unit's name.
    pub unidad: Option<String>,
    /// The unit (`c_ClaveUnidad`).
    pub unidad_sat: Option<String>,
    /// The product (`c_ClaveProdServ`).
    pub codigo_sat: Option<String>,
    /// `c_ObjetoImp`.
    pub objeto_impuesto: Option<String>,
    /// Price of one.
    pub precio_unitario: Money,
    /// Taken off `subtotal`.
    pub descuento: Money,
    /// `cantidad` × `precio_unitario`, half-up to two decimals.
    pub subtotal: Money,
    /// Rate of its IVA.
    pub iva_tasa: Option<VatRate>,
    /// Its IVA: of `subtotal` less `descuento`, half-up to two decimals.
    pub iva: Money,
    /// `subtotal` − `descuento` + `iva`.
    pub total: Money,
}

/// What a payment document is made from.
#[derive(Debug, Clone)]
pub(crate) struct PaymentSource {
    /// Who issues it.
    pub(crate) emisor: Issuer,
    /// Who receives it.
    pub(crate) receptor: Receiver,
    /// What the registry says of it.
    pub(crate) encabezado: Heading,
    /// The payment.
    pub(crate) pago: Payment,
    /// The invoices it pays, in the payment's currency: one or more.
    pub(crate) facturas: Vec<PaidInvoice>,
}

/// Money that came in.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    /// The day it came in.
    pub(crate) fecha: Date,
    /// `c_FormaPago`.
    pub(crate) forma_pago_sat: Option<String>,
    /// Its currency.
    pub(crate) moneda: String,
    /// Pesos for one unit of it.
    pub(crate) tipo_cambio: Rate,
    /// How much.
    pub(crate) monto: Money,
    /// The bank's reference.
    pub(crate) referencia: Option<String>,
}

/// An invoice that a payment pays, in whole or in part.
#[derive(Debug, Clone)]
pub(crate) struct PaidInvoice {
    /// Its fiscal folio: it was stamped before.
    pub(crate) uuid: Uuid,
    /// Its series.
    pub(crate) serie: Option<String>,
    /// Its number in the series.
    pub(crate) folio: Option<String>,
    /// What it came to.
    pub(crate) total: Money,
    /// Which of its payments this is: 1 is the first.
    pub(crate) parcialidad: i64,
    /// What was owed of it before.
    pub(crate) saldo_anterior: Money,
    /// What is paid of it.
    pub(crate) importe: Money,
    /// What is owed of it afterwards.
    pub(crate) saldo_insoluto: Money,
    /// The lines of its sale, from which its taxes follow.
    pub(crate) renglones: Vec<Line>,
}
