//! The statements of all lists as they are sent, in `snapshots/`, to be reviewed, copied and run
//! (in psql after `\bind 1 …`). `$1` is the company; the values of filters follow in their order.

use chrono::DateTime;
use svc_core::record::Value;
use svc_core::record::{Condition, Filter, ListSpec, Query, Takes};
use svc_core::registry::OPERATIONS;
use uuid::Uuid;

use super::PageQuery;
use crate::sources;

/// If set, the snapshots are rewritten.
const REWRITE: &str = "SVC_REWRITE_SNAPSHOTS";

/// Filters that a query of a list has by default, or because the list requires one of them.
const USUAL: [(&str, &[&str]); 6] = [
    ("/compras-renglones", &["compra"]),
    ("/cxc", &["estatus"]),
    ("/cxp", &["estatus"]),
    ("/movimientos-inventario", &["sku"]),
    ("/ventas", &["tipo", "cancelada"]),
    ("/ventas-renglones", &["venta"]),
];

fn lists() -> impl Iterator<Item = &'static ListSpec> {
    OPERATIONS.iter().filter_map(svc_core::operation::Entry::declared_list)
}

/// Values of the filter, one for each statement that it may make.
fn samples(takes: Takes) -> Vec<Value<'static>> {
    match takes {
        Takes::Integer => vec![Value::Integer(7)],
        Takes::Boolean => vec![Value::Boolean(true), Value::Boolean(false)],
        Takes::Choice(words) | Takes::EventKind(words) => {
            words.iter().map(|word| Value::Text((*word).into())).collect()
        }
        Takes::Search => vec![Value::Texts(vec!["tornillo".to_owned(), "acero".to_owned()])],
        Takes::Bound(_) => vec![Value::Instant(DateTime::UNIX_EPOCH)],
        Takes::Uuid => vec![Value::Text(Uuid::nil().to_string().into())],
        _ => vec![Value::Text("texto".into())],
    }
}

fn condition(filter: &'static Filter) -> Condition {
    Condition { filter, value: samples(filter.takes).swap_remove(0) }
}

/// The conditions of the filters in [`USUAL`]; booleans are false by default.
fn usual(list: &'static ListSpec) -> Vec<Condition> {
    let names = USUAL.iter().find(|(path, _)| *path == list.path).map_or(&[][..], |(_, names)| names);
    let usual = list.filters.iter().filter(|filter| names.contains(&filter.name));
    let value = |filter: &Filter| samples(filter.takes).into_iter().find(|value| *value == Value::Boolean(false));
    usual.map(|filter| Condition { value: value(filter).unwrap_or(condition(filter).value), filter }).collect()
}

fn statement(list: &'static ListSpec, conditions: Vec<Condition>, after: Option<i64>) -> String {
    let mut query = Query::new(list, after, 30, DateTime::UNIX_EPOCH);
    query.under = list.parent.map(|_| 1);
    query.conditions = conditions;
    PageQuery::of(sources::of(list.table), list, &query, 1).into_sql().sql().as_str().to_owned()
}

/// The statement's lines without the numbers of parameters, without words, and without LIMIT, which
/// is a parameter or a number with any filter.
fn lines(statement: &str) -> Vec<String> {
    let numberless = |line: &str| {
        line.split(' ').map(|word| if word.starts_with(['$', '\'']) { "$" } else { word }).collect::<Vec<_>>().join(" ")
    };
    statement.lines().filter(|line| !line.trim_start().starts_with("LIMIT")).map(numberless).collect()
}

/// Whether a line compares a column with a value, is a boolean column, or orders by a column of one
/// value.
fn is_comparison(line: &str) -> bool {
    let words: Vec<_> = line.trim_start().split(' ').collect();
    let is_outermost = line.starts_with("  AND ") || line.starts_with("ORDER BY ");
    is_outermost
        && matches!(
            words[..],
            ["AND", _]
                | ["AND", "NOT", _]
                | ["AND", _, "=" | ">=" | "<=", "$"]
                | ["AND", "$", "=", _]
                | ["AND", _, "BETWEEN", "$", "AND", "$"]
                | ["ORDER", "BY", _, "clave" | "c.clave" | "m.clave" | "p.clave" | "r.clave" | "v.clave" | "x.clave"]
        )
}

/// The statement of the first filter that orders the page.
fn ordered(list: &'static ListSpec) -> Option<(String, String)> {
    list.filters.iter().find_map(|filter| {
        let mut conditions: Vec<_> = usual(list).into_iter().filter(|other| other.filter.name != filter.name).collect();
        conditions.push(condition(filter));
        let statement = statement(list, conditions, Some(100));
        let title = format!("One value, here of `{}`, a later page", filter.name);
        statement.contains(" BETWEEN $").then_some((title, statement))
    })
}

/// The statements of a filter beside the usual ones that differ from those by more than
/// comparisons, each with the filter's value. The filter of a range's beginning comes with that of
/// its end.
fn alone(list: &'static ListSpec, filter: &'static Filter) -> Vec<(String, String)> {
    let others = if list.requires.contains(&filter.name) { Vec::new() } else { usual(list) };
    let others: Vec<_> = others.into_iter().filter(|other| other.filter.name != filter.name).collect();
    let plain = lines(&statement(list, others.clone(), Some(100)));
    let end = filter.name.strip_suffix("_desde").map(|range| format!("{range}_hasta"));
    let end = list.filters.iter().find(|other| Some(other.name) == end.as_deref());
    let mut shown: Vec<(Vec<String>, String, String)> = Vec::new();
    for value in samples(filter.takes) {
        let title = match (&value, end) {
            (Value::Boolean(value), _) => format!("`{}={value}`", filter.name),
            (Value::Text(word), _) if matches!(filter.takes, Takes::Choice(_)) => format!("`{}={word}`", filter.name),
            (_, Some(end)) => format!("`{}` to `{}`", filter.name, end.name),
            _ => format!("`{}`", filter.name),
        };
        let mut conditions = others.clone();
        conditions.push(Condition { filter, value });
        conditions.extend(end.map(condition));
        let statement = statement(list, conditions, Some(100));
        let lines = lines(&statement);
        let is_simple = lines.iter().all(|line| plain.contains(line) || is_comparison(line));
        if !is_simple && shown.iter().all(|(other, ..)| *other != lines) {
            shown.push((lines, title, statement));
        }
    }
    shown.into_iter().map(|(_, title, statement)| (title, statement)).collect()
}

/// The statements of a list: with the usual filters, with all, and those of single filters that are
/// more than a comparison with a column.
fn snapshot(list: &'static ListSpec) -> String {
    let usual = usual(list);
    let names: Vec<_> = usual.iter().map(|condition| format!("`{}`", condition.filter.name)).collect();
    let title = if names.is_empty() { "No filter".to_owned() } else { format!("Only {}", names.join(" and ")) };
    let all = list.filters.iter().map(condition).collect();
    let mut shown = vec![
        (format!("{title}, the first page"), statement(list, usual, None)),
        ("All filters, a later page".to_owned(), statement(list, all, Some(100))),
    ];
    shown.extend(ordered(list));
    let single = list.filters.iter().flat_map(|filter| alone(list, filter));
    shown.extend(single.map(|(title, statement)| (format!("The filter {title}, a later page"), statement)));
    let shown = shown.iter().map(|(title, statement)| format!("-- {title}.\n{statement};\n"));
    format!("-- {}\n{}", list.path, shown.collect::<Vec<_>>().join("\n"))
}

#[test]
fn the_snapshots_are_the_statements_of_the_lists() {
    let folder = format!("{}/src/page/snapshots", env!("CARGO_MANIFEST_DIR"));
    let mut stale = Vec::new();
    for list in lists() {
        let file = format!("{folder}/{}.sql", list.path.trim_start_matches('/').replace(['/', '{', '}'], "_"));
        let made = snapshot(list);
        if std::env::var_os(REWRITE).is_some() {
            std::fs::write(&file, &made).expect("a snapshot");
        }
        if std::fs::read_to_string(&file).unwrap_or_default() != made {
            stale.push(list.path);
        }
    }
    assert!(stale.is_empty(), "{REWRITE}=1 cargo test -p svc-store-postgres --lib page writes these anew: {stale:?}");
}

#[test]
fn only_conditions_beyond_a_comparison_are_shown_alone() {
    for simple in [
        "  AND x.clave = $",
        "  AND fecha >= $",
        "  AND NOT kit",
        "  AND activo",
        "  AND $ = v.tipo",
        "  AND v.cliente BETWEEN $ AND $",
        "ORDER BY v.cliente, v.clave",
    ] {
        assert!(is_comparison(simple), "{simple}");
    }
    for shape in
        ["  AND saldo > 0", "  AND x.producto = ANY (ARRAY(SELECT …))", "ORDER BY v.clave + 0", "    FROM marcas n"]
    {
        assert!(!is_comparison(shape), "{shape}");
    }
}
