//! Imports go one way: down the tables below, and never in a circle of folders.

use std::path::Path;

use svc_tests::layers::{Inside, Layers, offenders, offenders_among, repeated_types};

/// The lowest layer first.
const CORE: &Layers = &[
    ("errors, bodies and schemas", &["error", "json", "schema"]),
    ("the domain", &["domain"]),
    ("records", &["record"]),
    ("what anything may use", &["budget", "compute", "observe", "outbound", "secrets", "testing"]),
    ("what is asked of a store", &["store"]),
    ("what was used", &["usage"]),
    ("context and operation engine", &["context", "operation"]),
    ("leases of background work", &["leases"]),
    ("books", &["posting"]),
    ("passes over backlogs", &["cleanup", "mail", "stamping", "subscribers", "webhooks"]),
    ("operations", &["operations"]),
    ("their registry", &["registry"]),
    ("HTTP's way through", &["pipeline"]),
    ("the service, and all work beside it", &["service", "work"]),
    ("the interface's description", &["openapi"]),
    ("the back office over HTTP, which lists its actions", &["office"]),
    ("agents, and pages for people", &["mcp", "pages"]),
    ("settings of front ends", &["settings"]),
    ("random input for all of it", &["fuzz"]),
    ("the crate", &["lib"]),
];

/// The lowest layer first: all SQL is above the code that runs statements.
const POSTGRES: &Layers = &[
    (
        "parameters, rows, statements, errors",
        &["error", "fragment", "parameter", "part", "row", "run", "sql", "statistics", "value", "xml"],
    ),
    ("settings", &["settings"]),
    ("connections", &["pool", "searches"]),
    ("where statements run", &["database", "probe", "replica", "schema", "tls"]),
    ("the store", &["store"]),
    ("transactions", &["copy", "events", "transaction"]),
    ("a host's own tables", &["host"]),
    ("copies of companies", &["fork"]),
    ("statements of any record", &["page", "stored"]),
    (
        "statements of each area",
        &[
            "accounting",
            "books",
            "cancellation",
            "certificate",
            "companies",
            "company",
            "correction",
            "credit",
            "customer",
            "discard",
            "import",
            "invoice",
            "list",
            "owner",
            "payment",
            "printed",
            "product",
            "purchase",
            "queue",
            "receivable",
            "report",
            "request",
            "request_log",
            "restored",
            "retention",
            "sale",
            "secrets",
            "service",
            "sources",
            "stamping",
            "subscription",
            "ticket",
            "usage",
            "webhook",
        ],
    ),
    ("a part that hosts switch on", &["metadata"]),
    ("what it answers", &["lib", "reader"]),
];

/// The lowest layer first.
const LAMBDA: &Layers = &[
    ("settings and words", &["config", "task"]),
    ("events", &["event"]),
    ("requests and responses", &["request", "response"]),
    ("scheduled work", &["schedule"]),
    ("the function", &["function"]),
    ("the process", &["lib", "main"]),
];

fn check(krate: &str, layers: &Layers) {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("src");
    let found = offenders(&src, layers, Inside::Nothing);
    assert!(found.is_empty(), "{krate}:\n{}", found.join("\n"));
}

#[test]
fn the_library_imports_one_way() {
    check("svc-core", CORE);
}

#[test]
fn the_store_imports_one_way() {
    check("svc-store-postgres", POSTGRES);
}

#[test]
fn the_function_imports_one_way() {
    check("bin-lambda", LAMBDA);
}

#[test]
fn a_type_s_name_is_unique_in_its_crate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates =
        ["svc-core", "svc-core/macros", "svc-store-postgres", "svc-store-postgres/local", "bin-axum", "bin-lambda"];
    let repeated = crates.map(|krate| (krate, repeated_types(&root.join(krate).join("src"))));
    assert_eq!(repeated, crates.map(|krate| (krate, Vec::new())));
    assert_eq!(repeated_types(&root.join("tests/it")), Vec::<String>::new());
}

/// A table of invented files.
const BINARY: &Layers = &[
    ("the command line", &["cli"]),
    ("the two servers", &["admin", "server"]),
    ("the demo", &["demo"]),
    ("the process", &["main"]),
];

#[test]
fn a_reversed_import_is_found() {
    let of = |files: &[(&str, &str)]| offenders_among(files, BINARY, Inside::Folders);
    assert_eq!(of(&[("main", "mod cli;\nmod demo;"), ("cli", ""), ("demo", "use crate::cli::Cli;")]), [""; 0]);
    assert_eq!(
        of(&[("cli", "fn f() { crate::demo::run(); }"), ("demo/mod", "mod access;"), ("demo/access", "")]),
        ["cli (the command line) imports demo/mod (the demo)"]
    );
    assert_eq!(of(&[("news", "")]), ["news is in no layer"]);
    assert_eq!(
        of(&[
            ("demo/mod", "mod a; mod b;"),
            ("demo/a", "use super::{b::B, b::{self}};"),
            ("demo/b", "use super::a::A;")
        ]),
        ["in src/demo/: demo/a → demo/b → demo/a"]
    );
    assert_eq!(
        of(&[("demo/mod", "mod guide;\n pub(in super::super) struct A;"), ("demo/guide", "use super::A;")]),
        ["in src/demo/: demo/guide → demo/mod → demo/guide"]
    );
    // The files make no circle, but their folders do.
    let folders = [
        ("server/mod", "use crate::admin::names;"),
        ("server/retry", ""),
        ("admin/mod", "use crate::server::retry;"),
        ("admin/names", ""),
    ];
    assert_eq!(of(&folders), ["in src/: admin → server → admin"]);
    let no_imports = r##"
        // use crate::demo::A;
        /* use crate::demo::A; */
        const A: (&str, &str, char) = ("\"use crate::demo::A;", r#"" use crate::demo::A"#, '"');
        #[cfg(test)]
        mod tests { use crate::demo::A; }"##;
    assert_eq!(of(&[("cli", no_imports), ("demo", "")]), [""; 0]);
}
