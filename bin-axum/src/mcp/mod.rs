//! `svc mcp`: the API's operations as tools of the Model Context Protocol.
//!
//! The tools come from the interface's description, which comes from the registry. Each call is an
//! API request with the configured key: its scopes, its limits and the company's quota apply as for
//! any client, and a write without an `idempotency_key` gets a new one.

mod sessions;
mod tools;

use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use self::sessions::Sessions;
use self::tools::ApiTool;
use crate::api_client::{Answer, ApiClient, ApiError, random_key};
use crate::cli::McpArgs;
use crate::failure::Failure;
use crate::shutdown::StopSignal;

const INSTRUCTIONS: &str = "Operations of one company's ERP and CRM. Names of fields and codes are Spanish. Lists come in pages: \
    pass `siguiente` as `cursor` until `hay_mas` is false. To repeat a write after a failure pass the same `idempotency_key`. \
    An error has a `codigo` and says in Spanish what to correct; `sin_permiso` means that the key may not do it.";

/// Serves tools until the client disconnects or the process receives a signal to stop.
pub(crate) async fn run(args: &McpArgs) -> Result<(), Failure> {
    let client = ApiClient::new(&args.base_url, &args.key_id, args.api_key())?;
    let connector = Connector { client: Arc::new(client), tools: tools::all(&args.base_url).into() };
    match args.listen {
        None => {
            let failed = |error: &dyn std::fmt::Display| Failure::Other(format!("standard input and output: {error}"));
            let service = connector.serve(rmcp::transport::io::stdio()).await.map_err(|error| failed(&error))?;
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
    let service = StreamableHttpService::new(move || Ok(connector.clone()), Arc::new(Sessions::default()), config);
    let app = axum::Router::new().nest_service("/mcp", service);
    tracing::info!(%address, "offering tools at /mcp");
    let stopped = async move {
        stop.wait().await;
        ending.cancel();
    };
    axum::serve(listener, app).with_graceful_shutdown(stopped).await.map_err(failed())
}

/// The tools, and the API that they call.
#[derive(Clone)]
struct Connector {
    client: Arc<ApiClient>,
    tools: Arc<[ApiTool]>,
}

impl ServerHandler for Connector {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("svc", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|tool| tool.described.clone()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let unknown = || ErrorData::invalid_params(format!("no tool {:?}", request.name), None);
        let tool = self.tools.iter().find(|tool| tool.described.name == request.name).ok_or_else(unknown)?;
        let mut call = tool.call(request.arguments.unwrap_or_default())?;
        let key = call.key.take().unwrap_or_else(random_key);
        let answer = self.client.exchange(call.method, &call.path, &key, call.body.as_ref()).await;
        Ok(result(&call.path, answer).into())
    }
}

/// Converts an answer for the agent, which can read a refusal and act on it.
fn result(path: &str, answer: Result<Answer, ApiError>) -> CallToolResult {
    let Answer { status, headers, body } = match answer {
        Ok(answer) => answer,
        Err(error) => return CallToolResult::error(vec![ContentBlock::text(Failure::from(error).to_string())]),
    };
    let content = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if status.is_success() && !content.starts_with("application/json") {
        let file = match String::from_utf8(body.to_vec()) {
            Ok(text) => ResourceContents::text(text, path),
            Err(_) => ResourceContents::blob(STANDARD.encode(&body), path),
        };
        return CallToolResult::success(vec![ContentBlock::resource(file.with_mime_type(content))]);
    }
    let mut said = vec![ContentBlock::text(String::from_utf8_lossy(&body))];
    if let Some(seconds) = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()) {
        said.push(ContentBlock::text(format!("Retry after {seconds} s.")));
    }
    let mut result = if status.is_success() { CallToolResult::success(said) } else { CallToolResult::error(said) };
    result.structured_content = serde_json::from_slice::<Value>(&body).ok();
    result
}
