use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, fchown, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::unistd::{User, getegid, geteuid};

use super::ClusterError;

/// The operating-system user that the server runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ServerUser {
    uid: u32,
    gid: u32,
    /// True if we are root and switch to this user; otherwise the user is our own.
    switch: bool,
}

impl ServerUser {
    /// Picks the owner of the cluster in `dir`, since PostgreSQL starts for no other user, or the
    /// user for a new one.
    pub(super) fn for_cluster(dir: &Path) -> Result<Self, ClusterError> {
        let cluster = dir.join("cluster");
        match fs::symlink_metadata(&cluster) {
            Ok(found) if geteuid().is_root() && found.is_dir() && found.uid() != 0 => {
                Ok(Self { uid: found.uid(), gid: found.gid(), switch: true })
            }
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Err(ClusterError::io("read", &cluster)(error))
            }
            _ => Self::for_new(),
        }
    }

    /// Picks ourselves, unless we are root.
    pub(super) fn for_new() -> Result<Self, ClusterError> {
        if !geteuid().is_root() {
            return Ok(Self { uid: geteuid().as_raw(), gid: getegid().as_raw(), switch: false });
        }
        let named = |name| User::from_name(name).ok().flatten().filter(|user| !user.uid.is_root());
        let user = named("postgres").or_else(|| named("nobody")).ok_or(ClusterError::NoUser)?;
        Ok(Self { uid: user.uid.as_raw(), gid: user.gid.as_raw(), switch: true })
    }

    pub(super) fn switches(&self) -> bool {
        self.switch
    }

    pub(super) fn uid(&self) -> u32 {
        self.uid
    }

    /// Makes `command` run as this user. The standard library drops root's supplementary groups
    /// before it changes the user id.
    pub(super) fn apply_to(&self, command: &mut Command) {
        if self.switch {
            command.uid(self.uid).gid(self.gid);
        }
    }

    /// Makes this user the owner of `path`, which we created; does not follow a link.
    pub(super) fn own(&self, path: &Path) -> Result<(), ClusterError> {
        if self.switch {
            lchown(path, Some(self.uid), Some(self.gid)).map_err(ClusterError::io("change the owner of", path))?;
        }
        Ok(())
    }

    /// Makes this user the owner of `file`, which we created at `path`.
    pub(super) fn own_file(&self, file: &File, path: &Path) -> Result<(), ClusterError> {
        if self.switch {
            fchown(file, Some(self.uid), Some(self.gid)).map_err(ClusterError::io("change the owner of", path))?;
        }
        Ok(())
    }

    /// Returns whether this user may enter a directory with this mode, owner and group. Only the
    /// primary group counts, as the server has no other.
    pub(super) fn may_enter(&self, mode: u32, owner: u32, group: u32) -> bool {
        let bit = if owner == self.uid {
            0o100
        } else if group == self.gid {
            0o010
        } else {
            0o001
        };
        mode & bit != 0
    }
}

#[cfg(test)]
impl ServerUser {
    pub(super) fn switching_to(uid: u32, gid: u32) -> Self {
        Self { uid, gid, switch: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_class_of_permissions_decides() {
        let user = ServerUser::switching_to(101, 104);
        assert!(user.may_enter(0o755, 0, 0));
        assert!(!user.may_enter(0o700, 0, 0));
        assert!(user.may_enter(0o711, 0, 0));
        assert!(user.may_enter(0o710, 0, 104));
        assert!(!user.may_enter(0o701, 0, 104), "the group's bits, not the others'");
        assert!(user.may_enter(0o700, 101, 0));
        assert!(!user.may_enter(0o677, 101, 104), "the owner's bits, not the others'");
    }
}
