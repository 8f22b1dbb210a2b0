//! Sets text: chooses the font and the glyph of each letter, measures it, and breaks lines.

use subsetter::GlyphRemapper;
use ttf_parser::Face;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use super::font::Fonts;

/// Letters below this are looked up once for each document.
const LATIN: usize = 0x250;
/// What shows a letter that no font has.
const UNKNOWN: char = '□';

/// The weight of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Strong,
}

/// A glyph of one of the fonts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glyph {
    /// The place of its font.
    pub(super) font: usize,
    id: u16,
    /// Its width for size 1.
    advance: f32,
}

/// A font, with the glyphs of it that a document uses.
pub(super) struct UsedFont<'f> {
    pub(super) file: &'f [u8],
    pub(super) face: Face<'f>,
    pub(super) glyphs: GlyphRemapper,
    /// The letter that each used glyph shows, in the order of their new ids, which begin with 1.
    pub(super) letters: Vec<char>,
}

/// The fonts of one document.
pub(super) struct Typesetter<'f> {
    pub(super) fonts: Vec<UsedFont<'f>>,
    latin: [Vec<Option<Glyph>>; 2],
}

impl<'f> Typesetter<'f> {
    pub(super) fn new(fonts: &'f Fonts) -> Self {
        let used = |file: &'f [u8]| {
            let face = Face::parse(file, 0).ok()?;
            Some(UsedFont { file, face, glyphs: GlyphRemapper::new(), letters: Vec::new() })
        };
        let mut setter = Self { fonts: fonts.files().filter_map(used).collect(), latin: Default::default() };
        setter.latin = [Weight::Regular, Weight::Strong]
            .map(|weight| (0..LATIN as u32).map(|code| setter.find(weight, char::from_u32(code)?)).collect());
        setter
    }

    /// Looks a letter up in the fonts.
    fn find(&self, weight: Weight, letter: char) -> Option<Glyph> {
        if letter.is_control() {
            return None;
        }
        let own = weight as usize;
        let places = [own].into_iter().chain(2..self.fonts.len());
        places.into_iter().find_map(|font| {
            let face = &self.fonts.get(font)?.face;
            let id = face.glyph_index(letter).filter(|id| id.0 != 0)?;
            let advance = f32::from(face.glyph_hor_advance(id)?) / f32::from(face.units_per_em());
            Some(Glyph { font, id: id.0, advance })
        })
    }

    fn glyph(&self, weight: Weight, letter: char) -> Option<Glyph> {
        match self.latin[weight as usize].get(letter as usize) {
            Some(found) => *found,
            None => self.find(weight, letter),
        }
    }

    /// Calls `each` with the letters of a text and their glyphs. A letter that no font has is
    /// written out in letters that they have, if it can be; control characters are left out.
    pub(super) fn glyphs(&self, weight: Weight, text: &str, mut each: impl FnMut(char, Glyph)) {
        let mut set = |letter: char| {
            if let Some(glyph) = self.glyph(weight, letter) {
                each(letter, glyph);
                return;
            }
            let parts: Vec<char> = [letter].into_iter().nfkd().collect();
            let shown: Vec<_> = parts.iter().filter_map(|part| Some((*part, self.glyph(weight, *part)?))).collect();
            if shown.is_empty()
                && !letter.is_control()
                && let Some(glyph) = self.glyph(weight, UNKNOWN)
            {
                each(UNKNOWN, glyph);
            }
            for (part, glyph) in shown {
                each(part, glyph);
            }
        };
        if is_nfc(text) { text.chars().for_each(set) } else { text.nfc().for_each(&mut set) }
    }

    /// The width of a text at that size.
    pub(super) fn width(&self, weight: Weight, size: f32, text: &str) -> f32 {
        let mut width = 0.0;
        self.glyphs(weight, text, |_, glyph| width += glyph.advance);
        width * size
    }

    /// The bytes that show a glyph, which the document then embeds.
    pub(super) fn using(&mut self, letter: char, glyph: Glyph) -> [u8; 2] {
        let Some(font) = self.fonts.get_mut(glyph.font) else { return [0; 2] };
        let id = font.glyphs.remap(glyph.id);
        if usize::from(id) > font.letters.len() {
            font.letters.push(letter);
        }
        id.to_be_bytes()
    }

    /// Breaks the text into lines of at most that width, at spaces, or within words longer than a
    /// line.
    pub(super) fn wrap(&self, weight: Weight, size: f32, text: &str, width: f32) -> Vec<String> {
        let mut lines = Vec::new();
        let (mut line, mut filled) = (String::new(), 0.0);
        let space = self.width(weight, size, " ");
        for word in text.split_whitespace() {
            let length = self.width(weight, size, word);
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
            if length <= width {
                line.push_str(word);
                filled = length;
                continue;
            }
            for letter in word.chars() {
                let advance = self.width(weight, size, letter.encode_utf8(&mut [0; 4]));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> String {
        let fonts = Fonts::default();
        let mut shown = String::new();
        Typesetter::new(&fonts).glyphs(Weight::Regular, text, |letter, _| shown.push(letter));
        shown
    }

    #[test]
    fn letters_without_a_glyph_are_written_out_or_marked() {
        for (text, shown) in [
            ("Ñandú € Łódź ★ Ω Жук ½ →", "Ñandú € Łódź ★ Ω Жук ½ →"),
            ("N\u{303}", "Ñ"),
            ("ﬁn ㎏", "fin kg"),
            ("中文", "□□"),
            ("a\u{1}\u{0}b", "ab"),
        ] {
            assert_eq!(letters(text), shown, "{text}");
        }
    }

    #[test]
    fn lines_are_no_wider_than_they_may_be() {
        let fonts = Fonts::default();
        let setter = Typesetter::new(&fonts);
        let text = "Tubo de cobre de 1/2\" AQze/NLbsGm7ux4VobU0Joi5Vd7r0MD0B38IsTslEqoxLASCSa0S9WoXDdTZ0QxiWnJcUyfVajn0K8ABdD x";
        let lines = setter.wrap(Weight::Strong, 8.0, text, 100.0);
        let fits = |line: &String| setter.width(Weight::Strong, 8.0, line) <= 100.01;
        assert!(lines.len() > 5 && lines.iter().all(fits), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        assert_eq!(setter.wrap(Weight::Regular, 8.0, "", 100.0), [""]);
        assert_eq!(setter.wrap(Weight::Regular, 8.0, "ab", 0.0), ["a", "b"]);
    }

    #[test]
    fn digits_are_of_one_width() {
        let fonts = Fonts::default();
        let setter = Typesetter::new(&fonts);
        let width = |text: &str| setter.width(Weight::Regular, 1_000.0, text);
        assert!("0123456789".chars().all(|digit| (width(&digit.to_string()) - width("0")).abs() < 0.01));
    }
}
