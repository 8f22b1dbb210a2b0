//! The binary behind PgBouncer in transaction mode.

use serde_json::json;
use svc_local_postgres::Cluster;
use svc_tests::pooler::PgBouncer;

use crate::harness::Svc;

#[test]
fn everything_but_migrations_runs_behind_a_pooler() {
    let svc = Svc::new();
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    let options = cluster.options("postgres");
    let socket = options.get_socket().unwrap();
    let Some(bouncer) = PgBouncer::start(socket) else { return };
    let url = |dir: &std::path::Path, port: u16| {
        format!("postgres:///postgres?host={}&port={port}&user=svc&sslmode=disable", dir.display())
    };
    let through = bouncer.options("postgres");
    let pooled = url(through.get_socket().unwrap(), through.get_port());
    let direct = url(socket, options.get_port());
    let settings = ["--database-url", &pooled, "--pooler", "transaction"];
    let past = [&settings[..], &["--database-direct-url", &direct]].concat();

    let refused = svc.run(&[&settings[..], &["migrate"]].concat(), "");
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert!(stderr.contains("DATABASE_DIRECT_URL") && stderr.trim_end().lines().count() == 1, "{stderr}");
    assert!(svc.ok(&[&past[..], &["migrate"]].concat())["migraciones"].as_u64().unwrap() > 0);
    assert_eq!(svc.ok(&[&settings[..], &["migrate"]].concat()), json!({ "migraciones": 0 }), "there are none to do");

    svc.ok(&[&settings[..], &["company", "create", "--name", "Uno"]].concat());
    let key = svc.ok(&[&settings[..], &["key", "create", "--company", "1", "--scopes", "all"]].concat());
    // An unreachable replica costs no answer.
    let nobody = url(svc.dir.path(), 1);
    let mut served = svc.serve(&[&settings[..], &["--database-replica-url", &nobody]].concat(), key);
    for at in 0..5 {
        let (status, made) = served.post("/clientes", &format!("k{at}"), r#"{"nombre":"Ana"}"#);
        assert_eq!(status, 201, "{made}");
    }
    assert_eq!(served.get("/clientes")["datos"].as_array().unwrap().len(), 5);
    served.child.kill().unwrap();
    served.child.wait().unwrap();

    let alone = svc.run(&["--database-url", "", "--database-replica-url", &direct, "migrate"], "");
    let stderr = String::from_utf8_lossy(&alone.stderr);
    assert!(stderr.contains("DATABASE_URL"), "a replica of what? {stderr}");
}
