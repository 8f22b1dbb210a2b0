use std::io::{IsTerminal as _, Read as _, stdout};

use serde::Deserialize;
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
        .map(|action| [action.name, &action.summary, &action.emits.join(", ")].map(str::to_owned))
        .collect();
    write(table(&rows).as_bytes())
}

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
    // A provider that cannot be used is refused before anything is written.
    let cancelling = CANCELLING.contains(&action.as_str());
    let stamper = if cancelling { args.stamper.stamper()? } else { None };
    let output = context.run_by_name(company, &action, &input).await?;
    if cancelling {
        let requested = RequestedCancellation::of(&output)?;
        ask(context, stamper.as_deref(), company, requested).await?;
    }
    let output: &RawValue = serde_json::from_slice(&output).map_err(|error| Failure::Other(error.to_string()))?;
    print(&output)
}

/// What an action that cancels says of the document whose cancellation it requested.
#[derive(Deserialize)]
struct RequestedCancellation {
    factura: Option<i64>,
    pago: Option<i64>,
    en_cancelacion: Option<i64>,
}

impl RequestedCancellation {
    /// The clave of the document, if one has to be cancelled with the authority.
    fn of(output: &[u8]) -> Result<Option<i64>, Failure> {
        let output: Self = serde_json::from_slice(output).map_err(|error| Failure::Other(error.to_string()))?;
        // The `factura` of a payment is the substitute of its complement.
        Ok(output.en_cancelacion.or(output.factura.filter(|_| output.pago.is_none())))
    }
}

/// Sends the cancellation just requested to the provider, and others of the company that were not
/// sent yet. The refusal of the one that was requested is an error; if the provider cannot be
/// reached or none is set, a later pass sends it.
async fn ask(
    context: &Context,
    stamper: Option<&dyn Stamper>,
    company: CompanyId,
    requested: Option<i64>,
) -> Result<(), Failure> {
    match cancel_asked(context, stamper, company).await {
        Ok(outcomes) => check(requested, outcomes),
        Err(error) => {
            tracing::warn!(%error, "the cancellation waits for the next stamping pass");
            Ok(())
        }
    }
}

/// Fails if the requested cancellation was refused; logs the refusals of others.
fn check(requested: Option<i64>, outcomes: Vec<(i64, CancelOutcome)>) -> Result<(), Failure> {
    let mut refusal = Ok(());
    for (factura, outcome) in outcomes {
        let CancelOutcome::Refused { codigo, mensaje } = outcome else { continue };
        let text = format!("the cancellation of {factura} was refused: {codigo}: {mensaje}");
        if requested == Some(factura) {
            refusal = Err(Failure::Other(text));
        } else {
            tracing::warn!("{text}");
        }
    }
    refusal
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

    #[test]
    fn only_the_refusal_of_the_requested_cancellation_is_a_failure() {
        let refused = |factura| {
            let (codigo, mensaje) = ("205".to_owned(), "No existe".to_owned());
            (factura, CancelOutcome::Refused { codigo, mensaje })
        };
        let outcomes = || vec![refused(3), (4, CancelOutcome::Cancelled), refused(5)];
        for (output, failed) in [
            (r#"{"factura":4}"#, None),
            (r#"{"factura":5}"#, Some("the cancellation of 5 was refused: 205: No existe")),
            (r#"{"pago":5}"#, None),
            (r#"{"pago":9,"en_cancelacion":3}"#, Some("the cancellation of 3 was refused: 205: No existe")),
            (r#"{"pago":9,"factura":3}"#, None),
            (r#"{"pago":9,"factura":3,"en_cancelacion":4}"#, None),
        ] {
            let requested = RequestedCancellation::of(output.as_bytes()).unwrap();
            let failure = check(requested, outcomes()).err().map(|failure| failure.to_string());
            assert_eq!(failure.as_deref(), failed, "{output}");
        }
    }
}
