//! The tables that `build.rs` makes from the files in `catalogos/`, as constant data.

#![allow(clippy::unreadable_literal, reason = "generated")]

use super::rates::{Factor, TaxRates};
use super::{CfdiUse, TaxRegime, Vat};

/// One byte a postal code: 0 not in the catalogue, else 1 + border mark (0 none, 1 north, 2 south)
/// + 3 × time zone. The array type has the length checked.
pub(super) static POSTAL_CODES: &[u8; 100_000] = include_bytes!(concat!(env!("OUT_DIR"), "/codigo_postal.bin"));

/// The product and service codes as sorted little-endian `u32`.
pub(super) static PRODUCT_SERVICES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/clave_prod_serv.bin"));

/// The unit keys, zero-padded to four bytes and read as big-endian numbers, as sorted little-endian
/// `u32`.
pub(super) static UNITS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/clave_unidad.bin"));

include!(concat!(env!("OUT_DIR"), "/sat.rs"));
