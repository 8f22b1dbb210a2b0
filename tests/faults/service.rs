//! The server itself: `svc serve` as its users run it, on a port that it keeps across restarts.

use std::fs::{File, OpenOptions};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::embedded::UNLIMITED;

/// The option that limits each key's requests a minute.
pub(crate) const RATE: &str = "--rate-per-minute";

/// A free address on this machine.
pub(crate) fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port")
}

/// A server that can be killed and started again.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    url: String,
    log: PathBuf,
    options: Vec<String>,
    child: Option<Child>,
}

impl Service {
    /// Serves the database at that URL with these options and logs to that file.
    pub(crate) async fn start(url: String, log: PathBuf, options: &[&str]) -> Self {
        let options = options.iter().copied().map(str::to_owned).collect();
        let mut service = Self { address: free_address(), url, log, options, child: None };
        service.start_again().await;
        service
    }

    /// Starts it, and waits until it listens.
    pub(crate) async fn start_again(&mut self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
        // The environment of the person who runs this does not apply to it.
        let theirs = std::env::vars_os().map(|(name, _)| name).filter(|name| {
            let name = name.to_string_lossy();
            name.starts_with("SVC_") || name.starts_with("DATABASE_") || name == "PORT" || name == "RUST_LOG"
        });
        for name in theirs {
            command.env_remove(name);
        }
        command.args(["serve", "--listen", &self.address.to_string()]);
        if !self.options.iter().any(|option| option == RATE) {
            command.args([RATE, &UNLIMITED.to_string()]);
        }
        // A receiver on this machine gets the notices.
        command.args(["--webhook-allow-nets", "127.0.0.0/8,::1"]).args(&self.options).env("DATABASE_URL", &self.url);
        let log: File = OpenOptions::new().create(true).append(true).open(&self.log).expect("a log");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.child = Some(command.spawn().expect("svc"));
        let began = Instant::now();
        while TcpStream::connect(self.address).await.is_err() {
            let log = || std::fs::read_to_string(&self.log).unwrap_or_default();
            assert!(began.elapsed() < Duration::from_secs(30), "it does not listen: {}", log());
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Ends it with a signal, and waits until it is gone.
    pub(crate) async fn end(&mut self, signal: Signal) {
        let mut child = self.child.take().expect("it runs");
        kill(Pid::from_raw(child.id().cast_signed()), signal).expect("it is signalled");
        spawn_blocking(move || child.wait()).await.expect("no panic").expect("it ends");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
