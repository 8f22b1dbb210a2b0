//! What the company trades in: families of goods, each a category with its lines, each line with its sizes.

mod electrical;
mod family;
mod hardware;
mod other;
mod paint;
mod plumbing;
mod tools;

pub(super) use self::family::{Family, Line};

/// All families, department by department.
pub(super) fn all() -> impl Iterator<Item = &'static Family> {
    [hardware::FAMILIES, electrical::FAMILIES, plumbing::FAMILIES, paint::FAMILIES, tools::FAMILIES, other::FAMILIES]
        .into_iter()
        .flatten()
}
