use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Style, Stylize as _};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders};

/// A heading with a line above its part; returns the part's area.
pub(super) fn titled(frame: &mut Frame<'_>, area: Rect, title: String) -> Rect {
    let block = Block::new().borders(Borders::TOP).border_style(Style::new().dim()).title(Line::from(title).bold());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}
