//! Draws on the pages of a PDF. Coordinates are in points from the upper left corner.

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::Predictor;
use pdf_writer::{Content, Filter, Finish as _, Name, Pdf, Rect, Ref, Str, TextStr};

use super::colour::{Colour, GREY, LINE, WHITE};
use super::embed::{self, COMPRESSION};
use super::font::Fonts;
use super::logo::Logo;
use super::typesetter::{Typesetter, Weight};

/// The size of a page, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PageSize {
    pub(crate) width: f32,
    pub(crate) height: f32,
}

pub(crate) const LETTER: PageSize = PageSize { width: 612.0, height: 792.0 };

/// The graphics state that draws translucently.
const TRANSLUCENT: Name<'_> = Name(b"G1");
const LOGO: Name<'_> = Name(b"L1");
const ALARM: Colour = Colour([0xd9, 0x1a, 0x1a]);

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) weight: Weight,
    pub(crate) size: f32,
    pub(crate) colour: Colour,
}

impl Style {
    pub(crate) const fn new(weight: Weight, size: f32, colour: Colour) -> Self {
        Self { weight, size, colour }
    }

    /// The base line of text whose line ends at `bottom`.
    pub(crate) fn base(self, bottom: f32) -> f32 {
        bottom - self.size * 0.32
    }
}

struct DrawnPage {
    content: Content,
    height: f32,
}

/// Pages; drawing goes to the last one.
pub(crate) struct Canvas<'f> {
    /// The size of the first page, and of every page without a height of its own.
    size: PageSize,
    setter: Typesetter<'f>,
    pages: Vec<DrawnPage>,
    logo: Option<&'f Logo>,
    /// The text written across every page.
    pub(crate) across: Option<&'static str>,
    /// The text in a band at the top of every page.
    pub(crate) above: Option<&'static str>,
}

impl<'f> Canvas<'f> {
    /// Begins the first page.
    pub(crate) fn new(fonts: &'f Fonts, size: PageSize) -> Self {
        let setter = Typesetter::new(fonts);
        let first = DrawnPage { content: Content::new(), height: size.height };
        Self { size, setter, pages: vec![first], logo: None, across: None, above: None }
    }

    pub(crate) fn add_page(&mut self) {
        self.add_page_of(self.size.height);
    }

    /// Adds a page of that height, as wide as the others.
    pub(crate) fn add_page_of(&mut self, height: f32) {
        self.pages.push(DrawnPage { content: Content::new(), height });
    }

    fn page(&mut self) -> &mut Content {
        if self.pages.is_empty() {
            self.add_page();
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last].content
    }

    /// The height of the last page.
    fn height(&self) -> f32 {
        self.pages.last().map_or(self.size.height, |page| page.height)
    }

    pub(crate) fn width(&self, style: Style, text: &str) -> f32 {
        self.setter.width(style.weight, style.size, text)
    }

    /// Breaks a text into lines of at most that width.
    pub(crate) fn wrap(&self, style: Style, text: &str, width: f32) -> Vec<String> {
        self.setter.wrap(style.weight, style.size, text, width)
    }

    /// Draws text from `x` on the base line `y`.
    pub(crate) fn text(&mut self, x: f32, y: f32, style: Style, text: &str) {
        let y = self.height() - y;
        self.show(None, style, [1.0, 0.0, 0.0, 1.0, x, y], text);
    }

    /// Draws text that ends at `x`.
    pub(crate) fn text_to(&mut self, x: f32, y: f32, style: Style, text: &str) {
        self.text(x - self.width(style, text), y, style, text);
    }

    /// Draws text with its middle at `x`.
    pub(crate) fn text_at(&mut self, x: f32, y: f32, style: Style, text: &str) {
        self.text(x - self.width(style, text) / 2.0, y, style, text);
    }

    /// Shows text on a page, by default the last one.
    fn show(&mut self, page: Option<usize>, style: Style, matrix: [f32; 6], text: &str) {
        let mut glyphs = Vec::with_capacity(text.len());
        self.setter.glyphs(style.weight, text, |letter, glyph| glyphs.push((letter, glyph)));
        let mut runs: Vec<(usize, Vec<u8>)> = Vec::new();
        for (letter, glyph) in glyphs {
            let bytes = self.setter.using(letter, glyph);
            match runs.last_mut() {
                Some((font, run)) if *font == glyph.font => run.extend(bytes),
                _ => runs.push((glyph.font, bytes.to_vec())),
            }
        }
        let [r, g, b] = style.colour.shares();
        let page = page.unwrap_or(self.pages.len() - 1);
        let Some(DrawnPage { content, .. }) = self.pages.get_mut(page) else { return };
        content.begin_text().set_fill_rgb(r, g, b).set_text_matrix(matrix);
        for (font, run) in runs {
            content.set_font(Name(format!("F{font}").as_bytes()), style.size).show(Str(&run));
        }
        content.end_text();
    }

    pub(crate) fn fill(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
        let bottom = self.height() - y - height;
        let [red, green, blue] = colour.shares();
        self.page().set_fill_rgb(red, green, blue).rect(x, bottom, width, height).fill_nonzero();
    }

    /// Draws a horizontal line.
    pub(crate) fn rule(&mut self, x: f32, y: f32, width: f32) {
        self.line(x, y, width, 0.6, LINE);
    }

    pub(crate) fn line(&mut self, x: f32, y: f32, width: f32, thickness: f32, colour: Colour) {
        let up = self.height() - y;
        let [red, green, blue] = colour.shares();
        let page = self.page().set_stroke_rgb(red, green, blue).set_line_width(thickness);
        page.move_to(x, up).line_to(x + width, up).stroke();
    }

    /// Draws a dashed horizontal line.
    pub(crate) fn dashes(&mut self, x: f32, y: f32, width: f32) {
        self.page().set_dash_pattern([2.0, 2.0], 0.0);
        self.line(x, y, width, 0.7, GREY);
        self.page().set_dash_pattern([], 0.0);
    }

    /// Draws a logo of that size with its upper left corner there. All of a document's are the
    /// same.
    pub(crate) fn logo(&mut self, x: f32, y: f32, size: (f32, f32), logo: &'f Logo) {
        self.logo = Some(logo);
        let (width, height) = size;
        let y = self.height() - y - height;
        self.page().save_state().transform([width, 0.0, 0.0, height, x, y]).x_object(LOGO).restore_state();
    }

    /// Draws black squares of that size, by column and row.
    pub(crate) fn squares(&mut self, x: f32, y: f32, size: f32, places: impl Iterator<Item = (f32, f32)>) {
        let height = self.height();
        let page = self.page().set_fill_gray(0.0);
        for (column, row) in places {
            page.rect(x + column * size, height - y - (row + 1.0) * size, size, size);
        }
        page.fill_nonzero();
    }

    /// Writes at the foot of each page `foot`, and its number at the right.
    pub(crate) fn feet(&mut self, margin: f32, foot: &str) {
        let style = Style::new(Weight::Regular, 6.8, GREY);
        let count = self.pages.len();
        for page in 0..count {
            let place = format!("Página {} de {count}", page + 1);
            let right = self.size.width - margin - self.width(style, &place);
            for (x, text) in [(margin, foot), (right, &place)] {
                self.show(Some(page), style, [1.0, 0.0, 0.0, 1.0, x, 24.0], text);
            }
        }
    }

    pub(crate) fn finish(mut self, title: &str, author: &str) -> Vec<u8> {
        const CATALOG: Ref = Ref::new(1);
        const PAGES: Ref = Ref::new(2);
        const INFO: Ref = Ref::new(3);
        const STATE: Ref = Ref::new(4);
        const IMAGE: Ref = Ref::new(5);
        for page in 0..self.pages.len() {
            self.mark(page);
        }
        let count = self.pages.len();
        let mut pdf = Pdf::new();
        let mut catalog = pdf.catalog(CATALOG);
        catalog.pages(PAGES).lang(TextStr("es-MX")).viewer_preferences().display_doc_title(true);
        catalog.finish();
        pdf.document_info(INFO).title(TextStr(title)).author(TextStr(author));
        pdf.ext_graphics(STATE).non_stroking_alpha(0.22);
        if let Some(logo) = self.logo {
            write_logo(&mut pdf, IMAGE, logo);
        }
        // Each page takes two ids: the page and its content. The fonts follow.
        let id = |page: usize, part: i32| Ref::new(6 + 2 * page as i32 + part);
        let mut next = id(count, 0);
        let mut fonts = Vec::new();
        for (place, used) in self.setter.fonts.iter().enumerate().filter(|(_, used)| !used.letters.is_empty()) {
            fonts.push((format!("F{place}"), next));
            next = embed::write(&mut pdf, place, next, used);
        }
        pdf.pages(PAGES).kids((0..count).map(|page| id(page, 0))).count(count as i32);
        for (number, DrawnPage { content, height }) in self.pages.drain(..).enumerate() {
            let mut page = pdf.page(id(number, 0));
            let media = Rect::new(0.0, 0.0, self.size.width, height);
            page.parent(PAGES).media_box(media).contents(id(number, 1));
            let mut resources = page.resources();
            let mut named = resources.fonts();
            for (name, font) in &fonts {
                named.pair(Name(name.as_bytes()), font);
            }
            named.finish();
            resources.ext_g_states().pair(TRANSLUCENT, STATE);
            if self.logo.is_some() {
                resources.x_objects().pair(LOGO, IMAGE);
            }
            resources.finish();
            page.finish();
            let drawn = compress_to_vec_zlib(&content.finish(), COMPRESSION);
            pdf.stream(id(number, 1), &drawn).filter(Filter::FlateDecode);
        }
        pdf.finish()
    }

    /// Draws on a page what stands above and across it.
    fn mark(&mut self, page: usize) {
        const BAND: f32 = 16.0;
        let (width, height) = (self.size.width, self.pages.get(page).map_or(self.size.height, |page| page.height));
        if let Some(text) = self.above {
            let size = (width / 18.0).min(10.0);
            let style = Style::new(Weight::Strong, size, WHITE);
            let [red, green, blue] = ALARM.shares();
            if let Some(DrawnPage { content, .. }) = self.pages.get_mut(page) {
                content.set_fill_rgb(red, green, blue).rect(0.0, height - BAND, width, BAND).fill_nonzero();
            }
            let x = (width - self.width(style, text)) / 2.0;
            self.show(Some(page), style, [1.0, 0.0, 0.0, 1.0, x, height - BAND + 4.6], text);
        }
        if let Some(text) = self.across {
            let size = width.min(height) * 0.14;
            let style = Style::new(Weight::Strong, size, ALARM);
            let turned = std::f32::consts::FRAC_1_SQRT_2;
            let half = self.width(style, text) / 2.0 * turned;
            if let Some(DrawnPage { content, .. }) = self.pages.get_mut(page) {
                content.save_state().set_parameters(TRANSLUCENT);
            }
            let (x, y) = (width / 2.0 - half + size / 4.0, height / 2.0 - half);
            self.show(Some(page), style, [turned, turned, -turned, turned, x, y], text);
            if let Some(DrawnPage { content, .. }) = self.pages.get_mut(page) {
                content.restore_state();
            }
        }
    }
}

fn write_logo(pdf: &mut Pdf, id: Ref, logo: &Logo) {
    let (width, height) = logo.size();
    let pixels = logo.pixels();
    let mut image = pdf.image_xobject(id, &pixels);
    image.width(width as i32).height(height as i32).bits_per_component(8).color_space().device_rgb();
    image.filter(Filter::FlateDecode);
    image.decode_parms().predictor(Predictor::PngOptimum).colors(3).bits_per_component(8).columns(width as i32);
}
