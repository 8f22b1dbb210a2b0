//! The taxes of a document and of its concepts.

use serde::{Deserialize, Serialize};

use super::Amount;

/// The taxes of a concept (its node `Impuestos`): one or more in all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ImpuestosConcepto {
    /// Charged to the receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traslados: Vec<Traslado>,
    /// Withheld by the receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retenciones: Vec<RetencionConcepto>,
}

/// The taxes of the document (node `Impuestos`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Impuestos {
    /// One for each tax that is withheld.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retenciones: Vec<Retencion>,
    /// Sum of what is withheld; none if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_impuestos_retenidos: Option<Amount>,
    /// One for each tax, factor and rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traslados: Vec<Traslado>,
    /// Sum of what is charged; none if all of it is exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_impuestos_trasladados: Option<Amount>,
}

/// A tax charged to the receiver (node `Traslado`), of a concept or, added up, of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Traslado {
    /// What it is charged on; more than nothing. Units where a tax is charged on each.
    pub base: Amount,
    /// The tax.
    pub impuesto: Impuesto,
    /// `c_TipoFactor`.
    pub tipo_factor: TipoFactor,
    /// The rate, or pesos for each unit, six decimals; none if exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasa_o_cuota: Option<Amount>,
    /// `base` × `tasa_o_cuota`; none if exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importe: Option<Amount>,
}

/// A tax of a concept that the receiver withholds (its node `Retencion`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Retencion", rename_all = "PascalCase")]
pub struct RetencionConcepto {
    /// What it is reckoned on; more than nothing.
    pub base: Amount,
    /// The tax.
    pub impuesto: Impuesto,
    /// `c_TipoFactor`; never exempt.
    pub tipo_factor: TipoFactor,
    /// The rate, six decimals.
    pub tasa_o_cuota: Amount,
    /// `base` × `tasa_o_cuota`.
    pub importe: Amount,
}

/// A tax of the document that the receiver withholds (its node `Retencion`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Retencion {
    /// The tax.
    pub impuesto: Impuesto,
    /// Sum of the concepts'.
    pub importe: Amount,
}

/// `c_Impuesto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Impuesto {
    /// On income; only withheld.
    #[serde(rename = "001")]
    Isr,
    /// On what is sold.
    #[serde(rename = "002")]
    Iva,
    /// On certain goods: fuels, drinks, tobacco and others.
    #[serde(rename = "003")]
    Ieps,
}

/// `c_TipoFactor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TipoFactor {
    /// A part of the base.
    Tasa,
    /// So much for each unit.
    Cuota,
    /// Nothing is charged.
    Exento,
}
