//! Starts PostgreSQL's programs: their user, environment, and bond to this process.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;

use super::user::ServerUser;

/// A command for `program` that runs as `user` and gets `signal` when the thread that spawns it
/// ends. It leads its own process group, so that a Ctrl-C in our terminal does not reach it before
/// we stop it.
pub(super) fn command(program: &Path, user: &ServerUser, signal: Signal) -> Command {
    let mut command = Command::new(program);
    user.apply_to(&mut command);
    // The user may have no access to our working directory; the command's paths are absolute.
    command.current_dir("/").stdin(Stdio::null()).process_group(0);
    // Variables that a person sets for psql (PGDATA, PGPORT, PGOPTIONS, …) change the server too.
    for (name, _) in env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PG")) {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C");
    #[cfg(target_os = "linux")]
    process_guard::CommandExt::parent_death_signal(&mut command, signal);
    #[cfg(not(target_os = "linux"))]
    let _ = signal;
    command
}
