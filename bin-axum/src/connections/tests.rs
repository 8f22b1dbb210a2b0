//! Places, deadlines and ends of connections, over real sockets.

use std::net::SocketAddr;

use axum::Router;
use axum::routing::get;
use http::HeaderName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep};

use super::connection::DISCARDED;
use super::places::STAY;
use super::*;

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_mins(1);
const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
const SLOW: &[u8] = b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";

/// Deadlines that are never reached.
const NEVER: Deadlines = Deadlines { head: LONG, idle: LONG, stranger: LONG, write: LONG, linger: LONG };

const ROOM: Room = Room { clients: 100, heads: 100, refused: 10 };

/// The address of a server that answers `size` bytes to `GET /`, which counts as authenticated, a
/// few bytes to `/health` and, late, to `/slow`, and drops the body of any other request.
fn serve(deadlines: Deadlines, size: usize, room: Room) -> SocketAddr {
    let known = [(HeaderName::from_static("x-rate-limit-limit"), "150")];
    let slow = async || {
        sleep(SHORT).await;
        "slow"
    };
    let app = Router::new()
        .route("/", get(async move || (known, "x".repeat(size))))
        .route("/health", get(async || "ok"))
        .route("/slow", get(slow));
    let refusal = Box::new(|| Response::new(Bytes::from_static(b"no place")));
    let service = Service { app, deadlines, keep_alive: true, refusal, meters: Meters::none() };
    let listener = listen("127.0.0.1:0".parse().unwrap(), 100).unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let connections = Connections::new(service, room);
        loop {
            connections.answer(accept(&listener).await).await;
        }
    });
    address
}

async fn client(deadlines: Deadlines, size: usize) -> TcpStream {
    TcpStream::connect(serve(deadlines, size, ROOM)).await.unwrap()
}

/// A client that has sent a request and read some of the answer.
async fn after(address: SocketAddr, request: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    assert!(stream.read(&mut [0; 1024]).await.unwrap() > 0);
    stream
}

/// Whether the connection is still there a moment later.
async fn is_open(stream: &mut TcpStream) -> bool {
    timeout(SHORT / 2, stream.read(&mut [0])).await.is_err()
}

/// Measures how long the server takes to end the connection, and returns what it sends before.
async fn end(stream: &mut TcpStream) -> (Duration, Vec<u8>) {
    let (began, mut said) = (Instant::now(), Vec::new());
    // A reset is an end too.
    let _ = timeout(Duration::from_secs(10), stream.read_to_end(&mut said)).await.expect("an end");
    (began.elapsed(), said)
}

/// Whether something took [`SHORT`], with tolerance for a busy machine.
fn is_short(took: Duration) -> bool {
    (SHORT * 4 / 5..SHORT * 5).contains(&took)
}

#[tokio::test]
async fn a_request_head_must_arrive_before_the_deadline() {
    let deadlines = Deadlines { head: SHORT, stranger: SHORT, ..NEVER };
    let mut silent = client(deadlines, 1).await;
    let (took, said) = end(&mut silent).await;
    assert!(is_short(took) && said.is_empty(), "{took:?}");
    for kept in [false, true] {
        let mut slow = client(deadlines, 1).await;
        if kept {
            slow.write_all(GET).await.unwrap();
            assert!(slow.read(&mut [0; 1024]).await.unwrap() > 0);
        }
        let began = Instant::now();
        // An occasional byte gains no time.
        while slow.write_all(b"G").await.is_ok() {
            assert!(began.elapsed() < SHORT * 5, "{kept}");
            sleep(Duration::from_millis(20)).await;
        }
        assert!(is_short(began.elapsed()), "{kept}: {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn an_idle_connection_ends_and_one_in_use_does_not() {
    let mut kept = client(Deadlines { idle: SHORT, ..NEVER }, 1).await;
    for _ in 0..4 {
        kept.write_all(GET).await.unwrap();
        assert!(kept.read(&mut [0; 1024]).await.unwrap() > 0);
        sleep(SHORT / 2).await;
    }
    kept.write_all(GET).await.unwrap();
    assert!(kept.read(&mut [0; 1024]).await.unwrap() > 0);
    let (took, said) = end(&mut kept).await;
    assert!(is_short(took) && said.is_empty(), "{took:?}");
}

#[tokio::test]
async fn a_client_must_read_its_response_in_time() {
    const SIZE: usize = 64 * 1_048_576;
    let mut quick = client(Deadlines { write: LONG, ..NEVER }, SIZE).await;
    quick.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
    assert!(end(&mut quick).await.1.len() > SIZE);
    let mut slow = client(Deadlines { write: SHORT, ..NEVER }, SIZE).await;
    slow.write_all(GET).await.unwrap();
    // Occasional small reads gain no time either.
    let began = Instant::now();
    while began.elapsed() < SHORT * 3 {
        let _ = slow.read(&mut [0; 1024]).await;
        sleep(Duration::from_millis(20)).await;
    }
    let (took, said) = end(&mut slow).await;
    assert!(took < Duration::from_secs(5) && said.len() < SIZE, "{took:?}, {} bytes", said.len());
}

#[tokio::test]
async fn an_unread_body_is_drained_for_a_while() {
    const POST: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n";
    let mut stream = client(Deadlines { linger: SHORT, ..NEVER }, 1).await;
    stream.write_all(POST).await.unwrap();
    let (took, said) = end(&mut stream).await;
    let said = String::from_utf8(said).unwrap();
    assert!(took < SHORT && said.starts_with("HTTP/1.1 405") && said.contains("connection: close"), "{took:?}: {said}");
    let began = Instant::now();
    while stream.write_all(b"x").await.is_ok() {
        assert!(began.elapsed() < SHORT * 5);
        sleep(Duration::from_millis(20)).await;
    }
    // The amount is bounded even with unlimited time.
    let mut stream = client(NEVER, 1).await;
    stream.write_all(POST).await.unwrap();
    let mut sent = 0;
    while let Ok(written) = stream.write(&[b'x'; 8192]).await {
        sent += written;
        assert!(sent < 4 * DISCARDED);
    }
    assert!(sent >= DISCARDED, "{sent}");
}

#[tokio::test]
async fn a_stranger_has_less_time_than_a_client() {
    let address = serve(Deadlines { stranger: SHORT, ..NEVER }, 1, ROOM);
    let (took, said) = end(&mut after(address, HEALTH).await).await;
    assert!(is_short(took) && said.is_empty(), "{took:?}");
    let mut known = after(address, GET).await;
    sleep(SHORT * 2).await;
    assert!(is_open(&mut known).await);
}

#[tokio::test]
async fn a_newcomer_gets_the_place_of_the_stranger_that_has_waited_longest() {
    let address = serve(NEVER, 1, Room { clients: 3, ..ROOM });
    let mut known = after(address, GET).await;
    let mut strangers = [after(address, HEALTH).await, TcpStream::connect(address).await.unwrap()];
    for _ in 0..4 {
        let mut newcomer = after(address, HEALTH).await;
        let [first, second] = &mut strangers;
        assert_eq!(first.read(&mut [0]).await.unwrap(), 0);
        assert!(is_open(second).await && is_open(&mut newcomer).await && is_open(&mut known).await);
        strangers.rotate_left(1);
        strangers[1] = newcomer;
    }
    // A client loses its place once there are no strangers.
    for stranger in &mut strangers {
        stranger.write_all(GET).await.unwrap();
        assert!(stranger.read(&mut [0; 1024]).await.unwrap() > 0);
    }
    let mut newcomer = after(address, GET).await;
    assert_eq!(known.read(&mut [0]).await.unwrap(), 0);
    assert!(is_open(&mut newcomer).await);
}

#[tokio::test]
async fn a_burst_displaces_nobody_who_has_only_just_come() {
    let address = serve(NEVER, 1, Room { clients: 3, refused: 2, ..ROOM });
    let mut first = TcpStream::connect(address).await.unwrap();
    let mut others = Vec::new();
    for _ in 0..30 {
        others.push(TcpStream::connect(address).await.unwrap());
    }
    // Its request comes late, as on a slow network.
    sleep(STAY / 10).await;
    first.write_all(HEALTH).await.unwrap();
    let mut answer = [0; 1024];
    let read = first.read(&mut answer).await.unwrap();
    assert!(answer[..read].ends_with(b"ok"));
    // Everybody after it has as much time.
    let mut last = TcpStream::connect(address).await.unwrap();
    last.write_all(HEALTH).await.unwrap();
    let read = last.read(&mut answer).await.unwrap();
    assert!(answer[..read].ends_with(b"ok"));
    for stream in &mut others[..25] {
        let (_, said) = end(stream).await;
        assert!(said.is_empty());
    }
}

#[tokio::test]
async fn newcomers_get_a_quarter_of_the_places_at_once() {
    let address = serve(NEVER, 1, Room { clients: 8, ..ROOM });
    let mut known = Vec::new();
    for _ in 0..8 {
        known.push(after(address, GET).await);
    }
    let (began, mut strangers) = (Instant::now(), Vec::new());
    for _ in 0..3 {
        strangers.push(TcpStream::connect(address).await.unwrap());
    }
    assert_eq!(strangers[0].read(&mut [0]).await.unwrap(), 0);
    assert!(began.elapsed() >= STAY, "{:?}", began.elapsed());
    for gone in &mut known[..2] {
        assert_eq!(gone.read(&mut [0]).await.unwrap(), 0);
    }
    for stream in known[2..].iter_mut().chain(&mut strangers[1..]) {
        assert!(is_open(stream).await);
    }
}

#[tokio::test]
async fn a_connection_that_is_answered_keeps_its_place() {
    let address = serve(NEVER, 1, Room { clients: 1, ..ROOM });
    let mut busy = TcpStream::connect(address).await.unwrap();
    busy.write_all(SLOW).await.unwrap();
    sleep(SHORT / 3).await;
    let mut refused = TcpStream::connect(address).await.unwrap();
    assert!(end(&mut refused).await.1.ends_with(b"no place"));
    let mut answer = [0; 1024];
    let read = busy.read(&mut answer).await.unwrap();
    assert!(answer[..read].ends_with(b"slow"));
}

#[tokio::test]
async fn heads_under_way_are_bounded() {
    let address = serve(NEVER, 1, Room { heads: 2, ..ROOM });
    let mut known = after(address, GET).await;
    let mut heads = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&GET[..10]).await.unwrap();
        sleep(SHORT / 10).await;
        heads.push(stream);
    }
    assert_eq!(heads[0].read(&mut [0]).await.unwrap(), 0);
    for stream in [&mut known, &mut TcpStream::connect(address).await.unwrap()] {
        assert!(is_open(stream).await);
    }
    for stream in &mut heads[1..] {
        stream.write_all(&GET[10..]).await.unwrap();
        assert!(stream.read(&mut [0; 1024]).await.unwrap() > 0);
    }
}

#[tokio::test]
async fn a_client_that_ends_its_side_is_answered() {
    for request in [GET, SLOW] {
        let mut stream = client(NEVER, 1).await;
        stream.write_all(request).await.unwrap();
        stream.shutdown().await.unwrap();
        let (took, said) = end(&mut stream).await;
        assert!(said.starts_with(b"HTTP/1.1 200") && took < SHORT * 3, "{took:?}");
    }
}

#[tokio::test]
async fn a_request_without_one_host_is_malformed() {
    let mut stream = client(NEVER, 1).await;
    for request in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"] {
        let mut stream = TcpStream::connect(stream.peer_addr().unwrap()).await.unwrap();
        stream.write_all(request).await.unwrap();
        let said = String::from_utf8(end(&mut stream).await.1).unwrap();
        assert!(said.starts_with("HTTP/1.1 400") && said.contains("connection: close"), "{said}");
    }
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
    assert!(end(&mut stream).await.1.starts_with(b"HTTP/1.0 200"));
}

#[tokio::test]
async fn requests_sent_together_are_all_answered() {
    // More than one buffer, and more than hyper answers in one go.
    const MANY: usize = 2_000;
    let mut stream = client(NEVER, 1).await;
    stream.write_all(&[&GET.repeat(MANY), &GET[..10]].concat()).await.unwrap();
    sleep(SHORT).await;
    stream.write_all(&GET[10..]).await.unwrap();
    stream.shutdown().await.unwrap();
    let said = String::from_utf8(end(&mut stream).await.1).unwrap();
    assert_eq!(said.matches("HTTP/1.1 200").count(), MANY + 1);
}

#[tokio::test]
async fn a_connection_between_requests_is_small() {
    let listener = listen("127.0.0.1:0".parse().unwrap(), 1).unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let places = Places::new(ROOM, Meters::none());
    let settings = ConnectionSettings { app: Router::new(), deadlines: NEVER, keep_alive: true };
    let phase = watch::Sender::new(Phase::Open);
    let task = connection::answer(stream, places.take().ok().unwrap(), settings, phase.subscribe());
    assert!(size_of_val(&task) <= 2_048, "{} bytes", size_of_val(&task));
}
