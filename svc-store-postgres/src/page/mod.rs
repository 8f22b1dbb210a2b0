//! Builds the statement of a list.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::{Postgres, QueryBuilder};
use svc_core::domain::text::like_pattern;
use svc_core::record::{Compare, Condition, Filter, LONGEST_WINDOW, ListParent, ListSpec, Query, Takes};
use svc_core::record::{Kind, Value};

use crate::value::push;

mod changed;
#[cfg(test)]
mod tests;

/// The rows of the largest page, plus one.
const LARGEST: u32 = 501;

/// The indentation of subqueries, four spaces each.
const INDENT: &str = "                        ";

/// The approximate width of a line of columns.
const WIDTH: usize = 90;

/// Writes a filter's condition with its value.
pub(crate) type WriteFilter = fn(&mut PageQuery<'_>, &Value<'_>);

/// The source of a list's rows.
pub(crate) struct Source {
    /// The FROM clause, one join per line; if empty, the table itself.
    pub(crate) from: &'static [&'static str],
    /// The table's alias with its dot.
    pub(crate) alias: &'static str,
    /// Columns that are not the table's own: name and expression.
    pub(crate) columns: &'static [(&'static str, &'static str)],
    /// A condition that holds for every row.
    pub(crate) always: Option<&'static str>,
    /// The condition in place of it when all records are read.
    pub(crate) whole: Option<&'static str>,
    /// Filters that are more than a comparison with a column: name, and the function that writes
    /// the condition.
    pub(crate) filters: &'static [(&'static str, WriteFilter)],
    /// Writes all conditions, if they do not simply follow one another.
    pub(crate) conditions: Option<fn(&mut PageQuery<'_>)>,
    /// The date range by which rows are found, if it is short.
    pub(crate) span: Option<Span>,
    /// Which of the records that a sub-list belongs to count.
    pub(crate) standing_parent: Option<&'static str>,
}

/// The filters of a list's date range.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    from: &'static str,
    until: &'static str,
}

impl Span {
    /// By the column `fecha`.
    pub(crate) const BY_DATE: Option<Self> = Some(Self { from: "fecha_desde", until: "fecha_hasta" });

    /// Whether collecting the range is cheaper than walking the claves: it is at most as long as
    /// the longest range of sales.
    pub(crate) fn is_short(self, query: &Query) -> bool {
        let from = query.get(self.from).map(day);
        let until = query.get(self.until).map_or(query.now.date_naive(), day);
        from.is_some_and(|from| until - from <= LONGEST_WINDOW)
    }
}

fn day(value: &Value<'_>) -> NaiveDate {
    match value {
        Value::Date(date) => *date,
        Value::Instant(at) => at.date_naive(),
        _ => DateTime::<Utc>::UNIX_EPOCH.date_naive(),
    }
}

impl Source {
    /// The list's table without anything else.
    pub(crate) const PLAIN: Self = Self {
        from: &[],
        alias: "",
        columns: &[],
        always: None,
        whole: None,
        filters: &[],
        conditions: None,
        span: None,
        standing_parent: None,
    };
}

/// A list's statement: `SELECT … WHERE empresa = … [AND filter …] [AND clave > …] ORDER BY clave
/// LIMIT …`. The company is `$1`. Each clause is a line; `snapshots/` has the statements of all
/// lists.
///
/// PostgreSQL keeps a plan for all values of a filter, and goes by the number of different values
/// in its column: if all records have one, it would walk their claves to a page of any other. So a
/// word of a closed list is part of the statement, as a boolean is: each has its own plan. And a
/// page of one other value is ordered by its column before the claves ([`Self::orders_by`]).
pub(crate) struct PageQuery<'q> {
    sql: QueryBuilder<Postgres>,
    /// The number of subqueries around the next clause.
    depth: usize,
    source: &'static Source,
    table: &'static str,
    query: &'q Query,
    hidden: Option<(&'static str, &'static str)>,
    parent: Option<ListParent>,
    /// The column that orders the page before the claves: all its records have the same value.
    order: Option<&'static str>,
}

impl<'q> PageQuery<'q> {
    /// The statement for the records after the cursor, one more than the page holds.
    pub(crate) fn of(source: &'static Source, list: &'static ListSpec, query: &'q Query, empresa: i64) -> Self {
        let mut page = Self::begin(QueryBuilder::new(""), 0, source, list, query);
        page.select(list, empresa);
        match source.conditions {
            Some(conditions) => conditions(&mut page),
            None => page.conditions(),
        }
        page.hide(source.alias);
        page.end();
        page
    }

    /// The statement that counts the records of a query without a cursor.
    pub(crate) fn counting(
        source: &'static Source,
        list: &'static ListSpec,
        query: &'q Query,
        empresa: i64,
    ) -> QueryBuilder<Postgres> {
        let mut page = Self::begin(QueryBuilder::new("SELECT count(*) FROM ("), 1, source, list, query);
        page.clause("");
        page.select(list, empresa);
        page.conditions();
        page.hide(source.alias);
        page.close(") registros");
        page.sql
    }

    fn begin(
        sql: QueryBuilder<Postgres>,
        depth: usize,
        source: &'static Source,
        list: &'static ListSpec,
        query: &'q Query,
    ) -> Self {
        let (table, hidden, parent) = (list.table, list.hidden, list.parent);
        Self { sql, depth, source, table, query, hidden, parent, order: None }
    }

    pub(crate) fn into_sql(self) -> QueryBuilder<Postgres> {
        self.sql
    }

    pub(crate) fn query(&self) -> &'q Query {
        self.query
    }

    /// Begins a condition: the statement now ends in AND.
    pub(crate) fn and(&mut self) -> &mut QueryBuilder<Postgres> {
        self.clause("  AND ")
    }

    /// Begins a line of the statement.
    pub(crate) fn clause(&mut self, text: &'static str) -> &mut QueryBuilder<Postgres> {
        self.sql.push("\n").push(&INDENT[..4 * self.depth]).push(text)
    }

    /// Ends the line with an opening parenthesis and begins a subquery.
    pub(crate) fn open(&mut self, text: &'static str) -> &mut QueryBuilder<Postgres> {
        self.sql.push(text);
        self.depth += 1;
        &mut self.sql
    }

    /// Ends a subquery; `text` begins with its closing parenthesis.
    pub(crate) fn close(&mut self, text: &'static str) -> &mut QueryBuilder<Postgres> {
        self.depth -= 1;
        self.clause(text)
    }

    /// The statement so far.
    pub(crate) fn sql(&mut self) -> &mut QueryBuilder<Postgres> {
        &mut self.sql
    }

    /// Whether the query's date range is short.
    pub(crate) fn span_is_short(&self) -> bool {
        self.source.span.is_some_and(|span| span.is_short(self.query))
    }

    /// Limits the rows to at least one more than the page holds.
    ///
    /// If at most one filter has a value, which it compares for equality, the limit is part of the
    /// statement: the best plan is then the same for all values and is kept. (With a parameter the
    /// plan for all values would be one for a tenth of the table, so none is kept.) Since each
    /// limit makes a statement of its own, a few sizes serve all limits. If the plan depends on the
    /// values, as with a date range, a searched word or two values, the limit is a parameter and
    /// each page gets its own plan.
    pub(crate) fn limit(&mut self) {
        let limit = self.query.limit;
        self.clause("LIMIT ");
        let is_kept = match values(self.query)[..] {
            [] => true,
            [filter] => filter.compare == Compare::Equal,
            _ => false,
        };
        if is_kept {
            self.sql.push([11, 31, 101, 201].into_iter().find(|size| *size > limit).unwrap_or(LARGEST));
        } else {
            self.sql.push_bind(i64::from(limit) + 1);
        }
    }

    /// Adds a condition without a value.
    pub(crate) fn only(&mut self, condition: &'static str) {
        self.and().push(condition);
    }

    /// Adds a condition of three parts: SQL, a value, SQL.
    pub(crate) fn with(&mut self, before: &'static str, value: &Value<'_>, after: &'static str) {
        let sql = self.and().push(before);
        push(sql, value, Kind::Text);
        sql.push(after);
    }

    /// Adds a condition of three parts: SQL, a word of a closed list, SQL. The word is part of the
    /// statement.
    pub(crate) fn word(&mut self, before: &'static str, word: &Value<'_>, after: &'static str) {
        push_word(self.and().push(before), word);
        self.sql.push(after);
    }

    /// Orders the page by this column before the claves, if the query has no value but that of its
    /// filter. The condition must then be `BETWEEN` the value and itself: of a column that equals a
    /// value PostgreSQL knows that it orders nothing, and the claves alone have another index.
    pub(crate) fn orders_by(&mut self, filter: &str, column: &'static str) -> bool {
        let is_sole = matches!(values(self.query)[..], [sole] if sole.name == filter && filter != "clave");
        let orders = is_sole && self.parent.is_none();
        if orders {
            self.order = Some(column);
        }
        orders
    }

    /// Adds all conditions of the query.
    fn conditions(&mut self) {
        self.query.conditions.iter().for_each(|condition| self.condition(condition));
    }

    /// Adds a condition as its filter says, unless the source overrides it.
    pub(crate) fn condition(&mut self, condition: &Condition) {
        let Condition { filter, value } = condition;
        if let Some((_, write)) = self.source.filters.iter().find(|(name, _)| *name == filter.name) {
            return write(self, value);
        }
        if filter.column == "modificado" && self.query.conditions.len() == 1 {
            return self.changed_since(value);
        }
        let alias = self.source.alias;
        let operator = match filter.compare {
            Compare::Equal => " = ",
            Compare::AtLeast => " >= ",
            Compare::AtMost => " <= ",
            Compare::Contains => " LIKE ",
        };
        let compare = |page: &mut Self, value: &Value<'_>| {
            let sql = page.and().push(alias).push(filter.column).push(operator);
            push(sql, value, Kind::Text);
        };
        match value {
            Value::Boolean(is) => {
                self.and().push(if *is { "" } else { "NOT " }).push(alias).push(filter.column);
            }
            Value::Text(_) if is_word(filter.takes) => {
                push_word(self.and().push(alias).push(filter.column).push(" = "), value);
            }
            value if filter.compare == Compare::Equal && self.orders_by(filter.name, filter.column) => {
                push(self.and().push(alias).push(filter.column).push(" BETWEEN "), value, Kind::Text);
                push(self.sql.push(" AND "), value, Kind::Text);
            }
            Value::Texts(words) => words.iter().for_each(|word| compare(self, &Value::Text(like_pattern(word).into()))),
            value => compare(self, value),
        }
    }

    /// Skips the records up to the cursor, if there is one; `alias` is that of their table.
    pub(crate) fn after_cursor(&mut self, alias: &'static str) {
        if let Some(after) = self.query.after {
            self.and().push(alias).push("clave > ").push_bind(after);
        }
    }

    /// Hides the records that are shown only on request; `alias` is that of their table.
    pub(crate) fn hide(&mut self, alias: &'static str) {
        if let Some((column, word)) = self.hidden
            && !self.query.has(&[column])
        {
            self.and().push(alias).push(column).push(" <> '").push(word).push("'");
        }
    }

    /// Writes the columns and the source of the rows. If the list belongs to a record, it yields
    /// one row of nulls when the list is empty, and no row when that record does not exist.
    fn select(&mut self, list: &ListSpec, empresa: i64) {
        let Source { from, alias, columns, always, whole, .. } = *self.source;
        let always = whole.filter(|_| list.whole).or(always);
        if let Some(parent) = self.parent {
            self.sql.push("SELECT hijos.*");
            self.clause("FROM ");
            self.open("(");
            self.clause("SELECT FROM ").push(parent.table).push(" WHERE ");
            if let Some(condition) = self.source.standing_parent {
                self.sql.push(condition).push(" AND ");
            }
            self.sql.push("empresa = ").push_bind(empresa);
            self.sql.push(" AND clave = ").push_bind(self.query.under.unwrap_or_default());
            self.close(") padre");
            self.clause("LEFT JOIN LATERAL ");
            self.open("(");
            self.clause("");
        }
        self.sql.push("SELECT ");
        let mut width = 0;
        for (at, column) in list.columns.iter().enumerate() {
            let own = columns.iter().find(|(name, _)| name == column);
            let length = own.map_or(alias.len() + column.len(), |(_, expression)| expression.len());
            width += length + 2;
            if width > WIDTH {
                self.sql.push(",");
                self.clause("       ");
                width = length;
            } else if at > 0 {
                self.sql.push(", ");
            }
            match own {
                Some((_, expression)) => self.sql.push(expression),
                None => self.sql.push(alias).push(column),
            };
        }
        match from.split_first() {
            Some((first, joins)) => {
                self.clause("FROM ").push(first);
                for join in joins {
                    self.clause(join);
                }
            }
            None => {
                self.clause("FROM ").push(list.table);
            }
        }
        self.clause("WHERE ").push(alias).push("empresa = ");
        match self.parent {
            Some(parent) => {
                self.sql
                    .push("$1 AND ")
                    .push(parent.column)
                    .push(" = ")
                    .push_bind(self.query.under.unwrap_or_default());
            }
            None => {
                self.sql.push_bind(empresa);
            }
        }
        if let Some(condition) = always {
            self.only(condition);
        }
    }

    fn end(&mut self) {
        let alias = self.source.alias;
        self.after_cursor(alias);
        self.clause("ORDER BY ");
        if let Some(column) = self.order {
            self.sql.push(alias).push(column).push(", ");
        }
        self.sql.push(alias).push("clave");
        if self.span_is_short() {
            // No index has this order. PostgreSQL takes claves and times to be independent; they
            // are not, and walking the claves to the range could read everything older. So the
            // range is collected and sorted.
            self.sql.push(" + 0");
        }
        self.limit();
        if self.parent.is_some() {
            self.close(") hijos ON true");
        }
    }
}

/// The filters that compare with a value which the statement does not contain.
fn values(query: &Query) -> Vec<&'static Filter> {
    let filters = query.conditions.iter().map(|condition| condition.filter);
    filters.filter(|filter| !is_word(filter.takes) && filter.takes != Takes::Boolean).collect()
}

fn push_word(sql: &mut QueryBuilder<Postgres>, word: &Value<'_>) {
    if let Value::Text(word) = word {
        sql.push("'").push(word.replace('\'', "''")).push("'");
    }
}

/// Whether a filter takes a word of a closed list.
fn is_word(takes: Takes) -> bool {
    matches!(takes, Takes::Choice(_))
}
