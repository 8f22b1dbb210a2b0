//! The canonical form of a body: what two bodies that say the same have in common (contract §4).

use super::cursor::{Cursor, Kind};
use super::members::Members;

/// Writes the value at the cursor: keys sorted, no white space, numbers by value, strings with their length. It is written in
/// pieces, so that it takes no memory of its own.
pub(super) fn write(cursor: &mut Cursor<'_>, sink: &mut dyn FnMut(&[u8])) {
    match cursor.kind() {
        Kind::Null | Kind::Bool => sink(cursor.literal().as_bytes()),
        Kind::Number => number(cursor.literal(), sink),
        Kind::String => string(&cursor.string().unwrap_or_default(), sink),
        Kind::Array => {
            cursor.enter();
            sink(b"[");
            while cursor.has_more() {
                write(cursor, sink);
                sink(b",");
            }
            cursor.leave();
            sink(b"]");
        }
        Kind::Object => {
            cursor.enter();
            let mut members = Members::new(cursor.text());
            // It was parsed, so its members can be read.
            while cursor.has_more() && members.push_key(cursor).is_ok() {
                cursor.skip();
            }
            cursor.leave();
            sink(b"{");
            for (key, mut value) in members.sorted() {
                string(key, sink);
                write(&mut value, sink);
                sink(b",");
            }
            sink(b"}");
        }
    }
}

/// A string, with its length before it: no other string and nothing after it is written like that.
fn string(text: &str, sink: &mut dyn FnMut(&[u8])) {
    sink(b"\"");
    sink(text.len().to_string().as_bytes());
    sink(b":");
    sink(text.as_bytes());
}

/// `1160`, `1160.00` and `1.16e3` are one number: sign, digits without outer zeros, power of ten.
fn number(literal: &str, sink: &mut dyn FnMut(&[u8])) {
    let (sign, unsigned) = literal.strip_prefix('-').map_or(("", literal), |rest| ("-", rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (mut whole, mut fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let decimals = fraction.len();
    let mut zeros = 0;
    if fraction.is_empty() {
        let significant = whole.trim_end_matches('0');
        zeros = whole.len() - significant.len();
        whole = significant;
    } else if whole.is_empty() {
        fraction = fraction.trim_start_matches('0');
    }
    if whole.is_empty() && fraction.is_empty() {
        return sink(b"0");
    }
    // A number with an exponent beyond i64 is compared by its literal.
    let Ok(exponent) = exponent.parse::<i64>() else { return sink(literal.as_bytes()) };
    for part in [sign, whole, fraction, "e"] {
        sink(part.as_bytes());
    }
    match i128::from(exponent) + zeros as i128 - decimals as i128 {
        0 => sink(b"0"),
        power => sink(power.to_string().as_bytes()),
    }
}
