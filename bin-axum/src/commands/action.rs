use std::io::Read as _;

use serde_json::value::RawValue;
use svc_core::Context;
use svc_core::json::Json;

use crate::cli::ActionArgs;
use crate::failure::Failure;
use crate::output::{print, write};

/// Prints every action with the schema of its input: one JSON document.
pub(super) fn list() -> Result<(), Failure> {
    print(&svc_core::registry::named().collect::<Vec<_>>())
}

pub(super) async fn run(context: &Context, args: ActionArgs) -> Result<(), Failure> {
    // Without these three the command line takes `--list` only.
    let (Some(company), Some(action), Some(input)) = (args.company, args.action, args.input) else { return list() };
    let input = if input == "-" { from_stdin()? } else { input };
    let input = Json::parse_object(input.as_bytes()).map_err(|text| Failure::Other(text.into_owned()))?;
    if let Some(file) = context.file(company, &action, &input).await? {
        return write(&file);
    }
    let output = context.act(company, &action, &input).await?;
    let output: &RawValue = serde_json::from_slice(&output).map_err(|error| Failure::Other(error.to_string()))?;
    print(&output)
}

fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(Failure::io("cannot read standard input"))?;
    Ok(text)
}
