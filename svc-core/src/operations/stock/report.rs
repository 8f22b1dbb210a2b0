//! What the stock is worth.

use rust_decimal::{Decimal, RoundingStrategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Quantity};
use crate::domain::time::Date;
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::store::StockWorth;

/// The most products that a report lists one by one.
const MAX_PRODUCTS: i64 = 10_000;

/// Reports the stock of each product at the end of a day, what a unit costs and what all of it is
/// worth.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StockReport {
    /// The day, in the company's zone; today if left out.
    pub al: Option<Date>,
}

/// The answer of [`StockReport`], in pesos.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StockValues {
    /// The day.
    pub al: Date,
    /// The products with stock, at most 10,000, the greatest value first.
    pub renglones: Vec<StockValueLine>,
    /// The number of all other products.
    pub otros: i64,
    /// What the stock of all other products is worth.
    pub valor_otros: Balance,
    /// What all stock is worth.
    pub valor: Balance,
    /// The balance of account 115.01 on that day.
    pub saldo: Balance,
}

/// A product in the report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StockValueLine {
    /// The product's clave.
    pub producto: i64,
    /// Its SKU now.
    pub sku: Option<String>,
    /// Its description now.
    pub descripcion: Option<String>,
    /// The stock in all warehouses; negative if more was sold than there was.
    pub existencia: Quantity,
    /// The average cost of a unit; null without stock.
    pub costo_unitario: Option<Money>,
    /// The value of the stock.
    pub valor: Balance,
}

impl StockValueLine {
    fn of(row: StockWorth) -> Option<Self> {
        let each = row.valor.checked_div(row.existencia.get());
        let each = each.map(|each| each.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero));
        Some(Self {
            producto: row.producto?,
            sku: row.sku,
            descripcion: row.descripcion,
            existencia: row.existencia,
            costo_unitario: each.map(Money::new),
            valor: Balance::new(row.valor),
        })
    }
}

impl Operation for StockReport {
    const SPEC: Spec = Spec::new().named("report.stock").reads();
    type Output = StockValues;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<StockValues, Error> {
        let al = self.al.unwrap_or_else(|| Date(cx.today()));
        let (mut renglones, mut otros, mut valor_otros, mut saldo) = (Vec::new(), 0, Decimal::ZERO, Decimal::ZERO);
        for row in cx.tx.stock_worth(al.0, MAX_PRODUCTS).await? {
            if row.producto.is_none() {
                (otros, valor_otros, saldo) = (row.otros, row.valor, row.saldo);
            }
            renglones.extend(StockValueLine::of(row));
        }
        let valor = renglones.iter().map(|line| line.valor.get()).sum::<Decimal>() + valor_otros;
        let [valor_otros, valor, saldo] = [valor_otros, valor, saldo].map(Balance::new);
        Ok(StockValues { al, renglones, otros, valor_otros, valor, saldo })
    }
}
