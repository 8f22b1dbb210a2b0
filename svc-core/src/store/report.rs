//! Reports of the books, each in one statement or few. All amounts are in pesos unless a currency
//! stands beside them.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;

use super::StoreError;
use crate::domain::report::SalesGrouping;

/// The days of a report, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportDays {
    /// The first day.
    pub desde: NaiveDate,
    /// The last day.
    pub hasta: NaiveDate,
}

/// What is owed by one customer, or to one supplier, in one currency, by age.
#[derive(Debug, Clone)]
pub struct AgedGroup {
    /// 1 for the largest. 0 is the balance of the ledger's account, and a place above the largest
    /// requested one is the sum of all the others: these two name nobody.
    pub lugar: i64,
    /// The customer or supplier; `None` for documents that name none.
    pub tercero: Option<i64>,
    /// Their present name, a customer's legal one first; `None` where `tercero` is.
    pub nombre: Option<String>,
    /// Their present RFC; `None` if they have none, or where `tercero` is.
    pub rfc: Option<String>,
    /// The currency of the documents.
    pub moneda: Option<String>,
    /// The number of open documents.
    pub documentos: i64,
    /// What is owed, in the currency of the documents.
    pub saldo: Decimal,
    /// What is not overdue.
    pub por_vencer: Decimal,
    /// What is overdue for up to 30 days.
    pub hasta_30: Decimal,
    /// What is overdue for 31 to 60 days.
    pub hasta_60: Decimal,
    /// What is overdue for 61 to 90 days.
    pub hasta_90: Decimal,
    /// What is overdue for longer.
    pub mas_de_90: Decimal,
    /// The sum of these five.
    pub total: Decimal,
}

/// The name of a customer on a statement.
#[derive(Debug, Clone)]
pub struct StatementCustomer {
    /// The legal name, or else the name.
    pub nombre: Option<String>,
    /// `None` if they have none.
    pub rfc: Option<String>,
}

/// A movement of a customer's account, or the sum of several.
#[derive(Debug, Clone)]
pub struct AccountLine {
    /// How many movements it adds up; a single one has the fields below.
    pub movimientos: i64,
    /// Whether it adds up what was before the first day.
    pub anterior: bool,
    /// The entry's day, or an imported receivable's; `None` of a sum.
    pub fecha: Option<NaiveDate>,
    /// The entry; `None` for an imported receivable, which none names.
    pub poliza: Option<i64>,
    /// The entry's description, or an imported receivable's folio.
    pub concepto: Option<String>,
    /// Clave of the sales document; `None` of a sum, or if the receivable is of no sale.
    pub venta: Option<i64>,
    /// The record in the registry of invoices; `None` of a sum.
    pub factura: Option<i64>,
    /// Clave of the payment; `None` unless the entry is one of a payment.
    pub pago: Option<i64>,
    /// Debits: the customer owes more.
    pub cargo: Decimal,
    /// Credits: the customer owes less.
    pub abono: Decimal,
}

/// A receivable that is open on a day.
#[derive(Debug, Clone)]
pub struct OpenReceivable {
    /// Clave in `cxc`.
    pub cxc: i64,
    /// Series and number of the sale or its invoice; an imported one may have none.
    pub folio: Option<String>,
    /// Clave of the sales document; `None` of a sum, or if the receivable is of no sale.
    pub venta: Option<i64>,
    /// Fiscal folio of its invoice; `None` while that has none.
    pub uuid: Option<String>,
    /// The day since which it is owed.
    pub fecha: NaiveDate,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// Currency of `total` and `saldo`.
    pub moneda: String,
    /// The total, in that currency.
    pub total: Decimal,
    /// What is owed of it, in that currency.
    pub saldo: Decimal,
    /// What is owed of it, in pesos.
    pub pesos: Decimal,
}

/// What a customer has in their favour in one currency, or of one advance.
#[derive(Debug, Clone)]
pub struct CustomerFunds {
    /// The sales document of the advance; `None` for balances in favour.
    pub anticipo: Option<i64>,
    /// Currency of `importe`.
    pub moneda: String,
    /// What is left, in that currency.
    pub importe: Decimal,
}

/// IVA that sales of one rate charged, and what of it was collected.
#[derive(Debug, Clone)]
pub struct ChargedVat {
    /// "0.160000", "exento" …; `None` where no document tells the rate.
    pub tasa: Option<String>,
    /// What was charged before IVA and IEPS, credit notes deducted.
    pub base: Decimal,
    /// The IVA of that, collected or not.
    pub iva: Decimal,
    /// What was collected of sales before IVA, with the IEPS on which it is charged.
    pub base_cobrada: Decimal,
    /// The movement of account 208.01.
    pub iva_cobrado: Decimal,
    /// The movement of account 209.01.
    pub iva_por_cobrar: Decimal,
}

/// IVA of one rate that one supplier charged, and what of it was paid.
#[derive(Debug, Clone)]
pub struct CreditableVat {
    /// 1 for the supplier who was paid most; a place above the largest requested one is the sum of
    /// all the others.
    pub lugar: i64,
    /// The supplier; `None` where the document names none.
    pub proveedor: Option<i64>,
    /// Their present name; `None` where `proveedor` is.
    pub nombre: Option<String>,
    /// Their present RFC; `None` if they have none, or where `proveedor` is.
    pub rfc: Option<String>,
    /// The rate, as in [`ChargedVat::tasa`].
    pub tasa: Option<String>,
    /// What was billed before IVA.
    pub base: Decimal,
    /// The IVA of that, paid or not.
    pub iva: Decimal,
    /// What was paid of bills before IVA.
    pub base_pagada: Decimal,
    /// The movement of account 118.01.
    pub iva_pagado: Decimal,
    /// The movement of account 119.01.
    pub iva_por_pagar: Decimal,
    /// IVA withheld from the supplier: the movement of account 216.10.
    pub iva_retenido: Decimal,
}

/// IEPS that sales charged, and what of it was collected.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChargedIeps {
    /// What was charged, collected or not, credit notes deducted.
    pub ieps: Decimal,
    /// The movement of account 208.02.
    pub cobrado: Decimal,
    /// The movement of account 209.02.
    pub por_cobrar: Decimal,
}

/// The sales of a day, a customer, a product or a salesperson.
#[derive(Debug, Clone)]
pub struct SalesGroup {
    /// Its place; one above the largest requested is the sum of all the others.
    pub lugar: i64,
    /// The day of the entries; `None` in the other groupings.
    pub dia: Option<NaiveDate>,
    /// The customer, product or salesperson; `None` where the entry's document names none.
    pub clave: Option<i64>,
    /// Their name; a product's description.
    pub nombre: Option<String>,
    /// The product's present SKU; `None` in the other groupings.
    pub sku: Option<String>,
    /// The units of a product; `None` in the other groupings.
    pub cantidad: Option<Decimal>,
    /// Credits less debits of the accounts 401.
    pub ventas: Decimal,
    /// Debits less credits of the accounts 402: discounts, returns and credit notes.
    pub descuentos: Decimal,
}

/// Reports of the books. `max` is the number of groups that are listed one by one, the largest
/// first; the others are added up, so that the sums are those of the ledger.
#[async_trait]
pub trait ReportTx {
    /// What customers owe at the end of the day `al`, by the days since it was due.
    async fn aged_receivables(&mut self, al: NaiveDate, max: i64) -> Result<Vec<AgedGroup>, StoreError>;

    /// What is owed to suppliers at the end of the day `al`, by the days since it was due.
    async fn aged_payables(&mut self, al: NaiveDate, max: i64) -> Result<Vec<AgedGroup>, StoreError>;

    /// The name of a customer.
    async fn statement_customer(&mut self, cliente: i64) -> Result<Option<StatementCustomer>, StoreError>;

    /// The movements of what a customer owes up to the last day, in order: those before the first
    /// day as one sum, and so those before the last `max` of the others.
    async fn account_of_customer(
        &mut self,
        cliente: i64,
        days: ReportDays,
        max: i64,
    ) -> Result<Vec<AccountLine>, StoreError>;

    /// The receivables of a customer that are open at the end of the day `al`, in the order in
    /// which they are due, at most `max`.
    async fn open_receivables(
        &mut self,
        cliente: i64,
        al: NaiveDate,
        max: i64,
    ) -> Result<Vec<OpenReceivable>, StoreError>;

    /// What a customer had in their favour at the end of the day `al`, which ends at `fin`: first
    /// the balances, then the advances, at most `max`.
    async fn funds_of_customer(
        &mut self,
        cliente: i64,
        al: NaiveDate,
        fin: DateTime<Utc>,
        max: i64,
    ) -> Result<Vec<CustomerFunds>, StoreError>;

    /// The IVA of sales, by rate.
    async fn charged_vat(&mut self, days: ReportDays) -> Result<Vec<ChargedVat>, StoreError>;

    /// The IEPS of sales.
    async fn charged_ieps(&mut self, days: ReportDays) -> Result<ChargedIeps, StoreError>;

    /// The IVA of purchases and expenses, by supplier and rate.
    async fn creditable_vat(&mut self, days: ReportDays, max: i64) -> Result<Vec<CreditableVat>, StoreError>;

    /// The movements of the accounts 401 and 402; days in order, the others by their amount.
    async fn sales_by(&mut self, by: SalesGrouping, days: ReportDays, max: i64) -> Result<Vec<SalesGroup>, StoreError>;
}
