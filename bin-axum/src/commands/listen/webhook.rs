//! The webhook that a receiver has for as long as it runs.

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::time::Duration;

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use svc_core::domain::event::EventKind;

use super::client::{Client, Refusal, Trouble};
use crate::failure::Failure;

/// What such a webhook is described by.
const DESCRIPTION: &str = "svc listen (temporal)";

/// How often its deletion is tried, and how long to wait between.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// A webhook, as the API shows it.
#[derive(Deserialize)]
pub(super) struct Webhook {
    pub(super) clave: i64,
    pub(super) eventos: Vec<String>,
    url: String,
    descripcion: Option<String>,
}

impl Webhook {
    /// Registers one for the events `wanted`: names with commas between, or all. Of all, what the key's scopes do not allow is left
    /// out. Gives the secret too.
    pub(super) async fn register(client: &Client, url: &str, wanted: &str) -> Result<(Self, String), Failure> {
        let all = wanted.trim() == "all";
        let mut eventos = if all { subscribable() } else { names(wanted) };
        loop {
            let body = json!({ "url": url, "eventos": eventos, "descripcion": DESCRIPTION });
            let refusal = match client.ask(Method::POST, "/webhooks", Some(&body)).await {
                Ok(answer) => return registered(answer),
                Err(Trouble::Refused(refusal)) => refusal,
                Err(failed) => return Err(failed.into()),
            };
            let asked = eventos.len();
            if all && refusal.status == 403 {
                // It names the event that it refuses.
                eventos.retain(|event| !refusal.mensaje.contains(event.as_str()));
            }
            if eventos.len() == asked || eventos.is_empty() {
                return Err(refused(refusal));
            }
        }
    }

    /// Deletes it. If the API cannot be reached just now, it is tried again.
    pub(super) async fn delete(&self, client: &Client) -> Result<(), Failure> {
        let mut tried = 1;
        loop {
            let trouble = match client.ask(Method::DELETE, &format!("/webhooks/{}", self.clave), None).await {
                // Or someone else deleted it.
                Ok(_) | Err(Trouble::Refused(Refusal { status: 404, .. })) => return Ok(()),
                Err(trouble) => trouble,
            };
            let passes = match &trouble {
                Trouble::Refused(refusal) => refusal.status == 429 || refusal.status >= 500,
                Trouble::Failed(_) => true,
            };
            if !passes || tried == TRIES {
                let cause = Failure::from(trouble);
                return Err(Failure::Other(format!("webhook {} could not be deleted: {cause}", self.clave)));
            }
            tried += 1;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Whether it belonged to a receiver that was killed: it leads to us, who have just come; or to a port of this machine
    /// on which nobody listens, when the API is on this machine too.
    fn is_leftover(&self, own_url: &str, here: bool) -> bool {
        let ours = self.descripcion.as_deref() == Some(DESCRIPTION);
        ours && (self.url == own_url || here && port_of(&self.url).is_some_and(is_free))
    }
}

/// Every event that a webhook may subscribe to.
fn subscribable() -> Vec<String> {
    let of = |word: &&&str| EventKind::of(word).is_some_and(EventKind::is_subscribable);
    EventKind::WORDS.iter().filter(of).map(|&word| word.to_owned()).collect()
}

fn names(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn registered(answer: Value) -> Result<(Webhook, String), Failure> {
    let odd = || Failure::Other("the API's answer shows no webhook with its secret".to_owned());
    let secret = answer["secreto"].as_str().ok_or_else(odd)?.to_owned();
    Ok((serde_json::from_value(answer).map_err(|_| odd())?, secret))
}

/// The refusal, with what can be done about it.
fn refused(refusal: Refusal) -> Failure {
    let hint = match refusal.codigo.as_str() {
        "url_invalida" => {
            "; the server takes addresses of this machine with SVC_WEBHOOK_ALLOW_NETS=127.0.0.0/8,::1 only, for development; \
             else --url names an https URL that leads here"
        }
        "limite_webhooks" => "; delete one that is not needed",
        _ => "",
    };
    Failure::Other(format!("{}{hint}", Failure::from(Trouble::Refused(refusal))))
}

/// Deletes the webhooks of receivers that were killed before they could do so.
pub(super) async fn remove_leftovers(client: &Client, own_url: &str) -> Result<(), Failure> {
    let here = is_this_machine(client.host());
    let mut list = client.ask(Method::GET, "/webhooks", None).await.map_err(Failure::from)?;
    let found: Vec<Webhook> = serde_json::from_value(list["datos"].take())
        .map_err(|_| Failure::Other("the API's list shows no webhooks".to_owned()))?;
    for webhook in found.iter().filter(|webhook| webhook.is_leftover(own_url, here)) {
        webhook.delete(client).await?;
        eprintln!("webhook {} of a receiver that was killed is deleted", webhook.clave);
    }
    Ok(())
}

/// How a server on this machine reaches a port of it, by a name as URLs of webhooks need one.
pub(super) fn local_url(port: u16) -> String {
    format!("http://localhost:{port}/")
}

/// The port of such a URL.
fn port_of(url: &str) -> Option<u16> {
    url.strip_prefix("http://localhost:")?.strip_suffix('/')?.parse().ok()
}

/// Whether nobody listens on it.
fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook(url: &str, descripcion: Option<&str>) -> Webhook {
        let descripcion = descripcion.map(str::to_owned);
        Webhook { clave: 1, eventos: Vec::new(), url: url.to_owned(), descripcion }
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
