//! What `svc doctor` takes: the settings of the server that it is asked about.

use clap::Args;
use svc_core::settings::OutsideSettings;

use super::settings::ServiceArgs;

// A doc comment here would replace the command's in the help.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    #[command(flatten)]
    pub(crate) outside: OutsideSettings,
}
