use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use process_guard::{ProcessGuard, ShutdownPolicy};

use super::binaries::Binaries;
use super::command::command;
use super::directory::Lock;
use super::logfile::Log;
use super::pidfile::{Address, PidFile, TIMEOUT};
use super::user::ServerUser;
use super::{ClusterError, initdb};

/// A server that we started; dropping it stops it.
#[derive(Debug)]
pub(super) struct Server {
    guard: ProcessGuard,
    keeper: Keeper,
    dir: PathBuf,
    sockets: PathBuf,
    user: ServerUser,
}

/// The number in the name of the socket; there is no TCP port.
const PORT: u16 = 5432;

/// A "fast" shutdown, then a kill.
const SHUTDOWN: ShutdownPolicy = ShutdownPolicy::Graceful {
    signal: Signal::SIGINT,
    grace_time: Duration::from_secs(10),
    force_time: Duration::from_secs(5),
};

pub(super) struct ServerConfig<'a> {
    pub(super) binaries: &'a Binaries,
    /// Holds the data directory `cluster`, and the log.
    pub(super) dir: &'a Path,
    pub(super) sockets: &'a Path,
    pub(super) user: &'a ServerUser,
    pub(super) durable: bool,
    /// Override those that are set here.
    pub(super) settings: &'a [&'a str],
}

impl Server {
    /// Starts the server and waits until it answers.
    pub(super) fn start(config: &ServerConfig<'_>) -> Result<(Self, Address), ClusterError> {
        let started = Instant::now();
        loop {
            match Self::attempt(config) {
                // The sessions of a killed server take a moment to end.
                Err(ClusterError::Start { tail, .. })
                    if tail.contains("shared memory block") && started.elapsed() < Duration::from_secs(5) =>
                {
                    sleep(Duration::from_millis(100));
                }
                result => return result,
            }
        }
    }

    fn attempt(config: &ServerConfig<'_>) -> Result<(Self, Address), ClusterError> {
        let (log, stdout) = Log::open(config.dir, config.user)?;
        let stderr = stdout.try_clone().map_err(ClusterError::io("open the log in", config.dir))?;
        let program = config.binaries.postgres();
        // A throw-away cluster needs no checkpoint.
        let death_signal = if config.durable { Signal::SIGINT } else { Signal::SIGQUIT };
        let mut command = command(&program, config.user, death_signal);
        command.args(arguments(config)).stdout(stdout).stderr(stderr);
        let (mut child, keeper) = Keeper::spawn(command).map_err(ClusterError::io("run", &program))?;
        let address = Address { dir: config.sockets.to_path_buf(), port: PORT };
        let ready = wait_until_ready(&mut child, &config.dir.join("cluster"), &address, &log);
        let server = Self {
            guard: ProcessGuard::with_policy(child, SHUTDOWN),
            keeper,
            dir: config.dir.to_path_buf(),
            sockets: config.sockets.to_path_buf(),
            user: *config.user,
        };
        ready.map(|()| (server, address))
    }

    /// Stops the server and waits until it is gone.
    pub(super) fn stop(mut self) -> Result<(), ClusterError> {
        self.shutdown()
    }

    fn shutdown(&mut self) -> Result<(), ClusterError> {
        let stopped =
            self.guard.shutdown().map_err(|error| ClusterError::io("stop the server in", &self.dir)(error.into()))?;
        if stopped.is_none() {
            return Ok(());
        }
        self.keeper.end();
        // The lock keeps the directory for a process that is starting the next server.
        if self.sockets != self.dir
            && let Ok(Some(_lock)) = Lock::attempt(&self.dir, &self.user)
        {
            let _ = fs::remove_dir(&self.sockets);
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.shutdown() {
            tracing::warn!(%error, "a private PostgreSQL server could not be stopped");
        }
    }
}

/// The thread that spawned the server and lives until it is gone, since the kernel signals a child
/// when the *thread* that spawned it ends.
#[derive(Debug)]
struct Keeper {
    /// Dropping it ends the thread.
    release: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    fn spawn(mut command: Command) -> io::Result<(Child, Self)> {
        let (send, receive) = channel();
        let (release, released) = channel::<()>();
        let thread = thread::Builder::new().name("svc-postgres".into()).spawn(move || {
            if send.send(command.spawn()).is_ok() {
                // Nothing is ever sent: it returns when the other side is dropped.
                let _ = released.recv();
            }
        })?;
        let child = receive.recv().map_err(|_| io::Error::other("the thread that starts it ended"))??;
        Ok((child, Self { release: Some(release), thread: Some(thread) }))
    }

    fn end(&mut self) {
        drop(self.release.take());
        if let Some(thread) = self.thread.take() {
            // The thread does nothing that could panic.
            let _ = thread.join();
        }
    }
}

fn wait_until_ready(child: &mut Child, cluster: &Path, address: &Address, log: &Log) -> Result<(), ClusterError> {
    let pid = child.id() as i32;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(ClusterError::io("wait for", cluster))? {
            return Err(log.failure(status.to_string()));
        }
        if let Some(Ok(file)) = PidFile::read(cluster)?
            && file.pid == pid
            && file.ready
            && address.answers()
        {
            return Ok(());
        }
        if started.elapsed() > TIMEOUT {
            return Err(log.failure(format!("it was not ready after {} seconds", TIMEOUT.as_secs())));
        }
        sleep(Duration::from_millis(10));
    }
}

fn arguments(config: &ServerConfig<'_>) -> Vec<OsString> {
    let cluster = config.dir.join("cluster");
    let mut sockets = OsString::from("unix_socket_directories=");
    sockets.push(config.sockets);
    let port = format!("port={PORT}");
    let mut settings = vec!["listen_addresses=", &port, "max_connections=200", "shared_buffers=128MB"];
    // Details of errors show rows' values, which belong in no log.
    settings.push("log_error_verbosity=terse");
    if config.durable {
        settings.push("synchronous_commit=on");
    } else {
        settings.extend(["fsync=off", "synchronous_commit=off", "full_page_writes=off"]);
        // No replica reads it, and a throw-away cluster needs no gigabyte of WAL.
        settings.extend(["wal_level=minimal", "max_wal_senders=0", "min_wal_size=32MB", "max_wal_size=64MB"]);
        if config.binaries.has_library("pg_stat_statements") {
            settings.push("shared_preload_libraries=pg_stat_statements");
            // Hundreds of databases run hundreds of statements each, and none may be evicted while
            // a test counts them.
            settings.push("pg_stat_statements.max=100000");
            // Older servers do not know it and would not start.
            if initdb::major_version(&cluster) >= 14 {
                settings.push("compute_query_id=auto");
            }
        }
    }
    settings.extend(config.settings);
    let mut arguments = vec!["-D".into(), cluster.into_os_string()];
    for setting in settings.into_iter().map(OsString::from).chain([sockets]) {
        arguments.extend(["-c".into(), setting]);
    }
    arguments
}
