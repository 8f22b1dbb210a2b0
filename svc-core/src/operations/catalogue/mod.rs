//! Brands, categories, units, prices, warehouses and other small records that others refer to.

mod edits;
mod import;
mod staff;

pub(crate) use edits::Edit;
