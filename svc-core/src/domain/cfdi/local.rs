//! The complement "Otros derechos e impuestos" (`implocal` 1.0): the local taxes of a document.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::currency::{Currency, plus};
use super::source::Line;
use super::text::attribute;
use super::{Amount, CfdiFault};
use crate::domain::tax::{LocalKind, LocalTaxes};

const VERSION: &str = "1.0";

/// The local taxes of a document (node `ImpuestosLocales`), with its fields in the order of its
/// cadena original.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ImpuestosLocales {
    /// Always `1.0`.
    #[serde(rename = "version")]
    pub version: Cow<'static, str>,
    /// The sum of what is withheld.
    #[serde(rename = "TotaldeRetenciones")]
    pub total_de_retenciones: Amount,
    /// The sum of what is charged.
    #[serde(rename = "TotaldeTraslados")]
    pub total_de_traslados: Amount,
    /// One for each withheld tax and rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retenciones_locales: Vec<RetencionLocal>,
    /// One for each charged tax and rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traslados_locales: Vec<TrasladoLocal>,
}

/// A withheld local tax (node `RetencionesLocales`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "RetencionesLocales", rename_all = "PascalCase")]
pub struct RetencionLocal {
    /// The name of the tax, which may be any.
    pub imp_loc_retenido: String,
    /// Its rate as a percentage, with two decimals.
    #[serde(rename = "TasadeRetencion")]
    pub tasa_de_retencion: Amount,
    /// The sum of this tax at this rate over the document's lines, with two decimals.
    pub importe: Amount,
}

/// A charged local tax (node `TrasladosLocales`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "TrasladosLocales", rename_all = "PascalCase")]
pub struct TrasladoLocal {
    /// The name of the tax, which may be any.
    pub imp_loc_trasladado: String,
    /// Its rate as a percentage, with two decimals.
    #[serde(rename = "TasadeTraslado")]
    pub tasa_de_traslado: Amount,
    /// The sum of this tax at this rate over the document's lines, with two decimals.
    pub importe: Amount,
}

/// A local tax and its rate, for which a document has one sum; the highest rate comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LocalLevy {
    retenido: bool,
    nombre: String,
    tasa: Reverse<Decimal>,
}

/// Sums of local taxes, one per tax and rate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LocalCharges(BTreeMap<LocalLevy, Decimal>);

impl LocalCharges {
    /// The local taxes of a line. They add up to its amounts: where a part of a line is rounded
    /// otherwise than its taxes, the first of them has the difference.
    pub(super) fn of_line(line: &Line) -> Result<Self, CfdiFault> {
        let mut charges = Self::default();
        for (tipo, sum) in [
            (LocalKind::Traslado, line.amounts.locales_trasladados),
            (LocalKind::Retencion, line.amounts.locales_retenidos),
        ] {
            charges.add_kind(line, tipo, sum.get())?;
        }
        Ok(charges)
    }

    fn add_kind(&mut self, line: &Line, tipo: LocalKind, sum: Decimal) -> Result<(), CfdiFault> {
        let fault =
            || CfdiFault::Line { renglon: line.renglon, fault: "los impuestos locales no corresponden a sus tasas" };
        let base = line.amounts.subtotal.get() - line.amounts.descuento.get();
        let taxes = line.details.impuestos_locales.iter().flat_map(LocalTaxes::iter);
        let mut found = Vec::new();
        for tax in taxes.filter(|tax| tax.tipo == tipo) {
            let nombre = attribute(Some(&tax.nombre), 100).ok_or_else(fault)?;
            let levy =
                LocalLevy { retenido: tipo == LocalKind::Retencion, nombre, tasa: Reverse(tax.tasa.get().normalize()) };
            found.push((levy, tax.amount(base).ok_or(CfdiFault::TooLarge)?.get()));
        }
        let rest = found.iter().try_fold(sum, |rest, (_, amount)| plus(rest, -*amount))?;
        if rest.abs() > Decimal::new(i64::try_from(found.len()).unwrap_or_default(), 2) {
            return Err(fault());
        }
        if let Some((_, first)) = found.first_mut() {
            *first += rest;
        }
        // What comes to nothing is not charged.
        found.into_iter().filter(|(_, amount)| !amount.is_zero()).try_for_each(|(levy, amount)| self.sum(levy, amount))
    }

    fn sum(&mut self, levy: LocalLevy, amount: Decimal) -> Result<(), CfdiFault> {
        let sum = self.0.entry(levy).or_default();
        *sum = plus(*sum, amount)?;
        Ok(())
    }

    pub(super) fn add(&mut self, others: &Self) -> Result<(), CfdiFault> {
        others.0.iter().try_for_each(|(levy, amount)| self.sum(levy.clone(), *amount))
    }

    /// The sum of one kind.
    pub(super) fn total(&self, tipo: LocalKind) -> Result<Decimal, CfdiFault> {
        let amounts = self
            .0
            .iter()
            .filter(|(levy, _)| levy.retenido == (tipo == LocalKind::Retencion))
            .map(|(_, amount)| *amount);
        amounts.into_iter().try_fold(Decimal::ZERO, plus)
    }

    /// The complement; `None` if there are none.
    pub(super) fn complement(&self, currency: &Currency<'_>) -> Result<Option<ImpuestosLocales>, CfdiFault> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let cents = |value: Decimal| {
            currency.amount(value)?;
            Amount::exact(value, 2).ok_or_else(|| CfdiFault::Decimals(currency.key.to_owned()))
        };
        let percent = |levy: &LocalLevy| Amount::rounded(levy.tasa.0 * Decimal::ONE_HUNDRED, 2);
        let mut complement = ImpuestosLocales {
            version: VERSION.into(),
            total_de_retenciones: cents(self.total(LocalKind::Retencion)?)?,
            total_de_traslados: cents(self.total(LocalKind::Traslado)?)?,
            retenciones_locales: Vec::new(),
            traslados_locales: Vec::new(),
        };
        for (levy, amount) in &self.0 {
            let (nombre, importe) = (levy.nombre.clone(), cents(*amount)?);
            if levy.retenido {
                let tasa_de_retencion = percent(levy);
                complement.retenciones_locales.push(RetencionLocal {
                    imp_loc_retenido: nombre,
                    tasa_de_retencion,
                    importe,
                });
            } else {
                let tasa_de_traslado = percent(levy);
                complement.traslados_locales.push(TrasladoLocal {
                    imp_loc_trasladado: nombre,
                    tasa_de_traslado,
                    importe,
                });
            }
        }
        Ok(Some(complement))
    }
}
