//! What a body costs in memory, whatever shape it has.

use std::hint::black_box;

use bytes::Bytes;
use peak_alloc::PeakAlloc;
use svc_core::json::Json;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The largest body of the API.
const SIZE: usize = svc_core::DEFAULT_MAX_BODY;

/// An object whose member `a` is a list of as many items as fit; they are numbered.
fn list(size: usize, max: usize, item: impl Fn(usize) -> String) -> String {
    let mut body = String::from(r#"{"a":["#);
    for number in 0..max {
        let item = item(number);
        if body.len() + item.len() + 3 > size {
            break;
        }
        body += &item;
        body.push(',');
    }
    body.pop();
    body + "]}"
}

fn shapes(size: usize) -> Vec<(&'static str, String)> {
    let members = |key: &'static str| {
        move |number: usize| {
            let fields: Vec<_> = (0..1_000).map(|n| format!(r#""{key}{n}":{}"#, number % 10)).collect();
            format!("{{{}}}", fields.join(","))
        }
    };
    let nested = |_: usize| format!("{}1{}", r#"{"a":"#.repeat(4), "}".repeat(4));
    let nested_members = (0..6).fold("1".to_owned(), |inner, _| {
        let fields: Vec<_> = (0..999).map(|n| format!(r#""k{n}":1"#)).collect();
        format!(r#"{{{},"z":{inner}}}"#, fields.join(","))
    });
    vec![
        ("small numbers", list(size, 49_990, |_| "1".to_owned())),
        ("numbers", list(size, 49_990, |n| format!("1{n}0.50"))),
        ("too many numbers", list(size, usize::MAX, |_| "1".to_owned())),
        ("empty lists", list(size, 49_990, |_| "[]".to_owned())),
        ("empty objects", list(size, usize::MAX, |_| "{}".to_owned())),
        ("members", list(size, 24, members("k"))),
        ("escaped members", list(size, 24, members(r"\u006b"))),
        ("members without end", format!("{{{}}}", members("k")(1).replace(['{', '}'], "").repeat(size / 10_000))),
        ("nesting", list(size, 4_900, nested)),
        ("nested members", nested_members),
        ("deep", format!(r#"{{"a":{}"#, "[".repeat(size - 5))),
        ("a string", format!(r#"{{"a":"{}"}}"#, "x".repeat(size - 8))),
        ("an escaped string", format!(r#"{{"a":"{}"}}"#, r"\n".repeat(size / 2 - 4))),
        ("escaped strings", list(size, 49_990, |_| r#""\n\n""#.to_owned())),
        ("white space", format!(r#"{{"a":{}1}}"#, " ".repeat(size - 7))),
    ]
}

/// Alone in its file: the allocator counts what all threads allocate.
#[test]
fn a_body_takes_three_times_its_size_at_most() {
    for size in [64 * 1024, SIZE] {
        for (what, body) in shapes(size) {
            // What a refusal costs, or a small body, is no multiple of anything.
            let max = 3 * body.len() + 8 * 1024;
            let mut body = body.into_bytes();
            body.shrink_to_fit();
            let before = ALLOCATOR.current_usage() - body.capacity();
            ALLOCATOR.reset_peak_usage();
            let parsed = Json::parse(Bytes::from(body));
            if let Ok(json) = &parsed {
                json.canonical(|piece| {
                    black_box(piece);
                });
                assert!(json.read::<serde::de::IgnoredAny>().is_ok());
            }
            let taken = ALLOCATOR.peak_usage() - before;
            println!("{what} ({size}, {}): {taken}, of {max}", if parsed.is_ok() { "taken" } else { "refused" });
            assert!(taken <= max, "{what} of {size} bytes: {taken}");
        }
    }
}
