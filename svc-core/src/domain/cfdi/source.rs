//! The sources of documents: plain data that a store reads.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use uuid::Uuid;

use super::legal_form::without_legal_form;
use super::{CfdiFault, InformacionGlobal};
use crate::domain::line::VatRate;
use crate::domain::line_details::LineDetails;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sat;
use crate::domain::tax::{Amounts, LineRates};
use crate::domain::text::printed_folio;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::PaymentTerm;

/// The issuer of a document.
#[derive(Debug, Clone)]
pub struct Issuer {
    /// The company's RFC; without a valid one no document can be made.
    pub rfc: Option<String>,
    /// The company's name; documents have it in capitals and without its legal form.
    pub nombre: String,
    /// The company's regime (`c_RegimenFiscal`).
    pub regimen: Option<i64>,
    /// Postal code of the place of issue: the branch's, else the company's.
    pub cp: Option<String>,
    /// The company's signing certificate (CSD); `None` if the document is sealed later
    /// ([`super::Cfdi::to_be_sealed`]).
    pub certificado: Option<Certificate>,
}

impl Issuer {
    /// Refuses lines with the IVA of the border regions if the document is issued elsewhere.
    pub(crate) fn check_border_rate<'l>(&self, lines: impl IntoIterator<Item = &'l Line>) -> Result<(), CfdiFault> {
        let at_border = |line: &&Line| line.rates.iva_tasa.is_some_and(VatRate::is_border);
        match lines.into_iter().find(at_border) {
            Some(line) if !self.cp.as_deref().is_some_and(sat::has_border_rate) => {
                Err(CfdiFault::BorderRate(line.renglon))
            }
            _ => Ok(()),
        }
    }
}

/// The public part of a signing certificate.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// The certificate's number: twenty digits.
    pub numero: String,
    /// The certificate in DER.
    pub der: Vec<u8>,
}

impl Certificate {
    /// The certificate in base64, as in a document.
    pub(super) fn text(&self) -> String {
        STANDARD.encode(&self.der)
    }
}

/// The receiver of a document: the customer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Receiver {
    /// RFC; no document can be made without a valid one.
    pub rfc: Option<String>,
    /// As the authority has it: without the legal form of a company.
    pub nombre: Option<String>,
    /// Postal code of the fiscal address.
    pub cp: Option<String>,
    /// The tax regime, a key of `c_RegimenFiscal`; a generic RFC always gets 616.
    pub regimen: Option<i64>,
    /// The customer's `c_UsoCFDI`, used if the sale has none; ignored for payment documents.
    pub uso_cfdi: Option<String>,
    /// The country's clave; only for foreigners.
    pub pais: Option<i64>,
    /// The foreigner's tax id in their country.
    pub num_reg_id_trib: Option<String>,
}

impl Receiver {
    /// The name for documents: `razon_social`, else `nombre`, without the legal form of a company.
    pub fn name(razon_social: Option<String>, nombre: Option<String>, rfc: Option<&str>) -> Option<String> {
        let name = razon_social.filter(|name| !name.is_empty()).or(nombre)?;
        Some(without_legal_form(&name, rfc).to_owned())
    }
}

/// The registry's data of any document.
#[derive(Debug, Clone)]
pub struct Heading {
    /// Series; it becomes `Serie`.
    pub serie: Option<String>,
    /// Number in the series; it becomes `Folio`.
    pub folio: Option<String>,
    /// The time of issue; the authority accepts it for 72 hours.
    pub fecha: Timestamp,
}

impl Heading {
    /// Series and number, joined for people.
    pub(crate) fn number(&self) -> String {
        printed_folio(self.serie.as_deref().unwrap_or_default(), self.folio.as_deref().unwrap_or_default())
    }
}

/// The source of an income document.
#[derive(Debug, Clone)]
pub struct InvoiceSource {
    /// The company, with the postal code of the place of issue.
    pub emisor: Issuer,
    /// The customer; for a credit note, the receiver that its invoice names (contract §7).
    pub receptor: Receiver,
    /// Series, number and time of issue.
    pub encabezado: Heading,
    /// Terms, currency and sums of the sale.
    pub venta: SoldSale,
    /// The sale's lines, one concept each; `venta` must have their sums.
    pub renglones: Vec<Line>,
}

/// The data of a sale that its document needs.
#[derive(Debug, Clone)]
pub struct SoldSale {
    /// The sale's currency (`c_Moneda`).
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// When it is paid, for `CondicionesDePago`; `None` leaves the attribute out.
    pub condicion_pago: Option<PaymentTerm>,
    /// Days of credit, written only for [`PaymentTerm::Credito`].
    pub dias_credito: Option<i64>,
    /// The payment form (`c_FormaPago`); without it no document is made.
    pub forma_pago_sat: Option<String>,
    /// The payment method (`c_MetodoPago`); without it no document is made.
    pub metodo_pago_sat: Option<String>,
    /// `c_UsoCFDI`; `None` for the receiver's.
    pub uso_cfdi: Option<String>,
    /// The amount before discounts and taxes.
    pub subtotal: Money,
    /// The sum of the discounts.
    pub descuento: Money,
    /// The sum of the taxes charged, local ones included.
    pub impuestos: Money,
    /// The amount to pay.
    pub total: Money,
}

/// A line of a sale, with the values of `GET /ventas-renglones`.
#[derive(Debug, Clone)]
pub struct Line {
    /// The line's number in the sale.
    pub renglon: i64,
    /// The product's SKU; it becomes `NoIdentificacion`.
    pub sku: Option<String>,
    /// The description of the sold item.
    pub descripcion: Option<String>,
    /// The quantity; a document needs more than zero.
    pub cantidad: Quantity,
    /// The unit in the company's words; `Unidad` holds its first 20 characters.
    pub unidad: Option<String>,
    /// The unit, a key of `c_ClaveUnidad`; `None` becomes `H87`, a piece.
    pub unidad_sat: Option<String>,
    /// The product, a key of `c_ClaveProdServ`; `None` becomes `01010101`, "not in the catalogue".
    pub codigo_sat: Option<String>,
    /// Whether it is subject to tax (`c_ObjetoImp`); `None` becomes `02` with a rate of IVA, else
    /// `01`.
    pub objeto_impuesto: Option<String>,
    /// The price of one unit before discount and taxes; a document needs more than zero.
    pub precio_unitario: Money,
    /// The rates of its taxes.
    pub rates: LineRates,
    /// Its local taxes, and what the document says of it besides.
    pub details: LineDetails,
    /// What it comes to.
    pub amounts: Amounts,
}

/// The source of the document of a period's sales to the general public.
#[derive(Debug, Clone)]
pub struct GlobalSource {
    /// The company, with the postal code of the place of issue.
    pub emisor: Issuer,
    /// Series, number and time of issue.
    pub encabezado: Heading,
    /// The period that the document sums up.
    pub periodo: InformacionGlobal,
    /// The tickets' currency (`c_Moneda`), the same for all.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The payment form (`c_FormaPago`) of the largest part of the sales.
    pub forma_pago_sat: Option<String>,
    /// The tickets; at least one.
    pub tickets: Vec<Ticket>,
}

/// A sale to the general public.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// Series and number of the sale as printed; it becomes `NoIdentificacion`.
    pub folio: String,
    /// The lines to sum up in one concept; those of no amount are left out.
    pub renglones: Vec<Line>,
}

/// The source of the credit note that takes a ticket out of a global invoice.
#[derive(Debug, Clone)]
pub struct TicketNoteSource {
    /// The company, with the postal code of the place of issue.
    pub emisor: Issuer,
    /// Series, number and time of issue.
    pub encabezado: Heading,
    /// The ticket's currency (`c_Moneda`).
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The payment form of the credit note (`c_FormaPago`).
    pub forma_pago_sat: String,
    /// The ticket as the global invoice has it.
    pub ticket: Ticket,
}

/// The source of a payment document.
#[derive(Debug, Clone)]
pub struct PaymentSource {
    /// The company, with the postal code of the place of issue.
    pub emisor: Issuer,
    /// The receiver that the paid invoices name, else the customer (contract §7).
    pub receptor: Receiver,
    /// Series, number and time of issue.
    pub encabezado: Heading,
    /// The received money, in the currency of all its invoices.
    pub pago: ReceivedPayment,
    /// The paid invoices, in the payment's currency; at least one.
    pub facturas: Vec<PaidInvoice>,
}

/// The source of a document of several payments.
#[derive(Debug, Clone)]
pub struct ReceiptSource {
    /// The company, with the postal code of the place of issue.
    pub emisor: Issuer,
    /// The receiver that the paid invoices name, else the customer (contract §7).
    pub receptor: Receiver,
    /// Series, number and time of issue.
    pub encabezado: Heading,
    /// The payments; at least one.
    pub pagos: Vec<PaymentOfInvoices>,
}

/// A payment and the invoices it pays.
#[derive(Debug, Clone)]
pub struct PaymentOfInvoices {
    /// The received money; its invoices may take less than all of it, never more.
    pub pago: ReceivedPayment,
    /// The paid invoices; at least one.
    pub facturas: Vec<SettledInvoice>,
}

/// A paid invoice, which may be in another currency than the payment.
#[derive(Debug, Clone)]
pub struct SettledInvoice {
    /// The invoice, with amounts in its own currency.
    pub factura: PaidInvoice,
    /// The currency of the amounts in `factura` (`c_Moneda`).
    pub moneda: String,
    /// The part of the payment for this invoice, in the payment's currency.
    pub monto: Money,
}

/// Money received from a customer (node `Pago`).
#[derive(Debug, Clone)]
pub struct ReceivedPayment {
    /// The day of receipt.
    pub fecha: Date,
    /// The payment form (`c_FormaPago`); neither `None` nor `99` makes a document.
    pub forma_pago_sat: Option<String>,
    /// The payment's currency (`c_Moneda`).
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The amount received, in `moneda`.
    pub monto: Money,
    /// The bank's reference; it becomes `NumOperacion`.
    pub referencia: Option<String>,
}

/// An invoice paid in whole or in part.
#[derive(Debug, Clone)]
pub struct PaidInvoice {
    /// The invoice's fiscal folio; it was stamped before.
    pub uuid: Uuid,
    /// The invoice's series in the registry; `None` if it has none.
    pub serie: Option<String>,
    /// The invoice's number in the series.
    pub folio: Option<String>,
    /// The invoice's total; the sum of `renglones` may differ by at most one unit of the currency.
    pub total: Money,
    /// The number of the instalment, from 1.
    pub parcialidad: i64,
    /// What was owed before this payment.
    pub saldo_anterior: Money,
    /// The part that this payment pays.
    pub importe: Money,
    /// What is owed after this payment.
    pub saldo_insoluto: Money,
    /// The lines of the invoice's sale, which determine its taxes.
    pub renglones: Vec<Line>,
    /// The credit notes that lowered what was owed before this payment: their part of the taxes is
    /// no longer owed.
    pub notas: Vec<AppliedNote>,
}

/// A credit note that lowered what is owed for an invoice.
#[derive(Debug, Clone)]
pub struct AppliedNote {
    /// The note's total, taxes included.
    pub total: Money,
    /// By how much it lowered what was owed: less than its total if less was owed.
    pub importe: Money,
    /// The note's lines: `importe` ÷ `total` of their taxes is no longer owed.
    pub renglones: Vec<Line>,
}
