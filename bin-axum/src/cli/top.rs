//! The arguments of `svc top`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;

use super::span::time_span;

/// The operators' address where none is given.
const DEFAULT_URL: &str = "http://127.0.0.1:9090";

/// The least and the greatest time between two readings, in seconds.
const EVERY: std::ops::RangeInclusive<u64> = 1..=60;

/// Which server is watched, and how often it is asked.
#[derive(Debug, Args)]
pub(crate) struct TopArgs {
    /// The URL of the server's operators' address; by default that of `SVC_ADMIN_LISTEN`, or
    /// <http://127.0.0.1:9090>.
    #[arg(long, env = "SVC_TOP_URL")]
    url: Option<String>,
    /// The operators' address of a server on this machine.
    #[arg(long, env = "SVC_ADMIN_LISTEN")]
    pub(crate) admin_listen: Option<SocketAddr>,
    /// The time between two readings: a number and s or m, from 1s to 1m.
    #[arg(long, env = "SVC_TOP_EVERY", value_name = "TIME", default_value = "2s", value_parser = pause)]
    pub(crate) every: Duration,
    /// Print one reading of the last seconds as JSON and exit.
    #[arg(long)]
    pub(crate) once: bool,
}

impl TopArgs {
    /// The URL to ask; `reachable` turns an address to listen on into one to connect to.
    pub(crate) fn url(&self, reachable: impl FnOnce(SocketAddr) -> SocketAddr) -> String {
        let listens = self.admin_listen.map(|address| format!("http://{}", reachable(address)));
        self.url.clone().or(listens).unwrap_or_else(|| DEFAULT_URL.to_owned())
    }
}

fn pause(text: &str) -> Result<Duration, String> {
    let seconds = time_span(text)?.num_seconds().unsigned_abs();
    if EVERY.contains(&seconds) { Ok(Duration::from_secs(seconds)) } else { Err("from 1s to 1m".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_comes_before_the_address_and_the_address_before_the_default() {
        let args = |url: Option<&str>, listen: Option<&str>| {
            let (url, admin_listen) = (url.map(str::to_owned), listen.map(|address| address.parse().unwrap()));
            TopArgs { url, admin_listen, every: Duration::from_secs(2), once: false }.url(|address| address)
        };
        assert_eq!(args(None, None), "http://127.0.0.1:9090");
        assert_eq!(args(None, Some("[::1]:9091")), "http://[::1]:9091");
        assert_eq!(args(Some("https://a"), Some("[::1]:9091")), "https://a");
    }

    #[test]
    fn readings_are_from_a_second_to_a_minute_apart() {
        assert_eq!(pause("1s"), Ok(Duration::from_secs(1)));
        assert_eq!(pause("1m"), Ok(Duration::from_mins(1)));
        for wrong in ["0s", "2m", "5", "1d"] {
            assert!(pause(wrong).is_err(), "{wrong}");
        }
    }
}
