//! Generates the structs of a declaration, one function per struct.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use crate::parse::{Declaration, Field, Mark, Struct, Writes};
use crate::texts::Texts;

pub(crate) fn record(record: &Declaration, texts: &Texts) -> TokenStream {
    let list = list(record, texts);
    let import = record.import.as_ref().map(|name| import(record, name));
    let export = record.import.as_ref().map(|_| export(record));
    let changes = record.import.as_ref().zip(record.changes.as_ref()).map(|(of, name)| changes(record, of, name));
    let writes = record.writes.as_ref().map(|writes| {
        let (create, edit) = (create(record, writes, texts), edit(record, writes, texts));
        let stored = stored(record, writes, texts);
        let office = record.office.as_ref().map(|name| office(record, writes, name, texts));
        quote! { #stored #create #edit #office }
    });
    quote! { #list #import #export #changes #writes }
}

/// The item of the list.
fn list(record: &Declaration, texts: &Texts) -> TokenStream {
    let Struct { attrs, name } = &record.item;
    let table = &record.table;
    let listed: Vec<(&Field, &Mark)> = fields(record, |field| field.list.as_ref());
    let item = listed.iter().map(|(field, Mark { attrs, ty, .. })| {
        let (docs, field) = (texts.document(name, &field.name, attrs), &field.name);
        quote! { #docs pub #field: #ty }
    });
    let names = listed.iter().map(|(field, _)| &field.name);
    let columns = listed.iter().filter(|(_, mark)| mark.value.is_none()).map(|(field, _)| &field.column);
    let derived = listed.iter().filter_map(|(Field { name, .. }, Mark { ty, value, .. })| {
        value.as_ref().map(|value| quote! { let #name: #ty = #value; })
    });
    let read = listed.iter().filter(|(_, mark)| mark.value.is_none()).enumerate();
    let read = read.map(|(at, (Field { name, .. }, Mark { ty, .. }))| {
        quote! { let #name = <#ty as ::svc_core::record::FromValue>::read(row, #at)?; }
    });
    let written = written(listed.iter().map(|(field, mark)| Written {
        name: &field.name,
        ty: &mark.ty,
        value: mark.value.as_ref(),
    }));
    quote! {
        #(#attrs)*
        #[derive(Debug, Clone, ::serde::Serialize, ::schemars::JsonSchema)]
        pub struct #name { #(#item,)* }

        impl ::svc_core::record::Record for #name {
            const TABLE: &'static str = #table;
            const COLUMNS: &'static [&'static str] = &[#(#columns),*];

            fn read<R: ::svc_core::record::Row + ?Sized>(row: &R) -> Result<Self, ::svc_core::record::RowError> {
                #(#read)*
                #(#derived)*
                Ok(Self { #(#names),* })
            }

            fn write<R: ::svc_core::record::Row + ?Sized>(
                row: &R,
                json: &mut Vec<u8>,
            ) -> Result<i64, ::svc_core::record::RowError> {
                #written
            }
        }
    }
}

/// A field that a row writes as JSON: one of its columns, or computed from those before it.
struct Written<'a> {
    name: &'a syn::Ident,
    ty: &'a Type,
    value: Option<&'a syn::Expr>,
}

/// Writes the fields of `row` to `json` as an object, and returns the clave, which is the first.
fn written<'a>(fields: impl Iterator<Item = Written<'a>>) -> TokenStream {
    let fields: Vec<_> = fields.collect();
    let shown = fields.iter().filter(|field| field.value.is_none()).enumerate();
    let shown = shown.map(|(at, Written { name, ty, .. })| {
        quote! { let #name = <#ty as ::svc_core::record::FromValue>::show(row, #at)?; }
    });
    let derived =
        fields.iter().filter_map(|Written { name, ty, value }| value.map(|value| quote! { let #name: #ty = #value; }));
    let members = fields.iter().map(|Written { name, ty, value }| {
        let member = format!(",\"{name}\":");
        let write = if value.is_some() {
            quote! { ::serde_json::to_writer(json, &#name) }
        } else {
            quote! { <#ty as ::svc_core::record::FromValue>::write(&#name, json) }
        };
        quote! { ::svc_core::record::member(json, #member, |json| #write)?; }
    });
    quote! {
        #(#shown)*
        #(#derived)*
        let start = json.len();
        #(#members)*
        json[start] = b'{';
        json.push(b'}');
        <i64 as ::svc_core::record::FromValue>::show(row, 0)
    }
}

/// Every field that an import takes, as the list shows it or else as it is stored.
fn export(record: &Declaration) -> TokenStream {
    let item = &record.item.name;
    let exported: Vec<_> = record
        .fields
        .iter()
        .filter_map(|field| {
            let stored = || field.ty.as_ref().or(field.import.as_ref().map(|mark| &mark.ty));
            let (ty, value) = match &field.list {
                Some(list) => (&list.ty, list.value.as_ref()),
                None => (field.import.as_ref().and(stored()).or(field.opening.as_ref().and(field.ty.as_ref()))?, None),
            };
            Some((field, Written { name: &field.name, ty, value }))
        })
        .collect();
    let columns = exported.iter().filter(|(_, written)| written.value.is_none()).map(|(field, _)| &field.column);
    let columns: Vec<_> = columns.collect();
    let written = written(exported.into_iter().map(|(_, written)| written));
    quote! {
        impl ::svc_core::record::Exported for #item {
            const EXPORT: ::svc_core::record::ListSpec =
                <Self as ::svc_core::record::List>::LIST.whole(&[#(#columns),*]);

            fn export<R: ::svc_core::record::Row + ?Sized>(
                row: &R,
                json: &mut Vec<u8>,
            ) -> Result<i64, ::svc_core::record::RowError> {
                #written
            }
        }
    }
}

/// The record of an import.
fn import(record: &Declaration, Struct { attrs, name }: &Struct) -> TokenStream {
    let (table, item) = (&record.table, &record.item.name);
    let brought = fields(record, |field| field.import.as_ref());
    let computed = fields(record, |field| field.computed.as_ref());
    let unstored = fields(record, |field| field.unstored.as_ref());
    let opening = fields(record, |field| field.opening.as_ref());
    let field =
        |(Field { name, .. }, Mark { attrs, ty, .. }): &(&Field, &Mark)| quote! { #(#attrs)* pub(crate) #name: #ty };
    let brought_fields = brought.iter().map(field);
    let computed_fields = computed.iter().map(field);
    let unstored_fields = unstored.iter().map(field);
    let opening_fields = opening.iter().map(field);
    let columns = brought.iter().chain(&computed).map(|(field, _)| &field.column);
    let names = brought.iter().chain(&computed).map(|(field, _)| &field.name);
    quote! {
        #(#attrs)*
        #[derive(Debug, ::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct #name {
            #(#brought_fields,)*
            #(#[serde(skip)] #computed_fields,)*
            #(
                #[allow(dead_code, reason = "accepted because the list's items have it, and not stored")]
                #unstored_fields,
            )*
            #(#opening_fields,)*
        }

        impl ::svc_core::record::Import for #name {
            type Record = #item;

            const SPEC: ::svc_core::record::ImportSpec =
                ::svc_core::record::ImportSpec { table: #table, columns: &[#(#columns),*] };

            fn clave(&mut self) -> &mut Option<i64> {
                &mut self.clave
            }

            fn values<'v>(&'v self, row: &mut Vec<::svc_core::record::Value<'v>>) {
                #(row.push(::svc_core::record::ToValue::to_value(&self.#names));)*
            }
        }
    }
}

/// The fields that the back office may edit by the rules of the import.
fn changes(record: &Declaration, of: &Struct, Struct { attrs, name }: &Struct) -> TokenStream {
    let import = &of.name;
    let taken = fields(record, |field| field.import.as_ref().or(field.unstored.as_ref()));
    let changed = taken.iter().map(|(Field { name, .. }, Mark { ty, .. })| {
        quote! { pub(crate) #name: ::svc_core::json::Sent<#ty> }
    });
    let names = taken.iter().map(|(field, _)| &field.name);
    quote! {
        #(#attrs)*
        #[derive(Debug, Default, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct #name { #(#changed,)* }

        impl ::svc_core::record::Changes for #name {
            type Import = #import;

            fn apply(&self, record: &mut #import) {
                #(if let Some(value) = self.#names.get() {
                    record.#names.clone_from(value);
                })*
            }
        }
    }
}

/// The stored record.
fn stored(record: &Declaration, Writes { stored, create, .. }: &Writes, texts: &Texts) -> TokenStream {
    let Struct { attrs, name } = stored;
    let table = &record.table;
    let stored: Vec<(&Field, &Type)> =
        record.fields.iter().filter_map(|field| Some((field, field.stored()?))).collect();
    let data = stored.iter().map(|(field, ty)| {
        let attrs = field.body().map(|(mark, _)| mark).or(field.office.as_ref()).map_or(&[][..], |mark| &mark.attrs);
        let body = record.office.as_ref().filter(|_| field.body().is_none()).unwrap_or(create);
        let (docs, name) = (texts.document(&body.name, &field.name, attrs), &field.name);
        quote! { #docs pub #name: #ty }
    });
    let columns = stored.iter().map(|(field, _)| &field.column);
    let types: Vec<_> = stored.iter().map(|(_, ty)| ty).collect();
    let names: Vec<_> = stored.iter().map(|(field, _)| &field.name).collect();
    let defaults = stored.iter().map(|(field, _)| first(field));
    let places = 0..stored.len();
    quote! {
        #(#attrs)*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct #name { #(#data,)* }

        impl Default for #name {
            fn default() -> Self {
                Self { #(#names: #defaults,)* }
            }
        }

        impl ::svc_core::record::Stored for #name {
            const TABLE: &'static str = #table;
            const COLUMNS: &'static [&'static str] = &[#(#columns),*];
            const KINDS: &'static [::svc_core::record::Kind] = &[#(<#types as ::svc_core::record::FromValue>::KIND),*];

            fn read<R: ::svc_core::record::Row + ?Sized>(row: &R) -> Result<Self, ::svc_core::record::RowError> {
                Ok(Self { #(#names: ::svc_core::record::FromValue::read(row, #places)?,)* })
            }

            fn values(&self) -> Vec<::svc_core::record::Value<'_>> {
                vec![#(::svc_core::record::ToValue::to_value(&self.#names)),*]
            }
        }
    }
}

/// The body that creates a record.
fn create(record: &Declaration, writes: &Writes, texts: &Texts) -> TokenStream {
    let Struct { attrs, name } = &writes.create;
    let stored = &writes.stored.name;
    let body: Vec<_> = record.fields.iter().filter_map(|field| Some((field, field.body()?))).collect();
    let taken = body.iter().map(|(field, (Mark { attrs, ty, .. }, required))| {
        let (docs, field) = (texts.document(name, &field.name, attrs), &field.name);
        let ty = if *required { quote!(#ty) } else { quote!(Option<#ty>) };
        quote! { #docs pub #field: #ty }
    });
    let set = body.iter().map(|(field, (_, required))| {
        let (name, value) = (&field.name, value(field));
        match required {
            true => quote! { let given = &body.#name; data.#name = #value; },
            false => quote! { if let Some(given) = &body.#name { data.#name = #value; } },
        }
    });
    quote! {
        #(#attrs)*
        #[derive(Debug, Clone, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct #name { #(#taken,)* }

        impl From<&#name> for #stored {
            fn from(body: &#name) -> Self {
                let mut data = Self::default();
                #(#set)*
                data
            }
        }
    }
}

/// The body that edits a record.
fn edit(record: &Declaration, writes: &Writes, texts: &Texts) -> TokenStream {
    let Struct { attrs, name } = &writes.edit;
    let stored = &writes.stored.name;
    let body: Vec<_> = record.fields.iter().filter_map(|field| Some((field, field.body()?))).collect();
    let taken = body.iter().map(|(field, (Mark { attrs, ty, .. }, required))| {
        let (docs, field) = (texts.document(name, &field.name, attrs), &field.name);
        let ty = if *required { quote!(::svc_core::json::Sent<#ty>) } else { quote!(::svc_core::json::Patch<#ty>) };
        quote! { #docs #[serde(default)] pub #field: #ty }
    });
    let clave = texts.document(name, &quote::format_ident!("clave"), &[]);
    let set = body.iter().map(|(field, (_, required))| change(field, !required));
    quote! {
        #(#attrs)*
        #[derive(Debug, Clone, Default, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct #name {
            #clave pub clave: i64,
            #(#taken,)*
        }

        impl #stored {
            /// Applies the body of an edit.
            pub(crate) fn edit(&mut self, body: &#name) {
                let data = self;
                #(#set)*
            }
        }
    }
}

/// The fields that only the back office edits.
fn office(record: &Declaration, writes: &Writes, Struct { attrs, name }: &Struct, texts: &Texts) -> TokenStream {
    let stored = &writes.stored.name;
    let office = fields(record, |field| field.office.as_ref());
    // A column that is never null can be cleared only if the mark gives its value.
    let clears = |field: &Field, mark: &Mark| field.ty.as_ref().is_some_and(is_option) || mark.value.is_some();
    let taken = office.iter().map(|(field, mark)| {
        let (docs, ty) = (texts.document(name, &field.name, &mark.attrs), &mark.ty);
        let wrapper = if clears(field, mark) { quote!(Patch) } else { quote!(Sent) };
        let field = &field.name;
        quote! { #docs pub #field: ::svc_core::json::#wrapper<#ty> }
    });
    let set = office.iter().map(|(field, mark)| change(field, clears(field, mark)));
    let names = office.iter().map(|(field, _)| field.name.to_string());
    quote! {
        #(#attrs)*
        #[derive(Debug, Clone, Default, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct #name { #(#taken,)* }

        impl #name {
            pub(crate) const FIELDS: &'static [&'static str] = &[#(#names),*];

            /// Applies the fields that were sent.
            pub(crate) fn apply(&self, data: &mut #stored) {
                let body = self;
                #(#set)*
            }
        }
    }
}

/// Assigns the body's field to `data`: from a `Patch` if it can be cleared, otherwise from a
/// `Sent`.
fn change(field: &Field, clears: bool) -> TokenStream {
    let (name, value, first) = (&field.name, value(field), first(field));
    if clears {
        quote! {
            match &body.#name {
                ::svc_core::json::Patch::Keep => {}
                ::svc_core::json::Patch::Clear => data.#name = #first,
                ::svc_core::json::Patch::Set(given) => data.#name = #value,
            }
        }
    } else {
        quote! { if let Some(given) = body.#name.get() { data.#name = #value; } }
    }
}

/// The stored value of a field that is left out or cleared.
fn first(field: &Field) -> TokenStream {
    let mark = field.body().map(|(mark, _)| mark).or(field.office.as_ref());
    let value = mark.and_then(|mark| mark.value.as_ref());
    value.map_or_else(
        || quote! { ::core::default::Default::default() },
        |value| quote! { ::core::convert::Into::into(#value) },
    )
}

/// The stored value of a field that is `given`.
fn value(field: &Field) -> TokenStream {
    match &field.ty {
        Some(ty) if is_option(ty) => quote! { Some(::svc_core::record::stored::of(given)) },
        _ => quote! { ::svc_core::record::stored::of(given) },
    }
}

fn is_option(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "Option"))
}

fn fields<'a>(record: &'a Declaration, mark: impl Fn(&'a Field) -> Option<&'a Mark>) -> Vec<(&'a Field, &'a Mark)> {
    record.fields.iter().filter_map(|field| Some((field, mark(field)?))).collect()
}
