//! Accepting connections.

use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// How long to wait after a failure.
const BACK_OFF: Duration = Duration::from_millis(50);

/// The next connection. A failure is the client's, who is gone already, or a shortage that passes (file descriptors, memory):
/// it is logged, and the listener is tried again.
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
