//! The tax document: CFDI 4.0 (SAT, Anexo 20) as typed data, with its builders, its sealed XML and
//! its PDF.
//!
//! There is one struct per node of the standard; its fields are the node's attributes and children,
//! in the standard's order and under its names. Nothing else repeats them: one walk over a document
//! (`node`) produces both its XML (`xml`) and its cadena original (`cadena`), which is the
//! attributes in that order without two of them.
//!
//! - [`build_invoice`] makes the income document ("I") of a sale; its amounts equal the sale's to
//!   the cent. [`build_related`] makes one that relates to others, a substitute or a credit note
//!   ("E"); [`build_global`] makes that of a period's sales to the general public.
//! - [`build_payment`] makes the payment document ("P"), whose content is the complement "Pagos
//!   2.0" ([`Pagos20`]); [`build_receipts`] makes one for several payments, and for invoices in
//!   other currencies.
//! - Local taxes make the complement "Otros derechos e impuestos" ([`ImpuestosLocales`]).
//! - [`seal`](seal()) signs a document with the company's key and writes it as XML, the form in
//!   which it is sent and stored.
//! - [`DocumentParts`] are complements and an addenda that a host gives ([`seal_with`]).
//! - [`Cfdi::read`] reads the document in such an XML; [`StampedXml`] is the provider's XML, with
//!   its stamp.
//! - [`printed`] makes the PDF of a stamped document.
//!
//! All of it is pure. The builders take what a store has read ([`InvoiceSource`],
//! [`PaymentSource`]) and return the document, or the [`CfdiFault`] that prevents it. Only the
//! authority can tell whether its keys exist and its names are true ([`crate::stamping`]).

mod amount;
mod as_text;
#[cfg(test)]
pub(crate) mod authority;
mod cadena;
mod cancellation;
mod concept;
mod currency;
mod element;
mod fault;
mod impuestos;
mod invoice;
mod legal_form;
mod local;
mod node;
mod pagos;
mod parties;
mod parts;
mod payment;
pub mod printed;
mod read;
mod seal;
mod source;
mod stamp;
mod tax;
#[cfg(test)]
pub(crate) mod testing;
mod text;
#[cfg(test)]
mod tools;
mod unsealed;
mod xml;

use std::borrow::Cow;

use chrono::{Datelike, NaiveDate, NaiveDateTime};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::words::words;

pub(crate) use crate::domain::rfc::GENERIC_NATIONAL as GENERAL_PUBLIC_RFC;
pub use amount::Amount;
pub(crate) use cancellation::Cancelacion;
pub use fault::CfdiFault;
pub use impuestos::{Impuesto, Impuestos, ImpuestosConcepto, Retencion, RetencionConcepto, TipoFactor, Traslado};
pub use invoice::{build_global, build_invoice, build_related, build_ticket_note};
pub use local::{ImpuestosLocales, RetencionLocal, TrasladoLocal};
pub use pagos::{
    DoctoRelacionado, ImpuestosDr, ImpuestosP, Pago, Pagos20, RetencionDr, RetencionP, TotalesPagos, TrasladoDr,
    TrasladoP,
};
pub use parts::{ComplementNode, DocumentParts, PartFault};
pub use payment::{build_payment, build_receipts};
pub use read::NoCfdi;
pub(crate) use seal::holds;
pub use seal::{SealFault, SealedXml, SigningKey, seal, seal_with};
pub use source::{
    AppliedNote, Certificate, GlobalSource, Heading, InvoiceSource, Issuer, Line, PaidInvoice, PaymentOfInvoices,
    PaymentSource, ReceiptSource, ReceivedPayment, Receiver, SettledInvoice, SoldSale, Ticket, TicketNoteSource,
};
pub(crate) use stamp::{SANDBOX_CERTIFICATE, SANDBOX_RFC, StampSigner, stamp};
pub use stamp::{StampedXml, TimbreFiscalDigital, UnfitStamp};
pub(crate) use tax::{NOTHING_OF_IEPS, OBJECT_OF_IEPS};

/// The version of the standard.
pub const VERSION: &str = "4.0";
/// `c_Exportacion`: the goods stay in the country.
pub const NO_EXPORT: &str = "01";
/// The name that the authority prescribes for an unnamed receiver.
pub const GENERAL_PUBLIC: &str = "PUBLICO EN GENERAL";

/// The document (node `Comprobante`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Comprobante", rename_all = "PascalCase")]
pub struct Cfdi {
    /// Always [`VERSION`].
    pub version: Cow<'static, str>,
    /// The series, of at most 25 characters; absent if the document has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serie: Option<String>,
    /// The number in the series, of at most 40 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folio: Option<String>,
    /// The time of issue, in the local time of [`Self::lugar_expedicion`], in whole seconds.
    pub fecha: NaiveDateTime,
    /// `c_FormaPago`; absent in a payment document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forma_pago: Option<String>,
    /// The number of the issuer's certificate: twenty digits.
    pub no_certificado: String,
    /// The certificate itself: DER in base64.
    pub certificado: String,
    /// The payment terms, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condiciones_de_pago: Option<String>,
    /// Sum of the concepts' amounts, before discounts and taxes.
    pub sub_total: Amount,
    /// Sum of the concepts' discounts; present only if a concept has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descuento: Option<Amount>,
    /// `c_Moneda`; `XXX` in a payment document.
    pub moneda: String,
    /// Pesos for one unit of the currency, with six decimals; present only for currencies other
    /// than the peso.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tipo_cambio: Option<Amount>,
    /// `sub_total` less discounts, plus the taxes charged, less those withheld.
    pub total: Amount,
    /// The kind of document.
    pub tipo_de_comprobante: TipoDeComprobante,
    /// `c_Exportacion`: always [`NO_EXPORT`].
    pub exportacion: Cow<'static, str>,
    /// `c_MetodoPago`; absent in a payment document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metodo_pago: Option<String>,
    /// Postal code of the place of issue.
    pub lugar_expedicion: String,
    /// The period that it sums up; present only if the receiver is the general public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub informacion_global: Option<InformacionGlobal>,
    /// The related documents, by kind of relation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cfdi_relacionados: Vec<CfdiRelacionados>,
    /// The company that issues the document.
    pub emisor: Emisor,
    /// The customer, or the general public.
    pub receptor: Receptor,
    /// The sold items; at least one.
    pub conceptos: Vec<Concepto>,
    /// Sum of the concepts' taxes; absent if no concept has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impuestos: Option<Impuestos>,
    /// The complement: the payments of a payment document, or local taxes.
    #[serde(default, deserialize_with = "read::complement", skip_serializing_if = "Option::is_none")]
    pub complemento: Option<Complemento>,
}

/// The kind of document (`c_TipoDeComprobante`); this service makes these three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TipoDeComprobante {
    /// Ingreso: the invoice of a sale, an advance, or a period's sales.
    I,
    /// Egreso: a credit note, or the application of an advance.
    E,
    /// Pago: a full or partial payment of an invoice on credit.
    P,
}

/// The period of a document to the general public (node `InformacionGlobal`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct InformacionGlobal {
    /// The length of the period.
    pub periodicidad: Periodicidad,
    /// `c_Meses`: `01` to `12` for a month, `13` to `18` for two.
    pub meses: String,
    /// The year of `meses`.
    #[serde(rename = "Año", with = "as_text")]
    pub anio: i32,
}

impl InformacionGlobal {
    /// The period that contains `day`.
    pub fn of(periodicidad: Periodicidad, day: NaiveDate) -> Self {
        let meses = match periodicidad {
            Periodicidad::Bimestral => 12 + day.month().div_ceil(2),
            _ => day.month(),
        };
        Self { periodicidad, meses: format!("{meses:02}"), anio: day.year() }
    }
}

words! {
    /// The length of the period that a global invoice sums up (`c_Periodicidad`).
    pub enum Periodicidad {
        /// A day.
        Diario = "01",
        /// A week.
        Semanal = "02",
        /// Half a month.
        Quincenal = "03",
        /// A month.
        Mensual = "04",
        /// Two months: issuers of the regime 621 only.
        Bimestral = "05",
    }
}

/// Documents related in one way (node `CfdiRelacionados`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CfdiRelacionados {
    /// The kind of relation.
    pub tipo_relacion: TipoRelacion,
    /// The related documents; at least one.
    pub cfdi_relacionado: Vec<CfdiRelacionado>,
}

impl CfdiRelacionados {
    /// Relates to these documents.
    pub fn of(tipo_relacion: TipoRelacion, uuids: impl IntoIterator<Item = Uuid>) -> Self {
        let cfdi_relacionado = uuids.into_iter().map(|uuid| CfdiRelacionado { uuid }).collect();
        Self { tipo_relacion, cfdi_relacionado }
    }
}

words! {
    /// `c_TipoRelacion`: the kinds that this service uses.
    pub enum TipoRelacion {
        /// A credit note of the documents: a discount, a correction.
        NotaDeCredito = "01",
        /// A debit note of the documents.
        NotaDeDebito = "02",
        /// Returned goods of the documents.
        Devolucion = "03",
        /// A substitute for the documents.
        Sustitucion = "04",
        /// The application of an advance.
        Anticipo = "07",
    }
}

/// A related document (node `CfdiRelacionado`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CfdiRelacionado {
    /// The document's fiscal folio.
    #[serde(rename = "UUID", with = "as_text")]
    pub uuid: Uuid,
}

/// The issuer (node `Emisor`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Emisor {
    /// RFC of the company.
    pub rfc: String,
    /// The name as registered with the authority, in capitals.
    pub nombre: String,
    /// The company's regime: a key of `c_RegimenFiscal` such as `601`.
    pub regimen_fiscal: String,
}

/// The receiver (node `Receptor`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Receptor {
    /// RFC; `XAXX010101000` for the general public, `XEXX010101000` for a foreigner.
    pub rfc: String,
    /// The name as registered with the authority, in capitals.
    pub nombre: String,
    /// Postal code of the fiscal address; with a generic RFC, of the place of issue.
    pub domicilio_fiscal_receptor: String,
    /// `c_Pais` of a foreigner, who has the generic RFC `XEXX010101000`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residencia_fiscal: Option<String>,
    /// The foreigner's tax id in their country.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_reg_id_trib: Option<String>,
    /// `c_RegimenFiscal`; 616 with a generic RFC.
    pub regimen_fiscal_receptor: String,
    /// `c_UsoCFDI`; `CP01` in a payment document.
    #[serde(rename = "UsoCFDI")]
    pub uso_cfdi: String,
}

/// A sold item (node `Concepto`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Concepto {
    /// The product or service, eight digits of `c_ClaveProdServ`; `01010101` if the product has
    /// none.
    pub clave_prod_serv: String,
    /// The seller's own key of the item: the SKU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_identificacion: Option<String>,
    /// The quantity, with up to six decimals.
    pub cantidad: Amount,
    /// The unit, a key of `c_ClaveUnidad`; `H87`, a piece, if the line has none.
    pub clave_unidad: String,
    /// The unit in the seller's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unidad: Option<String>,
    /// The description: up to 1,000 characters.
    pub descripcion: String,
    /// The unit price, with up to six decimals.
    pub valor_unitario: Amount,
    /// `cantidad` × `valor_unitario`, before the discount, with the currency's decimals.
    pub importe: Amount,
    /// The discount on `importe`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descuento: Option<Amount>,
    /// Whether the concept is subject to tax, and whether taxes are broken down (`c_ObjetoImp`).
    pub objeto_imp: String,
    /// The concept's taxes, if `objeto_imp` says that they are broken down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impuestos: Option<ImpuestosConcepto>,
    /// The customs declarations of imported goods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub informacion_aduanera: Vec<InformacionAduanera>,
    /// The property account of a real estate that is let.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuenta_predial: Option<CuentaPredial>,
}

/// A customs declaration (node `InformacionAduanera`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct InformacionAduanera {
    /// Its number, with two blanks between its parts.
    pub numero_pedimento: String,
}

/// A property account (node `CuentaPredial`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CuentaPredial {
    /// Its number: 1 to 150 letters and digits.
    pub numero: String,
}

/// The complements that this service makes (node `Complemento`); at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Complemento {
    /// The payments, in a payment document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pagos: Option<Pagos20>,
    /// The local taxes of all concepts; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impuestos_locales: Option<ImpuestosLocales>,
}
