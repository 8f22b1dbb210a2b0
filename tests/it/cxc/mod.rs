//! `/cxc`

mod list;
pub(crate) mod pagos;
