use std::fs;
use std::process::Command;

use super::*;
use crate::domain::cfdi::authority::{csd, documents};
use crate::domain::cfdi::tools::{Tools, attribute, files};
use crate::domain::cfdi::{SealedXml, holds};

const UUID: Uuid = Uuid::from_u128(0x5ad4_27b5_2b1e_4d3c_9f0a_1b2c_3d4e_5f60);

fn stamped(document: &SealedXml) -> String {
    let (certificate, key) = csd("CACX7605101P8");
    let by = StampSigner { rfc: "AAA010101AAA", certificado: &certificate.numero, key: &key };
    stamp(&document.xml, UUID, "2026-10-12T18:00:04.7Z".parse().unwrap(), &by).unwrap()
}

#[test]
fn a_stamp_is_what_the_authority_s_schema_and_transformation_say() {
    let documents = documents(60, 5);
    let all: Vec<String> = documents.iter().map(stamped).collect();
    for (sealed, xml) in documents.iter().zip(&all) {
        let read = StampedXml::read(xml.clone(), &sealed.xml).unwrap();
        assert_eq!((read.timbre.uuid, read.at()), (UUID, Some("2026-10-12T18:00:04Z".parse().unwrap())));
        assert_eq!(read.timbre.fecha_timbrado.to_string(), "2026-10-12 12:00:04");
        assert!(holds(xml), "the stamp leaves the seal as it is");
    }
    let Some(tools) = Tools::find("a_stamp_is_what_the_authority_s_schema_and_transformation_say") else { return };
    let sheet = files().join("xslt/cadenaoriginal_TFD_1_1.xslt");
    let stamped: Vec<SealedXml> = documents.into_iter().zip(all).map(|(old, xml)| SealedXml { xml, ..old }).collect();
    tools.validate(&stamped);
    for SealedXml { xml, .. } in &stamped {
        let path = tools.dir().join("stamped.xml");
        // The authority's transformation accepts a stamp on its own.
        let alone = xml.find("<tfd:").zip(xml.find("</cfdi:Complemento>")).unwrap();
        fs::write(&path, &xml[alone.0..alone.1]).unwrap();
        let output = Command::new("xsltproc").arg("--nonet").arg(&sheet).arg(&path).output().unwrap();
        let timbre = StampedXml::read(xml.clone(), xml).unwrap().timbre;
        assert_eq!(String::from_utf8(output.stdout).unwrap(), cadena::of(&Node::of(&timbre).unwrap()));
        let (_, key) = csd("CACX7605101P8");
        assert_eq!(timbre.sello_sat, key.sign(&cadena::of(&Node::of(&timbre).unwrap())).unwrap());
    }
}

#[test]
fn any_document_is_read_as_it_was_written() {
    for sealed in documents(300, 6) {
        let document = Cfdi::read(&sealed.xml).unwrap();
        assert_eq!(cadena::of(&Node::of(&document).unwrap()), sealed.cadena);
        assert_eq!(Cfdi::read(&stamped(&sealed)).unwrap(), document);
        assert!(holds(&sealed.xml));
    }
    for other in ["", "<a/>", "<cfdi:Comprobante Version=\"4.0\"/>", "{}", "<cfdi:Comprobante><x>"] {
        assert!(Cfdi::read(other).is_err(), "{other}");
    }
}

#[test]
fn only_the_same_document_with_its_stamp_is_taken() {
    let documents = documents(12, 7);
    let (ours, theirs) = (&documents[0], &documents[1]);
    let read = |xml: &str| StampedXml::read(xml.to_owned(), &ours.xml).map(|read| read.timbre.uuid);
    let good = stamped(ours);
    assert_eq!(read(&good), Ok(UUID));
    assert_eq!(read(&ours.xml), Err(UnfitStamp::NotStamped));
    assert_eq!(read(&stamped(theirs)), Err(UnfitStamp::Other));
    assert_eq!(read("<html/>"), Err(UnfitStamp::NoDocument));
    assert_eq!(read(""), Err(UnfitStamp::NoDocument));
    let changed = |name: &str, to: &str| {
        let value = attribute(&good, name);
        good.replacen(&format!(" {name}=\"{value}\""), &format!(" {name}=\"{to}\""), 1)
    };
    let other_seal = attribute(&theirs.xml, "Sello");
    for (xml, expected) in [
        (changed("Sello", other_seal), UnfitStamp::Other),
        (changed("SelloCFD", other_seal), UnfitStamp::Other),
        (changed("Rfc", "XIA190128J61"), UnfitStamp::Other),
        (changed("LugarExpedicion", "00000"), UnfitStamp::Other),
        (changed("UUID", "00000000-0000-0000-0000-000000000000"), UnfitStamp::NotStamped),
        (changed("UUID", &UUID.simple().to_string()), UnfitStamp::NotStamped),
        (changed("SelloSAT", ""), UnfitStamp::NotStamped),
        (changed("FechaTimbrado", "ayer"), UnfitStamp::NotStamped),
    ] {
        assert_eq!(read(&xml), Err(expected), "{xml}");
    }
}
