//! Actions without their types, so that one table can hold them all.

use std::marker::PhantomData;

use async_trait::async_trait;
use bytes::Bytes;
use schemars::Schema;
use serde::Serialize;

use super::{Entry, NamedAction};
use crate::backoffice::{Action, Office};
use crate::error::Error;
use crate::json::{Fault, Json};
use crate::schema;
use crate::store::CompanyId;

#[async_trait]
pub(super) trait AnyAction: Send + Sync {
    fn schema(&self) -> Schema;

    #[cfg(test)]
    fn check(&self, input: &Json) -> Result<(), Fault>;

    async fn act(&self, office: &Office, company: CompanyId, input: &Json) -> Result<Bytes, Error>;
}

/// An action that can be made of JSON.
pub(super) trait FromJson: Action<Output: Serialize> + Sized + 'static {
    fn read(input: &Json) -> Result<Self, Fault>;

    fn schema() -> Schema;
}

impl<A: NamedAction> FromJson for A {
    fn read(input: &Json) -> Result<Self, Fault> {
        input.read()
    }

    fn schema() -> Schema {
        schema::of::<A>()
    }
}

/// Stands for the action `A` where a value is needed.
struct Of<A>(PhantomData<fn() -> A>);

/// The entry of `A`, which has its name from itself.
pub(super) const fn action<A: NamedAction>() -> Entry {
    entry::<A>(A::NAME, A::SUMMARY, A::EMITS)
}

pub(super) const fn entry<A: FromJson>(
    name: &'static str,
    summary: &'static str,
    emits: &'static [&'static str],
) -> Entry {
    Entry { name, summary, emits, handler: const { &Of::<A>(PhantomData) } }
}

#[async_trait]
impl<A: FromJson> AnyAction for Of<A> {
    fn schema(&self) -> Schema {
        A::schema()
    }

    #[cfg(test)]
    fn check(&self, input: &Json) -> Result<(), Fault> {
        A::read(input).map(|_| ())
    }

    async fn act(&self, office: &Office, company: CompanyId, input: &Json) -> Result<Bytes, Error> {
        let output = office.perform(company, &A::read(input)?).await?;
        serde_json::to_vec(&output).map(Bytes::from).map_err(Error::internal)
    }
}
