//! The page on the first company: its commands are run in order, and end with a stamped invoice.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::certificates::KEY;
use crate::guides::blocks;
use crate::harness::Svc;

const PAGE: &str = include_str!("../../../docs/operating/first-company.md");

const LOGO: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="48" height="24"><rect width="48" height="24" fill="#1a5fb4"/></svg>"##;

#[test]
fn the_commands_of_the_first_company_end_with_a_stamped_invoice() {
    let svc = Svc::new();
    let folder = svc.dir.path();
    let certificates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/csd");
    for (name, made) in [("empresa.cer", "valid.cer"), ("empresa.key", "valid.key")] {
        fs::copy(certificates.join(made), folder.join(name)).unwrap();
    }
    fs::write(folder.join("logo.svg"), LOGO).unwrap();
    // `doctor` sees whether somebody can be reached; the stamps come from the sandbox.
    let somebody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = somebody.local_addr().unwrap();
    let own = svc.command(&[]);
    let mut script = format!(
        "svc() {{\n  case $1 in stamp) SVC_STAMPER=sandbox ;; *) SVC_STAMPER=http://{address} ;; esac\n  \
         export SVC_STAMPER\n  '{}' \"$@\"\n}}\n",
        own.get_program().display()
    );
    for block in blocks(PAGE) {
        match block.info.split_once(' ') {
            None if block.info == "sh" => script.push_str(&block.text),
            None => assert_eq!(block.info, "conf"),
            Some(("json", name)) => fs::write(folder.join(name), block.text).unwrap(),
            Some(other) => assert_eq!(other, ("sh", "compose"), "nothing runs this block"),
        }
    }
    let mut commands = Command::new("sh");
    commands.args(["-euc", &script]).current_dir(folder);
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => commands.env(name, value),
            None => commands.env_remove(name),
        };
    }
    for (name, value) in [
        ("SVC_SECRETS_KEY", KEY),
        ("CSD_PASSWORD", "12345678a"),
        ("SVC_STAMPER_TOKEN", "token"),
        ("SVC_SMTP_URL", &format!("smtp://{address}")),
        ("SVC_BASE_URL", &format!("http://{address}/api/v1")),
    ] {
        commands.env(name, value);
    }
    let output = commands.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}{said}", String::from_utf8_lossy(&output.stdout));
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let line = |field: &str| {
        lines.iter().find(|line| line.get(field).is_some()).unwrap_or_else(|| panic!("no {field}: {printed}"))
    };
    assert_eq!(line("bien")["bien"], true, "{printed}");
    assert_eq!(line("timbrados")["timbrados"], 1, "{printed}");
    assert_eq!(line("fecha_timbrado")["estatus"], "vigente", "{printed}");
    assert!(line("api_key")["key_id"].is_string(), "{printed}");
    assert!(fs::read(folder.join("factura.pdf")).unwrap().starts_with(b"%PDF-"));
    // Its e-mail waits for a server that speaks SMTP.
    assert_eq!(svc.ok(&["restore-check"])["correos"], 1);
}
