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

use super::{LocalError, USER};

/// How long a server that starts or stops may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// How long `postmaster.pid` may be without content before it counts as left by a crash of the machine.
const EMPTY: Duration = Duration::from_secs(2);

/// The field of an error about too many clients: the server that sends it is running.
const FULL: &[u8] = b"C53300\0";

/// How long a server may take to answer a client.
const ANSWER: Duration = Duration::from_secs(5);

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) dir: PathBuf,
    pub(super) port: u16,
}

impl Address {
    /// Says whether a server here accepts a session of our user. An accepted connection is not enough: the kernel accepts
    /// connections for a server that is starting, or has just been stopped.
    pub(super) fn answers(&self) -> bool {
        let talk = || {
            let mut stream = UnixStream::connect(self.dir.join(format!(".s.PGSQL.{}", self.port)))?;
            stream.set_read_timeout(Some(ANSWER))?;
            stream.set_write_timeout(Some(ANSWER))?;
            stream.write_all(&hello())?;
            let mut said = Vec::new();
            // Read to the end, since a server logs a client that disconnects early.
            stream.read_to_end(&mut said)?;
            Ok::<_, std::io::Error>(said.starts_with(b"R") || said.windows(7).any(|part| part == FULL))
        };
        talk().unwrap_or(false)
    }
}

/// A session that begins and ends at once: the startup message, protocol 3.0, and Terminate. The answer begins with `R`
/// (about authentication), or `E` when the server is not ready, or no longer.
fn hello() -> Vec<u8> {
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    body.extend_from_slice(format!("user\0{USER}\0database\0postgres\0\0").as_bytes());
    let length = body.len() as u32 + 4;
    [&length.to_be_bytes(), body.as_slice(), b"X\0\0\0\x04"].concat()
}

/// What `postmaster.pid` says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PidFile {
    pub(super) pid: i32,
    pub(super) ready: bool,
    /// The server writes it a moment after the rest; one without a unix socket never does.
    pub(super) address: Option<Address>,
}

impl PidFile {
    /// Reads the file in the data directory `cluster`; `None` when there is none.
    pub(super) fn read(cluster: &Path) -> Result<Option<Result<Self, Unclear>>, LocalError> {
        let path = path(cluster);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(Self::parse(&text).ok_or(Unclear))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(LocalError::io("read", &path)(error)),
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

/// The file is there but says nothing that makes sense (yet).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unclear;

/// Waits until the data directory `cluster` has a server that answers, and gives its address, or has neither a server nor
/// remains of one that would keep another from starting. The caller holds the lock, so no server of ours begins to start
/// meanwhile, but the one of a process that was killed may still be stopping.
pub(super) fn settle(cluster: &Path) -> Result<Option<Address>, LocalError> {
    let started = Instant::now();
    loop {
        let Some(file) = PidFile::read(cluster)? else { return Ok(None) };
        match file {
            Err(Unclear) if started.elapsed() > EMPTY => return forget(cluster),
            // The next server replaces the file of one that is dead.
            Ok(PidFile { pid, .. }) if !exists(pid) => return Ok(None),
            Ok(PidFile { ready: true, address: Some(address), .. }) if address.answers() => return Ok(Some(address)),
            Ok(PidFile { pid, .. }) if ended(pid) || elsewhere(pid, cluster) => return disown(cluster),
            Ok(PidFile { pid, .. }) if started.elapsed() > PATIENCE => {
                return Err(LocalError::Busy { pid, cluster: cluster.to_path_buf() });
            }
            Err(Unclear) | Ok(_) => {}
        }
        sleep(Duration::from_millis(20));
    }
}

fn path(cluster: &Path) -> PathBuf {
    cluster.join("postmaster.pid")
}

fn forget(cluster: &Path) -> Result<Option<Address>, LocalError> {
    let path = path(cluster);
    fs::remove_file(&path).map_err(LocalError::io("remove", &path))?;
    Ok(None)
}

/// Replaces the process id in the file of a dead server, since the next server would take the process that has that id now
/// for a server. The file is not removed, as the next server finds out from its other lines whether sessions of the dead one
/// are still there. The new id is ours: a server knows that its parent is no server.
fn disown(cluster: &Path) -> Result<Option<Address>, LocalError> {
    let path = path(cluster);
    let rewrite = || {
        let text = fs::read_to_string(&path)?;
        let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
        let mut how = OpenOptions::new();
        // A link is not followed, as we may be root and the directory another user's.
        let mut file = how.write(true).truncate(true).custom_flags(OFlag::O_NOFOLLOW.bits()).open(&path)?;
        file.write_all(format!("{}\n{rest}", std::process::id()).as_bytes())
    };
    rewrite().map_err(LocalError::io("rewrite", &path))?;
    Ok(None)
}

/// Says whether the process `pid` runs, under any user.
pub(super) fn alive(pid: i32) -> bool {
    exists(pid) && !ended(pid)
}

/// Says whether the process id is in use, also by a process that has ended.
fn exists(pid: i32) -> bool {
    !matches!(kill(Pid::from_raw(pid), None), Err(Errno::ESRCH))
}

/// Says whether the process has ended and its parent has not waited for it, which the first process of a container often
/// never does.
#[cfg(target_os = "linux")]
fn ended(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name before the state is in parentheses and may hold some itself.
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with(['Z', 'X']))
}

#[cfg(not(target_os = "linux"))]
fn ended(_: i32) -> bool {
    false
}

/// Says whether the process is certainly not this cluster's server but one that got a dead server's id, as happens
/// often in containers, where process ids begin at 1 each time: a server's working directory is its data directory.
#[cfg(target_os = "linux")]
fn elsewhere(pid: i32, cluster: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    match (place(Path::new(&format!("/proc/{pid}/cwd"))), place(cluster)) {
        (Ok(its), Ok(ours)) => its != ours,
        _ => false,
    }
}

#[cfg(not(target_os = "linux"))]
fn elsewhere(_: i32, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_in_every_stage_of_being_written() {
        let begun = PidFile::parse("41\n/data\n1700000000\n5432\n/tmp/svc-1\n").unwrap();
        let address = Address { dir: "/tmp/svc-1".into(), port: 5432 };
        assert_eq!(begun, PidFile { pid: 41, ready: false, address: Some(address.clone()) });
        let full = "41\n/data\n1700000000\n5432\n/tmp/svc-1\n\n 12345  6\nready   \n";
        assert_eq!(PidFile::parse(full), Some(PidFile { pid: 41, ready: true, address: Some(address) }));
        assert!(!PidFile::parse(&full.replace("ready", "stopping")).unwrap().ready);
        assert_eq!(PidFile::parse("-41\n/data\n").unwrap().pid, 41);
        for bad in ["", "\n", "0\n", "x\n"] {
            assert_eq!(PidFile::parse(bad), None);
        }
    }
}
