//! What is going on, for `svc top` and the page of charts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

use super::prometheus::Metrics;
use crate::top::{self, Board, View};

/// The metrics of the process, and a board of them.
pub(super) struct Live {
    metrics: Arc<Metrics>,
    /// Those who ask at once wait for one reading.
    board: Mutex<Board>,
}

impl Live {
    pub(super) fn new(metrics: Arc<Metrics>, start: Instant) -> Self {
        Self { metrics, board: Mutex::new(Board::new(start)) }
    }

    fn view(&self, now: Instant) -> View {
        // A board whose reading panicked lacks that reading only.
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        board.view(now, || self.metrics.text())
    }
}

pub(super) async fn view(State(live): State<Arc<Live>>) -> Response {
    match serde_json::to_string(&live.view(Instant::now())) {
        Ok(json) => ([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], json).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

pub(super) async fn charts() -> impl IntoResponse {
    let page = top::page();
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, page.policy.as_str()),
    ];
    (headers, page.html.as_str())
}
