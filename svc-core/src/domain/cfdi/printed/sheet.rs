//! Lays out a document down its pages: paragraphs, fields and tables.

use super::canvas::{ACCENT, BLACK, Canvas, GREY, HEIGHT, Style, TINT, WHITE, WIDTH};
use super::font::Font;

/// The margin of the pages.
pub(super) const MARGIN: f32 = 36.0;
/// The width between the margins.
pub(super) const BREADTH: f32 = WIDTH - 2.0 * MARGIN;
/// Where the content ends, above the foot.
const BOTTOM: f32 = HEIGHT - 44.0;

pub(super) const PLAIN: Style = Style::new(Font::Regular, 8.0, BLACK);
pub(super) const STRONG: Style = Style::new(Font::Bold, 8.0, BLACK);
pub(super) const NOTE: Style = Style::new(Font::Regular, 6.8, GREY);
const LABEL: Style = Style::new(Font::Bold, 6.2, GREY);
const HEADING: Style = Style::new(Font::Bold, 7.0, WHITE);

/// The distance between base lines for a font size.
pub(super) fn leading(size: f32) -> f32 {
    size * 1.25
}

/// The pages, and the current position on the last one.
pub(super) struct Sheet {
    pub(super) canvas: Canvas,
    pub(super) y: f32,
}

impl Sheet {
    pub(super) fn new() -> Self {
        Self { canvas: Canvas::new(), y: MARGIN }
    }

    /// Makes room for `height`; returns whether that began a page.
    pub(super) fn room(&mut self, height: f32) -> bool {
        let breaks = self.y + height > BOTTOM && self.y > MARGIN;
        if breaks {
            self.canvas.add_page();
            self.y = MARGIN;
        }
        breaks
    }

    /// Draws a paragraph between `x` and `x + width`, from `y` down, on one page; returns where it
    /// ends.
    pub(super) fn paragraph(&mut self, x: f32, y: f32, width: f32, style: Style, text: &str) -> f32 {
        let mut y = y;
        for line in style.font.wrap(text, style.size, width) {
            y += leading(style.size);
            self.canvas.text(x, y - style.size * 0.25, style, &line);
        }
        y
    }

    /// Draws a text of any length over the full width, across pages if needed.
    pub(super) fn flow(&mut self, style: Style, text: &str) {
        for line in style.font.wrap(text, style.size, BREADTH) {
            self.room(leading(style.size));
            self.y = self.paragraph(MARGIN, self.y, BREADTH, style, &line);
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.room(40.0);
        self.y += 6.0;
        self.canvas.text(MARGIN, self.y + 8.0, Style::new(Font::Bold, 8.5, ACCENT), text);
        self.y += 12.0;
    }

    /// Draws the line below a table.
    pub(super) fn end_table(&mut self) {
        self.canvas.rule(MARGIN, self.y, BREADTH);
        self.y += 6.0;
    }

    /// Draws fields in columns, each with its label above it.
    pub(super) fn fields(&mut self, columns: usize, fields: &[(&str, String)]) {
        let width = BREADTH / columns as f32;
        for row in fields.chunks(columns) {
            let lines = row.iter().map(|(_, text)| PLAIN.font.wrap(text, PLAIN.size, width - 8.0).len()).max();
            let height = 9.0 + lines.unwrap_or(1) as f32 * leading(PLAIN.size) + 3.0;
            self.room(height);
            let top = self.y;
            for (place, (label, text)) in row.iter().enumerate() {
                let x = MARGIN + place as f32 * width;
                self.canvas.text(x, top + 7.0, LABEL, label);
                self.paragraph(x, top + 8.0, width - 8.0, PLAIN, text);
            }
            self.y = top + height;
        }
    }
}

/// The alignment of text in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

pub(super) struct Column {
    pub(super) title: &'static str,
    /// The column's share of the width.
    pub(super) part: f32,
    pub(super) align: Align,
}

/// A table that repeats its heading on every page.
pub(super) struct Table<'a> {
    columns: &'a [Column],
    shaded: bool,
}

impl<'a> Table<'a> {
    pub(super) fn begin(sheet: &mut Sheet, columns: &'a [Column]) -> Self {
        sheet.room(50.0);
        let table = Self { columns, shaded: false };
        table.head(sheet);
        table
    }

    /// Each column with its position and width.
    fn places(&self) -> impl Iterator<Item = (&'a Column, f32, f32)> {
        let all: f32 = self.columns.iter().map(|column| column.part).sum();
        self.columns.iter().scan(MARGIN, move |x, column| {
            let (left, width) = (*x, column.part / all * BREADTH);
            *x += width;
            Some((column, left, width))
        })
    }

    fn head(&self, sheet: &mut Sheet) {
        sheet.canvas.fill(MARGIN, sheet.y, BREADTH, 14.0, ACCENT);
        for (column, x, width) in self.places() {
            match column.align {
                Align::Left => sheet.canvas.text(x + 4.0, sheet.y + 9.6, HEADING, column.title),
                Align::Right => sheet.canvas.text_to(x + width - 4.0, sheet.y + 9.6, HEADING, column.title),
            }
        }
        sheet.y += 14.0;
    }

    /// Draws a row: a text per column, and below them a note from the column `noted` to the right
    /// margin.
    pub(super) fn row(&mut self, sheet: &mut Sheet, cells: &[String], noted: usize, note: &str) {
        let wrapped: Vec<Vec<String>> = self
            .places()
            .zip(cells)
            .map(|((_, _, width), text)| PLAIN.font.wrap(text, PLAIN.size, width - 8.0))
            .collect();
        let left = self.places().nth(noted).map_or(MARGIN, |(_, x, _)| x) + 4.0;
        let note = NOTE.font.wrap(note, NOTE.size, MARGIN + BREADTH - 4.0 - left);
        let lines = wrapped.iter().map(Vec::len).max().unwrap_or_default();
        let below = lines as f32 * leading(PLAIN.size);
        let height = below + note.len() as f32 * leading(NOTE.size) + 6.0;
        if sheet.room(height) {
            self.head(sheet);
        }
        if self.shaded {
            sheet.canvas.fill(MARGIN, sheet.y, BREADTH, height, TINT);
        }
        self.shaded = !self.shaded;
        let top = sheet.y + 3.0;
        for ((column, x, width), lines) in self.places().zip(&wrapped) {
            for (line, number) in lines.iter().zip(1_u8..) {
                let base = top + f32::from(number) * leading(PLAIN.size) - PLAIN.size * 0.25;
                match column.align {
                    Align::Left => sheet.canvas.text(x + 4.0, base, PLAIN, line),
                    Align::Right => sheet.canvas.text_to(x + width - 4.0, base, PLAIN, line),
                }
            }
        }
        for (line, number) in note.iter().zip(1_u8..) {
            let base = top + below + f32::from(number) * leading(NOTE.size) - NOTE.size * 0.25;
            sheet.canvas.text(left, base, NOTE, line);
        }
        sheet.y += height;
    }
}
