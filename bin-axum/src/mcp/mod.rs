//! `svc mcp`: the tools for agents, under one key or several, over standard input and output or
//! over HTTP. A key that an agent's own request bears goes before those.

mod sessions;
mod upstream;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use rmcp::service::ServiceExt as _;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use svc_core::mcp::{Connector, Mcp, NamedKeys, Offer, with_exact_numbers};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use self::sessions::Sessions;
use self::upstream::Elsewhere;
use crate::api_client::ApiClient;
use crate::cli::McpArgs;
use crate::failure::Failure;
use crate::parts::Parts;
use crate::shutdown::StopSignal;

/// The longest line and the largest body that are read; the crate `rmcp` bounds lines alike.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// Serves tools until the client disconnects or the process receives a signal to stop.
pub(crate) async fn run(args: &McpArgs, parts: &Parts) -> Result<(), Failure> {
    let (key_id, secret) = args.key();
    let client = ApiClient::new(&args.base_url, key_id, secret)?;
    let offer = args.agents.apply(Offer::new(&parts.described()?));
    let mut connector = Connector::new(offer, Arc::new(Elsewhere(client)));
    if let Some(path) = &args.keys {
        let file = path.display();
        let text = std::fs::read(path).map_err(Failure::io(format!("cannot read {file}")))?;
        let keys = NamedKeys::from_json(&text).map_err(|fault| Failure::Other(format!("{file}: {fault}")))?;
        connector = connector.with_keys(keys);
    }
    match args.listen {
        None => {
            let failed = |error: &dyn std::fmt::Display| Failure::Other(format!("standard input and output: {error}"));
            let streams = (exact_input(), tokio::io::stdout());
            let service = connector.serve(streams).await.map_err(|error| failed(&error))?;
            service.waiting().await.map_err(|error| failed(&error))?;
            Ok(())
        }
        Some(address) => listen(connector, address).await,
    }
}

async fn listen(connector: Connector, address: SocketAddr) -> Result<(), Failure> {
    let mut stop = StopSignal::listen()?;
    let failed = || Failure::io(format!("cannot listen on {address}"));
    let listener = tokio::net::TcpListener::bind(address).await.map_err(failed())?;
    let address = listener.local_addr().map_err(failed())?;
    let mut config = StreamableHttpServerConfig::default().enforce_origin_validation();
    let ending = config.cancellation_token.clone();
    config.sse_keep_alive = None;
    let service =
        StreamableHttpService::new(move || Ok(connector.in_new_session()), Arc::new(Sessions::default()), config);
    let app = axum::Router::new().nest_service(Mcp::path(), service).layer(from_fn(keep_numbers));
    tracing::info!(%address, "offering tools at /mcp");
    let stopped = async move {
        stop.wait().await;
        ending.cancel();
    };
    axum::serve(listener, app).with_graceful_shutdown(stopped).await.map_err(failed())
}

/// Standard input, with the numbers of each line as the connector keeps them exact.
fn exact_input() -> impl AsyncRead + Send + Unpin + 'static {
    let (mut lines, exact) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let mut input = BufReader::new(tokio::io::stdin());
        loop {
            let mut line = Vec::new();
            // The pieces of a longer line are passed on one by one, and `rmcp` discards the line.
            match (&mut input).take(MAX_MESSAGE as u64).read_until(b'\n', &mut line).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    tracing::error!(%error, "cannot read standard input");
                    break;
                }
            }
            if lines.write_all(&with_exact_numbers(line.into())).await.is_err() {
                break;
            }
        }
    });
    exact
}

/// The same for the body of a request.
async fn keep_numbers(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match to_bytes(body, MAX_MESSAGE).await {
        Ok(body) => next.run(Request::from_parts(head, Body::from(with_exact_numbers(body)))).await,
        Err(_) => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
    }
}
