//! Checks that the files of a crate import only from their own layer and those below.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The layers of a crate, lowest first: name, and its top-level modules. A file imports from its
/// own layer and from those below.
pub type Layers = [(&'static str, &'static [&'static str])];

/// The places, beside the top level, where circles are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// In every folder, down to single files.
    Folders,
    /// At the top level only.
    Nothing,
}

/// The text of each file, by its path below `src` without `.rs`.
type Sources = BTreeMap<String, String>;

/// The nodes (files or folders) that each node imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The same for given files: path below `src` without `.rs`, text.
pub fn offenders_among(files: &[(&str, &str)], layers: &Layers, inside: Inside) -> Vec<String> {
    let sources = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    violations(&sources, layers, inside)
}

/// Imports of the files below `src` that go up the layers or in a circle, one per line. Tests may
/// import from anywhere.
pub fn offenders(src: &Path, layers: &Layers, inside: Inside) -> Vec<String> {
    let mut sources = Sources::new();
    read(src, "", &mut sources);
    assert!(!sources.is_empty(), "{} has no sources", src.display());
    violations(&sources, layers, inside)
}

/// Names of types that several files below `src` declare, with these files, one per line. Types of
/// tests may share a name.
pub fn repeated_types(src: &Path) -> Vec<String> {
    let mut sources = Sources::new();
    read(src, "", &mut sources);
    let mut declared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, text) in sources.iter().filter(|(file, _)| !is_test(file)) {
        let mut depth = 0;
        for window in tokens(text).windows(3) {
            match window {
                ["mod", "tests", "{"] => break,
                ["{", ..] => depth += 1,
                ["}", ..] => depth -= 1,
                // Within braces a `type` is an associated type of an implementation.
                ["type", ..] if depth > 0 => {}
                ["struct" | "enum" | "trait" | "type", name, _] if name.starts_with(char::is_uppercase) => {
                    declared.entry(name).or_default().push(file);
                }
                _ => {}
            }
        }
    }
    let repeated = declared.into_iter().filter(|(_, files)| files.len() > 1);
    repeated.map(|(name, files)| format!("{name}: {}", files.join(", "))).collect()
}

/// Whether a file holds only tests, which may import from anywhere.
fn is_test(file: &str) -> bool {
    file == "tests" || file.ends_with("/tests")
}

fn read(dir: &Path, below: &str, sources: &mut Sources) {
    for entry in std::fs::read_dir(dir).expect("a readable source") {
        let path = entry.expect("a readable source").path();
        let name =
            format!("{below}{}", path.file_stem().expect("a readable source").to_str().expect("a readable source"));
        if path.is_dir() {
            read(&path, &format!("{name}/"), sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.insert(name, std::fs::read_to_string(path).expect("a readable source"));
        }
    }
}

/// The faults of these files, one per line.
fn violations(sources: &Sources, layers: &Layers, inside: Inside) -> Vec<String> {
    let imports: Imports = sources
        .iter()
        .filter(|(file, _)| !is_test(file))
        .map(|(file, text)| (file.clone(), imports_of(file, text, sources)))
        .collect();
    let mut found: Vec<String> = imports
        .keys()
        .filter(|file| layer(layers, file).is_none())
        .map(|file| format!("{file} is in no layer"))
        .collect();
    for (file, imported) in imports.iter().flat_map(|(file, all)| all.iter().map(move |imported| (file, imported))) {
        if let (Some(own), Some(other)) = (layer(layers, file), layer(layers, imported))
            && own < other
        {
            found.push(format!("{file} ({}) imports {imported} ({})", layers[own].0, layers[other].0));
        }
    }
    if !found.is_empty() {
        return found;
    }
    // In each folder separately, with each of its subfolders as one node.
    let folders: BTreeSet<&str> = match inside {
        Inside::Folders => imports.keys().flat_map(|file| folders_of(file)).collect(),
        Inside::Nothing => BTreeSet::from([""]),
    };
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

/// The folders that contain a file, outermost first: `""`, `"demo/"`, `"demo/data/"`.
fn folders_of(file: &str) -> Vec<&str> {
    let ends = file.match_indices('/').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).map(|end| &file[..end]).collect()
}

fn layer(layers: &Layers, file: &str) -> Option<usize> {
    let unit = file.split('/').next()?;
    layers.iter().position(|(_, units)| units.contains(&unit))
}

/// A path from a node back to itself, if there is one.
fn circle(imports: &Imports) -> Option<Vec<String>> {
    let mut left: BTreeSet<&String> = imports.keys().collect();
    // A node that imports no remaining node is in no circle.
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

/// The files that a file imports from: by `use`, by a path in its code, or as its own modules.
fn imports_of(file: &str, text: &str, sources: &Sources) -> BTreeSet<String> {
    let mut module: Vec<&str> = file.split('/').collect();
    if matches!(module.last(), Some(&("mod" | "main" | "lib"))) {
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

/// Reads the tree of paths that begins at a token, each below `prefix`; returns where it ends.
fn tree<'a>(tokens: &[&'a str], mut at: usize, prefix: &[&'a str], paths: &mut Vec<Vec<&'a str>>) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(&"{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = tree(tokens, at, &path, paths);
                    // The comma, or the new name of a renamed import.
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

/// The file that a path leads into: that of the last module it names.
fn resolve(path: &[&str], module: &[&str], sources: &Sources) -> Option<String> {
    let mut at = if path.first() == Some(&"crate") { Vec::new() } else { module.to_vec() };
    let file = |module: &[&str]| {
        let name = module.join("/");
        let root = ["main", "lib"].map(str::to_owned).into_iter().filter(|_| module.is_empty());
        root.chain([format!("{name}/mod"), name]).find(|name| sources.contains_key(name))
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
            // A character; otherwise a lifetime, whose name counts as any other.
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
