//! Printed documents, read back with pdftotext.

use std::fs;
use std::process::Command;

use super::{DocumentValidity, PrintFault, Printing, SANDBOX_CERTIFICATE, SANDBOX_RFC, SaleRemarks};
use crate::domain::cfdi::authority::{csd, documents};
use crate::domain::cfdi::element::Element;
use crate::domain::cfdi::testing::{invoice, line, mixed, paid, payment};
use crate::domain::cfdi::tools::Tools;
use crate::domain::cfdi::{
    Cfdi, CfdiRelacionados, Issuer, TipoDeComprobante, TipoRelacion, build_invoice, build_payment, build_related, seal,
};
use crate::domain::paper::testing::{HAN, logo};
use crate::domain::paper::{Fonts, Letterhead};

/// A sealed document with a stamp as a provider adds it.
fn stamped(document: &Cfdi) -> String {
    let (_, key) = csd("EKU9003173C9");
    add_stamp(&seal(document, &key).unwrap().xml)
}

fn add_stamp(xml: &str) -> String {
    let seal = Element::read(xml).unwrap().text("Sello").to_owned();
    let stamp = format!(
        "<tfd:TimbreFiscalDigital xmlns:tfd=\"http://www.sat.gob.mx/TimbreFiscalDigital\" \
         xsi:schemaLocation=\"http://www.sat.gob.mx/TimbreFiscalDigital \
         http://www.sat.gob.mx/sitio_internet/cfd/TimbreFiscalDigital/TimbreFiscalDigitalv11.xsd\" Version=\"1.1\" \
         UUID=\"5AD427B5-2B1E-4D3C-9F0A-1B2C3D4E5F60\" FechaTimbrado=\"2026-10-12T12:01:07\" RfcProvCertif=\"SPR190613I52\" \
         SelloCFD=\"{seal}\" NoCertificadoSAT=\"30001000000500003456\" SelloSAT=\"{}\"/>",
        seal.chars().rev().collect::<String>()
    );
    match xml.split_once("</cfdi:Complemento>") {
        Some((before, after)) => format!("{before}{stamp}</cfdi:Complemento>{after}"),
        None => xml.replace(
            "</cfdi:Comprobante>",
            &format!("<cfdi:Complemento>{stamp}</cfdi:Complemento></cfdi:Comprobante>"),
        ),
    }
}

/// Prints with a plain letterhead.
fn print(xml: &str, validity: DocumentValidity) -> Result<Vec<u8>, PrintFault> {
    print_with(xml, validity, &Letterhead::default(), &SaleRemarks::default())
}

fn print_with(
    xml: &str,
    validity: DocumentValidity,
    letterhead: &Letterhead,
    remarks: &SaleRemarks,
) -> Result<Vec<u8>, PrintFault> {
    super::print(&Printing { xml, validity, letterhead, remarks, fonts: &Fonts::default() })
}

fn with_certificate(emisor: &mut Issuer) {
    emisor.certificado = Some(csd("EKU9003173C9").0);
}

/// The text of a PDF, and its number of pages.
fn read(tools: &Tools, pdf: &[u8]) -> (String, usize) {
    let path = tools.dir().join("printed.pdf");
    fs::write(&path, pdf).unwrap();
    let output = Command::new("pdftotext").args(["-layout", "-enc", "UTF-8"]).arg(&path).arg("-").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let pages = text.matches('\u{c}').count();
    (text.split_whitespace().collect::<Vec<_>>().join(" "), pages)
}

fn small() -> Cfdi {
    let mut source = invoice(vec![
        line("2", "100", "0", "0.160000"),
        line("12.5", "1033.333333", "0", "0.080000"),
        line("1", "9.99", "1.99", "exento"),
    ]);
    with_certificate(&mut source.emisor);
    build_invoice(&source).unwrap()
}

fn large() -> Cfdi {
    let names = [
        "Tubo de cobre tipo M de 1/2\" para agua",
        "Tornillo galvanizado cabeza hexagonal de 3/8\" × 2\", caja con cien piezas, con rondana y tuerca",
        "Pintura vinílica blanca, cubeta de 19 litros",
        "Cemento gris CPC 30R, saco de 50 kg",
    ];
    let rates = ["0.160000", "0.160000", "0.000000", "exento"];
    let lines = (0..80).map(|number| {
        let mut line =
            line("3", &format!("{}.50", 10 + number), if number % 5 == 0 { "1" } else { "0" }, rates[number % 4]);
        line.descripcion = Some(names[number % names.len()].to_owned());
        line.sku = Some(format!("SKU-{number:03}"));
        line
    });
    let mut source = invoice(lines.collect());
    with_certificate(&mut source.emisor);
    build_invoice(&source).unwrap()
}

fn receipt() -> Cfdi {
    let mut source = payment(vec![paid(1, "443.50", "100"), paid(2, "343.50", "343.50")]);
    with_certificate(&mut source.emisor);
    build_payment(&source).unwrap()
}

/// A credit note of the small invoice.
fn credit_note() -> Cfdi {
    let mut source = invoice(vec![line("2", "100", "0", "0.160000")]);
    with_certificate(&mut source.emisor);
    source.venta.metodo_pago_sat = Some("PUE".to_owned());
    source.venta.forma_pago_sat = Some("03".to_owned());
    source.venta.uso_cfdi = Some("G02".to_owned());
    let uuid = "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60".parse().unwrap();
    let related = CfdiRelacionados::of(TipoRelacion::NotaDeCredito, [uuid]);
    build_related(&source, TipoDeComprobante::E, vec![related]).unwrap()
}

#[test]
fn a_small_invoice_has_all_that_is_asked_on_one_page() {
    let Some(tools) = Tools::find("a_small_invoice_has_all_that_is_asked_on_one_page") else { return };
    let xml = stamped(&small());
    let pdf = print(&xml, DocumentValidity::Vigente).unwrap();
    assert!(pdf.len() < 60_000, "{}", pdf.len());
    assert_eq!(print(&xml, DocumentValidity::Vigente).unwrap(), pdf, "the same bytes again");
    let (text, pages) = read(&tools, &pdf);
    assert_eq!(pages, 1);
    for part in [
        "ESCUELA KEMPER URGATE",
        "RFC EKU9003173C9",
        "601 General de Ley Personas Morales",
        "C.P. 01000",
        "Factura",
        "F 25",
        "5AD427B5-2B1E-4D3C-9F0A-1B2C3D4E5F60",
        "I Ingreso",
        "12 oct 2026 12:00:00",
        "12 oct 2026 12:01:07",
        "30001000000500003416",
        "30001000000500003456",
        "SPR190613I52",
        "UNIVERSIDAD ROBÓTICA ESPAÑOLA",
        "URE180429TM6",
        "C.P. 86991",
        "G03 Gastos en general",
        "99 Por definir",
        "PPD Pago en parcialidades",
        "Crédito a 30 días",
        "MXN Peso Mexicano",
        "01 No aplica",
        "12.5",
        "H87 Pieza",
        "Tubo de cobre",
        "No. de identificación TUB-12 · Clave SAT 40171601 · Objeto",
        "1,033.333333",
        "12,916.67",
        "Objeto de impuesto 02",
        "Traslado IVA 16 %, base 200.00, importe 32.00",
        "Traslado IVA exento, base 8.00",
        "Subtotal 13,126.66",
        "Descuento 1.99",
        "IVA 8 % 1,033.33",
        "Total 14,190.00 MXN",
        "CATORCE MIL CIENTO NOVENTA PESOS 00/100 M.N.",
        "SELLO DIGITAL DEL CFDI",
        "SELLO DIGITAL DEL SAT",
        "||1.1|5AD427B5-2B1E-4D3C-9F0A-1B2C3D4E5F60|2026-10-12T12:01:07|SPR190613I52|",
        "Este documento es una representación impresa de un CFDI",
        "Página 1 de 1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("CANCELADO"));
    let cancelled = print(&xml, DocumentValidity::Cancelada).unwrap();
    // pdftotext reads slanted letters one by one, among the others, and some as parts of other
    // words.
    let letters = |pdf: &[u8]| {
        let (text, pages) = read(&tools, pdf);
        assert_eq!(pages, 1);
        text.split(' ').filter(|word| word.len() == 1 && "CANELDO".contains(word)).count()
    };
    assert!(letters(&cancelled) >= letters(&pdf) + 5);
}

#[test]
fn many_lines_go_over_pages_and_none_is_lost() {
    let Some(tools) = Tools::find("many_lines_go_over_pages_and_none_is_lost") else { return };
    let (text, pages) = read(&tools, &print(&stamped(&large()), DocumentValidity::Vigente).unwrap());
    assert!((3..=6).contains(&pages), "{pages}");
    for number in 0..80 {
        assert!(text.contains(&format!("SKU-{number:03}")), "{number}");
    }
    // The last page may have the stamp alone.
    assert!(text.matches("DESCRIPCIÓN").count() >= pages - 1, "a heading on each page");
}

#[test]
fn a_receipt_shows_what_it_pays() {
    let Some(tools) = Tools::find("a_receipt_shows_what_it_pays") else { return };
    let (text, _) = read(&tools, &print(&stamped(&receipt()), DocumentValidity::Vigente).unwrap());
    for part in [
        "Recibo de pago",
        "CP01 Pagos",
        "11 oct 2026 12:00:00",
        "03 Transferencia electrónica de",
        "443.50",
        "SPEI 77123",
        "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60",
        "CUATROCIENTOS CUARENTA Y TRES PESOS 50/100 M.N.",
        "343.50",
        "Traslado IVA 16 %, base 6.766629, importe 1.082661",
        "Total pagado 443.50 MXN",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// The same document, as the sandbox stamps it.
fn by_the_sandbox(xml: &str) -> String {
    xml.replace("SPR190613I52", SANDBOX_RFC).replace("30001000000500003456", SANDBOX_CERTIFICATE)
}

#[test]
fn each_page_of_what_the_sandbox_stamped_says_that_it_is_worth_nothing() {
    let Some(tools) = Tools::find("each_page_of_what_the_sandbox_stamped_says_that_it_is_worth_nothing") else {
        return;
    };
    for (name, document, validity) in [
        ("one page", small(), DocumentValidity::Vigente),
        ("cancelled", small(), DocumentValidity::Cancelada),
        ("many pages", large(), DocumentValidity::Vigente),
        ("a complement", receipt(), DocumentValidity::Vigente),
        ("a cancelled complement", receipt(), DocumentValidity::Cancelada),
    ] {
        let xml = stamped(&document);
        let (text, pages) = read(&tools, &print(&by_the_sandbox(&xml), validity).unwrap());
        assert_eq!(text.matches("SIN VALIDEZ FISCAL").count(), pages, "{name}: {text}");
        let (text, _) = read(&tools, &print(&xml, validity).unwrap());
        assert!(!text.contains("SIN VALIDEZ"), "{name}: {text}");
    }
    for (number, document) in documents(60, 5).iter().enumerate() {
        let xml = by_the_sandbox(&add_stamp(&document.xml));
        let (text, pages) = read(&tools, &print(&xml, DocumentValidity::Vigente).unwrap());
        assert_eq!(text.matches("SIN VALIDEZ FISCAL").count(), pages, "{number}: {text}");
    }
}

#[test]
fn any_document_can_be_printed() {
    let Some(tools) = Tools::find("any_document_can_be_printed") else { return };
    for (number, document) in documents(60, 5).iter().enumerate() {
        let pdf = print(&add_stamp(&document.xml), DocumentValidity::Vigente).unwrap();
        let (text, pages) = read(&tools, &pdf);
        assert!(pages > 0 && text.contains(&format!("Página {pages} de {pages}")), "{number}: {text}");
    }
}

#[test]
fn what_is_no_stamped_document_is_refused() {
    let sealed = seal(&small(), &csd("EKU9003173C9").1).unwrap();
    assert_eq!(print(&sealed.xml, DocumentValidity::Vigente), Err(PrintFault::NotStamped));
    let xml = add_stamp(&sealed.xml);
    let deep = format!("{}{}", "<a>".repeat(10_000), "</a>".repeat(10_000));
    for wrong in [
        "",
        "<a/>",
        "no XML",
        &xml[..xml.len() - 1],
        &format!("{xml}{xml}"),
        &xml.replace("Comprobante", "Otro"),
        &xml.replace("Serie=\"F\"", "Serie=\"&otra;\""),
        &xml.replace("Serie=", "Serie=\"1\" Serie="),
        &deep,
    ] {
        assert_eq!(
            print(wrong, DocumentValidity::Vigente),
            Err(PrintFault::NoDocument),
            "{}",
            &wrong[..wrong.len().min(200)]
        );
    }
    // A truncated document is an error or a PDF, never a panic.
    for end in (0..xml.len()).step_by(97).filter(|end| xml.is_char_boundary(*end)) {
        assert_eq!(print(&xml[..end], DocumentValidity::Vigente), Err(PrintFault::NoDocument));
    }
}

/// A letterhead with everything.
fn letterhead() -> Letterhead {
    Letterhead {
        nombre: Some("Aceros Kemper".to_owned()),
        rfc: Some("EKU9003173C9".to_owned()),
        color: "#1a5fb4".parse().ok(),
        direccion: Some("Av. Insurgentes Sur 1602, piso 4\nCrédito Constructor, 03940 Ciudad de México".to_owned()),
        telefono: Some("55 5555 0100".to_owned()),
        correo: Some("facturas@example.com".to_owned()),
        web: Some("www.example.com".to_owned()),
        logo: Some(logo()),
        prueba: false,
    }
}

fn remarks() -> SaleRemarks {
    SaleRemarks {
        vencimiento: "2026-11-11".parse().ok(),
        pedido: Some("1042".to_owned()),
        referencia: Some("OC-2026-118".to_owned()),
        comentarios: Some("Entregar en el almacén 3, de 9 a 14 h.\nPreguntar por Łucja ★".to_owned()),
    }
}

#[test]
fn the_letterhead_and_the_sale_s_remarks_are_on_paper() {
    let Some(tools) = Tools::find("the_letterhead_and_the_sale_s_remarks_are_on_paper") else { return };
    let xml = stamped(&small());
    let pdf = print_with(&xml, DocumentValidity::Vigente, &letterhead(), &remarks()).unwrap();
    let (text, pages) = read(&tools, &pdf);
    assert_eq!(pages, 1);
    for part in [
        "Av. Insurgentes Sur 1602, piso 4",
        "03940 Ciudad de México",
        "55 5555 0100 · facturas@example.com · www.example.com",
        "Vencimiento 11 nov 2026",
        "Pedido 1042",
        "Referencia OC-2026-118",
        "Observaciones",
        "Entregar en el almacén 3, de 9 a 14 h.",
        "Preguntar por Łucja ★",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(has_image(&pdf) && !has_image(&print(&xml, DocumentValidity::Vigente).unwrap()));
}

fn has_image(pdf: &[u8]) -> bool {
    let is_image = b"/Subtype /Image";
    pdf.windows(is_image.len()).any(|part| part == is_image)
}

#[test]
fn receipts_and_credit_notes_have_the_letterhead_of_invoices() {
    let Some(tools) = Tools::find("receipts_and_credit_notes_have_the_letterhead_of_invoices") else { return };
    let letterhead = letterhead();
    let no_remarks = SaleRemarks::default();
    for (document, parts) in [
        (receipt(), ["Recibo de pago", "P 25", "Total pagado 443.50 MXN", "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60"]),
        (credit_note(), ["Nota de crédito", "E Egreso", "Total 232.00 MXN", "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60"]),
    ] {
        let xml = stamped(&document);
        let pdf = print_with(&xml, DocumentValidity::Vigente, &letterhead, &no_remarks).unwrap();
        let plain = print(&xml, DocumentValidity::Vigente).unwrap();
        let (text, _) = read(&tools, &pdf);
        let head = [
            "Av. Insurgentes Sur 1602, piso 4",
            "03940 Ciudad de México",
            "55 5555 0100 · facturas@example.com · www.example.com",
        ];
        for part in head.iter().chain(&parts) {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(has_image(&pdf) && !has_image(&plain), "{text}");
        let uncoloured = Letterhead { color: None, ..letterhead.clone() };
        let uncoloured = print_with(&xml, DocumentValidity::Vigente, &uncoloured, &no_remarks).unwrap();
        assert_ne!(pdf, uncoloured, "the colour is on paper");
        assert_eq!(read(&tools, &uncoloured).0, text);
    }
}

/// Embeds TrueType outlines, which the fonts of the crate do not have.
#[test]
fn an_added_font_prints_what_the_others_lack() {
    let Some(tools) = Tools::find("an_added_font_prints_what_the_others_lack") else { return };
    let mut source = invoice(vec![line("1", "100", "0", "0.160000")]);
    source.renglones[0].descripcion = Some("Té 中文 «Łódź» 国".to_owned());
    with_certificate(&mut source.emisor);
    let xml = stamped(&build_invoice(&source).unwrap());
    let fonts = Fonts::default().and_file(HAN).unwrap();
    let printing = Printing {
        xml: &xml,
        validity: DocumentValidity::Vigente,
        letterhead: &letterhead(),
        remarks: &SaleRemarks::default(),
        fonts: &fonts,
    };
    let pdf = super::print(&printing).unwrap();
    let (text, _) = read(&tools, &pdf);
    assert!(text.contains("Té 中文 «Łódź» □"), "{text}");
    let has = |part: &[u8]| pdf.windows(part.len()).any(|found| found == part);
    assert!(has(b"/FontFile2") && has(b"/CIDFontType2") && has(b"DroidSansFallback"));
    // A viewer needs no font of its own.
    let path = tools.dir().join("printed.pdf");
    let embedded = Command::new("pdffonts").arg(&path).output().unwrap();
    let embedded = String::from_utf8_lossy(&embedded.stdout).into_owned();
    let row = embedded.lines().find(|row| row.contains("DroidSansFallback")).expect("the font");
    assert!(row.contains("CID TrueType") && row.contains("yes yes yes"), "{embedded}");
}

#[test]
fn letters_of_any_script_are_embedded_or_marked() {
    let Some(tools) = Tools::find("letters_of_any_script_are_embedded_or_marked") else { return };
    let mut source = invoice(vec![line("1", "100", "0", "0.160000")]);
    source.renglones[0].descripcion = Some("Té 中国 «Łódź» ★ Ελλάδα Київ".to_owned());
    with_certificate(&mut source.emisor);
    let xml = stamped(&build_invoice(&source).unwrap());
    let (text, _) = read(&tools, &print(&xml, DocumentValidity::Vigente).unwrap());
    assert!(text.contains("Té □□ «Łódź» ★ Ελλάδα Київ"), "{text}");
}

#[test]
fn five_hundred_lines_are_drawn_in_time() {
    let mut source =
        invoice((0..500).map(|number| line("3", &format!("{}.50", 10 + number), "0", "0.160000")).collect());
    with_certificate(&mut source.emisor);
    let xml = stamped(&build_invoice(&source).unwrap());
    let mut times: Vec<_> = (0..5)
        .map(|_| {
            let began = std::time::Instant::now();
            print_with(&xml, DocumentValidity::Vigente, &letterhead(), &remarks()).unwrap();
            began.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("500 lines: {:?}", times[2]);
    // Unoptimized it takes some twenty times as long.
    let limit = if cfg!(debug_assertions) { 5_000 } else { 50 };
    assert!(times[0].as_millis() < limit, "{times:?}");
}

#[test]
#[ignore = "writes documents to look at into the folder that SVC_PDF names"]
fn samples_to_look_at() {
    let dir = std::path::PathBuf::from(std::env::var_os("SVC_PDF").expect("SVC_PDF names a folder"));
    for (name, document, validity) in [
        ("small", small(), DocumentValidity::Vigente),
        (
            "cancelled",
            {
                let mut source = mixed();
                with_certificate(&mut source.emisor);
                build_invoice(&source).unwrap()
            },
            DocumentValidity::Cancelada,
        ),
        ("large", large(), DocumentValidity::Vigente),
        ("receipt", receipt(), DocumentValidity::Vigente),
    ] {
        let pdf = print_with(&stamped(&document), validity, &letterhead(), &remarks()).unwrap();
        fs::write(dir.join(format!("{name}.pdf")), pdf).unwrap();
    }
    for (number, document) in documents(12, 7).iter().enumerate() {
        fs::write(
            dir.join(format!("random-{number}.pdf")),
            print(&add_stamp(&document.xml), DocumentValidity::Vigente).unwrap(),
        )
        .unwrap();
    }
}
