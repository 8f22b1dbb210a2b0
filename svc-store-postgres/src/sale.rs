use svc_core::store::SaleTx;

use crate::transaction::PostgresTx;

impl SaleTx for PostgresTx {}
