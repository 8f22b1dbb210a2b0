//! What people do with the books: entries of their own, accounts, closing months, reading entries.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;

use super::{AccountBalance, StoreError};
use crate::domain::accounting::{EntryOrigin, ForeignBalance, FreeEntry};
use crate::domain::money::Money;
use crate::domain::time::Timestamp;

/// What a company changed of an account, or an account of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnAccount {
    /// A code of the SAT's list, or what the company called its own account when it created it.
    pub codigo: String,
    /// The number in the company's books; `None` for the code.
    pub numero: Option<String>,
    /// The name; `None` for that of the SAT's list.
    pub nombre: Option<String>,
    /// The SAT's code that groups it; `None` for the code itself.
    pub agrupador: Option<String>,
}

/// Which entries are read.
#[derive(Debug, Clone, Default)]
pub struct EntryFilter {
    /// The first day of the entries.
    pub desde: NaiveDate,
    /// The last day of the entries, included.
    pub hasta: NaiveDate,
    /// Only entries with lines of these accounts, by their codes.
    pub codigos: Option<Vec<String>>,
    /// Only lines under this number count.
    pub numero: Option<String>,
    /// Only entries after this one.
    pub despues: Option<(NaiveDate, i64)>,
    /// How many are read.
    pub limite: i64,
}

/// An entry with what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its clave in `polizas`, in the order in which entries were written.
    pub clave: i64,
    /// The day on which it is posted; it never changes.
    pub fecha: NaiveDate,
    /// What it books, in Spanish; of a manual entry the company's own words.
    pub concepto: String,
    /// Where it comes from.
    pub origen: EntryOrigin,
    /// The entry that it reverses.
    pub revierte: Option<i64>,
    /// The entry that reverses it.
    pub revertida: Option<i64>,
    /// What it is about; all `None` of an entry without a document.
    pub documentos: EntryDocuments,
    /// Customer or supplier of these documents.
    pub contraparte: Counterpart,
    /// In the order in which they were written; their debits equal their credits.
    pub lines: Vec<StoredLine>,
}

/// The documents that an entry is about, by their claves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntryDocuments {
    /// The sales document; a payment's is that of its receivable, if that has one.
    pub venta: Option<i64>,
    /// The record in the registry of invoices.
    pub factura: Option<i64>,
    /// The payment of a receivable.
    pub pago: Option<i64>,
    /// The purchase order, also of the account payable that it made.
    pub compra: Option<i64>,
    /// The account payable, also of its payments.
    pub cxp: Option<i64>,
    /// The payment of an account payable.
    pub cxp_pago: Option<i64>,
    /// The deposit, also of payments that apply it.
    pub deposito: Option<i64>,
    /// The refund to a customer.
    pub reembolso: Option<i64>,
    /// The first stock movement.
    pub movimiento: Option<i64>,
    /// Series and number of the tax document, or the number of the payable or the sale.
    pub folio: Option<String>,
    /// Fiscal folio, in lower case, of the tax document, the supplier's document or the sale;
    /// `None` while there is none.
    pub uuid: Option<String>,
    /// The total of the tax document, in its currency.
    pub total: Option<Money>,
    /// Currency of `total`.
    pub moneda: Option<String>,
    /// Pesos for one unit of it.
    pub tipo_cambio: Option<Decimal>,
}

/// The other side of an entry's document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counterpart {
    /// Clave of the customer; `None` if the other side is a supplier, or nobody.
    pub cliente: Option<i64>,
    /// Clave of the supplier; `None` if the other side is a customer, or nobody.
    pub proveedor: Option<i64>,
    /// Its present name; a customer's legal name, if they have one.
    pub nombre: Option<String>,
    /// Its present RFC.
    pub rfc: Option<String>,
}

/// A line of a [`StoredEntry`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLine {
    /// Code of the account: a word of [`Account`](crate::domain::accounting::Account), another
    /// code of the SAT's, or the company's own.
    pub codigo: String,
    /// The number that it had then.
    pub cuenta: String,
    /// The debit, in pesos.
    pub cargo: Money,
    /// The credit, in pesos.
    pub abono: Money,
}

/// The balance of an account under one of its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberBalance {
    /// Code of the account, as in [`StoredLine::codigo`].
    pub codigo: String,
    /// The number under which it was posted; the company may have changed it since.
    pub cuenta: String,
    /// Debits less credits, in pesos.
    pub saldo: Decimal,
}

/// An entry that was written without a document, as it can be reversed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversibleEntry {
    /// With its lines and the numbers that their accounts had.
    pub entry: FreeEntry,
    /// The entry that reverses it; of a revaluation the one of the next day.
    pub revertida: Option<i64>,
}

/// What a file of electronic accounting is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BooksRequest {
    /// The first day of the month.
    pub desde: NaiveDate,
    /// The last day of the month.
    pub hasta: NaiveDate,
    /// Whether the movement is that of the year's closing, which otherwise is left out of December.
    pub cierre: bool,
    /// Whether the month's entries are read.
    pub polizas: bool,
}

/// A bank account as electronic accounting names its subaccount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankAccountName {
    /// Its clave in `cuentas_bancarias`.
    pub clave: i64,
    /// The company's name for it.
    pub nombre: String,
    /// Currency of its balance, an ISO 4217 code.
    pub moneda: String,
}

/// The books of a month.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BooksOfMonth {
    /// The company's tax id.
    pub rfc: Option<String>,
    /// The company's postal code.
    pub cp: Option<String>,
    /// When an entry of the month was last written.
    pub modificada: Option<DateTime<Utc>>,
    /// All bank accounts, inactive ones too, in order of clave.
    pub bancos: Vec<BankAccountName>,
    /// The accounts that the company changed or created.
    pub cuentas: Vec<OwnAccount>,
    /// The balances of all accounts with entries up to the month's end.
    pub saldos: Vec<AccountBalance>,
    /// The entries, if they were asked for.
    pub polizas: Vec<StoredEntry>,
}

/// Manual entries, accounts, closed months, and entries as people read them.
#[async_trait]
pub trait BooksTx {
    /// Locks the books until the end of the transaction, so that no entry is written meanwhile.
    /// Returns the last day of the closed months.
    async fn lock_books(&mut self) -> Result<Option<NaiveDate>, StoreError>;

    /// Sets the last day of the closed months; the books are locked.
    async fn close_until(&mut self, day: Option<NaiveDate>) -> Result<(), StoreError>;

    /// From here on, dates entries of a closed month on the first open day instead of refusing
    /// them, if `postpones`: decisions of the authority cannot wait until a month is reopened.
    fn postpone_entries(&mut self, postpones: bool);

    /// Inserts an entry without a document, as [`AccountingTx::insert_entry`] does.
    ///
    /// [`AccountingTx::insert_entry`]: super::AccountingTx::insert_entry
    async fn insert_free_entry(&mut self, entry: &FreeEntry, now: Timestamp) -> Result<i64, StoreError>;

    /// An entry with what it needs to be reversed; `None` if there is none of that clave.
    async fn reversible_entry(&mut self, poliza: i64) -> Result<Option<ReversibleEntry>, StoreError>;

    /// The entry of the opening balances that was not reversed.
    async fn opening_entry(&mut self) -> Result<Option<i64>, StoreError>;

    /// The first entry that closes the year of this last day or a later one and was not reversed,
    /// with its day.
    async fn closing_entry(&mut self, day: NaiveDate) -> Result<Option<(i64, NaiveDate)>, StoreError>;

    /// The entry that revalues a currency at the end of this day and was not undone.
    async fn revaluation_entry(&mut self, day: NaiveDate, moneda: &str) -> Result<Option<i64>, StoreError>;

    /// What accounts hold in foreign currency at the end of a day, without balances that are zero
    /// in both currencies.
    async fn foreign_balances(&mut self, day: NaiveDate) -> Result<Vec<ForeignBalance>, StoreError>;

    /// The balances of accounts at the end of a day, by code and number, without those that are
    /// zero.
    async fn balances_at(&mut self, day: NaiveDate) -> Result<Vec<NumberBalance>, StoreError>;

    /// The accounts that the company changed or created, in order of their codes.
    async fn own_accounts(&mut self) -> Result<Vec<OwnAccount>, StoreError>;

    /// Stores what the company changed of an account.
    async fn save_account(&mut self, account: &OwnAccount, now: Timestamp) -> Result<(), StoreError>;

    /// The accounts, by their codes, that entries have under this number.
    async fn accounts_under(&mut self, numero: &str) -> Result<Vec<String>, StoreError>;

    /// A page of entries, in order of day and clave.
    async fn entries(&mut self, filter: &EntryFilter) -> Result<Vec<StoredEntry>, StoreError>;

    /// The balance of the filter's accounts before its first entry.
    async fn balance_before(&mut self, filter: &EntryFilter) -> Result<Decimal, StoreError>;
}
