//! The list of all operations. The router, `Allow` headers, `svc do --list` and the table tests all read it.

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::domain::event::EventKind;
use crate::error::{Code, Error};
use crate::json::{Json, brief};
use crate::operation::{Answer, AnyOperation, Cx, Entry, Handler, Operation, Spec};
use crate::{api, backoffice, record};

/// Every operation: those of the API, and below them those of the back office.
pub static OPERATIONS: &[Entry] = &[
    api::health::ENTRY,
    Entry::endpoint::<api::leads::CreateLead>(),
    Entry::list::<record::clientes::Customer>(),
    Entry::endpoint::<api::clientes::CreateCustomer>(),
    Entry::endpoint::<api::clientes::EditCustomer>(),
    Entry::endpoint::<api::clientes::LogInteraction>(),
    Entry::list::<record::productos::Product>(),
    Entry::endpoint::<api::productos::CreateProduct>(),
    Entry::endpoint::<api::productos::EditProduct>(),
    Entry::list::<record::precios::Price>(),
    Entry::list::<record::marcas::Brand>(),
    Entry::list::<record::categorias::Category>(),
    Entry::list::<record::unidades::Unit>(),
    Entry::list::<record::oportunidades::Opportunity>(),
    Entry::list::<record::etapas_oportunidad::Stage>(),
    Entry::list::<record::motivos_perdida::LossReason>(),
    Entry::list::<record::proveedores::Supplier>(),
    Entry::list::<record::compras::Purchase>(),
    Entry::list::<record::compras_renglones::PurchaseLine>(),
    Entry::list::<record::cxp::Payable>(),
    Entry::list::<record::sucursales::Branch>(),
    Entry::list::<record::almacenes::Warehouse>(),
    Entry::list::<record::inventario::Stock>(),
    Entry::list::<record::movimientos_inventario::Movement>(),
    Entry::list::<record::vendedores::Salesperson>(),
    Entry::list::<record::cuentas_bancarias::BankAccount>(),
    Entry::list::<record::ventas::Sale>(),
    Entry::endpoint::<api::ventas::CreateSale>(),
    Entry::endpoint::<api::ventas::InvoiceSale>(),
    Entry::list::<record::ventas_renglones::SaleLine>(),
    Entry::list::<record::facturas::Invoice>(),
    Entry::download::<api::facturas::InvoiceXml>(),
    Entry::download::<api::facturas::InvoicePdf>(),
    Entry::list::<record::cxc::Receivable>(),
    Entry::endpoint::<api::cxc::PayReceivable>(),
    Entry::list::<record::cxc_pagos::Payment>(),
    Entry::list::<record::webhooks::Webhook>(),
    Entry::endpoint::<api::webhooks::CreateWebhook>(),
    Entry::endpoint::<api::webhooks::EditWebhook>(),
    Entry::endpoint::<api::webhooks::DeleteWebhook>(),
    Entry::endpoint::<api::webhooks::RotateSecret>(),
    Entry::endpoint::<api::webhooks::TryWebhook>(),
    Entry::list::<record::entregas::Delivery>(),
    Entry::endpoint::<api::webhooks::ResendDelivery>(),
    Entry::operation::<backoffice::ReviseCustomer>(),
    Entry::operation::<backoffice::DeleteProduct>(),
    Entry::operation::<backoffice::MoveStock>(),
    Entry::operation::<backoffice::ReserveStock>(),
    Entry::operation::<backoffice::CountStock>(),
    Entry::operation::<backoffice::TransferStock>(),
    Entry::operation::<backoffice::CaptureSale>(),
    Entry::operation::<backoffice::BeginInvoicing>(),
    Entry::operation::<backoffice::EndInvoicing>(),
    Entry::operation::<backoffice::CancelSale>(),
    Entry::operation::<backoffice::FulfilOrder>(),
    Entry::operation::<backoffice::OrderQuote>(),
    Entry::operation::<backoffice::InvoiceOrder>(),
    Entry::operation::<backoffice::InvoiceStamped>(),
    Entry::operation::<backoffice::InvoiceRejected>(),
    Entry::operation::<backoffice::RestampInvoice>(),
    Entry::download::<backoffice::SaveXml>(),
    Entry::download::<backoffice::SavePdf>(),
    Entry::operation::<backoffice::SubstituteInvoice>(),
    Entry::operation::<backoffice::CancelInvoice>(),
    Entry::operation::<backoffice::CaptureCreditNote>(),
    Entry::operation::<backoffice::CaptureAdvance>(),
    Entry::operation::<backoffice::ApplyAdvance>(),
    Entry::operation::<backoffice::InvoicePeriod>(),
    Entry::operation::<backoffice::AcceptCancellation>(),
    Entry::operation::<backoffice::RejectCancellation>(),
    Entry::operation::<backoffice::ApplyPayment>(),
    Entry::operation::<backoffice::CancelPayment>(),
    Entry::operation::<backoffice::RestampPayment>(),
    Entry::operation::<backoffice::CaptureDeposit>(),
    Entry::operation::<backoffice::CapturePayable>(),
    Entry::operation::<backoffice::PayPayable>(),
    Entry::operation::<backoffice::CapturePurchase>(),
    Entry::operation::<backoffice::ReceivePurchase>(),
    Entry::operation::<backoffice::EditAccount>(),
    Entry::operation::<backoffice::ListAccounts>(),
    Entry::operation::<backoffice::TrialBalance>(),
    Entry::operation::<backoffice::CreateOpportunity>(),
    Entry::operation::<backoffice::MoveOpportunity>(),
    Entry::operation::<backoffice::Edit<record::proveedores::Supplier>>(),
    Entry::operation::<backoffice::Edit<record::marcas::Brand>>(),
    Entry::operation::<backoffice::Edit<record::categorias::Category>>(),
    Entry::operation::<backoffice::Edit<record::unidades::Unit>>(),
    Entry::operation::<backoffice::Edit<record::precios::Price>>(),
    Entry::operation::<backoffice::Edit<record::cuentas_bancarias::BankAccount>>(),
    Entry::operation::<backoffice::Edit<record::sucursales::Branch>>(),
    Entry::operation::<backoffice::Edit<record::almacenes::Warehouse>>(),
    Entry::operation::<backoffice::EditUser>(),
    Entry::operation::<backoffice::Edit<record::etapas_oportunidad::Stage>>(),
    Entry::operation::<backoffice::Edit<record::motivos_perdida::LossReason>>(),
    Entry::operation::<backoffice::UseQuota>(),
];

/// The description of a named operation.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The events that it may emit.
    pub emits: &'static [EventKind],
    /// The JSON Schema (2020-12) of its input.
    pub schema: Value,
}

/// The named operations, in the order of [`OPERATIONS`].
pub fn named() -> impl Iterator<Item = Description> {
    OPERATIONS.iter().filter_map(|entry| {
        let (name, schema) = (entry.spec.name?, entry.schema()?);
        Some(Description { name, summary: entry.spec.summary, emits: entry.spec.emits, schema })
    })
}

impl Context {
    /// The file that the read of that name gives for `input`, an object of its fields; none if the name is that of an operation, or
    /// of nothing: see [`Self::act`].
    pub async fn file(&self, company: CompanyId, name: &str, input: &Json) -> Result<Option<Bytes>, Error> {
        let handler = OPERATIONS.iter().find(|entry| entry.spec.name == Some(name)).map(|entry| entry.handler);
        let Some(Handler::Download(download)) = handler else { return Ok(None) };
        download.read(self.store().reader(company).as_ref(), input).await.map(Some)
    }

    /// Runs the operation of that name in `company`, in one transaction, with `input`, an object of its fields; returns the
    /// JSON of its output. An error of the input names its field; an unknown name is `no_encontrado`.
    pub async fn act(&self, company: CompanyId, name: &str, input: &Json) -> Result<Bytes, Error> {
        let unknown = || {
            let text = format!("accion: no hay ninguna que se llame {:?}; svc do --list las enumera", brief(name));
            Error::new(Code::NoEncontrado).message(text)
        };
        let entry = OPERATIONS.iter().find(|entry| entry.spec.name == Some(name)).ok_or_else(unknown)?;
        let Handler::Operation(operation) = entry.handler else { return Err(unknown()) };
        operation.check(input)?;
        Ok(self.perform_as(entry.spec, company, &ByName { operation, input }).await?.body)
    }
}

/// An operation with its input, of types that are not known.
struct ByName<'a> {
    operation: &'static dyn AnyOperation,
    input: &'a Json,
}

impl Operation for ByName<'_> {
    const SPEC: Spec = Spec::new("Do an operation by its name");
    type Output = Answer;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Answer, Error> {
        self.operation.run(cx, self.input).await
    }
}

#[cfg(test)]
pub(crate) mod tests;
