//! The arguments of `svc listen`.

use std::net::SocketAddr;

use chrono::TimeDelta;
use clap::Args;
use http::Uri;
use svc_core::settings::Hidden;

/// The longest time that `--since` takes. Events are kept for 30 days.
const LONGEST_SPAN: TimeDelta = TimeDelta::days(365);

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

/// Parses a span of time like `2h`.
fn time_span(text: &str) -> Result<TimeDelta, String> {
    let wrong = || "a time is a number and s, m, h or d, like 2h".to_owned();
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = number.parse().ok().filter(|_| digits).ok_or_else(wrong)?;
    let span = match unit {
        "s" => TimeDelta::try_seconds(number),
        "m" => TimeDelta::try_minutes(number),
        "h" => TimeDelta::try_hours(number),
        "d" => TimeDelta::try_days(number),
        _ => None,
    };
    span.filter(|span| *span <= LONGEST_SPAN).ok_or_else(wrong)
}

impl ListenArgs {
    /// The key's identifier and secret, if they are set.
    pub(crate) fn key(&self) -> Option<(&str, &str)> {
        self.key_id.as_deref().zip(self.api_key.as_ref().map(Hidden::reveal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_a_number_and_a_unit() {
        for (text, seconds) in [("90s", 90), ("5m", 300), ("2h", 7_200), ("30d", 2_592_000), ("0s", 0)] {
            assert_eq!(time_span(text).map(|span| span.num_seconds()), Ok(seconds), "{text}");
        }
        for wrong in ["", "h", "2", "2 h", "-2h", "+2h", "2.5h", "2w", "2hh", "366d", "99999999999999999999s", "2ñ"] {
            assert!(time_span(wrong).is_err(), "{wrong}");
        }
    }
}
