use std::env;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::user::ServerUser;
use super::{ClusterError, directory, pidfile};

/// The longest path of a socket, without the zero at its end.
const MAX_SOCKET_PATH: usize = if cfg!(target_os = "linux") { 106 } else { 102 };

/// The number of this process's next directory.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Removes a directory when its standard input ends, as it does however this process ends. The
/// server has some seconds to stop first.
const REMOVER: &str = r#"
    cat >/dev/null
    for second in 1 2 3 4 5 6 7 8 9 10; do [ -e "$0/cluster/postmaster.pid" ] || break; sleep 1; done
    rm -rf -- "$0" || { sleep 1; rm -rf -- "$0"; }
"#;

/// A temporary directory. Dropping this removes it; a process of its own removes it when ours is
/// killed or ends without dropping a `static`.
#[derive(Debug)]
pub(super) struct Scratch {
    dir: PathBuf,
    remover: Option<Child>,
}

impl Scratch {
    /// Creates a directory that only `user` can enter, with a path short enough for a socket in it.
    pub(super) fn create(user: &ServerUser) -> Result<Self, ClusterError> {
        let mut parent = PathBuf::from("/tmp");
        for root in roots() {
            if fits(&root) && directory::obstacle(&root, user)?.is_none() {
                parent = root;
                break;
            }
        }
        loop {
            // A number is not used twice: the remover of the first directory could remove the
            // second.
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let dir = parent.join(format!("svc-test-{}-{number}", process::id()));
            match DirBuilder::new().mode(0o700).create(&dir) {
                Ok(()) => {
                    let remover = remover(&dir);
                    let scratch = Self { dir, remover };
                    user.own(&scratch.dir)?;
                    return Ok(scratch);
                }
                // An earlier process with the same number left it.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(ClusterError::io("create the directory", &dir)(error)),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = directory::remove_all(&self.dir) {
            tracing::warn!(dir = %self.dir.display(), %error, "a temporary directory could not be removed");
        }
        if let Some(mut remover) = self.remover.take() {
            drop(remover.stdin.take());
            let _ = remover.wait();
        }
    }
}

/// Starts the process that removes `dir` after us. If it does not start, the next [`sweep`] does
/// that.
fn remover(dir: &Path) -> Option<Child> {
    let mut command = Command::new("sh");
    // A Ctrl-C in our terminal must not reach it.
    command.args(["-c", REMOVER]).arg(dir).current_dir("/").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

/// Removes the directories of processes that are gone, except those of other users and those that
/// are being removed already.
pub(super) fn sweep() {
    for entry in roots().iter().filter_map(|root| fs::read_dir(root).ok()).flatten().flatten() {
        let owner = entry.file_name().to_str().and_then(owner);
        if owner.is_some_and(|pid| !pidfile::alive(pid)) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the process that created the directory of this name.
fn owner(name: &str) -> Option<i32> {
    let (pid, number) = name.strip_prefix("svc-test-")?.split_once('-')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(pid) && digits(number)).then(|| pid.parse().ok()).flatten().filter(|pid| *pid > 0)
}

/// Returns the parents of temporary directories, in order of preference.
fn roots() -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::from("/tmp")];
    if let Ok(preferred) = directory::absolute(&env::temp_dir())
        && preferred != roots[0]
    {
        roots.insert(0, preferred);
    }
    roots
}

/// Returns whether a socket below `root` has a short and plain path: to PostgreSQL a comma
/// separates two paths.
fn fits(root: &Path) -> bool {
    let longest = root.join(format!("svc-test-{}-{}/.s.PGSQL.5432", i32::MAX, 999));
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._+@-".contains(c);
    longest.as_os_str().len() <= MAX_SOCKET_PATH && longest.to_str().is_some_and(|text| text.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_directory_names_have_an_owner() {
        assert_eq!(owner("svc-test-123-0"), Some(123));
        for other in ["svc-test-123", "svc-test-123-", "svc-test--1", "svc-test-0-0", "svc-test-12x-0", "svc-123-0"] {
            assert_eq!(owner(other), None, "{other}");
        }
    }

    #[test]
    fn directories_created_and_removed_at_once_are_left_alone_by_each_other() {
        let create_many = || {
            let user = ServerUser::for_new().unwrap();
            for _ in 0..30 {
                let scratch = Scratch::create(&user).unwrap();
                let file = scratch.path().join("x");
                fs::write(&file, "x").unwrap();
                std::thread::sleep(std::time::Duration::from_millis(2));
                assert!(file.exists());
            }
        };
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(create_many);
            }
        });
    }

    #[test]
    fn long_and_odd_roots_do_not_fit() {
        assert!(fits(Path::new("/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T")));
        assert!(!fits(&Path::new("/tmp").join("a".repeat(80))));
        assert!(!fits(Path::new("/tmp/a,b")));
    }
}
