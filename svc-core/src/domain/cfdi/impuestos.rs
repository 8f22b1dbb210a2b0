//! The taxes of a document and of its concepts.

use serde::{Deserialize, Serialize};

use super::Amount;

/// The taxes of a concept (node `Impuestos`); at least one.
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
    /// One for each withheld tax.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retenciones: Vec<Retencion>,
    /// Sum of the withheld taxes; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_impuestos_retenidos: Option<Amount>,
    /// One for each tax, factor and rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traslados: Vec<Traslado>,
    /// Sum of the charged taxes; absent if all are exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_impuestos_trasladados: Option<Amount>,
}

/// A tax charged to the receiver (node `Traslado`), of a concept or the sum of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Traslado {
    /// The taxed amount, or the number of units for a tax per unit; more than zero.
    pub base: Amount,
    /// IVA or IEPS: ISR is only withheld.
    pub impuesto: Impuesto,
    /// How the tax follows from `base`.
    pub tipo_factor: TipoFactor,
    /// The rate, or pesos per unit, with six decimals; absent if exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasa_o_cuota: Option<Amount>,
    /// `base` × `tasa_o_cuota`; absent if exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importe: Option<Amount>,
}

/// A withheld tax of a concept (node `Retencion`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Retencion", rename_all = "PascalCase")]
pub struct RetencionConcepto {
    /// The taxed amount; more than zero.
    pub base: Amount,
    /// ISR or IVA: this service writes no withheld IEPS.
    pub impuesto: Impuesto,
    /// `c_TipoFactor`; never exempt.
    pub tipo_factor: TipoFactor,
    /// The rate, with six decimals.
    pub tasa_o_cuota: Amount,
    /// `base` × `tasa_o_cuota`, with the decimals of the document's currency.
    pub importe: Amount,
}

/// A withheld tax of the document (node `Retencion`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Retencion {
    /// ISR or IVA; a document has each at most once.
    pub impuesto: Impuesto,
    /// Sum of the concepts' amounts of this tax.
    pub importe: Amount,
}

/// A federal tax, by its key in the SAT's catalogue `c_Impuesto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Impuesto {
    /// ISR: on income; only withheld.
    #[serde(rename = "001")]
    Isr,
    /// IVA: on sales; charged, and withheld by some receivers.
    #[serde(rename = "002")]
    Iva,
    /// IEPS: on certain goods such as fuels, drinks and tobacco.
    #[serde(rename = "003")]
    Ieps,
}

/// How a tax follows from its base (`c_TipoFactor`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TipoFactor {
    /// A fraction of the base.
    Tasa,
    /// An amount per unit.
    Cuota,
    /// Exempt: neither rate nor amount is written.
    Exento,
}
