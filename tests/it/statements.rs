//! Every statement that the store can send names one company (see [`svc_tests::statements`]).

use std::path::Path;

use serde_json::json;
use svc_core::secrets::{PlainSecrets, Sealer, SecretsKey};
use svc_tests::{Resource, World, secrets_key};
use svc_tests::statements::{Source, Verdict, judge, source, watch};

use crate::deploys;
use crate::table::{every_filter, reader};
use crate::ventas::shop::shop;

/// Plain reads over companies: each a part of the statement that tells it, and why there is no other way.
const READS: &[(&str, &str)] = &[];

fn store() -> Source {
    source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../svc-store-postgres/src"))
}

/// What is wrong with a statement.
fn fault(statement: &str) -> Option<String> {
    let faults = match judge(statement) {
        Ok(Verdict::OneCompany | Verdict::NoTable) => return None,
        Ok(Verdict::Read(_)) if READS.iter().any(|(part, _)| statement.contains(part)) => return None,
        Ok(Verdict::Read(tables)) => vec![format!("reads {} of all companies", tables.join(", "))],
        Ok(Verdict::Fault(faults)) => faults,
        Err(error) => vec![error],
    };
    Some(format!("{}:\n{statement}\n", faults.join("; ")))
}

#[test]
fn whole_statements_name_one_company() {
    let statements = store().statements;
    println!("{} statements", statements.len());
    let faults: Vec<_> = statements.iter().filter_map(|statement| fault(statement)).collect();
    assert!(faults.is_empty(), "{} statements\n{}", faults.len(), faults.join("\n"));
}

#[tokio::test]
async fn assembled_statements_name_one_company() {
    let world = World::new().await;
    let watch = watch();
    let company = shop(&world).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Banco"})]).await;
    let ana = reader(company.clone()).await;
    every_filter(&ana).await;
    deploys::round(&company, &ana).await;
    let next = Sealer::new(SecretsKey::new([8; 32])).with_old([secrets_key()]);
    world.with_secrets(next).rotate_secrets(PlainSecrets::Refused).await.expect("a rotation");
    let sent = watch.sent();
    println!("{} statements", sent.len());
    let faults: Vec<_> = sent.iter().filter_map(|statement| fault(statement)).collect();
    let source = store();
    let unseen = source.unseen(&sent);
    for u in &unseen { println!("UNSEEN {u:?}"); }
    assert!(faults.is_empty(), "{} statements\n{}", faults.len(), faults.join("\n"));
    assert!(unseen.is_empty(), "in no statement that was sent: {unseen:#?}");
}
