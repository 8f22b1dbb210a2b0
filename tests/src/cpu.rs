//! CPU time and memory of processes, as Linux reports them (proc(5)); zero elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use sqlx::PgPool;

/// The kernel counts CPU time in hundredths of a second (`sysconf(_SC_CLK_TCK)` on every Linux).
const TICK: Duration = Duration::from_millis(10);

/// CPU time of a process (its id, or `self`): user and system, of all its threads.
pub fn of_process(process: &str) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u32>().ok());
    ticks.map(|ticks| TICK * ticks).sum()
}

/// The file in which the kernel reports on the calling thread.
pub fn this_thread() -> String {
    let link = fs::read_link("/proc/thread-self").unwrap_or_default();
    link.to_string_lossy().into_owned()
}

/// How long a thread, or a process of one thread, has been on a CPU: to the nanosecond.
pub fn of_thread(thread: &str) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{thread}/schedstat")).unwrap_or_default();
    Duration::from_nanos(stat.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or_default())
}

/// CPU time of each of PostgreSQL's processes. The asking session counts too: the next time another
/// one may ask, and all that this one ever spent would count as new.
pub async fn of_sessions(pool: &PgPool) -> BTreeMap<i32, Duration> {
    let pids: Vec<i32> =
        sqlx::query_scalar("SELECT pid FROM pg_stat_activity").fetch_all(pool).await.expect("the sessions");
    pids.into_iter().map(|pid| (pid, of_thread(&pid.to_string()))).collect()
}

/// CPU time between two results of [`of_sessions`].
pub fn spent(before: &BTreeMap<i32, Duration>, after: &BTreeMap<i32, Duration>) -> Duration {
    after.iter().map(|(pid, spent)| spent.saturating_sub(before.get(pid).copied().unwrap_or_default())).sum()
}

/// Memory of a process in MB: current, and peak.
pub fn memory(process: &str) -> (u64, u64) {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or_default() / 1024
    };
    (of("VmRSS:"), of("VmHWM:"))
}
