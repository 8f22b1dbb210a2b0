//! Importing: NDJSON, all or nothing.

mod balances;
mod claves;
mod faults;
mod integers;
mod lines;
