//! Bank accounts: `/cuentas-bancarias`, never their balances or numbers.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::Text;

record! {
    /// A bank account (contract §3).
    pub struct BankAccount in "cuentas_bancarias" {
        /// Key.
        clave: i64 => Option<i64>,
        /// Name.
        nombre: String => Text<100>,
        /// The bank.
        banco: Option<String> => Option<Text<100>>,
        /// Currency, ISO 4217.
        moneda: String => Option<Text<3>>,
        /// Whether it is in use.
        estatus: Status => Option<Status>,
    }
    import BankAccountImport edited as BankAccountChanges {}
}

impl List for BankAccount {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/cuentas-bancarias", Scope::CxcRead, PageSizes::Enforced, "List bank accounts")
            .filters(&[integer("clave"), choice("estatus", Status::WORDS)]);
}
