//! The texts of fields, from the files that also describe them to readers of the API.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Ident};

/// The files, below the crate that declares records.
const FILES: [&str; 2] = ["src/openapi/texts/fields.md", "src/openapi/texts/office.md"];

/// The English texts, by `Struct.field` or `field`.
pub(crate) struct Texts(Vec<(String, String)>);

impl Texts {
    /// Reads the files; a crate without them has no texts.
    pub(crate) fn read() -> Self {
        let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        let read = |file| std::fs::read_to_string(Path::new(&folder).join(file)).unwrap_or_default();
        Self(FILES.map(read).iter().flat_map(|file| file.lines()).filter_map(row).collect())
    }

    /// The attributes of a field, and its text as documentation unless they have one.
    pub(crate) fn document(&self, name: &Ident, field: &Ident, attrs: &[Attribute]) -> TokenStream {
        let is_documented = attrs.iter().any(|attr| attr.path().is_ident("doc"));
        let text = self.get(&format!("{name}.{field}")).or_else(|| self.get(&field.to_string()));
        let text = text.filter(|_| !is_documented).into_iter();
        quote! { #(#[doc = #text])* #(#attrs)* }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == key).map(|(_, text)| text.as_str())
    }
}

/// The key and the English text of a table's row.
fn row(line: &str) -> Option<(String, String)> {
    let (key, texts) = line.strip_prefix("| `")?.split_once("` |")?;
    Some((key.to_owned(), texts.split('|').next()?.trim().to_owned()))
}
