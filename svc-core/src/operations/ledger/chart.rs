//! The table of accounts: those of the SAT's list, as the company changed them, and its own.

use crate::domain::accounting::{Account, grouping_name, is_postable};
use crate::error::Error;
use crate::operation::Cx;
use crate::store::OwnAccount;

/// The company's table of accounts.
#[derive(Debug)]
pub(super) struct Chart {
    own: Vec<OwnAccount>,
}

impl Chart {
    pub(super) async fn read(cx: &mut Cx<'_>) -> Result<Self, Error> {
        Ok(Self::of(cx.tx.own_accounts().await?))
    }

    /// The table of a company that changed or created these.
    pub(super) fn of(own: Vec<OwnAccount>) -> Self {
        Self { own }
    }

    /// What the company changed or created, in order of the codes.
    pub(super) fn own(&self) -> &[OwnAccount] {
        &self.own
    }

    fn changed(&self, codigo: &str) -> Option<&OwnAccount> {
        self.own.iter().find(|account| account.codigo == codigo)
    }

    /// The account of a code; `None` if entries cannot be posted to it.
    pub(super) fn account(&self, codigo: &str) -> Option<OwnAccount> {
        let of_list = || OwnAccount { codigo: codigo.to_owned(), ..OwnAccount::default() };
        let is_listed = || is_postable(codigo) || Account::of(codigo).is_some();
        self.changed(codigo).cloned().or_else(|| is_listed().then(of_list))
    }

    /// The codes of the accounts that now have this number.
    pub(super) fn numbered(&self, numero: &str) -> Vec<String> {
        let has = |account: &&OwnAccount| account.numero.as_deref() == Some(numero);
        self.own.iter().filter(has).map(|account| account.codigo.clone()).collect()
    }

    /// The code of the account that a person names by its code or its number; `None` unless exactly
    /// one has it.
    pub(super) fn code_of(&self, cuenta: &str) -> Option<String> {
        if let Some(account) = self.account(cuenta) {
            return Some(account.codigo);
        }
        let mut numbered = self.numbered(cuenta);
        if numbered.len() == 1 { numbered.pop() } else { None }
    }

    pub(super) fn name<'a>(&'a self, codigo: &'a str) -> &'a str {
        let own = self.changed(codigo).and_then(|account| account.nombre.as_deref());
        let of_list = || Account::of(codigo).map(Account::nombre).or_else(|| grouping_name(codigo));
        own.or_else(of_list).unwrap_or(codigo)
    }

    pub(super) fn number<'a>(&'a self, codigo: &'a str) -> &'a str {
        self.changed(codigo).and_then(|account| account.numero.as_deref()).unwrap_or(codigo)
    }

    pub(super) fn group<'a>(&'a self, codigo: &'a str) -> &'a str {
        let own = self.changed(codigo).and_then(|account| account.agrupador.as_deref());
        own.unwrap_or_else(|| Account::of(codigo).map_or(codigo, |account| account.agrupador()))
    }
}
