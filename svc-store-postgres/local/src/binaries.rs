use std::cmp::Reverse;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::ClusterError;

/// Where packages install the binaries: a parent directory, the prefix of an entry's name, and the
/// path below the entry.
const INSTALL_PATHS: [(&str, &str, &str); 5] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/usr/local", "pgsql", "bin"),
    ("/opt/homebrew/opt", "postgresql", "bin"),
    ("/usr/local/opt", "postgresql", "bin"),
];

/// A directory that holds `postgres` and the `initdb` of the same version.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Binaries {
    dir: PathBuf,
}

impl Binaries {
    /// Searches `SVC_PG_BIN`, then `PATH`, then where packages install it, newest version first.
    pub(super) fn find() -> Result<Self, ClusterError> {
        find_in(env::var_os("SVC_PG_BIN"), env::var_os("PATH"), installed)
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.dir.join("postgres")
    }

    pub(super) fn initdb(&self) -> PathBuf {
        self.dir.join("initdb")
    }

    /// Returns whether the server can load the library `name`.
    pub(super) fn has_library(&self, name: &str) -> bool {
        let beside = self.dir.parent().map(|parent| parent.join("lib"));
        let holds = |dir: &Path| ["so", "dylib"].iter().any(|end| dir.join(format!("{name}.{end}")).is_file());
        beside.is_some_and(|dir| holds(&dir)) || self.library_dir().is_some_and(|dir| holds(&dir))
    }

    fn library_dir(&self) -> Option<PathBuf> {
        let mut pg_config = Command::new(self.dir.join("pg_config"));
        let output = pg_config.arg("--pkglibdir").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let dir = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| PathBuf::from(dir.trim_end()))
    }
}

fn find_in(
    chosen: Option<OsString>,
    path: Option<OsString>,
    installed: impl FnOnce() -> Vec<PathBuf>,
) -> Result<Binaries, ClusterError> {
    if let Some(dir) = chosen.filter(|dir| !dir.is_empty()).map(PathBuf::from) {
        // The server starts in the root directory, where a relative path would not lead to it.
        let dir = std::path::absolute(&dir).unwrap_or(dir);
        return if complete(&dir) { Ok(Binaries { dir }) } else { Err(ClusterError::BadBinaries(dir)) };
    }
    let path = path.unwrap_or_default();
    let on_path = env::split_paths(&path).filter(|dir| dir.is_absolute()).find(|dir| complete(dir));
    let found = on_path.map(follow_link).or_else(|| newest_first(installed()).into_iter().find(|dir| complete(dir)));
    found.map(|dir| Binaries { dir }).ok_or(ClusterError::NoBinaries)
}

/// Follows the link in a directory like `/usr/local/bin` to the directory that holds `postgres`,
/// since its libraries are beside that one.
fn follow_link(dir: PathBuf) -> PathBuf {
    let real = dir.join("postgres").canonicalize().ok().and_then(|file| file.parent().map(Path::to_path_buf));
    real.filter(|real| complete(real)).unwrap_or(dir)
}

fn complete(dir: &Path) -> bool {
    ["postgres", "initdb"].iter().all(|name| dir.join(name).is_file())
}

fn installed() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (parent, prefix, below) in INSTALL_PATHS {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        let named = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(prefix));
        found.extend(entries.flatten().filter(|e| named(&e.file_name())).map(|e| e.path().join(below)));
    }
    found
}

/// Orders directories by the version in their path; those without one come last.
fn newest_first(mut dirs: Vec<PathBuf>) -> Vec<PathBuf> {
    dirs.sort();
    dirs.sort_by_key(|dir| Reverse(version(dir)));
    dirs
}

/// Parses the version in `/usr/lib/postgresql/15/bin`, `/usr/pgsql-9.6/bin` or `/opt/homebrew/opt/postgresql@16/bin`.
fn version(bin: &Path) -> Vec<u32> {
    let name = bin.parent().and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or_default();
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn the_newest_version_comes_first_in_any_layout() {
        let given = paths(&[
            "/usr/local/pgsql/bin",
            "/usr/lib/postgresql/9.6/bin",
            "/usr/lib/postgresql/15/bin",
            "/usr/pgsql-17/bin",
            "/opt/homebrew/opt/postgresql@16/bin",
            "/usr/lib/postgresql/9.10/bin",
        ]);
        let expected = paths(&[
            "/usr/pgsql-17/bin",
            "/opt/homebrew/opt/postgresql@16/bin",
            "/usr/lib/postgresql/15/bin",
            "/usr/lib/postgresql/9.10/bin",
            "/usr/lib/postgresql/9.6/bin",
            "/usr/local/pgsql/bin",
        ]);
        assert_eq!(newest_first(given), expected);
    }

    #[test]
    fn the_error_of_a_machine_without_postgresql_names_three_solutions() {
        let error = find_in(None, Some("/nonexistent".into()), Vec::new).unwrap_err().to_string();
        for solution in ["apt-get install postgresql", "SVC_PG_BIN", "DATABASE_URL"] {
            assert!(error.contains(solution), "{error}");
        }
        assert!(!error.contains('\n'), "{error}");
    }

    #[test]
    fn a_wrong_svc_pg_bin_is_an_error_and_an_empty_one_is_ignored() {
        let wrong = find_in(Some("/nonexistent".into()), None, installed);
        assert!(matches!(wrong, Err(ClusterError::BadBinaries(dir)) if dir == Path::new("/nonexistent")));
        assert!(matches!(find_in(Some("".into()), None, Vec::new), Err(ClusterError::NoBinaries)));
    }
}
