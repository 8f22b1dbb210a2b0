//! Listening, and accepting connections.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::sleep;

use crate::failure::Failure;

/// How long to wait after a failure.
const BACK_OFF: Duration = Duration::from_millis(50);

/// The least number of connections that may wait to be accepted: a burst beyond it is delayed by
/// seconds.
const LEAST_BACKLOG: usize = 1_024;

/// Listens on an address. As many connections may wait to be accepted as may be open, within the
/// system's limit (`net.core.somaxconn`).
pub(crate) fn listen(address: SocketAddr, max_open: usize) -> Result<TcpListener, Failure> {
    let backlog = u32::try_from(max_open.max(LEAST_BACKLOG)).unwrap_or(u32::MAX);
    let listening = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(backlog)
    };
    listening().map_err(Failure::io(format!("cannot listen on {address}")))
}

/// Accepts the next connection. A failed accept is logged and retried: the client has left, or
/// there is a temporary shortage, such as of file descriptors.
pub(crate) async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                tracing::warn!(%error, "accept failed");
                sleep(BACK_OFF).await;
            }
        }
    }
}
