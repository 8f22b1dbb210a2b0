use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use nix::sys::signal::Signal;

use super::binaries::Binaries;
use super::command::command;
use super::identity::Identity;
use super::{LocalError, USER, logfile, place};

/// Sorts by code point and knows all of Unicode. The C library of macOS has no such locale; `C` sorts the same way.
const LOCALE: &str = if cfg!(target_os = "linux") { "--locale=C.UTF-8" } else { "--locale=C" };

/// Makes the cluster `<dir>/cluster`, unless it is there. The caller holds the lock on `dir`, or it is private to the caller.
///
/// It is made under another name and renamed when it is whole, so that an `initdb` that was killed leaves nothing that
/// looks like a cluster.
pub(super) fn ensure(binaries: &Binaries, dir: &Path, who: &Identity, durable: bool) -> Result<(), LocalError> {
    let cluster = dir.join("cluster");
    if cluster.join("PG_VERSION").exists() {
        return Ok(());
    }
    let new = dir.join("cluster.new");
    place::remove_all(&new).map_err(LocalError::io("remove", &new))?;
    DirBuilder::new().mode(0o700).create(&new).map_err(LocalError::io("create the directory", &new))?;
    who.give(&new)?;
    let program = binaries.initdb();
    let mut command = command(&program, who, Signal::SIGKILL);
    command.arg("-D").arg(&new).args(["-A", "trust", LOCALE, "-E", "UTF8", "-U", USER]);
    if !durable {
        command.arg("--no-sync");
    }
    let ended = command.output().map_err(LocalError::io("run", &program))?;
    if !ended.status.success() {
        let output = [ended.stdout, ended.stderr].concat();
        return Err(LocalError::Init { status: ended.status, output: logfile::last_lines(&output) });
    }
    fs::rename(&new, &cluster).map_err(LocalError::io("create", &cluster))?;
    if durable {
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(LocalError::io("write", dir))?;
    }
    Ok(())
}

/// The major version the cluster was made by, 0 when it is unknown.
pub(super) fn version(cluster: &Path) -> u32 {
    let text = fs::read_to_string(cluster.join(OsStr::new("PG_VERSION"))).unwrap_or_default();
    text.trim().split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0)
}
