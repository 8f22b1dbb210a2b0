//! Reports of the books. Their sums are those of the ledger on the same days: groups beyond the
//! largest are added up, and what no document accounts for has a place of its own.

mod aging;
mod sales;
mod statement;
mod vat;

use rust_decimal::Decimal;

use crate::domain::quantity::Balance;
use crate::domain::time::Date;
use crate::error::{Code, Error};
use crate::store::ReportDays;

pub use aging::{AgeBuckets, AgedLine, AgedLines, AgingReport};
pub use sales::{SalesLine, SalesLines, SalesReport, SalesSums};
pub use statement::{CustomerStatement, OpenDocument, StatementFunds, StatementLine, StatementReport, StatementSums};
pub use vat::{IepsOfMonth, SupplierVat, VatCharged, VatCredited, VatOfMonth, VatReport};

/// How many groups a report lists one by one.
const MAX_GROUPS: i64 = 1_000;

/// The days from `desde` to `hasta`; refuses them backwards.
fn days(desde: Date, hasta: Date) -> Result<ReportDays, Error> {
    if desde.0 > hasta.0 {
        return Err(Error::field(Code::DatoInvalido, "hasta", "es anterior a desde"));
    }
    Ok(ReportDays { desde: desde.0, hasta: hasta.0 })
}

fn sum<T>(of: &[T], amount: impl Fn(&T) -> Decimal) -> Balance {
    Balance::new(of.iter().map(amount).sum())
}
