//! `svc mcp`: the API's operations as tools of the Model Context Protocol.
//!
//! The tools come from the interface's description, which comes from the registry. Each call is an
//! API request with the configured key: its scopes, its limits and the company's quota apply as for
//! any client. Only tools that the key's scopes allow are listed. A creation without an
//! `idempotency_key` gets one that is the same for the same call in the same session, so that an
//! agent which repeats a call makes one record (`repetition.rs`).

mod repetition;
mod sessions;
mod tools;

use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{Method, StatusCode};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use svc_core::domain::scope::KeyScopes;

use self::repetition::Session;
use self::sessions::Sessions;
use self::tools::ApiTool;
use crate::api_client::{Answer, ApiClient, ApiError, random_key};
use crate::cli::McpArgs;
use crate::failure::Failure;
use crate::shutdown::StopSignal;

const INSTRUCTIONS: &str = "Operations of one company's ERP and CRM. Names of fields and codes are Spanish. Lists come in pages: \
    pass `siguiente` as `cursor` until `hay_mas` is false. A creation that is called twice with the same arguments is done once, \
    and the second answer has `repeated` true; pass another `idempotency_key` to do it twice. \
    An error has a `codigo` and says in Spanish what to correct; `sin_permiso` means that the key may not do it.";

/// A repetition's second text.
const REPEATED: &str = "repeated: true. This call was made before, and this is the answer that it had then; nothing was done now. \
    To do the same again on purpose, call it with an `idempotency_key` of your own.";

/// The header of an answer that is a stored one.
const REPLAYED_HEADER: &str = "idempotent-replayed";

/// The header with the key's scopes, and a read whose every answer has it.
const SCOPES_HEADER: &str = "x-svc-permisos";
const SCOPES_PATH: &str = "/clientes?limite=1";

/// Serves tools until the client disconnects or the process receives a signal to stop.
pub(crate) async fn run(args: &McpArgs) -> Result<(), Failure> {
    let client = ApiClient::new(&args.base_url, &args.key_id, args.api_key())?;
    let connector = Connector {
        client: Arc::new(client),
        tools: tools::all(&args.base_url).into(),
        session: Session::new().into(),
    };
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
    let service =
        StreamableHttpService::new(move || Ok(connector.in_new_session()), Arc::new(Sessions::default()), config);
    let app = axum::Router::new().nest_service("/mcp", service);
    tracing::info!(%address, "offering tools at /mcp");
    let stopped = async move {
        stop.wait().await;
        ending.cancel();
    };
    axum::serve(listener, app).with_graceful_shutdown(stopped).await.map_err(failed())
}

/// The tools, and the API that they call, for one agent's session.
#[derive(Clone)]
struct Connector {
    client: Arc<ApiClient>,
    tools: Arc<[ApiTool]>,
    session: Arc<Session>,
}

impl Connector {
    fn in_new_session(&self) -> Self {
        Self { session: Session::new().into(), ..self.clone() }
    }

    /// The scopes of the key, which every answer to it names; `None` if the API is of a version
    /// that does not.
    async fn scopes(&self) -> Result<Option<KeyScopes>, ErrorData> {
        let failed = |text: String| ErrorData::internal_error(text, None);
        let answer = self.client.exchange(Method::GET, SCOPES_PATH, &random_key(), None).await;
        let answer = answer.map_err(|error| failed(Failure::from(error).to_string()))?;
        let named = answer.headers.get(SCOPES_HEADER).and_then(|value| value.to_str().ok());
        if named.is_none() && answer.status == StatusCode::UNAUTHORIZED {
            return Err(failed(format!("the API refuses the key: {}", String::from_utf8_lossy(&answer.body))));
        }
        Ok(named.map(|named| KeyScopes::of_words(named.split(", "))))
    }
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
        let scopes = self.scopes().await?;
        let may = |tool: &&ApiTool| {
            let needed = tool.http.scopes;
            scopes.as_ref().is_none_or(|scopes| needed.is_empty() || scopes.meet(needed))
        };
        let tools = self.tools.iter().filter(may).map(|tool| tool.described.clone()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let unknown = || ErrorData::invalid_params(format!("no tool {:?}", request.name), None);
        let tool = self.tools.iter().find(|tool| tool.described.name == request.name).ok_or_else(unknown)?;
        let call = match tool.call(request.arguments.unwrap_or_default(), &self.session) {
            Ok(call) => call,
            Err(fault) => return Ok(CallToolResult::error(vec![ContentBlock::text(fault)]).into()),
        };
        let answer = self.client.exchange(call.method, &call.path, &call.key, call.body.as_ref()).await;
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
    let mut read = serde_json::from_slice::<Value>(&body).ok();
    if headers.contains_key(REPLAYED_HEADER) {
        said.push(ContentBlock::text(REPEATED));
        if let Some(answer) = read.as_mut().and_then(Value::as_object_mut) {
            answer.insert("repeated".to_owned(), true.into());
        }
    }
    let mut result = if status.is_success() { CallToolResult::success(said) } else { CallToolResult::error(said) };
    result.structured_content = read;
    result
}
