//! The limit of open files, which bounds the number of connections.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Raises the process's limit of open files to the maximum, and returns it.
///
/// Many systems start processes with a low limit (1024) because programs that use `select` break
/// beyond it; this one does not use it.
pub(crate) fn raise_limit() -> usize {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return usize::MAX };
    let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_ok();
    usize::try_from(if raised { hard } else { soft }).unwrap_or(usize::MAX)
}
