//! The balance and the taxes of accounts payable (spec, "Account payable").

use rust_decimal::Decimal;

use super::quantity::Balance;
use super::words::PayableStatus;
use crate::error::Code;
use crate::json::Fault;

/// The taxes of a payable, which have the sign of its total. The total is what is owed to the
/// supplier: it includes IVA and IEPS, and excludes what is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PayableTaxes {
    /// The IVA, which becomes creditable when it is paid.
    pub iva: Balance,
    /// The IEPS, which is part of the cost.
    pub ieps: Balance,
    /// The ISR that the company withholds.
    pub retencion_isr: Balance,
    /// The IVA that the company withholds.
    pub retencion_iva: Balance,
}

impl PayableTaxes {
    /// Validates the taxes of a payable of `total`. What is withheld is at most the amount before
    /// taxes, of IVA at most the IVA.
    pub(crate) fn validate(&self, total: Balance) -> Result<(), Fault> {
        let refused = |field: &str, text: &'static str| Err(Fault::new(Code::DatoInvalido, field, text));
        let size = |amount: Balance| amount.get().abs();
        for (field, tax) in [
            ("iva", self.iva),
            ("ieps", self.ieps),
            ("retencion_isr", self.retencion_isr),
            ("retencion_iva", self.retencion_iva),
        ] {
            let zero = tax.get().is_zero();
            if !zero && (total.get().is_zero() || tax.get().is_sign_negative() != total.get().is_sign_negative()) {
                return refused(field, "no puede ser de otro signo que el total, ni haberlo si el total es cero");
            }
            validate_cents(tax, field)?;
            if size(tax) >= Decimal::from(10_i64.pow(18)) {
                return refused(field, "pasa de 18 enteros");
            }
        }
        // All amounts are below 10^18, so no sum overflows.
        let withheld = size(self.retencion_isr) + size(self.retencion_iva);
        let charged = size(total) + withheld;
        if size(self.iva) > charged {
            return refused("iva", "no puede ser más que el total, ni de otro signo");
        }
        let before_taxes = charged - size(self.iva) - size(self.ieps);
        if before_taxes.is_sign_negative() {
            return refused("ieps", "con el IVA no puede ser más que el total");
        }
        if size(self.retencion_iva) > size(self.iva) {
            return refused("retencion_iva", "no puede ser más que el iva");
        }
        if size(self.retencion_isr) > before_taxes {
            return refused("retencion_isr", "no puede ser más que el importe antes de impuestos");
        }
        Ok(())
    }
}

/// Refuses fractions of a cent, which no payment can pay.
pub(crate) fn validate_cents(amount: Balance, field: &str) -> Result<(), Fault> {
    if amount.get().normalize().scale() > 2 {
        return Err(Fault::new(Code::DatoInvalido, field, "lleva a lo más dos decimales"));
    }
    Ok(())
}

/// Computes the balance and the status of a payable of `total` with `pagado` already paid: a
/// balance of zero is paid, and a negative one, in the company's favour, is pending. `None` if the
/// balance exceeds 18 digits.
pub(crate) fn balance_and_status(total: Balance, pagado: Balance) -> Option<(Balance, PayableStatus)> {
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
    fn the_taxes_of_a_payable_fit_in_its_total() {
        let checked = |total: &str, [iva, ieps, isr, withheld]: [&str; 4]| {
            let balance = |text: &str| Balance::new(text.parse().unwrap());
            let taxes = PayableTaxes {
                iva: balance(iva),
                ieps: balance(ieps),
                retencion_isr: balance(isr),
                retencion_iva: balance(withheld),
            };
            let refused = taxes.validate(balance(total)).map_err(|fault| fault.to_string());
            refused.map_err(|text| text.split(':').next().unwrap_or_default().to_owned())
        };
        for (total, taxes, expected) in [
            ("953.33", ["160", "0", "100", "106.67"], Ok(())),
            ("-953.33", ["-160", "0", "-100", "-106.67"], Ok(())),
            ("1252.80", ["172.80", "80", "0", "0"], Ok(())),
            ("0", ["0", "0", "0", "0"], Ok(())),
            ("0", ["1", "0", "0", "0"], Err("iva")),
            ("100", ["100.01", "0", "0", "0"], Err("iva")),
            ("100", ["16.001", "0", "0", "0"], Err("iva")),
            ("100", ["50", "50.01", "0", "0"], Err("ieps")),
            ("100", ["0", "-1", "0", "0"], Err("ieps")),
            ("100", ["16", "0", "0", "16.01"], Err("retencion_iva")),
            ("1", ["0", "0", "-1", "0"], Err("retencion_isr")),
            ("1000000", ["999999", "0", "2", "0"], Ok(())),
            ("10", ["11", "1", "3", "0"], Err("retencion_isr")),
            ("1", ["0", "0", "1000000000000000000", "0"], Err("retencion_isr")),
        ] {
            assert_eq!(checked(total, taxes), expected.map_err(str::to_owned), "{total} {taxes:?}");
        }
    }

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
            let found = balance_and_status(balance(total), balance(pagado))
                .map(|(saldo, estatus)| (saldo.to_string(), estatus.word()));
            assert_eq!(found, expected.map(|(saldo, estatus)| (saldo.to_owned(), estatus)), "{total} {pagado}");
        }
    }
}
