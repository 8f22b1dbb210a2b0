//! Faults of the database server.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use tokio::time::{Duration, sleep};

use crate::database::NAME;
use crate::figures::Figures;
use crate::stage::{Ground, Pace, Stage};

/// Killed during writes and started again, as often as the pace says; the last time is measured.
pub(super) async fn killed(pace: Pace) -> Figures {
    let mut stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    for kill in 1..=pace.kills {
        stage.ground.database.kill();
        sleep(Duration::from_secs(1)).await;
        play.over();
        stage.ground.database.start_again().await;
        if kill < pace.kills {
            sleep(Duration::from_secs(2)).await;
        }
    }
    play.notes.push(format!("killed {} times; recovery counts from the command that starts it", pace.kills));
    play.audit(&stage.ground).await
}

/// Like a primary that was demoted while sessions were open.
pub(super) async fn read_only(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let database = &stage.ground.database;
    database.run("ALTER SYSTEM SET default_transaction_read_only = on").await;
    database.run("SELECT pg_reload_conf()").await;
    play.last().await;
    database.run("ALTER SYSTEM RESET default_transaction_read_only").await;
    database.run("SELECT pg_reload_conf()").await;
    play.over();
    play.audit(&stage.ground).await
}

/// The primary is killed, its synchronous standby promoted, and the name moved to it.
pub(super) async fn promoted_standby(pace: Pace) -> Figures {
    let mut stage = Stage::new().await;
    stage.ground.database.follow().await;
    let mut play = stage.calm(pace).await;
    stage.ground.database.kill();
    sleep(Duration::from_secs(2)).await;
    play.over();
    let socket = stage.ground.database.promote().await;
    stage.ground.forwarder.lead_to(socket);
    play.notes.push("recovery counts from the command that promotes it".to_owned());
    play.audit(&stage.ground).await
}

/// The tables are on a small disk that something else fills.
pub(super) async fn full_disk(pace: Pace) -> Figures {
    let ground = Ground::new().await;
    let disk = Disk::mount(ground.database.dir());
    let injected = disk.is_none();
    match &disk {
        Some(disk) => {
            ground.database.run(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.space().display())).await;
            let mut admin = sqlx::ConnectOptions::connect(&ground.database.options().clone().database("postgres"))
                .await
                .expect("a connection");
            let moved = sqlx::AssertSqlSafe(format!("ALTER DATABASE {NAME} SET TABLESPACE small"));
            sqlx::raw_sql(moved).execute(&mut admin).await.expect("the tables move");
        }
        None => ground.database.run(REFUSAL).await,
    }
    let stage = Stage::on(ground).await;
    let mut play = stage.calm(pace).await;
    match &disk {
        Some(disk) => disk.fill(),
        None => {
            stage
                .ground
                .database
                .run("CREATE TRIGGER full_disk BEFORE INSERT ON clientes EXECUTE FUNCTION full_disk()")
                .await;
        }
    }
    play.last().await;
    match &disk {
        Some(disk) => disk.clear(),
        None => stage.ground.database.run("DROP TRIGGER full_disk ON clientes").await,
    }
    play.over();
    if injected {
        play.notes.push("no disk could be mounted here: the error 53100 is made up by a trigger".to_owned());
    }
    let figures = play.audit(&stage.ground).await;
    // The server releases the disk before it is unmounted.
    drop(stage);
    drop(disk);
    figures
}

/// PostgreSQL's error on a full disk, where no disk can be filled.
const REFUSAL: &str = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                           RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$";

/// A fixed-size disk in memory; dropping this unmounts it.
struct Disk(PathBuf);

impl Disk {
    /// None if this process may not mount.
    fn mount(beside: &Path) -> Option<Self> {
        let dir = tempfile::Builder::new().prefix("svc-disk").tempdir().ok()?.keep();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=96m", "tmpfs"]).arg(&dir).output();
        if !mounted.is_ok_and(|mounted| mounted.status.success()) {
            let _ = fs::remove_dir(&dir);
            return None;
        }
        let disk = Self(dir);
        let owner = fs::metadata(beside.join("data/cluster")).expect("the data");
        fs::set_permissions(&disk.0, Permissions::from_mode(0o755)).expect("permissions");
        fs::create_dir(disk.space()).expect("a directory");
        fs::set_permissions(disk.space(), Permissions::from_mode(0o700)).expect("permissions");
        std::os::unix::fs::chown(disk.space(), Some(owner.uid()), Some(owner.gid())).expect("an owner");
        Some(disk)
    }

    fn space(&self) -> PathBuf {
        self.0.join("space")
    }

    /// Fills the disk to the last byte.
    fn fill(&self) {
        let filling =
            std::io::copy(&mut std::io::repeat(0), &mut fs::File::create(self.0.join("filling")).expect("a file"));
        assert_eq!(filling.expect_err("it is full").kind(), std::io::ErrorKind::StorageFull);
    }

    fn clear(&self) {
        fs::remove_file(self.0.join("filling")).expect("it is removed");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
        let _ = fs::remove_dir(&self.0);
    }
}
