//! Quantiles of a histogram, as Prometheus' `histogram_quantile` takes them.

/// Bounds of buckets, ascending, each with the number of values up to it.
pub(super) type Buckets = [(f64, f64)];

/// The quantile, between the bounds of its bucket in proportion. What lies beyond the last finite
/// bound is known only to be no less; nothing is known without a value or a finite bound.
pub(super) fn quantile(buckets: &Buckets, share: f64) -> Option<f64> {
    let total = buckets.last()?.1;
    if total <= 0.0 {
        return None;
    }
    let rank = share * total;
    let (mut lower, mut below) = (0.0, 0.0);
    for &(bound, count) in buckets.iter().filter(|(bound, _)| bound.is_finite()) {
        if count >= rank {
            let within = count - below;
            return Some(if within > 0.0 { lower + (bound - lower) * (rank - below) / within } else { bound });
        }
        (lower, below) = (bound, count);
    }
    (lower > 0.0).then_some(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() < 1e-9)
    }

    #[test]
    fn a_quantile_lies_between_the_bounds_of_its_bucket() {
        let buckets = [(0.01, 50.0), (0.1, 90.0), (1.0, 100.0), (f64::INFINITY, 100.0)];
        assert!(is_near(quantile(&buckets, 0.5), 0.01));
        assert!(is_near(quantile(&buckets, 0.25), 0.005));
        assert!(is_near(quantile(&buckets, 0.99), 0.91));
        let slow = [(0.01, 0.0), (1.0, 0.0), (f64::INFINITY, 4.0)];
        assert!(is_near(quantile(&slow, 0.5), 1.0), "no less than the last bound");
    }

    #[test]
    fn without_values_or_bounds_there_is_none() {
        for buckets in [&[][..], &[(f64::INFINITY, 5.0)], &[(0.1, 0.0), (f64::INFINITY, 0.0)]] {
            assert_eq!(quantile(buckets, 0.5), None, "{buckets:?}");
        }
    }
}
