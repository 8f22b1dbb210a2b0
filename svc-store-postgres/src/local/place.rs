use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};
use nix::unistd::geteuid;
use sha2::{Digest, Sha256};

use super::LocalError;
use super::identity::Identity;

/// How long another process may take to open the same directory: it may wait for a server to stop, make the cluster on a
/// slow disk, and wait for its server to start.
const OPENING: Duration = Duration::from_mins(2);

/// Makes `dir` absolute and free of links, so that one directory has one name. It need not exist.
pub(super) fn absolute(dir: &Path) -> Result<PathBuf, LocalError> {
    let mut base = std::path::absolute(dir).map_err(LocalError::io("resolve", dir))?;
    let mut rest: Vec<OsString> = Vec::new();
    let mut path = loop {
        match base.canonicalize() {
            Ok(real) => break real,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(LocalError::io("resolve", &base)(error)),
        }
        let last = base.components().next_back().map(|part| part.as_os_str().to_owned());
        rest.extend(last);
        if !base.pop() {
            break base;
        }
    };
    // What does not exist holds no links, so `..` in it simply undoes the name before it.
    for part in rest.iter().rev() {
        if *part == Component::ParentDir.as_os_str() {
            path.pop()
        } else {
            path.push(part);
            true
        };
    }
    Ok(path.canonicalize().unwrap_or(path))
}

/// A digest of `path`, in sixteen hexadecimal digits.
pub(super) fn digest(path: &Path) -> String {
    hex::encode(&Sha256::digest(path.as_os_str().as_bytes())[..8])
}

/// Gives `dir` when `who` can reach it, and otherwise the directory below `fallback` that stands for it.
pub(super) fn reachable(dir: &Path, who: &Identity, fallback: &Path) -> Result<PathBuf, LocalError> {
    let Some(blocked) = obstacle(dir, who)? else { return Ok(dir.to_path_buf()) };
    let instead = fallback.join(digest(dir));
    if obstacle(&instead, who)?.is_some() {
        return Err(LocalError::Unreachable { dir: dir.to_path_buf(), blocked, fallback: instead });
    }
    tracing::warn!(
        asked = %dir.display(),
        blocked = %blocked.display(),
        instead = %instead.display(),
        "PostgreSQL does not run as root and its user cannot enter the directory asked for; the cluster is placed elsewhere"
    );
    Ok(instead)
}

/// The first directory on the way to `dir`, itself included, that `who` may not pass through.
pub(super) fn obstacle(dir: &Path, who: &Identity) -> Result<Option<PathBuf>, LocalError> {
    if !who.switches() {
        return Ok(None);
    }
    let mut way: Vec<&Path> = dir.ancestors().collect();
    way.reverse();
    for step in way {
        match fs::metadata(step) {
            Ok(found) if who.may_pass(found.mode(), found.uid(), found.gid()) => {}
            Ok(_) => return Ok(Some(step.to_path_buf())),
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            Err(error) => return Err(LocalError::io("read", step)(error)),
        }
    }
    Ok(None)
}

/// Makes `dir` for `who`, and the directories above it that are missing for `who` to pass through, whatever the umask.
pub(super) fn create(dir: &Path, who: &Identity) -> Result<(), LocalError> {
    let mut missing: Vec<&Path> = dir.ancestors().take_while(|step| !step.exists()).collect();
    missing.reverse();
    for step in missing {
        match DirBuilder::new().mode(0o755).create(step) {
            Ok(()) if step == dir => who.give(step)?,
            Ok(()) if who.switches() => {
                let mode = Permissions::from_mode(0o755);
                fs::set_permissions(step, mode).map_err(LocalError::io("open up", step))?;
            }
            Ok(()) => {}
            // Another process opens the same directory.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && step.is_dir() => {}
            Err(error) => return Err(LocalError::io("create the directory", step)(error)),
        }
    }
    Ok(())
}

/// Opens a file in a directory that may belong to `who`, and makes `who` its owner when it is new. Links are not
/// followed, as we may be root and `who` may have put it there.
pub(super) fn open_own(path: &Path, who: &Identity) -> Result<File, LocalError> {
    let mut how = OpenOptions::new();
    how.append(true).mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits());
    match how.clone().create_new(true).open(path) {
        Ok(file) => who.give_file(&file, path).map(|()| file),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => how.open(path).map_err(LocalError::io("open", path)),
        Err(error) => Err(LocalError::io("create", path)(error)),
    }
}

/// The lock on a directory, held while it is being opened.
#[derive(Debug)]
pub(super) struct Lock {
    _held: Flock<File>,
}

impl Lock {
    /// Waits until no other process is opening `dir`.
    pub(super) fn wait(dir: &Path, who: &Identity) -> Result<Self, LocalError> {
        let started = Instant::now();
        loop {
            if let Some(lock) = Self::attempt(dir, who)? {
                return Ok(lock);
            }
            if started.elapsed() > OPENING {
                return Err(LocalError::Locked(dir.to_path_buf()));
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Takes the lock, unless another process has it.
    pub(super) fn attempt(dir: &Path, who: &Identity) -> Result<Option<Self>, LocalError> {
        let path = dir.join("lock");
        match Flock::lock(open_own(&path, who)?, FlockArg::LockExclusiveNonblock) {
            Ok(held) => Ok(Some(Self { _held: held })),
            Err((_, Errno::EWOULDBLOCK | Errno::EINTR)) => Ok(None),
            Err((_, errno)) => Err(LocalError::io("lock", &path)(errno.into())),
        }
    }
}

/// Makes the directory for the socket of the cluster in `dir`: a short path, as a socket's may not be long, and one
/// that only `who` can enter, as every client of the socket is superuser. No server runs on the cluster.
pub(super) fn socket_dir(dir: &Path, who: &Identity) -> Result<PathBuf, LocalError> {
    let path = Path::new("/tmp").join(format!("svc-{}", digest(dir)));
    match DirBuilder::new().mode(0o700).create(&path) {
        Ok(()) => who.give(&path)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => adopt(&path, who)?,
        Err(error) => return Err(LocalError::io("create the directory", &path)(error)),
    }
    Ok(path)
}

/// Takes over a directory that an earlier run left. The sticky bit of `/tmp` keeps others from replacing one of ours
/// after the check.
fn adopt(path: &Path, who: &Identity) -> Result<(), LocalError> {
    let refuse = |reason| Err(LocalError::SocketDir { path: path.to_path_buf(), reason });
    let found = fs::symlink_metadata(path).map_err(LocalError::io("read", path))?;
    if !found.is_dir() {
        return refuse("it is not a directory");
    }
    // One that is still ours was made by a process that was killed before it changed the owner.
    if found.uid() != who.uid() && found.uid() != geteuid().as_raw() {
        return refuse("it belongs to another user");
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(LocalError::io("protect", path))?;
    }
    // The next server would not start if another process has the id of the server that left them.
    for name in [".s.PGSQL.5432", ".s.PGSQL.5432.lock"] {
        let file = path.join(name);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(LocalError::io("remove", &file)(error)),
            _ => {}
        }
    }
    who.give(path)
}

/// Removes the directory and what is in it, also while a process that is about to end still adds to it.
pub(super) fn remove_all(dir: &Path) -> io::Result<()> {
    let started = Instant::now();
    loop {
        match fs::remove_dir_all(dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(_) if started.elapsed() < Duration::from_secs(2) => sleep(Duration::from_millis(20)),
            done => return done,
        }
    }
}
