use std::env;
use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use sqlx::{ConnectOptions, Connection, Row};

use super::pidfile::{PidFile, alive};
use super::*;

/// A directory that the server's user can reach, removed at the end of the test. Those of the
/// `tempfile` crate are closed to everyone but root.
pub(super) struct Temp(pub(super) PathBuf);

impl Temp {
    pub(super) fn new(name: &str) -> Self {
        let dir = Path::new("/tmp").join(format!("svc-local-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        DirBuilder::new().mode(0o755).create(&dir).unwrap();
        Self(dir)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn server_of(dir: &Path) -> Option<i32> {
    PidFile::read(&dir.join("cluster")).unwrap()?.ok().map(|file| file.pid)
}

async fn query(cluster: &Cluster, database: &str, sql: &'static str) -> String {
    let mut connection = cluster.options(database).connect().await.unwrap();
    let row = sqlx::query(sql).fetch_one(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    row.get(0)
}

#[tokio::test]
async fn the_log_shows_no_values_of_rows() {
    let temp = Temp::new("values");
    let cluster = Cluster::open(&temp.0).unwrap();
    let mut connection = cluster.options("postgres").connect().await.unwrap();
    sqlx::raw_sql("CREATE TABLE t (rfc text PRIMARY KEY)").execute(&mut connection).await.unwrap();
    for twice in [true, false] {
        let insert = sqlx::query("INSERT INTO t VALUES ($1)").bind("EKU9003173C9");
        assert_eq!(insert.execute(&mut connection).await.is_ok(), twice);
    }
    connection.close().await.unwrap();
    let log = fs::read_to_string(cluster.dir().join("postgres.log")).unwrap();
    cluster.stop().unwrap();
    assert!(log.contains("duplicate key"), "{log}");
    assert!(!log.contains("DETAIL") && !log.contains("EKU9003173C9"), "{log}");
}

#[tokio::test]
async fn an_ephemeral_cluster_works_and_leaves_nothing() {
    let cluster = Cluster::ephemeral().unwrap();
    assert!(cluster.is_owner());
    let (dir, pid) = (cluster.dir().to_path_buf(), server_of(cluster.dir()).unwrap());
    cluster.create_database("shop_1").await.unwrap();
    cluster.create_database("shop_1").await.unwrap();
    for bad in ["", "1a", "a-b", "a\"; DROP", "ñ", &"a".repeat(64)] {
        let refused = cluster.create_database(bad).await;
        assert!(matches!(refused, Err(sqlx::Error::Configuration(_))), "{bad}");
    }
    let all = "SELECT concat_ws(' ', current_database(), current_user, current_setting('fsync'), \
               current_setting('server_encoding'), current_setting('listen_addresses'), datcollate) \
               FROM pg_database WHERE datname = current_database()";
    let collate = if cfg!(target_os = "linux") { "C.UTF-8" } else { "C" };
    assert_eq!(query(&cluster, "shop_1", all).await, format!("shop_1 svc off UTF8  {collate}"));
    let (a, b, c) =
        tokio::join!(cluster.create_database("same"), cluster.create_database("same"), cluster.create_database("same"));
    a.and(b).and(c).unwrap();
    drop(cluster);
    assert!(!alive(pid));
    assert!(!dir.exists());
}

#[tokio::test]
async fn a_durable_cluster_keeps_its_data_and_is_shared() {
    let temp = Temp::new("durable");
    let dir = temp.0.join("not/yet/there");
    let first = Cluster::open(&dir).unwrap();
    first.create_database("kept").await.unwrap();
    let second = Cluster::open(&dir.join("../there")).unwrap();
    assert!(first.is_owner() && !second.is_owner());
    assert_eq!(query(&second, "kept", "SELECT current_database()::text").await, "kept");
    second.stop().unwrap();
    assert_eq!(query(&first, "kept", "SELECT current_setting('synchronous_commit')").await, "on");
    let sockets = first.address.dir.clone();
    assert_eq!(fs::metadata(&sockets).unwrap().permissions().mode() & 0o777, 0o700);
    first.stop().unwrap();
    assert!(!sockets.exists());
    let third = Cluster::open(&dir).unwrap();
    assert!(third.is_owner());
    assert_eq!(query(&third, "kept", "SELECT current_database()::text").await, "kept");
}

#[test]
fn concurrent_opens_start_one_server() {
    let temp = Temp::new("race");
    // A killed initdb leaves this.
    fs::create_dir_all(temp.0.join("cluster.new/base")).unwrap();
    let opened: Vec<Cluster> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| Cluster::open(&temp.0).unwrap())).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(opened.iter().filter(|one| one.is_owner()).count(), 1);
    assert!(!temp.0.join("cluster.new").exists());
    drop(opened);
    assert_eq!(server_of(&temp.0), None);
}

#[test]
fn a_failed_start_shows_the_log() {
    let temp = Temp::new("broken");
    Cluster::open(&temp.0).unwrap().stop().unwrap();
    fs::write(temp.0.join("cluster/postgresql.conf"), "no_such_setting = 1\n").unwrap();
    let error = Cluster::open(&temp.0).unwrap_err();
    assert!(matches!(error, ClusterError::Start { .. }), "{error}");
    assert!(error.to_string().contains("no_such_setting"), "{error}");
    let sockets = Path::new("/tmp").join(format!("svc-{}", directory::digest(&temp.0)));
    assert!(!sockets.exists());
}

#[test]
fn a_socket_directory_of_unknown_origin_is_refused() {
    let temp = Temp::new("socket");
    let user = ServerUser::for_new().unwrap();
    let sockets = Path::new("/tmp").join(format!("svc-{}", directory::digest(&temp.0)));
    std::os::unix::fs::symlink("/tmp", &sockets).unwrap();
    let refused = directory::create_socket_dir(&temp.0, &user);
    fs::remove_file(&sockets).unwrap();
    assert!(matches!(refused, Err(ClusterError::SocketDir { .. })));
    if geteuid().is_root() {
        fs::create_dir(&sockets).unwrap();
        std::os::unix::fs::chown(&sockets, Some(12345), None).unwrap();
        let refused = directory::create_socket_dir(&temp.0, &user);
        fs::remove_dir(&sockets).unwrap();
        assert!(matches!(refused, Err(ClusterError::SocketDir { .. })));
    }
    // Ours is closed to others if it was open.
    fs::create_dir(&sockets).unwrap();
    let mode =
        directory::create_socket_dir(&temp.0, &user).map(|dir| fs::metadata(dir).unwrap().permissions().mode() & 0o777);
    fs::remove_dir(&sockets).unwrap();
    assert_eq!(mode.unwrap(), 0o700);
}

#[test]
fn an_unreachable_directory_is_replaced() {
    let temp = Temp::new("reach");
    let user = ServerUser::switching_to(geteuid().as_raw() + 12345, 12345);
    let (closed, open) = (temp.0.join("closed"), temp.0.join("open"));
    for (dir, mode) in [(&closed, 0o700), (&open, 0o711)] {
        fs::create_dir(dir).unwrap();
        fs::set_permissions(dir, Permissions::from_mode(mode)).unwrap();
    }
    assert_eq!(directory::reachable(&open.join("a/b"), &user, &closed).unwrap(), open.join("a/b"));
    let wanted = closed.join("a/b");
    assert_eq!(directory::obstacle(&wanted, &user).unwrap(), Some(closed.clone()));
    let instead = directory::reachable(&wanted, &user, &open).unwrap();
    assert_eq!(instead, open.join(directory::digest(&wanted)));
    assert_eq!(directory::digest(&wanted).len(), 16);
    let error = directory::reachable(&wanted, &user, &closed).unwrap_err();
    assert!(matches!(&error, ClusterError::Unreachable { blocked, .. } if *blocked == closed), "{error}");
}

#[test]
fn a_directory_has_one_name() {
    let temp = Temp::new("names");
    let base = directory::absolute(&temp.0).unwrap();
    fs::create_dir(base.join("real")).unwrap();
    std::os::unix::fs::symlink("real", base.join("link")).unwrap();
    for name in ["link/x/y", "real/./x/y", "real/x/../x/y", "none/../real/x/y", "link/../real/x/y"] {
        assert_eq!(directory::absolute(&base.join(name)).unwrap(), base.join("real/x/y"), "{name}");
    }
    let relative = directory::absolute(Path::new("some/where")).unwrap();
    assert_eq!(relative, env::current_dir().unwrap().canonicalize().unwrap().join("some/where"));
    assert!(directory::absolute(Path::new("")).is_err());
}
