//! Importing: NDJSON, all or nothing.

mod claves;
mod faults;
mod lines;
