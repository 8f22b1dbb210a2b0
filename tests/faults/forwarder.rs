//! A forwarder between the server and its database: it forwards, swallows, or leads elsewhere.

use std::path::PathBuf;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// A local port that leads to the socket of a PostgreSQL until the process ends.
pub(crate) struct Forwarder {
    port: u16,
    way: watch::Sender<Way>,
}

#[derive(Clone)]
struct Way {
    to: PathBuf,
    /// How often the connection was cut so far: connections older than the last cut stay silent
    /// forever, like those that a firewall has forgotten.
    cuts: usize,
    cut: bool,
}

impl Forwarder {
    /// A forwarder to the PostgreSQL behind that socket.
    pub(crate) async fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (way, follow) = watch::channel(Way { to: socket, cuts: 0, cut: false });
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, follow.clone()));
            }
        });
        Self { port, way }
    }

    /// The address of a database behind it.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://svc@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    /// From now on it swallows everything: nothing is forwarded, refused or closed, and new
    /// connections are accepted.
    pub(crate) fn cut(&self) {
        self.way.send_modify(|way| {
            way.cuts += 1;
            way.cut = true;
        });
    }

    /// Forwards new connections again.
    pub(crate) fn mend(&self) {
        self.way.send_modify(|way| way.cut = false);
    }

    /// Leads new connections to another PostgreSQL, as when a name moves to another server.
    pub(crate) fn lead_to(&self, socket: PathBuf) {
        self.way.send_modify(|way| way.to = socket);
    }
}

/// Forwards one connection until it ends or is cut.
async fn forward(mut client: TcpStream, mut way: watch::Receiver<Way>) {
    let now = way.borrow().clone();
    if now.cut {
        return swallow(client).await;
    }
    // A missing server refuses, like a port without a server.
    let Ok(mut server) = UnixStream::connect(&now.to).await else { return };
    let _ = client.set_nodelay(true);
    let cut = async {
        // The sender lives as long as there is something to forward.
        let _ = way.wait_for(|way| way.cuts > now.cuts).await;
    };
    let ended = tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut client, &mut server) => true,
        () = cut => false,
    };
    if !ended {
        swallow(client).await;
        // The database does not notice that its client is gone.
        std::future::pending::<()>().await;
    }
    let _ = server.shutdown().await;
}

async fn swallow(mut client: TcpStream) {
    let mut nowhere = [0; 4096];
    while client.read(&mut nowhere).await.is_ok_and(|read| read > 0) {}
}
