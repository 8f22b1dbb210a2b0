//! What a host adds to an operation: before it, to refuse, and after it, for a further effect.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tracing::Instrument as _;

use super::{Cx, Operation};
use crate::error::{Code, Error};

/// The time limit of each part of a hook.
const LONGEST: Duration = Duration::from_secs(5);

/// What a host does before and after the operation `O`, in its transaction, however it was called:
/// over HTTP, by name or from Rust. An error undoes all of it, and is the answer; a host's own are
/// declared with [`OwnCode`](crate::OwnCode).
///
/// Like the operation, it may run again after a collision of transactions, so it must have no side
/// effects outside `cx`. A part that takes longer than 5 s fails. Operations that run as a part of
/// another have no hooks.
pub trait Hook<O: Operation>: Send + Sync + 'static {
    /// The errors that it answers, for the description of the API.
    const ERRORS: &'static [Code] = &[];

    /// Runs before the operation; by default nothing.
    fn before(&self, cx: &mut Cx<'_>, input: &O) -> impl Future<Output = Result<(), Error>> + Send {
        let _ = (cx, input);
        std::future::ready(Ok(()))
    }

    /// Runs after the operation, with what it returned; by default nothing.
    fn after(&self, cx: &mut Cx<'_>, input: &O, output: &O::Output) -> impl Future<Output = Result<(), Error>> + Send {
        let _ = (cx, input, output);
        std::future::ready(Ok(()))
    }
}

type AnyValue = dyn Any + Send + Sync;

/// A hook of an operation whose type is known where it is called.
#[async_trait]
trait AnyHook: Send + Sync {
    async fn before(&self, cx: &mut Cx<'_>, input: &AnyValue) -> Result<(), Error>;
    async fn after(&self, cx: &mut Cx<'_>, input: &AnyValue, output: &AnyValue) -> Result<(), Error>;
}

struct TypedHook<O, H>(H, PhantomData<fn() -> O>);

#[async_trait]
impl<O: Operation, H: Hook<O>> AnyHook for TypedHook<O, H> {
    async fn before(&self, cx: &mut Cx<'_>, input: &AnyValue) -> Result<(), Error> {
        let Some(input) = input.downcast_ref() else { return Ok(()) };
        in_time(type_name::<H>(), "before", self.0.before(cx, input)).await
    }

    async fn after(&self, cx: &mut Cx<'_>, input: &AnyValue, output: &AnyValue) -> Result<(), Error> {
        let (Some(input), Some(output)) = (input.downcast_ref(), output.downcast_ref()) else { return Ok(()) };
        in_time(type_name::<H>(), "after", self.0.after(cx, input, output)).await
    }
}

async fn in_time(
    hook: &'static str,
    part: &'static str,
    work: impl Future<Output = Result<(), Error>>,
) -> Result<(), Error> {
    let work = work.instrument(tracing::info_span!("hook", hook, part));
    let late = |_| Err(Error::internal(format!("{hook} took longer than {LONGEST:?} {part} its operation")));
    tokio::time::timeout(LONGEST, work).await.unwrap_or_else(late)
}

/// The hooks of a registry, by their operation.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    by_operation: HashMap<TypeId, Vec<Arc<dyn AnyHook>>>,
    /// The errors that they answer, by the name of the operation's type.
    errors: HashMap<&'static str, Vec<Code>>,
}

impl Hooks {
    pub(super) fn add<O: Operation, H: Hook<O>>(&mut self, hook: H) {
        self.by_operation.entry(TypeId::of::<O>()).or_default().push(Arc::new(TypedHook::<O, _>(hook, PhantomData)));
        self.errors.entry(type_name::<O>()).or_default().extend(H::ERRORS);
    }

    fn of<O: Operation>(&self) -> &[Arc<dyn AnyHook>] {
        self.by_operation.get(&TypeId::of::<O>()).map_or(&[], Vec::as_slice)
    }

    /// The errors of the hooks of the operation whose type has that name.
    pub(super) fn errors(&self, operation: &str) -> &[Code] {
        self.errors.get(operation).map_or(&[], Vec::as_slice)
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("errors", &self.errors).finish_non_exhaustive()
    }
}

impl Cx<'_> {
    /// Runs an operation with the hooks that a host has given it.
    pub(crate) async fn call<O: Operation>(&mut self, operation: &O) -> Result<O::Output, Error> {
        let hooks = self.registry.hooks().of::<O>();
        for hook in hooks {
            hook.before(self, operation).await?;
        }
        let output = operation.run(self).await?;
        for hook in hooks {
            hook.after(self, operation, &output).await?;
        }
        Ok(output)
    }
}
