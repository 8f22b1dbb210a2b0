//! The limit of open files, which bounds how many connections there can be.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Raises the process's limit of open files as far as it may, and returns it.
///
/// Many systems start processes with a low limit (1024) that each may raise, since programs that use `select` break beyond it; this
/// one does not.
pub(crate) fn raise_limit() -> usize {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return usize::MAX };
    let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_ok();
    usize::try_from(if raised { hard } else { soft }).unwrap_or(usize::MAX)
}
