//! Stock: movements, counts, transfers, reservations.

mod import;
mod movement;
mod report;

pub use movement::{CountStock, MoveStock, ReserveStock, StockCounted, StockMoved, StockReserved, TransferStock};
pub use report::{StockReport, StockValueLine, StockValues};
