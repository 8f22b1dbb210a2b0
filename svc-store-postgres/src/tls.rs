//! Whether a connection to a database is protected from interception.

use std::net::IpAddr;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

/// The database's host, if it is another machine with an unverified certificate: an interceptor
/// could read and change everything, the password included.
pub(crate) fn unverified_host(options: &PgConnectOptions) -> Option<&str> {
    let verified = matches!(options.get_ssl_mode(), PgSslMode::VerifyCa | PgSslMode::VerifyFull);
    (!verified && options.get_socket().is_none() && !is_this_machine(options.get_host())).then(|| options.get_host())
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    // A host that is a path is a Unix socket.
    host.starts_with('/') || host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_machine_is_verified_or_named() {
        for (url, expected) in [
            ("postgres://u:p@db.example.com/svc", Some("db.example.com")),
            ("postgres://u:p@db.example.com/svc?sslmode=require", Some("db.example.com")),
            ("postgres://u:p@db.example.com/svc?sslmode=disable", Some("db.example.com")),
            ("postgres://u:p@10.0.0.7:6432/svc?sslmode=prefer", Some("10.0.0.7")),
            ("postgres://u:p@localhost.example.com/svc", Some("localhost.example.com")),
            ("postgres://u:p@db.example.com/svc?sslmode=verify-full", None),
            ("postgres://u:p@db.example.com/svc?sslmode=verify-ca", None),
            ("postgres://u:p@localhost/svc", None),
            ("postgres://u:p@127.0.0.2/svc?sslmode=disable", None),
            ("postgres://u:p@[::1]/svc", None),
            ("postgres://u:p@%2Fvar%2Frun%2Fpostgresql/svc", None),
            ("postgres:///svc?host=/var/run/postgresql", None),
        ] {
            assert_eq!(unverified_host(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
