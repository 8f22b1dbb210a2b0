//! A client's socket with deadlines: for the head of its next request, and for taking an answer.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadlines {
    /// The limit for a request's whole head: from the connection's acceptance, then from the first
    /// byte of each further head.
    pub(super) head: Duration,
    /// The limit for the first byte of a further request.
    pub(super) idle: Duration,
    /// The limit for accepting an answer, from when it first waited for the client until its last
    /// byte is in the socket's buffer.
    pub(super) write: Duration,
    /// The limit for ending a connection with an unread request, once the answer has been written.
    pub(super) linger: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            // Longer than the usual 60 s of load balancers: they close first, so that no request
            // crosses a close.
            idle: Duration::from_secs(75),
            write: Duration::from_secs(30),
            linger: Duration::from_secs(5),
        }
    }
}

/// The state of a connection between requests. The service sets it, and the socket's deadlines
/// follow it.
#[derive(Debug, Clone, Default)]
pub(super) struct Exchange(Arc<AtomicU8>);

/// Waiting for a request's head.
const WAITING: u8 = 0;
/// A request is being answered.
const ANSWERING: u8 = 1;
/// The answer is ready but not all of it is written.
const WRITING: u8 = 2;

impl Exchange {
    /// A request's head has been read.
    pub(super) fn begin(&self) {
        self.0.store(ANSWERING, Ordering::Relaxed);
    }

    /// The answer is ready to be written.
    pub(super) fn answered(&self) {
        self.0.store(WRITING, Ordering::Relaxed);
    }

    /// Whether the connection waits for a request's head.
    fn waits(&self) -> bool {
        self.0.load(Ordering::Relaxed) == WAITING
    }

    /// Everything is written; returns whether this ends an exchange.
    fn written(&self) -> bool {
        self.0.compare_exchange(WRITING, WAITING, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
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
#[derive(Debug)]
pub(super) struct ClientStream {
    stream: TcpStream,
    exchange: Exchange,
    deadlines: Deadlines,
    head: Alarm,
    /// Whether part of the awaited head has arrived.
    begun: bool,
    write: Alarm,
}

impl ClientStream {
    pub(super) fn new(stream: TcpStream, exchange: Exchange, deadlines: Deadlines) -> Self {
        let mut head = Alarm::default();
        head.set(deadlines.head);
        // The first head's time runs from here, whenever it begins.
        Self { stream, exchange, deadlines, head, begun: true, write: Alarm::default() }
    }

    pub(super) fn into_inner(self) -> TcpStream {
        self.stream
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
        let read = Pin::new(&mut this.stream).poll_read(context, buf);
        if this.exchange.waits() {
            if read.is_ready() && !this.begun {
                this.begun = true;
                this.head.set(this.deadlines.head);
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
            this.begun = false;
            this.head.set(this.deadlines.idle);
            // Hyper does not read again if a read is pending already.
            this.head.check(context)?;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
