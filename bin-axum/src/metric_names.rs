//! Names of the process's metrics other than those of [`svc_core::observe`].

/// Gauge: open connections of clients.
pub(crate) const CONNECTIONS: &str = "svc_connections";
/// Counter: connections of clients that waited and were ended for the sake of newcomers.
pub(crate) const CONNECTIONS_DISPLACED: &str = "svc_connections_displaced_total";
/// Counter: connections of clients that were refused because too many were busy.
pub(crate) const CONNECTIONS_REFUSED: &str = "svc_connections_refused_total";
/// Gauge: connections for requests to the database, by `state`, `used` or `idle`.
pub(crate) const DATABASE_CONNECTIONS: &str = "svc_database_connections";
/// Gauge: the most connections for requests to the database.
pub(crate) const DATABASE_CONNECTIONS_MAX: &str = "svc_database_connections_max";
/// Gauge: always 1, labelled with the version.
pub(crate) const BUILD_INFO: &str = "svc_build_info";
/// Counter: requests of the companies that sent the most in the last two minutes, refused ones too,
/// by `empresa`.
pub(crate) const COMPANY_REQUESTS: &str = "svc_company_requests_total";
/// Counter: seconds of a processor that the process took; `metrics-process` names it.
pub(crate) const PROCESS_CPU: &str = "process_cpu_seconds_total";
/// Gauge: bytes of the process in memory; `metrics-process` names it.
pub(crate) const PROCESS_MEMORY: &str = "process_resident_memory_bytes";
