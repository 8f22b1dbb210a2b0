//! Faults of connections to the database.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::PgConnection;
use tokio::time::{Duration, Instant, sleep};

use crate::database::Database;
use crate::figures::Figures;
use crate::stage::{Pace, Stage};

pub(super) async fn a_session_of_requests_is_stopped(pace: Pace) -> Figures {
    stopped(pace, "FROM clientes").await
}

pub(super) async fn a_session_of_keys_is_stopped(pace: Pace) -> Figures {
    stopped(pace, "JOIN llaves l").await
}

/// A stopped database session (SIGSTOP), as in a partition that sends no reset; dropping this
/// continues it.
struct Stopped(Pid);

impl Stopped {
    /// An idle session of the server's that last ran this statement: an active one might hold what
    /// all sessions need.
    async fn of(database: &Database, statement: &str) -> Self {
        let find = format!(
            "SELECT coalesce(max(pid), 0) FROM (SELECT pid FROM pg_stat_activity WHERE application_name = 'svc'
               AND state = 'idle' AND query LIKE '%{statement}%' ORDER BY state_change DESC LIMIT 1) t"
        );
        let began = Instant::now();
        loop {
            let pid: i32 = database.value(&find).await;
            if pid != 0 {
                kill(Pid::from_raw(pid), Signal::SIGSTOP).expect("it is stopped");
                return Self(Pid::from_raw(pid));
            }
            assert!(began.elapsed() < Duration::from_secs(10), "no session ran {statement}");
            sleep(Duration::from_millis(3)).await;
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // The server may have ended it by now.
        let _ = kill(self.0, Signal::SIGCONT);
    }
}

async fn stopped(pace: Pace, statement: &str) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let stopped = Stopped::of(&stage.ground.database, statement).await;
    play.fault();
    play.last().await;
    drop(stopped);
    play.over();
    play.audit(&stage.ground).await
}

pub(super) async fn black_hole(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    stage.ground.forwarder.cut();
    play.last().await;
    stage.ground.forwarder.mend();
    play.over();
    play.audit(&stage.ground).await
}

pub(super) async fn none_left(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let database = &stage.ground.database;
    let mut eaten: Vec<PgConnection> = Vec::new();
    // Until all connections are ours, including those that the server reopens.
    for _ in 0..5 {
        database_is_eaten(database, &mut eaten).await;
        // Through one of ours, since there is no other.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc'";
        sqlx::raw_sql(end).execute(eaten.last_mut().expect("a connection")).await.expect("its sessions end");
        database_is_eaten(database, &mut eaten).await;
    }
    play.fault();
    play.last().await;
    play.notes.push(format!("{} connections are others'", eaten.len()));
    drop(eaten);
    play.over();
    play.audit(&stage.ground).await
}

async fn database_is_eaten(database: &Database, eaten: &mut Vec<PgConnection>) {
    while let Ok(connection) = database.connect().await {
        eaten.push(connection);
    }
}
