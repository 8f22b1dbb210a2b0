//! The arguments of `svc mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

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
    #[arg(long, env = "SVC_KEY_ID", required_unless_present = "keys")]
    key_id: Option<String>,
    /// The key's secret.
    #[arg(long, env = "SVC_API_KEY", hide_env_values = true, required_unless_present = "keys")]
    api_key: Option<Hidden>,
    /// File with several keys, of which the agent names one in each call. It is a JSON object of
    /// keys by name, each as `svc key create` prints it; it takes the place of the key id and the
    /// secret.
    #[arg(long, env = "SVC_MCP_KEYS")]
    pub(crate) keys: Option<PathBuf>,
    /// Address to serve streamable HTTP on, at /mcp; without it standard input and output are used.
    /// Anyone who reaches it acts with the key, or with one that the request itself bears, so it
    /// answers only requests that name this machine.
    #[arg(long, env = "SVC_MCP_LISTEN")]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) agents: AgentSettings,
}

impl McpArgs {
    /// The one key's identifier and secret; empty if a file has the keys.
    pub(crate) fn key(&self) -> (&str, &str) {
        let secret = self.api_key.as_ref().map_or("", Hidden::reveal);
        (self.key_id.as_deref().unwrap_or_default(), secret)
    }
}
