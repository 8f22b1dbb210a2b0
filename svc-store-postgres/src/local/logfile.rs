use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::identity::Identity;
use super::{LocalError, place};

/// How much of a log an error quotes.
const LINES: usize = 20;

/// How large the log may be when a server starts; the one before is kept beside it.
const LARGE: u64 = 8 << 20;

/// The log of a server, and where in it the present run begins.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    begin: u64,
}

impl Log {
    /// Opens the log in `dir` for a server about to start; gives the file for it to write to.
    pub(super) fn open(dir: &Path, who: &Identity) -> Result<(Self, File), LocalError> {
        let path = dir.join("postgres.log");
        if fs::symlink_metadata(&path).is_ok_and(|found| found.len() > LARGE) {
            let old = dir.join("postgres.log.1");
            fs::rename(&path, &old).map_err(LocalError::io("rename", &path))?;
        }
        let file = place::open_own(&path, who)?;
        let begin = file.metadata().map_err(LocalError::io("read", &path))?.len();
        Ok((Self { path, begin }, file))
    }

    /// What the present run wrote last.
    pub(super) fn tail(&self) -> String {
        let read = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(self.begin))?;
            let mut text = Vec::new();
            file.read_to_end(&mut text)?;
            Ok(last_lines(&text))
        };
        read().unwrap_or_else(|error: std::io::Error| format!("(not readable: {error})"))
    }

    /// The error for a server that did not start, for `reason`.
    pub(super) fn failure(&self, reason: String) -> LocalError {
        LocalError::Start { reason, log: self.path.clone(), tail: self.tail() }
    }
}

/// The last lines of what a program wrote.
pub(super) fn last_lines(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
