//! A body of lines, which are read while they come.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body_util::BodyExt as _;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::decode::{self, Body};
use crate::error::{Code, Error};

/// The content type of lines.
pub(crate) const NDJSON: &str = "application/x-ndjson";

/// The largest body of lines, in bytes (contract §11).
pub(crate) const MAX_LINES_BODY: usize = 64 * 1_048_576;

/// The longest line, in bytes.
const MAX_LINE: usize = 1_048_576;

/// The time limit for the whole body.
const WHOLE: Duration = Duration::from_mins(10);

/// How many received pieces wait to be read.
const AHEAD: usize = 8;

/// Received pieces; `None` is the body's end.
type BodyPiece = Result<Option<Bytes>, Error>;

/// Refuses a body of another type, or one that announces to be too long.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Error> {
    if !decode::is_utf8_of(headers, NDJSON) {
        let text = format!("el cuerpo debe ser NDJSON con Content-Type {NDJSON}");
        return Err(Error::new(Code::TipoNoSoportado).message(text));
    }
    match decode::announced_length(headers) {
        Some(length) if length > MAX_LINES_BODY as u64 => Err(decode::excess(MAX_LINES_BODY)),
        _ => Ok(()),
    }
}

/// The lines of a body that [`Receiving::run`] receives. It blocks its thread while it waits.
pub(super) struct BodyLines {
    pieces: mpsc::Receiver<BodyPiece>,
    piece: Bytes,
    is_over: bool,
}

/// A body that is received, and its digest.
pub(super) struct Receiving {
    pieces: mpsc::Sender<BodyPiece>,
    digest: Sha256,
    /// The fingerprint, once the whole body has come.
    fingerprint: Arc<OnceLock<[u8; 32]>>,
}

/// The lines of a body, and what receives them; the fingerprint begins with `request`.
pub(super) fn lines(request: &str) -> (BodyLines, Receiving, Arc<OnceLock<[u8; 32]>>) {
    let (pieces, received) = mpsc::channel(AHEAD);
    let fingerprint = Arc::new(OnceLock::new());
    let digest = Sha256::new_with_prefix(request);
    let lines = BodyLines { pieces: received, piece: Bytes::new(), is_over: false };
    (lines, Receiving { pieces, digest, fingerprint: Arc::clone(&fingerprint) }, fingerprint)
}

impl Receiving {
    /// Receives the body until its end, or until nobody reads its lines any more. No piece may take
    /// longer than `patience`.
    pub(super) async fn run(mut self, body: &mut Body, patience: Duration) {
        let end = Instant::now() + WHOLE;
        let mut length = 0;
        loop {
            let limit = Instant::now().checked_add(patience).map_or(end, |limit| end.min(limit));
            let piece = match timeout_at(limit, body.frame()).await {
                Err(_) => Err(decode::late(if limit == end { WHOLE } else { patience })),
                Ok(Some(Err(_))) => Err(decode::incomplete()),
                Ok(None) => {
                    // Nobody else sets it.
                    let _ = self.fingerprint.set(self.digest.finalize_reset().into());
                    Ok(None)
                }
                Ok(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => {
                        length += data.len();
                        self.digest.update(&data);
                        if length > MAX_LINES_BODY { Err(decode::excess(MAX_LINES_BODY)) } else { Ok(Some(data)) }
                    }
                    Err(_) => continue,
                },
            };
            let is_last = !matches!(piece, Ok(Some(_)));
            if self.pieces.send(piece).await.is_err() || is_last {
                return;
            }
        }
    }
}

impl Iterator for BodyLines {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        if self.is_over {
            return None;
        }
        let mut line = Vec::new();
        loop {
            let end = self.piece.iter().position(|byte| *byte == b'\n');
            let part = self.piece.split_to(end.unwrap_or(self.piece.len()));
            if line.len() + part.len() > MAX_LINE {
                return Some(Err(self.end(Error::new(Code::LineaInvalida).message("mide más de 1 MiB"))));
            }
            line.extend_from_slice(&part);
            if end.is_some() {
                let _ = self.piece.split_to(1);
                return Some(Ok(line));
            }
            match self.pieces.blocking_recv() {
                Some(Ok(Some(piece))) => self.piece = piece,
                Some(Ok(None)) => {
                    self.is_over = true;
                    return (!line.is_empty()).then_some(Ok(line));
                }
                Some(Err(error)) => return Some(Err(self.end(error))),
                // The request is gone.
                None => return Some(Err(self.end(decode::incomplete()))),
            }
        }
    }
}

impl BodyLines {
    /// Ends the lines with an error.
    fn end(&mut self, error: Error) -> io::Error {
        self.is_over = true;
        io::Error::other(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: Vec<BodyPiece>) -> Vec<Result<String, String>> {
        let (send, received) = mpsc::channel(pieces.len().max(1));
        for piece in pieces {
            send.try_send(piece).unwrap();
        }
        drop(send);
        let lines = BodyLines { pieces: received, piece: Bytes::new(), is_over: false };
        lines.map(|line| line.map(|line| String::from_utf8(line).unwrap()).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn lines_are_the_same_however_they_come() {
        let line = |text: &str| Ok(text.to_owned());
        let piece = |text: &'static str| Ok(Some(Bytes::from_static(text.as_bytes())));
        assert_eq!(
            read(vec![piece("a\nb"), piece(""), piece("c\n\nd"), Ok(None)]),
            [line("a"), line("bc"), line(""), line("d")]
        );
        assert_eq!(read(vec![piece("a\r\n"), Ok(None)]), [line("a\r")]);
        assert_eq!(read(vec![Ok(None)]), []);
    }

    #[test]
    fn what_is_not_the_end_is_no_end() {
        let cut = read(vec![Ok(Some(Bytes::from_static(b"a\nb")))]);
        assert_eq!((cut.len(), cut[0].clone(), cut[1].is_err()), (2, Ok("a".to_owned()), true));
        let long: Vec<BodyPiece> = (0..3).map(|_| Ok(Some(Bytes::from(vec![b'a'; MAX_LINE / 2 + 1])))).collect();
        assert_eq!(read(long), [Err("linea_invalida: mide más de 1 MiB".to_owned())]);
    }
}
