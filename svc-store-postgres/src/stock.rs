use svc_core::store::StockTx;

use crate::transaction::PostgresTx;

impl StockTx for PostgresTx {}
