//! A constant number of concurrent requests: when one is answered, the next begins.

use std::sync::{Arc, Mutex};

use tokio::task::JoinSet;

use crate::client::{Outcome, Outcomes};

/// The number of concurrent requests.
pub(crate) struct Crowd {
    tasks: JoinSet<()>,
    outcomes: Arc<Mutex<Outcomes>>,
}

impl Crowd {
    /// Starts; each request gets a unique name.
    pub(crate) fn of<F>(many: usize, request: impl Fn(String) -> F + Clone + Send + 'static) -> Self
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let (mut tasks, outcomes) = (JoinSet::new(), Arc::<Mutex<Outcomes>>::default());
        for member in 0..many {
            let (request, outcomes) = (request.clone(), outcomes.clone());
            tasks.spawn(async move {
                for number in 0_u64.. {
                    let outcome = request(format!("{member}-{number}")).await;
                    *outcomes.lock().expect("nobody panicked").entry(outcome).or_default() += 1;
                }
            });
        }
        Self { tasks, outcomes }
    }

    /// Stops at once; returns the outcomes.
    pub(crate) async fn end(mut self) -> Outcomes {
        self.tasks.shutdown().await;
        std::mem::take(&mut *self.outcomes.lock().expect("nobody panicked"))
    }
}
