//! Servers whose clocks are wrong.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use svc_core::Providers;
use svc_core::domain::clock::{Clock as _, SystemClock};
use tokio::time::sleep;

use crate::client::Outcomes;
use crate::crowd::Crowd;
use crate::embedded::{Ahead, Embedded};
use crate::figures::{Figures, not_answered_well, said};
use crate::service;
use crate::stage::{Company, Ground, Pace, Stage};

/// How many requests a minute a key may send: more than the load, and few enough to be used up.
const RATE: u64 = 6_000;

/// Its minutes lie in the future, and one company uses such a minute up.
pub(super) async fn hours_ahead(pace: Pace) -> Figures {
    ahead(pace, TimeDelta::hours(2)).await
}

/// To it every stored answer is older than the seven days that it is kept. At the end the
/// acknowledged writes are repeated, which makes nothing twice as long as their answers are there.
pub(super) async fn days_ahead(pace: Pace) -> Figures {
    ahead(pace, TimeDelta::days(8)).await
}

/// A second server with that clock answers all companies and cleans up.
async fn ahead(pace: Pace, by: TimeDelta) -> Figures {
    let ground = Ground::new().await;
    ground.database.run("UPDATE empresas SET limites = 'enforced', licencias = 100").await;
    let stage = Stage::with(ground, &[service::RATE, &RATE.to_string()]).await;
    let mut play = stage.calm(pace).await;
    let wrong = Embedded::with_clock(&stage.ground, Providers::default(), Arc::new(Ahead(by)), RATE).await;
    let reading = |company: &Company, pause| {
        let client = company.at(wrong.address);
        Crowd::of(4, move |_| {
            let client = client.clone();
            async move {
                sleep(pause).await;
                client.get("/clientes?limite=1").await.0
            }
        })
    };
    let healthy: Vec<_> =
        stage.ground.healthy.iter().map(|company| reading(company, Duration::from_millis(200))).collect();
    let other = reading(&stage.ground.other, Duration::from_millis(1));
    play.last().await;
    let mut answers = Outcomes::new();
    for crowd in healthy {
        crowd.end().await.into_iter().for_each(|(outcome, count)| *answers.entry(outcome).or_default() += count);
    }
    let others = other.end().await;
    let both =
        format!("that server answered the companies {}, the one that sends much {}", said(&answers), said(&others));
    play.notes.push(both);
    play.short.extend(not_answered_well(&answers));
    drop(wrong);
    play.over();
    // What was counted by then is of a minute that has ended.
    let left = 61 - SystemClock.now().timestamp().rem_euclid(60);
    sleep(Duration::from_secs(left.unsigned_abs())).await;
    let outcome = stage.other().get("/clientes?limite=1").await.0;
    if !outcome.is_good() {
        play.short.push(format!("its key in the next minute: {outcome:?}"));
    }
    play.audit(&stage.ground).await
}
