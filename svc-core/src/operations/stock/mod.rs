//! Stock: movements, counts, transfers, reservations.

mod import;
mod movement;

pub use movement::{CountStock, MoveStock, ReserveStock, StockCounted, StockMoved, StockReserved, TransferStock};
