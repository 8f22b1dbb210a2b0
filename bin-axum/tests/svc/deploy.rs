//! The examples of deployments say what holds.

use std::path::Path;

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The number after the first such text.
fn number(text: &str, after: &str) -> u32 {
    let rest = text.split_once(after).unwrap_or_else(|| panic!("no {after:?}")).1;
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// What PostgreSQL allows clients by default: 100, less 3 for superusers.
const CONNECTIONS: u32 = 97;

#[test]
fn all_copies_together_fit_into_the_database() {
    let (kubernetes, settings) = (file("deploy/kubernetes.yaml"), file("docs/settings.md"));
    let each = number(&kubernetes, "SVC_MAX_CONNECTIONS, value: \"");
    assert_eq!(each, number(&settings, "`SVC_MAX_CONNECTIONS` | `"));
    assert_eq!(each, number(&file("deploy/README.md"), "`SVC_MAX_CONNECTIONS` ("));
    let copies = number(&kubernetes, "replicas: ") + number(&kubernetes, "maxSurge: ");
    let all = copies * each + 2;
    assert_eq!(all, number(&kubernetes, "two of the Job's come to "));
    assert!(all <= CONNECTIONS, "{all}");
    assert!(!file("../compose.yaml").contains("SVC_MAX_CONNECTIONS") && each <= CONNECTIONS);
}

#[test]
fn images_of_others_are_named_by_digest() {
    let images = |file: &str, word: &str| -> Vec<String> {
        let lines = file.lines().filter_map(|line| line.trim().strip_prefix(word));
        lines.map(|rest| rest.split_whitespace().next().unwrap_or_default().to_owned()).collect()
    };
    let mut named = images(&file("../Dockerfile"), "FROM ");
    named.extend(images(&file("../compose.yaml"), "image: "));
    named.retain(|image| !["chef", "svc"].contains(&image.as_str()));
    assert_eq!(named.len(), 3, "{named:?}");
    for image in named {
        let digest = image.split_once("@sha256:").unwrap_or_else(|| panic!("{image} has no digest")).1;
        assert!(digest.len() == 64 && digest.chars().all(|c| c.is_ascii_hexdigit()), "{image}");
    }
}

#[test]
fn compose_publishes_to_its_own_machine_only() {
    let compose = file("../compose.yaml");
    let published: Vec<&str> = compose.lines().map(str::trim).filter(|line| line.starts_with("- \"")).collect();
    assert_eq!(published, ["- \"127.0.0.1:8080:8080\"", "- \"127.0.0.1:9090:9090\""]);
}

#[test]
fn systemd_does_not_give_up() {
    let unit = file("deploy/svc.service");
    let (head, service) = unit.split_once("[Service]").unwrap();
    assert!(head.contains("\nStartLimitIntervalSec=0\n") && service.contains("\nRestart=on-failure\n"), "{unit}");
    let stop = number(service, "TimeoutStopSec=");
    assert!(stop > number(&file("docs/settings.md"), "`SVC_SHUTDOWN_DEADLINE` | `"));
}

#[test]
fn only_monitoring_reaches_the_operators_port() {
    let kubernetes = file("deploy/kubernetes.yaml");
    let policy = kubernetes.split("\n---\n").find(|part| part.contains("kind: NetworkPolicy")).unwrap();
    let (open, restricted) = policy.split_once("- from:").unwrap();
    assert!(open.contains("ports: [{port: http}]") && !open.contains("port: admin"), "{open}");
    assert!(restricted.contains("namespaceSelector") && restricted.contains("ports: [{port: admin}]"), "{restricted}");
}
