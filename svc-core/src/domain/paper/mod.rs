//! Printed pages: fonts that documents embed, a company's letterhead, and drawing on the pages of a
//! PDF. `cfdi::printed` lays out tax documents on them, [`ticket`] the ticket of a sale.

#![expect(clippy::cast_precision_loss, reason = "lengths and counts on a page are small")]

#[cfg(feature = "logos")]
mod artwork;
mod canvas;
mod colour;
mod embed;
mod font;
mod letterhead;
pub(crate) mod letters;
mod logo;
mod sheet;
#[cfg(test)]
pub(crate) mod testing;
pub mod ticket;
mod typesetter;
pub(crate) mod words;

pub(crate) use canvas::Style;
pub(crate) use colour::GREY;
pub use colour::{Colour, NoColour};
pub use font::{FontFault, Fonts};
pub use letterhead::Letterhead;
pub use logo::{Logo, LogoFault, MAX_LOGO_FILE};
pub(crate) use sheet::{
    Align, BREADTH, Column, LABEL, MARGIN, NOTE, PLAIN, STRONG, SUMS, Sheet, Table, Theme, leading,
};
pub(crate) use typesetter::Weight;
