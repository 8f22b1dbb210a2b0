//! Importing: NDJSON, all or nothing.

mod claves;
mod faults;
mod integers;
mod lines;
