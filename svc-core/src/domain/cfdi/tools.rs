//! The tools that check documents against the authority's own files, xmllint, xsltproc and openssl,
//! and pdftotext, which reads printed documents.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::domain::cfdi::SealedXml;

/// The number of documents given to a tool at once.
const BATCH: usize = 500;

/// The folder of the authority's files.
pub(super) fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/sat")
}

/// The tools, with a temporary folder that is removed on drop.
pub(super) struct Tools {
    dir: PathBuf,
}

impl Tools {
    /// Finds the tools. If the machine lacks them, prints so past the test harness's capture and
    /// returns `None`; if `CI` is set, panics.
    pub(super) fn find(test: &str) -> Option<Self> {
        let missing = ["xmllint", "xsltproc", "openssl", "pdftotext"].into_iter().find(|tool| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            !std::env::split_paths(&path).any(|dir| dir.join(tool).is_file())
        });
        if let Some(tool) = missing {
            assert!(std::env::var_os("CI").is_none(), "{tool} is missing: sh .ci/xml installs it");
            let _ = writeln!(io::stderr(), "SKIPPED: {test}: {tool} is missing (sh .ci/xml)");
            return None;
        }
        let dir = std::env::temp_dir().join(format!("svc-cfdi-{}-{test}", std::process::id()));
        fs::create_dir_all(&dir).expect("a folder");
        Some(Self { dir })
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Fails unless every document is valid by the schemas, has the cadena original that the
    /// authority's transformation computes, and is sealed with the key of the certificate that it
    /// contains.
    pub(super) fn validate(&self, documents: &[SealedXml]) {
        for batch in documents.chunks(BATCH) {
            let paths: Vec<PathBuf> = (0..batch.len()).map(|number| self.dir.join(format!("{number}.xml"))).collect();
            for (path, document) in paths.iter().zip(batch) {
                fs::write(path, &document.xml).expect("a file");
            }
            valid(&paths, batch);
            transformed(&paths, batch);
            for document in batch {
                self.sealed(document);
            }
        }
    }

    /// Verifies the document's signature with the certificate in it.
    fn sealed(&self, document: &SealedXml) {
        let der = STANDARD.decode(attribute(&document.xml, "Certificado")).expect("base64");
        let public = self.dir.join(format!("{}.pem", attribute(&document.xml, "NoCertificado")));
        if !public.exists() {
            let cer = self.dir.join("cer");
            fs::write(&cer, &der).expect("a file");
            let mut command = Command::new("openssl");
            command.args(["x509", "-inform", "DER", "-pubkey", "-noout", "-in"]).arg(&cer).arg("-out").arg(&public);
            run(&mut command);
        }
        let [signature, text] = ["sello", "cadena"].map(|name| self.dir.join(name));
        fs::write(&signature, STANDARD.decode(attribute(&document.xml, "Sello")).expect("base64")).expect("a file");
        fs::write(&text, &document.cadena).expect("a file");
        let mut command = Command::new("openssl");
        command.args(["dgst", "-sha256", "-verify"]).arg(&public).arg("-signature").arg(&signature).arg(&text);
        let output = command.output().expect("openssl");
        assert!(output.status.success(), "the seal does not hold: {}", document.xml);
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn valid(paths: &[PathBuf], documents: &[SealedXml]) {
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--nonet", "--schema"]).arg(files().join("xsd/cfdi.xsd")).args(paths);
    let output = command.output().expect("xmllint");
    if output.status.success() {
        return;
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let faults: Vec<&str> = text.lines().filter(|line| !line.ends_with(" validates")).take(4).collect();
    let first = paths.iter().position(|path| faults.iter().any(|fault| fault.contains(&*path.to_string_lossy())));
    panic!("{}\n{}", faults.join("\n"), first.map_or("", |first| &documents[first].xml));
}

fn transformed(paths: &[PathBuf], documents: &[SealedXml]) {
    let mut command = Command::new("xsltproc");
    let output = run(command.arg("--nonet").arg(files().join("xslt/cadenaoriginal_4_0.xslt")).args(paths));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // The texts follow each other without a separator.
    let mut rest = text.as_str();
    for document in documents {
        let found = rest.get(..document.cadena.len()).unwrap_or(rest);
        assert_eq!(found, document.cadena, "{}", document.xml);
        rest = &rest[document.cadena.len()..];
    }
    assert_eq!(rest, "");
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("a tool");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The value of the document's attribute, which must contain no escaped characters.
pub(super) fn attribute<'a>(xml: &'a str, name: &str) -> &'a str {
    let start = xml.find(&format!(" {name}=\"")).expect("the attribute") + name.len() + 3;
    let length = xml[start..].find('"').expect("its end");
    &xml[start..start + length]
}
