//! Lists: the declaration of a list, and the query that a store answers.

use chrono::{DateTime, Utc};

use super::{Compare, Filter, Record, Value};
use crate::domain::event::EventKinds;
use crate::domain::scope::{KeyScopes, Scope, Scopes};
use crate::error::{Code, Error};

/// Records that are listed page by page.
pub trait List: Record + schemars::JsonSchema + Send + Sync + 'static {
    /// Its path, scopes, page sizes, filters and columns.
    const LIST: ListSpec;

    /// Validates and completes a query as a whole, for example its date range or default filters.
    /// Most lists do nothing here.
    fn normalize(query: &mut Query) -> Result<(), Error> {
        let _ = query;
        Ok(())
    }
}

/// The declaration of a list.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ListSpec {
    /// The path below the base URL. `{clave}` stands for the parent of a sub-list
    /// ([`Self::under`]).
    pub path: &'static str,
    /// The key needs one of these scopes.
    pub scopes: Scopes,
    /// The page sizes that it allows.
    pub pages: PageSizes,
    /// The filters. No other query parameter but `cursor` and `limite` is accepted.
    pub filters: &'static [Filter],
    /// A query must have one of these filters, if there are any: such a list is read per document
    /// or product, not as a whole.
    pub requires: &'static [&'static str],
    /// Column and word: records with this word in this column are only listed if the query filters
    /// by the column.
    pub hidden: Option<(&'static str, &'static str)>,
    /// Summary and description of a host's list, each in English and Spanish.
    pub texts: Option<[[&'static str; 2]; 2]>,
    /// Whether records are only ever added behind the last one, so that a client goes on from where
    /// it read to: `siguiente` is then never null.
    pub grows: bool,
    /// Whether it has all records, also those that the list never shows.
    pub whole: bool,
    /// The table of the records.
    pub table: &'static str,
    /// The columns of the records, in the order in which they are read.
    pub columns: &'static [&'static str],
    /// The record that a sub-list belongs to.
    pub parent: Option<ListParent>,
}

/// The record that a sub-list belongs to; the path has its clave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListParent {
    /// The table with the record.
    pub table: &'static str,
    /// The column of the list's records with its clave.
    pub column: &'static str,
}

/// The page sizes that a list allows while limits are enforced (contract §3, "Page regimes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSizes {
    /// 1 to 30 records, 30 by default.
    Enforced,
    /// 1 to 500 records, 100 by default.
    Legacy,
}

impl ListSpec {
    /// The list of records `R` at `path`, for keys with `scope`.
    pub(crate) const fn new<R: Record>(path: &'static str, scope: Scope, pages: PageSizes) -> Self {
        Self::of::<R>(path, Scopes::only(scope), pages)
    }

    /// The list of a host's records `R` at `path`, for keys that have one of `scopes`.
    pub const fn of<R: Record>(path: &'static str, scopes: Scopes, pages: PageSizes) -> Self {
        let (table, columns) = (R::TABLE, R::COLUMNS);
        let (filters, requires): (&[Filter], &[&str]) = (&[], &[]);
        let (texts, grows, whole, parent) = (None, false, false, None);
        Self { path, scopes, pages, filters, requires, hidden: None, texts, grows, whole, table, columns, parent }
    }

    /// Declares that the list belongs to a record of `table`, whose clave its records have in
    /// `column`: `/cajas/{clave}/renglones`. Without such a record it is 404 `no_encontrado`. The
    /// list needs an index on `empresa`, that column and `clave`.
    #[must_use]
    pub const fn under(mut self, table: &'static str, column: &'static str) -> Self {
        self.parent = Some(ListParent { table, column });
        self
    }

    /// Says what a host's list is: a summary and a description, in English and Spanish. Without it,
    /// the description of the API has the documentation comment of the record in both languages;
    /// its first sentence is the summary.
    #[must_use]
    pub const fn says(mut self, summary: [&'static str; 2], description: [&'static str; 2]) -> Self {
        self.texts = Some([summary, description]);
        self
    }

    /// Adds an alternative scope.
    #[must_use]
    pub const fn or(mut self, scope: Scope) -> Self {
        self.scopes = self.scopes.and(scope);
        self
    }

    /// Sets the filters; statements compare them in this order.
    #[must_use]
    pub const fn filters(mut self, filters: &'static [Filter]) -> Self {
        self.filters = filters;
        self
    }

    /// Requires one of these filters.
    #[must_use]
    pub const fn requires(mut self, names: &'static [&'static str]) -> Self {
        self.requires = names;
        self
    }

    /// The list of all its records, the hidden ones too, with these columns.
    #[must_use]
    pub(crate) const fn whole(self, columns: &'static [&'static str]) -> Self {
        Self { columns, hidden: None, requires: &[], whole: true, ..self }
    }

    /// Refuses a query without any of the required filters.
    pub(crate) fn validate(&self, query: &Query) -> Result<(), Error> {
        match self.requires {
            [] => Ok(()),
            names if query.has(names) => Ok(()),
            [name] => Err(Error::field(Code::FiltroRequerido, name, "es obligatorio")),
            [names @ .., last] => {
                let text = format!("hace falta {} o {last}", names.join(", "));
                Err(Error::new(Code::FiltroRequerido).message(text))
            }
        }
    }

    /// Declares that records are only ever added behind the last one.
    #[must_use]
    pub(crate) const fn grows(mut self) -> Self {
        self.grows = true;
        self
    }

    /// Hides records with `word` in `column` from queries that do not filter by that column.
    #[must_use]
    pub const fn hides(mut self, column: &'static str, word: &'static str) -> Self {
        self.hidden = Some((column, word));
        self
    }
}

/// A query for one page of a list.
#[derive(Debug)]
pub struct Query {
    /// The clave of the parent in the path of a sub-list.
    pub under: Option<i64>,
    /// The conditions; a record must satisfy all of them.
    pub conditions: Vec<Condition>,
    /// The page starts after this clave; `None` for the first page.
    pub after: Option<i64>,
    /// The page's size, in records.
    pub limit: u32,
    /// The company's time of the request, for `vencido` and open date ranges. On later pages of an
    /// open range, the time of its first page.
    pub now: DateTime<Utc>,
    /// The service's time of the request, for how long logs are kept.
    pub(crate) service_now: DateTime<Utc>,
    /// The end of the date range, if the query gives none.
    pub(crate) until: Option<DateTime<Utc>>,
    /// What the key may read.
    pub(crate) scopes: KeyScopes,
    /// The kinds of events that the context knows.
    pub(crate) kinds: EventKinds,
    pub(crate) filters: &'static [Filter],
    /// Names and values of the filters, sorted by name. A cursor is only valid for the same text.
    pub(crate) canonical: String,
}

/// A filter with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// A filter of the list, or one that the list adds by itself.
    pub filter: &'static Filter,
    /// The value; [`Filter::takes`] determines its variant.
    pub value: Value<'static>,
}

impl Query {
    /// A page of `list` without conditions, for reads outside a request.
    pub fn new(list: &ListSpec, after: Option<i64>, limit: u32, now: DateTime<Utc>) -> Self {
        let (conditions, canonical) = (Vec::new(), String::new());
        let (scopes, kinds) = (Scopes::all().into(), EventKinds::default());
        let filters = list.filters;
        Self {
            under: None,
            conditions,
            after,
            limit,
            now,
            service_now: now,
            until: None,
            scopes,
            kinds,
            filters,
            canonical,
        }
    }

    /// Whether it searches for words, which may read far more than the page shows.
    pub fn is_search(&self) -> bool {
        self.conditions.iter().any(|condition| condition.filter.compare == Compare::Contains)
    }

    /// The value of that filter; `None` if the query does not have it.
    pub fn get(&self, name: &str) -> Option<&Value<'static>> {
        debug_assert!(self.filters.iter().any(|filter| filter.name == name), "no filter {name}");
        self.conditions.iter().find(|condition| condition.filter.name == name).map(|condition| &condition.value)
    }

    /// Whether the query has any of these filters.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }

    /// The value of that filter; `None` if the query does not have it or it is no instant.
    pub fn instant(&self, name: &str) -> Option<DateTime<Utc>> {
        match self.get(name) {
            Some(Value::Instant(at)) => Some(*at),
            _ => None,
        }
    }

    /// Sets a filter of the list.
    pub(crate) fn set(&mut self, name: &str, value: Value<'static>) {
        self.conditions.retain(|condition| condition.filter.name != name);
        let filter = self.filters.iter().find(|filter| filter.name == name);
        debug_assert!(filter.is_some(), "no filter {name}");
        self.conditions.extend(filter.map(|filter| Condition { filter, value }));
    }

    /// Sets a filter to `word`, unless the query has it.
    pub(crate) fn default_to(&mut self, name: &str, word: &'static str) {
        if self.get(name).is_none() {
            self.set(name, Value::Text(word.into()));
        }
    }
}
