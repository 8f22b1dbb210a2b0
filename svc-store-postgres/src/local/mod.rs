//! A private PostgreSQL made of the machine's own binaries, for `svc demo` and for tests.
//!
//! A [`Cluster`] is a server of its own: its own data directory, its own unix socket in a directory only the user it
//! runs as can enter, no TCP port, the user name `svc` and no password. Nothing is downloaded or installed, and no
//! other server on the machine is touched.
//!
//! * [`Cluster::open`] keeps its data from one run to the next, [`Cluster::ephemeral`] throws it away.
//! * PostgreSQL refuses to run as root. Started by root, the server runs as the owner of the data it finds, or else as
//!   the user `postgres`, or else as `nobody`. When that user cannot reach the directory asked for (somewhere below
//!   `/root`, say), the cluster is placed below `/var/lib/svc` and a warning says where.
//! * The server never outlives the process that started it: dropping the [`Cluster`] stops it, and on Linux the kernel
//!   stops it when the process is killed. Elsewhere a killed process leaves the server running, and the next `open` of
//!   the same directory attaches to it.
//!
//! Everything but [`Cluster::create_database`] blocks, for up to a second or so; asynchronous callers want
//! `tokio::task::spawn_blocking`.

mod binaries;
mod command;
mod error;
mod identity;
mod initdb;
#[cfg(all(test, target_os = "linux"))]
mod killed;
mod logfile;
mod pidfile;
mod place;
mod process;
mod scratch;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use sqlx::error::DatabaseError;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use self::binaries::Binaries;
pub use self::error::LocalError;
use self::identity::Identity;
use self::pidfile::Address;
use self::place::Lock;
use self::process::{Server, Spec};
use self::scratch::Scratch;

/// The superuser of every cluster made here.
const USER: &str = "svc";

/// Where a durable cluster goes when the server's user cannot reach the requested directory.
const FALLBACK: &str = "/var/lib/svc";

/// A private PostgreSQL server that is running.
///
/// The server is stopped when this is dropped, if this started it (see [`Cluster::is_owner`]): open transactions are
/// rolled back and sessions closed ("fast" shutdown), then, should that take longer than ten seconds, by force.
/// Dropping blocks until the server is gone; [`Cluster::stop`] does the same and reports what went wrong.
#[derive(Debug)]
pub struct Cluster {
    // Field order is drop order: the server goes before the directory it works in.
    server: Option<Server>,
    address: Address,
    dir: PathBuf,
    _scratch: Option<Scratch>,
}

impl Cluster {
    /// Opens the durable cluster in `dir`, making both when they are missing, and starts its server.
    ///
    /// Takes the directory, absolute or relative to the current one; the data lives in its subdirectory `cluster`, the
    /// server's log in `postgres.log`. When a server already runs on it (another process opened the same directory),
    /// gives a cluster attached to that server, which does not stop it and loses it when its owner stops it.
    ///
    /// # Errors
    ///
    /// Every [`LocalError`]: without PostgreSQL on the machine [`LocalError::NoBinaries`], and when the server does not
    /// come up [`LocalError::Start`] with the last lines of its log.
    pub fn open(dir: &Path) -> Result<Self, LocalError> {
        let wanted = place::absolute(dir)?;
        let mut who = Identity::for_cluster(&wanted)?;
        let dir = place::reachable(&wanted, &who, Path::new(FALLBACK))?;
        if dir != wanted {
            who = Identity::for_cluster(&dir)?;
        }
        place::create(&dir, &who)?;
        let lock = Lock::wait(&dir, &who)?;
        let cluster = dir.join("cluster");
        let running = pidfile::settle(&cluster)?;
        let (server, address) = if let Some(address) = running {
            (None, address)
        } else {
            let binaries = Binaries::find()?;
            initdb::ensure(&binaries, &dir, &who, true)?;
            let sockets = place::socket_dir(&dir, &who)?;
            let spec = Spec { binaries: &binaries, dir: &dir, sockets: &sockets, who: &who, durable: true, more: &[] };
            let (server, address) = Server::start(&spec).inspect_err(|_| {
                // A failed server does not remove it, since the lock is ours here. A server that is still running needs it.
                let _ = fs::remove_dir(&sockets);
            })?;
            (Some(server), address)
        };
        drop(lock);
        Ok(Self { server, address, dir, _scratch: None })
    }

    /// Starts a throw-away cluster in a new temporary directory, which goes when the cluster is dropped.
    ///
    /// Gives a server that trades safety for speed (`fsync`, `synchronous_commit` and `full_page_writes` are off) and
    /// has `pg_stat_statements` preloaded where the machine has it (`CREATE EXTENSION` is up to the caller). The directory
    /// is removed also when the process is killed, or ends without dropping the cluster; any that remained nevertheless are
    /// removed first.
    ///
    /// # Errors
    ///
    /// Every [`LocalError`] but [`LocalError::Busy`] and [`LocalError::Locked`].
    pub fn ephemeral() -> Result<Self, LocalError> {
        Self::ephemeral_with(&[])
    }

    /// The same with these settings of the server's, `name=value`, which win over its own.
    ///
    /// # Errors
    ///
    /// Those of [`Cluster::ephemeral`].
    pub fn ephemeral_with(settings: &[&str]) -> Result<Self, LocalError> {
        let binaries = Binaries::find()?;
        let who = Identity::for_new()?;
        scratch::sweep();
        let scratch = Scratch::create(&who)?;
        let dir = scratch.path().to_path_buf();
        initdb::ensure(&binaries, &dir, &who, false)?;
        let spec = Spec { binaries: &binaries, dir: &dir, sockets: &dir, who: &who, durable: false, more: settings };
        let (server, address) = Server::start(&spec)?;
        Ok(Self { server: Some(server), address, dir, _scratch: Some(scratch) })
    }

    /// Gives the options to connect to `database` on this server: its unix socket and its superuser `svc`.
    ///
    /// The environment's `PGHOST`, `PGUSER`, `PGSSLMODE` and the like do not matter; `PGOPTIONS` and `PGAPPNAME` do.
    pub fn options(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .host(&self.address.dir.to_string_lossy())
            .socket(&self.address.dir)
            .port(self.address.port)
            .username(USER)
            .ssl_mode(PgSslMode::Disable)
            .database(database)
    }

    /// Says whether this started the server, and so stops it; `false` when it attached to a running one.
    pub fn is_owner(&self) -> bool {
        self.server.is_some()
    }

    /// Gives the directory the cluster is in: the one asked for made absolute, or the place used instead of it.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Creates the database `name`, unless it is there already.
    ///
    /// Takes an identifier: an ASCII letter or underscore, then letters, digits and underscores, 63 at most. Case
    /// matters.
    ///
    /// # Errors
    ///
    /// [`sqlx::Error::Configuration`] when `name` is no such identifier, otherwise what the server or the connection to
    /// it says.
    pub async fn create_database(&self, name: &str) -> Result<(), sqlx::Error> {
        if !is_identifier(name) {
            return Err(sqlx::Error::Configuration(format!("{name:?} cannot be the name of a database").into()));
        }
        let mut connection = self.options("postgres").connect().await?;
        let made = sqlx::query(AssertSqlSafe(format!("CREATE DATABASE \"{name}\""))).execute(&mut connection).await;
        let closed = connection.close().await;
        match made {
            Ok(_) => closed,
            Err(error) if is_duplicate(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Stops the server, if this started it, and waits until it is gone; a throw-away cluster's directory goes too.
    ///
    /// # Errors
    ///
    /// [`LocalError::Io`] or [`LocalError::Stuck`] when the server could not be stopped, even by force.
    pub fn stop(mut self) -> Result<(), LocalError> {
        self.server.take().map_or(Ok(()), Server::stop)
    }
}

fn is_identifier(name: &str) -> bool {
    name.len() <= 63
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Two sessions that create one database at the same time meet in the catalog's unique index (23505), not in the
/// check that comes before it (42P04).
fn is_duplicate(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    matches!(code.as_deref(), Some("42P04" | "23505"))
}
