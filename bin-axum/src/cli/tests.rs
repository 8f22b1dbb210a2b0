//! The page of settings, `docs/settings.md`: generated from the command line, so that the two
//! agree.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::Cli;
use super::settings::DEFAULT_ADDRESS;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/settings.md");

/// If set, the page is rewritten.
const REWRITE: &str = "SVC_REWRITE_DOCS";

#[test]
fn the_page_of_settings_says_what_the_command_line_takes() {
    let page = page(&Cli::command());
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let written = std::fs::read_to_string(PAGE).unwrap_or_default();
    let stale = format!("docs/settings.md is stale; {REWRITE}=1 cargo test -p bin-axum --lib rewrites it");
    for (written, expected) in written.lines().zip(page.lines()) {
        assert_eq!(written, expected, "{stale}");
    }
    assert!(written == page, "{stale}");
}

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

/// A row of the table.
struct Setting {
    flag: String,
    variable: String,
    default: String,
    does: String,
    commands: Vec<String>,
}

impl Setting {
    /// An argument as a setting; none if it has no environment variable, and so belongs to its
    /// command.
    fn of(arg: &Arg, command: &str) -> Option<Self> {
        let variable = arg.get_env()?.to_str()?.to_owned();
        let secret = if arg.is_hide_env_values_set() { " Secret." } else { "" };
        let values: Vec<_> = match arg.get_action() {
            ArgAction::Set => arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect(),
            _ => Vec::new(),
        };
        let values = if values.is_empty() { String::new() } else { format!(" One of {}.", values.join(", ")) };
        let help = arg.get_help()?.to_string();
        Some(Self {
            flag: format!("--{}", arg.get_long()?),
            default: default_of(arg, &variable),
            variable,
            does: format!(
                "{}.{values}{secret}",
                help.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
            ),
            commands: vec![command.to_owned()],
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.flag, &self.variable, &self.default, &self.does)
            == (&other.flag, &other.variable, &other.default, &other.does)
    }
}

fn default_of(arg: &Arg, variable: &str) -> String {
    let values: Vec<_> = arg.get_default_values().iter().filter_map(|value| value.to_str()).collect();
    match (values.join(","), arg.get_action()) {
        // Known to the code only, since a port goes before it.
        _ if variable == "SVC_LISTEN" => format!("`{DEFAULT_ADDRESS}`"),
        (_, ArgAction::SetTrue) => "`false`".to_owned(),
        (value, _) if value.is_empty() => "–".to_owned(),
        (value, _) => format!("`{value}`"),
    }
}

fn page(cli: &Command) -> String {
    let mut settings: Vec<Setting> = Vec::new();
    let all = cli.get_arguments().filter_map(|arg| Setting::of(arg, "all"));
    let own = cli.get_subcommands().flat_map(|command| {
        assert!(command.get_subcommands().all(|part| part.get_arguments().all(|arg| arg.get_env().is_none())));
        command.get_arguments().filter_map(|arg| Setting::of(arg, &format!("`{}`", command.get_name())))
    });
    for setting in all.chain(own) {
        match settings.iter_mut().find(|known| known.is_same(&setting)) {
            Some(known) => known.commands.extend(setting.commands),
            None => settings.push(setting),
        }
    }
    let mut page = format!(
        "# Settings of `svc`\n\n\
         Every setting is a flag and an environment variable; the flag has precedence.\n\
         `{REWRITE}=1 cargo test -p bin-axum --lib` generates this page from the command line; the\n\
         tests fail if it is stale.\n\n\
         | flag | environment | default | what it does | commands |\n|---|---|---|---|---|\n"
    );
    for Setting { flag, variable, default, does, commands } in settings {
        let commands = commands.join(" ");
        writeln!(page, "| `{flag}` | `{variable}` | {default} | {does} | {commands} |").unwrap();
    }
    page.push_str(
        "\nLibraries read these variables: `RUST_LOG` (the log filter; `info,sqlx=warn`), `SSL_CERT_FILE` (more\n\
         certificate authorities), `SVC_PG_BIN` (the folder of PostgreSQL's binaries, for the private server)\n\
         and, with the cargo feature `otlp`, `OTEL_EXPORTER_OTLP_ENDPOINT` and OpenTelemetry's other variables.\n",
    );
    page
}
