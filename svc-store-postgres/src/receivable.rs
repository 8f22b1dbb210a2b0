use svc_core::store::ReceivableTx;

use crate::transaction::PostgresTx;

impl ReceivableTx for PostgresTx {}
