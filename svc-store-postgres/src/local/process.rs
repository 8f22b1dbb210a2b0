use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::binaries::Binaries;
use super::identity::Identity;
use super::logfile::Log;
use super::pidfile::{Address, PATIENCE, PidFile};
use super::place::Lock;
use super::{LocalError, initdb};

/// The number in the name of the socket; there is no TCP port.
const PORT: u16 = 5432;

/// The signals that stop a server, each with the time it gets: roll back and leave in order, leave at once, be killed.
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
}

/// A server we started; stopped when this is dropped.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    /// Dropping it lets the keeper go.
    release: Option<Sender<()>>,
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
                // The sessions of a server that was killed take a moment to notice.
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
        // What is thrown away need not be written down first.
        let when_we_die = if spec.durable { Signal::SIGINT } else { Signal::SIGQUIT };
        let mut command = bound(&program, spec.who, when_we_die);
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
        // Without it this has been done.
        let Some(release) = self.release.take() else { return Ok(()) };
        let ended = self.end();
        drop(release);
        if let Some(keeper) = self.keeper.take()
            && ended.is_ok()
        {
            // It does nothing that could panic.
            let _ = keeper.join();
        }
        // Under the lock, so that it is not taken from under a process that is about to start the next server; should
        // one be at it, it needs the directory anyway.
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
            // The process is a child that was not waited for, so the number is still its own.
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
        // Nobody replicates it, and what is thrown away soon needs no gigabyte of log.
        settings.extend(["wal_level=minimal", "max_wal_senders=0", "min_wal_size=32MB", "max_wal_size=64MB"]);
        if spec.binaries.has_library("pg_stat_statements") {
            settings.push("shared_preload_libraries=pg_stat_statements");
            // Hundreds of databases ask hundreds of statements: none may be forgotten while somebody counts.
            settings.push("pg_stat_statements.max=100000");
            // Older servers do not know it and would not start.
            if initdb::version(&cluster) >= 14 {
                settings.push("compute_query_id=auto");
            }
        }
    }
    let mut arguments = vec!["-D".into(), cluster.into_os_string()];
    for setting in settings.into_iter().map(OsString::from).chain([sockets]) {
        arguments.extend(["-c".into(), setting]);
    }
    arguments
}

/// A command for one of PostgreSQL's programs: it runs as `who`, gets `signal` when we die, and nothing from our
/// terminal, as a Ctrl-C there is for us, who stop it when we no longer need it.
pub(super) fn bound(program: &Path, who: &Identity, signal: Signal) -> Command {
    let mut command = Command::new(program);
    who.become_in(&mut command);
    // Our own directory may be closed to `who`, and theirs are all absolute.
    command.current_dir("/").stdin(Stdio::null()).process_group(0);
    // What a user sets for psql (PGDATA, PGPORT, PGOPTIONS, …) would change the server too.
    let theirs = env::vars_os().map(|(name, _)| name).filter(|name| name.as_encoded_bytes().starts_with(b"PG"));
    for name in theirs {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C");
    #[cfg(target_os = "linux")]
    die_with_us(&mut command, signal);
    #[cfg(not(target_os = "linux"))]
    let _ = signal;
    command
}

#[cfg(target_os = "linux")]
fn die_with_us(command: &mut Command, signal: Signal) {
    let us = Pid::this();
    let bind = move || {
        nix::sys::prctl::set_pdeathsig(signal)?;
        // Had we died before that call, the signal would never come.
        if nix::unistd::getppid() == us { Ok(()) } else { Err(nix::errno::Errno::ESRCH.into()) }
    };
    // SAFETY: between fork and exec only async-signal-safe calls are allowed, as another thread may have held any lock
    // at the fork. The closure makes two system calls, prctl and getppid, and neither allocates nor locks, also when it
    // makes its error, which is just a number. It runs after the change of user, which would clear the setting.
    unsafe {
        command.pre_exec(bind);
    }
}
