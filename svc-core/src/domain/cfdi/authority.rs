//! Checks documents against the authority's own files: the schemas, the transformation that returns
//! the cadena original, and the test certificates (`tests/fixtures/sat/README.md`).
//!
//! A few hundred random documents run with the other tests. `SVC_CFDI` sets another number and
//! `SVC_CFDI_SEED` other documents:
//! `SVC_CFDI=10000 cargo test -p svc-core --lib -- --ignored --nocapture cfdi::authority`

use std::fs;
use std::time::Instant;

use super::testing::random::{Dice, Issuers};
use super::testing::{invoice, issuer, line};
use super::tools::{Tools, attribute, files};
use super::*;
use crate::domain::certificate;
use crate::domain::time::Timestamp;

const SHORT: u64 = 300;

/// A time at which the authority's test certificates are valid.
const VALID: &str = "2026-10-12T18:00:00Z";

/// One of the authority's test certificates and its key.
pub(crate) fn csd(name: &str) -> (Certificate, SigningKey) {
    let opened = opened(name);
    let key = SigningKey::from_pkcs8(&opened.key).unwrap();
    (Certificate { numero: opened.certificate.numero, der: opened.certificate.der }, key)
}

/// The same certificate after loading.
pub(super) fn opened(name: &str) -> certificate::Opened {
    let read = |ending| fs::read(files().join(format!("csd/{name}.{ending}"))).expect("a file");
    let now = Timestamp::parse(VALID).unwrap();
    certificate::open(&read("cer"), &read("key"), "12345678a", Some(name), now).unwrap()
}

/// `count` random documents, sealed.
pub(super) fn documents(count: u64, seed: u64) -> Vec<SealedXml> {
    let ((moral, moral_key), (fisica, fisica_key)) = (csd("EKU9003173C9"), csd("CACX7605101P8"));
    let issuers = Issuers { moral, fisica };
    let mut dice = Dice::new(seed);
    let mut one = || {
        let document = dice.document(&issuers);
        let key = if document.emisor.rfc == "EKU9003173C9" { &moral_key } else { &fisica_key };
        seal(&document, key).unwrap()
    };
    (0..count).map(|_| one()).collect()
}

#[test]
fn any_document_is_valid_and_sealed() {
    let Some(tools) = Tools::find("any_document_is_valid_and_sealed") else { return };
    let documents = documents(SHORT, 1);
    tools.validate(&documents);
    // Together the documents contain every part that one may have.
    for part in [
        "<cfdi:InformacionGlobal",
        "Periodicidad=\"05\"",
        "<cfdi:CfdiRelacionados",
        "TipoRelacion=\"07\"",
        "ResidenciaFiscal=",
        "NumRegIdTrib=",
        "<cfdi:Retencion ",
        "TotalImpuestosRetenidos=",
        "TipoFactor=\"Cuota\"",
        "TipoFactor=\"Exento\"",
        "Impuesto=\"003\"",
        "TipoDeComprobante=\"E\"",
        "TipoCambio=",
        "Descuento=",
        "CondicionesDePago=",
        "Unidad=",
        "NoIdentificacion=",
        "ObjetoImp=\"06\"",
        "ObjetoImp=\"07\"",
        "<pago20:RetencionDR",
        "<pago20:RetencionP",
        "TotalRetencionesISR=",
        "TotalRetencionesIVA=",
        "TotalTrasladosBaseIVA8=",
        "TotalTrasladosBaseIVAExento=",
        "NumOperacion=",
        "EquivalenciaDR=\"0.",
        "&amp;amp;",
        "&lt;b",
        "&quot;",
        "日本",
        "TasaOCuota=\"0.106667\"",
        "<cfdi:InformacionAduanera NumeroPedimento=\"21  47  3807  8003832\"/>",
        "<cfdi:CuentaPredial Numero=",
        "<implocal:TrasladosLocales ImpLocTrasladado=\"ISH\" TasadeTraslado=\"3.00\"",
        "<implocal:RetencionesLocales ImpLocRetenido=\"5 al millar\" TasadeRetencion=\"0.50\"",
    ] {
        assert!(documents.iter().any(|document| document.xml.contains(part)), "{part}");
    }
}

#[test]
#[ignore = "it takes as long as SVC_CFDI says"]
fn any_document_is_valid_and_sealed_at_length() {
    let number = |name: &str, default| {
        std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let (count, seed) = (number("SVC_CFDI", 10_000), number("SVC_CFDI_SEED", 2));
    let tools = Tools::find("any_document_is_valid_and_sealed_at_length").expect("the tools");
    let started = Instant::now();
    let documents = documents(count, seed);
    let (made, started) = (started.elapsed(), Instant::now());
    tools.validate(&documents);
    let bytes: usize = documents.iter().map(|document| document.xml.len()).sum();
    println!("{count} documents, {bytes} bytes: made and sealed in {made:.1?}, validated in {:.1?}", started.elapsed());
}

#[test]
fn a_document_is_written_as_the_authority_writes_it() {
    let (certificado, key) = csd("EKU9003173C9");
    let mut source = invoice(vec![line("2", "100", "0", "0.160000")]);
    source.emisor = Issuer { certificado: Some(certificado), ..issuer() };
    source.receptor.nombre = Some("Tubos & \"Más\" <'s>".to_owned());
    let sealed = seal(&build_invoice(&source).unwrap(), &key).unwrap();
    let start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><cfdi:Comprobante xmlns:cfdi=\"http://www.sat.gob.mx/cfd/4\" \
                 xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://www.sat.gob.mx/cfd/4 \
                 http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd\" Version=\"4.0\" Serie=\"F\" Folio=\"25\" \
                 Fecha=\"2026-10-12T12:00:00\" Sello=\"";
    assert!(sealed.xml.starts_with(start), "{}", sealed.xml);
    assert_eq!(attribute(&sealed.xml, "NoCertificado"), "30001000000500003416");
    assert_eq!(attribute(&sealed.xml, "Sello"), sealed.sello);
    assert_eq!(
        sealed.cadena,
        "||4.0|F|25|2026-10-12T12:00:00|99|30001000000500003416|Crédito a 30 días|200.00|MXN|232.00|I|01|PPD|01000|\
         EKU9003173C9|ESCUELA KEMPER URGATE|601|URE180429TM6|TUBOS & \"MÁS\" <'S>|86991|601|G03|40171601|TUB-12|2|H87|Pieza|\
         Tubo de cobre|100.00|200.00|02|200.00|002|Tasa|0.160000|32.00|200.00|002|Tasa|0.160000|32.00|32.00||"
    );
    assert_eq!(seal(&build_invoice(&source).unwrap(), &key).unwrap(), sealed, "the same bytes again");
    assert_eq!(format!("{key:?}"), "SigningKey { .. }");
    assert_eq!(SigningKey::from_pkcs8(b"no key").unwrap_err(), SealFault::Key);
}

#[test]
fn the_namespace_of_payments_is_declared_on_the_document() {
    let documents = documents(20, 3);
    let payment = documents.iter().find(|document| document.xml.contains("<pago20:Pagos Version=\"2.0\">")).unwrap();
    let start = "<cfdi:Comprobante xmlns:cfdi=\"http://www.sat.gob.mx/cfd/4\" xmlns:pago20=\"http://www.sat.gob.mx/Pagos20\" \
                 xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://www.sat.gob.mx/cfd/4 \
                 http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd http://www.sat.gob.mx/Pagos20 \
                 http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd\" Version=\"4.0\"";
    assert!(payment.xml.contains(start), "{}", payment.xml);
}
