//! The standard's limits of a product of rounded factors.

use rust_decimal::{Decimal, RoundingStrategy};

use crate::domain::cfdi::Amount;

/// The values that a factor may have had before rounding: only itself, or any value that rounds to
/// it.
#[derive(Clone, Copy)]
pub(super) enum Reach {
    Exactly(Amount),
    Around(Amount),
}

/// Whether `product` is within the standard's limits around `a` × `b`: the factors may be off by
/// half a unit of their last decimal, and the limits are rounded outwards to `decimals` decimals.
pub(super) fn between(product: Amount, a: Amount, b: Reach, decimals: u32) -> bool {
    let half = |amount: Amount| Decimal::new(5, amount.decimals() + 1);
    let (low, high) = match b {
        Reach::Exactly(b) => (b.get(), b.get()),
        Reach::Around(b) => (b.get() - half(b), b.get() + half(b)),
    };
    let least = (a.get() - half(a)).checked_mul(low);
    let max = (a.get() + half(a)).checked_mul(high);
    let (Some(least), Some(max)) = (least, max) else { return false };
    let least = least.round_dp_with_strategy(decimals, RoundingStrategy::ToZero);
    let max = max.round_dp_with_strategy(decimals, RoundingStrategy::AwayFromZero);
    (least..=max).contains(&product.get())
}
