//! The API as an AWS Lambda function.

use std::process::ExitCode;

fn main() -> ExitCode {
    bin_lambda::run(std::convert::identity)
}
