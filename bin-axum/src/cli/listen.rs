//! The arguments of `svc listen`.

use std::net::SocketAddr;

use clap::Args;
use svc_core::settings::Hidden;

/// A development receiver of webhooks. Without a key it takes the demo's, and the address at which
/// the demo was last served.
#[derive(Debug, Args)]
pub(crate) struct ListenArgs {
    /// The API's address; by default the demo's, or <http://127.0.0.1:8080/api/v1>.
    #[arg(long, env = "SVC_BASE_URL")]
    pub(crate) base_url: Option<String>,
    /// The public identifier of a key with webhooks:write; by default the demo's.
    #[arg(long, env = "SVC_KEY_ID", requires = "api_key")]
    pub(crate) key_id: Option<String>,
    /// The key's secret.
    #[arg(long, env = "SVC_API_KEY", hide_env_values = true, requires = "key_id")]
    api_key: Option<Hidden>,
    /// Events to receive, separated by commas; by default all that the key's scopes allow.
    #[arg(long, env = "SVC_LISTEN_EVENTS", default_value = "all")]
    pub(crate) events: String,
    /// Address to receive on; port 0 is any that is free.
    #[arg(long, env = "SVC_LISTEN_AT", default_value = "127.0.0.1:0")]
    pub(crate) at: SocketAddr,
    /// The URL by which the API's server reaches that address; by default <http://localhost> and
    /// its port.
    #[arg(long, env = "SVC_LISTEN_URL")]
    pub(crate) url: Option<String>,
}

impl ListenArgs {
    /// The key's identifier and secret, if they are set.
    pub(crate) fn key(&self) -> Option<(&str, &str)> {
        self.key_id.as_deref().zip(self.api_key.as_ref().map(Hidden::reveal))
    }
}
