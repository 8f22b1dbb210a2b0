//! Reports of the books, each in one statement. They follow the entries, whose days and reversals
//! say what was owed on a day; documents only tell whom and what an entry is about.

pub(crate) mod aging;
pub(crate) mod foreign;
mod sales;
mod statement;
mod vat;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use svc_core::domain::report::SalesGrouping;
use svc_core::store::{
    AccountLine, AgedGroup, ChargedIeps, ChargedVat, CreditableVat, CustomerFunds, OpenReceivable, ReportDays,
    ReportTx, SalesGroup, StatementCustomer, StoreError,
};

use crate::run::Run as _;
use crate::transaction::PostgresTx;

#[async_trait]
impl ReportTx for PostgresTx {
    async fn aged_receivables(&mut self, al: NaiveDate, max: i64) -> Result<Vec<AgedGroup>, StoreError> {
        self.many(aging::receivables(self.empresa, al, max)).await
    }

    async fn aged_payables(&mut self, al: NaiveDate, max: i64) -> Result<Vec<AgedGroup>, StoreError> {
        self.many(aging::payables(self.empresa, al, max)).await
    }

    async fn statement_customer(&mut self, cliente: i64) -> Result<Option<StatementCustomer>, StoreError> {
        self.optional(statement::customer(self.empresa, cliente)).await
    }

    async fn account_of_customer(
        &mut self,
        cliente: i64,
        days: ReportDays,
        max: i64,
    ) -> Result<Vec<AccountLine>, StoreError> {
        self.many(statement::movements(self.empresa, cliente, days, max)).await
    }

    async fn open_receivables(
        &mut self,
        cliente: i64,
        al: NaiveDate,
        max: i64,
    ) -> Result<Vec<OpenReceivable>, StoreError> {
        self.many(statement::open(self.empresa, cliente, al, max)).await
    }

    async fn funds_of_customer(
        &mut self,
        cliente: i64,
        al: NaiveDate,
        fin: DateTime<Utc>,
        max: i64,
    ) -> Result<Vec<CustomerFunds>, StoreError> {
        self.many(statement::funds(self.empresa, cliente, al, fin, max)).await
    }

    async fn charged_vat(&mut self, days: ReportDays) -> Result<Vec<ChargedVat>, StoreError> {
        self.many(vat::charged(self.empresa, days)).await
    }

    async fn charged_ieps(&mut self, days: ReportDays) -> Result<ChargedIeps, StoreError> {
        self.one(vat::ieps(self.empresa, days)).await
    }

    async fn creditable_vat(&mut self, days: ReportDays, max: i64) -> Result<Vec<CreditableVat>, StoreError> {
        self.many(vat::creditable(self.empresa, days, max)).await
    }

    async fn sales_by(&mut self, by: SalesGrouping, days: ReportDays, max: i64) -> Result<Vec<SalesGroup>, StoreError> {
        let statement = match by {
            SalesGrouping::Dia => sales::by_day(self.empresa, days, max),
            SalesGrouping::Cliente => sales::by_customer(self.empresa, days, max),
            SalesGrouping::Producto => sales::by_product(self.empresa, days, max),
            SalesGrouping::Vendedor => sales::by_salesperson(self.empresa, days, max),
        };
        self.many(statement).await
    }
}
