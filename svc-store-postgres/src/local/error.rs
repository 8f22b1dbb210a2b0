use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Why a private PostgreSQL could not be started or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// The machine has no PostgreSQL server, or it is in no usual place.
    #[error(
        "no PostgreSQL server was found on this machine: install one (e.g. `apt-get install postgresql`), or point \
         SVC_PG_BIN at the directory of its `postgres` and `initdb`, or set DATABASE_URL to a running server"
    )]
    NoBinaries,
    /// `SVC_PG_BIN` names a directory without the binaries.
    #[error(
        "SVC_PG_BIN is {} but that directory does not hold `postgres` and `initdb`: install PostgreSQL (e.g. \
         `apt-get install postgresql`), or point SVC_PG_BIN at its binaries, or set DATABASE_URL to a running server",
        .0.display()
    )]
    BadBinaries(PathBuf),
    /// We are root, PostgreSQL refuses to run as root, and there is no other user to run it as.
    #[error("PostgreSQL does not run as root, and this machine has neither a user `postgres` nor a user `nobody`")]
    NoUser,
    /// The user the server runs as can reach neither the requested directory nor the place used instead.
    #[error(
        "the user PostgreSQL would run as cannot reach {} (it may not enter {}), nor {} instead: choose another \
         directory, or run as an ordinary user", .dir.display(), .blocked.display(), .fallback.display()
    )]
    Unreachable {
        /// The requested directory.
        dir: PathBuf,
        /// The directory on the way to it that stops the user.
        blocked: PathBuf,
        /// The place tried instead.
        fallback: PathBuf,
    },
    /// The operating system refused something.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// What it was tried on.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The directory for the unix socket belongs to another user, or is not a directory.
    #[error("{} cannot hold the server's socket: {reason}; remove it", .path.display())]
    SocketDir {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Another process kept the directory locked for minutes while opening it.
    #[error("another process has been opening {} for too long", .0.display())]
    Locked(PathBuf),
    /// A server holds the cluster but neither answers nor stops.
    #[error("process {pid} holds the cluster {} but does not answer on its socket", .cluster.display())]
    Busy {
        /// The server's process id.
        pid: i32,
        /// The data directory.
        cluster: PathBuf,
    },
    /// `initdb` failed.
    #[error("initdb failed ({status}):\n{output}")]
    Init {
        /// How it ended.
        status: ExitStatus,
        /// The last lines it wrote.
        output: String,
    },
    /// The server ended, or was not ready in time, after it was started.
    #[error("PostgreSQL did not start ({reason}); the end of {} is:\n{tail}", .log.display())]
    Start {
        /// What happened instead.
        reason: String,
        /// The server's log.
        log: PathBuf,
        /// The last lines of it.
        tail: String,
    },
    /// The server did not end, even when killed.
    #[error("the PostgreSQL server, process {0}, does not end")]
    Stuck(i32),
}

impl LocalError {
    /// Gives the closure that converts an [`io::Error`] into a [`LocalError::Io`].
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_path_buf(), source }
    }
}
