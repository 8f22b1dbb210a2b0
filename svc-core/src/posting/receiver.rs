//! The receivers of tax documents, and where documents were issued.

use std::collections::HashMap;

use crate::domain::cfdi::{Cfdi, NoCfdi, Receiver};
use crate::error::Error;
use crate::operation::Cx;

/// The customer's current data; empty if there is no customer.
pub(crate) async fn of_customer(cx: &mut Cx<'_>, cliente: Option<i64>) -> Result<Receiver, Error> {
    Ok(match cliente {
        Some(cliente) => cx.tx.buyer(cliente).await?.unwrap_or_default().receptor,
        None => Receiver::default(),
    })
}

/// The receiver of a document about the invoice `factura`: the invoice's own, or the customer's
/// current data if the invoice has no document here.
pub(crate) async fn receiver(cx: &mut Cx<'_>, factura: Option<i64>, cliente: Option<i64>) -> Result<Receiver, Error> {
    match receivers(cx, factura).await?.into_values().next() {
        Some(receiver) => Ok(receiver),
        None => of_customer(cx, cliente).await,
    }
}

/// The receivers of these invoices, as their stamped or queued documents name them. Invoices
/// without a document, such as imported ones, are left out.
pub(crate) async fn receivers(
    cx: &mut Cx<'_>,
    facturas: impl IntoIterator<Item = i64>,
) -> Result<HashMap<i64, Receiver>, Error> {
    let mut facturas: Vec<i64> = facturas.into_iter().collect();
    facturas.sort_unstable();
    facturas.dedup();
    if facturas.is_empty() {
        return Ok(HashMap::new());
    }
    let documents = cx.tx.documents(&facturas).await?;
    let read = |(factura, xml): (i64, String)| Ok((factura, Cfdi::read(&xml)?.receptor.into()));
    documents.into_iter().map(read).collect::<Result<_, _>>().map_err(|fault: NoCfdi| Error::internal(fault))
}

/// The postal code that the invoice `factura` was issued from, as its stamped or queued document
/// says; `None` if it has none here.
pub(crate) async fn place_of_issue(cx: &mut Cx<'_>, factura: Option<i64>) -> Result<Option<String>, Error> {
    let Some(factura) = factura else { return Ok(None) };
    let Some((_, xml)) = cx.tx.documents(&[factura]).await?.pop() else { return Ok(None) };
    Ok(Some(Cfdi::read(&xml).map_err(Error::internal)?.lugar_expedicion))
}
