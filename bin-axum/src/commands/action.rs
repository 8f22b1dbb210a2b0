use std::io::{IsTerminal as _, Read as _, stdout};

use serde_json::value::RawValue;
use svc_core::domain::company::CompanyId;
use svc_core::json::Json;
use svc_core::stamping::{CancelOutcome, Stamper, cancel_asked};
use svc_core::{Context, Language, Registry};

use crate::cli::ActionArgs;
use crate::failure::Failure;
use crate::output::{print, write};

/// The actions that cancel documents with the authority.
const CANCELLING: [&str; 2] = ["invoice.cancel", "payment.cancel"];

/// Prints every action: a table on a terminal, elsewhere one JSON document with the schemas of
/// their inputs.
pub(super) fn list(registry: &Registry) -> Result<(), Failure> {
    let actions: Vec<_> = registry.named_operations(Language::English).collect();
    if !stdout().is_terminal() {
        return print(&actions);
    }
    let rows: Vec<_> = actions
        .iter()
        .map(|action| [action.name, action.summary, &action.emits.join(", ")].map(str::to_owned))
        .collect();
    write(table(&rows).as_bytes())
}

/// Rows in columns.
fn table(rows: &[[String; 3]]) -> String {
    let widest = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let (first, second) = (widest(0), widest(1));
    let line = |[name, summary, emits]: &[String; 3]| {
        format!("{name:first$}  {summary:second$}  {emits}").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

pub(super) async fn run(context: &Context, args: ActionArgs) -> Result<(), Failure> {
    // Without these three the command line takes `--list` only.
    let (Some(company), Some(action), Some(input)) = (args.company, args.action, args.input) else {
        return list(context.registry());
    };
    let input = if input == "-" { from_stdin()? } else { input };
    let input = Json::parse_object(input.as_bytes()).map_err(|text| Failure::Other(text.into_owned()))?;
    if let Some(file) = context.download(company, &action, &input).await? {
        return write(&file);
    }
    if args.rehearse {
        let (output, events) = context.rehearse_by_name(company, &action, &input).await?;
        let mut output: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&output).map_err(|error| Failure::Other(error.to_string()))?;
        output.insert("ensayo".to_owned(), true.into());
        output.insert("eventos".to_owned(), events.into());
        return print(&output);
    }
    let output = context.run_by_name(company, &action, &input).await?;
    if CANCELLING.contains(&action.as_str()) {
        ask(context, args.stamper.stamper()?.as_deref(), company).await?;
    }
    let output: &RawValue = serde_json::from_slice(&output).map_err(|error| Failure::Other(error.to_string()))?;
    print(&output)
}

/// Sends the cancellation just requested to the provider. A refusal is an error; if the provider
/// cannot be reached or none is set, a later pass sends it.
async fn ask(context: &Context, stamper: Option<&dyn Stamper>, company: CompanyId) -> Result<(), Failure> {
    match cancel_asked(context, stamper, company).await {
        Ok(outcomes) => {
            let refused = outcomes.into_iter().find_map(|(factura, outcome)| match outcome {
                CancelOutcome::Refused { codigo, mensaje } => Some((factura, codigo, mensaje)),
                _ => None,
            });
            let text =
                |(factura, codigo, mensaje)| format!("the cancellation of {factura} was refused: {codigo}: {mensaje}");
            refused.map_or(Ok(()), |refusal| Err(Failure::Other(text(refusal))))
        }
        Err(error) => {
            tracing::warn!(%error, "the cancellation waits for the next stamping pass");
            Ok(())
        }
    }
}

fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(Failure::io("cannot read standard input"))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_line_for_each_action() {
        let rows = [["sale.cancel", "Cancel", ""], ["a.b", "Año nuevo", "x.y, z.w"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows), "sale.cancel  Cancel\na.b          Año nuevo  x.y, z.w\n");
    }
}
