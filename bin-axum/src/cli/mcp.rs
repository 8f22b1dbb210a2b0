//! The arguments of `svc mcp`.

use std::net::SocketAddr;

use clap::Args;
use svc_core::settings::{AgentSettings, Hidden};

use super::settings::DEFAULT_BASE_URL;

/// The agent's key, with its scopes, limits and quota, and the address to serve on.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// The API's address.
    #[arg(long, env = "SVC_BASE_URL", default_value = DEFAULT_BASE_URL)]
    pub(crate) base_url: String,
    /// The public identifier of the key.
    #[arg(long, env = "SVC_KEY_ID")]
    pub(crate) key_id: String,
    /// The key's secret.
    #[arg(long, env = "SVC_API_KEY", hide_env_values = true)]
    api_key: Hidden,
    /// Address to serve streamable HTTP on, at /mcp; without it standard input and output are used.
    /// Anyone who reaches it acts with the key, or with one that the request itself bears, so it answers only
    /// requests that name this machine.
    #[arg(long, env = "SVC_MCP_LISTEN")]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) agents: AgentSettings,
}

impl McpArgs {
    /// The key's secret.
    pub(crate) fn api_key(&self) -> &str {
        self.api_key.reveal()
    }
}
