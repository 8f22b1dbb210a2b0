//! Lays text out down the pages: paragraphs, fields and tables.

use super::canvas::{Canvas, LETTER, Style};
use super::colour::{BLACK, Colour, GREY, LINE};
use super::font::Fonts;
use super::typesetter::Weight;

/// The margin of letter pages, in points.
pub(crate) const MARGIN: f32 = 42.0;
/// The width between the margins of letter pages.
pub(crate) const BREADTH: f32 = LETTER.width - 2.0 * MARGIN;
/// The width of sums, at the right.
pub(crate) const SUMS: f32 = 206.0;
/// Where the content of letter pages ends, above the foot.
const BOTTOM: f32 = LETTER.height - 46.0;

pub(crate) const PLAIN: Style = Style::new(Weight::Regular, 7.6, BLACK);
pub(crate) const STRONG: Style = Style::new(Weight::Strong, 7.6, BLACK);
pub(crate) const NOTE: Style = Style::new(Weight::Regular, 6.3, GREY);
pub(crate) const LABEL: Style = Style::new(Weight::Regular, 6.3, GREY);

/// The distance between base lines for a font size.
pub(crate) fn leading(size: f32) -> f32 {
    size * 1.38
}

/// The colours of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Theme {
    /// The company's, for areas.
    pub(crate) accent: Colour,
    /// The company's, for text.
    pub(crate) ink: Colour,
}

impl Theme {
    pub(crate) fn of(colour: Colour) -> Self {
        Self { accent: colour, ink: colour.as_ink() }
    }
}

/// Letter pages, and the current position on the last one.
pub(crate) struct Sheet<'f> {
    pub(crate) canvas: Canvas<'f>,
    pub(crate) theme: Theme,
    pub(crate) y: f32,
}

impl<'f> Sheet<'f> {
    pub(crate) fn new(fonts: &'f Fonts, theme: Theme) -> Self {
        Self { canvas: Canvas::new(fonts, LETTER), theme, y: MARGIN }
    }

    /// Makes room for `height`; returns whether that began a page.
    pub(crate) fn room(&mut self, height: f32) -> bool {
        let breaks = self.y + height > BOTTOM && self.y > MARGIN;
        if breaks {
            self.canvas.add_page();
            self.y = MARGIN;
        }
        breaks
    }

    /// Draws a paragraph between `x` and `x + width`, from `y` down, on one page; returns where it
    /// ends.
    pub(crate) fn paragraph(&mut self, x: f32, y: f32, width: f32, style: Style, text: &str) -> f32 {
        let mut y = y;
        for line in self.canvas.wrap(style, text, width) {
            y += leading(style.size);
            self.canvas.text(x, style.base(y), style, &line);
        }
        y
    }

    /// Draws a text of any length over the full width, across pages if needed.
    pub(crate) fn flow(&mut self, style: Style, text: &str) {
        for line in self.canvas.wrap(style, text, BREADTH) {
            self.room(leading(style.size));
            self.y += leading(style.size);
            self.canvas.text(MARGIN, style.base(self.y), style, &line);
        }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.room(40.0);
        self.y += 8.0;
        self.canvas.text(MARGIN, self.y + 7.0, Style::new(Weight::Strong, 8.2, self.theme.ink), text);
        self.y += 12.0;
    }

    /// Draws the total in a band at the right.
    pub(crate) fn total(&mut self, y: f32, label: &str, text: &str) {
        let right = MARGIN + BREADTH;
        let style = Style::new(Weight::Strong, 10.6, self.theme.accent.text_on());
        self.canvas.fill(right - SUMS, y, SUMS, 24.0, self.theme.accent);
        self.canvas.text(right - SUMS + 9.0, y + 15.8, style, label);
        self.canvas.text_to(right - 9.0, y + 15.8, style, text);
    }

    /// Leaves room below a table.
    pub(crate) fn end_table(&mut self) {
        self.y += 8.0;
    }

    /// Draws fields in columns over the full width, each with its label above it.
    pub(crate) fn fields(&mut self, columns: usize, fields: &[(&str, String)]) {
        let width = BREADTH / columns as f32;
        for row in fields.chunks(columns) {
            let lines = row.iter().map(|(_, text)| self.canvas.wrap(PLAIN, text, width - 10.0).len()).max();
            let height = leading(LABEL.size) + lines.unwrap_or(1) as f32 * leading(PLAIN.size) + 4.0;
            self.room(height);
            let top = self.y;
            for (place, (label, text)) in row.iter().enumerate() {
                let x = MARGIN + place as f32 * width;
                let below = self.paragraph(x, top, width - 10.0, LABEL, label);
                self.paragraph(x, below, width - 10.0, PLAIN, text);
            }
            self.y = top + height;
        }
    }

    /// Draws fields one below the other, labels at the left and values beside them; returns where
    /// they end.
    pub(crate) fn rows(&mut self, x: f32, y: f32, width: f32, label: f32, rows: &[(&str, String)]) -> f32 {
        let mut y = y;
        for (name, value) in rows {
            let named = self.paragraph(x, y, label - 6.0, Style { size: PLAIN.size, ..LABEL }, name);
            let said = self.paragraph(x + label, y, width - label, PLAIN, value);
            y = named.max(said) + 1.4;
        }
        y
    }
}

/// The alignment of text in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

pub(crate) struct Column {
    pub(crate) title: &'static str,
    /// The column's share of the width.
    pub(crate) part: f32,
    pub(crate) align: Align,
}

/// A table that repeats its heading on every page.
pub(crate) struct Table<'a> {
    columns: &'a [Column],
}

/// The space between the text of a row and its lines.
const PADDING: f32 = 4.2;
/// The space at either side of a column.
const GUTTER: f32 = 5.0;
const HEAD: f32 = 18.0;

impl<'a> Table<'a> {
    pub(crate) fn begin(sheet: &mut Sheet<'_>, columns: &'a [Column]) -> Self {
        sheet.room(60.0);
        let table = Self { columns };
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

    fn head(&self, sheet: &mut Sheet<'_>) {
        let heading = Style::new(Weight::Strong, 6.6, sheet.theme.accent.text_on());
        sheet.canvas.fill(MARGIN, sheet.y, BREADTH, HEAD, sheet.theme.accent);
        for (column, x, width) in self.places() {
            let base = sheet.y + HEAD / 2.0 + 2.4;
            match column.align {
                Align::Left => sheet.canvas.text(x + GUTTER, base, heading, column.title),
                Align::Right => sheet.canvas.text_to(x + width - GUTTER, base, heading, column.title),
            }
        }
        sheet.y += HEAD;
    }

    /// Draws a row: a text per column, and below them a note from the column `noted` to the right
    /// margin.
    pub(crate) fn row(&mut self, sheet: &mut Sheet<'_>, cells: &[String], noted: usize, note: &str) {
        let wrapped: Vec<Vec<String>> = self
            .places()
            .zip(cells)
            .map(|((_, _, width), text)| sheet.canvas.wrap(PLAIN, text, width - 2.0 * GUTTER))
            .collect();
        let left = self.places().nth(noted).map_or(MARGIN, |(_, x, _)| x) + GUTTER;
        let note = sheet.canvas.wrap(NOTE, note, MARGIN + BREADTH - GUTTER - left);
        let lines = wrapped.iter().map(Vec::len).max().unwrap_or_default();
        let below = lines as f32 * leading(PLAIN.size);
        let height = below + note.len() as f32 * leading(NOTE.size) + 2.0 * PADDING;
        if sheet.room(height) {
            self.head(sheet);
        }
        let top = sheet.y + PADDING;
        for ((column, x, width), lines) in self.places().zip(&wrapped) {
            let mut base = PLAIN.base(top);
            for line in lines {
                base += leading(PLAIN.size);
                match column.align {
                    Align::Left => sheet.canvas.text(x + GUTTER, base, PLAIN, line),
                    Align::Right => sheet.canvas.text_to(x + width - GUTTER, base, PLAIN, line),
                }
            }
        }
        let mut base = NOTE.base(top + below);
        for line in &note {
            base += leading(NOTE.size);
            sheet.canvas.text(left, base, NOTE, line);
        }
        sheet.y += height;
        sheet.canvas.line(MARGIN, sheet.y, BREADTH, 0.5, LINE);
    }
}
