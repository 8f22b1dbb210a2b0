//! The binary as its users run it.

mod certificates;
mod commands;
mod delivery;
mod demo;
mod harness;
mod limits;
mod lists;
mod pooler;
mod stamping;
mod storm;
mod webhooks;
