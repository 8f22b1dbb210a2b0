//! Reads Prometheus' text format, as the recorder writes it: name, labels and value.
//!
//! The crates that read it leave out labels with braces, which the templates of paths have, or are
//! not under a licence that this project takes.

/// A line of the text.
#[derive(Debug, PartialEq)]
pub(super) struct Sample<'a> {
    pub(super) name: &'a str,
    labels: Vec<(&'a str, String)>,
    pub(super) value: f64,
}

impl Sample<'_> {
    /// The value of a label; empty if there is none.
    pub(super) fn label(&self, key: &str) -> String {
        let label = self.labels.iter().find(|(name, _)| *name == key);
        label.map(|(_, value)| value.clone()).unwrap_or_default()
    }
}

/// The samples of a text, and in place of each malformed line the line.
pub(super) fn samples(text: &str) -> impl Iterator<Item = Result<Sample<'_>, &str>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| sample(line).ok_or(line))
}

fn sample(line: &str) -> Option<Sample<'_>> {
    let end = line.find(['{', ' '])?;
    let (name, rest) = line.split_at(end);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (Vec::new(), rest),
    };
    // A time may follow.
    let value = rest.split_whitespace().next()?.parse().ok()?;
    Some(Sample { name, labels, value })
}

/// Labels up to the closing brace, and the rest of the line.
fn labels(mut text: &str) -> Option<(Vec<(&str, String)>, &str)> {
    let mut labels = Vec::new();
    loop {
        text = text.trim_start_matches([',', ' ']);
        if let Some(rest) = text.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (key, quoted) = text.split_once("=\"")?;
        let (value, rest) = unquote(quoted)?;
        labels.push((key, value));
        text = rest;
    }
}

/// A label's value up to the closing quote, and what follows it.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    loop {
        match characters.next()? {
            (at, '"') => return Some((value, &text[at + 1..])),
            (_, '\\') => value.push(match characters.next()?.1 {
                'n' => '\n',
                escaped => escaped,
            }),
            (_, character) => value.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_name_labels_and_a_value() {
        let text = concat!(
            "# HELP a_total What it is\n# TYPE a_total counter\n\n",
            "a_total 7\n",
            "a_total{operation=\"PUT /clientes/{clave}\",status=\"200\"} 1.5 1700000000\n",
            "b_bucket{le=\"+Inf\"} 3\n",
            "b{text=\"a \\\"quoted\\\\ value\\n, with } and =\",} NaN\n",
        );
        let read: Vec<_> = samples(text).map(Result::unwrap).collect();
        let (labelled, escaped) = (&read[1], &read[3]);
        assert_eq!(read[0], Sample { name: "a_total", labels: Vec::new(), value: 7.0 });
        assert_eq!((labelled.label("operation").as_str(), labelled.value), ("PUT /clientes/{clave}", 1.5));
        assert_eq!((labelled.label("status").as_str(), labelled.label("other").as_str()), ("200", ""));
        assert_eq!(read[2].label("le").parse(), Ok(f64::INFINITY));
        assert_eq!(escaped.label("text"), "a \"quoted\\ value\n, with } and =");
        assert!(escaped.value.is_nan());
    }

    #[test]
    fn a_malformed_line_is_named() {
        for line in ["a", "a{", "a{b} 1", "a{b=\"c} 1", "a{b=\"c\"}", "a x", "{"] {
            assert_eq!(samples(line).collect::<Vec<_>>(), [Err(line)]);
        }
    }
}
