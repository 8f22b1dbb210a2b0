//! The body of a write: 415, 413, then bytes.

use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::FutureExt as _;
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use http_body_util::combinators::{Fuse, UnsyncBoxBody};

use tokio::time::timeout;

use crate::context::Settings;
use crate::error::{Code, Error};
use crate::json::Json;
use crate::operation::BodyNeed;

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A request's body, read only when a step needs it. Polling it after its end is allowed.
pub(crate) type Body = Fuse<UnsyncBoxBody<Bytes, BoxError>>;

/// Any body as a [`Body`].
pub(crate) fn boxed<B>(body: B) -> Body
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    body.map_frame(|frame| frame.map_data(|mut data| data.copy_to_bytes(data.remaining())))
        .map_err(Into::into)
        .boxed_unsync()
        .fuse()
}

/// The body as JSON. Where it is optional, an empty one counts as `{}`.
pub(super) fn json(body: Bytes, need: BodyNeed) -> Result<Json, Error> {
    if body.is_empty() && need != BodyNeed::Required {
        return Ok(Json::default());
    }
    Json::parse(body).map_err(|text| Error::new(Code::JsonInvalido).message(text))
}

/// Reads the body. Checks its type first, then its announced length, then its actual length. An
/// empty body has no type, and where no body is wanted its type does not matter. The whole body
/// must arrive within the configured time.
///
/// `head_result` is what validating the head alone gave, such as the Idempotency-Key. Its error
/// comes after those of type and length, and does not wait for a body whose length is announced
/// (contract §4).
pub(super) async fn receive<T>(
    head: &http::request::Parts,
    body: &mut Body,
    settings: &Settings,
    need: BodyNeed,
    head_result: Result<T, Error>,
) -> Result<(Bytes, T), Error> {
    let whole = timeout(settings.body_timeout, read(head, body, settings.max_body, need, head_result));
    whole.await.unwrap_or_else(|_| Err(late(settings.body_timeout)))
}

async fn read<T>(
    head: &http::request::Parts,
    body: &mut Body,
    max: usize,
    need: BodyNeed,
    head_result: Result<T, Error>,
) -> Result<(Bytes, T), Error> {
    let announced = announced_length(&head.headers);
    if need != BodyNeed::None && !is_json(&head.headers) {
        return match need {
            BodyNeed::Optional if announced == Some(0) || announced.is_none() && is_empty(body).await => {
                Ok((Bytes::new(), head_result?))
            }
            _ => Err(Code::TipoNoSoportado.into()),
        };
    }
    if announced.is_some_and(|length| length > max as u64) {
        return Err(excess(max));
    }
    let head_result = if announced.is_some() { Ok(head_result?) } else { head_result };
    // Reserves the announced length, but at most twice the received bytes: a client could announce
    // anything.
    let room = announced.map_or(max, |length| length as usize);
    let mut received = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| incomplete())?;
        if let Ok(data) = frame.into_data() {
            if received.len() + data.len() > max {
                return Err(excess(max));
            }
            if received.capacity() - received.len() < data.len() {
                received.reserve_exact(data.len().max(received.len().min(room.saturating_sub(received.len()))));
            }
            received.extend_from_slice(&data);
        }
    }
    Ok((received.into(), head_result?))
}

/// Whether the body is empty. Reads no further than the first byte.
async fn is_empty(body: &mut Body) -> bool {
    while let Some(frame) = body.frame().await {
        if !frame.is_ok_and(|frame| frame.data_ref().is_none_or(Bytes::is_empty)) {
            return false;
        }
    }
    true
}

/// The length that the client announces.
pub(super) fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

pub(super) fn incomplete() -> Error {
    Error::new(Code::JsonInvalido).message("el cuerpo llegó incompleto")
}

pub(super) fn late(within: Duration) -> Error {
    Error::new(Code::JsonInvalido).message(format!("el cuerpo no llegó completo en {} s", within.as_secs_f64()))
}

pub(super) fn excess(max: usize) -> Error {
    Error::new(Code::CuerpoExcedido).message(format!("el cuerpo excede el máximo de {max} bytes"))
}

/// `application/json`, alone or with `charset=utf-8` (contract §4).
fn is_json(headers: &HeaderMap) -> bool {
    is_utf8_of(headers, "application/json")
}

/// Whether the body has that media type, alone or with `charset=utf-8`.
pub(super) fn is_utf8_of(headers: &HeaderMap, media_type: &str) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let Ok(value) = value.to_str() else { return false };
    let mut parts = value.split(';').map(str::trim);
    let utf8 = |parameter: &str| {
        parameter.split_once('=').is_some_and(|(name, charset)| {
            name.trim().eq_ignore_ascii_case("charset")
                && charset.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
    };
    parts.next().is_some_and(|media| media.eq_ignore_ascii_case(media_type))
        && parts.all(|part| part.is_empty() || utf8(part))
}

/// Discards the received part of a refused body without waiting for more. If that is all of it, an
/// HTTP/1.1 server can keep the connection.
pub(crate) fn discard_received(headers: &HeaderMap, body: &mut Body) {
    // A received body may consist of many pieces, and a generated one may never end.
    const MAX_PIECES: usize = 64;
    // Reading would send the `100 Continue` that the client waits for.
    if headers.contains_key(header::EXPECT) {
        return;
    }
    for _ in 0..MAX_PIECES {
        if !matches!(body.frame().now_or_never(), Some(Some(Ok(_)))) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt as _, stream};
    use http::Request;
    use http_body::Frame;
    use http_body_util::StreamBody;
    use tokio::time::{Instant, sleep};

    use super::*;

    /// Receives a body that arrives one byte per interval, `pieces` in all.
    async fn receive_slowly(every: Duration, pieces: usize) -> (Result<Bytes, Error>, Duration) {
        let pieces = stream::unfold(0, move |sent| async move {
            sleep(every).await;
            (sent < pieces).then(|| (Ok::<_, BoxError>(Frame::data(Bytes::from_static(b" "))), sent + 1))
        });
        let request = Request::post("/clientes").header(header::CONTENT_TYPE, "application/json");
        let head = request.body(()).unwrap().into_parts().0;
        let (mut body, began) = (boxed(StreamBody::new(pieces)), Instant::now());
        let received = receive(&head, &mut body, &Settings::default(), BodyNeed::Required, Ok(())).await;
        let received = received.map(|(bytes, ())| bytes);
        discard_received(&head.headers, &mut body);
        (received, began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn the_whole_body_has_to_come_in_time() {
        let second = Duration::from_secs(1);
        assert_eq!(receive_slowly(second, 20).await.0.unwrap().len(), 20);
        let (late, took) = receive_slowly(second, 1_000).await;
        assert_eq!((late.unwrap_err().code(), took), (Code::JsonInvalido, Duration::from_secs(30)));
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_head_is_refused_for_waits_for_no_body_of_known_length() {
        let began = Instant::now();
        for (length, content_type, need, expected) in [
            (Some("10"), "application/json", BodyNeed::Required, Code::IdempotenciaRequerida),
            (Some("10"), "text/plain", BodyNeed::None, Code::IdempotenciaRequerida),
            (Some("0"), "text/plain", BodyNeed::Optional, Code::IdempotenciaRequerida),
            (Some("10"), "text/plain", BodyNeed::Optional, Code::TipoNoSoportado),
            (Some("10"), "text/plain", BodyNeed::Required, Code::TipoNoSoportado),
            (Some("99999999"), "application/json", BodyNeed::Required, Code::CuerpoExcedido),
        ] {
            let request = Request::post("/clientes").header(header::CONTENT_TYPE, content_type);
            let request = length.into_iter().fold(request, |request, length| request.header("content-length", length));
            let head = request.body(()).unwrap().into_parts().0;
            let mut body = boxed(StreamBody::new(stream::pending::<Result<Frame<Bytes>, BoxError>>()));
            let head_result: Result<(), Error> = Err(Code::IdempotenciaRequerida.into());
            let received = receive(&head, &mut body, &Settings::default(), need, head_result).await;
            assert_eq!(received.unwrap_err().code(), expected, "{length:?} {content_type} {need:?}");
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[test]
    fn what_has_come_of_a_body_is_discarded_and_what_has_not_is_not_waited_for() {
        let piece = || Ok::<_, BoxError>(Frame::data(Bytes::from_static(b"a")));
        let come = stream::iter([piece(), piece()]);
        let mut body = boxed(StreamBody::new(stream::iter([piece(), piece()])));
        discard_received(&HeaderMap::new(), &mut body);
        assert!(http_body::Body::is_end_stream(&body));
        let mut body = boxed(StreamBody::new(come.chain(stream::pending())));
        discard_received(&HeaderMap::new(), &mut body);
        assert!(!http_body::Body::is_end_stream(&body));
        discard_received(&HeaderMap::new(), &mut boxed(StreamBody::new(stream::repeat_with(piece))));
    }

    #[test]
    fn only_json_in_utf8_is_taken() {
        for (value, taken) in [
            ("application/json", true),
            ("Application/JSON; charset=UTF-8", true),
            ("application/json;charset=\"utf-8\"", true),
            ("application/json;", true),
            ("application/json; charset=latin1", false),
            ("application/json; version=1", false),
            ("application/problem+json", false),
            ("text/json", false),
            ("text/plain, application/json", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, value.parse().unwrap());
            assert_eq!(is_json(&headers), taken, "{value}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
