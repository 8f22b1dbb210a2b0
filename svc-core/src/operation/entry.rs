//! Type-erased operations and lists, so that one registry can hold all of them.

use std::fmt;
use std::marker::PhantomData;

use async_trait::async_trait;
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::page::{Cursors, ListPage, ListRequest};
use super::{Cx, Download, File, Head, Http, Operation, Spec, path, query};
use crate::error::Error;
use crate::json::{Fault, Json};
use crate::record::{Filter, List, ListSpec, PageSizes};
use crate::schema;
use crate::store::{Reader, Store};

/// One row of the registry: an operation, a list or a file.
#[derive(Clone, Copy)]
pub struct Entry {
    /// How it is reached and what it may answer.
    pub spec: &'static Spec,
    pub(crate) handler: Handler,
    pub(crate) shape: Shape,
}

/// What the OpenAPI document needs to know about an operation's types.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// [`std::any::type_name`] of the operation's type.
    pub(crate) name: fn() -> &'static str,
    pub(crate) input: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// The schema of the answer without `ok`; for a list, the schema of a record.
    pub(crate) output: Option<fn(&mut SchemaGenerator) -> Schema>,
}

const fn shape<T: ?Sized>() -> Shape {
    Shape { name: std::any::type_name::<T>, input: None, output: None }
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// What executes an entry.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// A function of the request's id; it needs neither a key nor the store.
    Open(fn(&str) -> Result<Bytes, Error>),
    List(&'static dyn AnyList),
    Operation(&'static dyn AnyOperation),
    Download(&'static dyn AnyDownload),
}

#[async_trait]
pub(crate) trait AnyList: Send + Sync {
    fn spec(&self) -> &'static ListSpec;
    async fn page(&self, store: &dyn Store, request: ListRequest<'_>) -> Result<Bytes, Error>;
}

#[async_trait]
pub(crate) trait AnyOperation: Send + Sync {
    fn schema(&self) -> Schema;
    /// Whether `input` deserializes into the operation's type.
    fn check(&self, input: &Json) -> Result<(), Fault>;
    async fn run(&self, cx: &mut Cx<'_>, input: &Json) -> Result<Answer, Error>;
}

#[async_trait]
pub(crate) trait AnyDownload: Send + Sync {
    fn spec(&self) -> &'static Spec;
    fn schema(&self) -> Schema;
    async fn read(&self, reader: &dyn Reader, input: &Json) -> Result<File, Error>;
}

/// An operation's answer. It does not implement `Debug`, because it may contain a secret.
pub(crate) struct Answer {
    pub(crate) head: Head,
    /// A JSON object.
    pub(crate) body: Bytes,
    /// The body that is stored for repetitions of the request.
    pub(crate) remembered: Bytes,
}

/// The input of an operation or file, read from JSON. Every type with `Deserialize` and
/// `JsonSchema` implements it.
pub(crate) trait Input: Sized {
    /// Reads the input from an object of its fields; an error names the field.
    fn read(input: &Json) -> Result<Self, Fault>;

    /// The JSON Schema (2020-12) of that object.
    fn schema() -> Schema;
}

impl<T: DeserializeOwned + JsonSchema> Input for T {
    fn read(input: &Json) -> Result<Self, Fault> {
        input.read()
    }

    fn schema() -> Schema {
        schema::of::<T>()
    }
}

/// Stands for the type `T` in a static table.
struct Of<T>(PhantomData<fn() -> T>);

impl Entry {
    /// An operation without a key.
    pub(crate) const fn open<O: JsonSchema>(spec: &'static Spec, run: fn(&str) -> Result<Bytes, Error>) -> Self {
        Self { spec, handler: Handler::Open(run), shape: Shape { output: Some(schema_of::<O>), ..shape::<O>() } }
    }

    pub(crate) const fn list<L: List>() -> Self {
        let spec = const {
            let spec = Spec::new().http(Http::list(&L::LIST));
            &match L::LIST.texts {
                Some([summary, description]) => spec.says(summary, description),
                None => spec,
            }
        };
        let shape = Shape { output: Some(schema_of::<L>), ..shape::<L>() };
        Self { spec, handler: Handler::List(const { &Of::<L>(PhantomData) }), shape }
    }

    /// An operation with an HTTP route; the OpenAPI document describes its answer.
    pub(crate) const fn endpoint<O>() -> Self
    where
        O: Operation<Output: Serialize + JsonSchema> + Input + JsonSchema + 'static,
    {
        let shape = Shape { input: Some(schema_of::<O>), output: Some(schema_of::<O::Output>), ..shape::<O>() };
        Self { spec: const { &O::SPEC }, handler: Handler::Operation(const { &Of::<O>(PhantomData) }), shape }
    }

    /// An operation without an HTTP route: `svc do` and Rust run it by name.
    pub(crate) const fn operation<O>() -> Self
    where
        O: Operation<Output: Serialize + JsonSchema> + Input + 'static,
    {
        const { assert!(O::SPEC.http.is_none(), "what HTTP reaches is entered with Entry::endpoint") };
        Self {
            spec: const { &O::SPEC },
            handler: Handler::Operation(const { &Of::<O>(PhantomData) }),
            shape: Shape { output: Some(schema_of::<O::Output>), ..shape::<O>() },
        }
    }

    pub(crate) const fn download<D: Download + Input + JsonSchema + 'static>() -> Self {
        let shape = Shape { input: Some(schema_of::<D>), ..shape::<D>() };
        Self { spec: const { &D::SPEC }, handler: Handler::Download(const { &Of::<D>(PhantomData) }), shape }
    }

    /// The title of its texts: its route (`GET /clientes`), or its name if HTTP does not reach it
    /// (`stock.move`).
    pub(crate) fn title(&self) -> String {
        let route = |http: &Http| format!("{} {}", http.method.name(), http.path);
        self.spec.http.as_ref().map_or_else(|| self.spec.name.unwrap_or_default().to_owned(), route)
    }

    /// The name of the operation's type; for a list, of its record.
    pub(crate) fn type_name(&self) -> &'static str {
        self.type_names().next().unwrap_or_default()
    }

    /// The names of the operation's type and of its generic arguments.
    pub(crate) fn type_names(&self) -> impl Iterator<Item = &'static str> {
        let paths = (self.shape.name)().split(['<', '>', ',']).filter(|path| !path.is_empty());
        paths.map(|path| path.rsplit("::").next().unwrap_or_default())
    }

    /// The documentation of the operation's type in the code; for a list, of its record. Empty if
    /// it has none.
    pub(crate) fn documentation(&self) -> String {
        let shape = match self.handler {
            Handler::List(_) => self.shape.output,
            Handler::Open(_) | Handler::Operation(_) | Handler::Download(_) => self.shape.input,
        };
        shape.map(schema::documentation).unwrap_or_default()
    }

    /// Its `operationId` in the description, after which generators name their methods:
    /// `listCustomers`, `createCustomer`, `readInvoiceXml`.
    pub(crate) fn operation_id(&self) -> String {
        let name = self.type_name();
        match self.handler {
            Handler::List(_) => format!("list{}", plural(name)),
            Handler::Download(_) => format!("read{name}"),
            Handler::Open(_) => "readHealth".to_owned(),
            Handler::Operation(_) => {
                let mut letters = name.chars();
                letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
            }
        }
    }

    /// The page sizes of a list; `None` for anything else.
    pub fn pages(&self) -> Option<PageSizes> {
        self.declared_list().map(|list| list.pages)
    }

    /// The declaration of a list; `None` for anything else.
    pub fn declared_list(&self) -> Option<&'static ListSpec> {
        match self.handler {
            Handler::List(list) => Some(list.spec()),
            Handler::Open(_) | Handler::Operation(_) | Handler::Download(_) => None,
        }
    }

    /// The filters of a list; empty for anything else.
    pub fn filters(&self) -> &'static [Filter] {
        self.declared_list().map_or(&[], |list| list.filters)
    }

    /// The JSON Schema (2020-12) of the input of an operation or file; `None` for anything else.
    pub fn schema(&self) -> Option<serde_json::Value> {
        match self.handler {
            Handler::Operation(operation) => Some(operation.schema().to_value()),
            Handler::Download(download) => Some(download.schema().to_value()),
            Handler::Open(_) | Handler::List(_) => None,
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("spec", self.spec).finish_non_exhaustive()
    }
}

#[async_trait]
impl<L: List> AnyList for Of<L> {
    fn spec(&self) -> &'static ListSpec {
        &L::LIST
    }

    async fn page(&self, store: &dyn Store, request: ListRequest<'_>) -> Result<Bytes, Error> {
        let list = &L::LIST;
        let parameters = path::read(list.path, request.path)?;
        let resource = path::fill(list.path, &parameters);
        let cursors = Cursors::new(request.company, &resource);
        let under = parameters.first().map(|(_, clave)| *clave);
        let mut query = query::read(list.filters, under, request, &cursors)?;
        list.validate(&query)?;
        L::normalize(&mut query)?;
        let mut page = ListPage::of(list, &query);
        store.reader(request.company.id).page(list, &query, &mut |row| page.add::<L>(row)).await?;
        Ok(page.end(&cursors))
    }
}

#[async_trait]
impl<O: Operation<Output: Serialize> + Input> AnyOperation for Of<O> {
    fn schema(&self) -> Schema {
        O::schema()
    }

    fn check(&self, input: &Json) -> Result<(), Fault> {
        O::read(input).map(|_| ())
    }

    async fn run(&self, cx: &mut Cx<'_>, input: &Json) -> Result<Answer, Error> {
        let output = cx.call(&O::read(input)?).await?;
        let (head, body) = (O::head(&output, cx.base_url), write(&output)?);
        let remembered = O::remembered(output).map(|output| write(&output)).transpose()?;
        Ok(Answer { head, remembered: remembered.unwrap_or_else(|| body.clone()), body })
    }
}

#[async_trait]
impl<D: Download + Input> AnyDownload for Of<D> {
    fn spec(&self) -> &'static Spec {
        const { &D::SPEC }
    }

    fn schema(&self) -> Schema {
        D::schema()
    }

    async fn read(&self, reader: &dyn Reader, input: &Json) -> Result<File, Error> {
        Download::read(&<D as Input>::read(input)?, reader).await
    }
}

fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if name.ends_with("ch") => format!("{name}es"),
        None => format!("{name}s"),
    }
}

fn write<T: Serialize>(output: &T) -> Result<Bytes, Error> {
    serde_json::to_vec(output).map(Bytes::from).map_err(Error::internal)
}
