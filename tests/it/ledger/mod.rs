//! The books as people use them: reading entries, writing them, closing months.

mod accounts;
mod closing;
mod dates;
mod entries;
mod export;
mod income;
mod manual;
mod revaluation;
mod year;

use serde_json::{Value, json};
use svc_tests::Company;

use crate::backoffice::did;

/// A line of an entry: the account, and a debit, or a credit if it begins with `-`.
pub(super) fn movement(cuenta: &str, importe: &str) -> Value {
    match importe.strip_prefix('-') {
        Some(credit) => json!({"cuenta": cuenta, "haber": credit}),
        None => json!({"cuenta": cuenta, "debe": importe}),
    }
}

/// An entry of these lines.
pub(super) fn entry(fecha: &str, movimientos: &[Value]) -> Value {
    json!({"fecha": fecha, "concepto": "Comisión del banco", "movimientos": movimientos})
}

/// An entry of 100.00 between an expense and the bank.
pub(super) fn fee(fecha: &str) -> Value {
    entry(fecha, &[movement("701.10", "100.00"), movement("102.01", "-100.00")])
}

/// The entries of October 2026.
pub(super) async fn october(company: &Company, cuenta: Option<&str>) -> Value {
    let span = json!({"desde": "2026-10-01", "hasta": "2026-10-31", "cuenta": cuenta});
    did(company.run_by_name("ledger.entries", &span).await)
}

/// An order of two nails.
pub(super) fn order() -> Value {
    crate::backoffice::shop::nails("pedido")
}
