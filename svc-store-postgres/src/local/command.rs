//! How PostgreSQL's programs are started: user, environment, and what happens to them when this process dies.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;
#[cfg(target_os = "linux")]
use nix::unistd::Pid;

use super::identity::Identity;

/// A command for `program`: it runs as `who` and gets `signal` when this process dies. It is in a process group of its
/// own, so that a Ctrl-C in our terminal does not reach it before we stop it.
pub(super) fn command(program: &Path, who: &Identity, signal: Signal) -> Command {
    let mut command = Command::new(program);
    who.become_in(&mut command);
    // `who` may have no access to our working directory; the paths of the command are absolute.
    command.current_dir("/").stdin(Stdio::null()).process_group(0);
    // What a user sets for psql (PGDATA, PGPORT, PGOPTIONS, …) would change the server too.
    let theirs = env::vars_os().map(|(name, _)| name).filter(|name| name.as_encoded_bytes().starts_with(b"PG"));
    for name in theirs {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C");
    #[cfg(target_os = "linux")]
    signal_at_our_death(&mut command, signal);
    #[cfg(not(target_os = "linux"))]
    let _ = signal;
    command
}

#[cfg(target_os = "linux")]
fn signal_at_our_death(command: &mut Command, signal: Signal) {
    let us = Pid::this();
    let request = move || {
        nix::sys::prctl::set_pdeathsig(signal)?;
        // Had we died before that call, the signal would never come.
        if nix::unistd::getppid() == us { Ok(()) } else { Err(nix::errno::Errno::ESRCH.into()) }
    };
    // SAFETY: between fork and exec only async-signal-safe calls are allowed, as another thread may have held any lock
    // at the fork. The closure makes two system calls, prctl and getppid, and neither allocates nor locks, also when it
    // makes its error, which is just a number. It runs after the change of user, which would clear the setting.
    unsafe {
        command.pre_exec(request);
    }
}
