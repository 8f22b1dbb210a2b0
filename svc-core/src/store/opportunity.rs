//! The CRM's funnel.

/// The CRM's funnel inside a transaction.
pub trait OpportunityTx {}
