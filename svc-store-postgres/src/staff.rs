use svc_core::store::StaffTx;

use crate::transaction::PostgresTx;

impl StaffTx for PostgresTx {}
