//! What stands between the server and its database: it forwards, swallows, or leads elsewhere.

use std::path::PathBuf;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// A port of this machine that leads to the socket of a PostgreSQL. It goes on until the process
/// ends.
pub(crate) struct Forwarder {
    port: u16,
    way: watch::Sender<Way>,
}

#[derive(Clone)]
struct Way {
    to: PathBuf,
    /// How often the way was cut so far: connections that are older than the last time stay mute
    /// for ever, as those that a firewall has forgotten.
    cuts: usize,
    cut: bool,
}

impl Forwarder {
    /// A way to the PostgreSQL behind that socket.
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

    /// Swallows from now on: what is sent is taken and goes nowhere, nothing is refused or closed,
    /// and new connections are accepted.
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

    /// Leads new connections to another PostgreSQL, as a name that is moved to another server.
    pub(crate) fn lead_to(&self, socket: PathBuf) {
        self.way.send_modify(|way| way.to = socket);
    }
}

/// Forwards one connection until it ends, or the way is cut.
async fn forward(mut client: TcpStream, mut way: watch::Receiver<Way>) {
    let now = way.borrow().clone();
    if now.cut {
        return swallow(client).await;
    }
    // Who is not there refuses, as a port without a server does.
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
        // The database does not learn that its client has gone.
        std::future::pending::<()>().await;
    }
    let _ = server.shutdown().await;
}

async fn swallow(mut client: TcpStream) {
    let mut nowhere = [0; 4096];
    while client.read(&mut nowhere).await.is_ok_and(|read| read > 0) {}
}
