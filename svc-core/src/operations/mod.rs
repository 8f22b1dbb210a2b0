//! Every operation, by resource, and the rules of bulk import.
//!
//! The `SPEC` of an operation says who reaches it: HTTP, the back office by name (`svc do`), or
//! both.

mod catalogue;
mod certificate;
mod company;
mod customer;
pub(crate) mod health;
pub mod import;
mod invoice;
mod key;
mod ledger;
mod letterhead;
mod opportunity;
mod product;
mod purchase;
mod quota;
mod read;
mod receivable;
mod report;
mod sale;
mod secrets;
mod stock;
mod test_company;
mod user;
mod webhook;

pub(crate) use catalogue::Edit;
pub use certificate::{CertificateLoaded, ListCertificates, LoadCertificate};
pub use company::{CompanyCreated, CompanyEdited, EditCompany};
pub use customer::{
    CreateCustomer, CreateLead, CustomerCreated, CustomerEdited, CustomerTerms, CustomersFound, EditCustomer,
    FindCustomers, InteractionLogged, LeadCreated, LogInteraction, MAX_FOUND, ReadCustomer, ReviseCustomer,
};
pub use invoice::{
    AcceptCancellation, CancelInvoice, CaptureCreditNote, CreditNoteCaptured, CreditedLine, DiscardDocument,
    InvoiceChanges, InvoicePdf, InvoicePeriod, InvoiceRef, InvoiceRejected, InvoiceSent, InvoiceStamped, InvoiceXml,
    PeriodInvoiced, ReissueInvoice, ReissuePayment, RejectCancellation, SavePdf, SaveXml, SendInvoice,
    SubstituteInvoice,
};
pub use key::{AcceptTerms, CreateKey, KeyCreated, KeyRef, ListKeys, RevokeKey};
pub use ledger::{
    AccountMovement, Accounts, Balances, CloseMonths, CloseYear, CurrencyRate, CurrencyRevaluation, EditAccount,
    Entries, EntryItem, EntryMovement, EntryRef, ExportLedger, ListAccounts, ListEntries, ManualMovement, MonthsClosed,
    NumberedAccount, ReopenMonths, Revaluations, RevalueBalances, RevaluedBalance, ReverseEntry, Sums, TrialBalance,
    WriteEntry, WriteOpening,
};
pub use letterhead::{LogoChanged, SetLogo};
pub use opportunity::{CreateOpportunity, MoveOpportunity, OpportunityRef};
pub use product::{
    CreateProduct, DeleteProduct, EditProduct, KindCode, ProductCreated, ProductEdited, ProductRef, ReadProduct,
};
pub use purchase::{
    CancelPayable, CancelPayablePayment, CapturePayable, CapturePurchase, ClosePurchase, EditPayable, OrderLine,
    PayPayable, PayablePaid, PayableRef, PurchaseClosed, PurchaseReceived, PurchaseRef, ReceivePurchase, ReceivedLine,
};
pub use quota::{QuotaUsed, UseQuota};
pub use read::WholeRecord;
pub use receivable::{
    AdvanceRefunded, Application, ApplyPayment, CancelDeposit, CancelPayment, CaptureDeposit, DepositRef,
    FavourRefunded, PayReceivable, PaymentApplied, PaymentCancelled, PaymentRef, PaymentsApplied, RefundAdvance,
    RefundFavour,
};
pub use report::{
    AgeBuckets, AgedLine, AgedLines, AgingReport, CustomerStatement, IepsOfMonth, OpenDocument, SalesLine, SalesLines,
    SalesReport, SalesSums, StatementFunds, StatementLine, StatementReport, StatementSums, SupplierVat, VatCharged,
    VatCredited, VatOfMonth, VatReport,
};
pub use sale::{
    AdvanceCaptured, AdvanceRef, ApplyAdvance, BeginInvoicing, CancelSale, CaptureAdvance, CaptureSale, CreateSale,
    EndInvoicing, FulfilOrder, GoodsReturned, HandedOver, InvoiceOrder, InvoiceRequested, InvoiceSale, LineBody,
    MAX_LINES, OrderInvoiced, OrderQuote, PrintTicket, ReadSale, ReturnGoods, ReturnedGoods, SaleBody, SaleCaptured,
    SaleCreated, SaleRef,
};
pub use secrets::SecretsRotated;
pub use stock::{
    CountStock, MoveStock, ReserveStock, StockCounted, StockMoved, StockReport, StockReserved, StockValueLine,
    StockValues, TransferStock,
};
pub use test_company::{ClockMoved, MoveClock, NewFork};
pub use user::{CreateUser, DisableUser, EditUser, ListUsers, UserRef};
pub use webhook::{
    CreateWebhook, DeleteWebhook, DeliveryQueued, EditWebhook, EmptyUrl, EventsResent, ResendDelivery, ResendEvents,
    RotateSecret, SecretRotated, SentUrl, TryWebhook, WebhookCreated, WebhookDeleted,
};
