//! The binary as its users run it.

mod commands;
mod demo;
mod harness;
mod lists;
