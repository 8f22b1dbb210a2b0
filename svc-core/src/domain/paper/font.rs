//! The fonts that printed documents embed: Inter in two weights, and what a host adds for letters
//! that Inter lacks.

use std::fmt;
use std::sync::Arc;

use ttf_parser::{Face, Permissions, Tag};

static REGULAR: &[u8] = include_bytes!("../../../fonts/Inter-Regular.otf");
static STRONG: &[u8] = include_bytes!("../../../fonts/Inter-SemiBold.otf");

/// The fonts of printed documents. They have Latin, Greek and Cyrillic letters and common symbols;
/// a host adds fonts for others, for example for Chinese. A letter that no font has is printed as
/// □.
///
/// Letters are set one after the other: scripts whose letters join or are written from right to
/// left come out in the wrong form. The XML of a document has its texts in any case.
#[derive(Clone, Default)]
pub struct Fonts {
    added: Vec<Arc<[u8]>>,
}

/// Why a file cannot be used as a font.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FontFault {
    /// It is no font, or a broken one.
    #[error("it is no OpenType or TrueType font")]
    NoFont,
    /// Its outlines are of a kind that PDFs do not embed.
    #[error("its outlines are neither TrueType's nor CFF's: only these can be embedded")]
    Outlines,
    /// Its makers do not let documents embed it.
    #[error("it does not permit to be embedded in documents")]
    Restricted,
}

impl Fonts {
    /// Adds a font file (TrueType, OpenType, or a collection, whose first font counts) for the
    /// letters that those before it lack.
    pub fn and_file(mut self, file: impl Into<Arc<[u8]>>) -> Result<Self, FontFault> {
        let file = file.into();
        let face = Face::parse(&file, 0).map_err(|_| FontFault::NoFont)?;
        let has = |tag: &[u8; 4]| face.raw_face().table(Tag::from_bytes(tag)).is_some();
        if !has(b"glyf") && !has(b"CFF ") {
            return Err(FontFault::Outlines);
        }
        if face.permissions() == Some(Permissions::Restricted) || !face.is_subsetting_allowed() {
            return Err(FontFault::Restricted);
        }
        self.added.push(file);
        Ok(self)
    }

    /// The files, those of the two weights first.
    pub(super) fn files(&self) -> impl Iterator<Item = &[u8]> {
        [REGULAR, STRONG].into_iter().chain(self.added.iter().map(AsRef::as_ref))
    }
}

impl fmt::Debug for Fonts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fonts").field("added", &self.added.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_font_is_added() {
        assert_eq!(Fonts::default().and_file(*b"no font").map(drop), Err(FontFault::NoFont));
        assert!(Fonts::default().and_file(&REGULAR[..2_000]).is_err());
        assert_eq!(Fonts::default().and_file(REGULAR).unwrap().files().count(), 3);
    }
}
