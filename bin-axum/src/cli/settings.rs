//! Settings that several commands share: the database and the API. Those that the function has too are in `bin_common`.

use std::net::SocketAddr;
use std::path::PathBuf;

use bin_common::{ApiArgs, WebhookArgs};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// PostgreSQL to use; without it a private one is run in the data directory.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub(crate) database_url: Option<String>,
    /// Where the private PostgreSQL keeps its data.
    #[arg(long, env = "SVC_DATA_DIR", default_value = ".svc", global = true)]
    pub(crate) data_dir: PathBuf,
    /// Database connections at the most.
    #[arg(long, env = "SVC_MAX_CONNECTIONS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000), global = true)]
    pub(crate) max_connections: u32,
}

#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    /// Address to listen on.
    #[arg(long, env = "SVC_LISTEN")]
    pub(crate) listen: Option<SocketAddr>,
    /// Port to listen on, on all addresses, when no address is given.
    #[arg(long, env = "PORT")]
    pub(crate) port: Option<u16>,
    /// The API's public address; by default `http://LISTEN/api/v1`.
    #[arg(long, env = "SVC_BASE_URL")]
    pub(crate) base_url: Option<String>,
    #[command(flatten)]
    pub(crate) api: ApiArgs,
    #[command(flatten)]
    pub(crate) webhooks: WebhookArgs,
}

impl ServiceArgs {
    /// Where to listen: the address given, else every address at the port given, else 127.0.0.1:8080.
    pub(crate) fn address(&self) -> SocketAddr {
        self.listen.unwrap_or(match self.port {
            Some(port) => ([0, 0, 0, 0], port).into(),
            None => ([127, 0, 0, 1], 8080).into(),
        })
    }
}
