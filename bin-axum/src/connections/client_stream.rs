//! A client's socket with deadlines: for the head of its next request, and for taking an answer.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::mem::take;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::exchange::Exchange;

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadlines {
    /// The limit for a request's whole head, from its first byte.
    pub(crate) head: Duration,
    /// The limit for the first byte of a further request.
    pub(crate) idle: Duration,
    /// The limit for both of a stranger, who has sent no authenticated request yet: a new
    /// connection's first head has to be complete in this time, from its acceptance.
    pub(crate) stranger: Duration,
    /// The limit for accepting an answer, from when it first waited for the client until its last
    /// byte is in the socket's buffer.
    pub(crate) write: Duration,
    /// The limit for ending a connection with an unread request, once the answer has been written.
    pub(crate) linger: Duration,
}

/// A deadline whose timer starts only when something waits for it.
#[derive(Debug, Default)]
struct Alarm {
    at: Option<Instant>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Alarm {
    fn set(&mut self, within: Duration) {
        self.at = Some(Instant::now() + within);
    }

    /// Fails once the time has passed; before that, schedules the task's wake-up.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let Some(at) = self.at else { return Ok(()) };
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if sleep.deadline() != at {
            sleep.as_mut().reset(at);
        }
        match sleep.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
            Poll::Pending => Ok(()),
        }
    }
}

/// A client's socket. Reads fail once a request's head is late, writes once the client is late to
/// accept an answer.
pub(super) struct ClientStream {
    stream: TcpStream,
    /// What was read of a further request together with an earlier one.
    read: Bytes,
    exchange: Exchange,
    deadlines: Deadlines,
    head: Alarm,
    /// Whether no request has come yet: the first head's time runs from the acceptance.
    fresh: bool,
    write: Alarm,
}

impl ClientStream {
    pub(super) fn new(stream: TcpStream, exchange: Exchange, deadlines: Deadlines) -> Self {
        let mut head = Alarm::default();
        head.set(deadlines.stranger);
        Self { stream, read: Bytes::new(), exchange, deadlines, head, fresh: true, write: Alarm::default() }
    }

    pub(super) fn into_inner(self) -> TcpStream {
        self.stream
    }

    /// Gives back what was read beyond a request: it is read again first.
    pub(super) fn put_back(&mut self, read: Bytes) {
        self.read = if self.read.is_empty() { read } else { [read, take(&mut self.read)].concat().into() };
    }

    /// Waits until there is something to read. Fails once the client is late.
    pub(super) async fn readable(&mut self) -> io::Result<()> {
        poll_fn(|context| {
            if !self.read.is_empty() {
                return Poll::Ready(Ok(()));
            }
            if let Poll::Ready(ready) = self.stream.poll_read_ready(context) {
                return Poll::Ready(ready);
            }
            self.head.check(context)?;
            Poll::Pending
        })
        .await
    }

    /// The time for a head, or for the first byte of one.
    fn patience(&self, known: Duration) -> Duration {
        if self.exchange.is_known() { known } else { self.deadlines.stranger }
    }

    fn read_some(&mut self, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.read.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buf);
        }
        let part = self.read.split_to(self.read.len().min(buf.remaining()));
        buf.put_slice(&part);
        Poll::Ready(Ok(()))
    }

    /// Passes a write's result through, or fails once it has waited too long.
    fn within_time<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_pending() {
            if self.write.at.is_none() {
                self.write.set(self.deadlines.write);
            }
            self.write.check(context)?;
        }
        written
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let read = this.read_some(context, buf);
        if this.exchange.waits() {
            if buf.filled().len() > before && this.exchange.head_began() && !this.fresh {
                this.head.set(this.patience(this.deadlines.head));
            }
            // Checked even if there is always something to read: many small pieces do not extend a
            // head's time.
            this.head.check(context)?;
        }
        read
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, buf);
        this.within_time(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, bufs);
        this.within_time(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Hyper flushes after its last write.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.stream).poll_flush(context))?;
        this.write.at = None;
        if this.exchange.written() {
            this.fresh = false;
            this.head.set(this.patience(this.deadlines.idle));
            // Hyper does not read again if a read is pending already.
            this.head.check(context)?;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
