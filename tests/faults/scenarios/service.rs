//! Faults of the server itself, and deployments.

use nix::sys::signal::Signal;
use tokio::time::{Duration, sleep};

use crate::figures::Figures;
use crate::stage::{Pace, Stage};

/// Killed during writes and started again, as often as the pace says; the last time is measured.
pub(super) async fn killed(pace: Pace) -> Figures {
    let mut stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    for kill in 1..=pace.kills {
        stage.service.end(Signal::SIGKILL).await;
        sleep(Duration::from_millis(500)).await;
        play.over();
        stage.service.start_again().await;
        if kill < pace.kills {
            sleep(Duration::from_secs(2)).await;
        }
    }
    play.notes.push(format!("killed {} times; recovery counts from the command that starts it", pace.kills));
    play.audit(&stage.ground).await
}

/// The schema of a later release arrives under a server of this one, which then restarts on it.
pub(super) async fn later_schema(pace: Pace) -> Figures {
    let mut stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let mut database = stage.ground.database.connect().await.expect("a connection");
    svc_tests::releases::migrate_to_a_later_one(&mut database).await;
    play.last().await;
    play.over();
    stage.service.end(Signal::SIGTERM).await;
    stage.service.start_again().await;
    play.notes.push("recovery is a restart on that schema".to_owned());
    play.audit(&stage.ground).await
}
