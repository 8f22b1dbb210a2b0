//! The definition of a family of goods.

/// Goods that share a SKU prefix, a category, a unit and the brands they may be of.
pub(in crate::demo::data) struct Family {
    /// What the SKU begins with.
    pub(in crate::demo::data) prefix: &'static str,
    /// A name of the category tree.
    pub(in crate::demo::data) category: &'static str,
    /// A name of the units of measure.
    pub(in crate::demo::data) unit: &'static str,
    /// The brands a line may be of; none for unbranded goods and services.
    pub(in crate::demo::data) brands: &'static [&'static str],
    /// The import's `tipo`.
    pub(in crate::demo::data) kind: &'static str,
    /// The import's `subtipo`.
    pub(in crate::demo::data) subkind: &'static str,
    /// Sold as a set of other goods.
    pub(in crate::demo::data) kit: bool,
    /// The key of the sales tax.
    pub(in crate::demo::data) tax: &'static str,
    /// Further taxes, each with the import's field.
    pub(in crate::demo::data) taxes: &'static [(&'static str, &'static str)],
    /// The lines.
    pub(in crate::demo::data) lines: &'static [Line],
}

/// One description in several sizes, colours or capacities.
pub(in crate::demo::data) struct Line {
    /// The tax authority's product key.
    pub(in crate::demo::data) sat: &'static str,
    /// The description, with `{}` where the size goes.
    pub(in crate::demo::data) text: &'static str,
    /// The sizes, from the cheapest on, with a bar between them.
    pub(in crate::demo::data) sizes: &'static str,
    /// The cost of the first and of the last size, in cents.
    pub(in crate::demo::data) cost: (u32, u32),
}

/// What most families have in common.
pub(super) const GOODS: Family = Family {
    prefix: "",
    category: "",
    unit: "Pieza",
    brands: &[],
    kind: "normal",
    subkind: "terminado",
    kit: false,
    tax: "16",
    taxes: &[],
    lines: &[],
};

pub(super) const fn line(sat: &'static str, text: &'static str, sizes: &'static str, cost: (u32, u32)) -> Line {
    Line { sat, text, sizes, cost }
}
