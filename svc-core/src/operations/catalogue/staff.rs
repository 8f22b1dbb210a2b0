//! Salespeople and bank accounts.

use rust_decimal::Decimal;

use crate::domain::accounting::{About, OpeningBalance, opening_entry};
use crate::domain::currency::PESO;
use crate::domain::quantity::Balance;
use crate::domain::words::Status;
use crate::json::Fault;
use crate::operations::import::{
    ImportMoment, Rules, in_pesos, require, require_cents, require_clave, require_currency,
};
use crate::record::bank_account::BankAccountImport;
use crate::record::salesperson::SalespersonImport;
use crate::store::{Conflict, OpenedBankAccount, StoreError, Tx};

impl Rules for SalespersonImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        self.activo = self.estatus != Some(Status::Inactivo);
        self.vendedor.get_or_insert(true);
        Ok(())
    }
}

impl Rules for BankAccountImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_currency(self.moneda.as_deref())?;
        require_cents(self.saldo, "saldo")?;
        require_cents(self.saldo_pesos, "saldo_pesos")?;
        if self.moneda.as_deref().is_none_or(|moneda| moneda == PESO) {
            let same = self.saldo_pesos.is_none_or(|pesos| pesos.get() == amount(self.saldo));
            require(same, "saldo_pesos", "en una cuenta en pesos es el saldo")
        } else {
            let is_worth = self.saldo_pesos.is_some() || amount(self.saldo).is_zero();
            require(is_worth, "saldo_pesos", "hace falta: lo que vale el saldo en los libros")
        }
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        in_pesos(&mut self.moneda);
        self.estatus.get_or_insert(Status::Activo);
        Ok(())
    }

    /// Posts what each account holds against the opening account: one entry for each, on its
    /// subaccount.
    async fn follow_up(rows: &[Self], tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<(), StoreError> {
        let opened: Vec<OpenedBankAccount> = rows.iter().filter_map(Self::opening).collect();
        if opened.is_empty() {
            return Ok(());
        }
        let dia = at.today();
        tx.open_bank_accounts(&opened, dia).await?;
        for OpenedBankAccount { clave, pesos, .. } in opened {
            let entry = opening_entry(dia, OpeningBalance::Bank(pesos));
            if let Some(entry) = entry.map_err(|_| Conflict::Value("saldo_pesos".to_owned()))? {
                let about = About { cuenta_bancaria: Some(clave), ..About::default() };
                tx.insert_entry(&entry.of(about), at.now).await?;
            }
        }
        Ok(())
    }
}

impl BankAccountImport {
    /// What the account holds before its first document.
    fn opening(&self) -> Option<OpenedBankAccount> {
        let saldo = amount(self.saldo);
        let pesos = self.saldo_pesos.map_or(saldo, Balance::get);
        (!saldo.is_zero() || !pesos.is_zero()).then_some(OpenedBankAccount { clave: self.clave?, saldo, pesos })
    }
}

fn amount(balance: Option<Balance>) -> Decimal {
    balance.unwrap_or_default().get()
}
