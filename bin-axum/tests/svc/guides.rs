//! The guides tell the truth: their commands run against the demo and answer what they show, and
//! the requests and commands that they name exist.
//!
//! A block of `sh` is run, all blocks of a guide in one shell. A block `json 201` after it is the
//! last request's status and part of its answer: numbers may differ, and `…` in a text stands for
//! anything. Blocks of other languages are [`OTHER`].

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use nix::sys::signal::Signal;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use serde_json::Value;
use svc_core::{Language, openapi};
use tempfile::TempDir;

use crate::harness::{Demo, Svc};
use crate::verifiers::has;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../svc-core/docs/guides");

/// Blocks that are no commands, by guide and language, and where they are tested.
const OTHER: &[(&str, &str, &str)] = &[
    ("agents", "json", "a client's settings; `mcp` runs the command in them"),
    ("clients", "ts", "`.ci/clients` runs it"),
    ("clients", "python", "`.ci/clients` runs it"),
    ("clients", "php", "`.ci/clients` runs it"),
    ("pages", "python", "run below"),
    ("webhooks", "python", "`verifiers` runs it"),
    ("webhooks", "js", "`verifiers` runs it"),
    ("webhooks", "php", "`verifiers` runs it"),
    ("webhooks", "go", "`verifiers` runs it"),
    ("webhooks", "rust", "an example of the crate"),
];

/// Prepared before a guide's commands: every status goes to stderr.
const PRELUDE: &str = "set -eu\ncurl() { command curl -w '%{stderr}%{http_code}\\n' \"$@\"; }\n";

/// A block of code in a page.
pub(crate) struct Block {
    pub(crate) info: String,
    pub(crate) text: String,
}

/// The names of all guides.
fn guides() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".md")?.to_owned()))
        .filter(|name| !name.contains('.'))
        .collect();
    names.sort();
    names
}

/// A guide's text; `suffix` is that of its language.
fn guide(name: &str, suffix: &str) -> String {
    fs::read_to_string(Path::new(FOLDER).join(format!("{name}{suffix}.md"))).unwrap()
}

/// The blocks of code of a page.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut within = false;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                within = true;
                found.push(Block { info: info.to_string(), text: String::new() });
            }
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => within = false,
            Event::Text(text) if within => found.last_mut().unwrap().text.push_str(&text),
            _ => {}
        }
    }
    found
}

/// Whether an answer is as shown: it may have more fields, other numbers, and any text for `…`.
fn is_like(shown: &Value, answer: &Value) -> bool {
    match (shown, answer) {
        (Value::Object(shown), Value::Object(answer)) => {
            shown.iter().all(|(name, value)| answer.get(name).is_some_and(|other| is_like(value, other)))
        }
        (Value::Array(shown), Value::Array(answer)) => {
            shown.len() <= answer.len() && shown.iter().zip(answer).all(|(one, other)| is_like(one, other))
        }
        (Value::Number(_), Value::Number(_)) => true,
        (Value::String(shown), Value::String(answer)) => match shown.split_once('…') {
            Some((begin, end)) => answer.len() > begin.len() && answer.starts_with(begin) && answer.ends_with(end),
            None => shown == answer,
        },
        _ => shown == answer,
    }
}

/// Runs the commands of a guide and compares their answers; returns how many there were.
fn run(name: &str, demo: &Demo) -> usize {
    let blocks = blocks(&guide(name, ""));
    let folder = TempDir::new().unwrap();
    let mut script = PRELUDE.to_owned();
    let commands: Vec<usize> = (0..blocks.len()).filter(|at| blocks[*at].info == "sh").collect();
    for at in &commands {
        let _ = writeln!(script, "{{\n{}}} >{at}.out 2>{at}.err", blocks[*at].text);
    }
    let printed = |field: &str| demo.printed[field].as_str().unwrap();
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("BASE", printed("base_url"))
        .env("SVC_KEY_ID", printed("key_id"))
        .env("SVC_API_KEY", printed("api_key"))
        .output()
        .unwrap();
    let read =
        |at: usize, kind: &str| fs::read_to_string(folder.path().join(format!("{at}.{kind}"))).unwrap_or_default();
    let said: String = commands.iter().map(|at| read(*at, "out") + &read(*at, "err")).collect();
    assert!(output.status.success(), "{name}: {said}{}", String::from_utf8_lossy(&output.stderr));
    for at in &commands {
        let (answer, statuses) = (read(*at, "out"), read(*at, "err"));
        let shown = blocks.get(at + 1).filter(|block| block.info.starts_with("json"));
        let expected = shown.and_then(|block| block.info.strip_prefix("json ")).unwrap_or("200");
        if let Some(status) = statuses.lines().last() {
            assert_eq!(status, expected, "{name}: {}\n{answer}", blocks[*at].text);
        }
        if let Some(shown) = shown {
            let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| panic!("{name}: {text}"));
            let (shown, answer) = (parse(&shown.text), parse(&answer));
            assert!(is_like(&shown, &answer), "{name} shows {shown}, and the answer is {answer}");
        }
    }
    commands.len()
}

#[test]
fn the_commands_of_the_guides_answer_what_they_show() {
    if !has("curl", "--version") || !has("jq", "--version") {
        return;
    }
    let svc = Svc::new();
    let demo = svc.demo();
    let count: usize = guides().iter().map(|name| run(name, &demo)).sum();
    assert!(count >= 12, "{count}");
    walk_pages(&demo);
    demo.stop(Signal::SIGTERM);
}

/// Runs the generator that the guide about pages shows.
fn walk_pages(demo: &Demo) {
    if !has("python3", "--version") {
        return;
    }
    let shown = blocks(&guide("pages", "")).into_iter().find(|block| block.info == "python").unwrap().text;
    let script = format!(
        "{shown}
import json, os, urllib.parse, urllib.request
def get(path, params):
    url = os.environ['BASE'] + path + '?' + urllib.parse.urlencode(params)
    headers = {{'Authorization': 'Bearer ' + os.environ['SVC_API_KEY'], 'X-Svc-Key-Id': os.environ['SVC_KEY_ID']}}
    return json.load(urllib.request.urlopen(urllib.request.Request(url, headers=headers)))
print(len({{record['clave'] for record in walk(get, '/clientes', limite=30)}}))"
    );
    let printed = |field: &str| demo.printed[field].as_str().unwrap();
    let output = Command::new("python3")
        .args(["-c", &script])
        .env("BASE", printed("base_url"))
        .env("SVC_KEY_ID", printed("key_id"))
        .env("SVC_API_KEY", printed("api_key"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let expected = demo.walk("/clientes").len().to_string();
    assert_eq!(said.trim(), expected, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_block_of_a_guide_is_run_or_is_tested_elsewhere() {
    for name in guides() {
        let (english, spanish) = (blocks(&guide(&name, "")), blocks(&guide(&name, ".es")));
        let pairs = |blocks: &[Block]| -> Vec<_> {
            blocks.iter().map(|block| (block.info.clone(), block.text.clone())).collect()
        };
        assert_eq!(pairs(&english), pairs(&spanish), "{name}: what is run is what both languages show");
        for (at, block) in english.iter().enumerate() {
            let is_answer = block.info.starts_with("json ") && at > 0 && english[at - 1].info == "sh";
            let is_other = OTHER.iter().any(|(guide, info, _)| *guide == name && *info == block.info);
            assert!(block.info == "sh" || is_answer || is_other, "{name}: nothing runs a block of {:?}", block.info);
        }
    }
}

#[test]
fn pages_for_operators_say_the_same_in_both_languages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operating");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let facts = |text: &str| {
        let code: Vec<_> = blocks(text).into_iter().map(|block| (block.info, block.text)).collect();
        let (mut headings, mut named) = (Vec::new(), Vec::new());
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { level, .. }) => headings.push(level),
                Event::Code(code) => named.push(code.to_string()),
                _ => {}
            }
        }
        // The order of words differs between languages.
        named.sort_unstable();
        (code, headings, named)
    };
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let (spanish, english): (Vec<String>, Vec<String>) = names.partition(|name| name.ends_with(".es.md"));
    assert_eq!(english.len(), spanish.len(), "{english:?}, {spanish:?}");
    for name in english {
        let twin = name.replace(".md", ".es.md");
        let (english, spanish) = (read(&name), read(&twin));
        assert_eq!(facts(&english), facts(&spanish), "{name}");
        assert!(english.contains(&format!("]({twin})")) && spanish.contains(&format!("]({name})")), "{name}");
    }
}

#[test]
fn the_requests_and_commands_that_guides_name_exist() {
    let document = openapi(Language::English, "/api/v1");
    let svc = Svc::new();
    let (mut requests, mut commands) = (0, 0);
    for (name, suffix) in guides().iter().flat_map(|name| [(name, ""), (name, ".es")]) {
        let text = guide(name, suffix);
        let codes = Parser::new(&text).filter_map(|event| match event {
            Event::Code(code) => Some(code.to_string()),
            _ => None,
        });
        for code in codes {
            if let Some(("GET" | "POST" | "PUT" | "DELETE", _)) = code.split_once(" /") {
                exists(&document, &code, name);
                requests += 1;
            } else if let Some(command) = code.strip_prefix("svc ") {
                let words: Vec<&str> = command.split(' ').take_while(|word| !word.starts_with('-')).collect();
                let flags = command.split(' ').filter(|word| word.starts_with("--"));
                let output = svc.run(&[&words[..], &["--help"]].concat(), "");
                let help = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(output.status.success(), "{name}: svc {command}");
                for flag in flags {
                    assert!(help.contains(flag), "{name}: svc {command} has no {flag}");
                }
                commands += 1;
            }
        }
    }
    assert!(requests > 10 && commands > 5, "{requests} {commands}");
}

/// Checks that the document has an operation and the query parameters that a guide names.
fn exists(document: &Value, request: &str, guide: &str) {
    let (method, target) = request.split_once(' ').unwrap();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let is_parameter = |segment: &str| segment.starts_with('{') || segment.starts_with('<');
    let fits = |template: &String| {
        let (one, other): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
        let mut pairs = one.iter().zip(&other);
        one.len() == other.len() && pairs.all(|(one, other)| one == other || is_parameter(one) && is_parameter(other))
    };
    let paths = document["paths"].as_object().unwrap();
    let found =
        paths.iter().find(|(template, operations)| fits(template) && operations.get(method.to_lowercase()).is_some());
    let (_, operations) = found.unwrap_or_else(|| panic!("{guide}: {request} does not exist"));
    let described = operations[method.to_lowercase()].to_string();
    for name in query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty()) {
        assert!(described.contains(&format!("\"name\":\"{name}\"")), "{guide}: {request} has no {name}");
    }
}
