//! The sessions of clients over HTTP, bounded in number.
//!
//! A session takes about 54 KB, and anyone who reaches the address may begin one.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, LocalSessionManagerError};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::time::Instant;

/// The most sessions at a time.
const MAX_SESSIONS: usize = 100;

/// How long a session may be idle before it ends. A client whose session has ended is answered 404
/// and begins another.
const MAX_IDLE: Duration = Duration::from_mins(30);

type Manager = LocalSessionManager;

/// Sessions in memory. When there are too many, the one that has been idle longest ends.
pub(super) struct Sessions {
    manager: Manager,
    max: usize,
    /// The last use of each.
    used: Mutex<HashMap<SessionId, Instant>>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self::new(MAX_SESSIONS)
    }
}

impl Sessions {
    fn new(max: usize) -> Self {
        let mut manager = Manager::default();
        manager.session_config.keep_alive = Some(MAX_IDLE);
        Self { manager, max, used: Mutex::default() }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_use(&self, id: &SessionId) {
        if let Some(used) = self.used().get_mut(id) {
            *used = Instant::now();
        }
    }

    /// Adds a session; returns the one that must end for it.
    fn add(&self, id: &SessionId) -> Option<SessionId> {
        let mut used = self.used();
        let longest_idle = || used.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone());
        let ends = if used.len() < self.max { None } else { longest_idle() };
        if let Some(ends) = &ends {
            used.remove(ends);
        }
        used.insert(id.clone(), Instant::now());
        ends
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <Manager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), LocalSessionManagerError> {
        let (id, transport) = self.manager.create_session().await?;
        if let Some(ends) = self.add(&id) {
            tracing::debug!("too many sessions: the one idle longest ends");
            self.manager.close_session(&ends).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, LocalSessionManagerError> {
        self.manager.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, LocalSessionManagerError> {
        self.note_use(id);
        self.manager.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), LocalSessionManagerError> {
        self.used().remove(id);
        self.manager.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        self.manager.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), LocalSessionManagerError> {
        self.manager.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        self.manager.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        self.manager.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn of_too_many_sessions_the_one_idle_longest_ends() {
        let sessions = Sessions::new(3);
        let mut begun = Vec::new();
        for _ in 0..3 {
            begun.push(sessions.create_session().await.unwrap());
        }
        assert!(sessions.has_session(&begun[0].0).await.unwrap());
        begun.push(sessions.create_session().await.unwrap());
        let there = sessions.manager.sessions.read().await;
        let is_there: Vec<bool> = begun.iter().map(|(id, _)| there.contains_key(id)).collect();
        assert_eq!(is_there, [true, false, true, true], "the first was used since");
        drop(there);
        for (id, _) in &begun {
            sessions.close_session(id).await.unwrap();
        }
        assert!(sessions.used().is_empty() && sessions.manager.sessions.read().await.is_empty());
    }
}
