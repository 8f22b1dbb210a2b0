//! Logos. They are stored as small opaque PNGs, whose compressed pixels a PDF takes as they are.

use std::fmt;

/// The largest file that a logo is made from, in bytes.
pub const MAX_LOGO_FILE: usize = 2 * 1024 * 1024;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A logo: an opaque PNG of eight bits a colour, not interlaced.
#[derive(Clone, PartialEq, Eq)]
pub struct Logo {
    png: Vec<u8>,
    width: u32,
    height: u32,
}

/// Why a file cannot be used as a logo.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogoFault {
    /// It is longer than [`MAX_LOGO_FILE`].
    #[error("the file is larger than 2 MiB")]
    TooLarge,
    /// It is neither of the formats that are accepted.
    #[error("the file is neither PNG nor SVG")]
    Format,
    /// It is a broken PNG, or one with more pixels than are read.
    #[error("the PNG cannot be read: {0}")]
    Png(String),
    /// It is a broken SVG.
    #[error("the SVG cannot be read: {0}")]
    Svg(String),
    /// It has what is not drawn.
    #[error("the SVG has {0}: convert it to paths, or use a PNG")]
    NotDrawn(&'static str),
    /// Nothing can be seen in it.
    #[error("the image is empty: nothing in it can be seen on white paper")]
    Empty,
}

impl Logo {
    /// A stored logo; `None` if the bytes are none.
    pub fn stored(png: Vec<u8>) -> Option<Self> {
        let head = png.strip_prefix(SIGNATURE)?.get(..25)?;
        let number =
            |at: usize| head.get(at..at + 4).map(|part| u32::from_be_bytes(part.try_into().unwrap_or_default()));
        // Length and name of the head, its size, eight bits of red, green and blue, and no
        // interlacing.
        if head.get(4..8)? != b"IHDR" || head.get(16..21)? != [8, 2, 0, 0, 0] {
            return None;
        }
        let (width, height) = (number(8)?, number(12)?);
        (width > 0 && height > 0).then_some(Self { png, width, height })
    }

    /// The bytes of the PNG, as they are stored.
    pub fn png(&self) -> &[u8] {
        &self.png
    }

    /// Width and height, in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// The compressed pixels: what a PDF's stream of predictor 15 holds.
    pub(super) fn pixels(&self) -> Vec<u8> {
        let mut rest = self.png.get(SIGNATURE.len()..).unwrap_or_default();
        let mut pixels = Vec::with_capacity(rest.len());
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = u32::from_be_bytes(*length) as usize;
            let Some((name, after)) = after.split_first_chunk::<4>() else { break };
            let Some((data, after)) = after.split_at_checked(length) else { break };
            if name == b"IDAT" {
                pixels.extend_from_slice(data);
            }
            // Behind the data is its checksum.
            rest = after.get(4..).unwrap_or_default();
        }
        pixels
    }

    /// The size at which it is drawn: as large as it can be within `width` and `height`.
    pub(crate) fn fitted(&self, width: f32, height: f32) -> (f32, f32) {
        let (own, tall) = (self.width as f32, self.height as f32);
        let scale = (width / own).min(height / tall);
        (own * scale, tall * scale)
    }
}

impl fmt::Debug for Logo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logo").field("width", &self.width).field("height", &self.height).finish_non_exhaustive()
    }
}
