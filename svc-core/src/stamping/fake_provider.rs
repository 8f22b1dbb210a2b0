//! Fake providers on a local socket, for tests: each gives the answers it was made with, in their
//! order.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::{CancelRequest, Cancelled, SandboxStamper, StampRequest};
use crate::domain::cfdi::authority::csd;
use crate::domain::cfdi::testing::mixed;
use crate::domain::cfdi::{build_invoice, seal};
use crate::domain::words::CancellationReason;

/// The fiscal folio that fake providers give.
pub(super) const UUID: &str = "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60";

/// A request with a sealed document.
pub(super) fn request() -> StampRequest {
    let (certificado, key) = csd("EKU9003173C9");
    let mut source = mixed();
    source.emisor.certificado = Some(certificado);
    StampRequest::new("1-25".to_owned(), seal(&build_invoice(&source).unwrap(), &key).unwrap().xml)
}

/// The document of a request, stamped.
pub(super) fn stamped(request: &StampRequest) -> String {
    SandboxStamper::sign(request, UUID.parse().unwrap(), "2026-10-12T18:00:04Z".parse().unwrap()).unwrap().xml
}

/// A request to cancel it, an hour old.
pub(super) fn cancellation() -> CancelRequest {
    CancelRequest {
        id: "1-25".to_owned(),
        document: Cancelled {
            uuid: UUID.parse::<Uuid>().unwrap(),
            emisor: "A&A010101AAA".to_owned(),
            receptor: "URE180429TM6".to_owned(),
            nombre: "UNIVERSIDAD".to_owned(),
            total: Some("443.50".to_owned()),
            sello: Some("abcdef==".to_owned()),
            proveedor: None,
        },
        motivo: CancellationReason::Wrong,
        sustitucion: None,
        xml: Some("<Cancelacion/>".to_owned()),
        asked: "2026-10-12T18:00:00Z".parse().unwrap(),
        at: "2026-10-12T19:00:00Z".parse().unwrap(),
        aceptacion: false,
    }
}

pub(super) fn reply(status: u16, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads a request whole, answers `answer` and closes; returns what it read.
pub(super) async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: Vec<u8>) -> String {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read);
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
        let whole = text.find("\r\n\r\n").zip(length).is_some_and(|(head, length)| read.len() >= head + 4 + length);
        let mut buffer = [0; 4096];
        match if whole { 0 } else { stream.read(&mut buffer).await.unwrap_or(0) } {
            0 => break,
            more => read.extend_from_slice(&buffer[..more]),
        }
    }
    // The client may have closed the connection already.
    let _ = stream.write_all(&answer).await;
    let _ = stream.shutdown().await;
    String::from_utf8(read).unwrap()
}

/// A provider that answers so many requests, and where it is; the requests when it has.
pub(super) async fn provider(answers: impl IntoIterator<Item = Vec<u8>>) -> (JoinHandle<Vec<String>>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answers: Vec<Vec<u8>> = answers.into_iter().collect();
    let serving = tokio::spawn(async move {
        let mut requests = Vec::new();
        for answer in answers {
            requests.push(serve(listener.accept().await.unwrap().0, answer).await);
        }
        requests
    });
    (serving, url)
}
