//! Marks the words of code for the style sheet: comments, texts, numbers, keywords and variables.

use std::fmt::Write as _;

use super::html::escaped;

/// What a word of code is, by its class in the style sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeWord {
    Plain,
    Comment,
    Text,
    Number,
    Keyword,
    Variable,
    /// The name of a JSON field.
    Name,
}

impl CodeWord {
    fn class(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Comment => Some("hc"),
            Self::Text => Some("hs"),
            Self::Number => Some("hn"),
            Self::Keyword => Some("hk"),
            Self::Variable => Some("hv"),
            Self::Name => Some("ha"),
        }
    }
}

/// What of a language the marking needs.
struct Grammar {
    comment: &'static str,
    quotes: &'static str,
    keywords: &'static str,
    /// Whether `$name` is a variable.
    variables: bool,
}

const SHELL: &str = "curl jq export if then else fi for do done while in echo svc shift return head date";
const PYTHON: &str = "def return import from for in if else elif while yield class with as not and or is None True False raise try except lambda pass";
const SCRIPT: &str = "const let var function return import from export if else for of in while new await async try catch throw class null true false";
const PHP: &str =
    "function return if else foreach for while as new echo use namespace null true false throw try catch static fn";
const GO: &str = "package import func return if else for range var const type struct map nil true false defer go string int bool byte error";
const RUST: &str = "use fn let mut pub struct enum impl for in if else match return async await move self Self const static as where loop while true false Some None Ok Err";

fn grammar(language: &str) -> Option<Grammar> {
    let (comment, quotes, keywords) = match language {
        "sh" => ("#", "\"'", SHELL),
        "json" => ("", "\"", "true false null"),
        "python" => ("#", "\"'", PYTHON),
        "js" | "ts" => ("//", "\"'`", SCRIPT),
        "php" => ("//", "\"'", PHP),
        "go" => ("//", "\"`", GO),
        "rust" => ("//", "\"", RUST),
        _ => return None,
    };
    Some(Grammar { comment, quotes, keywords, variables: matches!(language, "sh" | "php") })
}

/// Code of that language as HTML; of an unknown one without marks.
pub(super) fn highlighted(language: &str, code: &str) -> String {
    let Some(grammar) = grammar(language) else { return escaped(code) };
    let mut html = String::with_capacity(code.len() * 2);
    let mut rest = code;
    while !rest.is_empty() {
        let (mut kind, length) = next(&grammar, rest, html.ends_with(['\n', ' ']) || html.is_empty());
        let (word, after) = rest.split_at(length);
        if language == "json" && kind == CodeWord::Text && after.trim_start().starts_with(':') {
            kind = CodeWord::Name;
        }
        let _ = match kind.class() {
            Some(class) => write!(html, "<span class=\"{class}\">{}</span>", escaped(word)),
            None => write!(html, "{}", escaped(word)),
        };
        rest = after;
    }
    html
}

/// The kind and the length of the first word of `rest`, which is not empty. `fresh` means that it
/// follows a space.
fn next(grammar: &Grammar, rest: &str, fresh: bool) -> (CodeWord, usize) {
    let first = rest.chars().next().unwrap_or(' ');
    let while_in = |text: &str, fits: fn(char) -> bool| text.find(|letter| !fits(letter)).unwrap_or(text.len());
    let of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    if !grammar.comment.is_empty() && rest.starts_with(grammar.comment) && fresh {
        return (CodeWord::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if grammar.quotes.contains(first) {
        return (CodeWord::Text, quoted(rest, first));
    }
    if grammar.variables && first == '$' {
        let braced = rest.starts_with("${").then(|| rest.find('}').map(|end| end + 1)).flatten();
        let length =
            braced.unwrap_or_else(|| 1 + while_in(&rest[1..], |letter| letter.is_alphanumeric() || letter == '_'));
        return (if length > 1 { CodeWord::Variable } else { CodeWord::Plain }, length);
    }
    if first.is_ascii_digit() {
        return (
            CodeWord::Number,
            while_in(rest, |letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_')),
        );
    }
    if of_word(first) {
        let length = while_in(rest, |letter| letter.is_alphanumeric() || letter == '_');
        let is_keyword = grammar.keywords.split(' ').any(|keyword| keyword == &rest[..length]);
        return (if is_keyword { CodeWord::Keyword } else { CodeWord::Plain }, length);
    }
    (CodeWord::Plain, first.len_utf8())
}

/// The length of a text in quotes, with both; to the end if it does not end.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_code_are_marked_and_none_is_lost() {
        for (language, code, html) in [
            (
                "json",
                r#"{"a": "b", "n": 1.5}"#,
                r#"{<span class="ha">&quot;a&quot;</span>: <span class="hs">&quot;b&quot;</span>, <span class="ha">&quot;n&quot;</span>: <span class="hn">1.5</span>}"#,
            ),
            (
                "sh",
                "curl \"$B\" # x",
                r#"<span class="hk">curl</span> <span class="hs">&quot;$B&quot;</span> <span class="hc"># x</span>"#,
            ),
            ("sh", "${A%/b} $ a#b", r#"<span class="hv">${A%/b}</span> $ a#b"#),
            ("text", "if <a>", "if &lt;a&gt;"),
            ("rust", "let n = 'a", r#"<span class="hk">let</span> n = 'a"#),
            ("python", "'no end\\'", r#"<span class="hs">'no end\'</span>"#),
        ] {
            assert_eq!(highlighted(language, code), html, "{language}: {code}");
        }
    }

    #[test]
    fn any_text_is_marked_without_a_panic() {
        for language in ["sh", "json", "python", "js", "ts", "php", "go", "rust", ""] {
            for code in ["", "$", "\"", "ñ", "\\", "'\\", "${", "#", "//", "9é", "`\u{1f600}"] {
                let html = highlighted(language, code);
                let text = html.replace("</span>", "");
                let text =
                    text.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect::<String>();
                assert_eq!(text, escaped(code), "{language}: {code}");
            }
        }
    }
}
