//! Makes the way to the database longer: a socket that leads to PostgreSQL's.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread::{sleep, spawn};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;

/// The options that lead to the same database by a way that takes `distance` longer for a round
/// trip, and works until the process ends.
pub(crate) fn far(options: &PgConnectOptions, dir: &Path, distance: Duration) -> PgConnectOptions {
    let name = format!(".s.PGSQL.{}", options.get_port());
    let to = options.get_socket().expect("a socket").join(&name);
    let listener = UnixListener::bind(dir.join(name)).expect("a socket");
    spawn(move || listener.incoming().for_each(|client| forward(client.expect("a connection"), &to, distance)));
    options.clone().socket(dir)
}

fn forward(client: UnixStream, to: &PathBuf, distance: Duration) {
    let server = UnixStream::connect(to).expect("PostgreSQL");
    let ends = (client.try_clone().expect("a socket"), server.try_clone().expect("a socket"));
    spawn(move || pass(client, server, distance));
    spawn(move || pass(ends.1, ends.0, Duration::ZERO));
}

/// Forwards each message a while later, until one end closes.
fn pass(mut from: UnixStream, mut to: UnixStream, later: Duration) {
    let mut buffer = [0; 1 << 14];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        sleep(later);
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
