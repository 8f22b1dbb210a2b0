use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use nix::sys::signal::Signal;

use super::binaries::Binaries;
use super::command::command;
use super::user::ServerUser;
use super::{ClusterError, SUPERUSER, directory, logfile};

/// Sorts by code point and knows all of Unicode. macOS has no such locale; `C` sorts the same way.
const LOCALE: &str = if cfg!(target_os = "linux") { "--locale=C.UTF-8" } else { "--locale=C" };

/// Creates the cluster `<dir>/cluster`, unless it exists. The caller holds the lock on `dir`, or is
/// the only one to know it.
///
/// The cluster gets its name only when it is complete, so that a killed `initdb` leaves nothing that
/// looks like a cluster.
pub(super) fn ensure(binaries: &Binaries, dir: &Path, user: &ServerUser, durable: bool) -> Result<(), ClusterError> {
    let cluster = dir.join("cluster");
    if cluster.join("PG_VERSION").exists() {
        return Ok(());
    }
    let new = dir.join("cluster.new");
    directory::remove_all(&new).map_err(ClusterError::io("remove", &new))?;
    DirBuilder::new().mode(0o700).create(&new).map_err(ClusterError::io("create the directory", &new))?;
    user.own(&new)?;
    let program = binaries.initdb();
    let mut command = command(&program, user, Signal::SIGKILL);
    command.arg("-D").arg(&new).args(["-A", "trust", LOCALE, "-E", "UTF8", "-U", SUPERUSER]);
    if !durable {
        command.arg("--no-sync");
    }
    let ended = command.output().map_err(ClusterError::io("run", &program))?;
    if !ended.status.success() {
        let output = [ended.stdout, ended.stderr].concat();
        return Err(ClusterError::Init { status: ended.status, output: logfile::last_lines(&output) });
    }
    fs::rename(&new, &cluster).map_err(ClusterError::io("create", &cluster))?;
    if durable {
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(ClusterError::io("write", dir))?;
    }
    Ok(())
}

/// The major version that created the cluster, 0 if unknown.
pub(super) fn major_version(cluster: &Path) -> u32 {
    let text = fs::read_to_string(cluster.join("PG_VERSION")).unwrap_or_default();
    text.trim().split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0)
}
