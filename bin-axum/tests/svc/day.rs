//! The example of a day in a shop runs, and its books add up.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::Svc;

#[test]
fn a_day_in_a_shop_ends_with_books_that_add_up() {
    let svc = Svc::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    // The harness's environment, with its binary in the path.
    let own = svc.command(&[]);
    let mut day = Command::new("bash");
    day.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/day_in_a_shop.sh"));
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => day.env(name, value),
            None => day.env_remove(name),
        };
    }
    let folder = Path::new(env!("CARGO_BIN_EXE_svc")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    day.env("PATH", std::env::join_paths(folders).unwrap()).env("SVC_LISTEN", free.to_string());
    let output = day.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.ends_with("The books add up.\n"), "{said}");
    let balance: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = balance["cuentas"].as_array().unwrap();
    let balances: Vec<String> =
        rows.iter().map(|row| format!("{} {}", row["cuenta"], row["saldo"]).replace('"', "")).collect();
    assert_eq!(
        balances,
        [
            // Cash received, less the electricity.
            "101.01 145.00",
            "102.01.0001 232.00",
            "105.01 0.00",
            "115.01 1120.00",
            "115.06 320.00",
            "118.01 96.00",
            "119.01 240.00",
            "201.01 -1740.00",
            "205.06 0.00",
            "208.01 -148.00",
            "209.01 0.00",
            // Sales, under the accountant's own number.
            "4000-001 -925.00",
            "501.01 520.00",
            "501.08 40.00",
            "601.84 100.00",
        ]
    );
    assert_eq!(balance["totales"]["cargos"], balance["totales"]["abonos"]);
    assert_eq!(balance["totales"]["saldo"], json!("0.00"));
    assert!(svc.server_is_gone(), "the day leaves no process behind");
}
