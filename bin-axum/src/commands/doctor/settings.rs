//! The environment.

use std::collections::BTreeSet;

use clap::CommandFactory as _;

use super::findings::Findings;
use crate::cli::Cli;

/// Settings that are no flag of a command: of a library, and of the proxy in
/// `deploy/Caddyfile`, which `.env` may hold beside the server's.
const OTHERS: [&str; 3] = ["SVC_PG_BIN", "SVC_DOMAIN", "SVC_UPSTREAM"];

/// What Kubernetes sets in every container for a service of this name.
const OF_KUBERNETES: [&str; 2] = ["SVC_SERVICE_", "SVC_PORT"];

/// Notes names that no command knows: a setting that is misspelt has no effect.
pub(super) fn check(findings: &mut Findings) {
    let known = known();
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut unknown: Vec<_> = names.filter(|name| is_unknown(name, &known)).collect();
    unknown.sort_unstable();
    for name in unknown {
        findings.note(format_args!("{name} is no setting of this program"));
    }
}

fn is_unknown(name: &str, known: &BTreeSet<String>) -> bool {
    name.starts_with("SVC_")
        && !known.contains(name)
        && !OTHERS.contains(&name)
        && !OF_KUBERNETES.iter().any(|prefix| name.starts_with(prefix))
}

/// The environment variables of all commands' flags.
fn known() -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut commands = vec![Cli::command()];
    while let Some(command) = commands.pop() {
        let names = command.get_arguments().filter_map(|flag| flag.get_env()?.to_str());
        known.extend(names.map(str::to_owned));
        commands.extend(command.get_subcommands().cloned());
    }
    known
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The names in a text that begin with `SVC_` and go on.
    fn names_in(text: &str) -> BTreeSet<&str> {
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        text.split(is_other).filter(|word| word.len() > 4 && word.starts_with("SVC_")).collect()
    }

    #[test]
    fn deployments_name_settings_that_there_are() {
        let known = known();
        for (file, some) in [
            ("../compose.yaml", "SVC_DATABASE_PRIVATE_HOSTS"),
            ("../.env.example", "SVC_SMTP_URL"),
            ("deploy/Caddyfile", "SVC_UPSTREAM"),
            ("deploy/Dockerfile.scratch", ""),
            ("../Dockerfile", ""),
            ("deploy/kubernetes.yaml", "SVC_DRAIN_DELAY"),
            ("deploy/nginx.conf", "SVC_TRUSTED_PROXIES"),
            ("deploy/svc.service", "SVC_LOG_FORMAT"),
        ] {
            let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
            let names = names_in(&text);
            assert!(some.is_empty() || names.contains(some), "{file}: {names:?}");
            let unknown: Vec<_> = names.into_iter().filter(|name| is_unknown(name, &known)).collect();
            assert!(unknown.is_empty(), "{file}: {unknown:?}");
        }
    }

    #[test]
    fn only_misspelt_settings_are_unknown() {
        let known = known();
        for name in ["SVC_STAMPER", "SVC_RATE_PER_MINUTE", "SVC_MCP_LISTEN", "SVC_PG_BIN", "SVC_SERVICE_HOST", "PATH"] {
            assert!(!is_unknown(name, &known), "{name}");
        }
        for name in ["SVC_RATE_PER_MINTE", "SVC_STAMPER_PASSWORD", "SVC_"] {
            assert!(is_unknown(name, &known), "{name}");
        }
    }
}
