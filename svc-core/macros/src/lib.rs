//! `record!` declares a record of svc-core. [`svc_core::record`] documents its syntax.
//!
//! `parse` reads a declaration; `expand` has a function per generated struct; `texts` documents
//! fields.
//!
//! [`svc_core::record`]: https://docs.rs/svc-core/latest/svc_core/record/index.html

mod expand;
mod parse;
mod texts;

use proc_macro::TokenStream;

/// Declares a record: the item of its list, and what the API, the back office and imports may
/// write.
#[proc_macro]
pub fn record(input: TokenStream) -> TokenStream {
    let record = syn::parse_macro_input!(input as parse::Declaration);
    expand::record(&record, &texts::Texts::read()).into()
}
