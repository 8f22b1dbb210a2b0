//! The books as people use them: accounts, entries, the trial balance, closed months.

mod accounts;
mod balance;
mod chart;
mod close;
mod entries;
mod entry;
mod export;
mod manual;
mod revaluation;
mod year;

pub use accounts::{Accounts, EditAccount, ListAccounts, NumberedAccount};
pub use balance::{AccountMovement, Balances, Sums, TrialBalance};
pub use close::{CloseMonths, MonthsClosed, ReopenMonths};
pub use entries::{Entries, EntryItem, EntryMovement, ListEntries};
pub use entry::EntryRef;
pub use export::ExportLedger;
pub use manual::{ManualMovement, ReverseEntry, WriteEntry, WriteOpening};
pub use revaluation::{CurrencyRate, CurrencyRevaluation, Revaluations, RevalueBalances, RevaluedBalance};
pub use year::CloseYear;
