//! Which tables of a statement are bound to the company: `t.empresa = $n`, or equal to one that is.

use std::collections::{BTreeSet, HashMap};

use sqlparser::ast::{
    BinaryOperator, Delete, Expr, FromTable, Ident, JoinConstraint, JoinOperator, ObjectName, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Statement, TableFactor, TableWithJoins, Update,
    UpdateTableFromKind, Value,
};

/// The column that every table is distributed by.
pub(super) const COMPANY: &str = "empresa";

/// A name in a FROM clause.
#[derive(Debug)]
struct Relation {
    alias: String,
    /// The table, unless it is a subquery or a function.
    table: Option<String>,
    /// Whether a function makes its rows, which belong to no company.
    is_function: bool,
    /// Whether its column `empresa` is the company.
    held: bool,
}

/// The names that an expression may use.
#[derive(Debug, Default)]
pub(super) struct Scope(Vec<Relation>);

impl Scope {
    /// The tables that may have rows of any company here.
    pub(super) fn loose(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|one| !one.held).filter_map(|one| one.table.as_deref())
    }

    fn of_alias(&self, alias: &str) -> Option<usize> {
        self.0.iter().position(|one| one.alias == alias)
    }
}

/// The scopes around a place in a statement, and the common table expressions.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    pub(super) around: Vec<Scope>,
    /// Whether the column `empresa` of each is the company.
    ctes: Vec<HashMap<String, bool>>,
    /// The parameters that hold the company.
    pub(super) parameters: BTreeSet<String>,
}

impl Scopes {
    /// The common table expressions of this place, without the outer names.
    pub(super) fn without_around(&self) -> Self {
        Self { ctes: self.ctes.clone(), ..Self::default() }
    }

    /// Enters the common table expressions of a query, in order; [`Scopes::leave_query`] leaves
    /// them.
    pub(super) fn enter_query(&mut self, query: &Query) {
        self.ctes.push(HashMap::new());
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let held = self.gives_company(&cte.query);
            self.ctes.last_mut().expect("just pushed").insert(cte.alias.name.value.clone(), held);
        }
    }

    pub(super) fn leave_query(&mut self) {
        self.ctes.pop();
    }

    /// The names of a FROM clause, and what its conditions say about them.
    pub(super) fn of_select(&mut self, select: &Select) -> Scope {
        self.of(&select.from, select.selection.as_ref())
    }

    pub(super) fn of_update(&mut self, update: &Update) -> Scope {
        let mut tables = vec![update.table.clone()];
        if let Some(UpdateTableFromKind::BeforeSet(more) | UpdateTableFromKind::AfterSet(more)) = &update.from {
            tables.extend(more.iter().cloned());
        }
        self.of(&tables, update.selection.as_ref())
    }

    pub(super) fn of_delete(&mut self, delete: &Delete) -> Scope {
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
        let tables: Vec<_> = tables.iter().chain(delete.using.iter().flatten()).cloned().collect();
        self.of(&tables, delete.selection.as_ref())
    }

    fn of(&mut self, tables: &[TableWithJoins], condition: Option<&Expr>) -> Scope {
        let mut equal = Vec::new();
        if let Some(condition) = condition {
            equalities(condition, &mut equal);
        }
        let mut factors = Vec::new();
        for table in tables {
            factors.push(&table.relation);
            for join in &table.joins {
                factors.push(&join.relation);
                if let Some(condition) = condition_of(&join.join_operator) {
                    equalities(condition, &mut equal);
                }
            }
        }
        self.around.push(Scope::default());
        for factor in factors {
            let relation = self.relation(factor);
            self.around.last_mut().expect("just pushed").0.push(relation);
            // The rest may be lateral.
            self.hold(&equal);
        }
        self.around.pop().expect("just pushed")
    }

    /// Binds whatever is equal to the company, until nothing else is.
    fn hold(&mut self, equal: &[(Expr, Expr)]) {
        let mut again = true;
        while again {
            again = false;
            for (left, right) in equal {
                for (column, value) in [(left, right), (right, left)] {
                    if let Some(at) = self.loose_column(column)
                        && self.is_company(value)
                    {
                        self.around.last_mut().expect("a scope").0[at].held = true;
                        again = true;
                    }
                }
            }
        }
    }

    /// The relation of the innermost scope that this column is the company of, if it is not bound
    /// yet.
    fn loose_column(&self, expr: &Expr) -> Option<usize> {
        let scope = self.around.last()?;
        let at = match path(expr)?.as_slice() {
            [column] if column == COMPANY => {
                let mut all = (0..scope.0.len()).filter(|at| !scope.0[*at].is_function);
                all.next().filter(|_| all.next().is_none())?
            }
            [alias, column] if column == COMPANY => scope.of_alias(alias)?,
            _ => return None,
        };
        (!scope.0[at].held && !scope.0[at].is_function).then_some(at)
    }

    /// Whether an expression is the company: a parameter, or a bound column.
    pub(super) fn is_company(&mut self, expr: &Expr) -> bool {
        if let Expr::Value(value) = expr
            && let Value::Placeholder(parameter) = &value.value
        {
            self.parameters.insert(parameter.clone());
            return true;
        }
        let Some(path) = path(expr) else { return false };
        match path.as_slice() {
            [column] if column == COMPANY => {
                let scope = self.around.iter().rev().find(|scope| scope.0.iter().any(|one| !one.is_function));
                scope.is_some_and(|scope| scope.0.iter().filter(|one| !one.is_function).all(|one| one.held))
            }
            [alias, column] if column == COMPANY => {
                let found = self.around.iter().rev().find_map(|scope| Some(&scope.0[scope.of_alias(alias)?]));
                found.is_some_and(|one| one.held)
            }
            _ => false,
        }
    }

    fn relation(&mut self, factor: &TableFactor) -> Relation {
        let function = |alias: String| Relation { alias, table: None, is_function: true, held: false };
        let named = |alias: &Option<sqlparser::ast::TableAlias>| alias.as_ref().map(|alias| alias.name.value.clone());
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let own = table(name);
                let alias = named(alias).unwrap_or_else(|| own.clone());
                match self.ctes.iter().rev().find_map(|ctes| ctes.get(&own)) {
                    Some(&held) => Relation { alias, table: None, is_function: false, held },
                    None => Relation { alias, table: Some(own), is_function: false, held: false },
                }
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let held = self.gives_company(subquery);
                Relation { alias: named(alias).unwrap_or_default(), table: None, is_function: false, held }
            }
            TableFactor::Table { name, alias, .. } => function(named(alias).unwrap_or_else(|| table(name))),
            TableFactor::UNNEST { alias, .. } | TableFactor::Function { alias, .. } => {
                function(named(alias).unwrap_or_default())
            }
            other => panic!("not foreseen in a FROM clause: {other}"),
        }
    }

    /// Whether the column `empresa` of a query's rows is the company.
    fn gives_company(&mut self, query: &Query) -> bool {
        self.enter_query(query);
        let gives = self.body_gives_company(&query.body);
        self.leave_query();
        gives
    }

    fn body_gives_company(&mut self, body: &SetExpr) -> bool {
        match body {
            SetExpr::Select(select) => {
                let scope = self.of_select(select);
                self.around.push(scope);
                let gives = self.list_gives_company(&select.projection);
                self.around.pop();
                gives
            }
            SetExpr::Query(query) => self.gives_company(query),
            SetExpr::SetOperation { left, right, .. } => {
                self.body_gives_company(left) && self.body_gives_company(right)
            }
            SetExpr::Insert(Statement::Insert(insert)) => {
                // The inserted rows are checked where they stand.
                insert.returning.iter().flatten().any(|item| item.to_string() == COMPANY)
            }
            SetExpr::Update(Statement::Update(update)) => {
                let scope = self.of_update(update);
                self.returns_company(scope, update.returning.as_deref())
            }
            SetExpr::Delete(Statement::Delete(delete)) => {
                let scope = self.of_delete(delete);
                self.returns_company(scope, delete.returning.as_deref())
            }
            _ => false,
        }
    }

    fn returns_company(&mut self, scope: Scope, returning: Option<&[SelectItem]>) -> bool {
        self.around.push(scope);
        let gives = returning.is_some_and(|list| self.list_gives_company(list));
        self.around.pop();
        gives
    }

    fn list_gives_company(&mut self, list: &[SelectItem]) -> bool {
        list.iter().any(|item| match item {
            SelectItem::UnnamedExpr(expr) => {
                path(expr).is_some_and(|path| path.last().is_some_and(|name| name == COMPANY)) && self.is_company(expr)
            }
            SelectItem::ExprWithAlias { expr, alias } => alias.value == COMPANY && self.is_company(expr),
            SelectItem::Wildcard(_) => self.is_company(&Expr::Identifier(Ident::new(COMPANY))),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                self.is_company(&Expr::CompoundIdentifier(vec![Ident::new(table(name)), Ident::new(COMPANY)]))
            }
            _ => false,
        })
    }
}

/// A name without its quotes.
pub(super) fn table(name: &ObjectName) -> String {
    name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.clone()).unwrap_or_default()
}

/// The parts of a column's name.
fn path(expr: &Expr) -> Option<Vec<String>> {
    match expr {
        Expr::Identifier(ident) => Some(vec![ident.value.clone()]),
        Expr::CompoundIdentifier(idents) => Some(idents.iter().map(|ident| ident.value.clone()).collect()),
        Expr::Nested(expr) => path(expr),
        _ => None,
    }
}

/// The equalities that hold in every row.
fn equalities(condition: &Expr, found: &mut Vec<(Expr, Expr)>) {
    match condition {
        Expr::Nested(inner) => equalities(inner, found),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            equalities(left, found);
            equalities(right, found);
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => match (&**left, &**right) {
            (Expr::Tuple(left), Expr::Tuple(right)) => found.extend(left.iter().cloned().zip(right.iter().cloned())),
            (left, right) => found.push((left.clone(), right.clone())),
        },
        _ => {}
    }
}

fn condition_of(join: &JoinOperator) -> Option<&Expr> {
    let (JoinOperator::Join(constraint)
    | JoinOperator::Inner(constraint)
    | JoinOperator::Left(constraint)
    | JoinOperator::LeftOuter(constraint)
    | JoinOperator::CrossJoin(constraint)) = join
    else {
        panic!("not foreseen as a join: {join:?}")
    };
    match constraint {
        JoinConstraint::On(condition) => Some(condition),
        JoinConstraint::None => None,
        other => panic!("not foreseen as a condition of a join: {other:?}"),
    }
}
