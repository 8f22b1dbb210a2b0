//! Makes logos from the files that people have: PNG and SVG (feature `logos`).

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Limits, Transformations};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::logo::{Logo, LogoFault, MAX_LOGO_FILE};

/// The largest stored logo, in pixels: at the size of a letterhead that is 400 to the inch.
const MAX_WIDTH: u32 = 960;
const MAX_HEIGHT: u32 = 480;
/// The largest stored logo, in bytes: every document bears it.
const MAX_STORED: usize = 300 * 1024;
/// The most bytes that the pixels of a file may take.
const MAX_PIXELS: usize = 128 * 1024 * 1024;

/// An opaque picture of red, green and blue.
struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Logo {
    /// A logo from a PNG or SVG file. Transparent parts become white, as the paper is; a border of
    /// white is cut off; a large one is made smaller.
    pub fn from_file(file: &[u8]) -> Result<Self, LogoFault> {
        if file.len() > MAX_LOGO_FILE {
            return Err(LogoFault::TooLarge);
        }
        let picture = if file.starts_with(b"\x89PNG") { from_png(file)? } else { from_svg(file)? };
        let mut picture = picture.trimmed().ok_or(LogoFault::Empty)?.within(MAX_WIDTH, MAX_HEIGHT);
        loop {
            let png = picture.encoded()?;
            if png.len() <= MAX_STORED {
                return Self::stored(png).ok_or(LogoFault::Empty);
            }
            let (width, height) = (picture.width * 3 / 4, picture.height * 3 / 4);
            picture = picture.within(width, height);
        }
    }
}

fn from_png(file: &[u8]) -> Result<Picture, LogoFault> {
    let broken = |error: png::DecodingError| LogoFault::Png(error.to_string());
    let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(file), Limits { bytes: MAX_PIXELS });
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(broken)?;
    let size = reader.output_buffer_size().filter(|size| *size <= MAX_PIXELS);
    let mut bytes = vec![0; size.ok_or_else(|| LogoFault::Png("it has too many pixels".to_owned()))?];
    let info = reader.next_frame(&mut bytes).map_err(broken)?;
    let on_white = |colour: u8, alpha: u8| {
        let (colour, alpha) = (u32::from(colour), u32::from(alpha));
        ((colour * alpha + 255 * (255 - alpha)) / 255) as u8
    };
    let pixels = match info.color_type {
        ColorType::GrayscaleAlpha => {
            bytes.chunks_exact(2).flat_map(|pixel| [on_white(pixel[0], pixel[1]); 3]).collect()
        }
        ColorType::Rgba => {
            bytes.chunks_exact(4).flat_map(|pixel| [0, 1, 2].map(|part| on_white(pixel[part], pixel[3]))).collect()
        }
        other => return Err(LogoFault::Png(format!("its pixels are of the kind {other:?}"))),
    };
    Ok(Picture { width: info.width, height: info.height, pixels })
}

fn from_svg(file: &[u8]) -> Result<Picture, LogoFault> {
    let text = std::str::from_utf8(file).map_err(|_| LogoFault::Format)?;
    if !text.contains("<svg") {
        return Err(LogoFault::Format);
    }
    for (element, named) in [("<text", "text"), ("<image", "an image")] {
        if text.contains(element) {
            return Err(LogoFault::NotDrawn(named));
        }
    }
    let tree = Tree::from_str(text, &Options::default()).map_err(|error| LogoFault::Svg(error.to_string()))?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = (MAX_WIDTH as f32 / width).min(MAX_HEIGHT as f32 / height);
    let side = |length: f32| (length * scale).ceil().max(1.0) as u32;
    let mut map = Pixmap::new(side(width), side(height)).ok_or(LogoFault::Empty)?;
    map.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut map.as_mut());
    let pixels = map.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    Ok(Picture { width: map.width(), height: map.height(), pixels })
}

impl Picture {
    fn row(&self, row: u32) -> &[u8] {
        let length = self.width as usize * 3;
        &self.pixels[row as usize * length..][..length]
    }

    /// The picture without its white border; `None` if nothing is left.
    fn trimmed(self) -> Option<Self> {
        let inked = |row: &[u8]| row.chunks_exact(3).position(|pixel| pixel.iter().any(|part| *part < 250));
        let from_end = |row: &[u8]| row.chunks_exact(3).rposition(|pixel| pixel.iter().any(|part| *part < 250));
        let rows: Vec<u32> = (0..self.height).filter(|row| inked(self.row(*row)).is_some()).collect();
        let (top, bottom) = (*rows.first()?, *rows.last()?);
        let left = (top..=bottom).filter_map(|row| inked(self.row(row))).min()?;
        let right = (top..=bottom).filter_map(|row| from_end(self.row(row))).max()?;
        let pixels = (top..=bottom).flat_map(|row| self.row(row)[left * 3..=right * 3 + 2].iter().copied()).collect();
        Some(Self { width: (right - left + 1) as u32, height: bottom - top + 1, pixels })
    }

    /// The picture at most so large: each pixel is the mean of those that it replaces.
    fn within(self, width: u32, height: u32) -> Self {
        let scale = (f64::from(width) / f64::from(self.width)).min(f64::from(height) / f64::from(self.height));
        if scale >= 1.0 {
            return self;
        }
        let side = |length: u32| ((f64::from(length) * scale) as u32).max(1);
        let (wide, tall) = (side(self.width), side(self.height));
        let span = |at: u32, new: u32, old: u32| {
            let edge = |at: u32| (u64::from(at) * u64::from(old) / u64::from(new)) as u32;
            edge(at)..edge(at + 1).max(edge(at) + 1)
        };
        let mut pixels = Vec::with_capacity(wide as usize * tall as usize * 3);
        for y in 0..tall {
            for x in 0..wide {
                let (rows, columns) = (span(y, tall, self.height), span(x, wide, self.width));
                let count = rows.len() as u32 * columns.len() as u32;
                let mut sums = [0_u32; 3];
                for row in rows {
                    let part = &self.row(row)[columns.start as usize * 3..columns.end as usize * 3];
                    for pixel in part.chunks_exact(3) {
                        sums.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u32::from(*part));
                    }
                }
                pixels.extend(sums.map(|sum| (sum / count) as u8));
            }
        }
        Self { width: wide, height: tall, pixels }
    }

    fn encoded(&self) -> Result<Vec<u8>, LogoFault> {
        let broken = |error: png::EncodingError| LogoFault::Png(error.to_string());
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, self.width, self.height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::High);
        let mut writer = encoder.write_header().map_err(broken)?;
        writer.write_image_data(&self.pixels).map_err(broken)?;
        writer.finish().map_err(broken)?;
        Ok(png)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 200 100\">\
        <defs><linearGradient id=\"g\"><stop stop-color=\"#f00\"/><stop offset=\"1\" stop-color=\"#00f\"/></linearGradient></defs>\
        <rect x=\"50\" y=\"25\" width=\"100\" height=\"50\" fill=\"url(#g)\"/></svg>";

    fn png(width: u32, height: u32, colour: ColorType, pixels: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(colour);
        encoder.set_depth(BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        file
    }

    #[test]
    fn a_logo_is_drawn_from_an_svg_without_its_border() {
        let logo = Logo::from_file(SVG.as_bytes()).unwrap();
        assert_eq!(logo.size(), (480, 240));
        assert_eq!(Logo::stored(logo.png().to_vec()).as_ref(), Some(&logo));
        assert_eq!(logo.fitted(120.0, 120.0), (120.0, 60.0));
    }

    #[test]
    fn a_png_of_any_kind_becomes_a_small_opaque_one() {
        let noise =
            |length: u32| (0..length).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect::<Vec<_>>();
        for (name, file) in [
            ("grey", png(40, 20, ColorType::Grayscale, &noise(800))),
            ("with alpha", png(20, 10, ColorType::Rgba, &noise(800))),
            ("large", png(2_000, 1_500, ColorType::Rgb, &noise(9_000_000))),
        ] {
            let logo = Logo::from_file(&file).unwrap();
            let (width, height) = logo.size();
            assert!(width <= MAX_WIDTH && height <= MAX_HEIGHT && logo.png().len() <= MAX_STORED, "{name}: {logo:?}");
            let read = from_png(logo.png()).unwrap();
            assert_eq!((read.width, read.height), logo.size(), "{name}");
        }
    }

    #[test]
    fn what_is_no_logo_has_a_reason() {
        let fault = |file: &[u8]| Logo::from_file(file).unwrap_err();
        let svg = |inside: &str| SVG.replace("<rect", &format!("{inside}<rect"));
        assert_eq!(fault(b""), LogoFault::Format);
        assert_eq!(fault(b"GIF89a"), LogoFault::Format);
        assert_eq!(fault(&[0xff; 100]), LogoFault::Format);
        assert_eq!(fault(&vec![0; MAX_LOGO_FILE + 1]), LogoFault::TooLarge);
        assert_eq!(fault(svg("<text>A</text>").as_bytes()), LogoFault::NotDrawn("text"));
        assert_eq!(fault(svg("<image href=\"file:///etc/passwd\"/>").as_bytes()), LogoFault::NotDrawn("an image"));
        assert_eq!(fault(b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>"), LogoFault::Empty);
        assert!(matches!(fault(&SVG.as_bytes()[..SVG.len() - 9]), LogoFault::Svg(_)));
        assert_eq!(fault(&png(9, 9, ColorType::Rgb, &[255; 243])), LogoFault::Empty);
        let whole = png(9, 9, ColorType::Rgb, &[1; 243]);
        assert!(matches!(fault(&whole[..40]), LogoFault::Png(_)));
        let mut huge = whole;
        huge[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        assert!(matches!(fault(&huge), LogoFault::Png(_)));
    }
}
