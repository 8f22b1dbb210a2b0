use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use super::{ClusterError, SUPERUSER};

/// The longest time that a server may take to start or stop.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// A `postmaster.pid` without content for longer was left by a crash of the machine.
const UNREADABLE_TIMEOUT: Duration = Duration::from_secs(2);

/// The error code "too many clients", as a field of an error message: its sender is running.
const TOO_MANY_CLIENTS: &[u8] = b"C53300\0";

/// The longest time that a server may take to answer a client.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) dir: PathBuf,
    pub(super) port: u16,
}

impl Address {
    /// Returns whether a server accepts a session of our user here. An accepted connection is not
    /// enough: the kernel accepts connections for a server that is starting or has just stopped.
    pub(super) fn answers(&self) -> bool {
        let talk = || {
            let mut stream = UnixStream::connect(self.dir.join(format!(".s.PGSQL.{}", self.port)))?;
            stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
            stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
            stream.write_all(&empty_session())?;
            let mut answer = Vec::new();
            // Read to the end, since a server logs a client that disconnects early.
            stream.read_to_end(&mut answer)?;
            Ok::<_, std::io::Error>(answer.starts_with(b"R") || answer.windows(7).any(|part| part == TOO_MANY_CLIENTS))
        };
        talk().unwrap_or(false)
    }
}

/// A session that begins and ends at once: the startup message, protocol 3.0, and Terminate. The
/// answer begins with `R` (authentication), or with `E` when the server is starting or stopping.
fn empty_session() -> Vec<u8> {
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    body.extend_from_slice(format!("user\0{SUPERUSER}\0database\0postgres\0\0").as_bytes());
    let length = body.len() as u32 + 4;
    [&length.to_be_bytes(), body.as_slice(), b"X\0\0\0\x04"].concat()
}

/// The content of `postmaster.pid`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PidFile {
    pub(super) pid: i32,
    pub(super) ready: bool,
    /// The server writes it a moment after the process id; one without a unix socket never does.
    pub(super) address: Option<Address>,
}

impl PidFile {
    /// Reads the file in the data directory `cluster`, if it has one.
    pub(super) fn read(cluster: &Path) -> Result<Option<Result<Self, Unreadable>>, ClusterError> {
        let path = path(cluster);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(Self::parse(&text).ok_or(Unreadable))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(ClusterError::io("read", &path)(error)),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        // A server in single-user mode writes its process id as a negative number.
        let pid = lines.first()?.parse::<i32>().ok()?.checked_abs().filter(|pid| *pid > 0)?;
        let port = lines.get(3).and_then(|line| line.parse().ok());
        let dir = lines.get(4).filter(|line| line.starts_with('/')).map(PathBuf::from);
        let address = dir.zip(port).map(|(dir, port)| Address { dir, port });
        Some(Self { pid, ready: lines.get(7) == Some(&"ready"), address })
    }
}

/// The file exists but makes no sense (yet).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// Waits until the data directory `cluster` has a server that answers, and returns its address, or
/// until it has neither a server nor files of a dead one that would prevent the next start. The
/// caller holds the lock, so no server of ours starts meanwhile, but the server of a killed process
/// may still be stopping.
pub(super) fn running_server(cluster: &Path) -> Result<Option<Address>, ClusterError> {
    let started = Instant::now();
    loop {
        let Some(file) = PidFile::read(cluster)? else { return Ok(None) };
        match file {
            Err(Unreadable) if started.elapsed() > UNREADABLE_TIMEOUT => return remove(cluster),
            // The next server replaces the file of a dead one.
            Ok(PidFile { pid, .. }) if !exists(pid) => return Ok(None),
            Ok(PidFile { ready: true, address: Some(address), .. }) if address.answers() => return Ok(Some(address)),
            Ok(PidFile { pid, .. }) if ended(pid) || works_elsewhere(pid, cluster) => return replace_pid(cluster),
            Ok(PidFile { pid, .. }) if started.elapsed() > TIMEOUT => {
                return Err(ClusterError::Busy { pid, cluster: cluster.to_path_buf() });
            }
            Err(Unreadable) | Ok(_) => {}
        }
        sleep(Duration::from_millis(20));
    }
}

fn path(cluster: &Path) -> PathBuf {
    cluster.join("postmaster.pid")
}

fn remove(cluster: &Path) -> Result<Option<Address>, ClusterError> {
    let path = path(cluster);
    fs::remove_file(&path).map_err(ClusterError::io("remove", &path))?;
    Ok(None)
}

/// Replaces the process id in the file of a dead server, since the next server would take the
/// process that has that id now for a server. The file stays, as its other lines tell the next
/// server whether sessions of the dead one remain. The new id is ours: a server knows that its
/// parent is no server.
fn replace_pid(cluster: &Path) -> Result<Option<Address>, ClusterError> {
    let path = path(cluster);
    let rewrite = || {
        let text = fs::read_to_string(&path)?;
        let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
        let mut options = OpenOptions::new();
        // We may be root and the directory another user's, so follow no link.
        let mut file = options.write(true).truncate(true).custom_flags(OFlag::O_NOFOLLOW.bits()).open(&path)?;
        file.write_all(format!("{}\n{rest}", std::process::id()).as_bytes())
    };
    rewrite().map_err(ClusterError::io("rewrite", &path))?;
    Ok(None)
}

/// Returns whether the process `pid` runs, under any user.
pub(super) fn alive(pid: i32) -> bool {
    exists(pid) && !ended(pid)
}

/// Returns whether the process id is in use, also by a process that has ended.
fn exists(pid: i32) -> bool {
    !matches!(kill(Pid::from_raw(pid), None), Err(Errno::ESRCH))
}

/// Returns whether the process is a zombie, as the first process of a container often never waits
/// for its children.
#[cfg(target_os = "linux")]
fn ended(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the name, which is in parentheses and may contain some.
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with(['Z', 'X']))
}

#[cfg(not(target_os = "linux"))]
fn ended(_: i32) -> bool {
    false
}

/// Returns whether the process got a dead server's id, as happens often in containers, where process
/// ids begin at 1 each time. A server's working directory is its data directory.
#[cfg(target_os = "linux")]
fn works_elsewhere(pid: i32, cluster: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    match (inode(Path::new(&format!("/proc/{pid}/cwd"))), inode(cluster)) {
        (Ok(process), Ok(server)) => process != server,
        _ => false,
    }
}

#[cfg(not(target_os = "linux"))]
fn works_elsewhere(_: i32, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_can_be_read_while_it_is_being_written() {
        let incomplete = PidFile::parse("41\n/data\n1700000000\n5432\n/tmp/svc-1\n").unwrap();
        let address = Address { dir: "/tmp/svc-1".into(), port: 5432 };
        assert_eq!(incomplete, PidFile { pid: 41, ready: false, address: Some(address.clone()) });
        let complete = "41\n/data\n1700000000\n5432\n/tmp/svc-1\n\n 12345  6\nready   \n";
        assert_eq!(PidFile::parse(complete), Some(PidFile { pid: 41, ready: true, address: Some(address) }));
        assert!(!PidFile::parse(&complete.replace("ready", "stopping")).unwrap().ready);
        assert_eq!(PidFile::parse("-41\n/data\n").unwrap().pid, 41);
        for bad in ["", "\n", "0\n", "x\n"] {
            assert_eq!(PidFile::parse(bad), None);
        }
    }
}
