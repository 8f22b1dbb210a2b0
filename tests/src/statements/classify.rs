//! Whether a statement names one company.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sqlparser::ast::{
    CopySource, Expr, Insert, Query, Select, SelectItem, SetExpr, Statement, TableObject, Visit as _, Visitor,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use super::scope::{COMPANY, Scopes, table};

/// The classification of a statement by its companies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Classification {
    /// It names one company, by one parameter, for each of its tables.
    OneCompany,
    /// It names no table: it controls the transaction or the session, or calls a function.
    NoTable,
    /// It reads these tables without locks, and without naming one company for them.
    Read(Vec<String>),
    /// It writes or locks without naming one company, which is a fault.
    Fault(Vec<String>),
}

/// Classifies a statement; an error says why it could not be read.
pub fn classify(sql: &str) -> Result<Classification, String> {
    // Statistics are of a whole table and show nothing of it; the parser knows no options of theirs.
    if sql.starts_with("ANALYZE (SKIP_LOCKED) ") {
        return Ok(Classification::NoTable);
    }
    // The parser knows two kinds of row locks, and here all are alike.
    let sql = sql.replace("FOR NO KEY UPDATE", "FOR UPDATE").replace("FOR KEY SHARE", "FOR SHARE");
    let statements = Parser::parse_sql(&PostgreSqlDialect {}, &sql).map_err(|error| error.to_string())?;
    let statement = match statements.as_slice() {
        [Statement::Prepare { statement, .. }] => statement,
        [statement] => statement,
        // What is executed was prepared by a statement of its own.
        [begin @ Statement::StartTransaction { .. }, executed @ ..] if executed.iter().all(is_executed) => begin,
        _ => return Err(format!("{} statements in one", statements.len())),
    };
    match statement {
        Statement::Query(_) | Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => {}
        Statement::Copy { source: CopySource::Table { columns, .. }, to: false, .. } => {
            let first = columns.first().is_some_and(|column| column.value == COMPANY);
            let fault = || Classification::Fault(vec!["the company is not the first column".to_owned()]);
            return Ok(if first { Classification::OneCompany } else { fault() });
        }
        Statement::Set(_)
        | Statement::ShowVariable { .. }
        | Statement::StartTransaction { .. }
        | Statement::Execute { .. }
        | Statement::Commit { .. }
        | Statement::Rollback { .. }
        | Statement::Savepoint { .. }
        | Statement::ReleaseSavepoint { .. } => return Ok(Classification::NoTable),
        other => return Ok(Classification::Fault(vec![format!("not foreseen: {other}")])),
    }
    let mut classifier = Classifier::default();
    let ControlFlow::Continue(()) = statement.visit(&mut classifier);
    Ok(classifier.classification())
}

fn is_executed(statement: &Statement) -> bool {
    matches!(statement, Statement::Execute { .. })
}

#[derive(Default)]
struct Classifier {
    scopes: Scopes,
    /// The number of tables it names.
    tables: usize,
    /// Tables that it reads for any company.
    loose: Vec<String>,
    /// Tables that it writes for no company, or for any.
    wrong: Vec<String>,
    /// Whether it writes or locks.
    changes: bool,
    /// The number of queries around this place that lock their rows.
    locking: usize,
}

impl Classifier {
    fn classification(mut self) -> Classification {
        if self.scopes.parameters.len() > 1 && self.loose.is_empty() {
            self.wrong.push(format!("several parameters are companies: {:?}", self.scopes.parameters));
        }
        match (self.tables, self.loose.is_empty() && self.wrong.is_empty()) {
            (0, true) => Classification::NoTable,
            (_, true) => Classification::OneCompany,
            (..) if self.changes || !self.wrong.is_empty() => {
                let loose = self.loose.iter().map(|table| format!("{table} is not held to the company"));
                Classification::Fault(loose.chain(self.wrong).collect())
            }
            (..) => Classification::Read(self.loose),
        }
    }

    fn insert(&mut self, insert: &Insert) {
        self.changes = true;
        self.tables += 1;
        let name = match &insert.table {
            TableObject::TableName(name) => table(name),
            other => other.to_string(),
        };
        let columns = insert.columns.iter().map(table);
        let Some(at) = columns.into_iter().position(|column| column == COMPANY) else {
            return self.wrong.push(format!("{name} gets no company"));
        };
        let written = insert.source.as_ref().is_some_and(|source| self.gives_at(source, at));
        if !written {
            self.wrong.push(format!("{name} does not get the company"));
        }
    }

    /// Whether the value at this place of each row is the company.
    fn gives_at(&mut self, source: &Query, at: usize) -> bool {
        self.scopes.enter_query(source);
        let gives = match &*source.body {
            SetExpr::Values(values) => {
                values.rows.iter().all(|row| row.get(at).is_some_and(|value| self.scopes.is_company(value)))
            }
            SetExpr::Select(select) => {
                let scope = self.scopes.of_select(select);
                self.scopes.around.push(scope);
                // A wildcard before the place would move it.
                let plain = select.projection.iter().take(at + 1).all(is_expression);
                let value = plain.then(|| select.projection.get(at).and_then(expression)).flatten();
                let gives = value.is_some_and(|value| self.scopes.is_company(value));
                self.scopes.around.pop();
                gives
            }
            _ => false,
        };
        self.scopes.leave_query();
        gives
    }

    /// A distributed engine refuses a locking query unless each query within it names the company
    /// itself.
    fn within_locks(&mut self, query: &Query) {
        let mut alone = Self { scopes: self.scopes.without_around(), ..Self::default() };
        let ControlFlow::Continue(()) = query.visit(&mut alone);
        let loose = alone.loose.iter().map(|table| format!("{table} is held by what is around it, which locks"));
        self.wrong.extend(loose);
    }

    fn enter(&mut self, scope: super::scope::Scope) {
        self.loose.extend(scope.loose().map(str::to_owned));
        self.scopes.around.push(scope);
    }
}

fn is_expression(item: &SelectItem) -> bool {
    expression(item).is_some()
}

fn expression(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

impl Visitor for Classifier {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Infallible> {
        if self.locking > 0 {
            self.within_locks(query);
        }
        if !query.locks.is_empty() {
            self.changes = true;
            self.locking += 1;
        }
        self.scopes.enter_query(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Infallible> {
        self.scopes.leave_query();
        if !query.locks.is_empty() {
            self.locking -= 1;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Infallible> {
        self.tables += select.from.len();
        let scope = self.scopes.of_select(select);
        self.enter(scope);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &Select) -> ControlFlow<Infallible> {
        self.scopes.around.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<Infallible> {
        match statement {
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update(update) => {
                (self.changes, self.tables) = (true, self.tables + 1);
                let scope = self.scopes.of_update(update);
                self.enter(scope);
            }
            Statement::Delete(delete) => {
                (self.changes, self.tables) = (true, self.tables + 1);
                let scope = self.scopes.of_delete(delete);
                self.enter(scope);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_statement(&mut self, statement: &Statement) -> ControlFlow<Infallible> {
        if matches!(statement, Statement::Update(_) | Statement::Delete(_)) {
            self.scopes.around.pop();
        }
        ControlFlow::Continue(())
    }
}
