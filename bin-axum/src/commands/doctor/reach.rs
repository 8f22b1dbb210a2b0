//! Addresses in settings: whether somebody accepts connections there.

use std::time::Duration;

use http::Uri;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::findings::Findings;
use crate::cli::ServiceArgs;

/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Notes if links in notices lead nowhere.
pub(super) async fn check_base_url(service: &ServiceArgs, findings: &mut Findings) {
    match &service.base_url {
        Some(url) => check_url("SVC_BASE_URL", url, findings).await,
        None if service.address().ip().is_loopback() => {}
        None => findings.note(format_args!(
            "SVC_BASE_URL is not set: links in notices begin with http://{}/api/v1",
            service.address()
        )),
    }
}

/// Notes if nobody accepts connections at an address; its path and query are left out, since they
/// may hold a secret.
pub(super) async fn check_url(setting: &str, url: &str, findings: &mut Findings) {
    let Some((host, port)) = host_and_port(url) else {
        findings.note(format_args!("{setting} is not an address of the form http(s)://host"));
        return;
    };
    check(setting, &host, port, findings).await;
}

/// Notes if nobody accepts connections at a host's port.
pub(super) async fn check(setting: &str, host: &str, port: u16, findings: &mut Findings) {
    let failure = match timeout(PATIENCE, TcpStream::connect((host, port))).await {
        Ok(Ok(_)) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer in {} s", PATIENCE.as_secs()),
    };
    findings.note(format_args!("{setting}: nobody can be reached at {host}:{port}: {failure}"));
}

fn host_and_port(url: &str) -> Option<(String, u16)> {
    let url: Uri = url.parse().ok()?;
    let usual = match url.scheme_str()? {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let host = url.host().filter(|host| !host.is_empty())?;
    Some((host.trim_start_matches('[').trim_end_matches(']').to_owned(), url.port_u16().unwrap_or(usual)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        let found = |url| host_and_port(url).map(|(host, port)| format!("{host} {port}"));
        assert_eq!(found("https://api.example.com/api/v1").as_deref(), Some("api.example.com 443"));
        assert_eq!(found("http://127.0.0.1:8080/api/v1").as_deref(), Some("127.0.0.1 8080"));
        assert_eq!(found("http://[::1]/").as_deref(), Some("::1 80"));
        for wrong in ["", "api.example.com", "ftp://a/", "/api/v1", "https://"] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
    }
}
