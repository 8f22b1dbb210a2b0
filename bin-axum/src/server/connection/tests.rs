//! Deadlines of a connection, shortened, over real sockets.

use axum::Router;
use axum::routing::get;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use super::*;

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_mins(1);
const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// Deadlines that are never reached.
const NEVER: Deadlines = Deadlines { head: LONG, idle: LONG, write: LONG, linger: LONG };

/// A client of a connection with these deadlines, which answers `size` bytes to `GET /` and drops
/// the body of any other request.
async fn client(deadlines: Deadlines, size: usize) -> TcpStream {
    let app = Router::new().route("/", get(async move || "x".repeat(size)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let phase = watch::Sender::new(Phase::Open);
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        answer(stream, app, deadlines, phase.subscribe()).await;
    });
    TcpStream::connect(address).await.unwrap()
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
async fn a_head_has_to_come_in_time_however_it_comes() {
    let deadlines = Deadlines { head: SHORT, ..NEVER };
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
async fn an_answer_has_to_be_taken_in_time() {
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
async fn a_body_that_nobody_reads_is_taken_for_a_while() {
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
