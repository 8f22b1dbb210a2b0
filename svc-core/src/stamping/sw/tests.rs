//! Tests against a fake provider that answers as SW does.

use super::*;
use crate::stamping::fake_provider::{UUID, cancellation, provider, reply, request, stamped};

fn status() -> SatStatus {
    SatStatus::new(Some("http://127.0.0.1:9"), Duration::from_secs(1)).unwrap()
}

fn with_token(url: &str) -> SwStamper {
    SwStamper::new(url, None, "permanente", status(), Duration::from_secs(10)).unwrap()
}

fn success(data: &Value) -> Vec<u8> {
    reply(200, &json!({"status": "success", "data": data}).to_string())
}

fn error(http: u16, message: &str, detail: &str, data: &Value) -> Vec<u8> {
    reply(http, &json!({"status": "error", "message": message, "messageDetail": detail, "data": data}).to_string())
}

/// A complete answer of `stamp/v4`.
fn v4(xml: &str) -> Value {
    json!({"cadenaOriginalSAT": "||1.1||", "noCertificadoSAT": "30001000000500009999", "noCertificadoCFDI": "30001000000500003416",
           "uuid": UUID, "selloSAT": "x", "selloCFDI": "x", "fechaTimbrado": "2026-10-12T12:00:04", "qrCode": "x", "cfdi": xml})
}

/// The stamp's node alone.
fn tfd(xml: &str) -> &str {
    let begin = xml.find("<tfd:").unwrap();
    &xml[begin..begin + xml[begin..].find("/>").unwrap() + 2]
}

async fn answered(answers: Vec<Vec<u8>>) -> (Result<StampedXml, StampFailure>, Vec<String>) {
    let (requests, url) = provider(answers).await;
    (with_token(&url).stamp(&request()).await, requests.await.unwrap())
}

#[tokio::test]
async fn a_document_is_sent_as_a_file_and_stamped() {
    let xml = stamped(&request());
    let (answer, requests) = answered(vec![success(&v4(&xml))]).await;
    assert_eq!(answer.unwrap().xml, xml);
    let (head, body) = requests[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v4/cfdi33/stamp/v4 HTTP/1.1\r\n"), "{head}");
    for header in ["authorization: Bearer permanente", "customid: 1-25"] {
        assert!(head.lines().any(|line| line == header), "{head}");
    }
    let boundary = head.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(
        head.contains("content-type: multipart/form-data;") && body.starts_with(&format!("--{boundary}\r\n")),
        "{head}"
    );
    assert!(body.contains("form-data; name=\"xml\"; filename=\"xml\"") && body.contains(&request().xml), "to the byte");
    assert!(body.ends_with(&format!("\r\n--{boundary}--\r\n")));
}

#[tokio::test]
async fn a_user_gets_a_token_and_a_new_one_when_that_has_expired() {
    let token = |text: &str| success(&json!({"token": text, "expires_in": 1_800_000_000, "tokeny_type": "bearer"}));
    let good = || success(&v4(&stamped(&request())));
    let expired = || error(401, "401 - El token ha expirado", "", &Value::Null);
    let (requests, url) = provider([token("uno"), good(), good(), expired(), token("dos"), good()]).await;
    let stamper = SwStamper::new(&url, Some("ana@x.mx"), "secreta", status(), Duration::from_secs(10)).unwrap();
    for _ in 0..3 {
        stamper.stamp(&request()).await.unwrap();
    }
    let requests = requests.await.unwrap();
    assert!(requests[0].starts_with("POST /v2/security/authenticate HTTP/1.1\r\n"), "{}", requests[0]);
    assert!(requests[0].ends_with(r#"{"user":"ana@x.mx","password":"secreta"}"#), "{}", requests[0]);
    let bearers =
        [1, 2, 3, 5].map(|at: usize| requests[at].lines().find(|line| line.starts_with("authorization: ")).unwrap());
    let last = "authorization: Bearer dos";
    assert_eq!(bearers, ["authorization: Bearer uno", "authorization: Bearer uno", "authorization: Bearer uno", last]);
    assert!(!format!("{stamper:?}").contains("secreta"));

    // A wrong password, and a user refused even with a new token.
    let wrong = error(400, "AU2000 - El usuario y/o contraseña son inválidos", "", &Value::Null);
    for answers in [vec![wrong], vec![token("uno"), expired(), token("dos"), expired()]] {
        let (_, url) = provider(answers).await;
        let stamper = SwStamper::new(&url, Some("ana@x.mx"), "secreta", status(), Duration::from_secs(10)).unwrap();
        let failure = stamper.stamp(&request()).await;
        assert!(matches!(&failure, Err(StampFailure::Misconfigured(why)) if !why.contains("secreta")), "{failure:?}");
    }
}

#[tokio::test]
async fn what_was_stamped_before_is_its_earlier_stamp() {
    let xml = stamped(&request());
    let before = "307. El comprobante contiene un timbre previo.";
    for data in [json!({"cfdi": xml, "tfd": tfd(&xml)}), json!({"tfd": tfd(&xml)})] {
        let (answer, _) = answered(vec![error(400, before, "", &data)]).await;
        assert_eq!(answer.unwrap().timbre.uuid.to_string(), UUID);
    }
    let (answer, _) = answered(vec![error(400, before, "", &Value::Null)]).await;
    assert!(matches!(answer, Err(StampFailure::Unreachable(_))), "its XML is not there yet");
    // Another document's stamp is not accepted for this one.
    let mut other = request();
    other.xml = other.xml.replacen("Folio=\"25\"", "Folio=\"26\"", 1);
    let (answer, _) = answered(vec![error(400, before, "", &json!({"cfdi": stamped(&other)}))]).await;
    assert!(matches!(answer, Err(StampFailure::Unreachable(_))));
}

#[tokio::test]
async fn a_customid_that_was_used_never_makes_a_second_invoice() {
    let xml = stamped(&request());
    let used =
        |data: &Value| error(400, "CFDI3307 - Timbre duplicado. El customId proporcionado está duplicado.", "", data);
    let (answer, _) = answered(vec![used(&json!({"tfd": tfd(&xml)}))]).await;
    assert_eq!(answer.unwrap().timbre.uuid.to_string(), UUID, "it was this very document");
    let foreign = tfd(&xml).replacen("SelloCFD=\"", "SelloCFD=\"A", 1);
    let (answer, _) = answered(vec![used(&json!({"tfd": foreign}))]).await;
    assert!(matches!(answer, Err(StampFailure::Unknown(_))), "an earlier build of the same invoice was stamped");
    let (answer, requests) = answered(vec![used(&Value::Null), success(&v4(&xml))]).await;
    assert!(answer.is_ok(), "a refusal had used it up");
    let id = requests[1].lines().find_map(|line| line.strip_prefix("customid: ")).unwrap();
    assert!(id.starts_with("1-25-") && id.len() == 21, "{id}");
    let (answer, _) = answered(vec![used(&Value::Null), used(&Value::Null)]).await;
    assert!(matches!(answer, Err(StampFailure::Unknown(_))));
}

#[tokio::test]
async fn refusals_have_their_classes() {
    for (http, message) in [
        (400, "CFDI40145 - El campo Nombre del receptor debe pertenecer al nombre asociado al RFC."),
        (400, "301 - XML mal formado"),
        (400, "302. Sello mal formado o inválido."),
        (400, "401 - El rango de la fecha de generación no debe de ser mayor a 72 horas"),
        (400, "CRP20217 - La suma de los valores"),
        (200, "CO1002 - xmlns"),
    ] {
        let (answer, _) = answered(vec![error(http, message, "Detalle.", &Value::Null)]).await;
        let Err(StampFailure::Rejected { codigo, mensaje }) = answer else { panic!("{message}: {answer:?}") };
        assert!(message.starts_with(&codigo) && mensaje.ends_with("Detalle."), "{codigo} {mensaje}");
    }
    for (http, message) in [
        (400, "303 - Sello no corresponde a emisor"),
        (400, "402 - RFC del emisor no se encuentra en la LCO"),
        (401, "AU4101 - El token proporcionado viene vacio."),
        (403, "Sin permiso"),
        (400, "No cuenta con timbres disponibles"),
    ] {
        let (answer, _) = answered(vec![error(http, message, "", &Value::Null)]).await;
        assert!(matches!(answer, Err(StampFailure::Misconfigured(_))), "{message}: {answer:?}");
    }
    let whole = success(&v4(&stamped(&request())));
    for answer in [
        error(400, "CO1000 - Error no clasificado", "", &Value::Null),
        error(400, "Algo pasó", "", &Value::Null),
        error(500, "CFDI40145 - x", "", &Value::Null),
        error(429, "CFDI40145 - x", "", &Value::Null),
        reply(200, "<html>"),
        success(&Value::Null),
        success(&v4("<cfdi:Comprobante/>")),
        whole[..whole.len() - 9].to_vec(),
        Vec::new(),
    ] {
        let (answer, _) = answered(vec![answer]).await;
        assert!(matches!(answer, Err(StampFailure::Unreachable(_))), "{answer:?}");
    }
}

#[tokio::test]
async fn a_cancellation_is_sent_signed() {
    let cancel = async |answer: Vec<u8>| {
        let (requests, url) = provider([answer]).await;
        (with_token(&url).cancel(&cancellation()).await, requests.await.unwrap().remove(0))
    };
    let folio = |code: &str| success(&json!({"acuse": "<Acuse/>", "uuid": {UUID.to_uppercase(): code}}));
    let (received, asked) = cancel(folio("201")).await;
    assert_eq!(received, Ok(CancelReceipt { acuse: Some("<Acuse/>".to_owned()) }));
    assert!(
        asked.starts_with("POST /cfdi33/cancel/xml HTTP/1.1\r\n") && asked.contains("\r\n\r\n<Cancelacion/>\r\n--"),
        "{asked}"
    );
    assert!(cancel(folio("202")).await.0.is_ok(), "asked for before");
    assert!(matches!(cancel(folio("205")).await.0, Err(StampFailure::Unreachable(_))), "just stamped");
    assert!(matches!(cancel(folio("207")).await.0, Err(StampFailure::Rejected { .. })));
    assert!(matches!(cancel(folio("203")).await.0, Err(StampFailure::Misconfigured(_))));
    let certificate = error(400, "CACFDI33 - Problemas con el xml.", "CA305 - Certificado Inválido.", &Value::Null);
    assert!(matches!(cancel(certificate).await.0, Err(StampFailure::Misconfigured(_))));
    let fields = error(400, "CACFDI33 - Problemas con los campos.", "CR1310. Clave de motivo no válida", &Value::Null);
    assert!(matches!(cancel(fields).await.0, Err(StampFailure::Rejected { codigo, .. }) if codigo == "CACFDI33"));
    for answer in [success(&json!({"uuid": {}})), reply(502, ""), Vec::new()] {
        assert!(matches!(cancel(answer).await.0, Err(StampFailure::Unreachable(_))));
    }
}
