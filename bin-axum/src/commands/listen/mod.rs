//! `svc listen`: a receiver for development. It registers a webhook while it runs, prints each
//! notice with a valid signature, and passes it on to a program if there is one.

mod forward;
mod receiver;
mod webhook;

use std::path::Path;

use svc_core::domain::clock::{Clock as _, SystemClock};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use self::forward::Forward;
use self::receiver::ReceivedNotice;
use self::webhook::TemporaryWebhook;
use crate::api_client::ApiClient;
use crate::cli::{DEFAULT_BASE_URL, ListenArgs};
use crate::demo::Access;
use crate::failure::Failure;
use crate::output::print;
use crate::shutdown::StopSignal;

/// The most notices that wait to be printed.
const QUEUE: usize = 64;

pub(super) async fn run(args: &ListenArgs, data_dir: &Path) -> Result<(), Failure> {
    // From here on an interrupt ends the command cleanly, so that the webhook is deleted.
    let mut stop = StopSignal::listen()?;
    let client = client(args, data_dir)?;
    let forward = args.forward_to.clone().map(Forward::new).transpose()?;
    let failed = || Failure::io(format!("cannot receive on {}", args.at));
    let listener = TcpListener::bind(args.at).await.map_err(failed())?;
    let address = listener.local_addr().map_err(failed())?;
    let url = args.url.clone().unwrap_or_else(|| webhook::local_url(address.port()));
    webhook::remove_leftovers(&client, &url).await?;
    let (webhook, secret) = TemporaryWebhook::register(&client, &url, &args.events).await?;
    eprintln!("webhook {} sends {} to {}; Ctrl-C deletes it", webhook.clave, webhook.eventos.join(", "), url);
    let (sender, received) = mpsc::channel(QUEUE);
    let work = async {
        if let Some(since) = args.since {
            let count = webhook.recover(&client, SystemClock.now() - since).await?;
            eprintln!("{count} events from before are sent");
        }
        print_all(received).await
    };
    let outcome = tokio::select! {
        outcome = receiver::receive(listener, secret, forward, sender) => outcome.map_err(failed()),
        outcome = work => outcome,
        () = stop.wait() => Ok(()),
    };
    webhook.delete(&client).await?;
    eprintln!("webhook {} is deleted", webhook.clave);
    outcome
}

/// A client with the configured API and key, or else with the demo's.
fn client(args: &ListenArgs, data_dir: &Path) -> Result<ApiClient, Failure> {
    let demo = Access::read(data_dir);
    let served = demo.as_ref().and_then(|demo| demo.base_url.as_deref());
    let key = args.key().or(demo.as_ref().map(|demo| (demo.key_id.as_str(), demo.api_key.as_str())));
    let Some((id, secret)) = key else {
        let dir = data_dir.display();
        return Err(Failure::Other(format!(
            "there is no key: set SVC_KEY_ID and SVC_API_KEY, or run svc demo in {dir}"
        )));
    };
    // The demo's address is used only with the demo's key.
    let served = served.filter(|_| args.key().is_none());
    ApiClient::new(args.base_url.as_deref().or(served).unwrap_or(DEFAULT_BASE_URL), id, secret)
}

/// Prints each notice, until stdout is closed.
async fn print_all(mut received: mpsc::Receiver<ReceivedNotice>) -> Result<(), Failure> {
    while let Some(notice) = received.recv().await {
        print(&notice)?;
    }
    Ok(())
}
