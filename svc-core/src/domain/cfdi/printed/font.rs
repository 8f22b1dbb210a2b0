//! The two fonts of a printed document: Helvetica and its bold. Every PDF reader has them, so
//! neither is embedded and a document takes only some kilobytes. They have the characters of
//! Windows-1252: all of Spanish and of the other western languages.

use unicode_normalization::UnicodeNormalization as _;

use super::widths;

/// A font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Font {
    Regular,
    Bold,
}

/// Windows-1252 from 128 to 159, where it differs from Latin-1; 0 where it is undefined.
const HIGH: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“', '”', '•',
    '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// Replaces characters that the fonts lack.
const UNKNOWN: u8 = b'?';

impl Font {
    /// Encodes the text for the fonts. A character that they lack loses its accents or is written
    /// out, if the fonts can then show it.
    pub(super) fn encode(text: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(text.len());
        for letter in text.nfc() {
            if let Some(byte) = byte(letter) {
                bytes.push(byte);
                continue;
            }
            let before = bytes.len();
            bytes.extend(std::iter::once(letter).nfkd().filter_map(byte));
            if bytes.len() == before {
                bytes.push(UNKNOWN);
            }
        }
        bytes
    }

    /// The width of the text at that size.
    pub(super) fn width(self, text: &str, size: f32) -> f32 {
        Self::encode(text).into_iter().map(|byte| self.advance(byte)).sum::<f32>() * size
    }

    fn advance(self, byte: u8) -> f32 {
        let widths = match self {
            Self::Regular => &widths::REGULAR,
            Self::Bold => &widths::BOLD,
        };
        f32::from(widths.get(usize::from(byte).wrapping_sub(32)).copied().unwrap_or_default()) / 1_000.0
    }

    /// Breaks the text into lines of at most that width, at spaces, or within words longer than a
    /// line.
    pub(super) fn wrap(self, text: &str, size: f32, width: f32) -> Vec<String> {
        let mut lines = Vec::new();
        let (mut line, mut filled) = (String::new(), 0.0);
        let space = self.width(" ", size);
        for word in text.split_whitespace() {
            let length = self.width(word, size);
            if !line.is_empty() {
                if filled + space + length <= width {
                    line.push(' ');
                    line.push_str(word);
                    filled += space + length;
                    continue;
                }
                lines.push(std::mem::take(&mut line));
                filled = 0.0;
            }
            for letter in word.chars() {
                let advance = self.width(letter.encode_utf8(&mut [0; 4]), size);
                if filled + advance > width && !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                    filled = 0.0;
                }
                line.push(letter);
                filled += advance;
            }
        }
        if !line.is_empty() || lines.is_empty() {
            lines.push(line);
        }
        lines
    }
}

fn byte(letter: char) -> Option<u8> {
    match letter {
        ' '..='~' | '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(letter)).ok(),
        '\0' => None,
        // Feet, inches and minus signs, which Windows-1252 lacks.
        '′' => Some(b'\''),
        '−' => Some(b'-'),
        _ => HIGH.iter().zip(128..).find(|(high, _)| **high == letter).map(|(_, byte)| byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_windows_1252_or_their_like() {
        for (text, expected) in [
            ("Ñandú €", &b"\xd1and\xfa \x80"[..]),
            ("N\u{303}", b"\xd1"),
            ("ě ﬁ 2″ −1", b"e fi 2'' -1"),
            ("日本", b"??"),
            ("\u{1}\u{0}", b"??"),
        ] {
            assert_eq!(Font::encode(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_no_wider_than_they_may_be() {
        let text = "Tubo de cobre de 1/2\" AQze/NLbsGm7ux4VobU0Joi5Vd7r0MD0B38IsTslEqoxLASCSa0S9WoXDdTZ0QxiWnJcUyfVajn0K8ABdD x";
        let lines = Font::Bold.wrap(text, 8.0, 100.0);
        assert!(lines.len() > 5 && lines.iter().all(|line| Font::Bold.width(line, 8.0) <= 100.0), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        assert_eq!(Font::Regular.wrap("", 8.0, 100.0), [""]);
        assert_eq!(Font::Regular.wrap("ab", 8.0, 0.0), ["a", "b"]);
    }

    #[test]
    fn widths_are_the_fonts() {
        assert!((Font::Regular.width("Aá 1", 1_000.0) - (667.0 + 556.0 + 278.0 + 556.0)).abs() < 0.01);
        assert!((Font::Bold.width("A", 10.0) - 7.22).abs() < 0.001);
    }
}
