//! Entries that people write, on any account of the company.

use chrono::NaiveDate;

use super::Side;
use crate::domain::money::Money;
use crate::domain::words::words;

words! {
    /// Where an accounting entry comes from.
    pub enum EntryOrigin {
        /// The service posted it, with a business document or an import.
        Documento = "documento",
        /// A person wrote it (`ledger.entry`).
        Manual = "manual",
        /// The opening balances that a person wrote (`ledger.opening`).
        Apertura = "apertura",
        /// The revaluation of balances in foreign currency at the end of a month.
        Revaluacion = "revaluacion",
        /// The closing of a year.
        Cierre = "cierre",
    }
}

/// A line of a [`FreeEntry`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeLine {
    /// The account, by its code or the name that the company created it under.
    pub codigo: String,
    /// The number that it is written on, if not the account's present one: of a bank account's own
    /// subaccount, or of former entries.
    pub numero: Option<String>,
    /// The side of the account.
    pub lado: Side,
    /// The amount, in pesos.
    pub importe: Money,
}

/// An entry without a document. The caller has checked that it balances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeEntry {
    /// The entry's day.
    pub fecha: NaiveDate,
    /// The description; electronic accounting shows its first 300 characters.
    pub concepto: String,
    /// Where it comes from.
    pub origen: EntryOrigin,
    /// The entry that this one reverses; the reversal uses that entry's account numbers.
    pub revierte: Option<i64>,
    /// The currency of a revaluation; no other entry has one.
    pub moneda: Option<String>,
    /// The lines.
    pub lines: Vec<FreeLine>,
}

impl FreeEntry {
    /// The reversal of this entry, stored as `poliza`, on `fecha`.
    #[must_use]
    pub(crate) fn reversed(&self, poliza: i64, fecha: NaiveDate) -> Self {
        let lines = self.lines.iter().map(|line| FreeLine { lado: line.lado.other(), ..line.clone() }).collect();
        let concepto = format!("Cancelación: {}", self.concepto);
        Self { fecha, concepto, origen: self.origen, revierte: Some(poliza), moneda: self.moneda.clone(), lines }
    }
}

/// Whether the company's lists state, document by document, what an account holds: receivables,
/// payables and stock. An entry without a document would make the account differ from them.
pub(crate) fn is_kept_by_lists(codigo: &str) -> bool {
    [super::Account::Clientes, super::Account::Proveedores, super::Account::Inventario]
        .iter()
        .any(|account| account.word() == codigo)
}
