//! A sale from the order to its payment, for the requests that the demo prints.

use hyper::body::Bytes;
use hyper::{Request, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use svc_core::Api;
use svc_core::domain::clock::{Clock, SystemClock, mexico_date};

use super::kinds::Last;

/// The quantity, the price, and the total with 16 % IVA.
pub(super) const COUNT: i64 = 8;
pub(super) const PRICE: &str = "125.00";
pub(super) const TOTAL: &str = "1160.00";

/// The bank account of the payment: the first in pesos.
pub(super) const ACCOUNT: i64 = 1;

/// Its customer and product, and the claves of the sale, its receivable and its invoice if they are
/// the first to be created.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct SampleSale {
    pub(super) cliente: i64,
    pub(super) producto: i64,
    pub(super) venta: i64,
    pub(super) cxc: i64,
    /// None if a version without documents saved it.
    pub(super) factura: Option<i64>,
}

impl SampleSale {
    /// A customer who can be invoiced, a product with enough stock, and the claves after the last
    /// sale, receivable and invoice.
    pub(super) fn after(last: Last) -> Self {
        let factura = Some(last.factura + 1);
        Self { cliente: 2, producto: 1, venta: last.venta + 1, cxc: last.cxc + 1, factura }
    }

    /// The day of the payment: that of the receivable once it exists, so that a pasted request
    /// stays the same; otherwise today.
    pub(super) async fn pay_day(&self, api: &Api, key_id: &str, api_key: &str) -> String {
        let day = async {
            let request = Request::get(format!("/cxc?clave={}", self.cxc))
                .header(header::AUTHORIZATION, format!("Bearer {api_key}"))
                .header("X-Svc-Key-Id", key_id)
                .body(Bytes::new())
                .ok()?;
            let found: Value = serde_json::from_slice(api.handle(request).await.body()).ok()?;
            found.pointer("/datos/0/fecha")?.as_str().map(str::to_owned)
        };
        day.await.unwrap_or_else(|| mexico_date(SystemClock.now()).to_string())
    }
}
