//! The verifiers that the guide shows, each run against the real signer.

use std::path::Path;
use std::process::Command;

use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::webhooks::signature;
use tempfile::TempDir;

const BODY: &str = r#"{"id":"evt_1","tipo":"cliente.creado"}"#;
const SECRET: &str = "whsec_0123456789abcdef";
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/webhooks");

/// Programs that print `true` or `false` for their last three arguments: signature, body, secret.
const SCRIPTS: &[&[&str]] = &[
    &[
        "python3",
        "-c",
        "import sys; from verify import verify; s, b, k = sys.argv[-3:]; print(str(verify(s, b.encode(), k)).lower())",
    ],
    &[
        "node",
        "--input-type=module",
        "-e",
        "import { verify } from './verify.mjs'; const [s, b, k] = process.argv.slice(-3); console.log(verify(s, Buffer.from(b), k))",
    ],
    &[
        "php",
        "-r",
        "require 'verify.php'; [$s, $b, $k] = array_slice($argv, -3); echo verify($s, $b, $k) ? 'true' : 'false';",
    ],
];

const GO: &str = r#"package main

import (
	"fmt"
	"os"
	"time"

	"check/webhooks"
)

func main() {
	given := os.Args[len(os.Args)-3:]
	fmt.Print(webhooks.Verify(given[0], []byte(given[1]), given[2], time.Now()))
}
"#;

/// Whether the machine has that program; where CI is set, it must.
pub(crate) fn has(program: &str, version: &str) -> bool {
    let has = Command::new(program).arg(version).output().is_ok_and(|output| output.status.success());
    if !has {
        assert!(std::env::var_os("CI").is_none(), "{program} is missing: sh .ci/languages installs it");
        println!("skipped: {program} is not installed, so its verifier was not run");
    }
    has
}

/// The Go verifier, compiled in `folder`.
fn built(folder: &Path) -> String {
    std::fs::create_dir(folder.join("webhooks")).unwrap();
    std::fs::copy(format!("{FOLDER}/verify.go"), folder.join("webhooks/verify.go")).unwrap();
    std::fs::write(folder.join("go.mod"), "module check\n\ngo 1.19\n").unwrap();
    std::fs::write(folder.join("main.go"), GO).unwrap();
    let output =
        Command::new("go").args(["build", "-o", "verify"]).current_dir(folder).env("GOPROXY", "off").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("verify").to_string_lossy().into_owned()
}

/// A verifier's result for a notice.
fn accepts(program: &[&str], signature: &str, body: &str) -> bool {
    let mut command = Command::new(program[0]);
    let output =
        command.current_dir(FOLDER).args(&program[1..]).args(["--", signature, body, SECRET]).output().unwrap();
    assert!(output.status.success(), "{program:?}: {}", String::from_utf8_lossy(&output.stderr));
    match String::from_utf8_lossy(&output.stdout).trim() {
        "true" => true,
        "false" => false,
        other => panic!("{program:?}: {other}"),
    }
}

#[test]
fn the_guides_verifiers_accept_only_genuine_notices() {
    let now = SystemClock.now();
    let signed = |secrets: &[&[u8]], at| signature(secrets, at, BODY.as_bytes());
    let cases = [
        (signed(&[SECRET.as_bytes()], now), BODY, true),
        // During a rotation one of the two signatures suffices.
        (signed(&[b"whsec_other", SECRET.as_bytes()], now), BODY, true),
        (signed(&[b"whsec_other"], now), BODY, false),
        (signed(&[SECRET.as_bytes()], now), "{}", false),
        (signed(&[SECRET.as_bytes()], now - chrono::TimeDelta::minutes(6)), BODY, false),
        ("t=x,v1=00".to_owned(), BODY, false),
        (String::new(), BODY, false),
    ];
    let folder = TempDir::new().unwrap();
    let go = has("go", "version").then(|| built(folder.path()));
    let go: Vec<&str> = go.iter().map(String::as_str).collect();
    let scripts = SCRIPTS.iter().copied().filter(|script| has(script[0], "--version"));
    for program in scripts.chain((!go.is_empty()).then_some(&go[..])) {
        for (signature, body, genuine) in &cases {
            assert_eq!(accepts(program, signature, body), *genuine, "{program:?}: {signature} {body}");
        }
    }
}
