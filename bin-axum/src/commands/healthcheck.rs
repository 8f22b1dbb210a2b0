use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::cli::ServiceArgs;
use crate::failure::Failure;
use crate::output::print;

/// How long the service may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) async fn run(service: &ServiceArgs) -> Result<(), Failure> {
    let address = reachable(service.address());
    let late = |_| Failure::Other(format!("{address} did not answer within {} s", TIMEOUT.as_secs()));
    let answer = tokio::time::timeout(TIMEOUT, request(address)).await.map_err(late)?;
    print(&answer.map_err(|error| Failure::Other(format!("{address} is not healthy: {error}")))?)
}

async fn request(address: SocketAddr) -> Result<serde_json::Value, Box<dyn std::error::Error + Send + Sync>> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request =
        Request::get("/api/v1/health").header(header::HOST, address.to_string()).body(Empty::<Bytes>::new())?;
    let (head, body) = sender.send_request(request).await?.into_parts();
    if !head.status.is_success() {
        return Err(format!("status {}", head.status).into());
    }
    Ok(serde_json::from_slice(&body.collect().await?.to_bytes())?)
}

/// An address to connect to: loopback, for a server that listens on all addresses.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, address.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, address.port()).into(),
        _ => address,
    }
}
