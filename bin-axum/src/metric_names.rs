//! Names of the process's metrics other than those of [`svc_core::observe`].

/// Gauge: open connections of clients.
pub(crate) const CONNECTIONS: &str = "svc_connections";
/// Counter: connections of clients that waited and were ended for the sake of newcomers.
pub(crate) const CONNECTIONS_DISPLACED: &str = "svc_connections_displaced_total";
/// Counter: connections of clients that were refused because too many were busy.
pub(crate) const CONNECTIONS_REFUSED: &str = "svc_connections_refused_total";
/// Gauge: connections for requests to the database, by `state`, `used` or `idle`.
pub(crate) const DATABASE_CONNECTIONS: &str = "svc_database_connections";
/// Gauge: the most of them.
pub(crate) const DATABASE_CONNECTIONS_MAX: &str = "svc_database_connections_max";
/// Gauge: always 1, labelled with the version.
pub(crate) const BUILD_INFO: &str = "svc_build_info";
