use svc_core::store::PurchaseTx;

use crate::transaction::PostgresTx;

impl PurchaseTx for PostgresTx {}
