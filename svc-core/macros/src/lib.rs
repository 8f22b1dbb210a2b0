//! `record!`, the declaration of a record of svc-core. [`svc_core::record`] documents how to write
//! one.
//!
//! `parse` reads the declaration; `expand` has a function for each struct that comes from it.
//!
//! [`svc_core::record`]: https://docs.rs/svc-core/latest/svc_core/record/index.html

mod expand;
mod parse;

use proc_macro::TokenStream;

/// Declares a record: its list's item and what the API, the back office and imports may write of
/// it.
#[proc_macro]
pub fn record(input: TokenStream) -> TokenStream {
    let record = syn::parse_macro_input!(input as parse::Declaration);
    expand::record(&record).into()
}
