//! The operations of the ERP's own screens, with the same transactions, rules and events as the API's. They are called from
//! Rust ([`crate::Context::perform`]) and, those with a name, from the command line ([`crate::Context::act`]).

mod advances;
mod certificates;
mod companies;
mod credit_notes;
mod customers;
mod documents;
mod edits;
mod global;
pub mod import;
mod invoices;
mod keys;
mod ledger;
mod opportunities;
mod orders;
mod payables;
mod payments;
mod products;
mod purchases;
mod quota;
mod replacement;
mod restamp;
mod sales;
mod secrets;
mod stock;
mod substitutes;
mod users;

pub use advances::{AdvanceCaptured, AdvanceNamed, ApplyAdvance, CaptureAdvance};
pub use certificates::{CertificateLoaded, LoadCertificate};
pub use companies::{CompanyCreated, CompanyEdited, EditCompany};
pub use credit_notes::{CaptureCreditNote, CreditNoteCaptured, CreditedLine};
pub use customers::{CustomerTerms, ReviseCustomer};
pub use documents::{SavePdf, SaveXml};
pub(crate) use edits::Edit;
pub use global::{InvoicePeriod, PeriodInvoiced};
pub use invoices::{
    AcceptCancellation, CancelInvoice, InvoiceNamed, InvoiceRejected, InvoiceStamped, RejectCancellation,
};
pub use keys::{AcceptTerms, CreateKey, KeyCreated, KeyNamed, RevokeKey};
pub use ledger::{AccountMovement, Accounts, Balances, EditAccount, ListAccounts, NumberedAccount, Sums, TrialBalance};
pub use opportunities::{CreateOpportunity, MoveOpportunity, OpportunityNamed};
pub use orders::{InvoiceOrder, OrderInvoiced, OrderQuote};
pub use payables::{CapturePayable, PayPayable, PayableNamed, PayablePaid};
pub use payments::{
    Application, ApplyPayment, CancelPayment, CaptureDeposit, DepositNamed, PaymentNamed, PaymentsApplied,
};
pub use products::{DeleteProduct, ProductNamed};
pub use purchases::{CapturePurchase, OrderLine, PurchaseNamed, PurchaseReceived, ReceivePurchase, ReceivedLine};
pub use quota::{QuotaUsed, UseQuota};
pub use restamp::{RestampInvoice, RestampPayment};
pub use sales::{
    BeginInvoicing, CancelSale, CaptureSale, EndInvoicing, FulfilOrder, HandedOver, SaleCaptured, SaleNamed,
};
pub use secrets::SecretsRotated;
pub use stock::{CountStock, MoveStock, ReserveStock, StockCounted, StockMoved, StockReserved, TransferStock};
pub use substitutes::SubstituteInvoice;
pub use users::{CreateUser, DisableUser, EditUser, UserNamed};
