//! The tax document: CFDI 4.0 (SAT, Anexo 20) as typed data, the builders that make it, its sealed XML and its print.
//!
//! One struct a node of the standard, its fields the node's attributes and children in the standard's order and under its
//! names. They are stated there and nowhere else: one walk over a document (`node`) gives both its XML (`xml`) and its cadena
//! original (`cadena`), which is the attributes in that order without two of them.
//!
//! - [`build_invoice`] makes the income document ("I") of a sale; its amounts are the sale's to the cent. [`build_related`]
//!   makes one that relates to others, a substitute or a credit note ("E"); [`build_global`] that of a period's sales to the
//!   general public.
//! - [`build_payment`] makes the payment document ("P"), whose matter is the complement "Pagos 2.0" ([`Pagos20`]);
//!   [`build_receipts`] one of several payments, and of invoices in other currencies.
//! - [`seal`](seal()) signs a document with the company's key and writes it as XML, which is what is sent and kept.
//! - [`Cfdi::read`] reads the document in such an XML; [`StampedXml`] is the XML that a provider made of it, with its stamp.
//! - [`printed`] makes a PDF of a stamped one.
//!
//! All of it is pure. The builders take what a store has read ([`InvoiceSource`], [`PaymentSource`]) and give the document, or
//! the [`CfdiFault`] that makes one impossible. Whether its keys exist and its names are true is the authority's to judge
//! ([`crate::stamping`]).

mod amount;
mod as_text;
#[cfg(test)]
pub(crate) mod authority;
mod cadena;
mod cancellation;
mod concept;
mod element;
mod fault;
mod impuestos;
mod invoice;
mod judged;
mod node;
mod pagos;
mod parties;
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
pub use invoice::{build_global, build_invoice, build_related};
pub use pagos::{
    DoctoRelacionado, ImpuestosDr, ImpuestosP, Pago, Pagos20, RetencionDr, RetencionP, TotalesPagos, TrasladoDr,
    TrasladoP,
};
pub use payment::{build_payment, build_receipts};
pub use read::NoCfdi;
pub(crate) use seal::holds;
pub use seal::{SealFault, SealedXml, SigningKey, seal};
pub use source::{
    Certificate, GlobalSource, Heading, InvoiceSource, Issuer, Line, PaidInvoice, Payment, PaymentSource, Receipt,
    ReceiptSource, Receiver, SettledInvoice, SoldSale, Ticket,
};
pub(crate) use stamp::{Provider, stamp};
pub use stamp::{StampedXml, TimbreFiscalDigital, UnfitStamp};

/// The version of the standard.
pub const VERSION: &str = "4.0";
/// `c_Exportacion`: what is sold stays in the country.
pub const NO_EXPORT: &str = "01";
/// The name that the authority prescribes for an unnamed receiver.
pub const GENERAL_PUBLIC: &str = "PUBLICO EN GENERAL";

/// The document (node `Comprobante`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Comprobante", rename_all = "PascalCase")]
pub struct Cfdi {
    /// Always [`VERSION`].
    pub version: Cow<'static, str>,
    /// The issuer's series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serie: Option<String>,
    /// The number in the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folio: Option<String>,
    /// When it is issued, in the local time of [`Self::lugar_expedicion`], whole seconds.
    pub fecha: NaiveDateTime,
    /// `c_FormaPago`; none in a payment document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forma_pago: Option<String>,
    /// Number of the issuer's certificate: twenty digits.
    pub no_certificado: String,
    /// The certificate itself: DER in base64.
    pub certificado: String,
    /// In words, when it is to be paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condiciones_de_pago: Option<String>,
    /// Sum of the concepts' amounts, before discounts and taxes.
    pub sub_total: Amount,
    /// Sum of the concepts' discounts; there only if one of them has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descuento: Option<Amount>,
    /// `c_Moneda`; `XXX` in a payment document.
    pub moneda: String,
    /// Pesos for one unit of the currency, six decimals; there only if that is another than the peso.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tipo_cambio: Option<Amount>,
    /// `sub_total` less discounts, plus the taxes charged, less those withheld.
    pub total: Amount,
    /// What it is.
    pub tipo_de_comprobante: TipoDeComprobante,
    /// `c_Exportacion`: always [`NO_EXPORT`].
    pub exportacion: Cow<'static, str>,
    /// `c_MetodoPago`; none in a payment document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metodo_pago: Option<String>,
    /// Postal code of the place where it is issued.
    pub lugar_expedicion: String,
    /// Which sales it sums up; there only if the receiver is the general public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub informacion_global: Option<InformacionGlobal>,
    /// Documents that it relates to, by the kind of relation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cfdi_relacionados: Vec<CfdiRelacionados>,
    /// Who issues it.
    pub emisor: Emisor,
    /// Who receives it.
    pub receptor: Receptor,
    /// What was sold: one or more.
    pub conceptos: Vec<Concepto>,
    /// The concepts' taxes, added up; none if no concept has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impuestos: Option<Impuestos>,
    /// The complement, in a payment document.
    #[serde(default, deserialize_with = "read::complement", skip_serializing_if = "Option::is_none")]
    pub complemento: Option<Complemento>,
}

/// `c_TipoDeComprobante`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TipoDeComprobante {
    /// Ingreso: something was sold.
    I,
    /// Egreso: a credit note, or an advance that is applied.
    E,
    /// Pago: an invoice that was to be paid later was paid, in whole or in part.
    P,
}

/// The period of a document to the general public (node `InformacionGlobal`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct InformacionGlobal {
    /// How long the period is.
    pub periodicidad: Periodicidad,
    /// `c_Meses`: the month, `01` to `12`, or two months, `13` to `18`.
    pub meses: String,
    /// The year.
    #[serde(rename = "Año", with = "as_text")]
    pub anio: i32,
}

impl InformacionGlobal {
    /// The period that `day` lies in.
    pub fn of(periodicidad: Periodicidad, day: NaiveDate) -> Self {
        let meses = match periodicidad {
            Periodicidad::Bimestral => 12 + day.month().div_ceil(2),
            _ => day.month(),
        };
        Self { periodicidad, meses: format!("{meses:02}"), anio: day.year() }
    }
}

words! {
    /// `c_Periodicidad`.
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

/// Documents that a document relates to in one way (node `CfdiRelacionados`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CfdiRelacionados {
    /// In which way.
    pub tipo_relacion: TipoRelacion,
    /// The documents: one or more.
    pub cfdi_relacionado: Vec<CfdiRelacionado>,
}

impl CfdiRelacionados {
    /// A relation to these documents.
    pub fn of(tipo_relacion: TipoRelacion, uuids: impl IntoIterator<Item = Uuid>) -> Self {
        let cfdi_relacionado = uuids.into_iter().map(|uuid| CfdiRelacionado { uuid }).collect();
        Self { tipo_relacion, cfdi_relacionado }
    }
}

words! {
    /// `c_TipoRelacion`, those that this service makes documents with.
    pub enum TipoRelacion {
        /// A credit note of the documents: a discount, a correction.
        NotaDeCredito = "01",
        /// A debit note of the documents.
        NotaDeDebito = "02",
        /// Goods of the documents came back.
        Devolucion = "03",
        /// It replaces the documents.
        Sustitucion = "04",
        /// An advance is applied.
        Anticipo = "07",
    }
}

/// A document that a document relates to (node `CfdiRelacionado`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CfdiRelacionado {
    /// Its fiscal folio.
    #[serde(rename = "UUID", with = "as_text")]
    pub uuid: Uuid,
}

/// Who issues the document (node `Emisor`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Emisor {
    /// RFC.
    pub rfc: String,
    /// Name, as the authority has it: in capitals.
    pub nombre: String,
    /// `c_RegimenFiscal`.
    pub regimen_fiscal: String,
}

/// Who receives the document (node `Receptor`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Receptor {
    /// RFC.
    pub rfc: String,
    /// Name, as the authority has it: in capitals.
    pub nombre: String,
    /// Postal code of the fiscal address; with a generic RFC, of the place of issue.
    pub domicilio_fiscal_receptor: String,
    /// `c_Pais` of a foreigner, who has the generic RFC `XEXX010101000`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residencia_fiscal: Option<String>,
    /// A foreigner's tax id at home.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_reg_id_trib: Option<String>,
    /// `c_RegimenFiscal`; 616 with a generic RFC.
    pub regimen_fiscal_receptor: String,
    /// `c_UsoCFDI`; `CP01` in a payment document.
    #[serde(rename = "UsoCFDI")]
    pub uso_cfdi: String,
}

/// Something that was sold (node `Concepto`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Concepto {
    /// `c_ClaveProdServ`.
    pub clave_prod_serv: String,
    /// SKU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_identificacion: Option<String>,
    /// How much: up to six decimals.
    pub cantidad: Amount,
    /// `c_ClaveUnidad`.
    pub clave_unidad: String,
    /// The unit in the seller's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unidad: Option<String>,
    /// What it is: up to 1,000 characters.
    pub descripcion: String,
    /// Price of one: up to six decimals.
    pub valor_unitario: Amount,
    /// `cantidad` × `valor_unitario`.
    pub importe: Amount,
    /// Taken off `importe`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descuento: Option<Amount>,
    /// `c_ObjetoImp`.
    pub objeto_imp: String,
    /// Its taxes, where `objeto_imp` has any broken down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impuestos: Option<ImpuestosConcepto>,
}

/// What goes beyond the standard's common part (node `Complemento`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Complemento {
    /// The payments.
    pub pagos: Pagos20,
}
