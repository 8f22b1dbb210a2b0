//! Bank accounts: `/cuentas-bancarias`. Balances and account numbers are never listed; an import
//! brings what an account held before the books began.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::quantity::Balance;
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::Text;

record! {
    /// A bank account (contract §3).
    pub struct BankAccount in "cuentas_bancarias" {
        clave: i64 { list, import: Option<i64> },
        nombre: String { list, import: Text<100> },
        banco: Option<String> { list, import: Option<Text<100>> },
        moneda: String { list, import: Option<SatKey<Text<3>, Currencies>> },
        estatus: Status { list, import: Option<Status> },
        saldo: Balance { opening: Option<Balance> },
        saldo_pesos: Option<Balance> { opening: Option<Balance> },
    }
    import BankAccountImport;
    changes BankAccountChanges;
}

impl List for BankAccount {
    const LIST: ListSpec = ListSpec::new::<Self>("/cuentas-bancarias", Scope::CxcRead, PageSizes::Enforced)
        .filters(&[integer("clave"), choice("estatus", Status::WORDS)]);
}
