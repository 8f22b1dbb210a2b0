use std::collections::VecDeque;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Stylize as _;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Sparkline};

use super::part::titled;
use super::text::{amount, duration_if_known};
use crate::top::view::View;

/// Draws the rates of all requests, and beside them their history.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: &View, history: &VecDeque<Option<f64>>) {
    let requests = &view.requests;
    let area = titled(frame, area, "Requests".to_owned());
    let [figures, chart] = Layout::horizontal([Constraint::Length(36), Constraint::Fill(1)]).areas(area);
    let failed = Line::from(format!("{}/s refused  {}/s failed", amount(requests.refused), amount(requests.failed)));
    let lines = vec![
        Line::from(format!("{}/s  {} in flight", amount(requests.per_second), amount(requests.in_flight))).bold(),
        if requests.failed > 0.0 { failed.red() } else { failed },
        Line::from(format!("p50 {}  p99 {}", duration_if_known(requests.p50), duration_if_known(requests.p99))),
    ];
    frame.render_widget(Paragraph::new(lines), figures);
    // The chart has whole numbers only.
    let hundredths = history.iter().map(|rate| rate.map(|rate| (rate * 100.0).round() as u64));
    let shown = hundredths.skip(history.len().saturating_sub(usize::from(chart.width)));
    frame.render_widget(Sparkline::default().data(shown).cyan(), chart);
}
