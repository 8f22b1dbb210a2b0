//! Parses a declaration.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, Ident, LitStr, Result, Token, Type, braced};

/// `/// Docs. pub struct Name in "table" { fields }`, then the names of the other structs.
pub(crate) struct Declaration {
    pub(crate) item: Struct,
    pub(crate) table: LitStr,
    pub(crate) fields: Vec<Field>,
    pub(crate) import: Option<Struct>,
    pub(crate) changes: Option<Struct>,
    pub(crate) writes: Option<Writes>,
    pub(crate) office: Option<Struct>,
}

pub(crate) struct Struct {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) name: Ident,
}

/// The structs of a record that the API writes.
pub(crate) struct Writes {
    pub(crate) stored: Struct,
    pub(crate) create: Struct,
    pub(crate) edit: Struct,
}

/// `/// Docs. name in "column": Type { marks }`
pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) column: String,
    pub(crate) ty: Option<Type>,
    pub(crate) list: Option<Mark>,
    /// A creation must give it.
    pub(crate) required: Option<Mark>,
    /// Creations and edits may give it.
    pub(crate) optional: Option<Mark>,
    /// Only the back office may give it.
    pub(crate) office: Option<Mark>,
    pub(crate) import: Option<Mark>,
    /// An import accepts it without storing it.
    pub(crate) unstored: Option<Mark>,
    /// An import posts it as a balance; no edit changes it.
    pub(crate) opening: Option<Mark>,
    /// An import stores it, but no line gives it.
    pub(crate) computed: Option<Mark>,
}

/// `/// Docs. mark: Type = value`; without documentation it has the field's.
pub(crate) struct Mark {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) ty: Type,
    pub(crate) value: Option<Expr>,
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        input.parse::<Token![pub]>()?;
        input.parse::<Token![struct]>()?;
        let item = Struct { attrs, name: input.parse()? };
        input.parse::<Token![in]>()?;
        let table = input.parse()?;
        let fields;
        braced!(fields in input);
        let fields = Punctuated::<Field, Token![,]>::parse_terminated(&fields)?.into_iter().collect();
        let import = Struct::after("import", input)?;
        let changes = Struct::after("changes", input)?;
        let writes = match Struct::after("stored", input)? {
            Some(stored) => {
                let missing = || input.error("a stored record has `create Name;` and `edit Name;`");
                let create = Struct::after("create", input)?.ok_or_else(missing)?;
                Some(Writes { stored, create, edit: Struct::after("edit", input)?.ok_or_else(missing)? })
            }
            None => None,
        };
        let office = Struct::after("office", input)?;
        let record = Self { item, table, fields, import, changes, writes, office };
        record.check()?;
        Ok(record)
    }
}

impl Declaration {
    /// Refuses marks of structs that are not declared.
    fn check(&self) -> Result<()> {
        for field in &self.fields {
            let imported =
                [&field.import, &field.unstored, &field.opening, &field.computed].into_iter().any(Option::is_some);
            let written = field.required.is_some() || field.optional.is_some();
            let missing = match () {
                () if imported && self.import.is_none() => "import",
                () if written && self.writes.is_none() => "stored",
                () if field.office.is_some() && self.office.is_none() => "office",
                () => continue,
            };
            let text = format!("`{}` has a mark of the struct `{missing} Name;`, which is not declared", field.name);
            return Err(Error::new(field.name.span(), text));
        }
        Ok(())
    }
}

impl Struct {
    /// Parses `/// Docs. keyword Name;` if it comes next.
    fn after(keyword: &str, input: ParseStream<'_>) -> Result<Option<Self>> {
        let ahead = input.fork();
        ahead.call(Attribute::parse_outer)?;
        if !ahead.peek(syn::Ident) || ahead.parse::<Ident>()? != keyword {
            return Ok(None);
        }
        let attrs = input.call(Attribute::parse_outer)?;
        input.parse::<Ident>()?;
        let name = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Some(Self { attrs, name }))
    }
}

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let name: Ident = input.parse()?;
        let column = match input.parse::<Option<Token![in]>>()? {
            Some(_) => input.parse::<LitStr>()?.value(),
            None => name.to_string(),
        };
        let ty = input.parse::<Option<Token![:]>>()?.map(|_| input.parse()).transpose()?;
        let (list, required, optional, office) = (None, None, None, None);
        let (import, unstored, opening, computed) = (None, None, None, None);
        let mut field =
            Self { name, column, ty, list, required, optional, office, import, unstored, opening, computed };
        let marks;
        braced!(marks in input);
        while !marks.is_empty() {
            field.parse_mark(&attrs, &marks)?;
            if !marks.is_empty() {
                marks.parse::<Token![,]>()?;
            }
        }
        Ok(field)
    }
}

impl Field {
    fn parse_mark(&mut self, of_field: &[Attribute], input: ParseStream<'_>) -> Result<()> {
        let docs = input.call(Attribute::parse_outer)?;
        let attrs = if docs.is_empty() { of_field.to_vec() } else { docs };
        let keyword: Ident = input.parse()?;
        let own = input.parse::<Option<Token![:]>>()?.map(|_| input.parse()).transpose()?;
        let missing = || Error::new(keyword.span(), "neither the mark nor its field has a type");
        let ty = own.or_else(|| self.ty.clone()).ok_or_else(missing)?;
        let value = input.parse::<Option<Token![=]>>()?.map(|_| input.parse()).transpose()?;
        let place = match keyword.to_string().as_str() {
            "list" => &mut self.list,
            "required" => &mut self.required,
            "optional" => &mut self.optional,
            "office" => &mut self.office,
            "import" => &mut self.import,
            "unstored" => &mut self.unstored,
            "opening" => &mut self.opening,
            "computed" => &mut self.computed,
            _ => {
                let text =
                    "a mark is `list`, `required`, `optional`, `office`, `import`, `unstored`, `opening` or `computed`";
                return Err(Error::new(keyword.span(), text));
            }
        };
        if place.replace(Mark { attrs, ty, value }).is_some() {
            return Err(Error::new(keyword.span(), "the field has this mark already"));
        }
        Ok(())
    }

    /// The mark of the API's bodies, and whether a creation must give the field.
    pub(crate) fn body(&self) -> Option<(&Mark, bool)> {
        self.required.as_ref().map(|mark| (mark, true)).or(self.optional.as_ref().map(|mark| (mark, false)))
    }

    /// The type of the column in the stored record, if the record has it.
    pub(crate) fn stored(&self) -> Option<&Type> {
        self.ty.as_ref().filter(|_| self.body().is_some() || self.office.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_declaration_says_what_is_wrong() {
        for (declaration, said) in [
            ("clave: i64 { lists }", "a mark is `list`, `required`,"),
            ("clave: i64 { list, list }", "the field has this mark already"),
            ("clave { list }", "neither the mark nor its field has a type"),
            ("clave: i64 { list, import: i64 }", "`clave` has a mark of the struct `import Name;`"),
            ("correo: String { optional: Text<50> }", "`correo` has a mark of the struct `stored Name;`"),
        ] {
            let declaration = format!("pub struct Shelf in \"estantes\" {{ {declaration}, }}");
            let error = syn::parse_str::<Declaration>(&declaration).map(drop).unwrap_err().to_string();
            assert!(error.starts_with(said), "{declaration}: {error}");
        }
    }
}
