//! [`Connector`]: the tools for one client.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::answer::{self, fault};
use super::catalogue::{BATCH, Call, KEY, Offered};
use super::confirmation::{self, Unconfirmed};
use super::exact;
use super::few::{self, DESCRIBE, FIND, REHEARSE, RUN};
use super::keys::{KEY_ID, NamedKeys, taken};
use super::offer::{DIGEST, Offer, REHEARSAL_ARGUMENT};
use super::repetition::{Session, random_key};
use super::upstream::{Surface, Upstream};
use crate::domain::scope::KeyScopes;
use crate::operation::JSON;
use crate::pipeline::browser::ANTI_FORGERY;
use crate::pipeline::rehearsal::{self, REHEARSAL};
use crate::pipeline::respond::SCOPES;
use crate::pipeline::simulation::SIMULATION;
use crate::service::ClientAddress;

/// The headers of an agent's own request that go to the API beside those of [`ANTI_FORGERY`]: its
/// credentials, what asks for a rehearsal or a simulated answer, and the mark of a browser.
const PASSED_ON: [HeaderName; 5] = [AUTHORIZATION, KEY_ID, http::header::ORIGIN, REHEARSAL, SIMULATION];
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A read whose every answer names the key's scopes.
const SCOPES_PATH: &str = "/clientes?limite=1";

const INSTRUCTIONS: &str = "Operations of one company's ERP and CRM. Names of fields and codes are Spanish. Lists come in pages: \
    pass `siguiente` as `cursor` until `hay_mas` is false. A creation that is called twice with the same arguments is done once, \
    and the second answer has `repeated` true; pass another `idempotency_key` to do it twice. \
    A rehearsal says what a write would do, and does nothing. \
    An error has a `codigo` and says in Spanish what to correct; `sin_permiso` means that the key may not do it.";

/// Serves the tools of an [`Offer`] to one client: a handler for any transport of the crate `rmcp`.
#[derive(Clone)]
pub struct Connector {
    offer: Offer,
    upstream: Arc<dyn Upstream>,
    /// The client's session; none if each of its requests may reach another process.
    session: Option<Arc<Session>>,
    keys: Option<NamedKeys>,
}

/// The agent's own request over HTTP, as far as it is passed on.
#[derive(Default)]
pub(super) struct Own<'a> {
    pub(super) headers: Cow<'a, HeaderMap>,
    pub(super) client: Option<ClientAddress>,
}

impl<'a> Own<'a> {
    fn of(context: &'a RequestContext<RoleServer>) -> Self {
        match context.extensions.get::<Parts>() {
            Some(head) => {
                Self { headers: Cow::Borrowed(&head.headers), client: head.extensions.get::<ClientAddress>().copied() }
            }
            None => Self::default(),
        }
    }

    /// The same client with other headers.
    fn with<'h>(&self, headers: Cow<'h, HeaderMap>) -> Own<'h> {
        Own { headers, client: self.client }
    }
}

/// How an operation is to be run.
struct How {
    rehearse: bool,
    key: Option<String>,
    digest: Option<String>,
}

impl Connector {
    /// Serves `offer` to a client with a session, so that a creation that it repeats is done once.
    pub fn new(offer: Offer, upstream: Arc<dyn Upstream>) -> Self {
        let session = Some(Arc::new(Session::new(offer.random.as_ref())));
        Self { offer, upstream, session, keys: None }
    }

    /// Serves it without sessions. A creation is then done once a day for each key, which is all
    /// that a client's requests have in common.
    pub(super) fn without_sessions(offer: Offer, upstream: Arc<dyn Upstream>) -> Self {
        Self { offer, upstream, session: None, keys: None }
    }

    /// Lets the agent choose one of these keys in each call. Every client has all of them.
    #[must_use]
    pub fn with_keys(mut self, keys: NamedKeys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// The same tools for another client.
    #[must_use]
    pub fn in_new_session(&self) -> Self {
        Self { keys: self.keys.clone(), ..Self::new(self.offer.clone(), Arc::clone(&self.upstream)) }
    }

    /// The scopes of the key, which every answer to it names; `None` if the API is of a version
    /// that does not.
    async fn scopes(&self, own: &Own<'_>) -> Result<Option<KeyScopes>, String> {
        let request = request(Method::GET, SCOPES_PATH, own, None)?;
        let answer = self.upstream.send(Surface::Api, request).await?;
        let named = answer.headers().get(SCOPES).and_then(|value| value.to_str().ok());
        if named.is_none() && !answer.status().is_success() {
            return Err(format!("the API refuses: {}", String::from_utf8_lossy(answer.body())));
        }
        Ok(named.map(|named| KeyScopes::of_words(named.split(", "))))
    }

    /// The scopes that any of the keys has.
    async fn scopes_of_any(&self, own: &Own<'_>) -> Result<Option<KeyScopes>, String> {
        let Some(keys) = self.keys.as_ref().filter(|_| !own.headers.contains_key(AUTHORIZATION)) else {
            return self.scopes(own).await;
        };
        let mut words = Vec::new();
        for key in keys.all() {
            let Some(scopes) = self.scopes(&own.with(Cow::Borrowed(key))).await? else { return Ok(None) };
            words.extend(scopes.words().map(str::to_owned));
        }
        Ok(Some(KeyScopes::of_words(words)))
    }

    fn listed(&self, tool: Tool) -> Tool {
        self.keys.iter().fold(tool, |tool, keys| keys.added_to(tool))
    }

    pub(super) async fn call(
        &self,
        tool: &str,
        mut given: JsonObject,
        own: &Own<'_>,
    ) -> Result<CallToolResult, ErrorData> {
        let offer = &self.offer;
        if let Some(refusal) = exact::refusal(&given) {
            return Ok(fault(refusal));
        }
        let chosen = match &self.keys {
            None => Ok(Cow::Borrowed(&*own.headers)),
            Some(keys) => keys.chosen(&mut given, &own.headers),
        };
        let own = &match chosen {
            Ok(headers) => own.with(headers),
            Err(text) => return Ok(fault(text.as_str())),
        };
        if !offer.each && few::has(offer, tool) {
            return Ok(self.few(tool, given, own).await.unwrap_or_else(fault));
        }
        // An operation can be called as a tool by its name, listed or not.
        let unknown = || ErrorData::invalid_params(format!("no tool {tool:?}"), None);
        let offered = offer.catalogue.find(tool).filter(|offered| offer.offers(offered)).ok_or_else(unknown)?;
        Ok(match How::taken_from(&mut given) {
            Ok(how) => self.run(offered, given, how, own).await,
            Err(text) => fault(text),
        })
    }

    /// One of the four tools.
    async fn few(&self, tool: &str, mut given: JsonObject, own: &Own<'_>) -> Result<CallToolResult, String> {
        if tool == FIND {
            let wanted = taken(&mut given, "text")?.unwrap_or_default();
            nothing_else(&given, &["text"])?;
            return Ok(few::find(&self.offer, self.scopes(own).await?.as_ref(), &wanted));
        }
        let name = taken(&mut given, "operation")?.ok_or("the argument operation is missing")?;
        let offered = self.offer.catalogue.find(&name).filter(|offered| self.offer.offers(offered));
        let Some(offered) = offered else { return Ok(few::unknown(&self.offer, &name)) };
        if tool == DESCRIBE {
            nothing_else(&given, &["operation"])?;
            return Ok(few::describe(offered));
        }
        let arguments = match given.remove("arguments") {
            None | Some(Value::Null) => JsonObject::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err("arguments must be an object".to_owned()),
        };
        let how = How { rehearse: tool == REHEARSE, key: taken(&mut given, KEY)?, digest: taken(&mut given, DIGEST)? };
        nothing_else(
            &given,
            if tool == RUN { &["operation", "arguments", KEY, DIGEST] } else { &["operation", "arguments"] },
        )?;
        debug_assert!(tool == RUN || tool == REHEARSE, "the tools are those four");
        Ok(self.run(offered, arguments, how, own).await)
    }

    async fn run(&self, offered: &Offered, given: JsonObject, how: How, own: &Own<'_>) -> CallToolResult {
        match self.answered(offered, given, &how, own).await {
            Ok((path, answer, digest)) => {
                let uri = self.address(offered.surface, &path);
                answer::of(&uri, answer, digest, how.digest.is_some())
            }
            Err(text) => fault(text),
        }
    }

    /// The URI of a path: clients refuse one that is not absolute.
    fn address(&self, surface: Surface, path: &str) -> String {
        // The base URL may be a path alone.
        match self.upstream.base_url(surface).filter(|url| url.contains("://")) {
            Some(url) => format!("{url}{path}"),
            None => format!("svc:{path}"),
        }
    }

    /// The API's answer to a call, with its path, and its digest if it was a rehearsal.
    async fn answered(
        &self,
        offered: &Offered,
        given: JsonObject,
        how: &How,
        own: &Own<'_>,
    ) -> Result<(String, Response<Bytes>, Option<String>), String> {
        let name = offered.described.name.as_ref();
        if how.rehearse && !offered.writes {
            return Err(format!("{name} only reads: run it"));
        }
        // The agent's own request may ask for it too; what the API refuses there is passed on.
        let rehearses = how.rehearse || offered.writes && matches!(rehearsal::is_asked(&own.headers), Ok(true));
        let secret = own.headers.get(AUTHORIZATION).map_or_else(|| self.offer.secret.secret(), HeaderValue::as_bytes);
        let now = self.offer.clock.now();
        if offered.writes && !rehearses && (self.offer.confirmed || how.digest.is_some()) {
            let digest = how
                .digest
                .as_deref()
                .ok_or("this write has to be confirmed: rehearse it, then run it with its digest")?;
            confirmation::verify(digest, secret, name, &given, now).map_err(|unconfirmed| {
                match unconfirmed {
                    Unconfirmed::Foreign => "the digest belongs to no rehearsal of this operation with these arguments",
                    Unconfirmed::Expired => "the rehearsal is more than 15 minutes old: rehearse it again",
                }
                .to_owned()
            })?;
        }
        let Call { path, body } = offered.call(given.clone())?;
        let mut request = request(offered.method.clone(), &path, own, body)?;
        let header =
            |text: String| HeaderValue::from_str(&text).map_err(|_| format!("{KEY} has other characters than ASCII"));
        if rehearses {
            request.headers_mut().entry(REHEARSAL).or_insert(HeaderValue::from_static("true"));
        } else if offered.writes {
            request.headers_mut().insert(IDEMPOTENCY_KEY, header(self.idempotency_key(offered, &given, how, own))?);
        }
        let answer = self.upstream.send(offered.surface, request).await?;
        let digest = rehearses.then(|| confirmation::digest(secret, name, &given, now, self.offer.random.as_ref()));
        Ok((path, answer, digest))
    }

    /// The key of a write: that of the rehearsal which it confirms, the one given, or one that is
    /// the same for the same creation.
    fn idempotency_key(&self, offered: &Offered, given: &JsonObject, how: &How, own: &Own<'_>) -> String {
        // Before a key of the agent's, with which one rehearsal would confirm many writes.
        if let Some(digest) = &how.digest {
            return format!("mcp-{digest}");
        }
        if let Some(key) = &how.key {
            return key.clone();
        }
        if offered.each_time || self.is_batch_done_each_time(offered, given) {
            return random_key(self.offer.random.as_ref());
        }
        let name = offered.described.name.as_ref();
        if let Some(session) = &self.session {
            return session.key(name, given);
        }
        let key_id = own.headers.get(KEY_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
        Session::of_key(&format!("{key_id} {}", self.offer.clock.now().date_naive())).key(name, given)
    }

    /// Whether it is a batch of nothing but readings and actions that are done each time.
    fn is_batch_done_each_time(&self, offered: &Offered, given: &JsonObject) -> bool {
        let actions = given.get("acciones").and_then(Value::as_array).filter(|_| offered.name == Some(BATCH));
        let again = |action: &Value| {
            let found = action["accion"].as_str().and_then(|name| self.offer.catalogue.find(name));
            found.is_some_and(|offered| offered.each_time || !offered.writes)
        };
        actions.is_some_and(|actions| actions.iter().all(again))
    }
}

impl How {
    /// Takes it from among the arguments of an operation's own tool.
    fn taken_from(given: &mut JsonObject) -> Result<Self, String> {
        let rehearse = match given.remove(REHEARSAL_ARGUMENT) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(rehearse)) => rehearse,
            Some(_) => return Err(format!("{REHEARSAL_ARGUMENT} must be true or false")),
        };
        Ok(Self { rehearse, key: taken(given, KEY)?, digest: taken(given, DIGEST)? })
    }
}

/// Refuses arguments that a tool does not take.
fn nothing_else(given: &JsonObject, allowed: &[&str]) -> Result<(), String> {
    let refused = |unknown| Err(format!("there is no argument {unknown}; allowed are: {}", allowed.join(", ")));
    given.keys().next().map_or(Ok(()), refused)
}

/// A request with the agent's own credentials.
fn request(method: Method, path: &str, own: &Own<'_>, body: Option<Value>) -> Result<Request<Bytes>, String> {
    let request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, JSON);
    let names = PASSED_ON.into_iter().chain(ANTI_FORGERY.map(HeaderName::from_static));
    let request = names.fold(request, |request, name| {
        own.headers.get_all(&name).iter().fold(request, |request, value| request.header(&name, value))
    });
    let body = body.map(|body| exact::json(&body)).unwrap_or_default();
    let request = request.body(body.into());
    let mut request = request.map_err(|error| format!("the arguments make no request: {error}"))?;
    if let Some(client) = own.client {
        request.extensions_mut().insert(client);
    }
    Ok(request)
}

impl ServerHandler for Connector {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(self.offer.name.clone(), env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if !self.offer.each {
            let tools = few::tools(&self.offer).into_iter().map(|tool| self.listed(tool)).collect();
            return Ok(ListToolsResult::with_all_items(tools));
        }
        let scopes = self.scopes_of_any(&Own::of(&context)).await;
        let scopes = scopes.map_err(|text| ErrorData::internal_error(text, None))?;
        let tools = self.offer.allowed(scopes.as_ref()).map(|offered| self.listed(self.offer.own_tool(offered)));
        let tools = tools.collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        Ok(self.call(&request.name, given, &Own::of(&context)).await?.into())
    }
}
