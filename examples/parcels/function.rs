//! The part of `main.rs` in a function: `bin-lambda` with all of it.
//!
//! `cargo build -p svc-examples --example parcels_function`

use std::process::ExitCode;

#[path = "main.rs"]
#[allow(dead_code, unreachable_pub, reason = "that is a program of its own")]
mod parcels;

fn main() -> ExitCode {
    bin_lambda::run(parcels::with_sign_in)
}
