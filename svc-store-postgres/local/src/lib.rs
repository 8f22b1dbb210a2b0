//! A private PostgreSQL from the machine's own binaries, for `svc demo`, tests and examples.
//!
//! A [`Cluster`] is a server with its own data directory, its own unix socket in a directory that
//! only the server's user can enter, no TCP port, the user name `svc` and no password. It downloads
//! and installs nothing, and touches no other server on the machine.
//!
//! * [`Cluster::open`] keeps its data from one run to the next, [`Cluster::ephemeral`] throws it
//!   away.
//! * PostgreSQL refuses to run as root. Started by root, the server runs as the owner of the data
//!   it finds, or else as the user `postgres`, or else as `nobody`. When that user cannot reach the
//!   requested directory (somewhere below `/root`, say), the cluster is placed below `/var/lib/svc`
//!   and a warning says where.
//! * The server never outlives the process that started it: dropping the [`Cluster`] stops it, and
//!   on Linux the kernel stops it when the process is killed. Elsewhere a killed process leaves the
//!   server running, and the next `open` of the same directory attaches to it.
//!
//! Everything but [`Cluster::create_database`] blocks, for up to a second or so; asynchronous
//! callers want `tokio::task::spawn_blocking`. The README compares this with other crates.

#![forbid(unsafe_code)]

mod binaries;
mod command;
mod directory;
mod error;
mod initdb;
#[cfg(all(test, target_os = "linux"))]
mod kill_tests;
mod logfile;
mod pidfile;
mod scratch;
mod server;
#[cfg(test)]
mod tests;
mod user;

use std::fs;
use std::path::{Path, PathBuf};

use sqlx::error::DatabaseError;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use self::binaries::Binaries;
use self::directory::Lock;
pub use self::error::ClusterError;
use self::pidfile::Address;
use self::scratch::Scratch;
use self::server::{Server, ServerConfig};
use self::user::ServerUser;

/// A private PostgreSQL server that is running.
///
/// Dropping it stops the server, if this started it (see [`Cluster::is_owner`]): the server rolls
/// back open transactions and closes sessions ("fast" shutdown); after ten seconds it is killed.
/// Dropping blocks until the server is gone; [`Cluster::stop`] does the same and reports failures.
#[derive(Debug)]
pub struct Cluster {
    // Field order is drop order: the server goes before the directory it works in.
    server: Option<Server>,
    address: Address,
    dir: PathBuf,
    _scratch: Option<Scratch>,
}

/// The superuser of every cluster made here.
const SUPERUSER: &str = "svc";

/// Holds durable clusters whose requested directory the server's user cannot reach.
const FALLBACK: &str = "/var/lib/svc";

impl Cluster {
    /// Opens the durable cluster in `dir` and starts its server; creates whatever is missing.
    ///
    /// The data lives in the subdirectory `cluster`, the server's log in `postgres.log`. When
    /// another process already runs a server on this directory, the returned cluster is attached to
    /// that server: it does not stop it, and loses it when its owner stops it.
    ///
    /// # Errors
    ///
    /// Any [`ClusterError`]: without PostgreSQL on the machine [`ClusterError::NoBinaries`], and
    /// when the server does not come up [`ClusterError::Start`] with the last lines of its log.
    pub fn open(dir: &Path) -> Result<Self, ClusterError> {
        let requested = directory::absolute(dir)?;
        let dir = Self::location(&requested)?;
        if dir != requested {
            tracing::warn!(
                asked = %requested.display(),
                instead = %dir.display(),
                "PostgreSQL does not run as root and its user cannot enter the directory asked for; the cluster is placed elsewhere"
            );
        }
        let user = ServerUser::for_cluster(&dir)?;
        directory::create(&dir, &user)?;
        let lock = Lock::wait(&dir, &user)?;
        let (server, address) = if let Some(address) = pidfile::running_server(&dir.join("cluster"))? {
            (None, address)
        } else {
            let binaries = Binaries::find()?;
            initdb::ensure(&binaries, &dir, &user, true)?;
            let sockets = directory::create_socket_dir(&dir, &user)?;
            let config = ServerConfig {
                binaries: &binaries,
                dir: &dir,
                sockets: &sockets,
                user: &user,
                durable: true,
                settings: &[],
            };
            let (server, address) = Server::start(&config).inspect_err(|_| {
                // A failed server leaves it, since we hold the lock. A running server keeps it.
                let _ = fs::remove_dir(&sockets);
            })?;
            (Some(server), address)
        };
        drop(lock);
        Ok(Self { server, address, dir, _scratch: None })
    }

    /// Returns the directory in which [`Cluster::open`] finds or creates the cluster: `dir` made
    /// absolute, or the one used instead.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Unreachable`] when there is none, [`ClusterError::Io`].
    pub fn location(dir: &Path) -> Result<PathBuf, ClusterError> {
        let requested = directory::absolute(dir)?;
        let user = ServerUser::for_cluster(&requested)?;
        directory::reachable(&requested, &user, Path::new(FALLBACK))
    }

    /// Starts a throw-away cluster in a new temporary directory.
    ///
    /// The server trades safety for speed (`fsync`, `synchronous_commit` and `full_page_writes` are
    /// off) and preloads `pg_stat_statements` where the machine has it (`CREATE EXTENSION` is up to
    /// the caller). The directory is removed when the cluster is dropped, and also when the process
    /// is killed or ends without dropping it. Directories that remained nevertheless are removed
    /// first.
    ///
    /// # Errors
    ///
    /// Any [`ClusterError`] but [`ClusterError::Busy`] and [`ClusterError::Locked`].
    pub fn ephemeral() -> Result<Self, ClusterError> {
        Self::ephemeral_with(&[])
    }

    /// Starts a throw-away cluster with these server settings, `name=value`, which override its
    /// own.
    ///
    /// # Errors
    ///
    /// Those of [`Cluster::ephemeral`].
    pub fn ephemeral_with(settings: &[&str]) -> Result<Self, ClusterError> {
        let binaries = Binaries::find()?;
        let user = ServerUser::for_new()?;
        scratch::sweep();
        let scratch = Scratch::create(&user)?;
        let dir = scratch.path().to_path_buf();
        initdb::ensure(&binaries, &dir, &user, false)?;
        let config =
            ServerConfig { binaries: &binaries, dir: &dir, sockets: &dir, user: &user, durable: false, settings };
        let (server, address) = Server::start(&config)?;
        Ok(Self { server: Some(server), address, dir, _scratch: Some(scratch) })
    }

    /// Returns options that connect to `database` through the unix socket as the superuser `svc`.
    ///
    /// They ignore `PGHOST`, `PGUSER`, `PGSSLMODE` and the like in the environment, but not
    /// `PGOPTIONS` and `PGAPPNAME`.
    pub fn options(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .host(&self.address.dir.to_string_lossy())
            .socket(&self.address.dir)
            .port(self.address.port)
            .username(SUPERUSER)
            .ssl_mode(PgSslMode::Disable)
            .database(database)
    }

    /// Returns whether this started the server, and so stops it; `false` when it is attached to a
    /// server of another process.
    pub fn is_owner(&self) -> bool {
        self.server.is_some()
    }

    /// Returns the cluster's directory: the requested one made absolute, or the one used instead.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Creates the database `name`, unless it exists.
    ///
    /// The name is an ASCII letter or underscore, then letters, digits and underscores, 63 at most.
    /// Case matters.
    ///
    /// # Errors
    ///
    /// [`sqlx::Error::Configuration`] when `name` is not such an identifier, otherwise the error of
    /// the connection or of the server.
    pub async fn create_database(&self, name: &str) -> Result<(), sqlx::Error> {
        if !is_identifier(name) {
            return Err(sqlx::Error::Configuration(format!("{name:?} cannot be the name of a database").into()));
        }
        let mut connection = self.options("postgres").connect().await?;
        let created = sqlx::query(AssertSqlSafe(format!("CREATE DATABASE \"{name}\""))).execute(&mut connection).await;
        let closed = connection.close().await;
        match created {
            Ok(_) => closed,
            Err(error) if is_duplicate(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Stops the server, if this started it, waits until it is gone, and removes the directory of a
    /// throw-away cluster.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Io`] when the server could not be stopped, even by force.
    pub fn stop(mut self) -> Result<(), ClusterError> {
        self.server.take().map_or(Ok(()), Server::stop)
    }
}

fn is_identifier(name: &str) -> bool {
    name.len() <= 63
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Recognizes both errors of an existing database: 42P04, and 23505 when two sessions create it at
/// the same time and collide in the catalog's unique index.
fn is_duplicate(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    matches!(code.as_deref(), Some("42P04" | "23505"))
}
