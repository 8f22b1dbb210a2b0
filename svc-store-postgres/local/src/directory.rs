use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use sha2::{Digest, Sha256};

use super::ClusterError;
use super::user::ServerUser;

/// The longest time that another process may take to open the directory: it may wait for a server
/// to stop, create the cluster on a slow disk, and wait for its server to start.
const LOCK_TIMEOUT: Duration = Duration::from_mins(2);

/// Makes `dir`, which need not exist, absolute and free of links, so that a directory has one name.
pub(super) fn absolute(dir: &Path) -> Result<PathBuf, ClusterError> {
    let mut base = std::path::absolute(dir).map_err(ClusterError::io("resolve", dir))?;
    let mut rest: Vec<OsString> = Vec::new();
    let mut path = loop {
        match base.canonicalize() {
            Ok(real) => break real,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(ClusterError::io("resolve", &base)(error)),
        }
        let last = base.components().next_back().map(|part| part.as_os_str().to_owned());
        rest.extend(last);
        if !base.pop() {
            break base;
        }
    };
    // A path that does not exist contains no links, so `..` in it undoes the name before it.
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

/// Returns sixteen hexadecimal digits that stand for `path`.
pub(super) fn digest(path: &Path) -> String {
    hex::encode(&Sha256::digest(path.as_os_str().as_bytes())[..8])
}

/// Returns `dir` if `user` can reach it, otherwise a directory below `fallback` that replaces it.
pub(super) fn reachable(dir: &Path, user: &ServerUser, fallback: &Path) -> Result<PathBuf, ClusterError> {
    let Some(blocked) = obstacle(dir, user)? else { return Ok(dir.to_path_buf()) };
    let instead = fallback.join(digest(dir));
    if obstacle(&instead, user)?.is_some() {
        return Err(ClusterError::Unreachable { dir: dir.to_path_buf(), blocked, fallback: instead });
    }
    Ok(instead)
}

/// Returns the first directory on the way to `dir`, itself included, that `user` may not enter.
pub(super) fn obstacle(dir: &Path, user: &ServerUser) -> Result<Option<PathBuf>, ClusterError> {
    if !user.switches() {
        return Ok(None);
    }
    let mut steps: Vec<&Path> = dir.ancestors().collect();
    steps.reverse();
    for step in steps {
        match fs::metadata(step) {
            Ok(found) if user.may_enter(found.mode(), found.uid(), found.gid()) => {}
            Ok(_) => return Ok(Some(step.to_path_buf())),
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            Err(error) => return Err(ClusterError::io("read", step)(error)),
        }
    }
    Ok(None)
}

/// Creates `dir` for `user`, and the missing directories above it so that `user` may enter them
/// with any umask.
pub(super) fn create(dir: &Path, user: &ServerUser) -> Result<(), ClusterError> {
    let mut missing: Vec<&Path> = dir.ancestors().take_while(|step| !step.exists()).collect();
    missing.reverse();
    for step in missing {
        match DirBuilder::new().mode(0o755).create(step) {
            Ok(()) if step == dir => user.own(step)?,
            Ok(()) if user.switches() => {
                let mode = Permissions::from_mode(0o755);
                fs::set_permissions(step, mode).map_err(ClusterError::io("open up", step))?;
            }
            Ok(()) => {}
            // Another process is opening the same directory.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && step.is_dir() => {}
            Err(error) => return Err(ClusterError::io("create the directory", step)(error)),
        }
    }
    Ok(())
}

/// Opens a file in a directory of `user`, who becomes its owner if it is new. Follows no link, as
/// we may be root and `user` may have created it.
pub(super) fn open_own(path: &Path, user: &ServerUser) -> Result<File, ClusterError> {
    let mut options = OpenOptions::new();
    options.append(true).mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits());
    match options.clone().create_new(true).open(path) {
        Ok(file) => user.own_file(&file, path).map(|()| file),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            options.open(path).map_err(ClusterError::io("open", path))
        }
        Err(error) => Err(ClusterError::io("create", path)(error)),
    }
}

/// The lock on a directory, held while a process opens it.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until no other process is opening `dir`.
    pub(super) fn wait(dir: &Path, user: &ServerUser) -> Result<Self, ClusterError> {
        let started = Instant::now();
        loop {
            if let Some(lock) = Self::attempt(dir, user)? {
                return Ok(lock);
            }
            if started.elapsed() > LOCK_TIMEOUT {
                return Err(ClusterError::Locked(dir.to_path_buf()));
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Takes the lock, unless another process holds it.
    pub(super) fn attempt(dir: &Path, user: &ServerUser) -> Result<Option<Self>, ClusterError> {
        let path = dir.join("lock");
        let file = open_own(&path, user)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(ClusterError::io("lock", &path)(error)),
        }
    }
}

/// Creates the directory for the socket of the cluster in `dir`, on which no server runs. Its path
/// is short, as a socket's must be, and only `user` can enter it, as every client is superuser.
pub(super) fn create_socket_dir(dir: &Path, user: &ServerUser) -> Result<PathBuf, ClusterError> {
    let path = Path::new("/tmp").join(format!("svc-{}", digest(dir)));
    match DirBuilder::new().mode(0o700).create(&path) {
        Ok(()) => user.own(&path)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => adopt(&path, user)?,
        Err(error) => return Err(ClusterError::io("create the directory", &path)(error)),
    }
    Ok(path)
}

/// Takes over a directory of an earlier run. The sticky bit of `/tmp` prevents others from
/// replacing it after the check.
fn adopt(path: &Path, user: &ServerUser) -> Result<(), ClusterError> {
    let refuse = |reason| Err(ClusterError::SocketDir { path: path.to_path_buf(), reason });
    let found = fs::symlink_metadata(path).map_err(ClusterError::io("read", path))?;
    if !found.is_dir() {
        return refuse("it is not a directory");
    }
    // Ours is one whose process was killed before it changed the owner.
    if found.uid() != user.uid() && found.uid() != geteuid().as_raw() {
        return refuse("it belongs to another user");
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(ClusterError::io("protect", path))?;
    }
    // The next server would not start if another process has the id in the lock file.
    for name in [".s.PGSQL.5432", ".s.PGSQL.5432.lock"] {
        let file = path.join(name);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(ClusterError::io("remove", &file)(error)),
            _ => {}
        }
    }
    user.own(path)
}

/// Removes the directory and its content, also while a process that is about to end adds to it.
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
