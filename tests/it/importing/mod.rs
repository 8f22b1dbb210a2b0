//! Importing: NDJSON, all or nothing.

mod balances;
mod claves;
mod exporting;
mod faults;
mod integers;
mod lines;
mod openings;
