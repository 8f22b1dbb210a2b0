//! `svc top`: what a running server is doing.

use std::io::IsTerminal as _;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::healthcheck::reachable;
use crate::cli::TopArgs;
use crate::failure::Failure;
use crate::output::print;
use crate::shutdown::StopSignal;
use crate::top::{Screen, View, WatchedServer, show};

pub(super) async fn run(args: &TopArgs) -> Result<(), Failure> {
    let url = args.url(reachable);
    let server = WatchedServer::new(&url)?;
    if args.once {
        let view = read_once(&server, args.every).await;
        return print(&view.map_err(|why| Failure::Other(format!("no answer from {url}: {why}")))?);
    }
    let stop = StopSignal::listen()?;
    // The server is asked until this is dropped.
    let mut asking = JoinSet::new();
    let (sender, readings) = channel(1);
    let every = args.every;
    asking.spawn(async move {
        let mut timer = interval(every);
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            timer.tick().await;
            if sender.send(server.view().await).await.is_err() {
                return;
            }
        }
    });
    if std::io::stdout().is_terminal() {
        show(Screen::new(url), readings, stop).await
    } else {
        print_all(&url, readings, stop).await
    }
}

/// Reads the last seconds. A server that nobody has watched needs two readings, `pause` apart.
async fn read_once(server: &WatchedServer, pause: Duration) -> Result<View, String> {
    let view = server.view().await?;
    if !view.since_start {
        return Ok(view);
    }
    sleep(pause).await;
    server.view().await
}

/// Prints each reading as a line; while there is none, says so once for each reason.
async fn print_all(
    url: &str,
    mut readings: Receiver<Result<View, String>>,
    mut stop: StopSignal,
) -> Result<(), Failure> {
    let mut trouble: Option<String> = None;
    loop {
        let reading = tokio::select! {
            reading = readings.recv() => reading,
            () = stop.wait() => return Ok(()),
        };
        match reading.ok_or_else(|| Failure::Other("the server is no longer asked".to_owned()))? {
            Ok(view) => {
                trouble = None;
                print(&view)?;
            }
            Err(why) => {
                if trouble.as_ref() != Some(&why) {
                    eprintln!("svc: no answer from {url}, trying again: {why}");
                }
                trouble = Some(why);
            }
        }
    }
}
