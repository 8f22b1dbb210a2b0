//! A PgBouncer in transaction mode, with few connections to the database.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgSslMode};

/// Connections to each database.
pub const SERVER_CONNECTIONS: u32 = 3;

/// The number in the name of its socket; there is no TCP port.
const PORT: u16 = 6432;

/// A script that runs the pooler until standard input ends, which happens however this process
/// ends.
const WATCH: &str = r#""$0" "$1" & pooler=$!; cat >/dev/null; kill "$pooler""#;

/// A running pooler; dropping this stops it.
#[derive(Debug)]
pub struct PgBouncer {
    child: Child,
    dir: PathBuf,
}

impl PgBouncer {
    /// A pooler in front of the private server whose socket is in `cluster`. If the machine has no
    /// PgBouncer, prints a message past the capture of test output and returns none; with `CI` set
    /// that is an error.
    pub fn start(cluster: &Path) -> Option<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let Some(program) = program() else {
            assert!(std::env::var_os("CI").is_none(), "PgBouncer is missing: sh .ci/pgbouncer installs it");
            let _ = writeln!(io::stderr(), "SKIPPED: a test behind PgBouncer, which is missing (sh .ci/pgbouncer)");
            return None;
        };
        let dir = cluster.join(format!("bouncer-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        let owner = fs::metadata(cluster).expect("the cluster's directory");
        let config = dir.join("pgbouncer.ini");
        fs::create_dir(&dir).expect("a directory");
        fs::write(&config, settings(cluster, &dir)).expect("its settings");
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).expect("permissions");
        let mut command = Command::new("sh");
        command.args(["-c", WATCH]).arg(program).arg(&config).stdin(Stdio::piped()).stdout(Stdio::null());
        command.stderr(fs::File::create(dir.join("stderr")).expect("a log"));
        if fs::metadata(&dir).expect("a directory").uid() != owner.uid() {
            // We are root, and neither server runs as root.
            for path in [&dir, &config] {
                chown(path, Some(owner.uid()), Some(owner.gid())).expect("an owner");
            }
            command.uid(owner.uid()).gid(owner.gid());
        }
        let bouncer = Self { child: command.spawn().expect("a pooler"), dir };
        bouncer.wait();
        Some(bouncer)
    }

    /// Options that connect to `database` through it.
    pub fn options(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .host(&self.dir.to_string_lossy())
            .socket(&self.dir)
            .port(PORT)
            .username("svc")
            .ssl_mode(PgSslMode::Disable)
            .database(database)
    }

    fn wait(&self) {
        let started = Instant::now();
        while !self.dir.join(format!(".s.PGSQL.{PORT}")).exists() {
            let log = || fs::read_to_string(self.dir.join("stderr")).unwrap_or_default();
            assert!(started.elapsed() < Duration::from_secs(20), "the pooler does not start: {}", log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// It accepts only PgBouncer's own startup parameters.
fn settings(cluster: &Path, dir: &Path) -> String {
    let (cluster, dir) = (cluster.display(), dir.display());
    format!(
        "[databases]\n* = host={cluster} port=5432 user=svc\n[pgbouncer]\nauth_type = any\nlisten_addr =\n\
         unix_socket_dir = {dir}\nlisten_port = {PORT}\npool_mode = transaction\n\
         default_pool_size = {SERVER_CONNECTIONS}\nmax_client_conn = 2000\nignore_startup_parameters =\n\
         server_idle_timeout = 2\n"
    )
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    dirs.map(|dir| dir.join("pgbouncer")).find(|program| program.is_file())
}
