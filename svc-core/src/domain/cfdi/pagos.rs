//! The complement for payments ("Recepción de pagos 2.0", namespace `pago20`).

use std::borrow::Cow;

use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Amount, Impuesto, TipoFactor, as_text};

/// The version of the complement.
pub(super) const VERSION: &str = "2.0";

/// The complement (node `Pagos`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Pagos", rename_all = "PascalCase")]
pub struct Pagos20 {
    /// Always `2.0`.
    pub version: Cow<'static, str>,
    /// The sums of all payments, in pesos.
    pub totales: TotalesPagos,
    /// The payments; at least one.
    pub pago: Vec<Pago>,
}

/// The sums of all payments, in pesos (node `Totales`), with two decimals; each present only if
/// there is such a tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TotalesPagos {
    /// Withheld IVA.
    #[serde(rename = "TotalRetencionesIVA", skip_serializing_if = "Option::is_none")]
    pub retenciones_iva: Option<Amount>,
    /// Withheld ISR.
    #[serde(rename = "TotalRetencionesISR", skip_serializing_if = "Option::is_none")]
    pub retenciones_isr: Option<Amount>,
    /// Withheld IEPS.
    #[serde(rename = "TotalRetencionesIEPS", skip_serializing_if = "Option::is_none")]
    pub retenciones_ieps: Option<Amount>,
    /// Base of the IVA at 16 %.
    #[serde(rename = "TotalTrasladosBaseIVA16", skip_serializing_if = "Option::is_none")]
    pub base_iva_16: Option<Amount>,
    /// IVA at 16 %.
    #[serde(rename = "TotalTrasladosImpuestoIVA16", skip_serializing_if = "Option::is_none")]
    pub impuesto_iva_16: Option<Amount>,
    /// Base of the IVA at 8 %.
    #[serde(rename = "TotalTrasladosBaseIVA8", skip_serializing_if = "Option::is_none")]
    pub base_iva_8: Option<Amount>,
    /// IVA at 8 %.
    #[serde(rename = "TotalTrasladosImpuestoIVA8", skip_serializing_if = "Option::is_none")]
    pub impuesto_iva_8: Option<Amount>,
    /// Base of the IVA at 0 %.
    #[serde(rename = "TotalTrasladosBaseIVA0", skip_serializing_if = "Option::is_none")]
    pub base_iva_0: Option<Amount>,
    /// IVA at 0 %: always zero.
    #[serde(rename = "TotalTrasladosImpuestoIVA0", skip_serializing_if = "Option::is_none")]
    pub impuesto_iva_0: Option<Amount>,
    /// Base exempt from IVA.
    #[serde(rename = "TotalTrasladosBaseIVAExento", skip_serializing_if = "Option::is_none")]
    pub base_iva_exento: Option<Amount>,
    /// Sum of the payments.
    #[serde(rename = "MontoTotalPagos")]
    pub monto_total_pagos: Amount,
}

/// A payment (node `Pago`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Pago {
    /// The day of the payment, at noon because the hour is not known.
    pub fecha_pago: NaiveDateTime,
    /// How it was paid (`c_FormaPago`); never `99`, "to be defined".
    pub forma_de_pago_p: String,
    /// The currency of the received money (`c_Moneda`); the invoices may have others.
    pub moneda_p: String,
    /// Pesos for one unit of the currency, with six decimals; exactly `1` for the peso.
    pub tipo_cambio_p: Amount,
    /// The amount, in the payment's currency.
    pub monto: Amount,
    /// The bank's reference, of at most 100 characters; absent if the payment has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_operacion: Option<String>,
    /// The paid invoices; at least one.
    pub docto_relacionado: Vec<DoctoRelacionado>,
    /// The sums of the invoices' taxes; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impuestos_p: Option<ImpuestosP>,
}

/// A paid invoice (node `DoctoRelacionado`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct DoctoRelacionado {
    /// The invoice's fiscal folio.
    #[serde(with = "as_text")]
    pub id_documento: Uuid,
    /// The invoice's series; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serie: Option<String>,
    /// The invoice's number in the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folio: Option<String>,
    /// The invoice's currency (`c_Moneda`).
    #[serde(rename = "MonedaDR")]
    pub moneda_dr: String,
    /// Units of the invoice's currency for one of the payment's, with ten decimals; exactly `1` if
    /// they are the same.
    #[serde(rename = "EquivalenciaDR")]
    pub equivalencia_dr: Amount,
    /// The number of this instalment.
    #[serde(with = "as_text")]
    pub num_parcialidad: i64,
    /// What was owed before this payment.
    pub imp_saldo_ant: Amount,
    /// The part that this payment pays.
    pub imp_pagado: Amount,
    /// What is owed after this payment.
    pub imp_saldo_insoluto: Amount,
    /// `c_ObjetoImp`: `02` if it has taxes, else `01`.
    #[serde(rename = "ObjetoImpDR")]
    pub objeto_imp_dr: Cow<'static, str>,
    /// The taxes in the paid part; present only if `objeto_imp_dr` is `02`.
    #[serde(rename = "ImpuestosDR", skip_serializing_if = "Option::is_none")]
    pub impuestos_dr: Option<ImpuestosDr>,
}

/// The taxes in the paid part of an invoice (node `ImpuestosDR`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpuestosDr {
    /// One for each withheld tax and rate.
    #[serde(rename = "RetencionesDR", default, skip_serializing_if = "Vec::is_empty")]
    pub retenciones_dr: Vec<RetencionDr>,
    /// One for each tax, factor and rate.
    #[serde(rename = "TrasladosDR", default, skip_serializing_if = "Vec::is_empty")]
    pub traslados_dr: Vec<TrasladoDr>,
}

/// A withheld tax in the paid part of an invoice (node `RetencionDR`), with six decimals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "RetencionDR")]
pub struct RetencionDr {
    /// The paid part of the invoice's base.
    #[serde(rename = "BaseDR")]
    pub base_dr: Amount,
    /// ISR or IVA, as on the invoice.
    #[serde(rename = "ImpuestoDR")]
    pub impuesto_dr: Impuesto,
    /// `c_TipoFactor`; never exempt.
    #[serde(rename = "TipoFactorDR")]
    pub tipo_factor_dr: TipoFactor,
    /// The rate: a fraction of `base_dr`.
    #[serde(rename = "TasaOCuotaDR")]
    pub tasa_o_cuota_dr: Amount,
    /// `base_dr` × `tasa_o_cuota_dr`.
    #[serde(rename = "ImporteDR")]
    pub importe_dr: Amount,
}

/// A charged tax in the paid part of an invoice (node `TrasladoDR`), with six decimals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "TrasladoDR")]
pub struct TrasladoDr {
    /// The paid part of the invoice's base.
    #[serde(rename = "BaseDR")]
    pub base_dr: Amount,
    /// IVA or IEPS, as on the invoice.
    #[serde(rename = "ImpuestoDR")]
    pub impuesto_dr: Impuesto,
    /// The kind of `tasa_o_cuota_dr`.
    #[serde(rename = "TipoFactorDR")]
    pub tipo_factor_dr: TipoFactor,
    /// The rate; absent if exempt.
    #[serde(rename = "TasaOCuotaDR", skip_serializing_if = "Option::is_none")]
    pub tasa_o_cuota_dr: Option<Amount>,
    /// `base_dr` × `tasa_o_cuota_dr`; absent if exempt.
    #[serde(rename = "ImporteDR", skip_serializing_if = "Option::is_none")]
    pub importe_dr: Option<Amount>,
}

/// The taxes of a payment (node `ImpuestosP`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ImpuestosP {
    /// One for each withheld tax.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retenciones_p: Vec<RetencionP>,
    /// One for each tax, factor and rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traslados_p: Vec<TrasladoP>,
}

/// A withheld tax of a payment (node `RetencionP`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct RetencionP {
    /// ISR or IVA; a payment has each at most once.
    pub impuesto_p: Impuesto,
    /// Sum of the invoices' withheld tax, with six decimals, in the payment's currency.
    pub importe_p: Amount,
}

/// A charged tax of a payment (node `TrasladoP`), with six decimals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TrasladoP {
    /// Sum of the invoices' bases.
    pub base_p: Amount,
    /// IVA or IEPS.
    pub impuesto_p: Impuesto,
    /// The kind of `tasa_o_cuota_p`.
    pub tipo_factor_p: TipoFactor,
    /// The rate; absent if exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasa_o_cuota_p: Option<Amount>,
    /// Sum of the invoices' taxes; absent if exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importe_p: Option<Amount>,
}
