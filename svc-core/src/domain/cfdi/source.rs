//! What a document is made from: plain data that a store reads.

use uuid::Uuid;

use crate::domain::line::VatRate;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::PaymentTerm;

/// Who issues a document.
#[derive(Debug, Clone)]
pub struct Issuer {
    /// The company's RFC.
    pub rfc: Option<String>,
    /// The company's name.
    pub nombre: String,
    /// The company's regime (`c_RegimenFiscal`).
    pub regimen: Option<i64>,
    /// Postal code of the place of issue: the branch's, else the company's.
    pub cp: Option<String>,
    /// The company's signing certificate (CSD).
    pub certificado: Option<Certificate>,
}

/// A signing certificate, its public part.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// Its number: twenty digits.
    pub numero: String,
    /// The certificate in DER.
    pub der: Vec<u8>,
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
pub struct Heading {
    /// Series.
    pub serie: Option<String>,
    /// Number in the series.
    pub folio: Option<String>,
    /// When it is issued; the authority takes it for 72 hours.
    pub fecha: Timestamp,
}

/// What an income document is made from.
#[derive(Debug, Clone)]
pub struct InvoiceSource {
    /// Who issues it.
    pub emisor: Issuer,
    /// Who receives it.
    pub receptor: Receiver,
    /// What the registry says of it.
    pub encabezado: Heading,
    /// The sale's currency.
    pub moneda: String,
    /// Pesos for one unit of it.
    pub tipo_cambio: Rate,
    /// When the sale is paid.
    pub condicion_pago: Option<PaymentTerm>,
    /// Days of credit.
    pub dias_credito: Option<i64>,
    /// `c_FormaPago`.
    pub forma_pago_sat: Option<String>,
    /// `c_MetodoPago`.
    pub metodo_pago_sat: Option<String>,
    /// The sale's amount before discounts and taxes.
    pub subtotal: Money,
    /// The sale's discounts.
    pub descuento: Money,
    /// The sale's taxes.
    pub impuestos: Money,
    /// What the sale comes to.
    pub total: Money,
    /// The sale's lines.
    pub renglones: Vec<Line>,
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
pub struct PaymentSource {
    /// Who issues it.
    pub emisor: Issuer,
    /// Who receives it.
    pub receptor: Receiver,
    /// What the registry says of it.
    pub encabezado: Heading,
    /// The payment.
    pub pago: Payment,
    /// The invoices it pays, in the payment's currency: one or more.
    pub facturas: Vec<PaidInvoice>,
}

/// Money that came in.
#[derive(Debug, Clone)]
pub struct Payment {
    /// The day it came in.
    pub fecha: Date,
    /// `c_FormaPago`.
    pub forma_pago_sat: Option<String>,
    /// Its currency.
    pub moneda: String,
    /// Pesos for one unit of it.
    pub tipo_cambio: Rate,
    /// How much.
    pub monto: Money,
    /// The bank's reference.
    pub referencia: Option<String>,
}

/// An invoice that a payment pays, in whole or in part.
#[derive(Debug, Clone)]
pub struct PaidInvoice {
    /// Its fiscal folio: it was stamped before.
    pub uuid: Uuid,
    /// Its series.
    pub serie: Option<String>,
    /// Its number in the series.
    pub folio: Option<String>,
    /// What it came to.
    pub total: Money,
    /// Which of its payments this is: 1 is the first.
    pub parcialidad: i64,
    /// What was owed of it before.
    pub saldo_anterior: Money,
    /// What is paid of it.
    pub importe: Money,
    /// What is owed of it afterwards.
    pub saldo_insoluto: Money,
    /// The lines of its sale, which tell its taxes.
    pub renglones: Vec<Line>,
}
