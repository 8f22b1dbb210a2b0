//! The balance of accounts payable (spec, "Account payable").

use rust_decimal::Decimal;

use super::quantity::Balance;
use super::words::PayableStatus;

/// Computes the balance and the status of a payable of `total` with `pagado` already paid: a
/// balance of zero is paid, and a negative one, in the company's favour, is pending. `None` if the
/// balance exceeds 18 digits.
pub(crate) fn settle(total: Balance, pagado: Balance) -> Option<(Balance, PayableStatus)> {
    let saldo = total.get().checked_sub(pagado.get())?;
    // 18 digits before the decimal point (contract §1).
    if saldo.abs() >= Decimal::from(10_i64.pow(18)) {
        return None;
    }
    let estatus = if saldo.is_zero() { PayableStatus::Pagado } else { PayableStatus::Pendiente };
    Some((Balance::new(saldo), estatus))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payable_without_balance_is_paid() {
        let balance = |text: &str| Balance::new(text.parse().unwrap());
        for (total, pagado, expected) in [
            ("116", "0", Some(("116", "pendiente"))),
            ("116", "100.50", Some(("15.50", "pendiente"))),
            ("116", "116.00", Some(("0.00", "pagado"))),
            ("116", "120", Some(("-4", "pendiente"))),
            ("-50", "0", Some(("-50", "pendiente"))),
            ("999999999999999999.99", "-0.01", None),
            ("-999999999999999999", "999999999999999999", None),
        ] {
            let found =
                settle(balance(total), balance(pagado)).map(|(saldo, estatus)| (saldo.to_string(), estatus.word()));
            assert_eq!(found, expected.map(|(saldo, estatus)| (saldo.to_owned(), estatus)), "{total} {pagado}");
        }
    }
}
