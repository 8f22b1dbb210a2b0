//! Sales of a span of days, by day, customer, product or salesperson.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_GROUPS, days, sum};
use crate::domain::quantity::{Balance, Quantity};
use crate::domain::report::SalesGrouping;
use crate::domain::time::Date;
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::store::SalesGroup;

/// Reports the sales of a span of days without taxes, in pesos: the movements of the accounts 401
/// and 402.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SalesReport {
    /// The first day, in the company's zone.
    pub desde: Date,
    /// The last day, in the company's zone.
    pub hasta: Date,
    /// A line for each day, customer, product or salesperson.
    pub por: SalesGrouping,
}

/// The answer of [`SalesReport`], in pesos.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SalesLines {
    /// The first day.
    pub desde: Date,
    /// The last day.
    pub hasta: Date,
    /// What the lines are.
    pub por: SalesGrouping,
    /// At most 1,000 lines: days in order, the others by their net sales, the largest first.
    pub renglones: Vec<SalesLine>,
    /// The sum of all other lines.
    pub otros: SalesSums,
    /// The sum of all.
    pub totales: SalesSums,
}

/// The sales of a day, a customer, a product or a salesperson.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SalesLine {
    /// The day; null in the other groupings.
    pub dia: Option<Date>,
    /// The clave of the customer, product or salesperson; null where the sale has none.
    pub clave: Option<i64>,
    /// The name, or the product's description.
    pub nombre: Option<String>,
    /// The product's SKU.
    pub sku: Option<String>,
    /// The units of a product that were sold, less those that came back; null in the other
    /// groupings.
    pub cantidad: Option<Quantity>,
    /// The amounts.
    #[serde(flatten)]
    pub sums: SalesSums,
}

/// Sales without taxes, in pesos.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SalesSums {
    /// Before discounts: the accounts 401.
    pub ventas: Balance,
    /// Discounts, returns and credit notes: the accounts 402.
    pub descuentos: Balance,
    /// The difference.
    pub neto: Balance,
}

impl SalesSums {
    fn of(ventas: Balance, descuentos: Balance) -> Self {
        Self { ventas, descuentos, neto: Balance::new(ventas.get() - descuentos.get()) }
    }
}

impl From<SalesGroup> for SalesLine {
    fn from(group: SalesGroup) -> Self {
        Self {
            dia: group.dia.map(Date),
            clave: group.clave,
            nombre: group.nombre,
            sku: group.sku,
            cantidad: group.cantidad.map(Quantity::new),
            sums: SalesSums::of(Balance::new(group.ventas), Balance::new(group.descuentos)),
        }
    }
}

impl Operation for SalesReport {
    const SPEC: Spec = Spec::new().named("report.sales").reads();
    type Output = SalesLines;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SalesLines, Error> {
        let days = days(self.desde, self.hasta)?;
        let groups = cx.tx.sales_by(self.por, days, MAX_GROUPS).await?;
        let totales = SalesSums::of(sum(&groups, |of| of.ventas), sum(&groups, |of| of.descuentos));
        let (told, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.lugar <= MAX_GROUPS);
        let otros = SalesSums::of(sum(&rest, |of| of.ventas), sum(&rest, |of| of.descuentos));
        let renglones = told.into_iter().map(SalesLine::from).collect();
        Ok(SalesLines { desde: self.desde, hasta: self.hasta, por: self.por, renglones, otros, totales })
    }
}
