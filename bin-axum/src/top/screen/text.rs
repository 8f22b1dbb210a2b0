//! Figures as a person reads them, in few characters.

/// What stands for a figure that is not known.
pub(super) const UNKNOWN: &str = "–";

/// How often a second or in a span.
pub(super) fn amount(value: f64) -> String {
    match value {
        value if value < 9.95 && value.fract() > 0.0 => format!("{value:.1}"),
        value if value < 9_999.5 => format!("{value:.0}"),
        value if value < 999_950.0 => format!("{:.1}k", value / 1e3),
        value => format!("{:.1}M", value / 1e6),
    }
}

pub(super) fn amount_if_known(value: Option<f64>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), amount)
}

/// A duration of so many seconds.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.009_95 => format!("{:.1} ms", s * 1e3),
        s if s < 0.999_5 => format!("{:.0} ms", s * 1e3),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 119.5 => format!("{s:.0} s"),
        s if s < 7_170.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3_600.0),
        s => format!("{:.0} d", s / 86_400.0),
    }
}

pub(super) fn duration_if_known(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| UNKNOWN.to_owned(), duration)
}

pub(super) fn bytes(bytes: f64) -> String {
    let mebibytes = bytes / 1024.0 / 1024.0;
    if mebibytes < 1023.5 { format!("{mebibytes:.0} MiB") } else { format!("{:.1} GiB", mebibytes / 1024.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        for (value, text) in
            [(0.0, "0"), (2.0, "2"), (0.24, "0.2"), (9.97, "10"), (1_234.0, "1234"), (12_345.0, "12.3k"), (2e6, "2.0M")]
        {
            assert_eq!(amount(value), text);
        }
        for (seconds, text) in [
            (0.000_4, "0.4 ms"),
            (0.012, "12 ms"),
            (1.25, "1.2 s"),
            (60.0, "60 s"),
            (300.0, "5 min"),
            (7_200.0, "2 h"),
            (864_000.0, "10 d"),
        ] {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!((bytes(52_428_800.0), bytes(3.2e9)), ("50 MiB".to_owned(), "3.0 GiB".to_owned()));
        assert_eq!((amount_if_known(None), duration_if_known(None)), ("–".to_owned(), "–".to_owned()));
    }
}
