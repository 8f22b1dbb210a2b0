//! Normalizes text for comparison: search words, phone numbers and e-mail fields.
//!
//! A stored comparison text and a filter's value must pass through the same function.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use uuid::Uuid;

/// The shortest word of a search (spec, common list rules).
const SHORTEST_WORD: usize = 3;

/// The most different words of a search that are looked for (contract §4).
pub(crate) const MAX_WORDS: usize = 10;

/// The number of trailing characters of a phone number that are compared (spec, Customer).
const PHONE_LENGTH: usize = 10;

/// Folds text for comparison: without accents, in lower case, with single spaces inside and none
/// around (contract §3, search). Compatibility forms become plain too (`ﬁ` → `fi`, `²` → `2`), and
/// ñ becomes n.
pub fn fold(text: &str) -> String {
    // Lower-cases letter by letter: lower-casing a whole text looks at neighbouring letters (Greek
    // Σ), so that parts would no longer match. At the end of a word σ is written ς.
    let letters = text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    let plain: String = letters.map(|c| if c == 'ς' { 'σ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits a search text into different folded words of three characters or more, which are AND-ed
/// (spec, common list rules: shorter words are dropped), at most [`MAX_WORDS`]. An empty result
/// means that the search is too short, 400 `busqueda_corta`.
pub(crate) fn search_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in fold(text).split(' ').filter(|word| word.chars().count() >= SHORTEST_WORD) {
        if words.len() < MAX_WORDS && !words.iter().any(|earlier| earlier == word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// The SQL `LIKE` pattern, with backslash as escape character, for texts that contain the word.
/// `%`, `_` and `\` stand for themselves (contract §3: no wildcards).
pub fn like_pattern(word: &str) -> String {
    let mut pattern = String::with_capacity(word.len() + 2);
    pattern.push('%');
    for c in word.chars() {
        if matches!(c, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// The comparable form of a phone number: the last 10 characters without white space, hyphens,
/// parentheses and plus signs (spec, Customer; contract §3). May be empty.
pub fn clean_phone(phone: &str) -> String {
    let kept: Vec<char> = phone.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '(' | ')' | '+')).collect();
    kept[kept.len().saturating_sub(PHONE_LENGTH)..].iter().collect()
}

/// The comparable form of an e-mail field, which may contain several comma-separated addresses: the
/// whole field in lower case without white space (spec, Customer) or empty addresses.
///
/// A field is found by the text it was sent as:
/// `normalize_email(&tidy_emails(x)) == normalize_email(x)`.
pub fn normalize_email(field: &str) -> String {
    let dense: String = field.chars().filter(|c| !c.is_whitespace()).collect();
    tidy_emails(&dense.to_lowercase())
}

/// The stored form of an e-mail field: each comma-separated address trimmed, empty ones left out,
/// joined by a comma without a space (spec, Customer: "comma-separated addresses (trimmed)"; the
/// shortest form, since the field holds 50 characters).
pub(crate) fn tidy_emails(field: &str) -> String {
    field.split(',').map(str::trim).filter(|address| !address.is_empty()).collect::<Vec<_>>().join(",")
}

/// The pattern of a schema for a fiscal folio.
pub(crate) const UUID: &str = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

/// Parses a fiscal folio: 36 characters, in any case.
pub(crate) fn parse_uuid(text: &str) -> Option<Uuid> {
    (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten()
}

/// Reads `-?[0-9]+` within 64 bits.
pub(crate) fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// Series and number as people read them: "F12" is number 12 of the head office, "F1-2" number 2 of
/// branch 1.
pub fn printed_folio(serie: &str, folio: impl fmt::Display) -> String {
    let dash = if serie.ends_with(|last: char| last.is_ascii_digit()) { "-" } else { "" };
    format!("{serie}{dash}{folio}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn folds() {
        for (text, expected) in [
            ("", ""),
            (" \t\n ", ""),
            ("Camión  Eléctrico", "camion electrico"),
            ("Camio\u{301}n", "camion"),
            ("ÑANDÚ Pingüino", "nandu pinguino"),
            ("  a\u{a0}b \u{3000} c ", "a b c"),
            ("ﬁno 5 m²", "fino 5 m2"),
            ("ＡＢＣ", "abc"),
            ("İstanbul", "istanbul"),
            ("50%_\\*", "50%_\\*"),
            ("ΟΔΟΣ ΟΔΟΣΑ οδός", "οδοσ οδοσα οδοσ"),
            ("\u{301}\u{302}", ""),
        ] {
            assert_eq!(fold(text), expected, "{text:?}");
        }
    }

    #[test]
    fn every_character_folds_to_something_that_folds_to_itself() {
        for c in ('\0'..=char::MAX).map(String::from) {
            let folded = fold(&c);
            assert_eq!(fold(&folded), folded, "{c:?}");
        }
    }

    #[test]
    fn search_drops_words_shorter_than_three_characters() {
        for (text, expected) in [
            ("", &[][..]),
            ("de la", &[]),
            ("Llave de  paso", &["llave", "paso"]),
            ("añó", &["ano"]),
            ("a\u{301}\u{302}", &[]),
            ("%_* 100%", &["%_*", "100%"]),
            ("paso Pasó PASO llave", &["paso", "llave"]),
            (
                "uno dos tres cuatro cinco seis siete ocho nueve diez once",
                &["uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"],
            ),
        ] {
            assert_eq!(search_words(text), expected, "{text:?}");
        }
    }

    #[test]
    fn like_patterns_are_literal() {
        for (word, expected) in
            [("paso", "%paso%"), ("", "%%"), ("100%", "%100\\%%"), ("a_b", "%a\\_b%"), ("c\\", "%c\\\\%"), ("*", "%*%")]
        {
            assert_eq!(like_pattern(word), expected, "{word:?}");
        }
    }

    #[test]
    fn phones_are_compared_by_their_last_ten() {
        for (phone, expected) in [
            ("+52 (55) 1234-5678", "5512345678"),
            ("5512345678", "5512345678"),
            ("52 1 55 1234 5678", "5512345678"),
            ("1234", "1234"),
            ("55\u{a0}1234\t5678", "5512345678"),
            ("5512345678 ext", "2345678ext"),
            ("teléfoño-ñáñ", "eléfoñoñáñ"),
            (" +()- ", ""),
            ("", ""),
        ] {
            assert_eq!(clean_phone(phone), expected, "{phone:?}");
        }
    }

    #[test]
    fn e_mail_fields() {
        for (field, stored, compared) in [
            ("", "", ""),
            (" , ,", "", ""),
            ("Ana@Example.MX", "Ana@Example.MX", "ana@example.mx"),
            (" a@x.mx ,  B@x.mx", "a@x.mx,B@x.mx", "a@x.mx,b@x.mx"),
            ("a@x.mx,,b@x.mx,", "a@x.mx,b@x.mx", "a@x.mx,b@x.mx"),
            ("a @x.mx", "a @x.mx", "a@x.mx"),
        ] {
            assert_eq!((tidy_emails(field).as_str(), normalize_email(field).as_str()), (stored, compared), "{field:?}");
        }
    }

    /// The text that a pattern matches if its only wildcards are the `%` at both ends, as SQL's
    /// `LIKE` would.
    fn unescape(pattern: &str) -> Option<String> {
        let inner = pattern.strip_prefix('%')?.strip_suffix('%')?;
        let mut chars = inner.chars();
        let mut word = String::new();
        while let Some(c) = chars.next() {
            match c {
                '\\' => word.push(chars.next()?),
                '%' | '_' => return None,
                c => word.push(c),
            }
        }
        Some(word)
    }

    proptest! {
        #[test]
        fn fold_is_idempotent(text in any::<String>()) {
            let folded = fold(&text);
            prop_assert_eq!(fold(&folded), folded);
        }

        #[test]
        fn search_words_are_folded_and_long_enough(text in any::<String>()) {
            for word in search_words(&text) {
                prop_assert!(word.chars().count() >= 3);
                prop_assert_eq!(fold(&word), word);
            }
        }

        #[test]
        fn like_pattern_means_the_word(word in "[a-z%_*\\\\ñ]{0,12}", any in any::<String>()) {
            for word in [word, any] {
                prop_assert_eq!(unescape(&like_pattern(&word)), Some(word));
            }
        }

        #[test]
        fn clean_phone_is_short_and_idempotent(phone in any::<String>()) {
            let cleaned = clean_phone(&phone);
            prop_assert!(cleaned.chars().count() <= 10);
            prop_assert_eq!(clean_phone(&cleaned), cleaned);
        }

        #[test]
        fn a_field_is_found_by_what_was_sent(field in "[ a-zA-ZñÑ@.,\t]{0,40}", any in any::<String>()) {
            for field in [field, any] {
                let stored = tidy_emails(&field);
                prop_assert_eq!(tidy_emails(&stored), stored.clone());
                prop_assert_eq!(normalize_email(&stored), normalize_email(&field));
            }
        }
    }
}
