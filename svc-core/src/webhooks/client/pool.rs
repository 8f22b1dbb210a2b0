//! Connections kept open between attempts of one pass.
//!
//! Every attempt resolves its name and checks every address. It reuses a connection only if that
//! goes to one of these addresses, at the same port and under the same name. So many notices to one
//! receiver need one handshake, and a change of a name's addresses takes effect at once.

use std::collections::{HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::outbound::HttpConnection;
use crate::webhooks::Target;

/// How long an idle connection is kept: less than the five seconds after which servers begin to
/// close theirs, since a notice sent while the server closes fails.
const KEPT: Duration = Duration::from_secs(2);

/// The most connections kept: as many as a pass has attempts in progress.
const MAX_IDLE: usize = 64;

#[derive(Default)]
pub(super) struct Pool(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    idle: VecDeque<Idle>,
    /// Destinations whose reused connection failed: each attempt there gets a new connection.
    spoiled: HashSet<Link>,
}

struct Idle {
    link: Link,
    since: Instant,
    channel: HttpConnection,
}

/// The destination of a connection.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Link {
    https: bool,
    host: String,
    port: u16,
    address: IpAddr,
}

impl Link {
    pub(super) fn new(target: &Target, address: IpAddr) -> Self {
        Self { https: target.https, host: target.host.clone(), port: target.port, address }
    }

    fn leads(&self, target: &Target, addresses: &[IpAddr]) -> bool {
        addresses.contains(&self.address) && *self == Self::new(target, self.address)
    }
}

impl Pool {
    /// Takes an open connection to the target at one of these addresses.
    pub(super) fn take(&self, target: &Target, addresses: &[IpAddr]) -> Option<(Link, HttpConnection)> {
        let idle = &mut self.lock().idle;
        let now = Instant::now();
        idle.retain(|idle| now - idle.since < KEPT);
        loop {
            let at = idle.iter().rposition(|idle| idle.link.leads(target, addresses))?;
            let Idle { link, mut channel, .. } = idle.remove(at)?;
            if channel.is_ready() {
                return Some((link, channel));
            }
        }
    }

    /// Keeps a connection if it can take another request; if the pool is full, the oldest is
    /// closed.
    pub(super) fn put(&self, link: Link, mut channel: HttpConnection) {
        let mut kept = self.lock();
        if kept.spoiled.contains(&link) || !channel.is_ready() {
            return;
        }
        if kept.idle.len() >= MAX_IDLE {
            kept.idle.pop_front();
        }
        kept.idle.push_back(Idle { link, since: Instant::now(), channel });
    }

    /// Records that a reused connection failed.
    pub(super) fn spoil(&self, link: Link) {
        self.lock().spoiled.insert(link);
    }

    /// Closes all connections, and forgets which destinations failed.
    pub(super) fn clear(&self) {
        *self.lock() = Kept::default();
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use async_trait::async_trait;
    use bytes::Bytes;
    use http::HeaderMap;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use crate::domain::words::DeliveryReason;
    use crate::webhooks::{HttpSender, Networks, Outcome, Post, ResolveError, Resolver, Sender};

    /// A receiver that keeps connections open, or closes each after its first answer, or during the
    /// second request.
    #[derive(Clone, Default)]
    struct Receiver {
        connections: Arc<AtomicUsize>,
        requests: Arc<AtomicUsize>,
        closes: Arc<AtomicBool>,
        drops_second: Arc<AtomicBool>,
    }

    impl Receiver {
        async fn start(&self) -> u16 {
            let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
            let (port, this) = (listener.local_addr().unwrap().port(), self.clone());
            tokio::spawn(async move {
                while let Ok((mut tcp, _)) = listener.accept().await {
                    let this = this.clone();
                    this.connections.fetch_add(1, Ordering::Relaxed);
                    tokio::spawn(async move {
                        let mut first = true;
                        while tcp.read(&mut [0; 4096]).await.is_ok_and(|read| read > 0) {
                            this.requests.fetch_add(1, Ordering::Relaxed);
                            if !std::mem::take(&mut first) && this.drops_second.load(Ordering::Relaxed) {
                                break;
                            }
                            tcp.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
                            if this.closes.load(Ordering::Relaxed) {
                                break;
                            }
                        }
                    });
                }
            });
            port
        }

        fn counts(&self) -> (usize, usize) {
            (self.connections.load(Ordering::Relaxed), self.requests.load(Ordering::Relaxed))
        }
    }

    /// Resolves every name to one of four lists of addresses.
    #[derive(Clone, Default)]
    struct Names(Arc<AtomicUsize>);

    #[async_trait]
    impl Resolver for Names {
        async fn resolve(&self, _: &str) -> Result<Vec<std::net::IpAddr>, ResolveError> {
            let addresses =
                [&["127.0.0.1"][..], &["127.0.0.2"], &["127.0.0.2", "127.0.0.1"], &["10.0.0.1", "127.0.0.1"]];
            Ok(addresses[self.0.load(Ordering::Relaxed)].iter().map(|text| text.parse().unwrap()).collect())
        }
    }

    fn sender(names: &Names) -> HttpSender {
        let networks = Networks::default().allow("127.0.0.0/8").unwrap();
        let authority = rcgen::generate_simple_self_signed(Vec::new()).unwrap().cert.der().to_vec();
        HttpSender::trusting(networks, [authority]).unwrap().resolver(names.clone())
    }

    fn post(host: &str, port: u16) -> Post {
        Post { url: format!("http://{host}:{port}/avisos"), headers: HeaderMap::new(), body: Bytes::from_static(b"{}") }
    }

    const ARRIVED: Outcome = Outcome::Answered { status: 204, retry_after: None };

    #[tokio::test]
    async fn a_connection_is_reused_for_the_same_name_at_an_address_that_was_checked_for_it() {
        let (receiver, names) = (Receiver::default(), Names::default());
        let (port, sender) = (receiver.start().await, sender(&names));
        for _ in 0..3 {
            assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
        }
        assert_eq!(receiver.counts(), (1, 3));
        assert_eq!(sender.send(post("b.example.com", port)).await, ARRIVED);
        assert_eq!(receiver.counts(), (2, 4), "another name has its own");
        names.0.store(1, Ordering::Relaxed);
        assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
        assert_eq!(receiver.counts(), (3, 5), "the name leads elsewhere");
        names.0.store(2, Ordering::Relaxed);
        assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
        assert_eq!(receiver.counts(), (3, 6), "one of its addresses");
        names.0.store(3, Ordering::Relaxed);
        let blocked = Outcome::Failed(DeliveryReason::DestinoBloqueado);
        assert_eq!(sender.send(post("a.example.com", port)).await, blocked, "open or not, all addresses are checked");
        names.0.store(0, Ordering::Relaxed);
        sender.rest();
        assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
        assert_eq!(receiver.counts(), (4, 7), "nothing is kept after a pass");
    }

    #[tokio::test]
    async fn who_closes_connections_gets_each_notice_once() {
        let (receiver, names) = (Receiver::default(), Names::default());
        let (port, sender) = (receiver.start().await, sender(&names));
        receiver.closes.store(true, Ordering::Relaxed);
        for sent in 1..=20 {
            assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
            // The close arrives after the answer and before the next notice.
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            assert_eq!(receiver.counts(), (sent, sent));
        }
    }

    #[tokio::test]
    async fn what_was_begun_is_not_sent_again_and_who_takes_no_second_request_gets_none() {
        let (receiver, names) = (Receiver::default(), Names::default());
        let (port, sender) = (receiver.start().await, sender(&names));
        receiver.drops_second.store(true, Ordering::Relaxed);
        assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
        let broken = Outcome::Failed(DeliveryReason::ErrorRed);
        assert_eq!(sender.send(post("a.example.com", port)).await, broken);
        assert_eq!(receiver.counts(), (1, 2), "it may have arrived");
        for sent in 1..=3 {
            assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
            assert_eq!(receiver.counts(), (1 + sent, 2 + sent));
        }
    }

    #[tokio::test]
    async fn what_was_idle_for_long_is_not_used() {
        let (receiver, names) = (Receiver::default(), Names::default());
        let (port, sender) = (receiver.start().await, sender(&names));
        assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
        tokio::time::sleep(super::KEPT).await;
        assert_eq!(sender.send(post("a.example.com", port)).await, ARRIVED);
        assert_eq!(receiver.counts(), (2, 2));
    }
}
