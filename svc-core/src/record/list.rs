//! What a list is: a record, where it is found, and what it is filtered by.

use chrono::{DateTime, Utc};

use super::{Filter, Record, Value};
use crate::domain::scope::{Scope, Scopes};
use crate::error::Error;

/// A page-by-page read of records. What it says is in [`List::LIST`]; the engine does the rest.
pub trait List: Record + serde::Serialize + Send + Sync + 'static {
    /// What it says about itself.
    const LIST: ListSpec;

    /// Judges and completes a query as a whole: selectors that must be there, date windows, what is shown when nothing is
    /// asked. Most lists have nothing to add.
    fn settle(query: &mut Query) -> Result<(), Error> {
        let _ = query;
        Ok(())
    }
}

/// What a list says about itself.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ListSpec {
    /// Its path below the base URL. `{clave}` in it is the record that the list is under.
    pub path: &'static str,
    /// The scopes of which a key needs one.
    pub scopes: Scopes,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// Its page regime.
    pub pages: Pages,
    /// Its filters; no other query parameter but `cursor` and `limite` is accepted.
    pub filters: &'static [Filter],
    /// Records with this word in this column are shown only to those who filter by the column.
    pub hidden: Option<(&'static str, &'static str)>,
    /// Its records' table.
    pub table: &'static str,
    /// Its records' columns, in the order in which they are read.
    pub columns: &'static [&'static str],
}

/// Which page sizes a list takes while limits are enforced (contract §3, "Page regimes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// 1 to 30, default 30.
    Enforced,
    /// 1 to 500, default 100.
    Earlier,
}

impl ListSpec {
    /// The list of `R` at `path`.
    pub const fn new<R: Record>(path: &'static str, scope: Scope, pages: Pages, summary: &'static str) -> Self {
        let (table, columns) = (R::TABLE, R::COLUMNS);
        Self { path, scopes: Scopes::only(scope), summary, pages, filters: &[], hidden: None, table, columns }
    }

    /// With another scope that suffices.
    #[must_use]
    pub const fn or(mut self, scope: Scope) -> Self {
        self.scopes = self.scopes.and(scope);
        self
    }

    /// With filters.
    #[must_use]
    pub const fn filters(mut self, filters: &'static [Filter]) -> Self {
        self.filters = filters;
        self
    }

    /// Without the records that have `word` in `column`, unless the query filters by that column.
    #[must_use]
    pub const fn hides(mut self, column: &'static str, word: &'static str) -> Self {
        self.hidden = Some((column, word));
        self
    }
}

/// What a list is asked for.
#[derive(Debug)]
pub struct Query {
    /// The record that the list is under, if it is under one.
    pub under: Option<i64>,
    /// What a record must pass, all of it.
    pub conditions: Vec<Condition>,
    /// The clave after which the page begins; `None` from the beginning.
    pub after: Option<i64>,
    /// The page's size.
    pub limit: u32,
    /// Now: what `vencido` and open date ranges are judged by.
    pub now: DateTime<Utc>,
    /// The list's filters.
    pub(crate) filters: &'static [Filter],
    /// Names and values of the filters, in the order of the names: what a cursor is bound to.
    pub(crate) canonical: String,
}

/// A filter with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The filter.
    pub filter: &'static Filter,
    /// Its value, of a type that follows from what the filter takes.
    pub value: Value<'static>,
}

impl Query {
    /// A page of `list` without conditions, for reads outside a request.
    pub fn new(list: &ListSpec, after: Option<i64>, limit: u32, now: DateTime<Utc>) -> Self {
        let (conditions, canonical) = (Vec::new(), String::new());
        Self { under: None, conditions, after, limit, now, filters: list.filters, canonical }
    }

    /// The value of the filter of that name, if the query has it.
    pub fn get(&self, name: &str) -> Option<&Value<'static>> {
        debug_assert!(self.filters.iter().any(|filter| filter.name == name), "no filter {name}");
        self.conditions.iter().find(|condition| condition.filter.name == name).map(|condition| &condition.value)
    }

    /// Whether it has one of those filters.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }

    /// The value of a filter of that name that bounds instants.
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

    /// Sets the filter of that name to a word, unless the query has it.
    pub(crate) fn presume(&mut self, name: &str, word: &'static str) {
        if self.get(name).is_none() {
            self.set(name, Value::Text(word.into()));
        }
    }
}
