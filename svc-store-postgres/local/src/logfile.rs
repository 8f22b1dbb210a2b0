use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::user::ServerUser;
use super::{ClusterError, directory};

/// An error quotes this many of a log's lines.
const QUOTED_LINES: usize = 20;

/// A log of more bytes is rotated when a server starts.
const MAX_BYTES: u64 = 8 << 20;

/// The log of a server, which may begin with earlier runs.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    /// The offset of the present run.
    begin: u64,
}

impl Log {
    /// Opens the log in `dir` for a server about to start; returns the file for its output too.
    pub(super) fn open(dir: &Path, user: &ServerUser) -> Result<(Self, File), ClusterError> {
        let path = dir.join("postgres.log");
        if fs::symlink_metadata(&path).is_ok_and(|found| found.len() > MAX_BYTES) {
            let old = dir.join("postgres.log.1");
            fs::rename(&path, &old).map_err(ClusterError::io("rename", &path))?;
        }
        let file = directory::open_own(&path, user)?;
        let begin = file.metadata().map_err(ClusterError::io("read", &path))?.len();
        Ok((Self { path, begin }, file))
    }

    /// The last lines of the present run.
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

    /// The error of a server that did not start.
    pub(super) fn failure(&self, reason: String) -> ClusterError {
        ClusterError::Start { reason, log: self.path.clone(), tail: self.tail() }
    }
}

pub(super) fn last_lines(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(QUOTED_LINES)..].join("\n")
}
