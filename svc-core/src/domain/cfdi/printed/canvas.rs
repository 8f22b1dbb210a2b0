//! Draws on the pages of a PDF. Coordinates are in points from the upper left corner.

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::{Content, Filter, Finish as _, Name, Pdf, Rect, Ref, Str, TextStr};

use super::font::Font;

/// Letter paper, in points.
pub(super) const WIDTH: f32 = 612.0;
pub(super) const HEIGHT: f32 = 792.0;

/// The compression level of content; 6 is the usual default.
const COMPRESSION: u8 = 6;

const REGULAR: Name<'_> = Name(b"F1");
const BOLD: Name<'_> = Name(b"F2");
/// The graphics state that draws translucently.
const FAINT: Name<'_> = Name(b"G1");

#[derive(Debug, Clone, Copy)]
pub(super) struct Colour(f32, f32, f32);

pub(super) const BLACK: Colour = Colour(0.1, 0.1, 0.12);
pub(super) const GREY: Colour = Colour(0.42, 0.44, 0.48);
pub(super) const ACCENT: Colour = Colour(0.11, 0.27, 0.42);
pub(super) const TINT: Colour = Colour(0.93, 0.95, 0.97);
pub(super) const LINE: Colour = Colour(0.8, 0.83, 0.87);
pub(super) const WHITE: Colour = Colour(1.0, 1.0, 1.0);
const ALARM: Colour = Colour(0.85, 0.1, 0.1);

#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) font: Font,
    pub(super) size: f32,
    pub(super) colour: Colour,
}

impl Style {
    pub(super) const fn new(font: Font, size: f32, colour: Colour) -> Self {
        Self { font, size, colour }
    }

    pub(super) fn width(self, text: &str) -> f32 {
        self.font.width(text, self.size)
    }
}

/// Pages; drawing goes to the last one.
pub(super) struct Canvas {
    pages: Vec<Content>,
    /// The text written across every page.
    pub(super) across: Option<&'static str>,
    /// The text in a band at the top of every page.
    pub(super) above: Option<&'static str>,
}

impl Canvas {
    /// Begins the first page.
    pub(super) fn new() -> Self {
        Self { pages: vec![Content::new()], across: None, above: None }
    }

    pub(super) fn add_page(&mut self) {
        self.pages.push(Content::new());
    }

    fn page(&mut self) -> &mut Content {
        if self.pages.is_empty() {
            self.pages.push(Content::new());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// Draws text from `x` on the base line `y`.
    pub(super) fn text(&mut self, x: f32, y: f32, style: Style, text: &str) {
        show(self.page(), style, [1.0, 0.0, 0.0, 1.0, x, HEIGHT - y], text);
    }

    /// Draws text that ends at `x`.
    pub(super) fn text_to(&mut self, x: f32, y: f32, style: Style, text: &str) {
        self.text(x - style.width(text), y, style, text);
    }

    pub(super) fn fill(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
        self.page()
            .set_fill_rgb(colour.0, colour.1, colour.2)
            .rect(x, HEIGHT - y - height, width, height)
            .fill_nonzero();
    }

    /// Draws a horizontal line.
    pub(super) fn rule(&mut self, x: f32, y: f32, width: f32) {
        let page = self.page().set_stroke_rgb(LINE.0, LINE.1, LINE.2).set_line_width(0.6);
        page.move_to(x, HEIGHT - y).line_to(x + width, HEIGHT - y).stroke();
    }

    /// Draws black squares of that size, by column and row.
    pub(super) fn squares(&mut self, x: f32, y: f32, size: f32, places: impl Iterator<Item = (f32, f32)>) {
        let page = self.page().set_fill_gray(0.0);
        for (column, row) in places {
            page.rect(x + column * size, HEIGHT - y - (row + 1.0) * size, size, size);
        }
        page.fill_nonzero();
    }

    /// Returns the PDF, with `foot` at the foot of each page.
    pub(super) fn finish(mut self, title: &str, foot: &str) -> Vec<u8> {
        const CATALOG: Ref = Ref::new(1);
        const PAGES: Ref = Ref::new(2);
        const REGULAR_FONT: Ref = Ref::new(3);
        const BOLD_FONT: Ref = Ref::new(4);
        const INFO: Ref = Ref::new(5);
        const FAINT_STATE: Ref = Ref::new(6);
        let style = Style::new(Font::Regular, 7.0, GREY);
        let count = self.pages.len();
        let mut pdf = Pdf::new();
        pdf.catalog(CATALOG).pages(PAGES).lang(TextStr("es-MX"));
        pdf.document_info(INFO).title(TextStr(title));
        for (id, name) in [(REGULAR_FONT, &b"Helvetica"[..]), (BOLD_FONT, b"Helvetica-Bold")] {
            pdf.type1_font(id).base_font(Name(name)).encoding_predefined(Name(b"WinAnsiEncoding"));
        }
        pdf.ext_graphics(FAINT_STATE).non_stroking_alpha(0.25);
        // Each page takes two ids: the page and its content.
        let id = |page: usize, part: i32| Ref::new(7 + 2 * page as i32 + part);
        pdf.pages(PAGES).kids((0..count).map(|page| id(page, 0))).count(count as i32);
        for (number, mut content) in self.pages.drain(..).enumerate() {
            let place = format!("Página {} de {count}", number + 1);
            let right = WIDTH - 36.0 - style.width(&place);
            for (x, text) in [(36.0, foot), (right, &place)] {
                show(&mut content, style, [1.0, 0.0, 0.0, 1.0, x, 24.0], text);
            }
            if let Some(text) = self.above {
                write_above(&mut content, text);
            }
            if let Some(text) = self.across {
                write_across(&mut content, text);
            }
            let mut page = pdf.page(id(number, 0));
            page.parent(PAGES).media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT)).contents(id(number, 1));
            let mut resources = page.resources();
            resources.fonts().pair(REGULAR, REGULAR_FONT).pair(BOLD, BOLD_FONT);
            resources.ext_g_states().pair(FAINT, FAINT_STATE);
            resources.finish();
            page.finish();
            let drawn = compress_to_vec_zlib(&content.finish(), COMPRESSION);
            pdf.stream(id(number, 1), &drawn).filter(Filter::FlateDecode);
        }
        pdf.finish()
    }
}

fn show(content: &mut Content, style: Style, matrix: [f32; 6], text: &str) {
    let Colour(r, g, b) = style.colour;
    let name = if style.font == Font::Bold { BOLD } else { REGULAR };
    content.begin_text().set_fill_rgb(r, g, b).set_font(name, style.size).set_text_matrix(matrix);
    content.show(Str(&Font::encode(text))).end_text();
}

/// Draws text in a band above the page's content.
fn write_above(content: &mut Content, text: &str) {
    const BAND: f32 = 18.0;
    let style = Style::new(Font::Bold, 12.0, WHITE);
    let Colour(r, g, b) = ALARM;
    content.set_fill_rgb(r, g, b).rect(36.0, HEIGHT - 10.0 - BAND, WIDTH - 72.0, BAND).fill_nonzero();
    let x = (WIDTH - style.width(text)) / 2.0;
    show(content, style, [1.0, 0.0, 0.0, 1.0, x, HEIGHT - 10.0 - BAND + 5.0], text);
}

/// Draws large, slanted text over the page's content.
fn write_across(content: &mut Content, text: &str) {
    let style = Style::new(Font::Bold, 84.0, ALARM);
    let turned = std::f32::consts::FRAC_1_SQRT_2;
    let half = style.width(text) / 2.0 * turned;
    content.save_state().set_parameters(FAINT);
    show(content, style, [turned, turned, -turned, turned, WIDTH / 2.0 - half + 20.0, HEIGHT / 2.0 - half], text);
    content.restore_state();
}
