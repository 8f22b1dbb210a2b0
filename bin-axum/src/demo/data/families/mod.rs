//! What the company trades in: families of goods, each a category with its lines, each line with its sizes.

mod electrical;
mod hardware;
mod other;
mod paint;
mod plumbing;
mod tools;

/// Goods that share a SKU prefix, a category, a unit and the brands they may be of.
pub(in super::super) struct Family {
    /// What the SKU begins with.
    pub(in super::super) prefix: &'static str,
    /// A name of the category tree.
    pub(in super::super) category: &'static str,
    /// A name of the units of measure.
    pub(in super::super) unit: &'static str,
    /// The brands a line may be of; none for unbranded goods and services.
    pub(in super::super) brands: &'static [&'static str],
    /// The import's `tipo`.
    pub(in super::super) kind: &'static str,
    /// The import's `subtipo`.
    pub(in super::super) subkind: &'static str,
    /// Sold as a set of other goods.
    pub(in super::super) kit: bool,
    /// The key of the sales tax.
    pub(in super::super) tax: &'static str,
    /// The lines.
    pub(in super::super) lines: &'static [Line],
}

/// One description in several sizes, colours or capacities.
pub(in super::super) struct Line {
    /// The tax authority's product key.
    pub(in super::super) sat: &'static str,
    /// The description, with `{}` where the size goes.
    pub(in super::super) text: &'static str,
    /// The sizes, from the cheapest on, with a bar between them.
    pub(in super::super) sizes: &'static str,
    /// The cost of the first and of the last size, in cents.
    pub(in super::super) cost: (u32, u32),
}

/// What most families have in common.
const GOODS: Family = Family {
    prefix: "",
    category: "",
    unit: "Pieza",
    brands: &[],
    kind: "normal",
    subkind: "terminado",
    kit: false,
    tax: "16",
    lines: &[],
};

const fn line(sat: &'static str, text: &'static str, sizes: &'static str, cost: (u32, u32)) -> Line {
    Line { sat, text, sizes, cost }
}

/// All families, department by department.
pub(super) fn all() -> impl Iterator<Item = &'static Family> {
    [hardware::FAMILIES, electrical::FAMILIES, plumbing::FAMILIES, paint::FAMILIES, tools::FAMILIES, other::FAMILIES]
        .into_iter()
        .flatten()
}
