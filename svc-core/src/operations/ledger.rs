//! The ledger: the company's account numbers and the trial balance.

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::accounting::Account;
use crate::domain::quantity::Balance;
use crate::domain::time::Date;
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Cx, Operation, Spec};

/// Gives an account the company's own number. It applies to new entries; earlier entries and their
/// reversals keep the former number.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditAccount {
    /// The account's code in the SAT's "código agrupador"; `account.list` has them.
    pub cuenta: Account,
    /// The account's number in the company's books (`NumCta` of electronic accounting); the code
    /// itself if left out.
    pub numero: Option<Text<100>>,
}

/// Lists the accounts that entries can be posted to, with the company's numbers.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAccounts {}

/// The accounts, sorted by code.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Accounts {
    /// The accounts.
    pub cuentas: Vec<NumberedAccount>,
}

/// An account with its number.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct NumberedAccount {
    /// The SAT's code.
    pub cuenta: Account,
    /// The number in the company's books.
    pub numero: String,
    /// The account's name in the SAT's list.
    pub nombre: &'static str,
}

/// The trial balance of a period, or up to a day: every account with entries, in pesos.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialBalance {
    /// The first day; the day of the first entry if left out.
    pub desde: Option<Date>,
    /// The last day; the day of the last entry if left out.
    pub hasta: Option<Date>,
}

/// The answer of [`TrialBalance`]. A balance is debits less credits, so a credit balance is
/// negative.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Balances {
    /// The first day of the period, as requested.
    pub desde: Option<Date>,
    /// The last day of the period, as requested.
    pub hasta: Option<Date>,
    /// The accounts, sorted by number.
    pub cuentas: Vec<AccountMovement>,
    /// The sums over all accounts: the balances add up to zero, and debits equal credits.
    pub totales: Sums,
}

/// An account in the trial balance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AccountMovement {
    /// The number in the company's books.
    pub cuenta: String,
    /// The SAT's codes posted under that number: several if the company gave them the same one.
    pub codigos: Vec<Account>,
    /// The names of those codes.
    pub nombre: String,
    /// The account's movement.
    #[serde(flatten)]
    pub sums: Sums,
}

/// Movement in a period, in pesos.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Sums {
    /// The balance at the beginning.
    pub saldo_inicial: Balance,
    /// The sum of the debits.
    pub cargos: Balance,
    /// The sum of the credits.
    pub abonos: Balance,
    /// The balance at the end.
    pub saldo: Balance,
}

impl Sums {
    fn of(saldo_inicial: Decimal, cargos: Decimal, abonos: Decimal) -> Self {
        let [saldo_inicial, cargos, abonos, saldo] =
            [saldo_inicial, cargos, abonos, saldo_inicial + cargos - abonos].map(Balance::new);
        Self { saldo_inicial, cargos, abonos, saldo }
    }

    fn plus(self, other: Self) -> Self {
        let sum = |of: fn(Self) -> Balance| of(self).get() + of(other).get();
        Self::of(sum(|sums| sums.saldo_inicial), sum(|sums| sums.cargos), sum(|sums| sums.abonos))
    }
}

impl Operation for EditAccount {
    const SPEC: Spec = Spec::new().named("account.edit");
    type Output = NumberedAccount;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<NumberedAccount, Error> {
        let numero = self.numero.as_deref();
        cx.tx.number_account(self.cuenta, numero, cx.now).await?;
        Ok(NumberedAccount {
            cuenta: self.cuenta,
            numero: numero.unwrap_or(self.cuenta.word()).to_owned(),
            nombre: self.cuenta.nombre(),
        })
    }
}

impl Operation for ListAccounts {
    const SPEC: Spec = Spec::new().named("account.list").reads();
    type Output = Accounts;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Accounts, Error> {
        let numbers = cx.tx.account_numbers().await?;
        let own = |account: Account| numbers.iter().find(|(one, _)| *one == account).map(|(_, numero)| numero.clone());
        let numbered = |cuenta: &Account| NumberedAccount {
            cuenta: *cuenta,
            numero: own(*cuenta).unwrap_or_else(|| cuenta.word().to_owned()),
            nombre: cuenta.nombre(),
        };
        Ok(Accounts { cuentas: Account::ALL.iter().map(numbered).collect() })
    }
}

impl Operation for TrialBalance {
    const SPEC: Spec = Spec::new().named("ledger.balance").reads();
    type Output = Balances;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Balances, Error> {
        let (desde, hasta) = (self.desde.map(|day| day.0), self.hasta.map(|day| day.0));
        if desde.zip(hasta).is_some_and(|(desde, hasta)| desde > hasta) {
            return Err(Error::field(Code::DatoInvalido, "hasta", "es anterior a desde"));
        }
        let balances = cx.tx.trial_balance(desde, hasta).await?;
        let names = |codes: &[Account]| codes.iter().map(|code| code.nombre()).collect::<Vec<_>>().join("; ");
        let cuentas: Vec<AccountMovement> = balances
            .into_iter()
            .map(|row| AccountMovement {
                nombre: names(&row.codigos),
                cuenta: row.cuenta,
                codigos: row.codigos,
                sums: Sums::of(row.saldo_inicial, row.cargos, row.abonos),
            })
            .collect();
        let totales = cuentas.iter().fold(Sums::default(), |sum, line| sum.plus(line.sums));
        Ok(Balances { desde: self.desde, hasta: self.hasta, cuentas, totales })
    }
}
