//! The entries of imported balances, against the opening account.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::{Account, EntryError, EntryLine, LedgerEntry};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Rate};

/// A kind of imported balances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Goods in the warehouses.
    Stock,
    /// What customers owe.
    Receivables,
    /// What is owed to suppliers.
    Payables,
}

/// The entry of imported balances of `valor` pesos; negative ones take back what was posted.
pub(crate) fn opening_entry(
    opening: Opening,
    fecha: NaiveDate,
    valor: Decimal,
) -> Result<Option<LedgerEntry>, EntryError> {
    let (account, valor, name) = match opening {
        Opening::Stock => (Account::Inventario, valor, "inventario"),
        Opening::Receivables => (Account::Clientes, valor, "cuentas por cobrar"),
        Opening::Payables => (Account::Proveedores, -valor, "cuentas por pagar"),
    };
    let lines = [EntryLine::of(account, valor), EntryLine::of(Account::Apertura, -valor)];
    LedgerEntry::new(format!("Apertura: {name}"), fecha, lines)
}

/// A balance in pesos; `None` when it exceeds 18 digits.
pub(crate) fn opened(saldo: Balance, tipo_cambio: Rate) -> Option<Balance> {
    let pesos = line::pesos(Money::new(saldo.get().abs()), tipo_cambio)?.get();
    Some(Balance::new(if saldo.get().is_sign_negative() { -pesos } else { pesos }))
}
