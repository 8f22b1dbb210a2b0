//! The webhook that a receiver registers while it runs.

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use svc_core::domain::event::EventKind;
use svc_core::domain::time::Timestamp;

use crate::api_client::{ApiClient, ApiError, Refusal};
use crate::failure::Failure;

/// The `descripcion` that identifies such a webhook.
const DESCRIPTION: &str = "svc listen (temporal)";

/// The attempts at its deletion, and the pause between them.
const MAX_ATTEMPTS: u32 = 3;
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// A webhook, as the API shows it.
#[derive(Deserialize)]
pub(super) struct TemporaryWebhook {
    pub(super) clave: i64,
    pub(super) eventos: Vec<String>,
    url: String,
    descripcion: Option<String>,
}

impl TemporaryWebhook {
    /// Registers a webhook for the events `wanted`: names separated by commas, or `all`, which
    /// leaves out those that the key's scopes do not allow. Returns its secret too.
    pub(super) async fn register(client: &ApiClient, url: &str, wanted: &str) -> Result<(Self, String), Failure> {
        let all = wanted.trim() == "all";
        let mut eventos = if all { subscribable(client).await } else { names(wanted) };
        loop {
            let body = json!({ "url": url, "eventos": eventos, "descripcion": DESCRIPTION });
            let refusal = match client.send(Method::POST, "/webhooks", Some(&body)).await {
                Ok(answer) => return registered(answer),
                Err(ApiError::Refused(refusal)) => refusal,
                Err(failed) => return Err(failed.into()),
            };
            let asked = eventos.len();
            if all && refusal.status == 403 {
                // The message names the refused event.
                eventos.retain(|event| !refusal.mensaje.contains(event.as_str()));
            }
            if eventos.len() == asked || eventos.is_empty() {
                return Err(refused(refusal));
            }
        }
    }

    /// Has the events since then sent; returns how many there are.
    pub(super) async fn recover(&self, client: &ApiClient, since: DateTime<Utc>) -> Result<u64, Failure> {
        let body = json!({ "desde": Timestamp::new(since) });
        let path = format!("/webhooks/{}/recuperar", self.clave);
        let answer = client.send(Method::POST, &path, Some(&body)).await.map_err(Failure::from)?;
        answer["entregas"].as_u64().ok_or_else(|| Failure::Other("the API's answer counts no events".to_owned()))
    }

    /// Deletes the webhook; retries if the API is unavailable.
    pub(super) async fn delete(&self, client: &ApiClient) -> Result<(), Failure> {
        let mut attempts = 1;
        loop {
            let error = match client.send(Method::DELETE, &format!("/webhooks/{}", self.clave), None).await {
                // 404: someone else deleted it.
                Ok(_) | Err(ApiError::Refused(Refusal { status: 404, .. })) => return Ok(()),
                Err(error) => error,
            };
            let is_transient = match &error {
                ApiError::Refused(refusal) => refusal.status == 429 || refusal.status >= 500,
                ApiError::Failed(_) => true,
            };
            if !is_transient || attempts == MAX_ATTEMPTS {
                let cause = Failure::from(error);
                return Err(Failure::Other(format!("webhook {} could not be deleted: {cause}", self.clave)));
            }
            attempts += 1;
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    /// Whether it belonged to a receiver that was killed: it has our own URL, or, if the API is on
    /// this machine (`here`), a local port on which nothing listens.
    fn is_leftover(&self, own_url: &str, here: bool) -> bool {
        let ours = self.descripcion.as_deref() == Some(DESCRIPTION);
        ours && (self.url == own_url || here && port_of(&self.url).is_some_and(is_free))
    }
}

/// Every event that a webhook may subscribe to: what the server's description names, which has the
/// events of a host too; if it gives none, those of this version.
async fn subscribable(client: &ApiClient) -> Vec<String> {
    let described = client.description().await;
    let notices = described.as_ref().and_then(|document| document["webhooks"].as_object());
    let is_subscribable = |word: &&str| EventKind::of(word).is_none_or(EventKind::is_subscribable);
    match notices {
        Some(notices) => notices.keys().map(String::as_str).filter(is_subscribable).map(str::to_owned).collect(),
        None => EventKind::SUBSCRIBABLE.iter().map(|&word| word.to_owned()).collect(),
    }
}

fn names(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn registered(answer: Value) -> Result<(TemporaryWebhook, String), Failure> {
    let odd = || Failure::Other("the API's answer shows no webhook with its secret".to_owned());
    let secret = answer["secreto"].as_str().ok_or_else(odd)?.to_owned();
    Ok((serde_json::from_value(answer).map_err(|_| odd())?, secret))
}

/// The refusal, with advice.
fn refused(refusal: Refusal) -> Failure {
    let hint = match refusal.codigo.as_str() {
        "url_invalida" => {
            "; the server takes addresses of this machine with SVC_WEBHOOK_ALLOW_NETS=127.0.0.0/8,::1 only, for development; \
             else --url names an https URL that leads here"
        }
        "limite_webhooks" => "; delete one that is not needed",
        _ => "",
    };
    Failure::Other(format!("{}{hint}", Failure::from(ApiError::Refused(refusal))))
}

/// Deletes the webhooks of receivers that were killed.
pub(super) async fn remove_leftovers(client: &ApiClient, own_url: &str) -> Result<(), Failure> {
    let here = is_this_machine(client.host());
    let mut list = client.send(Method::GET, "/webhooks", None).await.map_err(Failure::from)?;
    let found: Vec<TemporaryWebhook> = serde_json::from_value(list["datos"].take())
        .map_err(|_| Failure::Other("the API's list shows no webhooks".to_owned()))?;
    for webhook in found.iter().filter(|webhook| webhook.is_leftover(own_url, here)) {
        webhook.delete(client).await?;
        eprintln!("webhook {} of a receiver that was killed is deleted", webhook.clave);
    }
    Ok(())
}

/// The URL of a local port; by name, as a webhook's URL must be.
pub(super) fn local_url(port: u16) -> String {
    format!("http://localhost:{port}/")
}

/// The port of a local URL.
fn port_of(url: &str) -> Option<u16> {
    url.strip_prefix("http://localhost:")?.strip_suffix('/')?.parse().ok()
}

/// Whether nothing listens on the port.
fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook(url: &str, descripcion: Option<&str>) -> TemporaryWebhook {
        let descripcion = descripcion.map(str::to_owned);
        TemporaryWebhook { clave: 1, eventos: Vec::new(), url: url.to_owned(), descripcion }
    }

    #[test]
    fn only_what_a_killed_receiver_left_is_a_leftover() {
        let listening = TcpListener::bind("127.0.0.1:0").unwrap();
        let taken = local_url(listening.local_addr().unwrap().port());
        let free = {
            let gone = TcpListener::bind("127.0.0.1:0").unwrap();
            local_url(gone.local_addr().unwrap().port())
        };
        let own = "http://localhost:1/";
        for (url, descripcion, here, expected) in [
            (own, Some(DESCRIPTION), false, true),
            (own, Some("Tienda"), true, false),
            (own, None, true, false),
            (&taken, Some(DESCRIPTION), true, false),
            (&free, Some(DESCRIPTION), true, true),
            (&free, Some(DESCRIPTION), false, false),
            (&free, Some("Tienda"), true, false),
            ("https://receptor.example.com/", Some(DESCRIPTION), true, false),
        ] {
            assert_eq!(webhook(url, descripcion).is_leftover(own, here), expected, "{url} {descripcion:?} {here}");
        }
        assert!(is_this_machine("localhost") && is_this_machine("::1") && !is_this_machine("erp.example.com"));
    }
}
