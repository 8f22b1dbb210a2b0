//! The examples of deployments say what holds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};

use crate::proxies::program;

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

/// The files that a release has beside the binary, as `.ci/release` lists them.
fn released() -> BTreeSet<PathBuf> {
    fn walk(path: &Path, found: &mut BTreeSet<PathBuf>) {
        if path.is_dir() {
            for entry in std::fs::read_dir(path).unwrap() {
                walk(&entry.unwrap().path(), found);
            }
        }
        found.insert(path.canonicalize().unwrap());
    }
    let script = file("../.ci/release");
    let (_, listed) = script.split_once("\npages=(").unwrap();
    let mut found = BTreeSet::new();
    for path in listed.split_once(')').unwrap().0.split_whitespace() {
        walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path), &mut found);
    }
    found
}

#[test]
fn links_between_the_pages_of_a_release_lead_to_files_in_it() {
    let released = released();
    let mut links = 0;
    for page in released.iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let text = std::fs::read_to_string(page).unwrap();
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            let Event::Start(Tag::Link { dest_url, .. }) = event else { continue };
            let to = dest_url.split('#').next().unwrap_or_default();
            // Those of guides that begin with a slash are the server's.
            if to.is_empty() || to.starts_with('/') || to.contains(':') {
                continue;
            }
            let led = page.parent().unwrap().join(to).canonicalize();
            let is_in = led.is_ok_and(|led| {
                led.is_dir() && released.iter().any(|path| path.starts_with(&led)) || released.contains(&led)
            });
            assert!(is_in, "{}: {to} is not in the release", page.display());
            links += 1;
        }
    }
    assert!(links > 50, "{links}");
}

#[test]
fn releases_and_images_have_the_licences_of_works_of_others() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace(['<', '>'], "");
    let third_party = words(&file("../THIRD-PARTY"));
    for (path, begin) in [
        ("../svc-core/fonts/LICENSE", "Copyright"),
        ("../svc-core/src/pages/assets/README.md", "MIT License."),
        ("../svc-core/catalogos/README.md", "MIT License. Copyright"),
    ] {
        let text = file(path);
        let licence = words(&text[text.find(begin).unwrap()..]);
        assert!(third_party.contains(&licence), "THIRD-PARTY lacks that of {path}");
    }
    let released = released();
    for name in ["LICENSE", "THIRD-PARTY"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).canonicalize().unwrap();
        assert!(released.contains(&path), "{name}");
    }
    for path in ["../Dockerfile", "deploy/Dockerfile.scratch"] {
        assert!(file(path).contains("\nCOPY LICENSE THIRD-PARTY "), "{path}");
    }
}

/// Every Dockerfile of the repository.
fn dockerfiles(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("Dockerfile") {
            found.push(entry.path());
        } else if entry.file_type().unwrap().is_dir() && ![".git", "target", "node_modules"].contains(&name.as_str()) {
            dockerfiles(&entry.path(), found);
        }
    }
}

#[test]
fn images_of_others_are_named_by_digest() {
    let images = |file: &str, words: &[&str]| -> Vec<String> {
        let lines = file.lines().filter_map(|line| words.iter().find_map(|word| line.trim().strip_prefix(word)));
        lines.map(|rest| rest.split_whitespace().next().unwrap_or_default().to_owned()).collect()
    };
    let mut found = Vec::new();
    dockerfiles(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut found);
    assert_eq!(found.len(), 2, "{found:?}");
    let mut named = images(&file("../compose.yaml"), &["image: "]);
    for path in found {
        named.extend(images(&std::fs::read_to_string(path).unwrap(), &["FROM ", "COPY --from="]));
    }
    named.retain(|image| !["chef", "plan", "build", "svc", "scratch"].contains(&image.as_str()));
    assert_eq!(named.len(), 5, "{named:?}");
    for image in named {
        let digest = image.split_once("@sha256:").unwrap_or_else(|| panic!("{image} has no digest")).1;
        assert!(digest.len() == 64 && digest.chars().all(|c| c.is_ascii_hexdigit()), "{image}");
    }
}

#[test]
fn compose_publishes_to_its_own_machine_unless_tls_is_asked_for() {
    let compose = file("../compose.yaml");
    let (usual, tls) = compose.split_once("  caddy:\n").unwrap();
    let published = |part: &str| -> Vec<String> {
        part.lines().map(str::trim).filter(|line| line.starts_with("- \"")).map(str::to_owned).collect()
    };
    assert_eq!(published(usual), ["- \"127.0.0.1:8080:8080\"", "- \"127.0.0.1:9090:9090\""]);
    assert!(tls.contains("profiles: [tls]") && tls.contains("deploy/Caddyfile:/etc/caddy/Caddyfile:ro"), "{tls}");
    assert_eq!(published(tls), ["- \"80:80\"", "- \"443:443\"", "- \"443:443/udp\""]);
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

/// The names in a text that begin like this, without the suffixes of a histogram's parts.
fn names_in(text: &str, prefix: &str) -> BTreeSet<String> {
    let names = text.match_indices(prefix).map(|(at, _)| {
        let name: String = text[at..].chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
        ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part)).unwrap_or(&name).to_owned()
    });
    names.collect()
}

/// The names of the metrics, from where the code declares them.
fn metrics() -> BTreeSet<String> {
    let declared = ["../svc-core/src/observe.rs", "src/metric_names.rs"].map(file).concat();
    let constants = declared.lines().filter(|line| line.contains(" const ") && line.contains(": &str = \"svc_"));
    // The name of a target is none of a metric.
    constants.flat_map(|line| names_in(line, "svc_")).filter(|name| name != "svc_core").collect()
}

#[test]
fn dashboard_and_alerts_ask_for_metrics_that_there_are_and_show_all() {
    let (known, dashboard) = (metrics(), file("deploy/monitoring/grafana.json"));
    assert!(known.len() > 18, "{known:?}");
    let rules = ["deploy/monitoring/rules.yaml", "deploy/monitoring/rules.test.yaml"].map(file).concat();
    assert_eq!(names_in(&dashboard, "svc_"), known);
    let unknown: Vec<_> = names_in(&rules, "svc_").difference(&known).cloned().collect();
    assert_eq!(unknown, [""; 0]);
    // Those of the process are a library's.
    let process = names_in(&(dashboard + &rules), "process_");
    let known = ["process_cpu_seconds_total", "process_max_fds", "process_open_fds", "process_resident_memory_bytes"];
    assert_eq!(process.iter().map(String::as_str).collect::<Vec<_>>(), known);
}

#[test]
fn prometheus_understands_alerts_and_dashboard() {
    let Some(promtool) = program("promtool") else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/monitoring");
    let run = |args: &[&str]| {
        let output = Command::new(&promtool).args(args).current_dir(&folder).output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(output.status.success(), "{args:?}: {said}");
    };
    run(&["check", "rules", "rules.yaml"]);
    run(&["test", "rules", "rules.test.yaml"]);
    // Every question of the dashboard, as a rule.
    let dashboard: Value = serde_json::from_str(&file("deploy/monitoring/grafana.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array()).flatten();
    let questions = targets.map(|target| target["expr"].as_str().unwrap().replace("$__rate_interval", "5m"));
    let rules: Vec<Value> =
        questions.enumerate().map(|(at, expr)| json!({"record": format!("panel:{at}"), "expr": expr})).collect();
    assert!(rules.len() > 25, "{}", rules.len());
    let made = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(made.path(), json!({"groups": [{"name": "dashboard", "rules": rules}]}).to_string()).unwrap();
    run(&["check", "rules", made.path().to_str().unwrap()]);
}

#[test]
fn kubernetes_keeps_a_copy_and_scrapes_all() {
    let kubernetes = file("deploy/kubernetes.yaml");
    let of = |kind: &str| -> Vec<&str> {
        let line = format!("\nkind: {kind}\n");
        kubernetes.split("\n---\n").filter(|part| part.contains(&line)).collect()
    };
    let kinds = ["Job", "Deployment", "PodDisruptionBudget", "Service", "NetworkPolicy", "ServiceMonitor"];
    assert_eq!(kinds.map(|kind| of(kind).len()), [1, 1, 1, 2, 1, 1]);
    assert!(number(of("PodDisruptionBudget")[0], "minAvailable: ") < number(of("Deployment")[0], "replicas: "));
    let labels = "{app.kubernetes.io/name: svc, app.kubernetes.io/component: admin}";
    assert!(of("ServiceMonitor")[0].contains(&format!("matchLabels: {labels}")));
    let admin = of("Service").into_iter().find(|part| part.contains("name: svc-admin")).unwrap();
    assert!(
        admin.contains(&format!("labels: {labels}")) && admin.contains("{name: admin, port: 9090, targetPort: admin}")
    );
}

#[test]
fn kubernetes_knows_every_field() {
    let Some(python) = std::env::var_os("SVC_PYTHON") else {
        println!("skipped: SVC_PYTHON names no Python with kubernetes-validate");
        return;
    };
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/kubernetes.yaml");
    // It does not know the ServiceMonitor, which is another project's.
    let validate = Path::new(&python).with_file_name("kubernetes-validate");
    let output = Command::new(validate).args(["--strict", "--quiet", "--no-warn"]).arg(example).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
