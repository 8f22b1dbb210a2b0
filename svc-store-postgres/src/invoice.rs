use svc_core::store::InvoiceTx;

use crate::transaction::PostgresTx;

impl InvoiceTx for PostgresTx {}
