//! Checks tax documents of the API against the authority's own files (`fixtures/sat`), with
//! xmllint, xsltproc and openssl.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::{Company, World};

/// The value of a document's attribute that contains no escaped characters.
pub fn attribute<'a>(xml: &'a str, name: &str) -> &'a str {
    let start = xml.find(&format!(" {name}=\"")).expect("the attribute") + name.len() + 3;
    &xml[start..start + xml[start..].find('"').expect("its end")]
}

/// Keeps a document in the folder that `SVC_TEST_DOCUMENTS` names, so that all of them can be
/// validated together.
fn keep(xml: &str) {
    let Some(folder) = std::env::var_os("SVC_TEST_DOCUMENTS") else { return };
    let mut hasher = DefaultHasher::new();
    xml.hash(&mut hasher);
    let name = format!("{:016x}.xml", hasher.finish());
    fs::create_dir_all(&folder).and_then(|()| fs::write(Path::new(&folder).join(name), xml)).expect("a file");
}

/// Keeps all stamped documents of a company, if documents are kept at all.
pub(crate) async fn keep_all(world: &World, company: &Company) {
    if std::env::var_os("SVC_TEST_DOCUMENTS").is_none() {
        return;
    }
    let stamped =
        sqlx::query_scalar("SELECT factura FROM facturas_xml WHERE empresa = $1 AND timbrado ORDER BY factura");
    let stamped: Vec<i64> = stamped.bind(company.id.0).fetch_all(world.pool()).await.expect("the documents");
    for factura in stamped {
        let xml = company.download("invoice.xml", &json!({"factura": factura})).await.expect("a document");
        keep(std::str::from_utf8(&xml.expect("a file")).expect("a text"));
    }
}

/// Fails unless a document and its stamp are valid by the schemas, and its certificate verifies its
/// seal. If the tools are missing, prints a message; with `CI` set that is an error.
pub fn validate(name: &str, xml: &str) {
    keep(xml);
    let missing = ["xmllint", "xsltproc", "openssl"].into_iter().find(|tool| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        !std::env::split_paths(&path).any(|dir| dir.join(tool).is_file())
    });
    if let Some(tool) = missing {
        assert!(std::env::var_os("CI").is_none(), "{tool} is missing: sh .ci/xml installs it");
        let _ = writeln!(io::stderr(), "SKIPPED: {name}: {tool} is missing (sh .ci/xml)");
        return;
    }
    let sat = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sat");
    let dir = tempfile::tempdir().expect("a folder");
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    };
    let document = file("document.xml", xml.as_bytes());
    run(Command::new("xmllint").args(["--noout", "--nonet", "--schema"]).arg(sat.join("xsd/cfdi.xsd")).arg(&document));
    let sheet = sat.join("xslt/cadenaoriginal_4_0.xslt");
    let cadena = run(Command::new("xsltproc").arg("--nonet").arg(sheet).arg(&document)).stdout;
    let decoded = |name| STANDARD.decode(attribute(xml, name)).expect("base64");
    let (certificate, seal) = (file("cer", &decoded("Certificado")), file("seal", &decoded("Sello")));
    let public =
        run(Command::new("openssl").args(["x509", "-inform", "DER", "-pubkey", "-noout", "-in"]).arg(certificate));
    let public = file("public", &public.stdout);
    let cadena = file("cadena", &cadena);
    run(Command::new("openssl")
        .args(["dgst", "-sha256", "-verify"])
        .arg(public)
        .arg("-signature")
        .arg(seal)
        .arg(cadena));
}

/// Fails unless a document of electronic accounting is valid by the authority's schema of that
/// name, as `CatalogoCuentas`. If the tool is missing, prints a message; with `CI` set that is an
/// error.
pub fn validate_books(schema: &str, xml: &[u8]) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|dir| dir.join("xmllint").is_file()) {
        assert!(std::env::var_os("CI").is_none(), "xmllint is missing: sh .ci/xml installs it");
        let _ = writeln!(io::stderr(), "SKIPPED: {schema}: xmllint is missing (sh .ci/xml)");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sat/contabilidad");
    let dir = tempfile::tempdir().expect("a folder");
    let document = dir.path().join("document.xml");
    fs::write(&document, xml).expect("a file");
    let schema = folder.join(format!("{schema}_1_3.xsd"));
    run(Command::new("xmllint").args(["--noout", "--nonet", "--schema"]).arg(schema).arg(&document));
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("a tool");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}
