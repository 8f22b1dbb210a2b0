//! Certificates and keys made by openssl and issued by the authority;
//! `tests/fixtures/csd/README.md` and `tests/fixtures/sat/README.md` list them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/csd/", $name))
    };
}

/// One of the authority's certificates with its key.
macro_rules! issued {
    ($name:literal) => {
        (
            &include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/sat/csd/", $name, ".cer"))[..],
            &include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/sat/csd/", $name, ".key"))[..],
        )
    };
}

const PASSWORD: &str = "12345678a";
const RFC: &str = "EKU9003173C9";

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Opens the two files for a company with the valid certificate's RFC.
fn try_open(cer: &[u8], key: &[u8], password: &str) -> Result<Opened, CertificateFault> {
    open(cer, key, password, Some(RFC), at("2026-10-12T18:00:00Z"))
}

fn fault(cer: &[u8], key: &[u8]) -> CertificateFault {
    try_open(cer, key, PASSWORD).unwrap_err()
}

#[test]
fn a_certificate_is_read_with_its_key() {
    let opened = try_open(fixture!("valid.cer"), fixture!("valid.key"), PASSWORD).unwrap();
    let expected = SigningCertificate {
        numero: "30001000000500003416".to_owned(),
        rfc: RFC.to_owned(),
        desde: at("2024-01-01T00:00:00Z"),
        hasta: at("2046-01-01T00:00:00Z"),
        der: fixture!("valid.cer").to_vec(),
    };
    assert_eq!(opened.certificate, expected);
    assert!(ring::rsa::KeyPair::from_pkcs8(&opened.key).is_ok());
    assert_eq!(format!("{opened:?}"), "Opened { certificate: \"30001000000500003416\", .. }");
}

#[test]
fn the_encryption_of_the_key_makes_no_difference() {
    let open = |key| try_open(fixture!("valid.cer"), key, PASSWORD).unwrap().key;
    let tdes = open(fixture!("valid.key"));
    for key in
        [&fixture!("aes256.key")[..], fixture!("pbes1.key"), fixture!("pbes1_md5.key"), fixture!("pbes1_sha1.key")]
    {
        assert_eq!(*tdes, *open(key));
    }
}

#[test]
fn the_password_must_open_the_key() {
    for password in ["", "12345678", "12345678A", "12345678a "] {
        for key in
            [&fixture!("valid.key")[..], fixture!("aes256.key"), fixture!("pbes1.key"), fixture!("pbes1_md5.key")]
        {
            let fault = try_open(fixture!("valid.cer"), key, password).unwrap_err();
            assert_eq!(fault, CertificateFault::WrongPassword, "{password:?}");
        }
    }
}

#[test]
fn the_key_must_be_the_certificates() {
    assert_eq!(fault(fixture!("valid.cer"), fixture!("renewed.key")), CertificateFault::OtherKey);
    assert_eq!(fault(fixture!("valid.cer"), fixture!("curve.key")), CertificateFault::OtherKey);
    assert_eq!(fault(fixture!("valid.cer"), fixture!("short.key")), CertificateFault::OtherKey);
}

#[test]
fn only_rsa_of_2048_bits_and_more_is_taken() {
    assert_eq!(fault(fixture!("short.cer"), fixture!("short.key")), CertificateFault::OtherAlgorithm);
    assert_eq!(fault(fixture!("curve.cer"), fixture!("curve.key")), CertificateFault::OtherAlgorithm);
}

#[test]
fn encryptions_without_bound_are_refused() {
    for key in [&fixture!("scrypt.key")[..], fixture!("slow.key")] {
        assert_eq!(fault(fixture!("valid.cer"), key), CertificateFault::OtherEncryption);
    }
}

#[test]
fn what_the_authority_issues_for_tests_is_taken() {
    let open = |(cer, key), rfc, now| open(cer, key, PASSWORD, Some(rfc), at(now)).unwrap().certificate;
    let today = "2026-10-12T18:00:00Z";
    for (found, numero, until) in [
        (open(issued!("EKU9003173C9"), RFC, today), "30001000000500003416", "2027-05-18T11:43:51Z"),
        (open(issued!("CACX7605101P8"), "CACX7605101P8", today), "30001000000500003316", "2027-05-09T21:37:36Z"),
        (
            open(issued!("ONO120726RX3_caduco"), "OÑO120726RX3", "2022-10-12T18:00:00Z"),
            "30001000000400002464",
            "2023-06-20T20:58:17Z",
        ),
        (
            open(issued!("HE951128469_caduco"), "H&E951128469", "2022-10-12T18:00:00Z"),
            "30001000000400002463",
            "2023-06-20T20:55:08Z",
        ),
    ] {
        assert_eq!((found.numero.as_str(), found.hasta), (numero, at(until)));
    }
}

#[test]
fn an_e_firma_is_refused() {
    let (cer, key) = issued!("EKU9003173C9_fiel");
    let personal = fault(cer, key);
    assert_eq!(personal, CertificateFault::PersonalSignature);
    let expected = "cer: es una e.firma (FIEL); los comprobantes se sellan con un certificado de sello digital (CSD)";
    assert_eq!(personal.to_string(), expected);
}

#[test]
fn files_in_pem_are_taken_however_they_are_broken_into_lines() {
    let pem = |label: &str, der: &[u8], width, end: &str| {
        let digits = STANDARD.encode(der);
        let lines: Vec<_> = digits.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
        format!("subject=CN{end}-----BEGIN {label}-----{end}{}{end}-----END {label}-----{end}", lines.join(end))
    };
    for (width, end) in [(64, "\n"), (76, "\r\n"), (100_000, "\n")] {
        let cer = pem("CERTIFICATE", fixture!("valid.cer"), width, end);
        let key = pem("ENCRYPTED PRIVATE KEY", fixture!("valid.key"), width, end);
        let opened = try_open(cer.as_bytes(), key.as_bytes(), PASSWORD).unwrap();
        assert_eq!(opened.certificate.der, fixture!("valid.cer"));
        let cut = cer.replace('=', "*").replace("MII", "M*I");
        assert_eq!(fault(cut.as_bytes(), key.as_bytes()), CertificateFault::NoCertificate);
        let plain = key.replace("ENCRYPTED ", "");
        assert_eq!(fault(cer.as_bytes(), plain.as_bytes()), CertificateFault::NoKey);
    }
}

#[test]
fn other_files_are_refused() {
    let (cer, key) = (&fixture!("valid.cer")[..], &fixture!("valid.key")[..]);
    for other in [&[][..], b"-----BEGIN CERTIFICATE-----", key, &cer[..cer.len() - 1], &[cer, b"\n"].concat()] {
        assert_eq!(fault(other, key), CertificateFault::NoCertificate);
    }
    let plain = try_open(cer, key, PASSWORD).unwrap().key;
    for other in [&[][..], cer, &plain, &key[..key.len() - 1]] {
        assert_eq!(fault(cer, other), CertificateFault::NoKey);
    }
    // The last block has invalid padding.
    let mut damaged = key.to_vec();
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(fault(cer, &damaged), CertificateFault::WrongPassword);
}

#[test]
fn a_damaged_certificate_never_panics() {
    let (cer, key) = (fixture!("valid.cer"), fixture!("valid.key"));
    for at in 0..cer.len() {
        let mut damaged = cer.to_vec();
        damaged[at] ^= 0x55;
        if let Ok(parsed) = Certificate::from_der(&damaged) {
            let parsed = parsed.tbs_certificate();
            let _ = (rsa_key(parsed.subject_public_key_info()), subject::rfc(parsed.subject()));
        }
    }
    for length in 0..cer.len() {
        assert_eq!(fault(&cer[..length], key), CertificateFault::NoCertificate);
    }
}

#[test]
fn it_must_be_valid_now() {
    let key = fixture!("valid.key");
    let expired = CertificateFault::Expired(at("2024-01-01T00:00:00Z"));
    assert_eq!(fault(fixture!("expired.cer"), key), expired);
    assert_eq!(expired.to_string(), "cer: venció el 2024-01-01T00:00:00Z");
    assert_eq!(fault(fixture!("future.cer"), key), CertificateFault::NotYetValid(at("2030-01-01T00:00:00Z")));
    let valid = |now| open(fixture!("valid.cer"), key, PASSWORD, None, at(now)).is_ok();
    assert!(!valid("2023-12-31T23:59:59Z") && valid("2024-01-01T00:00:00Z"));
    assert!(valid("2046-01-01T00:00:00Z") && !valid("2046-01-01T00:00:01Z"));
}

#[test]
fn it_must_be_the_companys() {
    let (cer, key) = (fixture!("other_rfc.cer"), fixture!("valid.key"));
    let other = CertificateFault::OtherRfc { certificate: "CACX7605101P8".to_owned(), company: RFC.to_owned() };
    assert_eq!(fault(cer, key), other);
    let opened = open(cer, key, PASSWORD, None, at("2026-10-12T18:00:00Z")).unwrap();
    assert_eq!(opened.certificate.rfc, "CACX7605101P8", "a company without RFC takes any");
    assert_eq!(fault(fixture!("no_rfc.cer"), key), CertificateFault::NoRfc);
}

#[test]
fn a_certificate_is_valid_in_its_time_for_its_company() {
    let certificate = try_open(fixture!("valid.cer"), fixture!("valid.key"), PASSWORD).unwrap().certificate;
    let now = at("2026-10-12T18:00:00Z");
    assert!(certificate.is_valid(Some(RFC), now));
    assert!(certificate.is_valid(Some(RFC), certificate.desde) && certificate.is_valid(Some(RFC), certificate.hasta));
    assert!(!certificate.is_valid(Some(RFC), at("2046-01-01T00:00:01Z")));
    assert!(!certificate.is_valid(Some(RFC), at("2023-12-31T23:59:59Z")));
    assert!(!certificate.is_valid(Some("CACX7605101P8"), now), "the company changed its RFC");
    assert!(!certificate.is_valid(None, now));
}

#[test]
fn a_number_is_the_serial_numbers_text_or_its_hexadecimal_digits() {
    assert_eq!(number(b"00001000000413053762"), "00001000000413053762");
    assert_eq!(number(&[0x0f, 0xa3]), "0FA3");
    assert_eq!(number(&[0x00, 0xff]), "FF");
    assert_eq!(number(b"12 4"), "31322034");
    assert_eq!(number(&[0]), "00");
}
