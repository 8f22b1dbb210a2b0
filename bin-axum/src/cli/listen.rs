//! The arguments of `svc listen`.

use std::net::SocketAddr;

use chrono::TimeDelta;
use clap::Args;
use http::Uri;
use svc_core::settings::Hidden;

use super::span::time_span;

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
    /// Receive first what has happened in that time, at most 30 days: a number and s, m, h or d.
    #[arg(long, env = "SVC_LISTEN_SINCE", value_name = "TIME", value_parser = time_span)]
    pub(crate) since: Option<TimeDelta>,
    /// Pass each genuine notice on to this http or https URL, and answer what it answers.
    #[arg(long, env = "SVC_LISTEN_FORWARD_TO", value_name = "URL")]
    pub(crate) forward_to: Option<Uri>,
}

impl ListenArgs {
    /// The key's identifier and secret, if they are set.
    pub(crate) fn key(&self) -> Option<(&str, &str)> {
        self.key_id.as_deref().zip(self.api_key.as_ref().map(Hidden::reveal))
    }
}
