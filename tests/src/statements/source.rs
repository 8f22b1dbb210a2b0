//! The SQL in the store's source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use svc_core::domain::line_details::LineDetails;
use svc_core::domain::payable::PayableTaxes;
use svc_core::domain::tax::{Amounts, LineRates};
use svc_core::record::{Columns as _, Kind};

/// Files that assemble statements: their literals are pieces.
const ASSEMBLING: [&str; 3] = ["page/", "sources/", "stored.rs"];

/// SQL that no request and no worker sends: migrations, copies of companies, and the start of a
/// private server; and the texts that others include.
const APART: [&str; 4] = ["schema/", "fork", "local/", FRAGMENTS];

/// The file with texts that statements include: `concat!("SELECT ", columns!(), " FROM …")`.
const FRAGMENTS: &str = "fragment.rs";

/// Calls that join a text with others: `format!(…)`, `.push(…)`.
const JOINING: [&str; 5] = ["concat", "format", "push", "write", "QueryBuilder"];

/// The macro that names a text's parameters: `sql!("… WHERE clave = :clave", clave)`.
const NAMING: [&str; 3] = ["sql", "sql_text", "with_events"];

/// SQL that configures the session behind a pooler.
const CONTROL: &str = "; SET LOCAL ";

/// Words that a statement begins with.
const VERBS: [&str; 14] = [
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "WITH",
    "COPY",
    "SET",
    "SHOW",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "VALUES",
];

/// Words that make a text a piece of SQL.
const WORDS: [&str; 20] = [
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "FROM",
    "WHERE",
    "AND",
    "OR",
    "JOIN",
    "SET",
    "VALUES",
    "INTO",
    "ORDER",
    "LIMIT",
    "RETURNING",
    "LIKE",
    "EXISTS",
    "ANY",
    "UNION",
    "COPY",
];

/// The SQL in the store's source.
#[derive(Debug, Default)]
pub struct Source {
    /// Whole statements.
    pub statements: BTreeSet<String>,
    /// Pieces of assembled statements: parts that follow each other, with something between them.
    pieces: BTreeSet<Vec<String>>,
    /// The texts that statements include, by the name of their macro.
    fragments: BTreeMap<String, String>,
}

impl Source {
    /// All pieces, one by one.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().flatten().map(String::as_str)
    }

    /// The pieces that none of these statements contains.
    pub fn unseen<'s>(&'s self, sent: &BTreeSet<String>) -> Vec<&'s [String]> {
        let sent: Vec<String> = sent.iter().map(|statement| plain(statement)).collect();
        let seen = |piece: &[String]| sent.iter().any(|statement| follow(statement, piece));
        self.pieces.iter().map(Vec::as_slice).filter(|piece| !seen(piece)).collect()
    }
}

/// Reads all sources below `src`, except tests.
pub fn source(src: &Path) -> Source {
    let mut found = Source { fragments: fragments(&src.join(FRAGMENTS)), ..Source::default() };
    read(src, "", &mut found);
    assert!(!found.statements.is_empty(), "{} has no statements", src.display());
    found
}

fn read(dir: &Path, below: &str, found: &mut Source) {
    for entry in std::fs::read_dir(dir).expect("a readable source") {
        let path = entry.expect("a readable source").path();
        let name = format!("{below}{}", path.file_name().and_then(|name| name.to_str()).expect("a name"));
        if path.is_dir() {
            read(&path, &format!("{name}/"), found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !name.ends_with("tests.rs")
            && !APART.iter().any(|apart| name.starts_with(apart))
        {
            let text = std::fs::read_to_string(path).expect("a readable source");
            let tokens = text.parse().expect("a source in Rust");
            walk(tokens, ASSEMBLING.iter().any(|file| name.starts_with(file)), &[], found);
        }
    }
}

/// The macros of a file that stand for a text.
fn fragments(file: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(file).expect("a readable source");
    let tokens: Vec<TokenTree> = text.parse::<TokenStream>().expect("a source in Rust").into_iter().collect();
    let mut declared = BTreeMap::new();
    for window in tokens.windows(4) {
        if let [TokenTree::Ident(rules), _, TokenTree::Ident(name), TokenTree::Group(body)] = window
            && rules == "macro_rules"
            && let Some(text) = body.stream().into_iter().find_map(|token| arm_text(&token, &declared))
        {
            declared.insert(name.to_string(), text);
        }
    }
    declared
}

/// The text that a macro's arm stands for: a text, or a `concat!(…)` with fragments before it.
fn arm_text(token: &TokenTree, declared: &BTreeMap<String, String>) -> Option<String> {
    let TokenTree::Group(arm) = token else { return None };
    let mut inside = arm.stream().into_iter();
    let text = |token: TokenTree| match &token {
        TokenTree::Group(parts) => whole_text(parts.stream(), declared),
        _ => text_of(&token),
    };
    if arm.delimiter() == Delimiter::Brace { inside.find_map(text) } else { None }
}

/// The text of `concat!(…)`, if it consists of texts and of macros that stand for one.
fn whole_text(tokens: TokenStream, fragments: &BTreeMap<String, String>) -> Option<String> {
    let (mut whole, mut includes) = (String::new(), false);
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Literal(_) => whole += &text_of(&token)?,
            // The path of a fragment: `$crate::fragment::`.
            TokenTree::Ident(name) if name == "crate" || name == "fragment" => {}
            TokenTree::Ident(name) => {
                whole += fragments.get(&name.to_string())?;
                includes = true;
                // The mark and the parentheses.
                tokens.nth(1)?;
            }
            TokenTree::Punct(mark) if [',', '$', ':'].contains(&mark.as_char()) => {}
            _ => return None,
        }
    }
    includes.then_some(whole)
}

/// `joined` says that texts here are parts of others; `names` are those of their parameters, from
/// `$1` on.
fn walk(tokens: TokenStream, joined: bool, names: &[String], found: &mut Source) {
    let mut tokens = tokens.into_iter().peekable();
    let (mut joins, mut gives_names) = (false, false);
    while let Some(token) = tokens.next() {
        match token {
            // An attribute, which includes documentation. Code for tests only is skipped.
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                tokens.next_if(|next| matches!(next, TokenTree::Punct(inner) if inner.as_char() == '!'));
                if let Some(TokenTree::Group(attribute)) = tokens.next_if(|next| is_group(next, Delimiter::Bracket))
                    && attribute.to_string().replace(' ', "").starts_with("[cfg(test)")
                {
                    let ends = |token: &TokenTree| {
                        is_group(token, Delimiter::Brace)
                            || matches!(token, TokenTree::Punct(end) if end.as_char() == ';')
                    };
                    tokens.by_ref().find(ends);
                }
            }
            TokenTree::Ident(name) => {
                joins = JOINING.iter().any(|joining| name == joining);
                gives_names = NAMING.iter().any(|naming| name == naming)
                    && matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '!');
            }
            TokenTree::Group(group) if gives_names => {
                let (text, arguments) = text_and_arguments(group.stream());
                walk(text, joined, &argument_names(&arguments), found);
                gives_names = false;
            }
            TokenTree::Group(group) if joins && let Some(text) = whole_text(group.stream(), &found.fragments) => {
                note(&text, joined, names, found);
                joins = false;
            }
            TokenTree::Group(group) => {
                walk(group.stream(), joined || (joins && group.delimiter() == Delimiter::Parenthesis), names, found);
                joins = false;
            }
            TokenTree::Literal(_) => {
                if let Some(text) = text_of(&token) {
                    note(&text, joined, names, found);
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// The arguments of `sql!(…)` before the first comma, and after it.
fn text_and_arguments(tokens: TokenStream) -> (TokenStream, Vec<TokenTree>) {
    let mut tokens = tokens.into_iter();
    let text = tokens.by_ref().take_while(|token| !ends_argument(token)).collect();
    (text, tokens.collect())
}

/// The names of `empresa: self.empresa, clave; for line in lines { sku, cantidad: line.amount }`, or
/// `from row { folio, tipo }`.
fn argument_names(arguments: &[TokenTree]) -> Vec<String> {
    let columns = |token: &TokenTree| match token {
        TokenTree::Group(columns) if columns.delimiter() == Delimiter::Brace => {
            argument_names(&columns.stream().into_iter().collect::<Vec<_>>())
        }
        _ => Vec::new(),
    };
    let name = |argument: &[TokenTree]| match argument {
        [TokenTree::Ident(each), rows @ ..] if each == "for" || each == "from" => {
            rows.iter().flat_map(columns).collect()
        }
        [TokenTree::Punct(dot), .., TokenTree::Ident(part)] if dot.as_char() == '.' => {
            part_columns(&part.to_string()).iter().map(|(column, _)| (*column).to_owned()).collect()
        }
        [TokenTree::Ident(name)] => vec![name.to_string()],
        [TokenTree::Ident(name), TokenTree::Punct(colon), ..]
            if colon.as_char() == ':' && colon.spacing() == Spacing::Alone =>
        {
            vec![name.to_string()]
        }
        _ => Vec::new(),
    };
    arguments.split(ends_argument).flat_map(name).collect()
}

fn ends_argument(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if matches!(mark.as_char(), ',' | ';'))
}

/// The text as the driver sends it: with `$1` instead of `:empresa`.
fn numbered(text: &str, names: &[String]) -> String {
    let mut parts = text.split(':');
    let mut numbered = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        match names.iter().position(|name| *name == part[..end]) {
            // Not the second colon of a type, `::text`.
            Some(at) if !numbered.ends_with(':') => numbered = format!("{numbered}${}{}", at + 1, &part[end..]),
            _ => numbered = numbered + ":" + part,
        }
    }
    numbered
}

/// The columns of a struct that statements include as `{LineRates}`.
fn part_columns(part: &str) -> &'static [(&'static str, Kind)] {
    match part {
        "LineRates" => LineRates::COLUMNS,
        "LineDetails" => LineDetails::COLUMNS,
        "Amounts" => Amounts::COLUMNS,
        "PayableTaxes" => PayableTaxes::COLUMNS,
        _ => &[],
    }
}

/// The text with columns instead of structs, as `columns_in!` inserts them: `{r.Amounts}` is
/// `r.iva, r.total, …`.
fn with_columns(text: &str) -> String {
    let mut places = text.split('{');
    let mut whole = places.next().unwrap_or_default().to_owned();
    for place in places {
        let (place, rest) = place.split_once('}').unwrap_or((place, ""));
        let start = place.rfind([':', '.']).map_or(0, |at| at + 1);
        let (part, set) = place[start..].split_once(" = ").unwrap_or((&place[start..], ""));
        let (part, left_out) = part.split_once(" - ").unwrap_or((part, ""));
        let (part, is_array) = part.strip_suffix("[]").map_or((part, false), |part| (part, true));
        let column = |(column, kind): &(&str, Kind)| match (&place[..start], kind) {
            (_, Kind::Text) if is_array => format!(":{column}::text[]"),
            _ if is_array => format!(":{column}::numeric[]"),
            (alias, _) if set.is_empty() => format!("{alias}{column}"),
            _ => format!("{column} = {set}.{column}"),
        };
        match part_columns(part) {
            [] => whole = format!("{whole}{{{place}}}{rest}"),
            columns => {
                let columns: Vec<_> = columns.iter().filter(|(column, _)| *column != left_out).map(column).collect();
                whole = whole + &columns.join(", ") + rest;
            }
        }
    }
    whole
}

/// The text of a literal.
fn text_of(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else { return None };
    let literal = literal.to_string();
    Some(unescaped(literal.strip_prefix('"')?.strip_suffix('"')?))
}

/// Notes a text, if it is SQL.
fn note(text: &str, joined: bool, names: &[String], found: &mut Source) {
    let text = numbered(&with_columns(text), names);
    if text.starts_with("COPY ") {
        // The driver does not log COPY, but its first text is known.
        found.statements.insert(parts_of(&text).collect::<Vec<_>>().join("x"));
    } else if !joined && text.split_whitespace().next().is_some_and(|first| VERBS.contains(&first)) {
        found.statements.insert(text);
    } else if !text.starts_with(CONTROL)
        && text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| WORDS.contains(&word))
    {
        found.pieces.insert(parts_of(&without_names(&text)).map(plain).filter(|part| !part.is_empty()).collect());
    }
}

/// A text without its places, `{}`.
fn parts_of(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('{').enumerate();
    parts.map(|(at, part)| if at == 0 { part } else { part.split_once('}').map_or(part, |(_, rest)| rest) })
}

/// A piece whose parameters are named where it is assembled: with a placeholder for each, since
/// their numbers are not known here.
fn without_names(text: &str) -> String {
    let mut parts = text.split(':');
    let mut without = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
        let is_name = end > 0 && !without.ends_with(':');
        without = if is_name { without + "{}" + &part[end..] } else { without + ":" + part };
    }
    without
}

/// The text of a literal. A line that ends in a backslash continues with the first letter of the
/// next one.
fn unescaped(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + line.trim_start()).replace("\\\"", "\"").replace("\\\\", "\\")
}

/// With single spaces, and none at the ends.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether these parts follow each other in the text.
fn follow(text: &str, parts: &[String]) -> bool {
    let mut rest = text;
    parts.iter().all(|part| match rest.split_once(part.as_str()) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}
