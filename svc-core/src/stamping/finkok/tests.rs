//! Tests against a fake provider that answers as Finkok does.

use super::*;
use crate::stamping::fake_provider::{UUID, cancellation, provider, reply, request, stamped};
use crate::stamping::soap::envelope;

fn stamper(url: &str) -> FinkokStamper {
    let mut stamper = FinkokStamper::new(url, "ana@x.mx", "secr<ta", None, Duration::from_secs(10)).unwrap();
    stamper.doubt = Duration::from_millis(20);
    stamper
}

fn result(method: &str, fields: &str) -> Vec<u8> {
    let space = "xmlns:s0=\"apps.services.soap.core.views\"";
    let body = format!(
        "<tns:{method}Response xmlns:tns=\"urn\" {space}><tns:{method}Result>{fields}</tns:{method}Result></tns:{method}Response>"
    );
    reply(200, &envelope(&body))
}

fn done(method: &str, xml: &str) -> Vec<u8> {
    let fields = [
        element("s0:xml", xml),
        element("s0:UUID", UUID),
        element("s0:CodEstatus", "Comprobante timbrado satisfactoriamente"),
        "<s0:Incidencias/>".to_owned(),
    ];
    result(method, &fields.concat())
}

fn incident(method: &str, code: &str, text: &str) -> Vec<u8> {
    let incident =
        [element("s0:IdIncidencia", "1"), element("s0:CodigoError", code), element("s0:MensajeIncidencia", text)];
    result(
        method,
        &format!("<s0:xml/><s0:Incidencias><s0:Incidencia>{}</s0:Incidencia></s0:Incidencias>", incident.concat()),
    )
}

fn fault(text: &str) -> Vec<u8> {
    let fault = [element("faultcode", "senv:Server"), element("faultstring", text)].concat();
    reply(500, &envelope(&format!("<soap:Fault>{fault}</soap:Fault>")))
}

async fn answered(answers: Vec<Vec<u8>>) -> (Result<StampedXml, StampFailure>, Vec<String>) {
    let (requests, url) = provider(answers).await;
    (stamper(&url).stamp(&request()).await, requests.await.unwrap())
}

#[tokio::test]
async fn a_document_is_sent_and_stamped() {
    let xml = stamped(&request());
    let (answer, requests) = answered(vec![done("stamp", &xml)]).await;
    assert_eq!(answer.unwrap().xml, xml);
    let asked = &requests[0];
    assert!(
        asked.starts_with("POST /servicios/soap/stamp HTTP/1.1\r\n") && asked.contains("soapaction: \"stamp\"\r\n"),
        "{asked}"
    );
    let body = format!(
        "<stamp xmlns=\"http://facturacion.finkok.com/stamp\"><xml>{}</xml><username>ana@x.mx</username>\
         <password>secr&lt;ta</password></stamp>",
        STANDARD.encode(request().xml)
    );
    assert!(asked.contains(&body), "{asked}");
    assert!(!format!("{:?}", stamper("http://localhost")).contains("secr"));
}

#[tokio::test]
async fn what_was_stamped_before_is_its_earlier_stamp() {
    let xml = stamped(&request());
    let before = || incident("stamp", "307", "El CFDI contiene un timbre previo");
    let (answer, requests) = answered(vec![before(), done("stamped", &xml)]).await;
    assert_eq!(answer.unwrap().xml, xml);
    assert!(requests[1].contains("<stamped xmlns=\"http://facturacion.finkok.com/stamp\"><xml>"), "{}", requests[1]);
    // The XML is missing for some seconds.
    for soon in [
        incident("stamped", "603", "El CFDI no contiene un timbre previo"),
        incident("stamped", "307", "x"),
        Vec::new(),
    ] {
        let (answer, _) = answered(vec![before(), soon]).await;
        assert!(matches!(answer, Err(StampFailure::Unreachable(_))), "{answer:?}");
    }
}

#[tokio::test]
async fn what_became_of_an_old_document_is_asked_twice() {
    let never = || incident("stamped", "603", "El CFDI no contiene un timbre previo");
    let xml = stamped(&request());
    let earlier = async |answers: Vec<Vec<u8>>| {
        let (_, url) = provider(answers).await;
        stamper(&url).earlier(&request()).await
    };
    assert_eq!(earlier(vec![never(), never()]).await, Ok(None));
    assert_eq!(earlier(vec![never(), done("stamped", &xml)]).await.unwrap().unwrap().xml, xml);
    assert_eq!(earlier(vec![done("stamped", &xml)]).await.unwrap().unwrap().xml, xml);
    assert!(matches!(earlier(vec![never(), Vec::new()]).await, Err(StampFailure::Unreachable(_))));
}

#[tokio::test]
async fn refusals_have_their_classes() {
    for code in ["301", "302", "401", "CFDI40145", "705", "707"] {
        let (answer, _) = answered(vec![incident("stamp", code, "No.")]).await;
        assert_eq!(answer, Err(StampFailure::Rejected { codigo: code.to_owned(), mensaje: "No.".to_owned() }));
    }
    for code in ["300", "303", "402", "501", "702", "703", "718"] {
        let (answer, _) = answered(vec![incident("stamp", code, "No.")]).await;
        assert!(matches!(answer, Err(StampFailure::Misconfigured(_))), "{code}");
    }
    let (answer, _) = answered(vec![fault("Invalid username or password")]).await;
    assert!(matches!(&answer, Err(StampFailure::Misconfigured(why)) if !why.contains("secr")), "{answer:?}");
    let whole = done("stamp", &stamped(&request()));
    for answer in [
        incident("stamp", "708", "No se pudo conectar al SAT"),
        incident("stamp", "709", "x"),
        incident("stamp", "Error", "x"),
        fault("Internal error"),
        done("stamp", "<cfdi:Comprobante/>"),
        result("stamp", "<s0:xml/>"),
        reply(200, "<html>"),
        reply(503, ""),
        whole[..whole.len() - 30].to_vec(),
        Vec::new(),
    ] {
        let (answer, _) = answered(vec![answer]).await;
        assert!(matches!(answer, Err(StampFailure::Unreachable(_))), "{answer:?}");
    }
}

#[tokio::test]
async fn a_cancellation_is_sent_signed_and_asked_about() {
    let cancel = async |answer: Vec<u8>| {
        let (requests, url) = provider([answer]).await;
        (stamper(&url).cancel(&cancellation()).await, requests.await.unwrap().remove(0))
    };
    let folio = |code: &str, said: &str| {
        let folio = [element("s0:UUID", UUID), element("s0:EstatusUUID", code), element("s0:EstatusCancelacion", said)];
        let fields = [
            format!("<s0:Folios><s0:Folio>{}</s0:Folio></s0:Folios>", folio.concat()),
            element("s0:Acuse", "<Acuse a=\"1\"/>"),
        ];
        result("cancel_signature", &fields.concat())
    };
    let (received, asked) = cancel(folio("201", "En proceso")).await;
    assert_eq!(received, Ok(CancelReceipt { acuse: Some("<Acuse a=\"1\"/>".to_owned()) }));
    assert!(asked.starts_with("POST /servicios/soap/cancel HTTP/1.1\r\n"), "{asked}");
    let signed = format!(
        "<cancel_signature xmlns=\"http://facturacion.finkok.com/cancel\"><xml>{}</xml>",
        STANDARD.encode("<Cancelacion/>")
    );
    assert!(asked.contains(&signed), "{asked}");
    assert!(cancel(folio("202", "")).await.0.is_ok());
    assert!(matches!(cancel(folio("no_cancelable", "")).await.0, Err(StampFailure::Rejected { .. })));
    assert!(matches!(cancel(folio("205", "")).await.0, Err(StampFailure::Unreachable(_))));
    let request = |text: &str| result("cancel_signature", &element("s0:CodEstatus", text));
    assert!(matches!(cancel(request("711 - Error con el certificado")).await.0, Err(StampFailure::Misconfigured(_))));
    assert!(matches!(cancel(request("708 - No se pudo conectar al SAT")).await.0, Err(StampFailure::Unreachable(_))));
    assert!(matches!(cancel(request("201")).await.0, Err(StampFailure::Unreachable(_))), "no folio was received");

    let sat = [
        element("s0:EsCancelable", "Cancelable con aceptación"),
        element("s0:CodigoEstatus", "S - Comprobante obtenido satisfactoriamente."),
        element("s0:Estado", "Vigente"),
        element("s0:EstatusCancelacion", "En proceso"),
    ];
    let (requests, url) = provider([result("get_sat_status", &format!("<s0:sat>{}</s0:sat>", sat.concat()))]).await;
    assert_eq!(stamper(&url).status(&cancellation()).await, Ok(DocumentStatus::Pending));
    let asked = requests.await.unwrap().remove(0);
    assert!(
        asked.contains("<taxpayer_id>A&amp;A010101AAA</taxpayer_id><rtaxpayer_id>URE180429TM6</rtaxpayer_id>"),
        "{asked}"
    );
}

#[test]
fn a_user_and_a_password_are_needed() {
    let made =
        |user, password| FinkokStamper::new("http://localhost", user, password, None, Duration::from_secs(1)).err();
    assert_eq!(made("", "x"), Some(HttpStamperError::User));
    assert_eq!(made("x", " "), Some(HttpStamperError::Token));
    assert_eq!(made("x", "x"), None);
}
