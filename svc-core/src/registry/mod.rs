//! The list of all operations. The router, `Allow` headers, the OpenAPI document, `svc do --list`
//! and the table tests read it.
//!
//! A [`Registry`] begins with Svc's own [`OPERATIONS`], and a host adds its own with
//! [`Registry::operation`]: what is declared once there is everywhere.

use std::sync::Arc;

use bytes::Bytes;

use crate::context::{Context, ContextBuilder, Step};
use crate::domain::company::CompanyId;
use crate::error::{Code, Error};
use crate::json::{Json, brief};
use crate::operation::{Answer, AnyOperation, Cx, Entry, Handler, Registry, Spec};
use crate::store::Store;
use crate::{operations, record};

/// Every operation: first those of the HTTP API, then those that only have a name.
pub static OPERATIONS: &[Entry] = &[
    operations::health::ENTRY,
    Entry::endpoint::<operations::CreateLead>(),
    Entry::list::<record::customer::Customer>(),
    Entry::endpoint::<operations::CreateCustomer>(),
    Entry::endpoint::<operations::EditCustomer>(),
    Entry::endpoint::<operations::LogInteraction>(),
    Entry::list::<record::product::Product>(),
    Entry::endpoint::<operations::CreateProduct>(),
    Entry::endpoint::<operations::EditProduct>(),
    Entry::list::<record::price::Price>(),
    Entry::list::<record::brand::Brand>(),
    Entry::list::<record::category::Category>(),
    Entry::list::<record::unit::Unit>(),
    Entry::list::<record::opportunity::Opportunity>(),
    Entry::list::<record::stage::Stage>(),
    Entry::list::<record::loss_reason::LossReason>(),
    Entry::list::<record::supplier::Supplier>(),
    Entry::list::<record::purchase::Purchase>(),
    Entry::list::<record::purchase_line::PurchaseLine>(),
    Entry::list::<record::payable::Payable>(),
    Entry::list::<record::branch::Branch>(),
    Entry::list::<record::warehouse::Warehouse>(),
    Entry::list::<record::stock::Stock>(),
    Entry::list::<record::movement::Movement>(),
    Entry::list::<record::salesperson::Salesperson>(),
    Entry::list::<record::bank_account::BankAccount>(),
    Entry::list::<record::sale::Sale>(),
    Entry::endpoint::<operations::CreateSale>(),
    Entry::endpoint::<operations::InvoiceSale>(),
    Entry::list::<record::sale_line::SaleLine>(),
    Entry::list::<record::invoice::Invoice>(),
    Entry::download::<operations::InvoiceXml>(),
    Entry::download::<operations::InvoicePdf>(),
    Entry::list::<record::receivable::Receivable>(),
    Entry::endpoint::<operations::PayReceivable>(),
    Entry::list::<record::payment::Payment>(),
    Entry::list::<record::webhook::Webhook>(),
    Entry::endpoint::<operations::CreateWebhook>(),
    Entry::endpoint::<operations::EditWebhook>(),
    Entry::endpoint::<operations::DeleteWebhook>(),
    Entry::endpoint::<operations::RotateSecret>(),
    Entry::endpoint::<operations::TryWebhook>(),
    Entry::endpoint::<operations::ResendEvents>(),
    Entry::list::<record::delivery::Delivery>(),
    Entry::endpoint::<operations::ResendDelivery>(),
    Entry::list::<record::event::ListedEvent>(),
    Entry::operation::<operations::ReadCustomer>(),
    Entry::operation::<operations::FindCustomers>(),
    Entry::operation::<operations::ReviseCustomer>(),
    Entry::operation::<operations::ReadProduct>(),
    Entry::operation::<operations::DeleteProduct>(),
    Entry::operation::<operations::MoveStock>(),
    Entry::operation::<operations::ReserveStock>(),
    Entry::operation::<operations::CountStock>(),
    Entry::operation::<operations::TransferStock>(),
    Entry::operation::<operations::ReadSale>(),
    Entry::download::<operations::PrintTicket>(),
    Entry::operation::<operations::CaptureSale>(),
    Entry::operation::<operations::BeginInvoicing>(),
    Entry::operation::<operations::EndInvoicing>(),
    Entry::operation::<operations::CancelSale>(),
    Entry::operation::<operations::ReturnGoods>(),
    Entry::operation::<operations::FulfilOrder>(),
    Entry::operation::<operations::OrderQuote>(),
    Entry::operation::<operations::InvoiceOrder>(),
    Entry::operation::<operations::InvoiceStamped>(),
    Entry::operation::<operations::InvoiceRejected>(),
    Entry::operation::<operations::ReissueInvoice>(),
    Entry::download::<operations::SaveXml>(),
    Entry::download::<operations::SavePdf>(),
    Entry::operation::<operations::SendInvoice>(),
    Entry::operation::<operations::SubstituteInvoice>(),
    Entry::operation::<operations::CancelInvoice>(),
    Entry::operation::<operations::DiscardDocument>(),
    Entry::operation::<operations::CaptureCreditNote>(),
    Entry::operation::<operations::CaptureAdvance>(),
    Entry::operation::<operations::ApplyAdvance>(),
    Entry::operation::<operations::RefundAdvance>(),
    Entry::operation::<operations::RefundFavour>(),
    Entry::operation::<operations::InvoicePeriod>(),
    Entry::operation::<operations::AcceptCancellation>(),
    Entry::operation::<operations::RejectCancellation>(),
    Entry::operation::<operations::ApplyPayment>(),
    Entry::operation::<operations::CancelPayment>(),
    Entry::operation::<operations::ReissuePayment>(),
    Entry::operation::<operations::CaptureDeposit>(),
    Entry::operation::<operations::CancelDeposit>(),
    Entry::operation::<operations::CapturePayable>(),
    Entry::operation::<operations::PayPayable>(),
    Entry::operation::<operations::EditPayable>(),
    Entry::operation::<operations::CancelPayable>(),
    Entry::operation::<operations::CancelPayablePayment>(),
    Entry::operation::<operations::CapturePurchase>(),
    Entry::operation::<operations::ReceivePurchase>(),
    Entry::operation::<operations::ClosePurchase>(),
    Entry::operation::<operations::EditAccount>(),
    Entry::operation::<operations::ListAccounts>(),
    Entry::operation::<operations::TrialBalance>(),
    Entry::operation::<operations::AgingReport>(),
    Entry::operation::<operations::StatementReport>(),
    Entry::operation::<operations::VatReport>(),
    Entry::operation::<operations::SalesReport>(),
    Entry::operation::<operations::ListEntries>(),
    Entry::download::<operations::ExportLedger>(),
    Entry::operation::<operations::WriteEntry>(),
    Entry::operation::<operations::WriteOpening>(),
    Entry::operation::<operations::ReverseEntry>(),
    Entry::operation::<operations::RevalueBalances>(),
    Entry::operation::<operations::CloseMonths>(),
    Entry::operation::<operations::ReopenMonths>(),
    Entry::operation::<operations::CloseYear>(),
    Entry::operation::<operations::StockReport>(),
    Entry::operation::<operations::CreateOpportunity>(),
    Entry::operation::<operations::MoveOpportunity>(),
    Entry::operation::<operations::Edit<record::supplier::Supplier>>(),
    Entry::operation::<operations::Edit<record::brand::Brand>>(),
    Entry::operation::<operations::Edit<record::category::Category>>(),
    Entry::operation::<operations::Edit<record::unit::Unit>>(),
    Entry::operation::<operations::Edit<record::price::Price>>(),
    Entry::operation::<operations::Edit<record::bank_account::BankAccount>>(),
    Entry::operation::<operations::Edit<record::branch::Branch>>(),
    Entry::operation::<operations::Edit<record::warehouse::Warehouse>>(),
    Entry::operation::<operations::EditUser>(),
    Entry::operation::<operations::Edit<record::stage::Stage>>(),
    Entry::operation::<operations::Edit<record::loss_reason::LossReason>>(),
    Entry::operation::<operations::UseQuota>(),
];

impl Default for Registry {
    fn default() -> Self {
        Self::of(OPERATIONS)
    }
}

impl Context {
    /// Starts a context over `store`, with Svc's operations. `base_url` is the API's public address
    /// (`https://api.example.com/api/v1`): it prefixes the links in notices, and its path prefixes
    /// every route.
    pub fn builder(store: Arc<dyn Store>, base_url: impl Into<String>) -> ContextBuilder {
        ContextBuilder::new(store, base_url.into(), Registry::default())
    }

    /// Reads the file of the operation called `name`, such as `invoice.pdf`; `input` is an object
    /// of its fields. `None` if that name is not a file's: run it with [`Self::run_by_name`].
    pub async fn download(&self, company: CompanyId, name: &str, input: &Json) -> Result<Option<Bytes>, Error> {
        let handler = self.registry().named(name).map(|entry| entry.handler);
        let Some(Handler::Download(download)) = handler else { return Ok(None) };
        let file = download.read(self.store().reader(company).as_ref(), input).await?;
        self.whole(company, file).await.map(Some)
    }

    /// Runs the operation called `name` in `company`, in one transaction, and returns its answer as
    /// JSON.
    ///
    /// `input` is an object of the operation's fields; an error names the field. An unknown name is
    /// `no_encontrado`.
    pub async fn run_by_name(&self, company: CompanyId, name: &str, input: &Json) -> Result<Bytes, Error> {
        let (spec, operation) = self.checked(name, input)?;
        let outcome = self.run_step(company, &ByName { operation, input }).await;
        self.evict_keys(spec.changes_access, company);
        Ok(outcome?.body)
    }

    /// Rehearses the operation called `name` as [`Self::rehearse`] does. Returns the answer that
    /// [`Self::run_by_name`] would return, and the types of the events.
    pub async fn rehearse_by_name(
        &self,
        company: CompanyId,
        name: &str,
        input: &Json,
    ) -> Result<(Bytes, Vec<&'static str>), Error> {
        let (_, operation) = self.checked(name, input)?;
        let (answer, events) = self.rehearse_step(company, &ByName { operation, input }).await?;
        Ok((answer.body, events))
    }

    /// The operation called `name`, which takes `input`.
    fn checked(&self, name: &str, input: &Json) -> Result<(&'static Spec, &'static dyn AnyOperation), Error> {
        let unknown = || {
            let text = format!("accion: no hay ninguna que se llame {:?}; svc do --list las enumera", brief(name));
            Error::new(Code::NoEncontrado).message(text)
        };
        let entry = self.registry().named(name).ok_or_else(unknown)?;
        let Handler::Operation(operation) = entry.handler else { return Err(unknown()) };
        operation.check(input)?;
        Ok((entry.spec, operation))
    }
}

struct ByName<'a> {
    operation: &'static dyn AnyOperation,
    input: &'a Json,
}

impl Step for ByName<'_> {
    type Output = Answer;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<Answer, Error> {
        self.operation.run(cx, self.input).await
    }
}

#[cfg(test)]
mod tests;
