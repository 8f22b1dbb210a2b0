//! Imports in `src` only go down the table of layers, and never in a circle of files or of folders.

use std::path::Path;

use svc_tests::layers::{Inside, Layers, offenders};

/// The lowest layer first.
const LAYERS: &Layers = &[
    ("shared by all", &["failure", "metric_names"]),
    ("the command line", &["cli", "output", "progress"]),
    ("parts of a process", &["api_client", "connections", "open_files", "parts", "secrets", "shutdown", "telemetry"]),
    ("the database", &["database"]),
    ("what is watched", &["top"]),
    ("the two servers", &["admin", "server"]),
    ("what is served", &["mcp", "serving"]),
    ("the demo", &["demo"]),
    ("the commands", &["commands"]),
    ("the process", &["host", "lib", "main"]),
];

#[test]
fn imports_go_down_the_layers_and_in_no_circle() {
    let found = offenders(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), LAYERS, Inside::Folders);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
