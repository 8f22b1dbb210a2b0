//! The sandbox stamps what the builders make, and rejects what the authority would reject.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use rust_decimal::Decimal;
use x509_cert::der::Decode as _;

use super::*;
use crate::domain::cfdi::authority::csd;
use crate::domain::cfdi::testing::random::{Dice, Issuers};
use crate::domain::cfdi::testing::{any_line, decimal, invoice, line, mixed, money, nobody, paid, payment};
use crate::domain::cfdi::{
    Amount, CfdiFault, Impuesto, InvoiceSource, Issuer, PaymentSource, RetencionConcepto, TipoFactor, build_invoice,
    build_payment, seal,
};
use crate::domain::quantity::Rate;

/// [`mixed`] at a place where 8 % may be charged.
fn sale() -> InvoiceSource {
    let mut sale = mixed();
    sale.emisor.cp = Some("21000".to_owned());
    sale
}

fn receipt() -> PaymentSource {
    payment(vec![paid(1, "443.50", "100")])
}

/// The company with its certificate, in the border region, and a document sealed with its key.
fn sealed<T>(mut source: T, emisor: fn(&mut T) -> &mut Issuer, build: fn(&T) -> Result<Cfdi, CfdiFault>) -> String {
    let (certificado, key) = csd("EKU9003173C9");
    emisor(&mut source).certificado = Some(certificado);
    seal(&build(&source).unwrap(), &key).unwrap().xml
}

fn sealed_invoice(source: InvoiceSource) -> String {
    sealed(source, |source| &mut source.emisor, build_invoice)
}

async fn stamp(id: &str, xml: &str) -> Result<StampedXml, StampFailure> {
    SandboxStamper.stamp(&StampRequest::new(id.to_owned(), xml.to_owned())).await
}

fn code(answer: Result<StampedXml, StampFailure>) -> String {
    let Err(StampFailure::Rejected { codigo, mensaje }) = answer else { panic!("{answer:?}") };
    assert!(!mensaje.is_empty());
    codigo
}

fn codes(document: &Cfdi) -> &'static str {
    validate(document).map_or_else(|rejection| rejection.codigo, |()| "")
}

#[tokio::test]
async fn one_document_one_stamp() {
    let xml = sealed_invoice(sale());
    let first = stamp("1-25", &xml).await.unwrap();
    let uuid = first.timbre.uuid;
    assert_eq!((uuid.get_version_num(), uuid.get_variant()), (8, uuid::Variant::RFC4122));
    assert_eq!(first.at(), Some("2026-10-12T18:00:00Z".parse().unwrap()), "21000 is in another zone");
    assert_eq!(first.timbre.fecha_timbrado.to_string(), "2026-10-12 12:00:00");
    // The provider identifies a document by its bytes: it was already stamped under another id.
    assert_eq!(stamp("1-26", &xml).await.unwrap(), first);
    let mut other = sale();
    other.encabezado.folio = Some("26".to_owned());
    assert_ne!(stamp("1-25", &sealed_invoice(other)).await.unwrap().timbre.uuid, uuid);
    let payment = sealed(receipt(), |source| &mut source.emisor, build_payment);
    assert!(stamp("1-30", &payment).await.is_ok());
}

#[tokio::test]
async fn the_stamp_is_signed_with_the_key_of_the_certificate_beside_it() {
    let certificate = x509_cert::Certificate::from_der(include_bytes!("certificate.der")).unwrap();
    let certificate = certificate.tbs_certificate();
    assert_eq!(certificate.serial_number().as_bytes(), SANDBOX_CERTIFICATE.as_bytes());
    let public = certificate.subject_public_key_info().subject_public_key.raw_bytes();
    let stamp = stamp("1", &sealed_invoice(sale())).await.unwrap().timbre;
    assert_eq!((stamp.no_certificado_sat.as_str(), stamp.rfc_prov_certif.as_str()), (SANDBOX_CERTIFICATE, SANDBOX_RFC));
    let (uuid, seal) = (stamp.uuid, &stamp.sello_cfd);
    let cadena = format!("||1.1|{uuid}|2026-10-12T12:00:00|{SANDBOX_RFC}|{seal}|{SANDBOX_CERTIFICATE}||");
    let signature = STANDARD.decode(&stamp.sello_sat).unwrap();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public).verify(cadena.as_bytes(), &signature).unwrap();
}

#[tokio::test]
async fn what_is_not_sealed_is_refused() {
    let xml = sealed_invoice(sale());
    let other_name = xml.replacen("Nombre=\"ESCUELA", "Nombre=\"ESCUELAS", 1);
    assert_eq!(code(stamp("1", &other_name).await), "302");
    let seal = &stamp("1", &xml).await.unwrap().timbre.sello_cfd;
    assert_eq!(code(stamp("1", &xml.replacen(seal, "", 1)).await), "302");
    for garbage in ["", "{}", "<a/>", &xml[..xml.len() - 3]] {
        assert_eq!(code(stamp("1", garbage).await), "301", "{garbage}");
    }
}

#[tokio::test]
async fn the_receivers_name_simulates_failures() {
    let mut source = sale();
    source.receptor.nombre = Some("Grupo Rechazo del Norte".to_owned());
    assert_eq!(code(stamp("1", &sealed_invoice(source.clone())).await), "CFDI40145");
    source.receptor.nombre = Some("Sin servicio, S.A.".to_owned());
    let lost = stamp("1", &sealed_invoice(source)).await;
    assert!(matches!(lost, Err(StampFailure::Unreachable(_))), "{lost:?}");
}

#[test]
fn what_the_builders_make_passes() {
    let mut public = sale();
    public.receptor = nobody("Público en general");
    let mut dollars = sale();
    dollars.venta.moneda = "USD".to_owned();
    dollars.venta.tipo_cambio = Rate::new(decimal("17.5432"));
    for source in [sale(), public, dollars] {
        assert_eq!(validate(&build_invoice(&source).unwrap()), Ok(()));
    }
    let mut dollars = receipt();
    dollars.pago.moneda = "USD".to_owned();
    dollars.pago.tipo_cambio = Rate::new(decimal("17.5432"));
    for source in [receipt(), dollars, payment(vec![paid(1, "443.50", "100"), paid(3, "243.50", "243.50")])] {
        assert_eq!(validate(&build_payment(&source).unwrap()), Ok(()));
    }
}

#[test]
fn income_documents_are_validated() {
    type Change = fn(&mut Cfdi);
    let cases: [(Change, &str); 37] = [
        (|d| d.no_certificado.truncate(19), "CFDI40106"),
        (|d| d.certificado.clear(), "CFDI40106"),
        (|d| d.lugar_expedicion = "95669".to_owned(), "CFDI40126"),
        (|d| d.lugar_expedicion = "01000".to_owned(), "CFDI40179"),
        (|d| d.emisor.rfc = "XAXX010101000".to_owned(), "CFDI40138"),
        (|d| d.emisor.nombre.clear(), "CFDI40139"),
        (|d| d.emisor.regimen_fiscal = "600".to_owned(), "CFDI40140"),
        (|d| d.emisor.regimen_fiscal = "612".to_owned(), "CFDI40141"),
        (|d| d.receptor.rfc = "URE180431TM6".to_owned(), "CFDI40143"),
        (|d| d.receptor.nombre = "PUBLICO EN GENERAL".to_owned(), "CFDI40146"),
        (|d| d.receptor.domicilio_fiscal_receptor = "95669".to_owned(), "CFDI40147"),
        (|d| d.receptor.rfc = "XAXX010101000".to_owned(), "CFDI40149"),
        (|d| d.receptor.regimen_fiscal_receptor = "6O1".to_owned(), "CFDI40157"),
        (|d| d.receptor.regimen_fiscal_receptor = "612".to_owned(), "CFDI40158"),
        (|d| d.receptor.uso_cfdi = "P01".to_owned(), "CFDI40160"),
        (|d| d.receptor.uso_cfdi = "D01".to_owned(), "CFDI40161"),
        (|d| d.receptor.uso_cfdi = "CP01".to_owned(), "CFDI40161"),
        (|d| d.forma_pago = None, "CFDI40104"),
        (|d| d.forma_pago = Some("03".to_owned()), "CFDI40105"),
        (|d| d.metodo_pago = Some("PIP".to_owned()), "CFDI40124"),
        (|d| d.moneda = "XXX".to_owned(), "CFDI40113"),
        (|d| d.tipo_cambio = Some(Amount::rounded(Decimal::TWO, 6)), "CFDI40114"),
        (|d| d.moneda = "USD".to_owned(), "CFDI40115"),
        (|d| d.conceptos.clear(), "CFDI40108"),
        (|d| d.total = Amount::ZERO, "CFDI40119"),
        (|d| d.descuento = None, "CFDI40119"),
        (|d| d.conceptos[0].clave_prod_serv = "99999999".to_owned(), "CFDI40162"),
        (|d| d.conceptos[0].clave_unidad = "h87".to_owned(), "CFDI40165"),
        (|d| d.conceptos[0].valor_unitario = Amount::ZERO, "CFDI40166"),
        (|d| d.conceptos[0].cantidad = Amount::rounded(Decimal::TEN, 2), "CFDI40167"),
        (|d| d.conceptos[0].objeto_imp = "09".to_owned(), "CFDI40170"),
        (|d| d.conceptos[0].impuestos = None, "CFDI40171"),
        (|d| d.conceptos[0].objeto_imp = "01".to_owned(), "CFDI40172"),
        (|d| d.impuestos = None, "CFDI40119"),
        (|d| d.impuestos.as_mut().unwrap().traslados[0].base = Amount::ZERO, "CFDI40215"),
        (|d| d.impuestos.as_mut().unwrap().traslados[3].importe = Some(Amount::rounded(Decimal::ONE, 2)), "CFDI40221"),
        (|d| d.impuestos.as_mut().unwrap().traslados.swap_remove(3).importe.map_or((), drop), "CFDI40215"),
    ];
    for (place, (change, expected)) in cases.into_iter().enumerate() {
        let mut document = build_invoice(&sale()).unwrap();
        change(&mut document);
        assert_eq!(codes(&document), expected, "case {place}");
    }
}

#[test]
fn the_taxes_of_a_concept_are_validated() {
    type Change = fn(&mut crate::domain::cfdi::Traslado);
    let cases: [(Change, &str); 5] = [
        (|t| t.base = Amount::ZERO, "CFDI40174"),
        (|t| t.importe = None, "CFDI40178"),
        (|t| t.tipo_factor = crate::domain::cfdi::TipoFactor::Exento, "CFDI40177"),
        (|t| t.tasa_o_cuota = Some(Amount::rounded(Decimal::new(11, 2), 6)), "CFDI40179"),
        (|t| t.importe = Some(Amount::rounded(Decimal::new(490, 2), 2)), "CFDI40180"),
    ];
    for (change, expected) in cases {
        let mut document = build_invoice(&sale()).unwrap();
        change(&mut document.conceptos[0].impuestos.as_mut().unwrap().traslados[0]);
        assert_eq!(codes(&document), expected);
    }
    let mut document = build_invoice(&sale()).unwrap();
    document.conceptos[1].descuento = Some(Amount::rounded(Decimal::new(5001, 2), 2));
    assert_eq!(codes(&document), "CFDI40169");
    document.conceptos[1].descuento = Some(Amount::rounded(Decimal::new(5, 0), 3));
    assert_eq!(codes(&document), "CFDI40168");
}

#[test]
fn the_general_public_needs_a_period() {
    let mut source = sale();
    source.receptor = nobody("Público en general");
    let public = build_invoice(&source).unwrap();
    let mut without = public.clone();
    without.informacion_global = None;
    assert_eq!(codes(&without), "CFDI40130");
    let mut named = public.clone();
    named.receptor.nombre = "ANA".to_owned();
    assert_eq!(codes(&named), "CFDI40130");
    for (meses, anio, expected) in [("13", 2026, "CFDI40134"), ("1", 2026, "CFDI40134"), ("01", 2024, "CFDI40136")] {
        let mut document = public.clone();
        let period = document.informacion_global.as_mut().unwrap();
        (period.meses, period.anio) = (meses.to_owned(), anio);
        assert_eq!(codes(&document), expected);
    }
}

#[test]
fn payment_documents_are_validated() {
    type Change = fn(&mut Cfdi);
    let cases: [(Change, &str); 12] = [
        (|d| d.forma_pago = Some("03".to_owned()), "CFDI40103"),
        (|d| d.metodo_pago = Some("PUE".to_owned()), "CFDI40125"),
        (|d| d.sub_total = Amount::rounded(Decimal::ONE, 0), "CFDI40109"),
        (|d| d.total = Amount::rounded(Decimal::ONE, 0), "CRP20110"),
        (|d| d.moneda = "MXN".to_owned(), "CRP20104"),
        (|d| d.conceptos.clear(), "CRP20111"),
        (|d| d.conceptos[0].clave_prod_serv = "01010101".to_owned(), "CRP20113"),
        (|d| d.conceptos[0].descripcion = "pago".to_owned(), "CRP20118"),
        (|d| d.complemento = None, "CRP20999"),
        (|d| d.receptor.uso_cfdi = "G03".to_owned(), "CFDI40161"),
        (|d| pagos(d).pago.clear(), "CRP20999"),
        (|d| d.impuestos = Some(build_invoice(&sale()).unwrap().impuestos.unwrap()), "CFDI40201"),
    ];
    for (place, (change, expected)) in cases.into_iter().enumerate() {
        let mut document = build_payment(&receipt()).unwrap();
        change(&mut document);
        assert_eq!(codes(&document), expected, "case {place}");
    }
}

#[test]
fn payments_and_their_sums_are_validated() {
    type Change = fn(&mut crate::domain::cfdi::Pagos20);
    let cases: [(Change, &str); 19] = [
        (|p| p.pago[0].forma_de_pago_p = "99".to_owned(), "CRP20212"),
        (|p| p.pago[0].moneda_p = "XXX".to_owned(), "CRP20213"),
        (|p| p.pago[0].tipo_cambio_p = Amount::ZERO, "CRP20214"),
        (|p| p.pago[0].tipo_cambio_p = Amount::rounded(Decimal::ONE, 6), "CRP20215"),
        (|p| p.pago[0].monto = Amount::rounded(Decimal::ONE, 2), "CRP20217"),
        (|p| p.pago[0].monto = Amount::ZERO, "CRP20218"),
        (|p| p.pago[0].monto = Amount::rounded(Decimal::ONE_HUNDRED, 3), "CRP20219"),
        (|p| p.pago[0].monto = Amount::rounded(Decimal::ONE_THOUSAND, 2), "CRP20211"),
        (|p| p.pago[0].docto_relacionado[0].equivalencia_dr = Amount::rounded(Decimal::TWO, 0), "CRP20238"),
        (|p| p.pago[0].docto_relacionado[0].equivalencia_dr = Amount::ZERO, "CRP20237"),
        (|p| p.pago[0].docto_relacionado[0].moneda_dr = "XXX".to_owned(), "CRP20235"),
        (|p| p.pago[0].docto_relacionado[0].imp_saldo_insoluto = Amount::ZERO, "CRP20244"),
        (|p| p.pago[0].docto_relacionado[0].impuestos_dr = None, "CRP20246"),
        (|p| p.pago[0].docto_relacionado[0].objeto_imp_dr = "01".into(), "CRP20247"),
        (|p| p.pago[0].impuestos_p = None, "CRP20271"),
        (|p| p.pago[0].impuestos_p.as_mut().unwrap().traslados_p[0].base_p = Amount::ZERO, "CRP20268"),
        (|p| p.pago[0].impuestos_p.as_mut().unwrap().traslados_p[0].importe_p = None, "CRP20274"),
        (|p| p.totales.base_iva_exento = None, "CRP20210"),
        (|p| p.totales.impuesto_iva_16 = Some(Amount::ZERO), "CRP20205"),
    ];
    for (place, (change, expected)) in cases.into_iter().enumerate() {
        let mut document = build_payment(&receipt()).unwrap();
        change(pagos(&mut document));
        assert_eq!(codes(&document), expected, "case {place}");
    }
    let mut document = build_payment(&receipt()).unwrap();
    let pagos = pagos(&mut document);
    let taxes = pagos.pago[0].docto_relacionado[0].impuestos_dr.as_mut().unwrap();
    taxes.traslados_dr[0].importe_dr = Some(Amount::rounded(decimal("1.082670"), 6));
    assert_eq!(codes(&document), "CRP20261");
}

/// The payments of a payment document.
fn pagos(document: &mut Cfdi) -> &mut crate::domain::cfdi::Pagos20 {
    document.complemento.as_mut().unwrap().pagos.as_mut().unwrap()
}

/// Documents of all kinds, with every tax, relation and currency that the builders know.
#[test]
fn any_document_of_any_kind_passes() {
    let count = std::env::var("SVC_CFDI").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let (moral, fisica) = (csd("EKU9003173C9").0, csd("CACX7605101P8").0);
    let issuers = Issuers { moral, fisica };
    let mut dice = Dice::new(7);
    for number in 0..count {
        let document = dice.document(&issuers);
        // The random date and period are independent: in the last hours of a year the period may be
        // in the next.
        if codes(&document) != "CFDI40136" {
            assert_eq!(validate(&document), Ok(()), "document {number}: {document:#?}");
        }
    }
}

#[test]
fn retentions_are_validated() {
    type Change = fn(&mut Cfdi);
    let cases: [(Change, &str); 9] = [
        (|d| withheld(d).base = Amount::ZERO, "CFDI40181"),
        (|d| withheld(d).tipo_factor = TipoFactor::Exento, "CFDI40184"),
        (|d| withheld(d).impuesto = Impuesto::Ieps, "CFDI40185"),
        (|d| withheld(d).tasa_o_cuota = Amount::rounded(decimal("0.36"), 6), "CFDI40185"),
        (|d| withheld(d).importe = Amount::rounded(Decimal::ONE, 2), "CFDI40186"),
        (|d| d.impuestos.as_mut().unwrap().retenciones.clear(), "CFDI40211"),
        (|d| d.impuestos.as_mut().unwrap().retenciones[0].importe = Amount::ZERO, "CFDI40211"),
        (
            |d| {
                let taxes = d.impuestos.as_mut().unwrap();
                let first = taxes.retenciones[0].clone();
                taxes.retenciones.push(first);
            },
            "CFDI40208",
        ),
        (|d| d.impuestos.as_mut().unwrap().total_impuestos_retenidos = None, "CFDI40119"),
    ];
    let (moral, fisica) = (csd("EKU9003173C9").0, csd("CACX7605101P8").0);
    let issuers = Issuers { moral, fisica };
    let mut dice = Dice::new(1);
    let document = loop {
        let document = dice.document(&issuers);
        let has_isr = |concept: &crate::domain::cfdi::Concepto| {
            concept
                .impuestos
                .as_ref()
                .is_some_and(|taxes| taxes.retenciones.iter().any(|tax| tax.impuesto == Impuesto::Isr))
        };
        if document.conceptos.first().is_some_and(has_isr) {
            break document;
        }
    };
    for (place, (change, expected)) in cases.into_iter().enumerate() {
        let mut document = document.clone();
        change(&mut document);
        assert_eq!(codes(&document), expected, "case {place}");
    }
}

/// The withheld ISR of the first concept.
fn withheld(document: &mut Cfdi) -> &mut RetencionConcepto {
    let taxes = document.conceptos[0].impuestos.as_mut().unwrap();
    taxes.retenciones.iter_mut().find(|tax| tax.impuesto == Impuesto::Isr).unwrap()
}

#[tokio::test]
async fn a_document_is_stamped_within_72_hours() {
    let xml = sealed_invoice(sale());
    let at = async |hours: i64| {
        let now = "2026-10-12T18:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::hours(hours);
        SandboxStamper.stamp(&StampRequest::new("1-1".to_owned(), xml.clone()).at(now)).await
    };
    assert!(at(0).await.is_ok() && at(72).await.is_ok());
    assert_eq!((code(at(73).await), code(at(-1).await)), ("401".to_owned(), "401".to_owned()));
}

proptest! {
    /// Every sale that can be created passes.
    #[test]
    fn any_sale_and_any_instalment_passes(
        lines in prop::collection::vec(any_line(), 1..12), paid_part in 1_i64..=100, rate in 1_i64..100_000_000,
    ) {
        let mut source = invoice(lines);
        source.emisor.cp = Some("21000".to_owned());
        source.venta.moneda = "USD".to_owned();
        source.venta.tipo_cambio = Rate::new(Decimal::new(rate, 6));
        prop_assert_eq!(validate(&build_invoice(&source).unwrap()), Ok(()));

        let part = Amount::rounded(source.venta.total.get() * Decimal::new(paid_part, 2), 2);
        prop_assume!(part.get() > Decimal::ZERO);
        let total = source.venta.total.to_string();
        let mut invoice = paid(1, &total, &part.to_string());
        (invoice.total, invoice.renglones) = (money(&total), source.renglones);
        let mut receipt = payment(vec![invoice]);
        receipt.pago.moneda = "USD".to_owned();
        receipt.pago.tipo_cambio = source.venta.tipo_cambio;
        prop_assert_eq!(validate(&build_payment(&receipt).unwrap()), Ok(()));
    }

    #[test]
    fn limits_hold_what_was_rounded(quantity in 1_i64..1_000_000_000, price in 1_i64..1_000_000_000) {
        let of = |units| Decimal::new(units, 6).to_string();
        let line = line(&of(quantity), &of(price), "0", "0.160000");
        let concept = &build_invoice(&invoice(vec![line])).unwrap().conceptos[0];
        prop_assert!(limits::between(
            concept.importe, concept.cantidad, limits::Reach::Around(concept.valor_unitario), 2,
        ));
    }
}
