//! Values that filters of lists take, and that they refuse.

use svc_core::domain::time::Edge;
use svc_core::record::{Filter, Takes};

const UUID: &str = "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d";

/// A value that the filter accepts.
pub fn sample(takes: Takes) -> String {
    match takes {
        Takes::Integer => "1".to_owned(),
        Takes::Text { shortest, .. } => "x".repeat(shortest),
        Takes::Uuid => UUID.to_owned(),
        Takes::Boolean => "true".to_owned(),
        Takes::Choice(words) | Takes::EventKind(words) => words[0].to_owned(),
        Takes::Email => "ana%40example.com".to_owned(),
        Takes::Phone => "5512345678".to_owned(),
        Takes::Search => "clavo".to_owned(),
        Takes::Bound(_) => "2026-10-12".to_owned(),
    }
}

/// Values that the filter accepts.
pub fn good(takes: Takes) -> Vec<String> {
    let own: &[&str] = match takes {
        Takes::Integer => &["0", "-1", "007", "9223372036854775807", "-9223372036854775808"],
        Takes::Text { longest, .. } => return vec![sample(takes), "%C3%91".repeat(longest), "%25".repeat(longest)],
        Takes::Uuid => &[UUID, "5A5F2D3C-8B1E-4C6A-9F0D-1E2F3A4B5C6D", "00000000-0000-0000-0000-000000000000"],
        Takes::Boolean => &["true", "false"],
        Takes::Choice(words) | Takes::EventKind(words) => words,
        Takes::Email => &["ana%40example.com", "ANA@Example.com,+bob@example.com", "%C3%B1"],
        Takes::Phone => &["%2B52+(55)+1234-5678", "1", "ext.+5"],
        Takes::Search => &["clavo", "abc+de", "%25%25%25", "___", "***", "%5C%5C%5C", "%27%22%3B--"],
        Takes::Bound(Edge::From | Edge::Until) => {
            &["2026-10-12", "0001-01-01", "9999-12-31", "2026-10-12T23:59:59Z", "9999-12-31T23:59:59Z", "2024-02-29"]
        }
    };
    own.iter().map(|value| (*value).to_owned()).collect()
}

/// Queries that the filter refuses, and their codes.
pub fn bad(filter: &Filter) -> Vec<(String, &'static str)> {
    let own: &[&str] = match filter.takes {
        Takes::Integer => &["x", "1.0", "1e3", "%2B1", "+1", "1+", "--1", "-", "0x1", "%D9%A1", "9223372036854775808"],
        Takes::Text { .. } | Takes::Email | Takes::Phone | Takes::Search => &[],
        Takes::Uuid => &[
            "x",
            "5a5f2d3c8b1e4c6a9f0d1e2f3a4b5c6d",
            "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6",
            "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d0",
            "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6g",
            "5a5f2d3c8b1e-4c6a-9f0d-1e2f-3a4b5c6d",
            "%7B5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d%7D",
            "urn:uuid:5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d",
        ],
        Takes::Boolean => &["1", "0", "TRUE", "True", "si", "true+"],
        Takes::Choice(_) | Takes::EventKind(_) => &["otro", "desconocido", "Activo", "%25", "activo,inactivo"],
        Takes::Bound(_) => &[
            "ayer",
            "2026-13-01",
            "2026-02-30",
            "2026-1-1",
            "0000-01-01",
            "10000-01-01",
            "-2026-01-01",
            "20261012",
            "2026-10-12T00:00:00",
            "2026-10-12T00:00:00z",
            "2026-10-12T00:00:00-06:00",
            "2026-10-12T00:00:00%2B00:00",
            "2026-10-12T24:00:00Z",
            "2026-10-12T23:59:60Z",
            "2026-10-12+00:00:00Z",
            "2026-10-12T00:00Z",
            "1791828000",
            "12/10/2026",
        ],
    };
    let (name, valid) = (filter.name, sample(filter.takes));
    let mut queries: Vec<_> = own.iter().map(|value| (format!("{name}={value}"), "filtro_invalido")).collect();
    match filter.takes {
        Takes::Text { shortest, longest } => {
            queries.push((format!("{name}={}", "%C3%91".repeat(longest + 1)), "filtro_invalido"));
            if shortest > 1 {
                queries.push((format!("{name}={}", "%C3%91".repeat(shortest - 1)), "filtro_invalido"));
            }
        }
        Takes::Choice(words) | Takes::EventKind(words) => {
            queries.push((format!("{name}={}", words[0].to_uppercase()), "filtro_invalido"));
        }
        Takes::Phone => queries.push((format!("{name}=%2B-()"), "filtro_vacio")),
        Takes::Search => {
            queries.extend(["a", "ab+cd", "%C3%B1%C3%B1"].map(|short| (format!("{name}={short}"), "busqueda_corta")));
        }
        _ => {}
    }
    queries.extend([
        (name.to_owned(), "filtro_vacio"),
        (format!("{name}="), "filtro_vacio"),
        (format!("{name}=%20"), "filtro_vacio"),
        (format!("{name}={valid}&{name}={valid}"), "filtro_invalido"),
        (format!("{name}={valid}%00"), "filtro_invalido"),
        (format!("{name}=%00"), "filtro_invalido"),
        (format!("{name}=%FF"), "filtro_invalido"),
        (format!("{name}={valid}%C3"), "filtro_invalido"),
    ]);
    queries
}
