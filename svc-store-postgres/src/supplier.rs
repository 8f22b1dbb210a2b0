use svc_core::store::SupplierTx;

use crate::transaction::PostgresTx;

impl SupplierTx for PostgresTx {}
