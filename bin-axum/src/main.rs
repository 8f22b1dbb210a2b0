//! `svc`: the API as a long-running server, and its command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    bin_axum::Host::default().run()
}
