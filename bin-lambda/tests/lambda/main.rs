//! The function's binary against a Runtime API of the test's own and a real PostgreSQL.

mod gateways;
mod invocations;
mod pool;
mod requests;
mod runtime_api;
mod schedule;
mod table;
