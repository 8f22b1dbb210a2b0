//! A cluster when the process that started it is killed.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::pidfile::alive;
use super::tests::{Temp, server_of};
use super::*;

/// Names the directory for the process that [`Victim::start`] starts.
const DIR_VARIABLE: &str = "SVC_LOCAL_TEST_DIR";

/// A process of this test binary that holds a cluster until it is killed.
struct Victim {
    child: Child,
    /// The process id of its server.
    server: i32,
    dir: PathBuf,
}

impl Victim {
    /// Opens the cluster in `dir`, or a throw-away one if `dir` is `-`.
    fn start(dir: &str) -> Self {
        let name = format!("{}::victim", module_path!().split_once("::").unwrap().1);
        let mut child = Command::new(env::current_exe().unwrap())
            .args([&name, "--exact", "--nocapture", "--ignored"])
            .env(DIR_VARIABLE, dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let found = lines.map_while(Result::ok).find_map(|line| line.split_once("HOLDS ").map(|(_, at)| at.to_owned()));
        let dir = PathBuf::from(found.expect("the other process has a cluster"));
        Self { child, server: server_of(&dir).unwrap(), dir }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The process that [`Victim::start`] starts, not a test.
#[test]
#[ignore = "run by other tests"]
fn victim() {
    let Ok(dir) = env::var(DIR_VARIABLE) else { return };
    let cluster = if dir == "-" { Cluster::ephemeral() } else { Cluster::open(Path::new(&dir)) }.unwrap();
    assert!(cluster.is_owner());
    println!("\nHOLDS {}", cluster.dir().display());
    sleep(Duration::from_mins(1));
}

fn gone_soon(pid: i32) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(5) {
        if !alive(pid) {
            return true;
        }
        sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn the_server_of_a_killed_process_stops() {
    let temp = Temp::new("killed");
    let mut victim = Victim::start(temp.0.to_str().unwrap());
    let attached = Cluster::open(&temp.0).unwrap();
    assert!(!attached.is_owner());
    victim.kill();
    // At once, while the server is still stopping.
    let next = Cluster::open(&temp.0).unwrap();
    let own = server_of(&temp.0).unwrap();
    assert!(next.is_owner());
    assert_ne!(own, victim.server);
    assert!(gone_soon(victim.server));
    assert!(attached.stop().is_ok() && alive(own));
    next.stop().unwrap();
    assert!(!alive(own));

    // The server is killed too, and its files remain.
    let mut victim = Victim::start(temp.0.to_str().unwrap());
    kill(Pid::from_raw(victim.server), Signal::SIGKILL).unwrap();
    victim.kill();
    assert!(gone_soon(victim.server));
    assert!(temp.0.join("cluster/postmaster.pid").exists());
    assert!(Cluster::open(&temp.0).unwrap().is_owner());
}

#[test]
fn the_throw_away_cluster_of_a_killed_process_is_removed() {
    let mut victim = Victim::start("-");
    victim.kill();
    assert!(gone_soon(victim.server));
    let started = Instant::now();
    while victim.dir.exists() {
        assert!(started.elapsed() < Duration::from_secs(30), "{} stays", victim.dir.display());
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn directories_of_processes_that_are_gone_are_swept() {
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let left = env::temp_dir().join(format!("svc-test-{}-0", gone.id()));
    fs::create_dir_all(left.join("cluster")).unwrap();
    scratch::sweep();
    assert!(!left.exists());
}

#[test]
fn the_process_id_of_a_dead_server_may_be_reused() {
    let temp = Temp::new("number");
    Cluster::open(&temp.0).unwrap().stop().unwrap();
    let mut command = Command::new("sleep");
    ServerUser::for_cluster(&temp.0).unwrap().apply_to(&mut command);
    let mut other = command.arg("60").spawn().unwrap();
    let file = temp.0.join("cluster/postmaster.pid");
    let stale = format!("{}\n/data\n1700000000\n5432\n/nonexistent\n\n1 1\nready\n", other.id());
    fs::write(&file, &stale).unwrap();
    let first = Cluster::open(&temp.0).map(|cluster| cluster.is_owner());
    // Ended, and not waited for.
    other.kill().unwrap();
    fs::write(&file, &stale).unwrap();
    let second = Cluster::open(&temp.0).map(|cluster| cluster.is_owner());
    other.wait().unwrap();
    assert!(first.unwrap() && second.unwrap());
}
