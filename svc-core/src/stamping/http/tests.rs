//! Tests against a provider on a local socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::*;
use crate::compute::Compute;
use crate::domain::company::CompanyId;
use crate::outbound::Tls;
use crate::stamping::endpoint::MAX_ANSWER;
use crate::stamping::fake_provider::{self, UUID, cancellation, reply, request, serve, stamped};

const TOKEN: &str = "tok_1234567890";

fn status() -> SatStatus {
    SatStatus::new(Some("http://127.0.0.1:9"), Duration::from_secs(1)).unwrap()
}

/// A provider that answers one request; returns the request and the provider's address.
async fn provider(answer: Vec<u8>) -> (JoinHandle<Vec<String>>, String) {
    let (asked, url) = fake_provider::provider([answer]).await;
    (asked, format!("{url}/v1/timbrados?modo=prueba"))
}

fn stamper(url: &str) -> HttpStamper {
    HttpStamper::new(url, TOKEN, status(), Duration::from_secs(10)).unwrap()
}

async fn answered(answer: Vec<u8>) -> Result<StampedXml, StampFailure> {
    let (_, url) = provider(answer).await;
    stamper(&url).stamp(&request()).await
}

fn cause(failure: Result<StampedXml, StampFailure>) -> String {
    let Err(StampFailure::Unreachable(cause)) = failure else { panic!("{failure:?}") };
    assert!(!cause.contains(TOKEN), "{cause}");
    cause
}

#[tokio::test]
async fn a_document_is_sent_and_stamped() {
    let request = request();
    let (asked, url) = provider(reply(201, &stamped(&request))).await;
    let answer = stamper(&url).stamp(&request).await.unwrap();
    assert_eq!(answer.timbre.uuid.to_string(), UUID);
    assert_eq!(answer.at(), Some("2026-10-12T18:00:04Z".parse().unwrap()));
    assert_eq!(answer.xml, stamped(&request));

    let asked = asked.await.unwrap().remove(0);
    let (head, body) = asked.split_once("\r\n\r\n").unwrap();
    let host = url.trim_start_matches("http://").split('/').next().unwrap();
    assert!(head.starts_with("POST /v1/timbrados?modo=prueba HTTP/1.1\r\n"), "{head}");
    for header in [
        format!("host: {host}"),
        format!("authorization: Bearer {TOKEN}"),
        "idempotency-key: 1-25".to_owned(),
        "content-type: application/xml".to_owned(),
    ] {
        assert!(head.lines().any(|line| line == header), "{header}\n{head}");
    }
    assert_eq!(body, request.xml, "as it was sealed, to the byte");
}

#[tokio::test]
async fn only_the_document_itself_is_a_stamp() {
    let mut other = request();
    other.xml = other.xml.replacen("Folio=\"25\"", "Folio=\"26\"", 1);
    let good = stamped(&request());
    let foreign = good.replacen("Total=\"443.50\"", "Total=\"443.51\"", 1);
    assert_ne!(foreign, good);
    for body in ["", "{}", "<html>", &request().xml, &stamped(&other), &foreign, &good[..good.len() - 1]] {
        assert!(cause(answered(reply(200, body)).await).contains("the provider's XML"), "{body}");
    }
    let latin = [&b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"[..], &[0xe1, 0xe9]].concat();
    assert!(cause(answered(latin).await).contains("200"));
}

#[tokio::test]
async fn a_document_that_was_stamped_before_is_its_earlier_xml() {
    let before = |xml: &str| {
        serde_json::json!({"codigo": "307", "mensaje": "El CFDI contiene un timbre previo.", "xml": xml}).to_string()
    };
    let good = stamped(&request());
    for status in [400, 409] {
        assert_eq!(answered(reply(status, &before(&good))).await.unwrap().xml, good);
        for no_answer in [before("<a/>"), "{\"codigo\":\"307\",\"mensaje\":\"Ya\"}".to_owned()] {
            cause(answered(reply(status, &no_answer)).await);
        }
    }
    cause(answered(reply(500, &before(&good))).await);
}

#[tokio::test]
async fn a_rejection_has_the_providers_code_and_message() {
    let body = "{\"codigo\":\" CFDI40145\",\"mensaje\":\"El campo\\u0000 Nombre\\n del receptor\"}";
    let rejected = |codigo: &str, mensaje: &str| {
        Err(StampFailure::Rejected { codigo: codigo.to_owned(), mensaje: mensaje.to_owned() })
    };
    for status in [400, 422, 413] {
        assert_eq!(answered(reply(status, body)).await, rejected("CFDI40145", "El campo Nombre del receptor"));
    }
    let long = format!("{{\"codigo\":\"{}\",\"mensaje\":\"{}\"}}", "C".repeat(60), "ñ".repeat(2_000));
    assert_eq!(answered(reply(400, &long)).await, rejected(&"C".repeat(50), &"ñ".repeat(1_000)));
}

#[tokio::test]
async fn an_inconclusive_answer_is_tried_again() {
    let rejection = "{\"codigo\":\"X\",\"mensaje\":\"Y\"}";
    for status in [401, 402, 403] {
        let failure = answered(reply(status, rejection)).await;
        assert!(matches!(failure, Err(StampFailure::Misconfigured(_))), "{failure:?}");
    }
    for status in [301, 404, 407, 408, 409, 423, 425, 429, 500, 502, 503, 504] {
        assert!(cause(answered(reply(status, rejection)).await).contains(&status.to_string()));
    }
    for body in ["", "<html>Bad Request</html>", "{\"codigo\":\"X\"}", "{\"codigo\":\"\",\"mensaje\":\"Y\"}"] {
        cause(answered(reply(400, body)).await);
    }
}

#[tokio::test]
async fn no_provider_no_answer_and_half_an_answer_are_not_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let hasty = HttpStamper::new(&url, TOKEN, status(), Duration::from_millis(100)).unwrap();
    assert!(cause(hasty.stamp(&request()).await).contains("100ms"));
    drop(listener);
    assert!(cause(stamper(&url).stamp(&request()).await).contains("the connection failed"));

    let stamped = stamped(&request());
    let whole = reply(200, &stamped);
    for answer in [Vec::new(), b"SMTP\r\n\r\n".to_vec(), whole[..20].to_vec(), whole[..whole.len() - 1].to_vec()] {
        cause(answered(answer).await);
    }
    let endless = reply(200, &format!("{stamped}{}", " ".repeat(MAX_ANSWER)));
    assert!(cause(answered(endless).await).contains("too long"));
    let mut request = request();
    request.id = "línea\n".to_owned();
    assert!(cause(stamper("http://127.0.0.1:9").stamp(&request).await).contains("id"));
}

#[tokio::test]
async fn a_provider_is_who_its_certificate_says() {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let stream = listener.accept().await.unwrap().0;
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream, reply(200, &stamped(&request()))).await;
            }
        }
    });
    let over = |host: &str, trusted: &CertifiedKey<rcgen::KeyPair>| {
        let authorities = vec![trusted.cert.der().clone()];
        let url = format!("https://{host}:{port}/timbrados");
        let endpoint = Endpoint::over(&url, Duration::from_secs(10), || Tls::trusting(authorities)).unwrap();
        HttpStamper::at(endpoint, TOKEN, status()).unwrap()
    };
    let ours = CertifiedKey { cert, signing_key };
    assert_eq!(over("localhost", &ours).stamp(&request()).await.unwrap().timbre.uuid.to_string(), UUID);
    assert!(cause(over("127.0.0.1", &ours).stamp(&request()).await).contains("TLS failed"));
    let theirs = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    assert!(cause(over("localhost", &theirs).stamp(&request()).await).contains("TLS failed"));
}

#[test]
fn only_a_safe_address_and_a_token_make_a_stamper() {
    let made = |url: &str, token: &str| {
        let error = HttpStamper::new(url, token, status(), Duration::from_secs(1)).err();
        error.map(|error| error.to_string())
    };
    for url in ["http://localhost:8081/t", "http://127.0.0.1", "http://[::1]:9/t", "HTTP://LOCALHOST"] {
        assert_eq!(made(url, TOKEN), None, "{url}");
    }
    // A machine may trust no authorities at all.
    let secure = HttpStamper::new("https://pac.mx/t", TOKEN, status(), Duration::from_secs(1));
    assert!(matches!(secure, Ok(_) | Err(HttpStamperError::Authorities)), "{secure:?}");
    let (url, plain) = (HttpStamperError::Url.to_string(), HttpStamperError::Plain.to_string());
    for wrong in
        ["", "pac.mx", "/timbrados", "ftp://pac.mx", "https://u:p@pac.mx/t", "https://", "https:///t", "http://a b"]
    {
        assert_eq!(made(wrong, TOKEN).as_ref(), Some(&url), "{wrong}");
    }
    for open in ["http://pac.mx/t", "http://10.0.0.1", "http://localhost.pac.mx", "http://[::ffff:8.8.8.8]/"] {
        assert_eq!(made(open, TOKEN).as_ref(), Some(&plain), "{open}");
    }
    for token in ["", "  ", "a\nb", "a\u{7f}"] {
        assert_eq!(made("http://localhost", token), Some(HttpStamperError::Token.to_string()), "{token:?}");
    }
    let shown =
        format!("{:?}", HttpStamper::new("http://localhost/t", TOKEN, status(), Duration::from_secs(1)).unwrap());
    assert!(shown.contains("localhost") && !shown.contains("tok_"), "{shown}");
}

#[tokio::test]
async fn a_cancellation_is_received_or_refused() {
    let cancel = async |answer: Vec<u8>| {
        let (asked, url) = provider(answer).await;
        (stamper(&url).cancel(&cancellation()).await, asked.await.unwrap().remove(0))
    };
    let (received, asked) = cancel(reply(200, "<Acuse/>")).await;
    assert_eq!(received, Ok(CancelReceipt { acuse: Some("<Acuse/>".to_owned()) }));
    assert!(asked.starts_with("POST /v1/timbrados/cancelaciones?modo=prueba HTTP/1.1\r\n"), "{asked}");
    assert!(asked.ends_with("\r\n\r\n<Cancelacion/>"), "{asked}");
    assert_eq!(cancel(reply(202, "")).await.0, Ok(CancelReceipt::default()));
    let refusal = |codigo: &str| reply(400, &format!("{{\"codigo\":\"{codigo}\",\"mensaje\":\"No\"}}"));
    assert_eq!(cancel(refusal("202")).await.0, Ok(CancelReceipt::default()), "asked for before");
    for codigo in ["204", "206", "207", "no_cancelable"] {
        assert!(matches!(cancel(refusal(codigo)).await.0, Err(StampFailure::Rejected { .. })), "{codigo}");
    }
    for codigo in ["203", "302", "305", "306", "310"] {
        assert!(matches!(cancel(refusal(codigo)).await.0, Err(StampFailure::Misconfigured(_))), "{codigo}");
    }
    // A folio that was just stamped, a wrong date, and answers without a result.
    for answer in [refusal("205"), refusal("208"), reply(500, ""), reply(400, "<html>"), Vec::new()] {
        assert!(matches!(cancel(answer).await.0, Err(StampFailure::Unreachable(_))));
    }
    let unsigned = CancelRequest { xml: None, ..cancellation() };
    assert!(matches!(stamper("http://127.0.0.1:9").cancel(&unsigned).await, Err(StampFailure::Misconfigured(_))));
}

#[tokio::test]
async fn an_answer_of_very_many_elements_is_read_once_through_or_refused() {
    let good = stamped(&request());
    let with = |children: String| good.replace("</cfdi:Comprobante>", &format!("{children}</cfdi:Comprobante>"));
    let names: Vec<_> = (0..90_000).map(|number| format!("<x{number}/>")).collect();
    let began = std::time::Instant::now();
    answered(reply(200, &with(names.concat()))).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let too_many = cause(answered(reply(200, &with("<x/>".repeat(900_000)))).await);
    assert!(too_many.contains("larger than any document"), "{too_many}");
    let attributes: Vec<_> = (0..101).map(|number| format!(" a{number}=\"\"")).collect();
    let too_many = cause(answered(reply(200, &with(format!("<x{}/>", attributes.concat())))).await);
    assert!(too_many.contains("larger than any document"), "{too_many}");
}

#[tokio::test]
async fn an_answer_is_read_where_jobs_run() {
    let jobs = Arc::new(AtomicUsize::new(0));
    let compute = Compute::on(1, {
        let jobs = Arc::clone(&jobs);
        move |job| {
            jobs.fetch_add(1, Ordering::Relaxed);
            drop(tokio::task::spawn_blocking(job));
        }
    });
    let request = request().read_on(&compute, CompanyId(1));
    let (_, url) = provider(reply(200, &stamped(&request))).await;
    stamper(&url).stamp(&request).await.unwrap();
    assert_eq!(jobs.load(Ordering::Relaxed), 1);
}
