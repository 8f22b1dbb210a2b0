//! Accounts: their numbers, names and grouping codes, and accounts of the company's own.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chart::Chart;
use crate::domain::accounting::electronic::is_unwritable;
use crate::domain::accounting::{Account, is_postable};
use crate::error::{Code, Error};
use crate::json::{Patch, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::store::OwnAccount;

/// Changes an account, or creates one of the company's own. A change applies to new entries;
/// earlier entries and their reversals keep the former number.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditAccount {
    /// The account's code in the SAT's "código agrupador", or what the company called its own
    /// account. An unknown one creates an account, which needs `nombre` and `agrupador`.
    pub cuenta: Text<100>,
    /// The account's number in the company's books (`NumCta` of electronic accounting); the code
    /// itself if cleared.
    #[serde(default)]
    pub numero: Patch<Text<100>>,
    /// The account's name; that of the SAT's list if cleared.
    #[serde(default)]
    pub nombre: Patch<Text<100>>,
    /// The SAT's code that groups it (`CodAgrup`); the code itself if cleared.
    #[serde(default)]
    #[schemars(extend("pattern" = r"^\d{3}\.\d{2}$"))]
    pub agrupador: Patch<Text<10>>,
}

/// Lists the accounts that documents are posted to, and those that the company changed or created.
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
    /// The SAT's code, or what the company called its own account.
    pub cuenta: String,
    /// The number in the company's books.
    pub numero: String,
    /// The account's name.
    pub nombre: String,
    /// The SAT's code that groups it.
    pub agrupador: String,
}

impl NumberedAccount {
    fn of(chart: &Chart, codigo: &str) -> Self {
        Self {
            cuenta: codigo.to_owned(),
            numero: chart.number(codigo).to_owned(),
            nombre: chart.name(codigo).to_owned(),
            agrupador: chart.group(codigo).to_owned(),
        }
    }
}

impl Operation for EditAccount {
    const SPEC: Spec = Spec::new().named("account.edit").each_time();
    type Output = NumberedAccount;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<NumberedAccount, Error> {
        let cuenta = &*self.cuenta;
        // Two edits of one account follow each other.
        cx.tx.lock_books().await?;
        let chart = Chart::read(cx).await?;
        let mut account = match chart.code_of(cuenta).and_then(|codigo| chart.account(&codigo)) {
            Some(account) => account,
            None => self.created(cuenta)?,
        };
        self.numero.clone().map(Text::into_string).apply(&mut account.numero);
        self.nombre.clone().map(Text::into_string).apply(&mut account.nombre);
        self.agrupador.clone().map(Text::into_string).apply(&mut account.agrupador);
        let required = |field: &str| Error::field(Code::DatoRequerido, field, "la cuenta es propia y lo lleva");
        if !is_postable(&account.codigo) && Account::of(&account.codigo).is_none() {
            account.nombre.as_ref().ok_or_else(|| required("nombre"))?;
            account.agrupador.as_ref().ok_or_else(|| required("agrupador"))?;
        }
        if account.agrupador.as_deref().is_some_and(|code| !is_postable(code)) {
            let text = "no es una subcuenta del código agrupador del SAT, como 601.84";
            return Err(Error::field(Code::DatoInvalido, "agrupador", text));
        }
        validate_number(&account)?;
        cx.tx.save_account(&account, cx.now).await?;
        let chart = Chart::read(cx).await?;
        Ok(NumberedAccount::of(&chart, &account.codigo))
    }
}

/// The longest number of the account of banks: the clave of a bank account follows it, and a number
/// of electronic accounting has at most 100 characters.
const MAX_BANKS: usize = 80;

/// Refuses a number that electronic accounting could not say as it is.
fn validate_number(account: &OwnAccount) -> Result<(), Error> {
    let refused = |field: &str, text: &str| Err(Error::field(Code::DatoInvalido, field, text));
    let number = account.numero.as_deref().unwrap_or_default();
    if account.codigo.contains(is_unwritable) {
        return refused("cuenta", "lleva caracteres de control");
    }
    if number.contains(is_unwritable) {
        return refused("numero", "lleva caracteres de control");
    }
    if account.codigo == Account::Bancos.word() && number.chars().count() > MAX_BANKS {
        return refused("numero", "el de los bancos lleva a lo más 80 caracteres");
    }
    Ok(())
}

impl EditAccount {
    fn created(&self, cuenta: &str) -> Result<OwnAccount, Error> {
        if matches!((&self.nombre, &self.agrupador), (Patch::Set(_), Patch::Set(_))) {
            return Ok(OwnAccount { codigo: cuenta.to_owned(), ..OwnAccount::default() });
        }
        let text = "no es un código del SAT ni una cuenta de la empresa; una nueva lleva nombre y agrupador";
        Err(Error::field(Code::DatoInvalido, "cuenta", text))
    }
}

impl Operation for ListAccounts {
    const SPEC: Spec = Spec::new().named("account.list").reads();
    type Output = Accounts;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Accounts, Error> {
        let chart = Chart::read(cx).await?;
        let posted = Account::ALL.iter().map(|account| account.word());
        let codes: BTreeSet<&str> = posted.chain(chart.own().iter().map(|account| &*account.codigo)).collect();
        Ok(Accounts { cuentas: codes.into_iter().map(|codigo| NumberedAccount::of(&chart, codigo)).collect() })
    }
}
