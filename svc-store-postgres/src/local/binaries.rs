use std::cmp::Reverse;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::LocalError;

/// Where packages put the binaries: the parent directory, the prefix of an entry's name, and the path below the entry.
const USUAL: [(&str, &str, &str); 5] = [
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
    /// Looks in `SVC_PG_BIN`, then along `PATH`, then where packages put it, newest version first.
    pub(super) fn find() -> Result<Self, LocalError> {
        find_in(env::var_os("SVC_PG_BIN"), env::var_os("PATH"), usual)
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.dir.join("postgres")
    }

    pub(super) fn initdb(&self) -> PathBuf {
        self.dir.join("initdb")
    }

    /// Says whether the server can load the library `name`.
    pub(super) fn has_library(&self, name: &str) -> bool {
        let beside = self.dir.parent().map(|parent| parent.join("lib"));
        let holds = |dir: &Path| ["so", "dylib"].iter().any(|end| dir.join(format!("{name}.{end}")).is_file());
        beside.is_some_and(|dir| holds(&dir)) || self.library_dir().is_some_and(|dir| holds(&dir))
    }

    fn library_dir(&self) -> Option<PathBuf> {
        let mut asked = Command::new(self.dir.join("pg_config"));
        let said = asked.arg("--pkglibdir").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let dir = String::from_utf8(said.stdout).ok()?;
        said.status.success().then(|| PathBuf::from(dir.trim_end()))
    }
}

fn find_in(
    chosen: Option<OsString>,
    path: Option<OsString>,
    usual: impl FnOnce() -> Vec<PathBuf>,
) -> Result<Binaries, LocalError> {
    if let Some(dir) = chosen.filter(|dir| !dir.is_empty()).map(PathBuf::from) {
        // The server is started from the root directory, so a relative path would not find it.
        let dir = std::path::absolute(&dir).unwrap_or(dir);
        return if complete(&dir) { Ok(Binaries { dir }) } else { Err(LocalError::BadBinaries(dir)) };
    }
    let path = path.unwrap_or_default();
    let on_path = env::split_paths(&path).filter(|dir| dir.is_absolute()).find(|dir| complete(dir));
    let found = on_path.map(resolved).or_else(|| newest(usual()).into_iter().find(|dir| complete(dir)));
    found.map(|dir| Binaries { dir }).ok_or(LocalError::NoBinaries)
}

/// Follows the links of a directory like `/usr/local/bin` to the one the distribution keeps `postgres` in, beside which
/// its libraries are.
fn resolved(dir: PathBuf) -> PathBuf {
    let real = dir.join("postgres").canonicalize().ok().and_then(|file| file.parent().map(Path::to_path_buf));
    real.filter(|real| complete(real)).unwrap_or(dir)
}

fn complete(dir: &Path) -> bool {
    ["postgres", "initdb"].iter().all(|name| dir.join(name).is_file())
}

fn usual() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (parent, prefix, below) in USUAL {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        let named = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(prefix));
        found.extend(entries.flatten().filter(|e| named(&e.file_name())).map(|e| e.path().join(below)));
    }
    found
}

/// Orders directories by the version in their path, newest first; those without one come last.
fn newest(mut dirs: Vec<PathBuf>) -> Vec<PathBuf> {
    dirs.sort();
    dirs.sort_by_key(|dir| Reverse(version(dir)));
    dirs
}

/// The version in `/usr/lib/postgresql/15/bin`, `/usr/pgsql-9.6/bin` or `/opt/homebrew/opt/postgresql@16/bin`.
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
    fn newest_version_comes_first_whatever_the_layout() {
        let given = paths(&[
            "/usr/local/pgsql/bin",
            "/usr/lib/postgresql/9.6/bin",
            "/usr/lib/postgresql/15/bin",
            "/usr/pgsql-17/bin",
            "/opt/homebrew/opt/postgresql@16/bin",
            "/usr/lib/postgresql/9.10/bin",
        ]);
        let wanted = paths(&[
            "/usr/pgsql-17/bin",
            "/opt/homebrew/opt/postgresql@16/bin",
            "/usr/lib/postgresql/15/bin",
            "/usr/lib/postgresql/9.10/bin",
            "/usr/lib/postgresql/9.6/bin",
            "/usr/local/pgsql/bin",
        ]);
        assert_eq!(newest(given), wanted);
    }

    #[test]
    fn nothing_found_names_the_three_ways_out() {
        let error = find_in(None, Some("/nonexistent".into()), Vec::new).unwrap_err().to_string();
        for way in ["apt-get install postgresql", "SVC_PG_BIN", "DATABASE_URL"] {
            assert!(error.contains(way), "{error}");
        }
        assert!(!error.contains('\n'), "{error}");
    }

    #[test]
    fn a_wrong_choice_is_an_error_and_an_empty_one_is_none() {
        let wrong = find_in(Some("/nonexistent".into()), None, usual);
        assert!(matches!(wrong, Err(LocalError::BadBinaries(dir)) if dir == Path::new("/nonexistent")));
        assert!(matches!(find_in(Some("".into()), None, Vec::new), Err(LocalError::NoBinaries)));
    }
}
