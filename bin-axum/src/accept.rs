//! Accepting connections.

use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// How long to wait after a failure.
const BACK_OFF: Duration = Duration::from_millis(50);

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
