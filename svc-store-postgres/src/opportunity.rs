use svc_core::store::OpportunityTx;

use crate::transaction::PostgresTx;

impl OpportunityTx for PostgresTx {}
