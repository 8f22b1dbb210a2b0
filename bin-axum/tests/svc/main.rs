//! The binary as its users run it.

mod admin;
mod backup;
mod certificates;
mod commands;
mod day;
mod delivery;
mod demo;
mod deploy;
mod description;
mod doctor;
mod events;
mod guides;
mod harness;
mod layers;
mod limits;
mod listen;
mod lists;
mod log;
mod mcp;
mod office;
mod pooler;
mod providers;
mod proxies;
mod secrecy;
mod secrets;
mod shutdown;
mod slow_clients;
mod stamping;
mod startup;
mod storm;
mod top;
#[cfg(feature = "otlp")]
mod traces;
mod verifiers;
mod webhooks;
mod workers;
