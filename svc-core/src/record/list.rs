//! Lists: the record, the path, the filters, and the query that a store answers.

use chrono::{DateTime, Utc};

use super::{Filter, Record, Value};
use crate::domain::scope::{Scope, Scopes};
use crate::error::{Code, Error};

/// Records that are listed page by page, as [`List::LIST`] declares.
pub trait List: Record + schemars::JsonSchema + Send + Sync + 'static {
    /// The list's declaration.
    const LIST: ListSpec;

    /// Checks and completes a query as a whole: date windows, filters by default. Most lists add
    /// nothing.
    fn normalize(query: &mut Query) -> Result<(), Error> {
        let _ = query;
        Ok(())
    }
}

/// The declaration of a list.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ListSpec {
    /// Its path below the base URL. `{clave}` stands for the record whose sub-list it is.
    pub path: &'static str,
    /// The scopes: a key needs one of them.
    pub scopes: Scopes,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The page sizes it takes.
    pub pages: PageSizes,
    /// Its filters; no other query parameter but `cursor` and `limite` is accepted.
    pub filters: &'static [Filter],
    /// The filters of which a query must have one, if it must: such a list is read for one document
    /// or product, not as a whole.
    pub requires: &'static [&'static str],
    /// Records with this word in this column are shown only to those who filter by the column.
    pub hidden: Option<(&'static str, &'static str)>,
    /// Its records' table.
    pub table: &'static str,
    /// Its records' columns, in the order in which they are read.
    pub columns: &'static [&'static str],
}

/// Which page sizes a list takes while limits are enforced (contract §3, "Page regimes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSizes {
    /// 1 to 30, default 30.
    Enforced,
    /// 1 to 500, default 100.
    Legacy,
}

impl ListSpec {
    /// The list of records `R` at `path`, for keys with `scope`.
    pub(crate) const fn new<R: Record>(
        path: &'static str,
        scope: Scope,
        pages: PageSizes,
        summary: &'static str,
    ) -> Self {
        let (table, columns) = (R::TABLE, R::COLUMNS);
        Self {
            path,
            scopes: Scopes::only(scope),
            summary,
            pages,
            filters: &[],
            requires: &[],
            hidden: None,
            table,
            columns,
        }
    }

    /// Adds an alternative scope.
    #[must_use]
    pub(crate) const fn or(mut self, scope: Scope) -> Self {
        self.scopes = self.scopes.and(scope);
        self
    }

    /// Sets the filters.
    #[must_use]
    pub(crate) const fn filters(mut self, filters: &'static [Filter]) -> Self {
        self.filters = filters;
        self
    }

    /// Requires one of these filters, which it has.
    #[must_use]
    pub(crate) const fn requires(mut self, names: &'static [&'static str]) -> Self {
        self.requires = names;
        self
    }

    /// Refuses a query that has none of the filters of which it must have one.
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

    /// Hides the records that have `word` in `column` from queries that do not filter by that
    /// column.
    #[must_use]
    pub(crate) const fn hides(mut self, column: &'static str, word: &'static str) -> Self {
        self.hidden = Some((column, word));
        self
    }
}

/// A query of one page of a list.
#[derive(Debug)]
pub struct Query {
    /// The clave in the path of a sub-list.
    pub under: Option<i64>,
    /// The conditions, all of which a record must meet.
    pub conditions: Vec<Condition>,
    /// The clave after which the page begins; `None` for the first page.
    pub after: Option<i64>,
    /// The page's size, in records.
    pub limit: u32,
    /// The time of the request, for `vencido` and open date ranges; after the first page of an open
    /// range, that page's.
    pub now: DateTime<Utc>,
    /// Until when the date range reaches, if the query says no end.
    pub(crate) until: Option<DateTime<Utc>>,
    /// The list's filters.
    pub(crate) filters: &'static [Filter],
    /// Names and values of the filters, sorted by name: a cursor is valid for these only.
    pub(crate) canonical: String,
}

/// A filter with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The filter.
    pub filter: &'static Filter,
    /// Its value; [`Filter::takes`] decides its variant.
    pub value: Value<'static>,
}

impl Query {
    /// A page of `list` without conditions, for reads outside a request.
    pub fn new(list: &ListSpec, after: Option<i64>, limit: u32, now: DateTime<Utc>) -> Self {
        let (conditions, canonical) = (Vec::new(), String::new());
        Self { under: None, conditions, after, limit, now, until: None, filters: list.filters, canonical }
    }

    /// The value of the filter of that name, if the query has it.
    pub fn get(&self, name: &str) -> Option<&Value<'static>> {
        debug_assert!(self.filters.iter().any(|filter| filter.name == name), "no filter {name}");
        self.conditions.iter().find(|condition| condition.filter.name == name).map(|condition| &condition.value)
    }

    /// Whether it has one of these filters.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }

    /// The value of the filter of that name, if the query has it and it is an instant.
    pub fn instant(&self, name: &str) -> Option<DateTime<Utc>> {
        match self.get(name) {
            Some(Value::Instant(at)) => Some(*at),
            _ => None,
        }
    }

    /// Sets the filter of that name, which the list has.
    pub(crate) fn set(&mut self, name: &str, value: Value<'static>) {
        self.conditions.retain(|condition| condition.filter.name != name);
        let filter = self.filters.iter().find(|filter| filter.name == name);
        debug_assert!(filter.is_some(), "no filter {name}");
        self.conditions.extend(filter.map(|filter| Condition { filter, value }));
    }

    /// Sets the filter of that name to `word`, unless the query has it.
    pub(crate) fn default_to(&mut self, name: &str, word: &'static str) {
        if self.get(name).is_none() {
            self.set(name, Value::Text(word.into()));
        }
    }
}
