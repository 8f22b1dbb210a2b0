//! Operations without their types, so that one table can hold them all.

use std::marker::PhantomData;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::page::{self, Cursors, Regime};
use super::{Cx, Head, List, OpenOperation, Operation, Pages, PathParameters, Spec, filters, query};
use crate::error::Error;
use crate::json::Json;
use crate::store::{Company, ListReader, Reader, Store};

/// What runs an operation.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// For anyone.
    Open(&'static dyn AnyOpen),
    /// For whoever has a key.
    Keyed(Keyed),
}

/// What runs an operation that needs a key.
#[derive(Clone, Copy)]
pub(crate) enum Keyed {
    List(&'static dyn AnyList),
    Write(&'static dyn AnyWrite),
}

pub(crate) trait AnyOpen: Send + Sync {
    fn run(&self, peticion: &str) -> Result<Bytes, Error>;
}

#[async_trait]
pub(crate) trait AnyList: Send + Sync {
    fn pages(&self) -> Pages;
    fn filters(&self) -> Vec<filters::Description>;
    async fn page(&self, store: &dyn Store, ask: Ask<'_>) -> Result<Bytes, Error>;
}

#[async_trait]
pub(crate) trait AnyWrite: Send + Sync {
    async fn run(&self, cx: &mut Cx<'_>, path: &[String], body: &Json) -> Result<Answer, Error>;
}

/// What is asked of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) company: &'a Company,
    /// The raw parameters of the path.
    pub(crate) path: &'a [String],
    pub(crate) query: &'a str,
    pub(crate) regime: Regime,
    pub(crate) now: DateTime<Utc>,
}

/// What a write answers. It is not formatted: a secret may be in it.
pub(crate) struct Answer {
    pub(crate) head: Head,
    pub(crate) body: Bytes,
    /// What a repetition is answered with.
    pub(crate) remembered: Bytes,
}

/// Stands for the operation `O` where a value is needed.
struct Of<O>(PhantomData<fn() -> O>);

pub(crate) const fn open<O: OpenOperation>() -> (&'static Spec, Handler) {
    (const { &O::SPEC }, Handler::Open(const { &Of::<O>(PhantomData) }))
}

pub(crate) const fn list<L: List>() -> (&'static Spec, Handler)
where
    for<'r> dyn Reader + 'r: ListReader<L>,
{
    (const { &L::SPEC.spec }, Handler::Keyed(Keyed::List(const { &Of::<L>(PhantomData) })))
}

pub(crate) const fn write<O: Operation>() -> (&'static Spec, Handler) {
    (const { &O::SPEC }, Handler::Keyed(Keyed::Write(const { &Of::<O>(PhantomData) })))
}

/// Every success begins with `ok`.
#[derive(Serialize)]
struct Success<T> {
    ok: bool,
    #[serde(flatten)]
    output: T,
}

fn success<T: Serialize>(output: T) -> Result<Bytes, Error> {
    serde_json::to_vec(&Success { ok: true, output }).map(Bytes::from).map_err(Error::internal)
}

impl<O: OpenOperation> AnyOpen for Of<O> {
    fn run(&self, peticion: &str) -> Result<Bytes, Error> {
        success(O::run(peticion))
    }
}

#[async_trait]
impl<L: List> AnyList for Of<L>
where
    for<'r> dyn Reader + 'r: ListReader<L>,
{
    fn pages(&self) -> Pages {
        L::SPEC.pages
    }

    fn filters(&self) -> Vec<filters::Description> {
        L::SPEC.filters.iter().map(filters::Filter::describe).collect()
    }

    async fn page(&self, store: &dyn Store, ask: Ask<'_>) -> Result<Bytes, Error> {
        let path = L::Path::read(L::SPEC.spec.path, ask.path)?;
        let resource = path.fill(L::SPEC.spec.path);
        let cursors = Cursors::new(ask.company, &resource);
        let mut query = query::read(L::SPEC.filters, path, ask, &cursors)?;
        L::settle(&mut query)?;
        let items = ListReader::<L>::page(store.reader(ask.company.id).as_ref(), &query).await?;
        page::write(items, &query, &cursors)
    }
}

#[async_trait]
impl<O: Operation> AnyWrite for Of<O> {
    async fn run(&self, cx: &mut Cx<'_>, path: &[String], body: &Json) -> Result<Answer, Error> {
        let path = O::Path::read(O::SPEC.path, path)?;
        let input = body.read()?;
        let output = O::run(cx, path, input).await?;
        let (head, body) = (O::head(&output, cx.base_url), success(&output)?);
        let remembered = O::remembered(output).map(success).transpose()?.unwrap_or_else(|| body.clone());
        Ok(Answer { head, body, remembered })
    }
}
