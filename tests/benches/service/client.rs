//! A client over one kept-alive connection.

use std::net::SocketAddr;

use bytes::Bytes;
use http::header::HOST;
use http::request::Builder;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::PREFIX;

pub(crate) struct Client(SendRequest<Full<Bytes>>);

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let tcp = TcpStream::connect(address).await.expect("a connection");
        tcp.set_nodelay(true).expect("a setting of the connection");
        let (sender, connection) = handshake(TokioIo::new(tcp)).await.expect("a connection");
        // Its error is the request's.
        tokio::spawn(connection);
        Self(sender)
    }

    /// Sends a request to a path of the API; returns status and body of the answer.
    pub(crate) async fn answer(&mut self, request: Builder, body: impl Into<Bytes>) -> (u16, Bytes) {
        let request = request.header(HOST, "localhost").body(Full::new(body.into()));
        let mut request = request.expect("a request");
        *request.uri_mut() = format!("{PREFIX}{}", request.uri()).parse().expect("a path");
        self.0.ready().await.expect("an open connection");
        let answer = self.0.send_request(request).await.expect("an answer");
        let status = answer.status().as_u16();
        (status, answer.into_body().collect().await.expect("a body").to_bytes())
    }
}
