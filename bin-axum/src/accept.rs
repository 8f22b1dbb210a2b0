//! Accepting connections.

use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// How long to wait after a failure.
const BACK_OFF: Duration = Duration::from_millis(50);

/// The next connection. A failed accept is logged and tried again: the client is gone already, or there is a passing shortage,
/// such as of file descriptors.
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
