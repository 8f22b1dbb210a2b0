//! `svc listen`: a receiver for development. It registers a webhook for as long as it runs, and prints what is genuine.

mod client;
mod receiver;
mod webhook;

use std::path::Path;

use tokio::net::TcpListener;
use tokio::sync::mpsc;

use self::client::Client;
use self::receiver::Arrived;
use self::webhook::Webhook;
use crate::cli::{DEFAULT_BASE_URL, ListenArgs};
use crate::demo::Access;
use crate::failure::Failure;
use crate::output::print;
use crate::shutdown::Stop;

/// Notices that wait to be printed.
const WAITING: usize = 64;

pub(super) async fn run(args: &ListenArgs, data_dir: &Path) -> Result<(), Failure> {
    // Whatever interrupts it from here on, the webhook is deleted.
    let mut stop = Stop::listen()?;
    let client = client(args, data_dir)?;
    let failed = || Failure::io(format!("cannot receive on {}", args.at));
    let listener = TcpListener::bind(args.at).await.map_err(failed())?;
    let address = listener.local_addr().map_err(failed())?;
    let url = args.url.clone().unwrap_or_else(|| webhook::local_url(address.port()));
    webhook::remove_leftovers(&client, &url).await?;
    let (webhook, secret) = Webhook::register(&client, &url, &args.events).await?;
    eprintln!("webhook {} tells {} of {}; Ctrl-C deletes it", webhook.clave, url, webhook.eventos.join(", "));
    let (arrived, arrivals) = mpsc::channel(WAITING);
    let outcome = tokio::select! {
        outcome = receiver::receive(listener, secret, arrived) => outcome.map_err(failed()),
        outcome = print_all(arrivals) => outcome,
        () = stop.told() => Ok(()),
    };
    webhook.delete(&client).await?;
    eprintln!("webhook {} is deleted", webhook.clave);
    outcome
}

/// The API and the key that the settings tell; where they are silent, the demo's.
fn client(args: &ListenArgs, data_dir: &Path) -> Result<Client, Failure> {
    let demo = Access::read(data_dir);
    let served = demo.as_ref().and_then(|demo| demo.base_url.as_deref());
    let key = args.key().or(demo.as_ref().map(|demo| (demo.key_id.as_str(), demo.api_key.as_str())));
    let Some((id, secret)) = key else {
        let dir = data_dir.display();
        return Err(Failure::Other(format!(
            "there is no key: set SVC_KEY_ID and SVC_API_KEY, or run svc demo in {dir}"
        )));
    };
    // The demo's address goes with the demo's key only.
    let served = served.filter(|_| args.key().is_none());
    Client::new(args.base_url.as_deref().or(served).unwrap_or(DEFAULT_BASE_URL), id, secret)
}

/// Prints what arrives, until nobody reads it any more.
async fn print_all(mut arrivals: mpsc::Receiver<Arrived>) -> Result<(), Failure> {
    while let Some(arrived) = arrivals.recv().await {
        print(&arrived)?;
    }
    Ok(())
}
