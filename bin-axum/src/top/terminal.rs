//! Shows a [`Screen`] in the terminal until somebody quits.

use std::time::Instant;

use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use futures_util::StreamExt as _;
use ratatui::DefaultTerminal;
use tokio::sync::mpsc::Receiver;

use super::screen::Screen;
use super::view::View;
use crate::failure::Failure;
use crate::shutdown::StopSignal;

/// A terminal that is given back as it was, whatever happens; ratatui does so before it reports a
/// panic.
struct BorrowedTerminal(DefaultTerminal);

impl BorrowedTerminal {
    fn take() -> Result<Self, Failure> {
        ratatui::try_init().map(Self).map_err(failed())
    }
}

impl Drop for BorrowedTerminal {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn failed() -> impl FnOnce(std::io::Error) -> Failure {
    Failure::io("the terminal cannot be used")
}

/// Draws each reading, until a key or a signal ends it.
pub(crate) async fn show(
    mut screen: Screen,
    mut readings: Receiver<Result<View, String>>,
    mut stop: StopSignal,
) -> Result<(), Failure> {
    let mut terminal = BorrowedTerminal::take()?;
    let mut events = EventStream::new();
    loop {
        let now = Instant::now();
        terminal.0.draw(|frame| screen.draw(frame, now)).map_err(failed())?;
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(event)) if quits(&event) => return Ok(()),
                // Any other event, such as another size of the window, draws anew.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(failed()(error)),
                // Nobody types any more.
                None => return Ok(()),
            },
            reading = readings.recv() => match reading {
                Some(reading) => screen.take(reading, Instant::now()),
                None => return Err(Failure::Other("the server is no longer asked".to_owned())),
            },
            () = stop.wait() => return Ok(()),
        }
    }
}

/// Whether it is q, Esc or Ctrl-C, which a raw terminal makes no signal.
fn quits(event: &Event) -> bool {
    let Event::Key(KeyEvent { code, modifiers, kind: KeyEventKind::Press, .. }) = event else { return false };
    match code {
        KeyCode::Esc => true,
        KeyCode::Char('q') => !modifiers.contains(KeyModifiers::CONTROL),
        KeyCode::Char('c') => modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q_esc_and_ctrl_c_quit() {
        let (none, control) = (KeyModifiers::NONE, KeyModifiers::CONTROL);
        for (code, modifiers, expected) in [
            (KeyCode::Char('q'), none, true),
            (KeyCode::Esc, none, true),
            (KeyCode::Char('c'), control, true),
            (KeyCode::Char('c'), none, false),
            (KeyCode::Char('q'), control, false),
            (KeyCode::Enter, none, false),
        ] {
            assert_eq!(quits(&Event::Key(KeyEvent::new(code, modifiers))), expected, "{code:?} {modifiers:?}");
        }
        assert!(!quits(&Event::Resize(1, 1)));
    }
}
