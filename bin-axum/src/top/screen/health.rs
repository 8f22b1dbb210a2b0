use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use super::part::titled;
use super::text::{UNKNOWN, amount, bytes, duration};
use crate::top::view::{ByName, View};

/// The title and the lines of [`draw_process`].
pub(super) const PROCESS_HEIGHT: u16 = 6;

/// Seconds for which something may be due before it stands out, and by which a clock may differ.
const LATE: f64 = 60.0;

/// The height of the highest of the three parts.
pub(super) fn height(view: &View) -> u16 {
    PROCESS_HEIGHT.max(queues_height(view)).max(outcomes_height(view))
}

pub(super) fn queues_height(view: &View) -> u16 {
    height_of(&queues(view))
}

pub(super) fn outcomes_height(view: &View) -> u16 {
    height_of(&outcomes(view))
}

fn height_of(lines: &[Line<'_>]) -> u16 {
    u16::try_from(lines.len() + 1).unwrap_or(u16::MAX)
}

pub(super) fn draw_queues(frame: &mut Frame<'_>, area: Rect, view: &View) {
    let area = titled(frame, area, "Queues".to_owned());
    frame.render_widget(Paragraph::new(queues(view)).wrap(Wrap { trim: true }), area);
}

pub(super) fn draw_outcomes(frame: &mut Frame<'_>, area: Rect, view: &View) {
    let counts = &view.outcomes;
    let span = if counts.since_start { "since the start".to_owned() } else { format!("in {}", duration(counts.span)) };
    let area = titled(frame, area, format!("Work {span}"));
    frame.render_widget(Paragraph::new(outcomes(view)).wrap(Wrap { trim: true }), area);
}

pub(super) fn draw_process(frame: &mut Frame<'_>, area: Rect, view: &View) {
    let area = titled(frame, area, "Process".to_owned());
    let database = &view.database;
    let offset = view.clock_offset.map_or_else(|| UNKNOWN.to_owned(), |offset| format!("{offset:+.2} s"));
    let lines = vec![
        Line::from(format!("database {} of {}, {} idle", database.used, database.max, database.idle)),
        Line::from(format!("clients {}", amount(view.clients))),
        Line::from(format!("processor {:.0} %", view.process.cpu * 100.0)),
        Line::from(format!("memory {}", bytes(view.process.memory))),
        marked(format!("clock {offset}"), view.clock_offset.is_some_and(|offset| offset.abs() > LATE), Color::Red),
    ];
    frame.render_widget(Paragraph::new(lines), area);
}

/// A line for each queue that has something due, and for each reason why documents wait.
fn queues(view: &View) -> Vec<Line<'static>> {
    let due = positive(&view.queues);
    let due = due.map(|(queue, age)| marked(format!("{queue} due for {}", duration(age)), age > LATE, Color::Yellow));
    let held = positive(&view.held);
    let held = held.map(|(reason, count)| marked(format!("{} held: {reason}", amount(count)), true, Color::Yellow));
    or_nothing(due.chain(held).collect(), "nothing is due")
}

/// A line for each kind of work that was done, with its outcomes.
fn outcomes(view: &View) -> Vec<Line<'static>> {
    let counts = &view.outcomes;
    let kinds = [
        ("stampings", &counts.stampings),
        ("cancellations", &counts.cancellations),
        ("webhooks", &counts.deliveries),
        ("e-mails", &counts.emails),
    ];
    let kinds = kinds.into_iter().filter(|(_, counts)| positive(counts).next().is_some());
    let lines = kinds.map(|(kind, counts)| {
        let outcomes: Vec<_> =
            positive(counts).map(|(outcome, count)| format!("{} {outcome}", amount(count))).collect();
        Line::from(format!("{kind}: {}", outcomes.join(", ")))
    });
    let failures = positive(&counts.failures);
    let failures =
        failures.map(|(cause, count)| marked(format!("{} failed: {cause}", amount(count)), true, Color::Red));
    or_nothing(lines.chain(failures).collect(), "nothing was done")
}

fn positive(figures: &ByName) -> impl Iterator<Item = (&str, f64)> {
    figures.iter().filter(|(_, value)| **value > 0.0).map(|(name, value)| (name.as_str(), *value))
}

fn marked(text: String, stands_out: bool, color: Color) -> Line<'static> {
    let line = Line::from(text);
    if stands_out { line.style(Style::new().fg(color).bold()) } else { line }
}

fn or_nothing(lines: Vec<Line<'static>>, nothing: &'static str) -> Vec<Line<'static>> {
    if lines.is_empty() { vec![Line::from(nothing).style(Style::new().dim())] } else { lines }
}
