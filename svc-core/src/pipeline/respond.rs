//! The answer: status, headers, body.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::stream;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::limits::{HeldSlot, LimitUsage, ResponseMeta};
use super::rehearsal::{REHEARSAL, REHEARSED_EVENTS};
use crate::error::Error;
use crate::operation::{Head, JSON};
use crate::operations::import::Export;

pub(crate) const PETICION: HeaderName = HeaderName::from_static("x-svc-peticion");
pub(crate) const AVISO: HeaderName = HeaderName::from_static("x-svc-aviso");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("x-rate-limit-limit");
pub(crate) const RATE_REMAINING: HeaderName = HeaderName::from_static("x-rate-limit-remaining");
pub(crate) const RATE_RESET: HeaderName = HeaderName::from_static("x-rate-limit-reset");
pub(crate) const QUOTA_LIMIT: HeaderName = HeaderName::from_static("x-svc-cupo-limite");
pub(crate) const QUOTA_REMAINING: HeaderName = HeaderName::from_static("x-svc-cupo-restante");
pub(crate) const QUOTA_RESET: HeaderName = HeaderName::from_static("x-svc-cupo-reinicio");
pub(crate) const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(crate) const LEFT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const SCOPES: HeaderName = HeaderName::from_static("x-svc-permisos");
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The form of `Date` (RFC 9110, §5.6.7).
const HTTP_DATE: &str = "%a, %d %b %Y %H:%M:%S GMT";

/// A success. It has no `Debug`, because the body may hold a secret.
pub(crate) struct Reply {
    head: Head,
    body: AnswerBody,
    content: &'static str,
    /// The name of a file.
    name: Option<String>,
    replayed: bool,
    /// The types of the events that a write emitted.
    emitted: Vec<&'static str>,
}

pub(crate) enum AnswerBody {
    Whole(Bytes),
    /// An export, which is read while it is sent.
    Lines(ExportBody),
}

/// The lines of an export that is under way.
pub(crate) struct ExportBody {
    first: Option<Bytes>,
    export: Export,
    _slot: Option<HeldSlot>,
}

impl AnswerBody {
    pub(super) fn of_export(first: Bytes, export: Export, slot: Option<HeldSlot>) -> Self {
        Self::Lines(ExportBody { first: Some(first), export, _slot: slot })
    }

    /// What is in memory: all of it, except of an export.
    pub(crate) fn in_memory(self) -> Bytes {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Lines(lines) => lines.first.unwrap_or_default(),
        }
    }

    /// All of it, which is only then in memory.
    pub(crate) async fn whole(self) -> Result<Bytes, Error> {
        match self {
            Self::Whole(bytes) => Ok(bytes),
            Self::Lines(mut lines) => {
                let mut whole = Vec::new();
                while let Some(more) = lines.next().await? {
                    whole.extend_from_slice(&more);
                }
                Ok(whole.into())
            }
        }
    }

    /// A body of HTTP. An export that fails ends it early.
    pub(crate) fn boxed(self) -> UnsyncBoxBody<Bytes, Error> {
        match self {
            Self::Whole(bytes) => Full::new(bytes).map_err(|never| match never {}).boxed_unsync(),
            Self::Lines(lines) => {
                let pieces = stream::try_unfold(lines, async |mut lines| {
                    Ok(lines.next().await?.map(|more| (Frame::data(more), lines)))
                });
                StreamBody::new(pieces).boxed_unsync()
            }
        }
    }
}

impl ExportBody {
    async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.export.next().await,
        }
    }
}

impl Reply {
    pub(super) fn new(status: StatusCode, body: Bytes) -> Self {
        Self::answered(Head::of(status), body, Vec::new())
    }

    /// A file of that content type.
    pub(super) fn download(content: &'static str, body: Bytes) -> Self {
        Self { content, ..Self::new(StatusCode::OK, body) }
    }

    /// The name under which a file is saved.
    pub(super) fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    /// An answer of that content type that is read while it is sent.
    pub(super) fn streamed(content: &'static str, body: AnswerBody) -> Self {
        Self { body, content, ..Self::new(StatusCode::OK, Bytes::new()) }
    }

    /// What a write answers.
    pub(super) fn answered(head: Head, body: Bytes, emitted: Vec<&'static str>) -> Self {
        Self { head, body: AnswerBody::Whole(body), content: JSON, name: None, replayed: false, emitted }
    }

    /// A stored answer, byte for byte.
    pub(super) fn replayed(body: Bytes) -> Self {
        Self { replayed: true, ..Self::new(StatusCode::OK, body) }
    }
}

/// What is escaped in a file's name and in a query's value: more than RFC 8187 (`attr-char`) and
/// RFC 3986 ask for.
pub(crate) const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// The `Content-Disposition` of a file (RFC 6266): its name, and before that one in plain ASCII for
/// clients that read no other, such as `curl -OJ`.
fn attachment(name: &str) -> String {
    let plain = |letter: char| matches!(letter, ' '..='~') && !matches!(letter, '"' | '\\' | '%' | '/');
    let ascii: String = name.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect();
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{}", utf8_percent_encode(name, ESCAPED))
}

/// `received` is the moment at which the request came, by the clock that `modificado` is written
/// by, the company's. As the `Date` of a list it is never later than the state that was read
/// (contract §3).
pub(super) fn response(
    outcome: Result<Reply, Error>,
    peticion: &str,
    received: DateTime<Utc>,
    meta: &ResponseMeta<'_>,
) -> Response<AnswerBody> {
    let mut emitted = String::new();
    let mut response = match outcome {
        Ok(reply) => {
            emitted = reply.emitted.join(",");
            let mut response = Response::new(reply.body);
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content));
            *response.status_mut() = reply.head.status;
            if let Some(name) = &reply.name {
                insert(response.headers_mut(), header::CONTENT_DISPOSITION, &attachment(name));
            }
            if let Some(location) = &reply.head.location {
                insert(response.headers_mut(), header::LOCATION, location);
            }
            if let Some(seconds) = reply.head.retry_after {
                response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
            }
            if reply.replayed {
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            }
            response
        }
        Err(error) => refusal(&error, peticion).map(AnswerBody::Whole),
    };
    let authenticated = response.status() != StatusCode::UNAUTHORIZED;
    let headers = response.headers_mut();
    // Business data and secrets: no cache may keep them.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    insert(headers, PETICION, peticion);
    insert(headers, header::DATE, &received.format(HTTP_DATE).to_string());
    if !meta.notices.text().is_empty() {
        insert(headers, AVISO, meta.notices.text());
    }
    if meta.rehearsal {
        headers.insert(REHEARSAL, HeaderValue::from_static("true"));
        insert(headers, REHEARSED_EVENTS, &emitted);
    }
    if let Some(admission) = meta.admission.as_ref().filter(|_| authenticated) {
        insert_limits(headers, &admission.allowance);
        insert(headers, SCOPES, &admission.scopes().to_string());
    }
    response
}

/// Rate and quota (spec "Limits"), and the same in the header fields of the IETF draft
/// (draft-ietf-httpapi-ratelimit-headers): a policy each for the clock minute and the calendar
/// month.
fn insert_limits(headers: &mut HeaderMap, allowance: &LimitUsage) {
    let LimitUsage { rate, quota, used, period, .. } = *allowance;
    let (calls, operations) = (rate.saturating_sub(used.minute), quota.saturating_sub(used.month));
    let (minute_left, month_left) = (allowance.minute_left(), allowance.month_left());
    headers.insert(RATE_LIMIT, rate.into());
    headers.insert(RATE_REMAINING, calls.into());
    headers.insert(RATE_RESET, minute_left.into());
    headers.insert(QUOTA_LIMIT, quota.into());
    headers.insert(QUOTA_REMAINING, operations.into());
    insert(headers, QUOTA_RESET, &period.next_month().to_string());
    let month = period.month_length();
    insert(headers, POLICY, &format!(r#""minuto";q={rate};w=60, "mes";q={quota};w={month}"#));
    let left = format!(r#""minuto";r={calls};t={minute_left}, "mes";r={operations};t={month_left}"#);
    insert(headers, LEFT, &left);
}

fn refusal(error: &Error, peticion: &str) -> Response<Bytes> {
    #[derive(Serialize)]
    struct RefusalBody<'a> {
        ok: bool,
        error: RefusalFields<'a>,
    }
    #[derive(Serialize)]
    struct RefusalFields<'a> {
        codigo: &'a str,
        mensaje: &'a str,
        peticion: &'a str,
    }
    if let Some(cause) = error.cause() {
        tracing::error!(peticion, codigo = error.code().codigo(), cause = %cause, "request failed");
    }
    let fields = RefusalFields { codigo: error.code().codigo(), mensaje: error.mensaje(), peticion };
    // Three strings and a boolean cannot fail to serialise.
    let body = serde_json::to_vec(&RefusalBody { ok: false, error: fields }).unwrap_or_default();
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = error.status();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    if let Some(methods) = error.allowed_methods() {
        insert(headers, header::ALLOW, methods);
    }
    if let Some(seconds) = error.retry_after_seconds() {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    if error.status() == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// All our values are visible ASCII; any other is left out instead of failing the response.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::attachment;

    #[test]
    fn a_file_has_its_name_and_one_in_plain_ascii() {
        assert_eq!(attachment("F-12.xml"), "attachment; filename=\"F-12.xml\"; filename*=UTF-8''F-12.xml");
        assert_eq!(
            attachment("Ñ \"1\"/%2.pdf"),
            "attachment; filename=\"_ _1___2.pdf\"; filename*=UTF-8''%C3%91%20%221%22%2F%252.pdf"
        );
    }
}
