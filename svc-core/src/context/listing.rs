//! Typed reads of lists from Rust.

use std::collections::VecDeque;
use std::marker::PhantomData;

use futures_util::stream::{Stream, try_unfold};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::Context;
use crate::domain::company::{Company, CompanyId, LimitMode};
use crate::domain::scope::KeyScopes;
use crate::error::{Code, Error};
use crate::operation::page::{Cursors, ListRequest, PageLimits};
use crate::operation::query;
use crate::record::{FromValue as _, List, PageSizes, Query, Row, RowError};

/// A read of the records `L` of one company, whatever scopes they need: see [`Context::list`].
#[derive(Debug, Clone)]
#[must_use = "it reads nothing until its stream is polled"]
pub struct Listing<'a, L> {
    context: &'a Context,
    company: CompanyId,
    /// The filters, as in the API's query.
    query: String,
    under: Option<i64>,
    after: Option<i64>,
    limit: Option<u32>,
    of: PhantomData<fn() -> L>,
}

impl Context {
    /// Reads the records of a list in `company`, of Svc or of a host, page by page and in the order
    /// of their claves.
    ///
    /// ```no_run
    /// # use futures_util::TryStreamExt as _;
    /// # use svc_core::domain::company::CompanyId;
    /// # use svc_core::record::customer::Customer;
    /// # async fn read(context: &svc_core::Context, company: CompanyId) -> Result<(), svc_core::Error> {
    /// let customers = context.list::<Customer>(company).filter("correo", "ana@example.com").stream();
    /// let mut customers = std::pin::pin!(customers);
    /// while let Some(customer) = customers.try_next().await? {
    ///     println!("{}", customer.clave);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn list<L: List>(&self, company: CompanyId) -> Listing<'_, L> {
        Listing { context: self, company, query: String::new(), under: None, after: None, limit: None, of: PhantomData }
    }
}

impl<'a, L: List> Listing<'a, L> {
    /// Adds a filter by the name and the text that it has in a query of the API. An unknown filter
    /// or a wrong value is the error of the first record.
    #[expect(clippy::needless_pass_by_value, reason = "callers give literals and numbers")]
    pub fn filter(mut self, name: &str, value: impl ToString) -> Self {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        self.query.extend(["&", &encoded(name), "=", &encoded(&value.to_string())]);
        self
    }

    /// Sets the clave of the record that a sub-list belongs to: the webhook of its deliveries.
    pub fn under(mut self, clave: i64) -> Self {
        self.under = Some(clave);
        self
    }

    /// Begins after the record of that clave.
    pub fn after(mut self, clave: i64) -> Self {
        self.after = Some(clave);
        self
    }

    /// Sets how many records one statement reads, of 1 to 500; 100 by default.
    pub fn page_size(mut self, records: u32) -> Self {
        self.limit = Some(records);
        self
    }

    /// The records. Each page is one statement, sent when the records before it are taken; so what
    /// changes meanwhile may be seen in part. Fails with `no_encontrado` (field `empresa`) if the
    /// company does not exist.
    pub fn stream(self) -> impl Stream<Item = Result<L, Error>> + Send + use<'a, L> {
        try_unfold(ListingState::Begun(self), |state| async move {
            let mut pages = match state {
                ListingState::Begun(listing) => listing.open().await?,
                ListingState::Open(pages) => pages,
            };
            loop {
                if let Some(record) = pages.read.pop_front() {
                    return Ok(Some((record, ListingState::Open(pages))));
                }
                if pages.is_last {
                    return Ok(None);
                }
                pages.next().await?;
            }
        })
    }

    async fn open(self) -> Result<ListingPages<'a, L>, Error> {
        let Self { context, company, mut query, under, after, limit, .. } = self;
        let company = context.existing_company(company).await?;
        if let Some(limit) = limit {
            query.extend(["&limite=", &limit.to_string()]);
        }
        let query = parsed::<L>(context, &company, &query, under)?;
        let query = Query { after, ..query };
        Ok(ListingPages { context, company: company.id, query, read: VecDeque::new(), is_last: false })
    }
}

/// The query of a listing, read and completed as a request's is.
fn parsed<L: List>(context: &Context, company: &Company, text: &str, under: Option<i64>) -> Result<Query, Error> {
    if L::LIST.parent.is_some() != under.is_some() {
        return Err(Error::field(Code::FiltroRequerido, "clave", "una sublista, y solo ella, es de un registro"));
    }
    let scopes = KeyScopes::of_words(context.registry().scopes());
    let request = ListRequest {
        company,
        path: &[],
        query: text,
        scopes: &scopes,
        kinds: context.registry().kinds(),
        limits: PageLimits::of(PageSizes::Legacy, LimitMode::Enforced),
        now: context.now(),
    };
    let mut query = query::read(L::LIST.filters, under, request, &Cursors::new(company, L::LIST.path))?;
    L::LIST.validate(&query)?;
    L::normalize(&mut query)?;
    Ok(query)
}

enum ListingState<'a, L> {
    Begun(Listing<'a, L>),
    Open(ListingPages<'a, L>),
}

struct ListingPages<'a, L> {
    context: &'a Context,
    company: CompanyId,
    query: Query,
    /// Records that were read and not taken yet.
    read: VecDeque<L>,
    is_last: bool,
}

impl<L: List> ListingPages<'_, L> {
    async fn next(&mut self) -> Result<(), Error> {
        let (query, read) = (&self.query, &mut self.read);
        let (mut found, mut last) = (0, None);
        let mut each = |row: &dyn Row| -> Result<(), RowError> {
            found += 1;
            if found <= query.limit {
                last = Some(i64::read(row, 0)?);
                read.push_back(L::read(row)?);
            }
            Ok(())
        };
        self.context.store().reader(self.company).page(&L::LIST, query, &mut each).await?;
        self.is_last = found <= self.query.limit;
        self.query.after = last.or(self.query.after);
        Ok(())
    }
}
