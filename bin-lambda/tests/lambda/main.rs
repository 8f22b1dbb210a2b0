//! The function's binary against a Runtime API of the test's own and a real PostgreSQL.

mod doors;
mod gateways;
mod pool;
mod runtime_api;
mod schedule;
mod table;
