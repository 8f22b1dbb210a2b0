//! How the statement of a list is built.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::{Postgres, QueryBuilder};
use svc_core::domain::text::like_pattern;
use svc_core::record::{Compare, Condition, LONGEST_WINDOW, ListSpec, Query};
use svc_core::record::{Kind, Value};

use crate::value::push;

mod changed;
#[cfg(test)]
mod tests;

/// Rows of the largest page, and one more.
const LARGEST: u32 = 501;

/// What subqueries are indented with, four spaces each.
const INDENT: &str = "                        ";

/// About how wide a line of columns may be.
const WIDTH: usize = 90;

/// Writes the condition of a filter with its value.
pub(crate) type WriteFilter = fn(&mut PageQuery<'_>, &Value<'_>);

/// Where the rows of a list come from.
pub(crate) struct Source {
    /// What stands behind FROM, a line a join; the table itself if it is empty.
    pub(crate) from: &'static [&'static str],
    /// The table's alias with its dot.
    pub(crate) alias: &'static str,
    /// Columns that are not the table's own: name, expression.
    pub(crate) columns: &'static [(&'static str, &'static str)],
    /// What else holds for every row.
    pub(crate) always: Option<&'static str>,
    /// Filters that are more than a comparison with a column: name, how the condition is written.
    pub(crate) filters: &'static [(&'static str, WriteFilter)],
    /// How all conditions are written, where they are not simply one after the other.
    pub(crate) conditions: Option<fn(&mut PageQuery<'_>)>,
    /// The span of time by which the rows are found, if it is short.
    pub(crate) span: Option<Span>,
    /// The record that the rows are under.
    pub(crate) under: Option<Under>,
}

/// The record that a list is under.
#[derive(Clone, Copy)]
pub(crate) struct Under {
    /// What selects it, `SELECT FROM table WHERE …`, but for company and clave.
    pub(crate) record: &'static str,
    /// The column of the list that holds its clave.
    pub(crate) column: &'static str,
}

/// The filters that bound a list's span of time.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    from: &'static str,
    until: &'static str,
}

impl Span {
    /// By the column `fecha`.
    pub(crate) const BY_DATE: Option<Self> = Some(Self { from: "fecha_desde", until: "fecha_hasta" });

    /// Whether collecting the span is cheaper than walking the claves: whether it is no longer than
    /// sales are read for.
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
    /// The table of the list's records as it is.
    pub(crate) const PLAIN: Self = Self {
        from: &[],
        alias: "",
        columns: &[],
        always: None,
        filters: &[],
        conditions: None,
        span: None,
        under: None,
    };
}

/// A list's statement: `SELECT … WHERE empresa = … [AND filter …] [AND clave > …] ORDER BY clave
/// LIMIT …`. The company is `$1`. It is written a clause a line; `snapshots/` has those of all
/// lists.
pub(crate) struct PageQuery<'q> {
    sql: QueryBuilder<Postgres>,
    /// How many subqueries the next clause is in.
    depth: usize,
    source: &'static Source,
    table: &'static str,
    query: &'q Query,
    hidden: Option<(&'static str, &'static str)>,
}

impl<'q> PageQuery<'q> {
    /// The statement for the records after the cursor, one more than the page holds.
    pub(crate) fn of(source: &'static Source, list: &'static ListSpec, query: &'q Query, empresa: i64) -> Self {
        let mut page =
            Self { sql: QueryBuilder::new(""), depth: 0, source, table: list.table, query, hidden: list.hidden };
        page.select(list, empresa);
        match source.conditions {
            Some(conditions) => conditions(&mut page),
            None => page.conditions(),
        }
        page.hide(source.alias);
        page.end();
        page
    }

    /// The statement.
    pub(crate) fn into_sql(self) -> QueryBuilder<Postgres> {
        self.sql
    }

    /// The request for the list.
    pub(crate) fn query(&self) -> &'q Query {
        self.query
    }

    /// The statement, for a condition of its own; what it has so far ends in AND.
    pub(crate) fn and(&mut self) -> &mut QueryBuilder<Postgres> {
        self.clause("  AND ")
    }

    /// Begins a line of the statement.
    pub(crate) fn clause(&mut self, text: &'static str) -> &mut QueryBuilder<Postgres> {
        self.sql.push("\n").push(&INDENT[..4 * self.depth]).push(text)
    }

    /// Ends the line in a parenthesis, and begins the clauses of the subquery in it.
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

    /// The statement as it is so far.
    pub(crate) fn sql(&mut self) -> &mut QueryBuilder<Postgres> {
        &mut self.sql
    }

    /// Whether the query bounds a short span of time.
    pub(crate) fn span_is_short(&self) -> bool {
        self.source.span.is_some_and(|span| span.is_short(self.query))
    }

    /// Limits what is read to one row more than the page holds, at the least.
    ///
    /// Where all values are compared for equality, the limit stands in the statement: the best plan
    /// is the same for all of them, and is kept. (For a limit that is a parameter, a plan for all
    /// values would be one for a tenth of the table, so that none is kept.) A few sizes serve all
    /// limits, since each makes a statement of its own. Where a plan depends on the values, as that
    /// of a span of time or of a word to be found does, the limit is a parameter, and each value
    /// has a plan of its own.
    pub(crate) fn limit(&mut self) {
        let limit = self.query.limit;
        self.clause("LIMIT ");
        if self.query.conditions.iter().all(|condition| condition.filter.compare == Compare::Equal) {
            self.sql.push([11, 31, 101, 201].into_iter().find(|size| *size > limit).unwrap_or(LARGEST));
        } else {
            self.sql.push_bind(i64::from(limit) + 1);
        }
    }

    /// A condition without a value.
    pub(crate) fn only(&mut self, condition: &'static str) {
        self.and().push(condition);
    }

    /// A condition of three parts: SQL, a value, SQL.
    pub(crate) fn with(&mut self, before: &'static str, value: &Value<'_>, after: &'static str) {
        let sql = self.and().push(before);
        push(sql, value, Kind::Text);
        sql.push(after);
    }

    /// All conditions of the query.
    fn conditions(&mut self) {
        self.query.conditions.iter().for_each(|condition| self.condition(condition));
    }

    /// A condition of the query: as its filter says, unless the source overrides it.
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
        let mut compare = |value: &Value<'_>| {
            let sql = self.and().push(alias).push(filter.column).push(operator);
            push(sql, value, Kind::Text);
        };
        match value {
            // A plan for either value: the few rows that have it are found by an index of them.
            Value::Boolean(is) => {
                self.and().push(if *is { "" } else { "NOT " }).push(alias).push(filter.column);
            }
            Value::Texts(words) => words.iter().for_each(|word| compare(&Value::Text(like_pattern(word).into()))),
            value => compare(value),
        }
    }

    /// Leaves out the records up to the cursor, if there is one; `alias` is that of their table.
    pub(crate) fn after_cursor(&mut self, alias: &'static str) {
        if let Some(after) = self.query.after {
            self.and().push(alias).push("clave > ").push_bind(after);
        }
    }

    /// Leaves out the records that are shown only on request; `alias` is that of their table.
    pub(crate) fn hide(&mut self, alias: &'static str) {
        if let Some((column, word)) = self.hidden
            && !self.query.has(&[column])
        {
            self.and().push(alias).push(column).push(" <> '").push(word).push("'");
        }
    }

    /// The columns of the list's records, and where they are found. Of records under another it
    /// yields a row of nulls when there are none, and no row when the record that they are under is
    /// not there.
    fn select(&mut self, list: &ListSpec, empresa: i64) {
        let Source { from, alias, columns, always, under, .. } = *self.source;
        if let Some(under) = under {
            self.sql.push("SELECT hijos.*");
            self.clause("FROM ");
            self.open("(");
            self.clause(under.record).push(" AND empresa = ").push_bind(empresa);
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
        match under {
            Some(under) => {
                self.sql.push("$1 AND ").push(under.column).push(" = ").push_bind(self.query.under.unwrap_or_default());
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
        self.clause("ORDER BY ").push(alias).push("clave");
        if self.span_is_short() {
            // No index has this order. The database takes claves and times to be independent; since
            // they are not, walking the claves until enough lie in the span may read all that is
            // older. So the span is collected.
            self.sql.push(" + 0");
        }
        self.limit();
        if self.source.under.is_some() {
            self.close(") hijos ON true");
        }
    }
}
