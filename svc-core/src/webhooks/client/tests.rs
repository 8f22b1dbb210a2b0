//! Tests against receivers on local sockets, with certificates of a test authority.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::HeaderMap;
use http::header::CONTENT_TYPE;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::*;

const HOST_NAME: &str = "receptor.example.com";
const OK: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

/// Resolves every name to these addresses.
struct Names(Result<Vec<&'static str>, ResolveError>);

#[async_trait]
impl Resolver for Names {
    async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let addresses = self.0.clone()?;
        Ok(addresses.iter().map(|address| address.parse().unwrap()).collect())
    }
}

struct Authority(Issuer<'static, KeyPair>, Vec<u8>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().der().to_vec();
        Self(Issuer::new(params, key), certificate)
    }

    /// TLS with a certificate for `name`, modified by `change`.
    fn tls(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> TlsAcceptor {
        let (mut params, key) = (CertificateParams::new([name.to_owned()]).unwrap(), KeyPair::generate().unwrap());
        change(&mut params);
        acceptor(params.signed_by(&key, &self.0).unwrap().der().to_vec(), &key)
    }
}

fn acceptor(certificate: Vec<u8>, key: &KeyPair) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.into()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Reads a whole request.
async fn request(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read);
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
        if text.find("\r\n\r\n").zip(length).is_some_and(|(head, length)| read.len() >= head + 4 + length) {
            return String::from_utf8(read).unwrap();
        }
        let mut buffer = [0; 4096];
        let more = stream.read(&mut buffer).await.unwrap();
        assert_ne!(more, 0, "the request broke off");
        read.extend_from_slice(&buffer[..more]);
    }
}

/// A receiver that answers one request with these bytes; returns its port and the request.
async fn receiver(tls: Option<TlsAcceptor>, answer: &'static [u8]) -> (u16, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = tokio::spawn(async move {
        let tcp = listener.accept().await.unwrap().0;
        match tls {
            Some(tls) => answered(tls.accept(tcp).await.unwrap(), answer).await,
            None => answered(tcp, answer).await,
        }
    });
    (port, asked)
}

async fn answered(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &[u8]) -> String {
    let asked = request(&mut stream).await;
    stream.write_all(answer).await.unwrap();
    // The client may have closed the connection already.
    let _ = stream.shutdown().await;
    asked
}

fn local() -> Networks {
    Networks::default().allow("127.0.0.0/8").unwrap()
}

/// A sender that trusts the authority, may reach this machine, and resolves every name to it.
fn sender(authority: &Authority) -> HttpSender {
    HttpSender::trusting(local(), [authority.1.clone()]).unwrap().resolver(Names(Ok(vec!["127.0.0.1"])))
}

fn post(url: &str) -> Post {
    let headers = HeaderMap::from_iter([
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (super::super::SIGNATURE, HeaderValue::from_static("t=1,v1=00")),
    ]);
    Post { url: url.to_owned(), headers, body: Bytes::from_static(b"{\"id\":\"evt_1\"}") }
}

fn failed(reason: DeliveryReason) -> Outcome {
    Outcome::Failed(reason)
}

/// The outcome of an attempt at a receiver without TLS that sends this answer.
async fn outcome(answer: &'static [u8]) -> Outcome {
    let (port, _) = receiver(None, answer).await;
    sender(&Authority::new()).send(post(&format!("http://{HOST_NAME}:{port}/"))).await
}

#[tokio::test]
async fn a_notice_arrives_as_it_is() {
    let authority = Authority::new();
    let (port, asked) = receiver(Some(authority.tls(HOST_NAME, |_| ())), OK).await;
    let url = format!("https://{HOST_NAME}:{port}/avisos?de=svc");
    let answered = sender(&authority).send(post(&url)).await;
    assert_eq!(answered, Outcome::Answered { status: 204, retry_after: None });
    let asked = asked.await.unwrap();
    let (head, body) = asked.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /avisos?de=svc HTTP/1.1\r\n"), "{head}");
    let mut headers: Vec<_> = head.lines().skip(1).map(str::to_owned).collect();
    headers.sort();
    let host = format!("host: receptor.example.com:{port}");
    let expected = ["content-length: 14", "content-type: application/json", &host, "x-svc-firma: t=1,v1=00"];
    assert_eq!(headers, expected, "nothing that requests compression");
    assert_eq!(body, "{\"id\":\"evt_1\"}");
}

#[tokio::test]
async fn the_status_is_what_counts_and_no_redirect_is_followed() {
    let answer =
        |status, retry_after: Option<&str>| Outcome::Answered { status, retry_after: retry_after.map(Into::into) };
    assert_eq!(outcome(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await, answer(200, None));
    let (port, elsewhere) = receiver(None, OK).await;
    let moved = format!("HTTP/1.1 302 Found\r\nlocation: http://{HOST_NAME}:{port}/\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(outcome(moved.leak().as_bytes()).await, answer(302, None));
    assert!(!elsewhere.is_finished());
    let busy = b"HTTP/1.1 503 Busy\r\nretry-after: 120\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(outcome(busy).await, answer(503, Some("120")));
    assert_eq!(
        outcome(b"HTTP/1.1 410 Gone\r\nretry-after: \xff\r\ncontent-length: 0\r\n\r\n").await,
        answer(410, None)
    );
    // The answer's body does not matter: incomplete, without a length, or wrongly encoded.
    assert_eq!(outcome(b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nhalf").await, answer(200, None));
    assert_eq!(outcome(b"HTTP/1.1 201 Created\r\n\r\nuntil the end").await, answer(201, None));
    let gzip = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnone";
    assert_eq!(outcome(gzip).await, answer(200, None));
    for broken in [&b""[..], b"HTTP/1.1", b"SSH-2.0\r\n\r\n", b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n"] {
        assert_eq!(outcome(broken).await, failed(DeliveryReason::ErrorRed), "{broken:?}");
    }
}

#[tokio::test]
async fn a_receiver_is_who_its_certificate_says() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let key = KeyPair::generate().unwrap();
    let alone = CertificateParams::new([HOST_NAME.to_owned()]).unwrap().self_signed(&key).unwrap();
    let past = |params: &mut CertificateParams| {
        (params.not_before, params.not_after) = (date_time_ymd(2001, 1, 1), date_time_ymd(2002, 1, 1));
    };
    let future = |params: &mut CertificateParams| params.not_before = date_time_ymd(4000, 1, 1);
    for (what, tls) in [
        ("another name", authority.tls("otro.example.com", |_| ())),
        ("expired", authority.tls(HOST_NAME, past)),
        ("not yet valid", authority.tls(HOST_NAME, future)),
        ("self-signed", acceptor(alone.der().to_vec(), &key)),
        ("an unknown authority", stranger.tls(HOST_NAME, |_| ())),
    ] {
        let (port, asked) = receiver(Some(tls), OK).await;
        let outcome = sender(&authority).send(post(&format!("https://{HOST_NAME}:{port}/"))).await;
        assert_eq!(outcome, failed(DeliveryReason::CertificadoInvalido), "{what}");
        assert!(asked.await.is_err(), "nothing was said to it");
    }
    // The receiver has no TLS at all.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let plain = tokio::spawn(async move { listener.accept().await.unwrap().0.write_all(OK).await.unwrap() });
    let outcome = sender(&authority).send(post(&format!("https://{HOST_NAME}:{port}/"))).await;
    assert_eq!(outcome, failed(DeliveryReason::ErrorRed));
    plain.await.unwrap();
}

#[tokio::test]
async fn every_address_must_be_one_that_deliveries_may_go_to() {
    let authority = Authority::new();
    let (port, asked) = receiver(None, OK).await;
    let url = format!("http://{HOST_NAME}:{port}/");
    let to = |networks: Networks, url: &str, addresses: &[&'static str]| {
        let sender = HttpSender::trusting(networks, [authority.1.clone()]).unwrap();
        let sender = sender.resolver(Names(Ok(addresses.to_vec())));
        let attempt = post(url);
        async move { sender.send(attempt).await }
    };
    let blocked = failed(DeliveryReason::DestinoBloqueado);
    assert_eq!(to(Networks::default(), &url, &["127.0.0.1"]).await, blocked);
    assert_eq!(to(local(), &url, &["127.0.0.1", "10.0.0.1"]).await, blocked, "one is enough");
    assert_eq!(to(local(), &url, &["127.0.0.1", "8.8.8.8"]).await, blocked, "other ports are for development");
    assert_eq!(to(local().deny("127.0.0.1").unwrap(), &url, &["127.0.0.1"]).await, blocked);
    for url in [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://receptor.example.com./",
        "https://user@receptor.example.com/",
        "ftp://receptor.example.com/",
        "receptor.example.com",
        "",
    ] {
        assert_eq!(to(local(), url, &["127.0.0.1"]).await, blocked, "{url}");
    }
    assert!(!asked.is_finished(), "nobody was spoken to");
    // The first refuses, the second answers.
    let second = to(local(), &url, &["127.255.255.253", "127.0.0.1"]).await;
    assert_eq!(second, Outcome::Answered { status: 204, retry_after: None });
}

#[tokio::test]
async fn a_name_without_an_address_is_the_receivers_failure_and_a_dead_resolver_ours() {
    let authority = Authority::new();
    let to = |names| {
        let sender = sender(&authority).resolver(Names(names));
        async move { sender.send(post("https://receptor.example.com/")).await }
    };
    assert_eq!(to(Err(ResolveError::NotFound)).await, failed(DeliveryReason::ErrorRed));
    assert_eq!(to(Ok(Vec::new())).await, failed(DeliveryReason::ErrorRed));
    let ours = Outcome::Ours(Some(DeliveryReason::ErrorRed));
    assert_eq!(to(Err(ResolveError::Ours("no server answered".to_owned()))).await, ours);
    let full = io::Error::from_raw_os_error(24);
    assert!(is_ours(&full) && !is_ours(&io::ErrorKind::ConnectionRefused.into()));

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let refused = sender(&authority).send(post(&format!("http://{HOST_NAME}:{port}/"))).await;
    assert_eq!(refused, failed(DeliveryReason::ErrorRed));
}

#[tokio::test]
async fn one_address_that_this_machine_cannot_reach_does_not_excuse_a_dead_receiver() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let ours = Outcome::Ours(Some(DeliveryReason::ErrorRed));
    // No connection can be made to a multicast address: "network unreachable".
    for (addresses, expected) in [
        (&["127.0.0.1", "224.0.0.1"][..], failed(DeliveryReason::ErrorRed)),
        (&["224.0.0.1", "127.0.0.1"], failed(DeliveryReason::ErrorRed)),
        (&["224.0.0.1", "224.0.0.2"], ours),
    ] {
        let parsed: Vec<IpAddr> = addresses.iter().map(|address| address.parse().unwrap()).collect();
        let outcome = connect(&parsed, port, Instant::now() + DEADLINE).await.map(drop);
        assert_eq!(outcome, Err(expected), "{addresses:?}");
    }
}

/// Writes `piece` again and again, with `pause` between; counts the accepted bytes.
async fn without_end(
    head: &'static [u8],
    piece: &'static [u8],
    pause: Duration,
) -> (u16, Arc<AtomicUsize>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let taken = Arc::new(AtomicUsize::new(0));
    let count = taken.clone();
    let writer = tokio::spawn(async move {
        let mut stream = listener.accept().await.unwrap().0;
        request(&mut stream).await;
        stream.write_all(head).await.unwrap();
        while stream.write_all(piece).await.is_ok() {
            count.fetch_add(piece.len(), Ordering::Relaxed);
            tokio::time::sleep(pause).await;
        }
    });
    (port, taken, writer)
}

#[tokio::test]
async fn an_endless_answer_is_read_only_up_to_a_limit() {
    let answered = Outcome::Answered { status: 200, retry_after: None };
    for (head, expected) in [
        (&b"HTTP/1.1 200 OK\r\n\r\n"[..], answered.clone()),
        // A gigabyte.
        (b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n", answered),
        // A head without an end is no answer.
        (b"HTTP/1.1 200 OK\r\nx-long: ", failed(DeliveryReason::ErrorRed)),
    ] {
        let (port, taken, writer) = without_end(head, vec![b'x'; 64 * 1024].leak(), Duration::ZERO).await;
        let answer = sender(&Authority::new()).send(post(&format!("http://{HOST_NAME}:{port}/"))).await;
        assert_eq!(answer, expected);
        writer.await.unwrap();
        // No more than the sockets' buffers hold.
        assert!(taken.load(Ordering::Relaxed) < 16 * 1024 * 1024, "{taken:?}");
    }
}

#[tokio::test]
async fn a_dripping_answer_ends_after_eight_seconds() {
    let (port, taken, writer) = without_end(b"HTTP/1.1 200 OK\r\n\r\n", b"x", Duration::from_millis(200)).await;
    let began = Instant::now();
    let answer = sender(&Authority::new()).send(post(&format!("http://{HOST_NAME}:{port}/"))).await;
    assert_eq!(answer, failed(DeliveryReason::TiempoAgotado));
    let took = began.elapsed();
    assert!((Duration::from_secs(8)..Duration::from_secs(10)).contains(&took), "{took:?}");
    writer.await.unwrap();
    assert!((20..=50).contains(&taken.load(Ordering::Relaxed)), "{taken:?}");
}

#[tokio::test(start_paused = true)]
async fn a_name_that_cannot_be_looked_up_is_the_receivers_failure_while_others_can() {
    struct Dead(&'static str);

    #[async_trait]
    impl Resolver for Dead {
        async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
            if name == self.0 {
                Err(ResolveError::Ours("try again".to_owned()))
            } else {
                Ok(vec![[10, 0, 0, 1].into()])
            }
        }
    }

    let sender = sender(&Authority::new()).resolver(Dead("muerto.example.com"));
    let dead = || sender.send(post("https://muerto.example.com/"));
    let ours = Outcome::Ours(Some(DeliveryReason::ErrorRed));
    assert_eq!(dead().await, ours);
    let other = sender.send(post("https://receptor.example.com/")).await;
    assert_eq!(other, failed(DeliveryReason::DestinoBloqueado));
    assert_eq!(dead().await, failed(DeliveryReason::ErrorRed));
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(dead().await, ours, "none was looked up of late");
}

#[tokio::test(start_paused = true)]
async fn the_deadline_begins_with_the_name() {
    struct Silent;

    #[async_trait]
    impl Resolver for Silent {
        async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, ResolveError> {
            std::future::pending().await
        }
    }

    let began = Instant::now();
    let sender = sender(&Authority::new()).resolver(Silent);
    let ours = Outcome::Ours(Some(DeliveryReason::TiempoAgotado));
    assert_eq!(sender.send(post("https://receptor.example.com/")).await, ours, "no name was looked up");
    assert_eq!(began.elapsed().as_secs(), 8);
    assert_eq!(sender.deadline(), Duration::from_secs(8));
}

#[tokio::test]
async fn a_receiver_that_says_nothing_is_waited_for_no_longer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut sender = sender(&Authority::new());
    sender.deadline = Duration::from_millis(100);
    for scheme in ["http", "https"] {
        let outcome = sender.send(post(&format!("{scheme}://{HOST_NAME}:{port}/"))).await;
        assert_eq!(outcome, failed(DeliveryReason::TiempoAgotado));
    }
    drop(listener);
}

#[test]
fn nothing_secret_is_shown() {
    let shown = format!("{:?} {:?}", sender(&Authority::new()), post("https://receptor.example.com/t0ken"));
    assert!(!shown.contains("t0ken") && !shown.contains("v1=") && !shown.contains("evt_1\""), "{shown}");
}
