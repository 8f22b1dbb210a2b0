use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::binaries::Binaries;
use super::command::command;
use super::identity::Identity;
use super::logfile::Log;
use super::pidfile::{Address, PATIENCE, PidFile};
use super::place::Lock;
use super::{LocalError, initdb};

/// The number in the name of the socket; there is no TCP port.
const PORT: u16 = 5432;

/// The signals that stop a server, each with the time it gets: fast shutdown, immediate shutdown, kill.
const STOP: [(Signal, Duration); 3] = [
    (Signal::SIGINT, Duration::from_secs(10)),
    (Signal::SIGQUIT, Duration::from_secs(5)),
    (Signal::SIGKILL, Duration::from_secs(5)),
];

/// What to start.
pub(super) struct Spec<'a> {
    pub(super) binaries: &'a Binaries,
    /// The directory that holds the data directory `cluster`, and the log.
    pub(super) dir: &'a Path,
    /// The directory for the socket.
    pub(super) sockets: &'a Path,
    pub(super) who: &'a Identity,
    pub(super) durable: bool,
    /// Further settings.
    pub(super) more: &'a [&'a str],
}

/// A server we started; stopped when this is dropped.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    /// Dropping it ends the keeper thread.
    release: Option<Sender<()>>,
    /// The thread that started the child, see [`Server::spawn`].
    keeper: Option<JoinHandle<()>>,
    dir: PathBuf,
    sockets: PathBuf,
    who: Identity,
}

impl Server {
    /// Starts the server and waits until it answers.
    pub(super) fn start(spec: &Spec<'_>) -> Result<(Self, Address), LocalError> {
        let started = Instant::now();
        loop {
            match Self::attempt(spec) {
                // The sessions of a server that was killed take a moment to end.
                Err(LocalError::Start { tail, .. })
                    if tail.contains("shared memory block") && started.elapsed() < Duration::from_secs(5) =>
                {
                    sleep(Duration::from_millis(100));
                }
                ended => return ended,
            }
        }
    }

    fn attempt(spec: &Spec<'_>) -> Result<(Self, Address), LocalError> {
        let (log, file) = Log::open(spec.dir, spec.who)?;
        let again = file.try_clone().map_err(LocalError::io("open the log in", spec.dir))?;
        let program = spec.binaries.postgres();
        // A scratch cluster is thrown away: it needs no checkpoint.
        let when_we_die = if spec.durable { Signal::SIGINT } else { Signal::SIGQUIT };
        let mut command = command(&program, spec.who, when_we_die);
        command.args(arguments(spec)).stdout(file).stderr(again);
        let mut server = Self::spawn(command, spec).map_err(LocalError::io("run", &program))?;
        let address = server.ready(&spec.dir.join("cluster"), &log)?;
        Ok((server, address))
    }

    /// Starts the process from a thread that lives until the server is gone, since the kernel signals a child when the
    /// *thread* that made it ends.
    fn spawn(mut command: Command, spec: &Spec<'_>) -> std::io::Result<Self> {
        let (send, receive) = channel();
        let (release, released) = channel::<()>();
        let keeper = thread::Builder::new().name("svc-postgres".into()).spawn(move || {
            if send.send(command.spawn()).is_ok() {
                // Ends when the other side is dropped; nothing is ever sent.
                let _ = released.recv();
            }
        })?;
        let child = receive.recv().map_err(|_| std::io::Error::other("the thread that starts it ended"))??;
        let (dir, sockets) = (spec.dir.to_path_buf(), spec.sockets.to_path_buf());
        Ok(Self { child, release: Some(release), keeper: Some(keeper), dir, sockets, who: *spec.who })
    }

    fn ready(&mut self, cluster: &Path, log: &Log) -> Result<Address, LocalError> {
        let pid = self.pid();
        let address = Address { dir: self.sockets.clone(), port: PORT };
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().map_err(LocalError::io("wait for", cluster))? {
                return Err(log.failure(status.to_string()));
            }
            if let Some(Ok(file)) = PidFile::read(cluster)?
                && file.pid == pid
                && file.ready
                && address.answers()
            {
                return Ok(address);
            }
            if started.elapsed() > PATIENCE {
                return Err(log.failure(format!("it was not ready after {} seconds", PATIENCE.as_secs())));
            }
            sleep(Duration::from_millis(10));
        }
    }

    fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Stops the server and waits until it is gone.
    pub(super) fn stop(mut self) -> Result<(), LocalError> {
        self.halt()
    }

    fn halt(&mut self) -> Result<(), LocalError> {
        // Already stopped.
        let Some(release) = self.release.take() else { return Ok(()) };
        let ended = self.end();
        drop(release);
        if let Some(keeper) = self.keeper.take()
            && ended.is_ok()
        {
            // It does nothing that could panic.
            let _ = keeper.join();
        }
        // Under the lock: a process that is starting the next server needs the directory.
        if self.sockets != self.dir
            && let Ok(Some(_lock)) = Lock::attempt(&self.dir, &self.who)
        {
            let _ = fs::remove_dir(&self.sockets);
        }
        ended
    }

    fn end(&mut self) -> Result<(), LocalError> {
        let pid = self.pid();
        for (signal, time) in STOP {
            if self.gone()?.is_some() {
                return Ok(());
            }
            if signal != Signal::SIGINT {
                tracing::warn!(pid, %signal, "the PostgreSQL server does not stop; trying harder");
            }
            // The process is a child that was not waited for, so the id is still its own.
            kill(Pid::from_raw(pid), signal).map_err(|errno| LocalError::io("stop", &self.dir)(errno.into()))?;
            let sent = Instant::now();
            while sent.elapsed() < time {
                if self.gone()?.is_some() {
                    return Ok(());
                }
                sleep(Duration::from_millis(5));
            }
        }
        Err(LocalError::Stuck(pid))
    }

    fn gone(&mut self) -> Result<Option<ExitStatus>, LocalError> {
        self.child.try_wait().map_err(LocalError::io("wait for the server in", &self.dir))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.halt() {
            tracing::warn!(%error, "a private PostgreSQL server could not be stopped");
        }
    }
}

fn arguments(spec: &Spec<'_>) -> Vec<OsString> {
    let cluster = spec.dir.join("cluster");
    let mut sockets = OsString::from("unix_socket_directories=");
    sockets.push(spec.sockets);
    let port = format!("port={PORT}");
    let mut settings = vec!["listen_addresses=", &port, "max_connections=200", "shared_buffers=128MB"];
    if spec.durable {
        settings.push("synchronous_commit=on");
    } else {
        settings.extend(["fsync=off", "synchronous_commit=off", "full_page_writes=off"]);
        // No replica reads it, and a scratch cluster needs no gigabyte of WAL.
        settings.extend(["wal_level=minimal", "max_wal_senders=0", "min_wal_size=32MB", "max_wal_size=64MB"]);
        if spec.binaries.has_library("pg_stat_statements") {
            settings.push("shared_preload_libraries=pg_stat_statements");
            // Hundreds of databases run hundreds of statements each; none may be evicted while a test counts them.
            settings.push("pg_stat_statements.max=100000");
            // Older servers do not know it and would not start.
            if initdb::version(&cluster) >= 14 {
                settings.push("compute_query_id=auto");
            }
        }
    }
    settings.extend(spec.more);
    let mut arguments = vec!["-D".into(), cluster.into_os_string()];
    for setting in settings.into_iter().map(OsString::from).chain([sockets]) {
        arguments.extend(["-c".into(), setting]);
    }
    arguments
}
