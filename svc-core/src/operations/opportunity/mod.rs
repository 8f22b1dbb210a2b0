//! Opportunities and their stages.

mod import;
mod progress;

pub use progress::{CreateOpportunity, MoveOpportunity, OpportunityRef};
