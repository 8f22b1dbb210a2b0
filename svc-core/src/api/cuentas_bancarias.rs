//! Bank accounts: `/cuentas-bancarias`, never their balances or numbers.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A bank account (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct BankAccount {
    /// Key.
    pub clave: i64,
    /// Name.
    pub nombre: String,
    /// The bank.
    pub banco: Option<String>,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// `activo` or `inactivo`.
    pub estatus: String,
}

impl Keyed for BankAccount {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists bank accounts.
pub struct BankAccounts;

/// The filters of [`BankAccounts`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum BankAccountFilter {
    Clave(i64),
    Estatus(&'static str),
}

use BankAccountFilter as F;

impl List for BankAccounts {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/cuentas-bancarias",
        Scope::CxcRead,
        Pages::Enforced,
        &[integer("clave", F::Clave), choice("estatus", Status::WORDS, F::Estatus)],
    )
    .summary("List bank accounts");
    type Path = ();
    type Filter = F;
    type Item = BankAccount;
}
