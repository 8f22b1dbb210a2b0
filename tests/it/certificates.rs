//! The company's signing certificate, as loaded by the back office.

use chrono::{NaiveDate, TimeDelta};
use ring::signature::{KeyPair as _, RsaKeyPair};
use serde_json::json;
use svc_core::domain::certificate::SigningCertificate;
use svc_core::domain::clock::Clock as _;
use svc_core::domain::time::Timestamp;
use svc_core::operations::{CertificateLoaded, EditCompany, LoadCertificate};
use svc_core::secrets::{Place, Sealer, SecretsError};
use svc_core::store::SIGNING_KEY;
use svc_core::store::{CompanyChange, Store as _, Tx};
use svc_core::{Code, Error};
use svc_tests::certificate::{self, PASSWORD, RFC};
use svc_tests::{Company, World, secrets_key};

async fn load(company: &Company, cer: &str, key: &str) -> Result<CertificateLoaded, Error> {
    company.run(&certificate::load(cer, key)).await
}

async fn begin(company: &Company) -> Box<dyn Tx> {
    company.world.store.begin(company.id).await.unwrap()
}

async fn current(company: &Company) -> Option<SigningCertificate> {
    begin(company).await.signing_certificate().await.unwrap()
}

async fn rfc(company: &Company) -> Option<String> {
    begin(company).await.company().await.unwrap().unwrap().rfc
}

async fn sealed_key(company: &Company, numero: &str) -> Vec<u8> {
    begin(company).await.signing_key(numero, NaiveDate::default()).await.unwrap().unwrap()
}

fn place<'a>(company: &Company, numero: &'a str) -> Place<'a> {
    Place { company: company.id, column: SIGNING_KEY, record: numero }
}

async fn with_rfc(rfc: &str) -> Company {
    World::new().await.company_with(CompanyChange { rfc: Some(rfc.to_owned()), ..CompanyChange::default() }).await
}

#[tokio::test]
async fn a_loaded_certificate_is_the_companys() {
    let company = with_rfc(RFC).await;
    assert_eq!(current(&company).await, None);
    let answer = load(&company, "valid", "valid").await.unwrap();
    assert_eq!(
        serde_json::to_value(&answer).unwrap(),
        json!({"numero": "30001000000500003416", "vigente_hasta": "2046-01-01T00:00:00Z"})
    );
    let found = current(&company).await.unwrap();
    assert_eq!((found.numero.as_str(), found.rfc.as_str()), ("30001000000500003416", RFC));
    assert_eq!(found.desde.to_string(), "2024-01-01T00:00:00Z");
    assert_eq!(found.hasta.to_string(), "2046-01-01T00:00:00Z");
    assert_eq!(found.der, std::fs::read(certificate::file("valid.cer")).unwrap());
    assert!(found.is_valid(rfc(&company).await.as_deref(), Timestamp::new(company.world.clock.now())));
}

#[tokio::test]
async fn the_last_loaded_certificate_signs() {
    let company = with_rfc(RFC).await;
    for (name, numero) in
        [("valid", "30001000000500003416"), ("renewed", "30001000000500003417"), ("valid", "30001000000500003416")]
    {
        // The clock stands still, so only the order decides.
        assert_eq!(load(&company, name, name).await.unwrap().numero, numero);
        assert_eq!(current(&company).await.unwrap().numero, numero);
    }
    assert_eq!(company.world.count("certificados").await, 2);
}

#[tokio::test]
async fn loading_again_replaces_the_key() {
    let company = with_rfc(RFC).await;
    load(&company, "valid", "valid").await.unwrap();
    let before = current(&company).await;
    company.world.clock.advance(TimeDelta::hours(1));
    let kept = sealed_key(&company, "30001000000500003416").await;
    load(&company, "valid", "aes256").await.unwrap();
    assert_eq!(current(&company).await, before);
    let sealed = sealed_key(&company, "30001000000500003416").await;
    assert_ne!(sealed, kept);
    let opened = Sealer::new(secrets_key()).open(place(&company, "30001000000500003416"), &sealed).unwrap();
    assert!(RsaKeyPair::from_pkcs8(&opened).is_ok());
    assert_eq!(company.world.count("certificados").await, 1);
    let loaded: chrono::DateTime<chrono::Utc> = company.world.sql("SELECT cargado FROM certificados").await;
    assert_eq!(loaded, company.world.clock.now());
}

#[tokio::test]
async fn a_company_without_rfc_takes_the_certificates() {
    let company = World::new().await.company().await;
    load(&company, "other_rfc", "valid").await.unwrap();
    assert_eq!(rfc(&company).await.as_deref(), Some("CACX7605101P8"));
    let error = load(&company, "valid", "valid").await.unwrap_err();
    assert_eq!(error.mensaje(), "cer: es del RFC EKU9003173C9, y el de la empresa es CACX7605101P8");
}

#[tokio::test]
async fn each_refusal_has_a_reason_and_writes_nothing() {
    let company = with_rfc(RFC).await;
    for (cer, key, said) in [
        ("expired", "valid", "cer: venció el 2024-01-01T00:00:00Z"),
        ("future", "valid", "cer: todavía no es válido; lo será desde el 2030-01-01T00:00:00Z"),
        ("other_rfc", "valid", "cer: es del RFC CACX7605101P8, y el de la empresa es EKU9003173C9"),
        ("no_rfc", "valid", "cer: no dice de qué RFC es"),
        (
            "../sat/csd/EKU9003173C9_fiel",
            "../sat/csd/EKU9003173C9_fiel",
            "cer: es una e.firma (FIEL); los comprobantes se sellan con un certificado de sello digital (CSD)",
        ),
        ("valid", "renewed", "key: no es la llave de este certificado"),
        ("short", "short", "cer: su llave no es RSA de 2048 a 4096 bits"),
        ("curve", "curve", "cer: su llave no es RSA de 2048 a 4096 bits"),
        (
            "valid",
            "scrypt",
            "key: está cifrada con un método que no se admite; debe ser PBES2 con PBKDF2, o PBES1 con DES o 3DES",
        ),
    ] {
        let error = load(&company, cer, key).await.unwrap_err();
        assert_eq!((error.code(), error.mensaje()), (Code::CertificadoRechazado, said), "{cer} {key}");
        assert_eq!(error.status(), 422);
    }
    let good = certificate::load("valid", "valid");
    let swapped = LoadCertificate { cer: good.key.clone(), key: good.cer.clone(), ..good.clone() };
    let wrong = LoadCertificate { password: "hunter2".to_owned(), ..good.clone() };
    for (action, said) in [
        (swapped, "cer: no es un certificado X.509 en DER o PEM, como el archivo .cer del SAT"),
        (
            LoadCertificate { key: good.cer.clone(), ..good.clone() },
            "key: no es una llave PKCS#8 cifrada en DER o PEM, como el archivo .key del SAT",
        ),
        (wrong, "la contraseña no abre la llave"),
    ] {
        let error = company.run(&action).await.unwrap_err();
        assert_eq!((error.code(), error.mensaje()), (Code::CertificadoRechazado, said));
        assert!(!format!("{error} {error:?} {action:?}").contains("hunter2"));
    }
    assert_eq!(company.world.count("certificados").await, 0);
}

#[tokio::test]
async fn the_key_is_sealed_at_rest() {
    let company = with_rfc(RFC).await;
    let numero = load(&company, "valid", "valid").await.unwrap().numero;
    let sealed = sealed_key(&company, &numero).await;
    let opened = Sealer::new(secrets_key()).open(place(&company, &numero), &sealed).unwrap();
    let pair = RsaKeyPair::from_pkcs8(&opened).unwrap();
    let public = pair.public_key().as_ref();
    let der = current(&company).await.unwrap().der;
    assert!(der.windows(public.len()).any(|window| window == public), "the key is the certificate's");
    // The row contains nothing of the key, not even its public half, nor the password.
    for part in [&opened[..32], &opened[opened.len() - 32..], &public[10..42], PASSWORD.as_bytes()] {
        assert!(!sealed.windows(part.len()).any(|window| window == part));
    }
    let elsewhere = company.world.company().await;
    assert_eq!(
        Sealer::new(secrets_key()).open(place(&elsewhere, &numero), &sealed),
        Err(SecretsError::Refused),
        "the key of one company does not open in another"
    );
    assert_eq!(Sealer::default().open(place(&company, &numero), &sealed), Err(SecretsError::NoKey));
}

#[tokio::test]
async fn without_a_secrets_key_it_is_stored_in_the_clear() {
    let mut company = with_rfc(RFC).await;
    company.world = company.world.with_secrets(Sealer::default());
    let numero = load(&company, "valid", "valid").await.unwrap().numero;
    let kept = sealed_key(&company, &numero).await;
    assert!(RsaKeyPair::from_pkcs8(&kept[1..]).is_ok());
    let opened = Sealer::default().open(place(&company, &numero), &kept).unwrap();
    assert_eq!(*opened, kept[1..]);
}

#[tokio::test]
async fn a_company_sees_its_own_certificate_only() {
    let world = World::new().await;
    let (one, two) = (world.company().await, world.company().await);
    one.load_certificate().await;
    assert!(current(&one).await.is_some());
    assert_eq!(current(&two).await, None);
    assert_eq!(begin(&two).await.signing_key("30001000000500003416", NaiveDate::default()).await.unwrap(), None);
    // The same certificate in two companies is two records, since both may be branches of one
    // taxpayer.
    two.load_certificate().await;
    assert_eq!(current(&two).await, current(&one).await);
    let settings = begin(&two).await.company().await.unwrap().unwrap();
    assert_eq!((settings.rfc.as_deref(), settings.regimen), (Some(RFC), Some(601)));
    assert_eq!(settings.cp.as_deref(), Some("06700"));
}

#[tokio::test]
async fn a_company_that_changes_its_rfc_needs_another_certificate() {
    let company = with_rfc(RFC).await;
    load(&company, "valid", "valid").await.unwrap();
    company.edit(CompanyChange { rfc: Some("CACX7605101P8".to_owned()), ..CompanyChange::default() }).await;
    let now = Timestamp::new(company.world.clock.now());
    assert!(!current(&company).await.unwrap().is_valid(rfc(&company).await.as_deref(), now));
    load(&company, "other_rfc", "valid").await.unwrap();
    assert!(current(&company).await.unwrap().is_valid(rfc(&company).await.as_deref(), now));
}

#[tokio::test]
async fn concurrent_loadings_run_one_after_the_other() {
    let company = with_rfc(RFC).await;
    let (one, two) = tokio::join!(load(&company, "valid", "valid"), load(&company, "renewed", "renewed"));
    let loaded = [one.unwrap().numero, two.unwrap().numero];
    assert!(loaded.contains(&current(&company).await.unwrap().numero));
    assert_eq!(company.world.sql::<i64>("SELECT count(DISTINCT orden) FROM certificados").await, 2);
}

#[tokio::test]
async fn a_company_has_an_rfc_and_a_regime_that_issue() {
    let company = with_rfc(RFC).await;
    let edit = async |rfc: Option<&str>, regimen: Option<i64>| {
        let change = CompanyChange { rfc: rfc.map(str::to_owned), regimen, ..CompanyChange::default() };
        company.run(&EditCompany(change)).await.map_err(|error| error.to_string())
    };
    for generic in ["XAXX010101000", "xexx010101000"] {
        let said = edit(Some(generic), None).await.unwrap_err();
        assert!(said.starts_with("rfc_invalido: rfc: es un RFC genérico"), "{said}");
    }
    // Each is checked against the other as it is stored.
    let said = edit(None, Some(616)).await.unwrap_err();
    assert!(said.starts_with("regimen_incompatible: regimen: 616 es de quien no tiene obligaciones"), "{said}");
    let said = edit(None, Some(612)).await.unwrap_err();
    assert_eq!(said, "regimen_incompatible: regimen: 612 no es de personas morales, y el RFC lo es");
    assert!(edit(None, Some(999)).await.unwrap_err().starts_with("regimen_invalido"));
    edit(None, Some(601)).await.unwrap();
    let said = edit(Some("CACX7605101P8"), None).await.unwrap_err();
    assert_eq!(said, "regimen_incompatible: regimen: 601 no es de personas físicas, y el RFC lo es");
    edit(Some("cacx7605101p8"), Some(612)).await.unwrap();
    assert_eq!(rfc(&company).await.as_deref(), Some("CACX7605101P8"));
}
