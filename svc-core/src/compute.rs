//! Work that computes for milliseconds, such as drawing a PDF or reading a provider's document.
//!
//! It runs on threads that answer no requests, if the process offers any
//! ([`crate::ContextBuilder::offload`]): a few jobs at a time, companies round-robin. Otherwise it
//! runs where it is awaited.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::domain::company::CompanyId;
use crate::error::{Code, Error};

/// The most jobs that wait for a slot; more are refused.
const MAX_WAITING: usize = 200;

/// A job for another thread.
pub type Job = Box<dyn FnOnce() + Send>;

/// Runs jobs on other threads, or where they are awaited if it has no [`Offload`].
#[derive(Clone, Default)]
pub(crate) struct Compute(Option<Arc<Offload>>);

struct Offload {
    run: Box<dyn Fn(Job) + Send + Sync>,
    queue: Arc<ComputeQueue>,
}

impl Compute {
    /// Has `run` take each job to another thread, at most `at_once` of them at a time.
    pub(crate) fn on(at_once: usize, run: impl Fn(Job) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Offload { run: Box::new(run), queue: ComputeQueue::new(at_once.max(1)) })))
    }

    /// Runs a job of a company's and gives its result. Dropped before it has a slot, the job
    /// does not run.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        company: CompanyId,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let Some(Offload { run, queue }) = self.0.as_deref() else { return Ok(job()) };
        let slot = queue.take(company).await?;
        let (done, result) = oneshot::channel();
        run(Box::new(move || {
            let _slot = slot;
            if !done.is_closed() {
                let _ = done.send(job());
            }
        }));
        result.await.map_err(|_| Error::internal("a job panicked or was not run"))
    }
}

impl fmt::Debug for Compute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Compute").field(&self.0.is_some()).finish()
    }
}

/// The jobs that run, and those that wait for a slot.
struct ComputeQueue(Mutex<State>);

struct State {
    free: usize,
    /// The companies with jobs that wait, in the order of their next jobs; each with its jobs,
    /// oldest first.
    waiting: VecDeque<(CompanyId, VecDeque<oneshot::Sender<ComputeSlot>>)>,
}

/// A slot to compute in; dropping it passes it on.
struct ComputeSlot(Arc<ComputeQueue>);

impl ComputeQueue {
    fn new(free: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { free, waiting: VecDeque::new() })))
    }

    /// Waits for a slot for a company.
    async fn take(self: &Arc<Self>, company: CompanyId) -> Result<ComputeSlot, Error> {
        let slot = {
            let mut state = self.state();
            if let Some(free) = state.free.checked_sub(1) {
                state.free = free;
                return Ok(ComputeSlot(Arc::clone(self)));
            }
            state.wait(company)?
        };
        slot.await.map_err(|_| Error::internal("a slot was lost"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wait(&mut self, company: CompanyId) -> Result<oneshot::Receiver<ComputeSlot>, Error> {
        self.forget_the_gone();
        if self.waiting.iter().map(|(_, jobs)| jobs.len()).sum::<usize>() >= MAX_WAITING {
            let text = "hay demasiados documentos en preparación; reintente en unos segundos";
            return Err(Error::new(Code::NoDisponible).message(text).retry_after(5));
        }
        let (next, slot) = oneshot::channel();
        match self.waiting.iter_mut().find(|(of, _)| *of == company) {
            Some((_, jobs)) => jobs.push_back(next),
            None => self.waiting.push_back((company, VecDeque::from([next]))),
        }
        Ok(slot)
    }

    /// The next job; its company goes to the end.
    fn next(&mut self) -> Option<oneshot::Sender<ComputeSlot>> {
        self.forget_the_gone();
        let (company, mut jobs) = self.waiting.pop_front()?;
        let next = jobs.pop_front();
        if !jobs.is_empty() {
            self.waiting.push_back((company, jobs));
        }
        next
    }

    fn forget_the_gone(&mut self) {
        self.waiting.retain_mut(|(_, jobs)| {
            jobs.retain(|job| !job.is_closed());
            !jobs.is_empty()
        });
    }
}

impl Drop for ComputeSlot {
    fn drop(&mut self) {
        let next = {
            let mut state = self.0.state();
            let next = state.next();
            state.free += usize::from(next.is_none());
            next
        };
        // Without the lock: a slot that arrives too late is dropped here, and passes itself on.
        if let Some(next) = next {
            drop(next.send(Self(Arc::clone(&self.0))));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn companies_are_served_round_robin() {
        let queue = ComputeQueue::new(1);
        let first = queue.take(CompanyId(1)).await.unwrap();
        let order = Mutex::new(Vec::new());
        let wait = async |company| {
            let _slot = queue.take(CompanyId(company)).await.unwrap();
            order.lock().unwrap().push(company);
        };
        let mut waiting: Vec<_> = [1, 1, 1, 2, 3, 2].map(|company| Box::pin(wait(company))).into();
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        drop(first);
        futures_util::future::join_all(waiting).await;
        assert_eq!(*order.lock().unwrap(), [1, 2, 3, 1, 2, 1]);
        assert_eq!(queue.state().free, 1);
    }

    #[tokio::test]
    async fn those_who_left_are_passed_over_and_too_many_are_refused() {
        let queue = ComputeQueue::new(1);
        let first = queue.take(CompanyId(1)).await.unwrap();
        let mut waiting: Vec<_> = (0..MAX_WAITING).map(|_| Box::pin(queue.take(CompanyId(1)))).collect();
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        let refused = queue.take(CompanyId(2)).await.err().map(|error| error.code());
        assert_eq!(refused, Some(Code::NoDisponible));
        waiting.clear();
        let mut second = Box::pin(queue.take(CompanyId(2)));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert!(second.now_or_never().is_some());
        assert_eq!(queue.state().free, 1);
    }

    #[tokio::test]
    async fn jobs_run_on_other_threads_a_few_at_a_time_and_a_panic_is_an_error() {
        let (sender, jobs) = mpsc::channel::<Job>();
        let compute = Compute::on(1, move |job| sender.send(job).unwrap());
        let thread = std::thread::spawn(move || {
            for job in jobs {
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
            }
            std::thread::current().id()
        });
        let ran = compute.run(CompanyId(1), || std::thread::current().id()).await.unwrap();
        let failed = compute.run(CompanyId(1), || assert_eq!(1, 2)).await;
        assert_eq!(failed.unwrap_err().code(), Code::ErrorInterno);
        assert_eq!(compute.run(CompanyId(1), || 7).await.unwrap(), 7);
        drop(compute);
        assert_eq!(thread.join().unwrap(), ran);
        assert_eq!(Compute::default().run(CompanyId(1), || 7).await.unwrap(), 7, "where it is awaited");
    }
}
