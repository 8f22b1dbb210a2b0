//! What customers owe, or what is owed to suppliers, by its age.

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MAX_GROUPS;
use crate::domain::quantity::Balance;
use crate::domain::report::AgingSubject;
use crate::domain::time::Date;
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::store::AgedGroup;

/// Reports what is owed at the end of a day, by the days since it was due: a line for each customer
/// or supplier and currency.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgingReport {
    /// `cxc`: what customers owe. `cxp`: what is owed to suppliers.
    pub de: AgingSubject,
    /// The day, in the company's zone; today if left out.
    pub al: Option<Date>,
}

/// The answer of [`AgingReport`], in pesos.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AgedLines {
    /// Whose debts.
    pub de: AgingSubject,
    /// The day.
    pub al: Date,
    /// The largest balances, at most 1,000, the largest first.
    pub renglones: Vec<AgedLine>,
    /// The sum of all other balances.
    pub otros: AgeBuckets,
    /// What the account holds that belongs to no receivable or payable, such as manual entries.
    pub sin_documento: Balance,
    /// The sum of all balances.
    pub totales: AgeBuckets,
    /// The account's balance on that day: the total and what has no document.
    pub saldo: Balance,
}

/// What one customer owes, or what is owed to one supplier, in one currency.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AgedLine {
    /// The clave of the customer or supplier; null for documents without one.
    pub clave: Option<i64>,
    /// The name.
    pub nombre: Option<String>,
    /// The RFC.
    pub rfc: Option<String>,
    /// The currency of the documents.
    pub moneda: Option<String>,
    /// The balance in that currency.
    pub saldo: Balance,
    /// The balance by age, in pesos.
    #[serde(flatten)]
    pub buckets: AgeBuckets,
}

/// A balance by age, in pesos.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AgeBuckets {
    /// The number of open documents.
    pub documentos: i64,
    /// What is not overdue, or has no due day.
    pub por_vencer: Balance,
    /// Overdue for 1 to 30 days.
    pub de_1_a_30: Balance,
    /// Overdue for 31 to 60 days.
    pub de_31_a_60: Balance,
    /// Overdue for 61 to 90 days.
    pub de_61_a_90: Balance,
    /// Overdue for more than 90 days.
    pub mas_de_90: Balance,
    /// The sum of these five.
    pub total: Balance,
}

impl AgeBuckets {
    fn of(group: &AgedGroup) -> Self {
        Self {
            documentos: group.documentos,
            por_vencer: Balance::new(group.por_vencer),
            de_1_a_30: Balance::new(group.hasta_30),
            de_31_a_60: Balance::new(group.hasta_60),
            de_61_a_90: Balance::new(group.hasta_90),
            mas_de_90: Balance::new(group.mas_de_90),
            total: Balance::new(group.total),
        }
    }

    fn plus(self, other: Self) -> Self {
        let sum = |of: fn(&Self) -> Balance| Balance::new(of(&self).get() + of(&other).get());
        Self {
            documentos: self.documentos + other.documentos,
            por_vencer: sum(|of| of.por_vencer),
            de_1_a_30: sum(|of| of.de_1_a_30),
            de_31_a_60: sum(|of| of.de_31_a_60),
            de_61_a_90: sum(|of| of.de_61_a_90),
            mas_de_90: sum(|of| of.mas_de_90),
            total: sum(|of| of.total),
        }
    }
}

impl Operation for AgingReport {
    const SPEC: Spec = Spec::new().named("report.aging").reads();
    type Output = AgedLines;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<AgedLines, Error> {
        let al = self.al.unwrap_or_else(|| Date(cx.today()));
        let groups = match self.de {
            AgingSubject::Cxc => cx.tx.aged_receivables(al.0, MAX_GROUPS).await?,
            AgingSubject::Cxp => cx.tx.aged_payables(al.0, MAX_GROUPS).await?,
        };
        let (mut renglones, mut otros, mut saldo) = (Vec::new(), AgeBuckets::default(), Decimal::ZERO);
        for group in groups {
            match group.lugar {
                0 => saldo = group.total,
                1..=MAX_GROUPS => renglones.push(AgedLine {
                    clave: group.tercero,
                    saldo: Balance::new(group.saldo),
                    buckets: AgeBuckets::of(&group),
                    nombre: group.nombre,
                    rfc: group.rfc,
                    moneda: group.moneda,
                }),
                _ => otros = AgeBuckets::of(&group),
            }
        }
        let totales = renglones.iter().fold(otros, |sum, line| sum.plus(line.buckets));
        let sin_documento = Balance::new(saldo - totales.total.get());
        Ok(AgedLines { de: self.de, al, renglones, otros, sin_documento, totales, saldo: Balance::new(saldo) })
    }
}
