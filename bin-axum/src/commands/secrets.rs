use svc_core::Context;
use svc_core::secrets::PlainSecrets;

use crate::cli::SecretsCommand;
use crate::failure::Failure;
use crate::output::print;

/// Prints the result; secrets that remain are a failure, since the former key cannot be removed
/// yet.
pub(super) async fn run(context: &Context, command: SecretsCommand) -> Result<(), Failure> {
    let SecretsCommand::Rotate { accept_plain } = command;
    let plain = if accept_plain { PlainSecrets::Accepted } else { PlainSecrets::Refused };
    let rotated = context.rotate_secrets(plain).await?;
    print(&rotated)?;
    match rotated.pendientes {
        0 => Ok(()),
        left => {
            Err(Failure::Other(format!("{left} secrets are not under SVC_SECRETS_KEY; the warnings above say why")))
        }
    }
}
