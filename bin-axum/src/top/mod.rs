//! What a server is doing now, for `svc top` and the page `/top` of the operators' address.
//!
//! The server turns the figures of `/metrics` into one [`View`], on a [`Board`] that keeps the last
//! readings. The page draws charts of that view, and the command a [`Screen`].

mod board;
mod exposition;
mod figures;
mod page;
mod quantile;
mod ring;
mod screen;
mod terminal;
mod view;
mod watched_server;

pub(crate) use board::Board;
pub(crate) use page::page;
pub(crate) use screen::Screen;
pub(crate) use terminal::show;
pub(crate) use view::View;
pub(crate) use watched_server::WatchedServer;
