use svc_core::store::PayableTx;

use crate::transaction::PostgresTx;

impl PayableTx for PostgresTx {}
