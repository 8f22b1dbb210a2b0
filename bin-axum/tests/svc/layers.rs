//! Imports in `src` go one way: down the table of layers, and never in a circle of files or of folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Lowest first. A file imports from its own layer and from those below.
const LAYERS: [(&str, &[&str]); 8] = [
    ("shared by all", &["failure", "metric_names"]),
    ("the command line", &["cli", "output"]),
    ("parts of a process", &["accept", "database", "shutdown", "telemetry", "usage", "workers"]),
    ("the two servers", &["admin", "server"]),
    ("what is served", &["serving"]),
    ("the demo", &["demo"]),
    ("the commands", &["commands"]),
    ("the process", &["main"]),
];

/// The text of each file, by its path below `src` without `.rs`.
type Sources = BTreeMap<String, String>;

/// The nodes (files or folders) that each node imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn imports_go_down_the_layers_and_in_no_circle() {
    let mut sources = Sources::new();
    read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), "", &mut sources);
    assert!(sources.len() > 50 && sources.contains_key("commands/listen/mod"), "{:?}", sources.keys());
    let found = violations(&sources);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn an_import_that_is_turned_round_is_found() {
    let of = |files: &[(&str, &str)]| {
        violations(&files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect())
    };
    assert_eq!(of(&[("main", "mod cli;\nmod demo;"), ("cli", ""), ("demo", "use crate::cli::Cli;")]), [""; 0]);
    assert_eq!(
        of(&[("cli", "fn f() { crate::demo::run(); }"), ("demo/mod", "mod access;"), ("demo/access", "")]),
        ["cli (the command line) imports demo/mod (the demo)"]
    );
    assert_eq!(of(&[("news", "")]), ["news is in no layer"]);
    assert_eq!(
        of(&[
            ("demo/mod", "mod a; mod b;"),
            ("demo/a", "use super::{b::B, b::{self}};"),
            ("demo/b", "use super::a::A;")
        ]),
        ["in src/demo/: demo/a → demo/b → demo/a"]
    );
    assert_eq!(
        of(&[("demo/mod", "mod guide;\n pub(in super::super) struct A;"), ("demo/guide", "use super::A;")]),
        ["in src/demo/: demo/guide → demo/mod → demo/guide"]
    );
    // The files make no circle, and the folders do.
    let folders = [
        ("server/mod", "use crate::admin::names;"),
        ("server/retry", ""),
        ("admin/mod", "use crate::server::retry;"),
        ("admin/names", ""),
    ];
    assert_eq!(of(&folders), ["in src/: admin → server → admin"]);
    let no_imports = r##"
        // use crate::demo::A;
        /* use crate::demo::A; */
        const A: (&str, &str, char) = ("\"use crate::demo::A;", r#"" use crate::demo::A"#, '"');
        #[cfg(test)]
        mod tests { use crate::demo::A; }"##;
    assert_eq!(of(&[("cli", no_imports), ("demo", "")]), [""; 0]);
}

fn read(dir: &Path, below: &str, sources: &mut Sources) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_stem().unwrap().to_str().unwrap());
        if path.is_dir() {
            read(&path, &format!("{name}/"), sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.insert(name, std::fs::read_to_string(path).unwrap());
        }
    }
}

/// What is wrong with these files, a line each.
fn violations(sources: &Sources) -> Vec<String> {
    // Tests may reach anywhere.
    let is_test = |file: &str| file == "tests" || file.ends_with("/tests");
    let imports: Imports = sources
        .iter()
        .filter(|(file, _)| !is_test(file))
        .map(|(file, text)| (file.clone(), imports_of(file, text, sources)))
        .collect();
    let mut found: Vec<String> =
        imports.keys().filter(|file| layer(file).is_none()).map(|file| format!("{file} is in no layer")).collect();
    for (file, imported) in imports.iter().flat_map(|(file, all)| all.iter().map(move |imported| (file, imported))) {
        if let (Some(own), Some(other)) = (layer(file), layer(imported))
            && own < other
        {
            found.push(format!("{file} ({}) imports {imported} ({})", LAYERS[own].0, LAYERS[other].0));
        }
    }
    if !found.is_empty() {
        return found;
    }
    // In each folder separately, with each of its subfolders as one.
    let folders: BTreeSet<&str> = imports.keys().flat_map(|file| folders_of(file)).collect();
    for folder in folders {
        let unit = |file: &str| {
            let rest = file.strip_prefix(folder)?;
            Some(format!("{folder}{}", rest.split('/').next()?))
        };
        let mut units = Imports::new();
        for (file, all) in &imports {
            let Some(from) = unit(file) else { continue };
            let to = all.iter().filter_map(|imported| unit(imported)).filter(|to| *to != from);
            units.entry(from.clone()).or_default().extend(to);
        }
        found.extend(circle(&units).map(|circle| format!("in src/{folder}: {}", circle.join(" → "))));
    }
    found
}

/// The folders that a file lies in, the outermost first: `""`, `"demo/"`, `"demo/data/"`.
fn folders_of(file: &str) -> Vec<&str> {
    let ends = file.match_indices('/').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).map(|end| &file[..end]).collect()
}

fn layer(file: &str) -> Option<usize> {
    let unit = file.split('/').next()?;
    LAYERS.iter().position(|(_, units)| units.contains(&unit))
}

/// A path from a node back to itself, if there is one.
fn circle(imports: &Imports) -> Option<Vec<String>> {
    let mut left: BTreeSet<&String> = imports.keys().collect();
    // What imports nothing that is left is in no circle.
    while let Some(&done) = left.iter().find(|node| imports[**node].iter().all(|to| !left.contains(to))) {
        left.remove(done);
    }
    let mut way = vec![(*left.first()?).clone()];
    loop {
        let next = imports[way.last()?].iter().find(|to| left.contains(to))?.clone();
        if let Some(start) = way.iter().position(|node| *node == next) {
            way.drain(..start);
            way.push(next);
            return Some(way);
        }
        way.push(next);
    }
}

/// The files that a file imports from: by `use`, by a path in its code, or as modules of its own.
fn imports_of(file: &str, text: &str, sources: &Sources) -> BTreeSet<String> {
    let mut module: Vec<&str> = file.split('/').collect();
    if matches!(module.last(), Some(&("mod" | "main"))) {
        module.pop();
    }
    let tokens = tokens(text);
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at..] {
            ["mod", "tests", "{", ..] => break,
            ["mod", child, ";", ..] => paths.push(vec!["self", child]),
            ["(", "in", ..] => at += 2,
            ["crate" | "self" | "super", "::", ..] => {
                at = tree(&tokens, at, &[], &mut paths);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    let resolved = paths.iter().filter_map(|path| resolve(path, &module, sources));
    resolved.filter(|imported| imported != file && !imported.ends_with("/tests")).collect()
}

/// Reads the tree of paths that begins at a token, each below `prefix`; gives where it ends.
fn tree<'a>(tokens: &[&'a str], mut at: usize, prefix: &[&'a str], paths: &mut Vec<Vec<&'a str>>) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(&"{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = tree(tokens, at, &path, paths);
                    // The comma, or what a name is renamed to.
                    while tokens.get(at).is_some_and(|token| *token != "}" && *token != ",") {
                        at += 1;
                    }
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            Some(name) => path.push(name),
            None => return at,
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            paths.push(path);
            return at;
        }
        at += 1;
    }
}

/// The file that a path leads into: the one of the last module that it names.
fn resolve(path: &[&str], module: &[&str], sources: &Sources) -> Option<String> {
    let mut at = if path.first() == Some(&"crate") { Vec::new() } else { module.to_vec() };
    let file = |module: &[&str]| {
        let name = if module.is_empty() { "main".to_owned() } else { module.join("/") };
        [format!("{name}/mod"), name].into_iter().find(|name| sources.contains_key(name))
    };
    for segment in path {
        match *segment {
            "crate" | "self" => {}
            "super" => drop(at.pop()),
            name => {
                at.push(name);
                if file(&at).is_none() {
                    at.pop();
                    break;
                }
            }
        }
    }
    file(&at)
}

/// A text's names and punctuation, without comments, strings and characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let raw = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r').map(|raw| raw.trim_start_matches('#'));
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(raw) = raw.filter(|raw| raw.starts_with('"')) {
            let begin = rest.len() - raw.len();
            let end = format!("\"{}", "#".repeat(rest[..begin].matches('#').count()));
            raw[1..].find(&end).map_or(rest.len(), |found| begin + 1 + found + end.len())
        } else if first == '"' {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|(_, sign)| {
                let ends = *sign == '"' && !escaped;
                escaped = *sign == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |(at, _)| at + 1)
        } else if first == '\'' {
            // A character; else it is a lifetime, whose name counts as any other.
            let mut signs = rest.char_indices().skip(1);
            let escape = rest[1..].starts_with('\\');
            let end = signs.nth(if escape { 2 } else { 1 }).filter(|(_, sign)| escape || *sign == '\'');
            end.and_then(|(at, _)| rest[at..].find('\'').map(|more| at + more + 1)).unwrap_or(1)
        } else {
            let name = rest.find(|sign: char| sign != '_' && !sign.is_alphanumeric()).unwrap_or(rest.len());
            let length = if name > 0 {
                name
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            tokens.push(&rest[..length]);
            length
        };
        rest = rest[length..].trim_start();
    }
    tokens
}
