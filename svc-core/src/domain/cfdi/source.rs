//! What a document is made from: plain data that a store reads.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use uuid::Uuid;

use super::InformacionGlobal;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::tax::{Amounts, LineRates};
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
    /// The company's signing certificate (CSD); none of a document that is sealed later ([`super::Cfdi::to_be_sealed`]).
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

impl Certificate {
    /// As a document carries it: base64.
    pub(super) fn text(&self) -> String {
        STANDARD.encode(&self.der)
    }
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
    /// `c_UsoCFDI` of the customer, where the sale has none. A payment document does not look at it.
    pub uso_cfdi: Option<String>,
    /// Country, by its clave; asked of foreigners only.
    pub pais: Option<i64>,
    /// A foreigner's tax id at home.
    pub num_reg_id_trib: Option<String>,
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

impl Heading {
    /// Series and number, as people write them.
    pub(crate) fn number(&self) -> String {
        [self.serie.as_deref(), self.folio.as_deref()].map(Option::unwrap_or_default).concat()
    }
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
    /// The sale.
    pub venta: SoldSale,
    /// The sale's lines.
    pub renglones: Vec<Line>,
}

/// A sale, as its document needs it.
#[derive(Debug, Clone)]
pub struct SoldSale {
    /// Its currency.
    pub moneda: String,
    /// Pesos for one unit of it.
    pub tipo_cambio: Rate,
    /// When it is paid.
    pub condicion_pago: Option<PaymentTerm>,
    /// Days of credit.
    pub dias_credito: Option<i64>,
    /// `c_FormaPago`.
    pub forma_pago_sat: Option<String>,
    /// `c_MetodoPago`.
    pub metodo_pago_sat: Option<String>,
    /// `c_UsoCFDI`; the receiver's if the sale has none.
    pub uso_cfdi: Option<String>,
    /// Its amount before discounts and taxes.
    pub subtotal: Money,
    /// Its discounts.
    pub descuento: Money,
    /// Its taxes.
    pub impuestos: Money,
    /// What it comes to.
    pub total: Money,
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
    /// The rates of its taxes.
    pub rates: LineRates,
    /// What it comes to.
    pub amounts: Amounts,
}

/// What the document of a period's sales to the general public is made from.
#[derive(Debug, Clone)]
pub struct GlobalSource {
    /// Who issues it.
    pub emisor: Issuer,
    /// What the registry says of it.
    pub encabezado: Heading,
    /// The period.
    pub periodo: InformacionGlobal,
    /// The tickets' currency.
    pub moneda: String,
    /// Pesos for one unit of it.
    pub tipo_cambio: Rate,
    /// `c_FormaPago`: how the greatest part of it was paid.
    pub forma_pago_sat: Option<String>,
    /// The tickets: one or more.
    pub tickets: Vec<Ticket>,
}

/// A sale to the general public.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// Its number.
    pub folio: String,
    /// Its lines.
    pub renglones: Vec<Line>,
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

/// What a document of several payments is made from.
#[derive(Debug, Clone)]
pub struct ReceiptSource {
    /// Who issues it.
    pub emisor: Issuer,
    /// Who receives it.
    pub receptor: Receiver,
    /// What the registry says of it.
    pub encabezado: Heading,
    /// The payments: one or more.
    pub pagos: Vec<Receipt>,
}

/// A payment and what it pays.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// The payment.
    pub pago: Payment,
    /// The invoices it pays: one or more.
    pub facturas: Vec<SettledInvoice>,
}

/// An invoice that a payment pays, which may be in another currency.
#[derive(Debug, Clone)]
pub struct SettledInvoice {
    /// The invoice; its amounts are in its own currency.
    pub factura: PaidInvoice,
    /// Its currency.
    pub moneda: String,
    /// How much of the payment it takes, in the payment's currency.
    pub monto: Money,
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
    /// The lines of its sale, from which its taxes follow.
    pub renglones: Vec<Line>,
}
