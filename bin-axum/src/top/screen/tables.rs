use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Rect};
use ratatui::style::Stylize as _;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Row, Table};

use super::part::titled;
use super::text::{amount, amount_if_known, duration_if_known};
use crate::top::view::View;

/// The width of a figure's column.
const FIGURE: u16 = 7;

/// The title, the names of the columns, and at most so many rows, since other parts follow.
const NARROW_HEIGHT: u16 = 8;

pub(super) fn operations_height(view: &View) -> u16 {
    height(view.operations.len())
}

pub(super) fn companies_height(view: &View) -> u16 {
    height(view.companies.len())
}

fn height(rows: usize) -> u16 {
    u16::try_from(rows.max(1)).map_or(NARROW_HEIGHT, |rows| (rows + 2).min(NARROW_HEIGHT))
}

pub(super) fn draw_operations(frame: &mut Frame<'_>, area: Rect, view: &View) {
    let area = titled(frame, area, "Operations".to_owned());
    if view.operations.is_empty() {
        frame.render_widget(Line::from("none asked for").dim(), area);
        return;
    }
    let figures = 4 * (FIGURE + 1);
    let width = area.width.saturating_sub(figures);
    let rows = view.operations.iter().map(|rates| {
        let failed = Cell::from(right(amount(rates.failed)));
        Row::new([
            Cell::from(shortened(&rates.operation, width)),
            Cell::from(right(amount(rates.per_second))),
            if rates.failed > 0.0 { failed.red() } else { failed },
            Cell::from(right(duration_if_known(rates.p50))),
            Cell::from(right(duration_if_known(rates.p99))),
        ])
    });
    let widths = [Constraint::Length(width)].into_iter().chain([Constraint::Length(FIGURE); 4]);
    let head = Row::new(["", "/s", "failed", "p50", "p99"].map(|name| right(name.to_owned()))).dim();
    frame.render_widget(Table::new(rows, widths).header(head), area);
}

pub(super) fn draw_companies(frame: &mut Frame<'_>, area: Rect, view: &View) {
    let area = titled(frame, area, "Companies".to_owned());
    if view.companies.is_empty() {
        frame.render_widget(Line::from("none asked").dim(), area);
        return;
    }
    let rows = view
        .companies
        .iter()
        .map(|company| Row::new([Text::from(company.empresa.to_string()), right(amount_if_known(company.per_second))]));
    let widths = [Constraint::Fill(1), Constraint::Length(FIGURE)];
    let head = Row::new([Text::from(""), right("/s".to_owned())]).dim();
    frame.render_widget(Table::new(rows, widths).header(head), area);
}

fn right(text: String) -> Text<'static> {
    Text::from(text).alignment(Alignment::Right)
}

/// The text, or its beginning if it is wider.
fn shortened(text: &str, width: u16) -> String {
    let width = usize::from(width);
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
