//! A durable PostgreSQL for one fault: acknowledged writes are on disk, and its processes may be
//! killed.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _};
use svc_local_postgres::Cluster;
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// The database that the server uses.
pub(crate) const NAME: &str = "svc";

/// A script that runs a server until standard input ends, which happens however this process ends.
const WATCH: &str = r#""$@" & server=$!; cat >/dev/null; kill -QUIT "$server"; wait "$server""#;

/// A PostgreSQL of its own, in a directory of its own.
pub(crate) struct Database {
    // Stops before its directory is removed.
    cluster: Option<Cluster>,
    standby: Option<Standby>,
    /// The address of the current server.
    options: PgConnectOptions,
    dir: TempDir,
}

/// A second server that follows the first.
struct Standby {
    watcher: Child,
    options: PgConnectOptions,
}

impl Database {
    /// A new one, with an empty database.
    pub(crate) async fn create() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        // Started by root, the server runs as another user.
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).expect("permissions");
        let cluster = open(dir.path().join("data")).await;
        cluster.create_database(NAME).await.expect("a database");
        Self { options: cluster.options(NAME), cluster: Some(cluster), standby: None, dir }
    }

    /// A directory that is removed with it.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The socket of the current server.
    pub(crate) fn socket(&self) -> PathBuf {
        socket(&self.options)
    }

    /// A direct connection, past everything in front of the database.
    pub(crate) async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        self.options.connect().await
    }

    /// How such connections are opened.
    pub(crate) fn options(&self) -> &PgConnectOptions {
        &self.options
    }

    /// Runs a statement, each time on a connection of its own.
    pub(crate) async fn run(&self, statement: &str) {
        let mut connection = self.connect().await.expect("a connection");
        let statement = AssertSqlSafe(statement.to_owned());
        sqlx::raw_sql(statement).execute(&mut connection).await.expect("the statement runs");
    }

    pub(crate) async fn value<T>(&self, statement: &str) -> T
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        let mut connection = self.connect().await.expect("a connection");
        let statement = AssertSqlSafe(statement.to_owned());
        sqlx::query_scalar(statement).fetch_one(&mut connection).await.expect("a value")
    }

    /// Kills its first process (SIGKILL), and so all of them.
    pub(crate) fn kill(&self) {
        let dir = self.cluster.as_ref().expect("it runs").dir().join("cluster");
        let file = fs::read_to_string(dir.join("postmaster.pid")).expect("a server runs");
        let pid = file.lines().next().and_then(|line| line.parse().ok()).expect("a process id");
        kill(Pid::from_raw(pid), Signal::SIGKILL).expect("it is killed");
    }

    /// Starts it again after a kill.
    pub(crate) async fn start_again(&mut self) {
        let dead = self.cluster.take();
        self.cluster = Some(open(self.dir.path().join("data")).await);
        drop(spawn_blocking(move || drop(dead)).await);
    }

    /// A standby that follows it; from now on every acknowledged write is also on the standby.
    pub(crate) async fn follow(&mut self) {
        let binaries: String = self.value("SELECT setting FROM pg_config() WHERE name = 'BINDIR'").await;
        let primary = self.cluster.as_ref().expect("it runs").dir().join("cluster");
        let owner = fs::metadata(&primary).expect("the data");
        let (dir, sockets) = (self.dir.path().join("standby"), self.dir.path().join("sockets"));
        for made in [&dir, &sockets] {
            fs::create_dir(made).expect("a directory");
            fs::set_permissions(made, Permissions::from_mode(0o700)).expect("permissions");
            std::os::unix::fs::chown(made, Some(owner.uid()), Some(owner.gid())).expect("an owner");
        }
        let program = |name: &str| Path::new(&binaries).join(name).to_string_lossy().into_owned();
        let command = |name: &str| {
            let mut command = Command::new(name);
            command.uid(owner.uid()).gid(owner.gid()).current_dir("/").env("LC_ALL", "C").stdin(Stdio::null());
            command
        };
        let mut copy = command(&program("pg_basebackup"));
        copy.arg("-h").arg(self.options.get_socket().expect("a socket")).args([
            "-p",
            &self.options.get_port().to_string(),
            "-U",
            "svc",
            "-R",
        ]);
        copy.args(["-c", "fast", "-X", "stream", "-D"]).arg(&dir);
        let copied = spawn_blocking(move || copy.output()).await.expect("no panic").expect("pg_basebackup");
        assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
        let mut watcher = command("sh");
        watcher.args(["-c", WATCH, "sh", &program("postgres"), "-D"]).arg(&dir).args(["-c", "listen_addresses="]);
        watcher
            .arg("-c")
            .arg(format!("unix_socket_directories={}", sockets.display()))
            .args(["-c", "max_connections=200"]);
        watcher.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let watcher = watcher.spawn().expect("a server");
        let options = self.options.clone().host(&sockets.to_string_lossy()).socket(&sockets);
        self.standby = Some(Standby { watcher, options });
        self.run("ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        self.run("SELECT pg_reload_conf()").await;
        self.wait("SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'").await;
    }

    /// Makes the standby the current server; returns its socket.
    pub(crate) async fn promote(&mut self) -> PathBuf {
        self.options = self.standby.as_ref().expect("a standby").options.clone();
        self.run("SELECT pg_promote(false)").await;
        self.socket()
    }

    /// Waits until a condition holds.
    pub(crate) async fn wait(&self, condition: &str) {
        let began = Instant::now();
        while !self.value::<bool>(condition).await {
            assert!(began.elapsed() < Duration::from_secs(30), "{condition}");
            sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(Standby { watcher, .. }) = &mut self.standby {
            drop(watcher.stdin.take());
            let _ = watcher.wait();
        }
    }
}

fn socket(options: &PgConnectOptions) -> PathBuf {
    options.get_socket().expect("a socket").join(format!(".s.PGSQL.{}", options.get_port()))
}

async fn open(dir: PathBuf) -> Cluster {
    spawn_blocking(move || Cluster::open(&dir)).await.expect("no panic").map_err(io::Error::other).expect("PostgreSQL")
}
