//! [`Screen`]: what `svc top` draws.

mod health;
mod part;
mod requests;
mod tables;
#[cfg(test)]
mod tests;
mod text;

use std::collections::VecDeque;
use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Stylize as _;
use ratatui::text::Line;

use self::text::duration;
use super::view::View;

/// The most past rates, for the widest terminals.
const MAX_HISTORY: usize = 512;

/// A terminal narrower than this shows its parts one below the other.
const TWO_COLUMNS: u16 = 70;

/// The last reading, past rates, and whether the server answers.
pub(crate) struct Screen {
    url: String,
    view: Option<View>,
    /// Requests a second, the oldest first; none where the server did not answer.
    history: VecDeque<Option<f64>>,
    trouble: Option<Trouble>,
}

/// Why there is no new reading.
struct Trouble {
    why: String,
    since: Instant,
}

impl Screen {
    /// A screen of the server at this URL.
    pub(crate) fn new(url: String) -> Self {
        Self { url, view: None, history: VecDeque::new(), trouble: None }
    }

    /// Adds a reading, or why there is none.
    pub(crate) fn take(&mut self, reading: Result<View, String>, now: Instant) {
        let rate = match reading {
            Ok(view) => {
                self.trouble = None;
                // An average since the start says nothing about this moment.
                let rate = (!view.since_start).then_some(view.requests.per_second);
                self.view = Some(view);
                rate
            }
            Err(why) => {
                let since = self.trouble.take().map_or(now, |trouble| trouble.since);
                self.trouble = Some(Trouble { why, since });
                None
            }
        };
        if self.history.len() == MAX_HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(rate);
    }

    /// Draws as much as there is room for, the most important first.
    pub(crate) fn draw(&self, frame: &mut Frame<'_>, now: Instant) {
        let [head, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(frame.area());
        frame.render_widget(self.headline(head.width, now), head);
        let Some(view) = &self.view else { return };
        let [top, rest] = Layout::vertical([Constraint::Length(4), Constraint::Fill(1)]).areas(rest);
        requests::draw(frame, top, view, &self.history);
        if rest.width >= TWO_COLUMNS {
            draw_wide(frame, rest, view);
        } else {
            draw_narrow(frame, rest, view);
        }
    }

    fn headline(&self, width: u16, now: Instant) -> Line<'_> {
        if let Some(Trouble { why, since }) = &self.trouble {
            let since = duration(now.saturating_duration_since(*since).as_secs_f64());
            return Line::from(format!("no answer from {} for {since}: {why}", self.url)).red().bold();
        }
        let Some(view) = &self.view else { return Line::from(format!("asking {} …", self.url)) };
        let age = if view.since_start {
            "averages since the start".to_owned()
        } else {
            format!("last {}", duration(view.span))
        };
        let said = format!("svc {} · up {} · {age} · {}", view.version, duration(view.uptime), self.url);
        let quit = "q quits";
        let room = usize::from(width).saturating_sub(said.chars().count() + quit.len());
        if room == 0 { Line::from(said).bold() } else { Line::from(said + &" ".repeat(room) + quit).bold() }
    }
}

fn draw_wide(frame: &mut Frame<'_>, area: Rect, view: &View) {
    let below = health::height(view);
    let [tables, bottom] = Layout::vertical([Constraint::Fill(1), Constraint::Max(below)]).areas(area);
    let sides = Layout::horizontal([Constraint::Fill(1), Constraint::Length(22)]);
    let [operations, companies] = sides.spacing(1).areas(tables);
    tables::draw_operations(frame, operations, view);
    tables::draw_companies(frame, companies, view);
    let parts = Layout::horizontal([Constraint::Fill(4), Constraint::Fill(5), Constraint::Fill(5)]);
    let [queues, outcomes, process] = parts.spacing(1).areas(bottom);
    health::draw_queues(frame, queues, view);
    health::draw_outcomes(frame, outcomes, view);
    health::draw_process(frame, process, view);
}

/// One part below the other; the last ones have no room in a low terminal.
fn draw_narrow(frame: &mut Frame<'_>, area: Rect, view: &View) {
    let heights = [
        tables::operations_height(view),
        health::queues_height(view),
        health::PROCESS_HEIGHT,
        health::outcomes_height(view),
        tables::companies_height(view),
    ];
    let mut left = area;
    let parts: [fn(&mut Frame<'_>, Rect, &View); 5] = [
        tables::draw_operations,
        health::draw_queues,
        health::draw_process,
        health::draw_outcomes,
        tables::draw_companies,
    ];
    for (draw, height) in parts.into_iter().zip(heights) {
        let [part, rest] = Layout::vertical([Constraint::Max(height), Constraint::Fill(1)]).areas(left);
        draw(frame, part, view);
        left = rest;
    }
}
