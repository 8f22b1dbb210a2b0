use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Why a private PostgreSQL could not be started or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
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
    /// We are root, PostgreSQL refuses to run as root, and there is no other user to run it.
    #[error("PostgreSQL does not run as root, and this machine has neither a user `postgres` nor a user `nobody`")]
    NoUser,
    /// The server's user can reach neither the requested directory nor the one used instead.
    #[error(
        "the user PostgreSQL would run as cannot reach {} (it may not enter {}), nor {} instead: choose another \
         directory, or run as an ordinary user", .dir.display(), .blocked.display(), .fallback.display()
    )]
    Unreachable {
        /// The requested directory.
        dir: PathBuf,
        /// The directory on the way to it that stops the user.
        blocked: PathBuf,
        /// The directory tried instead.
        fallback: PathBuf,
    },
    /// The operating system refused something.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// The refused action, a verb.
        action: &'static str,
        /// The path it concerns.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The directory for the unix socket belongs to another user, or is not a directory.
    #[error("{} cannot hold the server's socket: {reason}; remove it", .path.display())]
    SocketDir {
        /// The directory that was to hold the socket.
        path: PathBuf,
        /// Why it cannot be used.
        reason: &'static str,
    },
    /// Another process has been opening the directory for minutes.
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
        /// Its exit status.
        status: ExitStatus,
        /// The last lines of its output.
        output: String,
    },
    /// The server ended, or was not ready in time, after it was started.
    #[error("PostgreSQL did not start ({reason}); the end of {} is:\n{tail}", .log.display())]
    Start {
        /// Its exit status, or the time it took.
        reason: String,
        /// The file with the server's log.
        log: PathBuf,
        /// The log's last lines.
        tail: String,
    },
}

impl ClusterError {
    /// Returns a closure that converts an [`io::Error`] into a [`ClusterError::Io`].
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_path_buf(), source }
    }
}
