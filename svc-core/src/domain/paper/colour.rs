//! Colours of printed pages.

use std::fmt;
use std::str::FromStr;

/// A colour, written `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub(crate) [u8; 3]);

pub(crate) const BLACK: Colour = Colour([0x1c, 0x1e, 0x22]);
pub(crate) const GREY: Colour = Colour([0x5f, 0x65, 0x6e]);
pub(crate) const LINE: Colour = Colour([0xdd, 0xe0, 0xe5]);
pub(crate) const WHITE: Colour = Colour([0xff, 0xff, 0xff]);
/// The colour of a company that has chosen none.
pub(crate) const DEFAULT: Colour = Colour([0x1c, 0x45, 0x6b]);

/// The least contrast of text with its ground, as accessibility guidelines ask for.
const CONTRAST: f32 = 4.5;

impl Colour {
    /// The shares of red, green and blue, from 0 to 1.
    pub(crate) fn shares(self) -> [f32; 3] {
        self.0.map(|part| f32::from(part) / 255.0)
    }

    /// The relative luminance of WCAG 2.
    fn luminance(self) -> f32 {
        let [r, g, b] =
            self.shares().map(|part| if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(self, other: Self) -> f32 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// This colour, or a darker one of its hue in which text can be read on white.
    pub(crate) fn as_ink(self) -> Self {
        let mut ink = self;
        while ink.contrast(WHITE) < CONTRAST {
            ink = Self(ink.0.map(|part| (f32::from(part) * 0.94) as u8));
        }
        ink
    }

    /// White, or black where it can be read better on this colour.
    pub(crate) fn text_on(self) -> Self {
        if self.contrast(WHITE) >= 3.0 { WHITE } else { BLACK }
    }
}

/// The text is no colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a colour as #rrggbb, such as #1a5fb4")]
pub struct NoColour;

impl FromStr for Colour {
    type Err = NoColour;

    fn from_str(text: &str) -> Result<Self, NoColour> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6).ok_or(NoColour)?;
        let mut parts = [0; 3];
        hex::decode_to_slice(digits, &mut parts).map_err(|_| NoColour)?;
        Ok(Self(parts))
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", hex::encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_six_hexadecimal_digits() {
        assert_eq!("#1A5fb4".parse::<Colour>().map(|colour| colour.to_string()).as_deref(), Ok("#1a5fb4"));
        for wrong in ["", "#", "1a5fb4", "#fff", "#1a5fbg", "#1a5fb44", "blue", "#ñ5fb4"] {
            assert_eq!(wrong.parse::<Colour>(), Err(NoColour), "{wrong}");
        }
    }

    #[test]
    fn text_can_be_read_in_and_on_every_colour() {
        for colour in ["#ffffff", "#ffff00", "#000000", "#1a5fb4", "#ff8800", "#00ff7f", "#808080"] {
            let colour: Colour = colour.parse().unwrap();
            assert!(colour.as_ink().contrast(WHITE) >= CONTRAST, "{colour}");
            assert!(colour.contrast(colour.text_on()) >= 3.0, "{colour}");
        }
    }
}
