//! The verifiers that the guide shows, each run on what the real signer signed.

use std::process::Command;

use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::webhooks::signature;

const BODY: &str = r#"{"id":"evt_1","tipo":"cliente.creado"}"#;
const SECRET: &str = "whsec_0123456789abcdef";

/// Runs a verifier: `program` prints `true` or `false` for the signature, the body and the secret among its arguments.
fn judged(program: &str, script: &str, signature: &str, body: &str) -> Option<bool> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/webhooks");
    let flag = if program == "php" {
        "-r"
    } else if program == "python3" {
        "-c"
    } else {
        "--input-type=module"
    };
    let mut command = Command::new(program);
    command.current_dir(folder).arg(flag);
    if program == "node" {
        command.arg("-e");
    }
    let output = command.args([script, "--", signature, body, SECRET]).output().ok()?;
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).trim() == "true")
}

#[test]
fn the_guide_s_verifiers_take_what_is_genuine_and_nothing_else() {
    let now = SystemClock.now();
    let signed = |secrets: &[&[u8]], at| signature(secrets, at, BODY.as_bytes());
    let cases = [
        (signed(&[SECRET.as_bytes()], now), BODY, true),
        // During a rotation one of both is enough.
        (signed(&[b"whsec_other", SECRET.as_bytes()], now), BODY, true),
        (signed(&[b"whsec_other"], now), BODY, false),
        (signed(&[SECRET.as_bytes()], now), "{}", false),
        (signed(&[SECRET.as_bytes()], now - chrono::TimeDelta::minutes(6)), BODY, false),
        ("t=x,v1=00".to_owned(), BODY, false),
        (String::new(), BODY, false),
    ];
    let verifiers = [
        (
            "python3",
            "import sys; from verify import verify; a = sys.argv[2:]; print(str(verify(a[0], a[1].encode(), a[2])).lower())",
        ),
        (
            "node",
            "import { verify } from './verify.mjs'; const [s, b, k] = process.argv.slice(-3); console.log(verify(s, Buffer.from(b), k))",
        ),
        (
            "php",
            "require 'verify.php'; [$s, $b, $k] = array_slice($argv, -3); echo verify($s, $b, $k) ? 'true' : 'false';",
        ),
    ];
    for (program, script) in verifiers {
        for (signature, body, genuine) in &cases {
            let Some(said) = judged(program, script, signature, body) else {
                println!("skipped: {program} is not installed, so its verifier was not run");
                break;
            };
            assert_eq!(said, *genuine, "{program}: {signature} {body}");
        }
    }
}
